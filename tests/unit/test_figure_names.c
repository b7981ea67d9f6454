/* How curves are named and told apart: at their ends, and by signs. */
#include "tests/unit/pictures.h"

/* Curves that fill the panel and end at `end` of each. */
static struct table *table_of_ends(const double *end, size_t count) {
  struct table *table = table_of_curves(count, 60);
  for (size_t r = 0; r < table_rows(table); r++)
    table_set_real(table, r, 2, r % 2 ? 0 : 10);
  for (size_t s = 0; s < count; s++)
    table_set_real(table, 60 * s + 59, 2, end[s]);
  return table;
}

/* Screen fraction of a value at the y axis. */
static double height_of(const struct figure *figure, double value) {
  double low, high;
  script_range(figure, "yrange", &low, &high);
  const double bottom = script_number(figure, "panel_bottom"),
               top = script_number(figure, "panel_top");
  return bottom + (value - low) / (high - low) * (top - bottom);
}

static void assert_beside(const struct figure *figure, size_t count) {
  for (size_t i = 1; i <= count; i++) {
    assert_true(script_element(figure, "key_left", i) > script_number(figure, "panel_right"));
    assert_true(script_element(figure, "key_x", i) < 1);
    for (size_t j = 1; j < i; j++)
      assert_true(fabs(script_element(figure, "key_y", i) - script_element(figure, "key_y", j)) >
                  0.03);
  }
}

/* Where no corner is free and the ends stand apart, names stand at the ends. */
static void ends_have_names(void **state) {
  (void)state;
  static const double ends[] = {8, 1, 4.5};
  struct table *table = table_of_ends(ends, 3);
  static const char *const styles[] = {"default", "icml", "nature", "ieee"};
  for (size_t s = 0; s < 4; s++)
    for (int format = FIGURE_PNG; format <= FIGURE_TEX; format++) {
      struct figure figure = draw_table(table, &plain, &(struct figure_options){.style = styles[s]},
                                        (enum figure_format)format);
      assert_beside(&figure, 3);
      for (size_t i = 0; i < 3; i++)
        assert_true(fabs(script_element(&figure, "key_y", i + 1) - height_of(&figure, ends[i])) <
                    0.01);
      figure_release(&figure);
    }
  table_destroy(table);
}

/* Beside the panel points have no key, which were one more of them: words say what they are. */
static void points_beside_have_words(void **state) {
  (void)state;
  static const double ends[] = {8, 2};
  struct table *table = table_of_ends(ends, 2), *overlay = table_of_curves(1, 5);
  struct curve_plot plot = plain;
  plot.overlay = overlay;
  plot.overlay_x = "distance";
  plot.overlay_y = "bound";
  plot.overlay_label = "measured";
  for (int beside = 0; beside < 2; beside++) {
    struct figure figure = draw_table(
        table, &plot, &(struct figure_options){.legend = beside ? "direct" : "above"}, FIGURE_SVG);
    assert_true(script_has(&figure, "\nkeys = 3\n"));
    assert_true(script_has(&figure, beside ? "key_text[3] = 'circles: measured'\n"
                                           : "key_text[3] = 'measured'\n"));
    assert_true(script_element(&figure, "key_kind", 3) == (beside ? -1 : 2));
    if (beside) {
      assert_beside(&figure, 3);
      assert_true(script_element(&figure, "key_x", 3) == script_element(&figure, "key_left", 3));
    }
    figure_release(&figure);
  }
  table_destroy(table);
  table_destroy(overlay);
}

/* Ends that do not stand apart, or too many, have a legend above. */
static void crowded_ends_have_a_legend(void **state) {
  (void)state;
  static const double close[] = {5, 5.1, 9}, many[] = {1, 3, 5, 7, 9};
  for (int i = 0; i < 2; i++) {
    struct table *table = table_of_ends(i ? many : close, i ? 5 : 3);
    struct figure figure = draw_table(table, &plain, &(struct figure_options){0}, FIGURE_PNG);
    assert_true(script_element(&figure, "key_y", 1) > script_number(&figure, "panel_top"));
    figure_release(&figure);
    /* They are there when they are asked for; one below another. */
    figure = draw_table(table, &plain, &(struct figure_options){.legend = "direct"}, FIGURE_PNG);
    assert_beside(&figure, i ? 5 : 3);
    figure_release(&figure);
    table_destroy(table);
  }
  /* A curve that ends early. */
  static const double ends[] = {8, 1};
  struct table *table = table_of_ends(ends, 2);
  for (size_t r = 30; r < 60; r++)
    table_set_real(table, r, 2, NAN);
  struct figure figure = draw_table(table, &plain, &(struct figure_options){0}, FIGURE_PNG);
  assert_true(script_element(&figure, "key_y", 1) > script_number(&figure, "panel_top"));
  figure_release(&figure);
  table_destroy(table);
}

/* Entries that are of no one curve cannot stand at an end: above, then. */
static void names_without_an_end_stand_above(void **state) {
  (void)state;
  struct table *table = table_of_curves(2, 60);
  struct curve_plot plot = plain;
  plot.lines[1] = "other";
  struct figure figure =
      draw_table(table, &plot, &(struct figure_options){.legend = "direct"}, FIGURE_PNG);
  assert_true(script_has(&figure, "\nkeys = 4\n"));
  assert_true(script_element(&figure, "key_y", 1) > script_number(&figure, "panel_top"));
  figure_release(&figure);
  /* Names as wide as the sheet. */
  table_set_text(table, 0, 0, "a name that takes much more room than there is in one column", NULL);
  figure = draw_table(table, &plain, &(struct figure_options){.style = "icml", .legend = "direct"},
                      FIGURE_PNG);
  assert_true(script_element(&figure, "key_y", 1) > script_number(&figure, "panel_top"));
  figure_release(&figure);
  table_destroy(table);
}

/* Each series has a sign of its own, on its points, across the panel. */
static void series_have_signs(void **state) {
  (void)state;
  struct table *table = table_of_curves(8, 400);
  struct figure figure = draw_table(table, &plain, &(struct figure_options){0}, FIGURE_PNG);
  assert_true(script_has(&figure, "\nmarked = 8\n"));
  assert_true(script_has(&figure, "\narray sign_shape[8] = [1, 2, 3, 4, 5, 6, 7, 8]\n"));
  assert_true(script_has(&figure, "\narray sign_trace[8] = [1, 2, 3, 4, 5, 6, 7, 8]\n"));
  const char *block = figure.data.data;
  for (size_t b = 0; b < 8; b++) {
    block = strstr(block, "\n\n\n");
    assert_non_null(block);
    block += 3;
  }
  for (size_t s = 0; s < 8; s++) {
    size_t signs = 0;
    double last = -1, x, y;
    int read = 0;
    for (; sscanf(block, "%lf %lf%n", &x, &y, &read) == 2; block += read + 1, signs++) {
      const size_t row = 400 * s + (size_t)x;
      assert_true(x > last && table_real(table, row, 2) == y);
      last = x;
      if (block[read] == '\n' && block[read + 1] == '\n') {
        signs++;
        break;
      }
    }
    assert_int_equal(signs, 8);
    block = strstr(block, "\n\n\n");
    if (block)
      block += 3;
    else
      break;
  }
  figure_release(&figure);
  table_destroy(table);
  /* One series alone has none. */
  table = table_of_curves(1, 400);
  figure = draw_table(table, &plain, &(struct figure_options){0}, FIGURE_PNG);
  assert_true(script_has(&figure, "\nmarked = 0\n"));
  figure_release(&figure);
  table_destroy(table);
}

/* A label of the y axis that is longer than the sheet is high has two lines, and room for them. */
static void long_labels_have_two_lines(void **state) {
  (void)state;
  struct table *table = table_of_curves(1, 60);
  const struct figure_options options = {
      .style = "icml", .ylabel = "angle difference at the end of the context (radians)"};
  struct figure one = draw_table(table, &plain, &(struct figure_options){.style = "icml"},
                                 FIGURE_PNG),
                two = draw_table(table, &plain, &options, FIGURE_PNG);
  /* Where it breaks depends on the widths of the font. */
  assert_true(script_has(&two, "\nylabel = 'angle difference at the"));
  assert_true(script_has(&two, "(radians)'\n"));
  const double line = 8 * 1.3 / 72 / 3.25; /* of the width */
  assert_true(fabs(script_number(&two, "panel_left") - script_number(&one, "panel_left") - line) <
              0.003);
  figure_release(&one);
  figure_release(&two);
  table_destroy(table);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ends_have_names),
      cmocka_unit_test(points_beside_have_words),
      cmocka_unit_test(crowded_ends_have_a_legend),
      cmocka_unit_test(names_without_an_end_stand_above),
      cmocka_unit_test(series_have_signs),
      cmocka_unit_test(long_labels_have_two_lines),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

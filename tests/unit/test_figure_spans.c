/* Shaded spans of the x axis and their labels. */
#include "tests/unit/backdrops.h"

static unsigned lightness(unsigned rgb) {
  return (2126 * (rgb >> 16) + 7152 * (rgb >> 8 & 0xff) + 722 * (rgb & 0xff)) / 10000;
}

/* Four spans that meet between pairs, also those without a curve, in colours that differ in grey
   too. */
static void spans_shade_the_panel(void **state) {
  (void)state;
  struct table *table = table_of_pairs(64, 1);
  struct curve_plot plot = spectrum;
  plot.lines[1] = NULL;
  for (int dark = 0; dark < 2; dark++) {
    struct figure figure =
        draw_table(table, &plot, &(struct figure_options){.dark = dark}, FIGURE_PNG);
    struct pixels pixels = decode(&figure.picture);
    const struct rectangle panel = panel_of(&figure, &pixels);
    assert_true(script_has(&figure, "\nspans = 4\n"));
    assert_true(script_has(&figure, "set xrange [-0.5:63.5]"));
    unsigned last = dark ? 0 : 255;
    for (size_t s = 0; s < 4; s++) {
      assert_true(script_element(&figure, "span_left", s + 1) == 16 * (double)s - 0.5);
      assert_true(script_element(&figure, "span_right", s + 1) == 16 * (double)s + 15.5);
      const unsigned width = panel.right - panel.left,
                     x = panel.left + width * (unsigned)(2 * s + 1) / 8, y = panel.bottom - 20;
      const unsigned rgb = pixel(&pixels, x + 9, y);
      assert_int_equal(pixel(&pixels, x - 9, y), rgb);
      assert_int_equal(count_pixels(&pixels, rgb) > 10000, 1);
      assert_true(abs((int)lightness(rgb) - (int)last) >= 8);
      last = lightness(rgb);
    }
    free(pixels.rgb);
    figure_release(&figure);
  }
  table_destroy(table);
}

/* Labels of spans stand above the curves; those that would overlap go a line lower. */
static void labels_of_spans_keep_apart(void **state) {
  (void)state;
  struct table *table = table_of_pairs(64, 1);
  struct figure figure =
      draw_table(table, &spectrum, &(struct figure_options){.style = "ieee"}, FIGURE_SVG);
  const double first = script_element(&figure, "span_y", 1);
  for (size_t s = 2; s <= 4; s++)
    assert_true(script_element(&figure, "span_y", s) == first);
  /* The highest point, of the dashed curve: below the labels. */
  const double low = script_number(&figure, "panel_bottom"),
               high = script_number(&figure, "panel_top");
  double from, to;
  script_range(&figure, "yrange", &from, &to);
  const double highest = 6 * pow(10, 5.0 * 63 / 64);
  assert_true(low + (high - low) * log(highest / from) / log(to / from) < first);
  figure_release(&figure);
  for (size_t r = 0; r < 64; r++)
    assert_int_equal(
        table_set_text(table, r, 4, r == 30 || r == 32 || r == 33 ? "narrow one" : "wide", NULL),
        OK);
  figure = draw_table(table, &spectrum, &(struct figure_options){.style = "ieee"}, FIGURE_SVG);
  assert_true(script_has(&figure, "\nspans = 5\n"));
  assert_true(script_element(&figure, "span_y", 2) == script_element(&figure, "span_y", 1));
  assert_true(script_element(&figure, "span_y", 3) < script_element(&figure, "span_y", 2));
  assert_true(script_element(&figure, "span_y", 4) < script_element(&figure, "span_y", 3));
  assert_true(script_element(&figure, "span_rgb", 1) == script_element(&figure, "span_rgb", 3));
  figure_release(&figure);
  table_destroy(table);
}

/* A span has the same colour whichever others a figure has, and a label that is wider than its span
   has this colour about it. */
static void spans_have_colours_of_their_own(void **state) {
  (void)state;
  static const char *const names[] = {"first", "second", NULL};
  double second[2] = {0};
  for (size_t alone = 0; alone < 2; alone++) {
    struct table *table = table_of_pairs(64, 1);
    for (size_t row = 0; row < 64; row++)
      table_set_text(table, row, 4, alone || row ? "second" : "first", NULL);
    struct curve_plot plot = spectrum;
    plot.span_names = names;
    struct figure figure =
        draw_table(table, &plot, &(struct figure_options){.width = 3.25}, FIGURE_PNG);
    second[alone] = script_element(&figure, "span_rgb", alone ? 1 : 2);
    const double wide =
        script_element(&figure, "tag_right", 1) - script_element(&figure, "tag_left", 1);
    assert_true(alone ? wide < 1e-4 : wide > 0.04);
    assert_true(script_element(&figure, "tag_left", 1) >=
                    script_number(&figure, "panel_left") - 1e-6 ||
                alone);
    if (!alone)
      assert_true(script_element(&figure, "tag_right", 2) - script_element(&figure, "tag_left", 2) <
                  1e-4);
    figure_release(&figure);
    table_destroy(table);
  }
  assert_true(second[0] == second[1]);
}

/* Of one series alone, of rows with a text alone. */
static void spans_need_a_text_and_one_series(void **state) {
  (void)state;
  struct table *table = table_of_pairs(8, 2);
  struct figure figure = draw_table(table, &spectrum, &(struct figure_options){0}, FIGURE_SVG);
  assert_true(script_has(&figure, "\nspans = 0\n"));
  figure_release(&figure);
  table_destroy(table);
  table = table_of_pairs(8, 1);
  for (size_t r = 2; r < 4; r++)
    assert_int_equal(table_set_text(table, r, 4, "", NULL), OK);
  figure = draw_table(table, &spectrum, &(struct figure_options){0}, FIGURE_SVG);
  assert_true(script_has(&figure, "\nspans = 3\n"));
  assert_true(script_element(&figure, "span_right", 1) == 1.5 &&
              script_element(&figure, "span_left", 2) == 3.5);
  figure_release(&figure);
  table_destroy(table);
}

static void spans_of_a_logarithmic_axis_meet_in_its_middle(void **state) {
  (void)state;
  struct table *table = table_of_pairs(4, 1);
  struct curve_plot plot = spectrum;
  plot.log_x = true;
  for (size_t r = 0; r < 4; r++)
    table_set_integer(table, r, 1, (int64_t[]){1, 0, 100, 10000}[r]);
  struct figure figure = draw_table(table, &plot, &(struct figure_options){0}, FIGURE_SVG);
  assert_true(script_has(&figure, "\nspans = 3\n")); /* 0 has no place */
  assert_true(fabs(script_element(&figure, "span_left", 1) - 0.1) < 1e-12);
  assert_true(fabs(script_element(&figure, "span_right", 1) - 10) < 1e-12);
  assert_true(fabs(script_element(&figure, "span_right", 2) - 1000) < 1e-9);
  assert_true(fabs(script_element(&figure, "span_right", 3) - 1e5) < 1e-7);
  figure_release(&figure);
  table_destroy(table);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(spans_shade_the_panel),
      cmocka_unit_test(labels_of_spans_keep_apart),
      cmocka_unit_test(spans_have_colours_of_their_own),
      cmocka_unit_test(spans_need_a_text_and_one_series),
      cmocka_unit_test(spans_of_a_logarithmic_axis_meet_in_its_middle),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

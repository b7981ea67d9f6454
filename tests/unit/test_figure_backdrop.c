/* What curves are read against: reference lines, markers, logarithmic axes. */
#include "tests/unit/backdrops.h"
#include "tests/unit/wellformed.h"

/* The axis reaches as far as an upright line, whose label lies above the curves and in the panel.
 */
static void upright_lines(void **state) {
  static const double values[] = {4, 30, 45};
  (void)state;
  struct table *table = table_of_pairs(32, 1);
  for (size_t i = 0; i < 3; i++) {
    struct curve_plot plot = {.x = "pair", .lines = {"unscaled"}};
    plot.x_mark = (struct curve_mark){values[i], "ends here"};
    struct figure figure =
        draw_table(table, &plot, &(struct figure_options){.log_y = true}, FIGURE_SVG);
    assert_true(script_number(&figure, "upright_value") == values[i]);
    assert_true(script_has(&figure, i == 2 ? "set xrange [0:45]" : "set xrange [0:31]"));
    const double at = script_number(&figure, "upright_x"),
                 left = script_number(&figure, "panel_left"),
                 right = script_number(&figure, "panel_right");
    const double line = left + (right - left) * values[i] / (i == 2 ? 45 : 31);
    assert_true(i ? at < line : at > line);
    assert_true(script_number(&figure, "upright_starts") == (i == 0));
    assert_true(fabs(at - line) < 0.02); /* whatever the width of its letters */
    assert_true(at > left && at <= right + 1e-6);
    assert_true(script_number(&figure, "upright_y") < script_number(&figure, "panel_top"));
    assert_true(fabs(script_number(&figure, "upright_top") - script_number(&figure, "panel_top")) <
                1e-5);
    figure_release(&figure);
  }
  /* A label that fits on neither side stands above the line. */
  struct curve_plot plot = {.x = "pair", .lines = {"unscaled"}};
  plot.x_mark = (struct curve_mark){15.5, "a label of more than half of the panel's width"};
  struct figure figure = draw_table(table, &plot, &(struct figure_options){.width = 4}, FIGURE_SVG);
  const double left = script_number(&figure, "panel_left"),
               right = script_number(&figure, "panel_right");
  assert_true(script_number(&figure, "upright_x") > (left + right) / 2);
  assert_true(script_number(&figure, "upright_x") <= right + 1e-6);
  assert_true(script_number(&figure, "upright_top") < script_number(&figure, "upright_y"));
  figure_release(&figure);
  table_destroy(table);
}

/* The label of a mark stands beside an upright line, not on it. */
static void upright_lines_are_kept_clear(void **state) {
  (void)state;
  struct table *table = table_of_pairs(32, 1);
  for (int at = 20; at < 31; at++) {
    const struct curve_plot plot = {.x = "pair",
                                    .lines = {"unscaled"},
                                    .log_y = true,
                                    .marks = {{100, "a mark"}},
                                    .x_mark = {at, "ends here"}};
    struct figure figure =
        draw_table(table, &plot, &(struct figure_options){.width = 3.25}, FIGURE_PNG);
    const double left = script_number(&figure, "panel_left"),
                 right = script_number(&figure, "panel_right"),
                 line = left + (right - left) * at / 31, end = script_element(&figure, "mark_x", 1);
    const double width = 0.11; /* of the label, at least, in 3.25 in */
    assert_true(line > end || line < end - width);
    figure_release(&figure);
  }
  table_destroy(table);
}

/* The numbers that an axis has for the labels above the curves find room beside it: as much as
   where curves reach as far. */
static void numbers_of_the_raised_axis_have_room(void **state) {
  (void)state;
  static const double tops[] = {6000, 20000};
  double left[2];
  for (size_t i = 0; i < 2; i++) {
    struct table *table = table_of_pairs(32, 1);
    for (size_t row = 0; row < 32; row++)
      table_set_real(table, row, 3, row ? 10 : tops[i]);
    const struct curve_plot plot = {.x = "pair",
                                    .lines = {"unscaled"},
                                    .ylabel = "value",
                                    .log_y = true,
                                    .x_mark = {i ? NAN : 16, i ? NULL : "ends here"}};
    struct figure figure =
        draw_table(table, &plot, &(struct figure_options){.width = 3.25}, FIGURE_PNG);
    assert_true(script_has(&figure, "\"10000\" 10000") || script_has(&figure, "'10000' 10000"));
    left[i] = script_number(&figure, "panel_left");
    figure_release(&figure);
    table_destroy(table);
  }
  assert_true(left[0] == left[1]);
}

/* One pair: its span is the whole panel. */
static void a_single_pair_is_drawn(void **state) {
  (void)state;
  struct table *table = table_of_pairs(1, 1);
  struct figure figure = draw_table(table, &spectrum, &(struct figure_options){0}, FIGURE_PNG);
  assert_true(script_has(&figure, "\nspans = 1\n") && script_has(&figure, "\nmarked = 1\n"));
  assert_true(script_element(&figure, "span_left", 1) == -1 &&
              script_element(&figure, "span_right", 1) == 1);
  struct pixels pixels = decode(&figure.picture);
  assert_true(count_pixels(&pixels, palette_category(0, 0)) > 20);
  free(pixels.rgb);
  figure_release(&figure);
  table_destroy(table);
}

/* Lines of the axis reach to the marks; their labels keep apart, from each other and from curves.
 */
static void marks_have_labels_that_keep_apart(void **state) {
  (void)state;
  struct table *table = table_of_pairs(64, 1);
  struct curve_plot plot = spectrum;
  plot.marks[2] = (struct curve_mark){140000, "a little more"};
  plot.marks[3] = (struct curve_mark){1e9, "beyond"};
  static const char *const styles[] = {"default", "neurips", "ieee"};
  for (size_t i = 0; i < 3; i++) {
    struct figure figure =
        draw_table(table, &plot, &(struct figure_options){.style = styles[i]}, FIGURE_PNG);
    assert_true(script_has(&figure, "\nmarks = 4\n"));
    assert_true(script_element(&figure, "mark_value", 3) == 140000);
    struct pixels pixels = decode(&figure.picture);
    const double tick = 9.0 / 6 / pixels.height * figure.dpi / 10;
    for (size_t a = 1; a <= 4; a++)
      for (size_t b = 1; b < a; b++)
        assert_true(fabs(script_element(&figure, "mark_y", a) -
                         script_element(&figure, "mark_y", b)) > tick ||
                    fabs(script_element(&figure, "mark_x", a) -
                         script_element(&figure, "mark_x", b)) > 0.05);
    assert_true(script_element(&figure, "mark_y", 4) < script_element(&figure, "span_y", 1));
    double from, to;
    script_range(&figure, "yrange", &from, &to);
    assert_true(to > 1e9);
    free(pixels.rgb);
    figure_release(&figure);
  }
  /* Marks are thin and grey: nothing else is, and no dashed line is a mark. */
  struct figure vector = draw_table(table, &plot, &(struct figure_options){0}, FIGURE_SVG);
  assert_non_null(
      memmem(vector.picture.data, vector.picture.size, "stroke='rgb(128, 128, 128)'", 27));
  size_t dashed = 0;
  for (const char *place = vector.picture.data, *end = place + vector.picture.size;
       (place = memmem(place, (size_t)(end - place), "stroke-dasharray", 16)); place += 16)
    dashed++;
  assert_int_equal(dashed, 2); /* the second line and its key */
  figure_release(&vector);
  /* What a logarithmic axis cannot show is left out. */
  plot.marks[0].value = 0;
  plot.marks[3].value = NAN;
  struct figure figure = draw_table(table, &plot, &(struct figure_options){0}, FIGURE_SVG);
  assert_true(script_has(&figure, "\nmarks = 2\n"));
  figure_release(&figure);
  table_destroy(table);
}

/* Markers stand on solid lines, as long as they stand apart; of several series the dashed lines
   have some signs, too. */
/* Where a label would lie on the curve in one line, it takes two. */
static void long_labels_break_where_they_must(void **state) {
  (void)state;
  struct table *table = table_of_pairs(64, 1);
  struct curve_plot plot = spectrum;
  plot.marks[0].label = "original context 8192";
  plot.marks[1].label = "context 131072";
  /* As of Llama 3.1: divided by 8 from pair 35 on. */
  for (size_t pair = 0; pair < 64; pair++) {
    const double wavelength = 2 * M_PI * pow(500000, (double)pair / 64);
    table_set_real(table, pair, 2, wavelength * pow(8, fmin(1, fmax(0, ((double)pair - 28) / 7))));
    table_set_real(table, pair, 3, wavelength);
    assert_int_equal(table_set_text(table, pair, 4,
                                    pair < 29   ? "kept"
                                    : pair < 35 ? "blended"
                                                : "divided",
                                    NULL),
                     OK);
  }
  struct figure narrow =
      draw_table(table, &plot, &(struct figure_options){.width = 3.25}, FIGURE_SVG);
  assert_true(script_has(&narrow, "mark_text[1] = 'original' . \"\\n\" . 'context 8192'\n"));
  /* Below its line, where the curve has left. */
  assert_true(script_element(&narrow, "mark_x", 1) > script_number(&narrow, "panel_right") - 0.02);
  figure_release(&narrow);
  struct figure wide = draw_table(table, &plot, &(struct figure_options){.width = 6}, FIGURE_SVG);
  assert_true(script_has(&wide, "mark_text[1] = 'original context 8192'\n"));
  figure_release(&wide);
  table_destroy(table);
}

static void markers_stand_apart(void **state) {
  (void)state;
  static const struct {
    size_t pairs, series;
    const char *expected;
  } cases[] = {{64, 1, "\nmarked = 1\n"}, {64, 3, "\nmarked = 6\n"}, {1000, 1, "\nmarked = 0\n"}};
  for (size_t i = 0; i < 3; i++) {
    struct table *table = table_of_pairs(cases[i].pairs, cases[i].series);
    struct figure figure = draw_table(table, &spectrum, &(struct figure_options){0}, FIGURE_SVG);
    assert_true(script_has(&figure, cases[i].expected));
    assert_true(script_element(&figure, "key_marker", 1) == (i < 2));
    figure_release(&figure);
    table_destroy(table);
  }
}

/* The plot's own axes, and those of the options. */
static void logarithmic_axes_add_up(void **state) {
  (void)state;
  struct table *table = table_of_pairs(16, 1);
  struct curve_plot plot = spectrum;
  struct figure figure = draw_table(table, &plot, &(struct figure_options){0}, FIGURE_SVG);
  assert_true(script_has(&figure, "set logscale y") && !script_has(&figure, "set logscale x"));
  figure_release(&figure);
  figure = draw_table(table, &plot, &(struct figure_options){.log_x = true}, FIGURE_SVG);
  assert_true(script_has(&figure, "set logscale y") && script_has(&figure, "set logscale x"));
  figure_release(&figure);
  /* Four are infinite; pair 0 has no place on a logarithmic axis. */
  assert_int_equal(figure_left_out_table(table, &plot, &(struct figure_options){0}), 4);
  assert_int_equal(figure_left_out_table(table, &plot, &(struct figure_options){.log_x = true}), 6);
  plot.log_x = true;
  assert_int_equal(figure_left_out_table(table, &plot, &(struct figure_options){0}), 6);
  table_destroy(table);
}

static void wrong_spans_are_refused(void **state) {
  (void)state;
  struct table *table = table_of_pairs(100, 1);
  struct curve_plot plot = spectrum;
  struct figure figure;
  struct error error;
  const struct {
    const char *column, *message;
  } bad[] = {{"colour", "column 'colour' is not in the table"},
             {"wavelength", "column 'wavelength' holds numbers"},
             {"band", "more than 64 spans"}};
  for (size_t r = 0; r < 100; r++)
    assert_int_equal(table_set_text(table, r, 4, r % 2 ? "odd" : "even", NULL), OK);
  for (size_t i = 0; i < 3; i++) {
    plot.spans = bad[i].column;
    assert_int_equal(figure_draw_table(table, &plot, &(struct figure_options){0}, FIGURE_PNG, "f",
                                       &figure, &error),
                     ERROR_INPUT);
    assert_message(&error, bad[i].message);
  }
  plot.spans = NULL;
  plot.marks[0].label = "a\nb";
  assert_int_equal(figure_draw_table(table, &plot, &(struct figure_options){0}, FIGURE_PNG, "f",
                                     &figure, &error),
                   ERROR_INPUT);
  assert_message(&error, "mark: control character");
  table_destroy(table);
}

/* Texts out of files are drawn, never run; long ones are cut. */
static void texts_are_only_drawn(void **state) {
  (void)state;
  static const char *const texts[] = {
      "'; system('touch canary'); set title '", "`touch canary` \" @x _{a}",
      "\\input{x} $x$ # % ~ ^ { } ]]> <b>&", "α 旋转",
      "a long label, of which only the beginning fits into a panel"};
  struct table *table = table_of_pairs(16, 1);
  for (size_t t = 0; t < 5; t++) {
    struct curve_plot plot = spectrum;
    plot.marks[0].label = texts[t];
    for (size_t r = 4; r < 8; r++)
      assert_int_equal(table_set_text(table, r, 4, texts[t], NULL), OK);
    for (int format = FIGURE_PNG; format <= FIGURE_TEX; format++) {
      struct figure figure =
          draw_table(table, &plot, &(struct figure_options){0}, (enum figure_format)format);
      if (format == FIGURE_SVG)
        assert_true(is_wellformed(figure.picture.data, figure.picture.size));
      if (format == FIGURE_TEX)
        assert_null(memmem(figure.tex.data, figure.tex.size, "\\input{x", 8));
      figure_release(&figure);
    }
  }
  assert_int_equal(access("canary", F_OK), -1);
  table_destroy(table);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(upright_lines),
      cmocka_unit_test(upright_lines_are_kept_clear),
      cmocka_unit_test(numbers_of_the_raised_axis_have_room),
      cmocka_unit_test(a_single_pair_is_drawn),
      cmocka_unit_test(marks_have_labels_that_keep_apart),
      cmocka_unit_test(long_labels_break_where_they_must),
      cmocka_unit_test(markers_stand_apart),
      cmocka_unit_test(logarithmic_axes_add_up),
      cmocka_unit_test(wrong_spans_are_refused),
      cmocka_unit_test(texts_are_only_drawn),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

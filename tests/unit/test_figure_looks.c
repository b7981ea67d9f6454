/* How the lines of a figure of curves are told apart. */
#include "tests/unit/pictures.h"

/* A line over the others comes last, has no signs, and is dark on a light ground where it lies on
   the curve itself. */
static void lines_over_the_others_show(void **state) {
  (void)state;
  struct table *table = table_of_curves(2, 400);
  struct curve_plot plot = plain;
  plot.lines[0] = plot.lines[1] = "bound";
  plot.line_labels[0] = "curve";
  plot.line_labels[1] = "limit";
  for (int over = 0; over < 2; over++) {
    plot.look[1] = over ? CURVE_OVER : CURVE_SIGNED;
    struct figure figure = draw_table(table, &plot, &(struct figure_options){0}, FIGURE_PNG);
    assert_true(
        script_has(&figure, over ? "\nmarked = 2\nover = 2\n" : "\nmarked = 4\nover = 0\n"));
    assert_true(script_has(&figure, "\narray trace_dash[4] = [1, 1, 2, 2]\n"));
    struct pixels pixels = decode(&figure.picture);
    for (size_t i = 0; i < 2; i++) {
      const uint32_t half = palette_category(i, false) >> 1 & 0x7f7f7f;
      assert_true((count_pixels(&pixels, half) > 100) == over);
    }
    free(pixels.rgb);
    figure_release(&figure);
  }
  /* Also where other lines follow it in the plot. */
  plot.look[0] = CURVE_OVER;
  plot.look[1] = CURVE_SIGNED;
  struct figure figure = draw_table(table, &plot, &(struct figure_options){0}, FIGURE_PNG);
  assert_true(script_has(&figure, "\narray trace_dash[4] = [2, 2, 1, 1]\n"));
  figure_release(&figure);
  table_destroy(table);
}

/* Of three series two lines have a sign at each of five points and one has none; what they have in
   common is drawn once. The few values of x stand at their axis, and the kinds of lines below the
   series in the legend, or above the panel in rows of their own. */
static void kinds_of_lines_are_told_apart(void **state) {
  (void)state;
  struct table *table = table_of_curves(3, 5);
  struct curve_plot plot = plain;
  const char *const lines[] = {"bound", "high", "low", "distance"};
  for (size_t r = 0; r < 15; r++)
    table_set_integer(table, r, 1, INT64_C(1024) << r % 5);
  memcpy(plot.lines, lines, sizeof lines);
  plot.look[2] = CURVE_PLAIN;
  plot.look[3] = CURVE_COMMON;
  plot.markers = 2;
  plot.log_x = plot.log_y = true;
  static const char *const places[] = {"top-left", "above"};
  for (size_t i = 0; i < 2; i++) {
    struct figure figure =
        draw_table(table, &plot, &(struct figure_options){.legend = places[i]}, FIGURE_SVG);
    assert_true(script_has(&figure, "\nlines = 10\npoints = 0\nmarked = 6\n"));
    assert_true(script_has(&figure, "\narray trace_colour[10] = [1, 2, 3, 1, 2, 3, 1, 2, 3, 0]\n"));
    /* Nine lines and six of signs of five points each, and the one of all. */
    size_t points = 0;
    for (const char *c = figure.data.data; *c; c++)
      points += c[0] == '\n' && c != figure.data.data && c[-1] != '\n';
    assert_int_equal(points, 5 * (9 + 6 + 1));
    /* Keys of one colour have dashes of their own: all but those of the first line. */
    size_t dashed = 0;
    for (const char *c = figure.picture.data, *end = c + figure.picture.size;
         (c = memmem(c, (size_t)(end - c), "stroke-dasharray", 16)); c += 16)
      dashed++;
    assert_int_equal(dashed, 3 + 3 + 1 + 3);
    for (int x = 1024; x <= 16384; x *= 2) {
      char label[16];
      snprintf(label, sizeof label, "'%d' %d", x, x);
      assert_true(script_has(&figure, label));
    }
    const double below = script_element(&figure, "key_y", 3) - script_element(&figure, "key_y", 4);
    assert_true(below > (i ? 0
                           : 1.3 * (script_element(&figure, "key_y", 2) -
                                    script_element(&figure, "key_y", 3))));
    figure_release(&figure);
  }
  table_destroy(table);
}

/* The narrowest gap of any dashed line in an SVG. */
static double narrowest_gap(const struct figure *figure) {
  static const char mark[] = "stroke-dasharray='";
  double narrowest = INFINITY;
  for (const char *c = figure->picture.data, *end = c + figure->picture.size;
       (c = memmem(c, (size_t)(end - c), mark, sizeof mark - 1));) {
    char *next = (char *)c + sizeof mark - 2;
    bool gap = false;
    do {
      const double length = strtod(next + 1, &next);
      if (gap && length < narrowest) narrowest = length;
      gap = !gap;
    } while (*next == ',');
    c = next;
  }
  return narrowest;
}

/* The ends of dashes are round, and reach half the width of the line into the gap: where that is as
   narrow as the line is wide, dots are a solid line. */
static void gaps_of_dashes_are_open(void **state) {
  (void)state;
  struct table *table = table_of_curves(1, 50);
  struct curve_plot plot = plain;
  const char *const lines[] = {"bound", "high", "low", "other"};
  memcpy(plot.lines, lines, sizeof lines);
  static const char *const styles[] = {"default", "icml", "nature", "beamer"};
  for (size_t i = 0; i < sizeof styles / sizeof *styles; i++) {
    struct figure figure =
        draw_table(table, &plot, &(struct figure_options){.style = styles[i]}, FIGURE_SVG);
    const double width = script_number(&figure, "line_width") * 96 / 72,
                 gap = narrowest_gap(&figure);
    assert_true(isfinite(gap) && gap > 1.8 * width);
    figure_release(&figure);
  }
  table_destroy(table);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lines_over_the_others_show),
      cmocka_unit_test(kinds_of_lines_are_told_apart),
      cmocka_unit_test(gaps_of_dashes_are_open),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

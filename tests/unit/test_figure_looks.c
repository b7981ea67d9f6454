/* How the lines of a figure of curves are told apart. */
#include "tests/unit/pictures.h"

static bool has(const struct figure *figure, const char *text) {
  return strstr(figure->script.data, text) != NULL;
}

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
    assert_true(has(&figure, over ? "\nmarked = 2\nover = 2\n" : "\nmarked = 4\nover = 0\n"));
    assert_true(has(&figure, "\narray trace_dash[4] = [1, 1, 2, 2]\n"));
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
  assert_true(has(&figure, "\narray trace_dash[4] = [2, 2, 1, 1]\n"));
  figure_release(&figure);
  table_destroy(table);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lines_over_the_others_show),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

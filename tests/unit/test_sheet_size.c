/* Files have the very size of the sheet, whatever units gnuplot counts in. */
#include "tests/unit/pictures.h"

static const double widths[] = {3.25, 89 / 25.4, 3.33, 160 / 25.4, 358.5 / 72.27, 2.7};
enum { WIDTHS = sizeof widths / sizeof *widths };

/* The text of a file behind `key`. */
static const char *behind(const struct blob *file, const char *key) {
  const char *place = memmem(file->data, file->size, key, strlen(key));
  if (!place) fail_msg("no '%s' in the file", key);
  return place ? place + strlen(key) : NULL;
}

static void assert_points(double inches, double points) {
  if (!(fabs(72 * inches - points) < 1e-4))
    fail_msg("%.9g points are not %.9g", points, 72 * inches);
}

static struct figure draw_kind(int kind, double width, enum figure_format format) {
  const struct figure_options options = {.width = width, .height = 2.21, .dark = kind == 1};
  struct matrix *matrix = matrix_random(9, 9, 1);
  struct table *table = table_of_curves(2, 30);
  struct figure figure =
      kind ? draw_matrix(matrix, &options, format) : draw_table(table, &plain, &options, format);
  matrix_destroy(matrix);
  table_destroy(table);
  return figure;
}

static void pages_are_the_sheet(void **state) {
  (void)state;
  for (int kind = 0; kind < 2; kind++)
    for (size_t w = 0; w < WIDTHS; w++) {
      double width, height;
      struct figure figure = draw_kind(kind, widths[w], FIGURE_PDF);
      assert_int_equal(
          sscanf(behind(&figure.picture, "/MediaBox"), "[0 0 %lf %lf]", &width, &height), 2);
      assert_points(widths[w], width);
      assert_points(2.21, height);
      /* Everything is where the file says: it can be sealed. */
      struct error error;
      assert_int_equal(provenance_seal(FIGURE_PDF, 300, NULL, &figure.picture, &error), OK);
      figure_release(&figure);
    }
}

static void documents_make_room_for_the_sheet(void **state) {
  (void)state;
  for (size_t w = 0; w < WIDTHS; w++) {
    double width, height;
    struct figure figure = draw_kind(0, widths[w], FIGURE_TEX);
    assert_int_equal(sscanf(behind(&figure.picture, "/MediaBox"), "[0 0 %lf %lf]", &width, &height),
                     2);
    assert_points(widths[w], width);
    assert_int_equal(sscanf(behind(&figure.tex, "\\includegraphics[width={"),
                            "%lfbp},height={%lfbp}]{figure}", &width, &height),
                     2);
    assert_points(widths[w], width);
    assert_points(2.21, height);
    assert_int_equal(sscanf(behind(&figure.tex, "\\begin{picture}("), "%lf,%lf)", &width, &height),
                     2);
    assert_true(fabs(width / 20 - 72 * widths[w]) < 1e-3);
    assert_true(fabs(height / 20 - 72 * 2.21) < 1e-3);
    figure_release(&figure);
  }
}

static void pictures_state_the_sheet(void **state) {
  (void)state;
  for (size_t w = 0; w < WIDTHS; w++) {
    double width, height;
    struct figure figure = draw_kind(1, widths[w], FIGURE_SVG);
    assert_int_equal(
        sscanf(behind(&figure.picture, " width=\""), "%lfin\" height=\"%lfin\"", &width, &height),
        2);
    assert_true(fabs(width - widths[w]) < 1e-5 && height == 2.21);
    figure_release(&figure);
  }
}

/* The same dot lies at the same place of the sheet on a page and in an SVG. */
static void places_are_of_the_sheet(void **state) {
  (void)state;
  for (size_t w = 0; w < WIDTHS; w++) {
    struct figure page = draw_kind(0, widths[w], FIGURE_PDF);
    const double points = 72 * widths[w], right = script_number(&page, "panel_right");
    /* As far from the edge of the sheet as half of the last number needs, and no further. */
    assert_true(right * ceil(points - 1e-6) < points);
    assert_true(right * ceil(points - 1e-6) > points - 20);
    assert_true(script_number(&page, "title_y") * ceil(72 * 2.21) < 72 * 2.21);
    figure_release(&page);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pages_are_the_sheet),
      cmocka_unit_test(documents_make_room_for_the_sheet),
      cmocka_unit_test(pictures_state_the_sheet),
      cmocka_unit_test(places_are_of_the_sheet),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

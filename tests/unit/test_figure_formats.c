/* What a line and a sign look like in each format: the same. */
#include <zlib.h>

#include "tests/unit/pictures.h"

/* Style "icml": lines of one point, 300 dots an inch. */
static const struct figure_options icml = {.style = "icml", .legend = "none"};

/* Points of a dash and what follows it, of lines one point wide. */
static const double dash = 2.5, gap = 4;

/* Two level lines, the second dashed. */
static struct table *level_lines(void) {
  struct table *table = table_of_curves(1, 5);
  for (size_t r = 0; r < 5; r++) {
    table_set_real(table, r, 2, 1);
    table_set_real(table, r, 3, 2);
  }
  return table;
}

static struct figure draw_lines(enum figure_format format) {
  struct table *table = level_lines();
  struct curve_plot plot = plain;
  plot.lines[1] = "low";
  const struct figure figure = draw_table(table, &plot, &icml, format);
  table_destroy(table);
  return figure;
}

/* The first stream of a PDF: the page. */
static char *page_of(const struct blob *pdf) {
  static const char word[] = "stream\n";
  const char *start = memmem(pdf->data, pdf->size, word, strlen(word));
  assert_non_null(start);
  start += strlen(word);
  uLongf size = 1 << 20;
  char *page = calloc(1, size + 1);
  assert_non_null(page);
  z_stream inflater = {.next_in = (Bytef *)start,
                       .avail_in = (uInt)(pdf->size - (size_t)(start - pdf->data)),
                       .next_out = (Bytef *)page,
                       .avail_out = (uInt)size};
  assert_int_equal(inflateInit(&inflater), Z_OK);
  assert_int_equal(inflate(&inflater, Z_FINISH), Z_STREAM_END);
  inflateEnd(&inflater);
  return page;
}

static void dashes_are_as_long_in_pdf_and_tex(void **state) {
  (void)state;
  static const enum figure_format formats[] = {FIGURE_PDF, FIGURE_TEX};
  for (size_t i = 0; i < 2; i++) {
    struct figure figure = draw_lines(formats[i]);
    char *page = page_of(&figure.picture), expected[32];
    snprintf(expected, sizeof expected, "[ %g %g ", dash, gap);
    assert_non_null(strstr(page, expected));
    assert_non_null(strstr(page, " RG 1 w\n"));
    free(page);
    figure_release(&figure);
  }
}

static void dashes_are_as_long_in_svg(void **state) {
  (void)state;
  struct figure figure = draw_lines(FIGURE_SVG);
  const char *array = memmem(figure.picture.data, figure.picture.size, "stroke-dasharray='",
                             strlen("stroke-dasharray='"));
  assert_non_null(array);
  double on, off;
  assert_int_equal(sscanf(array, "stroke-dasharray='%lf,%lf'", &on, &off), 2);
  /* Of 96 to the inch, in tenths. */
  assert_true(fabs(on * 72 / 96 - dash) < 0.05 && fabs(off * 72 / 96 - gap) < 0.05);
  figure_release(&figure);
}

/* The pixels from one dash to the next are those of 6.5 points. */
static void dashes_are_as_long_in_png(void **state) {
  (void)state;
  struct figure figure = draw_lines(FIGURE_PNG);
  struct pixels pixels = decode(&figure.picture);
  const unsigned rgb = palette_category(1, false);
  unsigned most = 0, row = 0, starts = 0, first = 0, last = 0;
  for (unsigned y = 0; y < pixels.height; y++) {
    unsigned count = 0;
    for (unsigned x = 0; x < pixels.width; x++)
      count += pixel(&pixels, x, y) == rgb;
    if (count > most) most = count, row = y;
  }
  for (unsigned x = 1; x < pixels.width; x++)
    if (pixel(&pixels, x, row) == rgb && pixel(&pixels, x - 1, row) != rgb) {
      if (!starts++) first = x;
      last = x;
    }
  assert_true(starts > 10);
  const double period = (double)(last - first) / (starts - 1);
  assert_true(fabs(period * 72 / 300 - (dash + gap)) < 0.1);
  free(pixels.rgb);
  figure_release(&figure);
}

/* SVG draws signs of other shapes larger than circles and squares of their size: theirs is less. */
static void signs_are_as_large_in_svg(void **state) {
  (void)state;
  struct figure svg = draw_lines(FIGURE_SVG), pdf = draw_lines(FIGURE_PDF);
  static const char *const signs[] = {"point_size", "marker_size", "ground_size"};
  for (size_t i = 0; i < 3; i++) {
    const double wide = 6 * script_number(&pdf, signs[i]) + 0.8;
    assert_true(fabs(5.27 * script_number(&svg, signs[i]) - wide) < 0.01);
  }
  static const struct {
    const char *share;
    double wide; /* of its size in SVG, points */
  } shapes[] = {{"triangle_share", 6.73}, {"diamond_share", 7.09}, {"pentagon_share", 6.45}};
  for (size_t i = 0; i < 3; i++)
    assert_true(fabs(script_number(&svg, shapes[i].share) * shapes[i].wide - 5.27) < 0.25);
  figure_release(&svg);
  figure_release(&pdf);
}

/* On a page a triangle is a point less high than wide. With its stroke it takes as much of the
   paper as in a PNG, where it is as high. */
static void triangles_are_as_large_on_a_page(void **state) {
  (void)state;
  static const enum figure_format formats[] = {FIGURE_PDF, FIGURE_TEX};
  struct figure png = draw_lines(FIGURE_PNG);
  assert_true(script_number(&png, "triangle_share") == 1);
  for (size_t i = 0; i < 2; i++) {
    struct figure figure = draw_lines(formats[i]);
    const double size = script_number(&figure, "marker_size"),
                 wide = 6 * size * script_number(&figure, "triangle_share") + 0.8,
                 square = 6 * size + 0.8;
    assert_true(fabs(wide * (wide - 1) / (square * square) - 1) < 0.1);
    figure_release(&figure);
  }
  figure_release(&png);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(dashes_are_as_long_in_pdf_and_tex),
      cmocka_unit_test(dashes_are_as_long_in_svg),
      cmocka_unit_test(dashes_are_as_long_in_png),
      cmocka_unit_test(signs_are_as_large_in_svg),
      cmocka_unit_test(triangles_are_as_large_on_a_page),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

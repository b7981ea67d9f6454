/* Pictures for the tests of figures: drawing, decoding, and where the panel lies. */
#ifndef ROPETOOL_TESTS_PICTURES_H
#define ROPETOOL_TESTS_PICTURES_H

#include "tests/unit/ground.h"

#include <png.h>

#include "lib/figure/figure.h"
#include "lib/figure/palette.h"

/* A decoded PNG: (row, column, channel). */
struct pixels {
  unsigned width, height;
  unsigned char *rgb;
};

static inline struct pixels decode(const struct blob *picture) {
  png_image image = {.version = PNG_IMAGE_VERSION};
  assert_true(png_image_begin_read_from_memory(&image, picture->data, picture->size));
  image.format = PNG_FORMAT_RGB;
  struct pixels pixels = {image.width, image.height, malloc(PNG_IMAGE_SIZE(image))};
  assert_non_null(pixels.rgb);
  assert_true(png_image_finish_read(&image, NULL, pixels.rgb, 0, NULL));
  return pixels;
}

static inline unsigned pixel(const struct pixels *pixels, unsigned x, unsigned y) {
  const unsigned char *p = pixels->rgb + 3 * ((size_t)y * pixels->width + x);
  return (unsigned)p[0] << 16 | (unsigned)p[1] << 8 | p[2];
}

static inline size_t count_pixels(const struct pixels *pixels, unsigned rgb) {
  size_t count = 0;
  for (unsigned y = 0; y < pixels->height; y++)
    for (unsigned x = 0; x < pixels->width; x++)
      count += pixel(pixels, x, y) == rgb;
  return count;
}

/* The number that a variable of the figure's script has. */
static inline double script_number(const struct figure *figure, const char *variable) {
  char line[64];
  snprintf(line, sizeof line, "\n%s = ", variable);
  const char *place = strstr(figure->script.data, line);
  if (!place) fail_msg("no '%s' in the script", variable);
  return place ? strtod(place + strlen(line), NULL) : NAN;
}

/* That of an element of an array, from 1. */
static inline double script_element(const struct figure *figure, const char *array, size_t index) {
  char text[64];
  const int size = snprintf(text, sizeof text, "%s[%zu] = ", array, index);
  const char *script = figure->script.data, *place = strstr(script, text);
  while (place && place > script && !strchr("\n ", place[-1])) /* the end of a longer name */
    place = strstr(place + size, text);
  if (!place) fail_msg("no '%s' in the script", text);
  return place ? strtod(place + size, NULL) : NAN;
}

/* The ends of "xrange" or "yrange". */
static inline void script_range(const struct figure *figure, const char *range, double *low,
                                double *high) {
  char text[32];
  const int size = snprintf(text, sizeof text, "set %s [", range);
  const char *place = strstr(figure->script.data, text);
  assert_non_null(place);
  assert_int_equal(sscanf(place + size, "%lf:%lf]", low, high), 2);
}

static inline bool script_has(const struct figure *figure, const char *text) {
  return strstr(figure->script.data, text) != NULL;
}

struct rectangle {
  unsigned left, top, right, bottom; /* pixels; right and bottom are just outside */
};

/* The panel's pixels, from the screen fractions: gnuplot's 0 is in the middle of the first pixel.
 */
static inline struct rectangle panel_of(const struct figure *figure, const struct pixels *pixels) {
  const double across = pixels->width - 1, down = pixels->height - 1;
  return (struct rectangle){
      (unsigned)lround(script_number(figure, "panel_left") * across + 0.5),
      pixels->height - (unsigned)lround(script_number(figure, "panel_top") * down + 0.48),
      (unsigned)lround(script_number(figure, "panel_right") * across + 0.48),
      pixels->height - (unsigned)lround(script_number(figure, "panel_bottom") * down + 0.5)};
}

static inline struct matrix *matrix_random(size_t rows, size_t columns, uint64_t seed) {
  struct matrix *matrix = matrix_create(rows, columns, NULL);
  assert_non_null(matrix);
  strcpy(matrix->row_axis.label, "query position");
  strcpy(matrix->column_axis.label, "key position");
  strcpy(matrix->value_label, "score");
  matrix->row_axis.length = rows;
  matrix->column_axis.length = columns;
  for (size_t i = 0; i < rows * columns; i++)
    matrix->cells[i] = (double)(next_random(&seed) >> 11) * 0x1p-53 - 0.25;
  return matrix;
}

static inline struct figure draw_matrix(const struct matrix *matrix,
                                        const struct figure_options *options,
                                        enum figure_format format) {
  struct figure figure;
  struct error error;
  if (figure_draw_matrix(matrix, options, format, "figure", &figure, &error))
    fail_msg("%s", error.message);
  return figure;
}

/* `series` curves over distances 0..count−1, with a band about them. */
static inline struct table *table_of_curves(size_t series, size_t count) {
  struct table *table = table_create(NULL);
  static const char *const names[] = {"series", "distance", "bound", "low", "high", "other"};
  for (int c = 0; c < 6; c++)
    table_add_column(table, names[c],
                     c == 0   ? COLUMN_TEXT
                     : c == 1 ? COLUMN_INTEGER
                              : COLUMN_REAL,
                     NULL);
  assert_int_equal(table_add_rows(table, series * count, NULL), OK);
  for (size_t r = 0; r < series * count; r++) {
    char name[24];
    const double x = (double)(r % count),
                 y = (double)(1 + r / count) * 10 / (1 + x / 10) + sin(x / 3);
    snprintf(name, sizeof name, "base %zu", 10 * (r / count));
    assert_int_equal(table_set_text(table, r, 0, name, NULL), OK);
    table_set_integer(table, r, 1, (int64_t)x);
    table_set_real(table, r, 2, y);
    table_set_real(table, r, 3, y - 1);
    table_set_real(table, r, 4, y + 1);
    table_set_real(table, r, 5, -y);
  }
  return table;
}

static const struct curve_plot plain = {.x = "distance",
                                        .group = "series",
                                        .lines = {"bound"},
                                        .xlabel = "distance",
                                        .ylabel = "bound"};

static inline struct figure draw_table(const struct table *table, const struct curve_plot *plot,
                                       const struct figure_options *options,
                                       enum figure_format format) {
  struct figure figure;
  struct error error;
  if (figure_draw_table(table, plot, options, format, "figure", &figure, &error))
    fail_msg("%s", error.message);
  return figure;
}

#endif

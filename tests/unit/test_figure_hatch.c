/* Cells of maps that are set apart: pale, with strokes across them, and a line. */
#include "tests/unit/pictures.h"

enum { SIDE = 32, HALF = SIDE / 2 };

/* Its lower right quarter is hatched, from the line on. */
static struct matrix *quarter(enum matrix_range range) {
  struct matrix *matrix = matrix_random(SIDE, SIDE, 5);
  matrix->range = range;
  struct matrix_hatch *hatch = &matrix->hatch;
  hatch->cell = calloc((size_t)SIDE * SIDE, sizeof *hatch->cell);
  assert_non_null(hatch->cell);
  for (size_t i = 0; i < (size_t)SIDE * SIDE; i++)
    hatch->cell[i] = i / SIDE >= HALF && i % SIDE >= HALF;
  strcpy(hatch->column, "unseen");
  strcpy(hatch->label, "unseen");
  strcpy(hatch->row_label, "ends");
  hatch->row = HALF;
  return matrix;
}

static unsigned halfway(const uint8_t *rgb, unsigned paper) {
  unsigned mixed = 0;
  for (int c = 0; c < 3; c++)
    mixed = mixed << 8 | (unsigned)round((rgb[c] + paper) / 2.0);
  return mixed;
}

/* What of the panel, in cells from first to end, has its palette's colour; half of it in a pale
   one; or is darker (on a dark ground lighter) than any of these. */
struct seen {
  size_t full, pale, all;
};
static struct seen look(const struct figure *figure, const struct matrix *matrix, bool dark,
                        size_t first, size_t end) {
  struct pixels pixels = decode(&figure->picture);
  const struct rectangle panel = panel_of(figure, &pixels);
  struct palette palette;
  struct colour_scale scale;
  struct seen seen = {0};
  const struct colour_wish wish = {0};
  assert_int_equal(palette_find(palette_default(matrix->range), &palette, NULL), OK);
  assert_int_equal(colour_scale_fit((const struct matrix *const *)&matrix, 1, matrix->range, &wish,
                                    &scale, NULL),
                   OK);
  const unsigned width = (panel.right - panel.left) / SIDE,
                 height = (panel.bottom - panel.top) / SIDE;
  for (unsigned y = (unsigned)first * height; y < end * height; y++)
    for (unsigned x = (unsigned)first * width; x < end * width; x++) {
      const double value = matrix->cells[(y / height) * SIDE + x / width];
      const uint8_t *rgb = palette.rgb[colour_index(&scale, value)];
      const unsigned here = pixel(&pixels, panel.left + x, panel.top + y);
      seen.full += here == ((unsigned)rgb[0] << 16 | (unsigned)rgb[1] << 8 | rgb[2]);
      seen.pale += here == halfway(rgb, dark ? 0 : 255);
      seen.all++;
    }
  free(pixels.rgb);
  return seen;
}

/* In each kind of palette, on either ground: the hatched quarter is pale but for the strokes, the
   opposite one as it always is. */
static void hatched_cells_are_pale(void **state) {
  (void)state;
  static const enum matrix_range ranges[] = {MATRIX_SEQUENTIAL, MATRIX_DIVERGING, MATRIX_CYCLIC};
  for (size_t i = 0; i < 6; i++) {
    struct matrix *matrix = quarter(ranges[i / 2]);
    const bool dark = i % 2;
    struct figure figure =
        draw_matrix(matrix, &(struct figure_options){.dark = dark, .width = 3.25}, FIGURE_PNG);
    struct seen seen = look(&figure, matrix, dark, HALF + 1, SIDE);
    assert_true(seen.full < seen.all / 50);
    assert_true(seen.pale > seen.all / 2 && seen.pale < seen.all * 49 / 50);
    seen = look(&figure, matrix, dark, 0, HALF - 1);
    assert_int_equal(seen.full, seen.all);
    figure_release(&figure);
    matrix_destroy(matrix);
  }
}

/* Strokes lie in hatched cells alone: within a dot of them. */
static void strokes_stay_in_their_cells(void **state) {
  (void)state;
  struct matrix *matrix = quarter(MATRIX_SEQUENTIAL);
  struct figure figure = draw_matrix(matrix, &(struct figure_options){0}, FIGURE_PNG);
  const size_t count = (size_t)script_element(&figure, "strokes_count", 1);
  assert_true(count > 10);
  assert_true(figure.data.size > count * 4 * sizeof(double));
  const char *bytes = figure.data.data + figure.data.size - count * 4 * sizeof(double);
  for (size_t i = 0; i < count; i++) {
    double stroke[4];
    memcpy(stroke, bytes + i * sizeof stroke, sizeof stroke);
    for (int end = 0; end < 2; end++) {
      const double x = stroke[0] + end * stroke[2], y = stroke[1] + end * stroke[3];
      assert_true(x > HALF - 0.6 && x < SIDE - 0.4);
      assert_true(y > HALF - 0.6 && y < SIDE - 0.4);
    }
    assert_true(stroke[2] > 0 && stroke[3] < 0);
  }
  assert_non_null(strstr(figure.script.data, "line_text[1] = 'ends'"));
  assert_non_null(strstr(figure.script.data, "hatched: unseen"));
  figure_release(&figure);
  /* A label longer than the panel is the number alone. */
  strcpy(matrix->hatch.row_label, "a label of thirty-one bytes....");
  figure = draw_matrix(matrix, &(struct figure_options){.width = 2.6}, FIGURE_PNG);
  assert_non_null(strstr(figure.script.data, "line_text[1] = '16'"));
  figure_release(&figure);
  matrix_destroy(matrix);
}

/* The pale ground of the line before a row leaves the frame of the map whole. */
static void frames_stay_whole(void **state) {
  (void)state;
  struct matrix *matrix = quarter(MATRIX_SEQUENTIAL);
  struct figure figure = draw_matrix(matrix, &(struct figure_options){.style = "icml"}, FIGURE_PNG);
  struct pixels pixels = decode(&figure.picture);
  const unsigned x =
      (unsigned)lround(script_element(&figure, "frame_left", 1) * (pixels.width - 1));
  const double down = pixels.height - 1;
  const unsigned top = (unsigned)lround((1 - script_element(&figure, "frame_top", 1)) * down),
                 bottom = (unsigned)lround((1 - script_element(&figure, "frame_bottom", 1)) * down);
  for (unsigned y = top; y < bottom; y++)
    assert_int_equal(pixel(&pixels, x, y), 0);
  free(pixels.rgb);
  figure_release(&figure);
  matrix_destroy(matrix);
}

/* Every format; logarithmic colours have places of their own then. */
static void every_format_is_hatched(void **state) {
  (void)state;
  static const enum figure_format formats[] = {FIGURE_PNG, FIGURE_PDF, FIGURE_SVG, FIGURE_TEX};
  for (size_t i = 0; i < 8; i++) {
    struct matrix *matrix = quarter(MATRIX_SEQUENTIAL);
    const struct figure_options options = {.colours = {.logarithmic = i % 2}};
    struct figure figure = draw_matrix(matrix, &options, formats[i / 2]);
    assert_non_null(strstr(figure.script.data, "\ncolour_high = 2\n"));
    assert_null(strstr(figure.script.data, "set logscale cb"));
    figure_release(&figure);
    matrix_destroy(matrix);
  }
}

/* Nothing of it where no cell is set apart, and no line outside of the panel. */
static void plain_maps_stay(void **state) {
  (void)state;
  struct matrix *matrix = quarter(MATRIX_SEQUENTIAL);
  matrix->hatch.row = SIDE;
  struct figure figure = draw_matrix(matrix, &(struct figure_options){0}, FIGURE_PNG);
  assert_non_null(strstr(figure.script.data, "line_shown[1] = 0\n"));
  figure_release(&figure);
  free(matrix->hatch.cell);
  matrix->hatch = (struct matrix_hatch){0};
  figure = draw_matrix(matrix, &(struct figure_options){0}, FIGURE_PNG);
  assert_non_null(strstr(figure.script.data, "strokes_count[1] = 0\n"));
  assert_non_null(strstr(figure.script.data, "line_shown[1] = 0\n"));
  assert_null(strstr(figure.script.data, "hatched"));
  figure_release(&figure);
  matrix_destroy(matrix);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(hatched_cells_are_pale), cmocka_unit_test(strokes_stay_in_their_cells),
      cmocka_unit_test(frames_stay_whole),      cmocka_unit_test(every_format_is_hatched),
      cmocka_unit_test(plain_maps_stay),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "tests/unit/pictures.h"

#include "lib/figure/style.h"

/* Every pixel of the panel has its cell's colour out of the palette; cells of NaN are paper. */
static void assert_exact(const struct matrix *matrix, const struct figure_options *options,
                         unsigned paper) {
  struct figure figure = draw_matrix(matrix, options, FIGURE_PNG);
  struct pixels pixels = decode(&figure.picture);
  const struct rectangle panel = panel_of(&figure, &pixels);
  const unsigned width = panel.right - panel.left, height = panel.bottom - panel.top;
  struct palette palette;
  struct colour_scale scale;
  assert_int_equal(
      palette_find(options->palette ? options->palette : palette_default(matrix->range), &palette,
                   NULL),
      OK);
  assert_int_equal(colour_scale_fit(&matrix, 1, matrix->range, &options->colours, &scale, NULL),
                   OK);
  assert_int_equal(width % matrix->columns, 0);
  assert_int_equal(height % matrix->rows, 0);
  size_t wrong = 0;
  for (unsigned y = 0; y < height; y++)
    for (unsigned x = 0; x < width; x++) {
      const size_t row = y / (height / matrix->rows), column = x / (width / matrix->columns);
      const int index = colour_index(&scale, matrix->cells[row * matrix->columns + column]);
      const uint8_t *c = palette.rgb[index < 0 ? 0 : index];
      const unsigned expected =
          index < 0 ? paper : (unsigned)c[0] << 16 | (unsigned)c[1] << 8 | c[2];
      wrong += pixel(&pixels, panel.left + x, panel.top + y) != expected;
    }
  if (wrong)
    fail_msg("%zu of %u pixels of a map of %zu x %zu cells are wrong", wrong, width * height,
             matrix->rows, matrix->columns);
  free(pixels.rgb);
  figure_release(&figure);
}

static void pixels_are_the_palette(void **state) {
  (void)state;
  static const struct {
    size_t rows, columns;
    const char *style;
  } shapes[] = {{64, 64, "icml"},    {512, 512, "default"}, {3, 5, "nature"},     {1, 1, "default"},
                {7, 300, "neurips"}, {100, 30, "ieee"},     {512, 64, "beamer"},  {1, 7, "icml"},
                {7, 1, "icml"},      {1, 512, "default"},   {512, 1, "neurips"},  {1, 2, "nature"},
                {2, 1, "default"},   {2, 2, "icml-full"},   {511, 511, "neurips"}};
  for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
    struct matrix *matrix = matrix_random(shapes[i].rows, shapes[i].columns, 7 + i);
    assert_exact(matrix, &(struct figure_options){.style = shapes[i].style}, 0xffffff);
    matrix_destroy(matrix);
  }
}

/* Maps of a single row or column are pictures in the other formats too: one of the cells, one of
   the colour bar. */
static void narrow_maps_are_drawn(void **state) {
  (void)state;
  static const size_t shapes[][2] = {{1, 1}, {1, 9}, {9, 1}, {2, 2}};
  for (size_t i = 0; i < 4; i++) {
    struct matrix *matrix = matrix_random(shapes[i][0], shapes[i][1], 3);
    struct figure figure = draw_matrix(matrix, &(struct figure_options){0}, FIGURE_SVG);
    size_t images = 0;
    for (const char *place = figure.picture.data, *end = place + figure.picture.size;
         (place = memmem(place, (size_t)(end - place), "<image ", 7)); place += 7)
      images++;
    assert_int_equal(images, 2);
    figure_release(&figure);
    static const enum figure_format formats[] = {FIGURE_PDF, FIGURE_TEX};
    for (size_t f = 0; f < 2; f++) {
      figure = draw_matrix(matrix, &(struct figure_options){0}, formats[f]);
      images = 0;
      for (const char *place = figure.picture.data, *end = place + figure.picture.size;
           (place = memmem(place, (size_t)(end - place), "/Subtype /Image", 15)); place += 15)
        images++;
      assert_true(images >= 2);
      figure_release(&figure);
    }
    matrix_destroy(matrix);
  }
}

static void pixels_are_the_palette_in_any_size(void **state) {
  (void)state;
  struct matrix *matrix = matrix_random(37, 41, 3);
  matrix->range = MATRIX_DIVERGING;
  matrix->cells[5] = INFINITY;
  matrix->cells[6] = -INFINITY;
  static const struct figure_options options[] = {{.width = 4, .height = 2, .title = "wide"},
                                                  {.width = 3, .height = 5, .dpi = 123},
                                                  {.dpi = 72, .xlabel = "", .ylabel = ""},
                                                  {.font_size = 20, .width = 5, .palette = "magma"},
                                                  {.font = "Helvetica", .title = "α", .dpi = 97},
                                                  {.width = 2.5, .dpi = 301, .palette = "cycle"}};
  for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
    assert_exact(matrix, &options[i], 0xffffff);
  matrix_destroy(matrix);
}

static void masked_cells_are_paper(void **state) {
  (void)state;
  struct matrix *matrix = matrix_random(48, 48, 11);
  for (size_t row = 0; row < 48; row++)
    for (size_t column = row + 1; column < 48; column++)
      matrix->cells[row * 48 + column] = NAN;
  assert_exact(matrix, &(struct figure_options){0}, 0xffffff);
  assert_exact(matrix, &(struct figure_options){.dark = true}, 0x16181d);
  matrix_destroy(matrix);
}

static void logarithmic_colours_are_exact(void **state) {
  (void)state;
  struct matrix *matrix = matrix_random(64, 64, 5);
  for (size_t i = 0; i < 64 * 64; i++)
    matrix->cells[i] = exp(40 * matrix->cells[i]);
  matrix->cells[3] = 0;
  matrix->cells[4] = -1;
  const struct figure_options options = {.colours.logarithmic = true};
  assert_exact(matrix, &options, 0xffffff);
  struct figure figure = draw_matrix(matrix, &options, FIGURE_PNG);
  const double *cells = (const double *)figure.data.data;
  assert_true(isnan(cells[0]) == false && isnan(cells[3]) && isnan(cells[4]));
  figure_release(&figure);
  matrix_destroy(matrix);
}

static void what_is_left_out_is_counted(void **state) {
  (void)state;
  struct matrix *matrix = matrix_random(4, 4, 5);
  for (size_t i = 0; i < 16; i++)
    matrix->cells[i] = (double)i - 3;
  matrix->cells[0] = -INFINITY;
  matrix->cells[9] = NAN;
  matrix->cells[10] = INFINITY;
  assert_int_equal(
      figure_left_out_matrix(matrix, &(struct figure_options){.colours.logarithmic = true}), 4);
  assert_int_equal(figure_left_out_matrix(matrix, &(struct figure_options){.log_x = true}), 0);
  matrix_destroy(matrix);
}

static void extreme_values_are_exact(void **state) {
  (void)state;
  static const double factors[] = {1e-280, 1e-12, 1e12, 1e290};
  for (size_t f = 0; f < 4; f++) {
    struct matrix *matrix = matrix_random(16, 16, 5);
    for (size_t i = 0; i < 256; i++)
      matrix->cells[i] *= factors[f];
    assert_exact(matrix, &(struct figure_options){0}, 0xffffff);
    matrix_destroy(matrix);
  }
  struct matrix *matrix = matrix_random(16, 16, 5);
  for (size_t i = 0; i < 256; i++)
    matrix->cells[i] = 1e9 + 100 * matrix->cells[i];
  assert_exact(matrix, &(struct figure_options){0}, 0xffffff);
  for (size_t i = 0; i < 256; i++)
    matrix->cells[i] = 0;
  assert_exact(matrix, &(struct figure_options){0}, 0xffffff);
  matrix_destroy(matrix);
}

/* The first row is at the top, the first column on the left. */
static void first_cell_is_at_the_top_left(void **state) {
  (void)state;
  struct matrix *matrix = matrix_random(2, 2, 1);
  for (size_t i = 0; i < 4; i++)
    matrix->cells[i] = (double)i;
  const struct figure_options options = {.palette = "gray"};
  struct figure figure = draw_matrix(matrix, &options, FIGURE_PNG);
  struct pixels pixels = decode(&figure.picture);
  const struct rectangle panel = panel_of(&figure, &pixels);
  assert_int_equal(pixel(&pixels, panel.left, panel.top), 0x000000);
  assert_int_equal(pixel(&pixels, panel.right - 1, panel.top), 0x555555);
  assert_int_equal(pixel(&pixels, panel.left, panel.bottom - 1), 0xaaaaaa);
  assert_int_equal(pixel(&pixels, panel.right - 1, panel.bottom - 1), 0xffffff);
  free(pixels.rgb);
  figure_release(&figure);
  matrix_destroy(matrix);
}

static void reduced_axes_count_positions(void **state) {
  (void)state;
  struct matrix *matrix = matrix_random(100, 100, 9);
  matrix->row_axis.length = matrix->column_axis.length = 8192;
  assert_exact(matrix, &(struct figure_options){0}, 0xffffff);
  struct figure figure = draw_matrix(matrix, &(struct figure_options){0}, FIGURE_PNG);
  assert_non_null(strstr(figure.script.data, "set xrange [-0.5:8191.5]\nset yrange [8191.5:-0.5]"));
  assert_non_null(strstr(figure.script.data, "= 8000; x_tic_level"));
  assert_true(script_number(&figure, "step_x") * script_number(&figure, "columns") == 8192);
  figure_release(&figure);
  matrix_destroy(matrix);
}

/* Of an SVG with more rows than dots, which viewers smooth, columns keep their edges. */
static void few_cells_keep_their_edges_in_svg(void **state) {
  (void)state;
  static const char mark[] = "image-rendering:pixelated";
  for (size_t i = 0; i < 3; i++) {
    struct matrix *matrix = matrix_random(i == 1 ? 16 : 600, i == 0 ? 16 : 600, 3);
    if (i == 2) matrix->columns = matrix->rows = matrix->row_axis.length = 20;
    matrix->column_axis.length = matrix->columns;
    struct figure figure =
        draw_matrix(matrix, &(struct figure_options){.style = "icml"}, FIGURE_SVG);
    const double columns = script_number(&figure, "columns"), rows = script_number(&figure, "rows");
    assert_true(i == 0 ? columns > 500 : columns == (double)matrix->columns);
    assert_true(i == 1 ? rows > 300 : rows == (double)matrix->rows);
    const bool kept = memmem(figure.picture.data, figure.picture.size, mark, strlen(mark)) != NULL;
    assert_true(kept == (i == 2));
    figure_release(&figure);
    matrix_destroy(matrix);
  }
}

static void sizes_are_the_styles(void **state) {
  (void)state;
  struct matrix *matrix = matrix_random(10, 10, 9);
  static const char *const names[] = {"default", "icml", "nature", "acl-full"};
  for (size_t i = 0; i < 4; i++) {
    const char *name = names[i];
    struct style style;
    assert_int_equal(style_find(name, &style, NULL), OK);
    struct figure figure = draw_matrix(matrix, &(struct figure_options){.style = name}, FIGURE_PNG);
    struct pixels pixels = decode(&figure.picture);
    assert_true(figure.dpi == style.dpi);
    assert_int_equal(pixels.width, lround(style.width * style.dpi));
    free(pixels.rgb);
    figure_release(&figure);
  }
  const struct figure_options options = {.width = 3, .height = 2.5, .dpi = 150};
  struct figure figure = draw_matrix(matrix, &options, FIGURE_PNG);
  struct pixels pixels = decode(&figure.picture);
  assert_int_equal(pixels.width, 450);
  assert_int_equal(pixels.height, 375);
  free(pixels.rgb);
  figure_release(&figure);
  matrix_destroy(matrix);
}

/* More cells than pixels: the resolution grows, the size on paper does not. */
static void many_cells_raise_the_resolution(void **state) {
  (void)state;
  struct matrix *matrix = matrix_random(1024, 1024, 9);
  assert_exact(matrix, &(struct figure_options){.style = "icml"}, 0xffffff);
  struct figure figure = draw_matrix(matrix, &(struct figure_options){.style = "icml"}, FIGURE_PNG);
  struct pixels pixels = decode(&figure.picture);
  assert_true(figure.dpi > 300 && figure.dpi < 600);
  assert_true(fabs(pixels.width / figure.dpi - 3.25) < 0.01);
  free(pixels.rgb);
  figure_release(&figure);
  struct error error;
  const struct figure_options fixed = {.style = "icml", .dpi = 300};
  assert_int_equal(figure_draw_matrix(matrix, &fixed, FIGURE_PNG, "f", &figure, &error),
                   ERROR_INPUT);
  assert_message(&error, "cannot show 1024 x 1024 cells at 300 dpi; raise it to ");
  matrix_destroy(matrix);
  matrix = matrix_random(2049, 4, 9);
  assert_int_equal(
      figure_draw_matrix(matrix, &(struct figure_options){0}, FIGURE_PNG, "f", &figure, &error),
      ERROR_INPUT);
  assert_message(&error, "2049 x 4 cells is too large");
  matrix_destroy(matrix);
}

/* The colour bar stands as high as the panel and shows the whole palette. */
static void colour_bar_is_aligned(void **state) {
  (void)state;
  struct matrix *matrix = matrix_random(64, 64, 2);
  struct figure figure = draw_matrix(matrix, &(struct figure_options){.style = "icml"}, FIGURE_PNG);
  struct pixels pixels = decode(&figure.picture);
  const struct rectangle panel = panel_of(&figure, &pixels);
  const double middle =
      (script_number(&figure, "bar_left") + script_number(&figure, "bar_right")) / 2;
  const unsigned x = (unsigned)(middle * (pixels.width - 1) + 0.5);
  struct palette palette;
  assert_int_equal(palette_find("viridis", &palette, NULL), OK);
  const uint8_t *low = palette.rgb[0], *high = palette.rgb[255];
  assert_int_equal(pixel(&pixels, x, panel.bottom - 1),
                   (unsigned)low[0] << 16 | (unsigned)low[1] << 8 | low[2]);
  assert_int_equal(pixel(&pixels, x, panel.top),
                   (unsigned)high[0] << 16 | (unsigned)high[1] << 8 | high[2]);
  assert_int_equal(pixel(&pixels, x, panel.top - 1), 0);
  assert_int_equal(pixel(&pixels, x, panel.bottom), 0);
  free(pixels.rgb);
  figure_release(&figure);
  matrix_destroy(matrix);
}

/* A signed map in logarithms has the colours of its scale, which leaves nothing out. */
static void signed_logarithms_are_exact(void **state) {
  (void)state;
  struct matrix *matrix = matrix_random(64, 64, 5);
  for (size_t i = 0; i < 64 * 64; i++)
    matrix->cells[i] = copysign(exp(20 * fabs(matrix->cells[i])), matrix->cells[i]);
  matrix->cells[3] = 0;
  matrix->cells[4] = NAN;
  matrix->range = MATRIX_DIVERGING;
  const struct figure_options options = {.colours = {.logarithmic = true}};
  assert_exact(matrix, &options, 0xffffff);
  assert_int_equal(figure_left_out_matrix(matrix, &options), 0);
  struct figure figure = draw_matrix(matrix, &options, FIGURE_SVG);
  assert_non_null(strstr(figure.script.data, "= '−10⁶'"));
  assert_null(strstr(figure.script.data, "set logscale cb"));
  figure_release(&figure);
  matrix_destroy(matrix);
}

/* Cells beyond a range that was asked for have the colours of its ends, and the bar has arrows
   there; the data of the script are the colours', those of the map stay what they are. */
static void ends_that_cells_lie_beyond_are_arrows(void **state) {
  (void)state;
  struct matrix *matrix = matrix_random(40, 40, 5);
  matrix->cells[0] = 1e6;
  struct figure_options options = {.style = "icml"};
  assert_int_equal(colour_range_parse("-1:99%", &options.colours, NULL), OK);
  assert_exact(matrix, &options, 0xffffff);
  struct figure figure = draw_matrix(matrix, &options, FIGURE_PNG);
  struct pixels pixels = decode(&figure.picture);
  const struct rectangle panel = panel_of(&figure, &pixels);
  assert_true(script_number(&figure, "bar_above") == 1);
  assert_true(script_number(&figure, "bar_below") == 0);
  assert_true(script_number(&figure, "bar_bottom") == script_number(&figure, "panel_bottom"));
  assert_true(script_number(&figure, "bar_top") < script_number(&figure, "panel_top"));
  const double middle =
      (script_number(&figure, "bar_left") + script_number(&figure, "bar_right")) / 2;
  const unsigned x = (unsigned)(middle * (pixels.width - 1) + 0.5);
  const unsigned left = (unsigned)lround(script_number(&figure, "bar_left") * pixels.width + 1);
  struct palette palette;
  assert_int_equal(palette_find("viridis", &palette, NULL), OK);
  const uint8_t *high = palette.rgb[255];
  const unsigned colour = (unsigned)high[0] << 16 | (unsigned)high[1] << 8 | high[2];
  /* Within the arrow, and paper beside its tip. */
  assert_int_equal(pixel(&pixels, x, panel.top + 8), colour);
  assert_int_equal(pixel(&pixels, left, panel.top + 2), 0xffffff);
  free(pixels.rgb);
  figure_release(&figure);
  assert_int_equal(colour_range_parse("-1:2e6", &options.colours, NULL), OK);
  figure = draw_matrix(matrix, &options, FIGURE_PNG);
  assert_true(script_number(&figure, "bar_above") == 0);
  assert_true(script_number(&figure, "bar_top") == script_number(&figure, "panel_top"));
  figure_release(&figure);
  matrix_destroy(matrix);
}

/* The letter of a narrow map stands over its labels, unless a title takes that place. */
static void letters_stand_over_the_labels(void **state) {
  (void)state;
  struct matrix *matrix = matrix_random(8, 8, 5);
  struct figure_options options = {.width = 5, .height = 2, .letter = "a", .title = "short"};
  struct figure figure = draw_matrix(matrix, &options, FIGURE_SVG);
  const double over = script_number(&figure, "letter_x");
  assert_true(over > 0.1 && over < script_number(&figure, "ylabel_x"));
  figure_release(&figure);
  options.title = "a title that is nearly as long as the sheet is wide";
  figure = draw_matrix(matrix, &options, FIGURE_SVG);
  assert_true(script_number(&figure, "letter_x") < 0.01);
  figure_release(&figure);
  matrix_destroy(matrix);
}

/* Numbers beside the bar stay apart, however low it is. */
static void low_bars_have_few_numbers(void **state) {
  (void)state;
  struct matrix *matrix = matrix_random(8, 40, 5);
  matrix->range = MATRIX_DIVERGING;
  for (int logarithmic = 0; logarithmic < 2; logarithmic++)
    for (int step = 0; step < 6; step++) {
      const double height = 1.2 + 0.3 * step;
      const struct figure_options options = {
          .width = 3.25, .height = height, .colours = {.logarithmic = logarithmic}};
      struct figure figure = draw_matrix(matrix, &options, FIGURE_SVG);
      double last = -1;
      for (size_t i = 1; i <= (size_t)script_number(&figure, "bar_tics"); i++) {
        char variable[32];
        snprintf(variable, sizeof variable, "bar_text[%zu]", i);
        const char *text = strstr(figure.script.data, variable);
        assert_non_null(text);
        if (strncmp(text + strlen(variable), " = ''", 5) == 0) continue;
        snprintf(variable, sizeof variable, "bar_y[%zu]", i);
        const double y = script_number(&figure, variable) * height * 72;
        if (!logarithmic && last >= 0) assert_true(y - last > 9);
        last = y;
      }
      assert_true(last >= 0);
      figure_release(&figure);
    }
  matrix_destroy(matrix);
}

/* A map of which there is little to see is noticed. */
static void few_colours_are_noticed(void **state) {
  (void)state;
  struct error error;
  struct map_colours colours;
  struct matrix *matrix = matrix_random(40, 40, 5);
  const struct matrix *first = matrix;
  const struct panel_set set = {.matrix = &first, .count = 1};
  struct figure_options options = {0};
  assert_int_equal(figure_map_colours(&set, &options, &colours, &error), OK);
  assert_int_equal(colours.few, 0);
  matrix->cells[7] = 1e4;
  assert_int_equal(figure_map_colours(&set, &options, &colours, &error), OK);
  assert_int_equal(colours.few, 1);
  assert_int_equal(colours.panel, 0);
  assert_int_equal(colour_range_parse("0%:99%", &options.colours, NULL), OK);
  assert_int_equal(figure_map_colours(&set, &options, &colours, &error), OK);
  assert_int_equal(colours.few, 0);
  assert_int_equal(colours.beyond.above, 16);
  matrix_destroy(matrix);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pixels_are_the_palette),
      cmocka_unit_test(narrow_maps_are_drawn),
      cmocka_unit_test(pixels_are_the_palette_in_any_size),
      cmocka_unit_test(masked_cells_are_paper),
      cmocka_unit_test(logarithmic_colours_are_exact),
      cmocka_unit_test(what_is_left_out_is_counted),
      cmocka_unit_test(extreme_values_are_exact),
      cmocka_unit_test(first_cell_is_at_the_top_left),
      cmocka_unit_test(reduced_axes_count_positions),
      cmocka_unit_test(few_cells_keep_their_edges_in_svg),
      cmocka_unit_test(sizes_are_the_styles),
      cmocka_unit_test(many_cells_raise_the_resolution),
      cmocka_unit_test(colour_bar_is_aligned),
      cmocka_unit_test(signed_logarithms_are_exact),
      cmocka_unit_test(ends_that_cells_lie_beyond_are_arrows),
      cmocka_unit_test(letters_stand_over_the_labels),
      cmocka_unit_test(low_bars_have_few_numbers),
      cmocka_unit_test(few_colours_are_noticed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

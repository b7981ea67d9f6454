#include "tests/unit/ground.h"

#include <png.h>

#include "lib/figure/figure.h"
#include "lib/figure/palette.h"
#include "lib/figure/style.h"

/* A decoded PNG: (row, column, channel). */
struct pixels {
  unsigned width, height;
  unsigned char *rgb;
};

static struct pixels decode(const struct blob *picture) {
  png_image image = {.version = PNG_IMAGE_VERSION};
  assert_true(png_image_begin_read_from_memory(&image, picture->data, picture->size));
  image.format = PNG_FORMAT_RGB;
  struct pixels pixels = {image.width, image.height, malloc(PNG_IMAGE_SIZE(image))};
  assert_non_null(pixels.rgb);
  assert_true(png_image_finish_read(&image, NULL, pixels.rgb, 0, NULL));
  return pixels;
}

static unsigned pixel(const struct pixels *pixels, unsigned x, unsigned y) {
  const unsigned char *p = pixels->rgb + 3 * ((size_t)y * pixels->width + x);
  return (unsigned)p[0] << 16 | (unsigned)p[1] << 8 | p[2];
}

static size_t count_pixels(const struct pixels *pixels, unsigned rgb) {
  size_t count = 0;
  for (unsigned y = 0; y < pixels->height; y++)
    for (unsigned x = 0; x < pixels->width; x++)
      count += pixel(pixels, x, y) == rgb;
  return count;
}

/* The number that a variable of the figure's script has. */
static double script_number(const struct figure *figure, const char *variable) {
  char line[64];
  snprintf(line, sizeof line, "\n%s = ", variable);
  const char *place = strstr(figure->script.data, line);
  if (!place) fail_msg("no '%s' in the script", variable);
  return strtod(place + strlen(line), NULL);
}

struct rectangle {
  unsigned left, top, right, bottom; /* pixels; right and bottom are just outside */
};

/* The panel's pixels, from the screen fractions: gnuplot's 0 is in the middle of the first pixel.
 */
static struct rectangle panel_of(const struct figure *figure, const struct pixels *pixels) {
  const double across = pixels->width - 1, down = pixels->height - 1;
  return (struct rectangle){
      (unsigned)lround(script_number(figure, "panel_left") * across + 0.5),
      pixels->height - (unsigned)lround(script_number(figure, "panel_top") * down + 0.48),
      (unsigned)lround(script_number(figure, "panel_right") * across + 0.48),
      pixels->height - (unsigned)lround(script_number(figure, "panel_bottom") * down + 0.5)};
}

static struct matrix *matrix_random(size_t rows, size_t columns, uint64_t seed) {
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

static struct figure draw_matrix(const struct matrix *matrix, const struct figure_options *options,
                                 enum figure_format format) {
  struct figure figure;
  struct error error;
  if (figure_draw_matrix(matrix, options, format, "figure", &figure, &error))
    fail_msg("%s", error.message);
  return figure;
}

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
  assert_int_equal(colour_scale_fit(matrix, options->log_c, &scale, NULL), OK);
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
    fail_msg("%zu of %u pixels of a map of %zu × %zu cells are wrong", wrong, width * height,
             matrix->rows, matrix->columns);
  free(pixels.rgb);
  figure_release(&figure);
}

static void pixels_are_the_palette(void **state) {
  (void)state;
  static const struct {
    size_t rows, columns;
    const char *style;
  } shapes[] = {{64, 64, "icml"},    {512, 512, "default"}, {3, 5, "nature"},
                {1, 1, "default"},   {7, 300, "neurips"},   {100, 30, "ieee"},
                {512, 64, "beamer"}, {2, 2, "icml-full"},   {511, 511, "neurips"}};
  for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
    struct matrix *matrix = matrix_random(shapes[i].rows, shapes[i].columns, 7 + i);
    assert_exact(matrix, &(struct figure_options){.style = shapes[i].style}, 0xffffff);
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
  assert_exact(matrix, &(struct figure_options){.log_c = true}, 0xffffff);
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
  assert_non_null(strstr(figure.script.data, "'8000' 8000 0"));
  assert_true(script_number(&figure, "step_x") * script_number(&figure, "columns") == 8192);
  figure_release(&figure);
  matrix_destroy(matrix);
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
  assert_message(&error, "cannot show 1024 × 1024 cells at 300 dpi; raise it to ");
  matrix_destroy(matrix);
  matrix = matrix_random(2049, 4, 9);
  assert_int_equal(
      figure_draw_matrix(matrix, &(struct figure_options){0}, FIGURE_PNG, "f", &figure, &error),
      ERROR_INPUT);
  assert_message(&error, "2049 × 4 cells is too large");
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

/* `series` curves over distances 0..count−1, with a band about them. */
static struct table *table_of_curves(size_t series, size_t count) {
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

static struct figure draw_table(const struct table *table, const struct curve_plot *plot,
                                const struct figure_options *options, enum figure_format format) {
  struct figure figure;
  struct error error;
  if (figure_draw_table(table, plot, options, format, "figure", &figure, &error))
    fail_msg("%s", error.message);
  return figure;
}

static void curves_have_their_colours(void **state) {
  (void)state;
  struct table *table = table_of_curves(3, 100);
  for (int dark = 0; dark < 2; dark++) {
    struct figure figure =
        draw_table(table, &plain, &(struct figure_options){.dark = dark}, FIGURE_PNG);
    struct pixels pixels = decode(&figure.picture);
    assert_int_equal(pixel(&pixels, 0, 0), dark ? 0x16181d : 0xffffff);
    for (size_t i = 0; i < PALETTE_CATEGORIES; i++)
      assert_true((count_pixels(&pixels, palette_category(i, dark)) > 100) == (i < 3));
    free(pixels.rgb);
    figure_release(&figure);
  }
  table_destroy(table);
}

static void bands_lines_and_points_are_drawn(void **state) {
  (void)state;
  struct table *table = table_of_curves(2, 50), *overlay = table_of_curves(1, 5);
  struct curve_plot plot = plain;
  plot.low[0] = "low";
  plot.high[0] = "high";
  plot.lines[1] = "other";
  plot.line_labels[0] = "bound";
  plot.band_labels[0] = "range";
  plot.overlay = overlay;
  plot.overlay_x = "distance";
  plot.overlay_y = "bound";
  plot.overlay_label = "measured";
  struct figure figure = draw_table(table, &plot, &(struct figure_options){0}, FIGURE_PNG);
  assert_non_null(strstr(figure.script.data, "\nbands = 2\nlines = 4\npoints = 1\n"));
  assert_non_null(strstr(figure.script.data, "\nkeys = 6\n"));
  assert_true(script_number(&figure, "zero_line") == 1);
  /* Seven blocks, two empty lines between them. */
  size_t blocks = 1;
  for (const char *c = figure.data.data; (c = strstr(c, "\n\n\n")); c += 3)
    blocks++;
  assert_int_equal(blocks, 7);
  struct pixels pixels = decode(&figure.picture);
  /* A quarter of the first category over white. */
  size_t shaded = 0;
  for (int level = 0xdb; level <= 0xdd; level++)
    for (int blue = 0xeb; blue <= 0xed; blue++)
      shaded += count_pixels(&pixels, 0xbf0000U | (unsigned)level << 8 | (unsigned)blue);
  assert_true(shaded > 100);
  free(pixels.rgb);
  figure_release(&figure);
  table_destroy(table);
  table_destroy(overlay);
}

/* Values that are missing break a curve; one alone is a dot. */
static void missing_values_break_lines(void **state) {
  (void)state;
  struct table *table = table_of_curves(1, 9);
  static const double values[] = {1, 2, NAN, 2, NAN, NAN, INFINITY, 1, 2};
  for (size_t r = 0; r < 9; r++)
    table_set_real(table, r, 2, values[r]);
  struct figure figure = draw_table(table, &plain, &(struct figure_options){0}, FIGURE_PNG);
  assert_string_equal(figure.data.data, "0 1\n1 2\n\n3 2\n\n7 1\n8 2\n");
  figure_release(&figure);
  figure = draw_table(table, &plain, &(struct figure_options){.log_x = true}, FIGURE_PNG);
  assert_string_equal(figure.data.data, "1 2\n\n3 2\n\n7 1\n8 2\n");
  figure_release(&figure);
  table_destroy(table);
  table = table_of_curves(1, 1);
  figure = draw_table(table, &plain, &(struct figure_options){0}, FIGURE_PNG);
  struct pixels pixels = decode(&figure.picture);
  assert_true(count_pixels(&pixels, palette_category(0, 0)) > 0);
  free(pixels.rgb);
  figure_release(&figure);
  table_destroy(table);
}

/* Many points become a few thousand; no extreme is lost. */
static void many_points_are_thinned_to_their_extremes(void **state) {
  (void)state;
  enum { COUNT = 200000 };
  struct table *table = table_of_curves(1, COUNT);
  table_set_real(table, 123457, 2, 4096.125);
  table_set_real(table, 165432, 2, -77.0625);
  struct figure figure = draw_table(table, &plain, &(struct figure_options){0}, FIGURE_PNG);
  assert_true(figure.data.size < 400000);
  assert_non_null(strstr(figure.data.data, "\n123457 4096.125\n"));
  assert_non_null(strstr(figure.data.data, "\n165432 -77.0625\n"));
  assert_memory_equal(figure.data.data, "0 10\n", 5);
  assert_non_null(strstr(figure.data.data, "\n199999 "));
  figure_release(&figure);
  figure =
      draw_table(table, &plain, &(struct figure_options){.log_x = true, .log_y = true}, FIGURE_SVG);
  assert_non_null(strstr(figure.data.data, "\n123457 4096.125\n"));
  assert_true(figure.data.size < 400000);
  figure_release(&figure);
  table_destroy(table);
}

/* y of the first entry of the legend against the top of the panel. */
static bool legend_is_above(const struct figure *figure) {
  const char *place = strstr(figure->script.data, "key_y[1] = ");
  assert_non_null(place);
  return strtod(place + 11, NULL) > script_number(figure, "panel_top");
}

static void legend_keeps_clear_of_curves(void **state) {
  (void)state;
  struct table *table = table_of_curves(3, 100);
  struct figure figure = draw_table(table, &plain, &(struct figure_options){0}, FIGURE_PNG);
  assert_false(legend_is_above(&figure));
  struct pixels pixels = decode(&figure.picture);
  const unsigned height = pixels.height;
  free(pixels.rgb);
  figure_release(&figure);
  /* Curves everywhere: it goes above, and the sheet grows. */
  for (size_t r = 0; r < table_rows(table); r++)
    table_set_real(table, r, 2, r % 2 ? 1 : -1);
  figure = draw_table(table, &plain, &(struct figure_options){0}, FIGURE_PNG);
  assert_true(legend_is_above(&figure));
  pixels = decode(&figure.picture);
  assert_true(pixels.height > height);
  free(pixels.rgb);
  figure_release(&figure);
  figure = draw_table(table, &plain, &(struct figure_options){.legend = "bottom-left"}, FIGURE_PNG);
  assert_false(legend_is_above(&figure));
  figure_release(&figure);
  figure = draw_table(table, &plain, &(struct figure_options){.legend = "none"}, FIGURE_PNG);
  assert_non_null(strstr(figure.script.data, "\nkeys = 0\n"));
  figure_release(&figure);
  table_destroy(table);
  table = table_of_curves(1, 100);
  figure = draw_table(table, &plain, &(struct figure_options){0}, FIGURE_PNG);
  assert_non_null(strstr(figure.script.data, "\nkeys = 0\n"));
  figure_release(&figure);
  table_destroy(table);
}

static void same_input_gives_same_bytes(void **state) {
  (void)state;
  struct table *table = table_of_curves(2, 60);
  struct matrix *matrix = matrix_random(20, 20, 4);
  for (int format = FIGURE_PNG; format <= FIGURE_TEX; format++)
    for (int kind = 0; kind < 2; kind++) {
      struct figure figure[2];
      for (int run = 0; run < 2; run++) {
        setenv("TZ", run ? "Asia/Kolkata" : "UTC", 1);
        figure[run] =
            kind ? draw_matrix(matrix, &(struct figure_options){0}, (enum figure_format)format)
                 : draw_table(table, &plain, &(struct figure_options){0},
                              (enum figure_format)format);
      }
      unsetenv("TZ");
      const struct blob *one[] = {&figure[0].picture, &figure[0].tex, &figure[0].script,
                                  &figure[0].data};
      const struct blob *two[] = {&figure[1].picture, &figure[1].tex, &figure[1].script,
                                  &figure[1].data};
      /* The PDF carries its date until it is sealed. */
      for (size_t b = format == FIGURE_PDF || format == FIGURE_TEX; b < 4; b++) {
        assert_int_equal(one[b]->size, two[b]->size);
        if (one[b]->size) assert_memory_equal(one[b]->data, two[b]->data, one[b]->size);
      }
      assert_int_equal(one[0]->size, two[0]->size);
      figure_release(&figure[0]);
      figure_release(&figure[1]);
    }
  table_destroy(table);
  matrix_destroy(matrix);
}

/* Writes script and data, lets gnuplot run alone, and compares. */
static void assert_redraws(struct figure *figure) {
  char command[600];
  size_t size;
  write_whole(path_of("figure.gp"), figure->script.data, figure->script.size);
  write_whole(path_of("figure.dat"), figure->data.data, figure->data.size);
  snprintf(command, sizeof command, "cd %s && LC_ALL=C.UTF-8 gnuplot -d figure.gp >figure.png",
           folder);
  assert_int_equal(system(command), 0);
  char *picture = read_whole(path_of("figure.png"), &size);
  assert_int_equal(size, figure->picture.size);
  assert_memory_equal(picture, figure->picture.data, size);
  free(picture);
  figure_release(figure);
}

static void script_and_data_redraw_the_picture(void **state) {
  (void)state;
  struct table *table = table_of_curves(2, 60);
  struct matrix *matrix = matrix_random(20, 20, 4);
  struct figure figure =
      draw_table(table, &plain, &(struct figure_options){.title = "it's"}, FIGURE_PNG);
  assert_redraws(&figure);
  figure = draw_matrix(matrix, &(struct figure_options){0}, FIGURE_PNG);
  assert_redraws(&figure);
  figure = draw_matrix(matrix, &(struct figure_options){0}, FIGURE_TEX);
  assert_non_null(strstr(figure.script.data, "set output './figure'.'.tex'"));
  assert_non_null(memmem(figure.tex.data, figure.tex.size, "]{figure}}", 10));
  figure_release(&figure);
  /* A name that gnuplot would take for a command. */
  struct error error;
  assert_int_equal(figure_draw_matrix(matrix, &(struct figure_options){0}, FIGURE_PNG, "|touch x",
                                      &figure, &error),
                   OK);
  assert_non_null(strstr(figure.script.data, "datafile = './|touch x'.'.dat'"));
  figure_release(&figure);
  table_destroy(table);
  matrix_destroy(matrix);
}

static const char *const odd_texts[] = {
    "`touch canary`",
    "$(touch canary)",
    "' . system('touch canary') . '",
    "\" . system(\"touch canary\") . \"",
    "'; system('touch canary'); set title '",
    "@x _{a}^b &{c} ~d {/Bold e} \\n \\\\ %s %%",
    "α θ 旋转 🌀 שלום",
    "",
    " ",
    "<b>&amp;</b> ]]> <!-- -->",
    "[l] \\input{/etc/passwd} \\write18{touch canary} $x$ # % ~ ^ { }"};

static void texts_are_only_drawn(void **state) {
  (void)state;
  struct table *table = table_of_curves(2, 30);
  struct matrix *matrix = matrix_random(5, 5, 4);
  char longest[5001], directory[300];
  memset(longest, 'W', 5000);
  longest[5000] = '\0';
  assert_non_null(getcwd(directory, sizeof directory));
  assert_int_equal(chdir(folder), 0);
  for (size_t t = 0; t <= sizeof odd_texts / sizeof odd_texts[0]; t++) {
    const char *text = t < sizeof odd_texts / sizeof odd_texts[0] ? odd_texts[t] : longest;
    struct curve_plot plot = plain;
    struct error error;
    plot.lines[1] = "other";
    plot.line_labels[1] = text;
    snprintf(matrix->value_label, sizeof matrix->value_label, "%.20s", text);
    const struct figure_options options = {.title = text, .xlabel = text, .ylabel = text};
    for (int format = FIGURE_SVG; format <= FIGURE_TEX; format++) {
      struct figure figure;
      if (figure_draw_table(table, &plot, &options, (enum figure_format)format, "f", &figure,
                            &error))
        fail_msg("'%s': %s", text, error.message);
      if (format == FIGURE_SVG)
        assert_null(memmem(figure.picture.data, figure.picture.size, "]]>", 3));
      if (format == FIGURE_TEX) {
        assert_null(memmem(figure.tex.data, figure.tex.size, "\\input", 6));
        assert_null(memmem(figure.tex.data, figure.tex.size, "\\write", 6));
      }
      figure_release(&figure);
    }
    if (t == 6) continue; /* cut within a character */
    struct figure figure;
    if (figure_draw_matrix(matrix, &options, FIGURE_PNG, "f", &figure, &error))
      fail_msg("'%s': %s", text, error.message);
    figure_release(&figure);
  }
  const bool executed = access("canary", F_OK) == 0;
  assert_int_equal(chdir(directory), 0);
  assert_false(executed);
  table_destroy(table);
  matrix_destroy(matrix);
}

/* TeX gets the text with its specials as commands. */
static void texts_are_escaped_for_tex(void **state) {
  (void)state;
  struct table *table = table_of_curves(1, 30);
  const struct figure_options options = {.title = "50% of a_b$ {\\x} #1 & ^~ θ² −1"};
  struct figure figure = draw_table(table, &plain, &options, FIGURE_TEX);
  static const char expected[] =
      "50\\% of a\\_b\\$ \\{\\textbackslash{}x\\} \\#1 \\& \\textasciicircum{}\\textasciitilde{} "
      "\\ensuremath{\\theta}\\ensuremath{^2} \\ensuremath{-}1";
  assert_non_null(memmem(figure.tex.data, figure.tex.size, expected, sizeof expected - 1));
  figure_release(&figure);
  table_destroy(table);
}

static void assert_refused(const struct table *table, const struct curve_plot *plot,
                           const struct figure_options *options, const char *message, int code) {
  struct figure figure = {.dpi = 1};
  struct error error = {0};
  assert_int_equal(figure_draw_table(table, plot, options, FIGURE_PNG, "f", &figure, &error), code);
  assert_message(&error, message);
  assert_null(figure.picture.data);
  assert_null(figure.script.data);
}

static void bad_options_are_refused(void **state) {
  (void)state;
  struct table *table = table_of_curves(2, 30);
  static const struct {
    struct figure_options options;
    const char *message;
  } bad[] = {
      {{.style = "nips"}, "unknown style 'nips'; one of "},
      {{.palette = "jet"}, "unknown palette 'jet'; one of "},
      {{.legend = "left"}, "unknown place 'left' for the legend; one of auto"},
      {{.width = 200}, "picture of 40000 × 24720 pixels is too large; at most 32767 a side"},
      {{.width = 1e300}, "is too large"},
      {{.width = 0.5}, "too small for its labels in 10 pt; at least "},
      {{.height = 0.5}, "too small for its labels"},
      {{.font_size = 100}, "too small for its labels"},
      {{.font_size = 1000}, "font size of 1000 pt is not possible"},
      {{.dpi = 1}, "resolution of 1 dpi is not possible"},
      {{.font = "x' y"}, "font 'x' y' has the character '''"},
      {{.font = "Times,20"}, "font 'Times,20' has the character ','"},
      {{.title = "a\nset output"}, "title: control character in text 'a\\x0aset output'"},
      {{.xlabel = "\x1b"}, "xlabel: control character"},
      {{.ylabel = "\xff"}, "ylabel: text '\\xff' is not UTF-8"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
    assert_refused(table, &plain, &bad[i].options, bad[i].message, ERROR_INPUT);
  struct figure figure;
  struct error error;
  assert_int_equal(figure_draw_table(table, &plain, &(struct figure_options){0}, FIGURE_TEX, "a%b",
                                     &figure, &error),
                   ERROR_INPUT);
  assert_message(&error, "TeX cannot include a file named 'a%b'");
  assert_int_equal(figure_draw_table(table, &plain, &(struct figure_options){0}, FIGURE_PNG, "a\nb",
                                     &figure, &error),
                   ERROR_INPUT);
  assert_message(&error, "name of the figure: control character");
  table_destroy(table);
}

static void tables_without_anything_to_draw_are_refused(void **state) {
  (void)state;
  const struct figure_options none = {0}, log = {.log_y = true};
  struct table *table = table_of_curves(2, 0);
  assert_refused(table, &plain, &none, "nothing to draw", ERROR_FAILED);
  table_destroy(table);
  table = table_of_curves(1, 10);
  struct curve_plot plot = plain;
  plot.x = "position";
  assert_refused(table, &plot, &none, "column 'position' is not in the table", ERROR_INPUT);
  plot = plain;
  plot.lines[0] = "series";
  assert_refused(table, &plot, &none, "column 'series' holds text", ERROR_INPUT);
  plot = plain;
  plot.group = "model";
  assert_refused(table, &plot, &none, "column 'model'", ERROR_INPUT);
  plot = plain;
  plot.lines[0] = "other";
  assert_refused(table, &plot, &log, "positive on the logarithmic axis", ERROR_FAILED);
  for (size_t r = 0; r < 10; r++)
    table_set_real(table, r, 2, r % 2 ? NAN : INFINITY);
  assert_refused(table, &plain, &none, "nothing to draw: no point of the table is finite",
                 ERROR_FAILED);
  table_set_real(table, 0, 2, 1e305);
  assert_refused(table, &plain, &none, "1e300", ERROR_FAILED);
  table_destroy(table);
  struct matrix *matrix = matrix_random(2, 2, 1);
  for (size_t i = 0; i < 4; i++)
    matrix->cells[i] = NAN;
  struct figure figure;
  struct error error;
  assert_int_equal(figure_draw_matrix(matrix, &none, FIGURE_PNG, "f", &figure, &error),
                   ERROR_FAILED);
  assert_message(&error, "nothing to draw");
  matrix->rows = 0;
  assert_int_equal(figure_draw_matrix(matrix, &none, FIGURE_PNG, "f", &figure, &error),
                   ERROR_FAILED);
  matrix->rows = 2;
  matrix_destroy(matrix);
}

static void faults_of_gnuplot_come_through(void **state) {
  (void)state;
  struct table *table = table_of_curves(1, 10);
  static const char *const fakes[][2] = {{"exit 7", "status 7"},
                                         {"exit 0", "no picture"},
                                         {"kill -9 $$", "killed by signal 9"},
                                         {"echo 'unknown or ambiguous terminal type' >&2; exit 1",
                                          "terminal 'pngcairo' is not in this gnuplot"}};
  for (size_t i = 0; i < 4; i++) {
    char text[128];
    snprintf(text, sizeof text, "#!/bin/sh\n%s\n", fakes[i][0]);
    chmod(write_text("fake", text), 0755);
    setenv("ROPETOOL_GNUPLOT", path_of("fake"), 1);
    assert_refused(table, &plain, &(struct figure_options){0}, fakes[i][1], ERROR_FAILED);
  }
  unsetenv("ROPETOOL_GNUPLOT");
  /* Without fonts cairo would draw a figure without text. */
  setenv("FONTCONFIG_FILE", write_text("none.conf", "<fontconfig></fontconfig>"), 1);
  assert_refused(table, &plain, &(struct figure_options){0}, "no fonts found", ERROR_FAILED);
  unsetenv("FONTCONFIG_FILE");
  table_destroy(table);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pixels_are_the_palette),
      cmocka_unit_test(pixels_are_the_palette_in_any_size),
      cmocka_unit_test(masked_cells_are_paper),
      cmocka_unit_test(logarithmic_colours_are_exact),
      cmocka_unit_test(extreme_values_are_exact),
      cmocka_unit_test(first_cell_is_at_the_top_left),
      cmocka_unit_test(reduced_axes_count_positions),
      cmocka_unit_test(sizes_are_the_styles),
      cmocka_unit_test(many_cells_raise_the_resolution),
      cmocka_unit_test(colour_bar_is_aligned),
      cmocka_unit_test(curves_have_their_colours),
      cmocka_unit_test(bands_lines_and_points_are_drawn),
      cmocka_unit_test(missing_values_break_lines),
      cmocka_unit_test(many_points_are_thinned_to_their_extremes),
      cmocka_unit_test(legend_keeps_clear_of_curves),
      cmocka_unit_test(same_input_gives_same_bytes),
      cmocka_unit_test(script_and_data_redraw_the_picture),
      cmocka_unit_test(texts_are_only_drawn),
      cmocka_unit_test(texts_are_escaped_for_tex),
      cmocka_unit_test(bad_options_are_refused),
      cmocka_unit_test(tables_without_anything_to_draw_are_refused),
      cmocka_unit_test(faults_of_gnuplot_come_through),
  };
  return cmocka_run_group_tests(tests, folder_create, folder_remove);
}

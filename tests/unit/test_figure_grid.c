/* Values as a table on paper. */
#include "tests/unit/pictures.h"
#include "tests/unit/wellformed.h"

static const char *const encodings[] = {"RoPE", "ALiBi", "NoPE", "sinusoidal"};
static const char *const metrics[] = {"locality", "recency bias", "translation invariance"};

static struct table *table_of_metrics(size_t rows, size_t columns) {
  struct table *table = table_create(NULL);
  assert_int_equal(table_add_column(table, "encoding", COLUMN_TEXT, NULL), 0);
  assert_int_equal(table_add_column(table, "metric", COLUMN_TEXT, NULL), 1);
  assert_int_equal(table_add_column(table, "value", COLUMN_REAL, NULL), 2);
  assert_int_equal(table_add_column(table, "standard_error", COLUMN_REAL, NULL), 3);
  assert_int_equal(table_add_rows(table, rows * columns, NULL), OK);
  for (size_t r = 0; r < rows * columns; r++) {
    const size_t number = r / columns;
    char row[32], column[32];
    snprintf(row, sizeof row, "%zu", r / columns);
    snprintf(column, sizeof column, "%zu", r % columns);
    assert_int_equal(table_set_text(table, r, 0, rows <= 4 ? encodings[r / columns] : row, NULL),
                     OK);
    assert_int_equal(
        table_set_text(table, r, 1, columns <= 3 ? metrics[r % columns] : column, NULL), OK);
    table_set_real(table, r, 2, (double)number / 10);
    table_set_real(table, r, 3, 0.012);
  }
  return table;
}

static const struct grid_plot plain_grid = {.error = "standard_error"};

static struct figure draw_grid(const struct table *table, const struct grid_plot *plot,
                               const struct figure_options *options, enum figure_format format) {
  struct figure figure;
  struct error error;
  if (figure_draw_grid(table, plot, options, format, "figure", &figure, &error))
    fail_msg("%s", error.message);
  return figure;
}

static void assert_has(const struct figure *figure, const char *text) {
  if (!strstr(figure->script.data, text)) fail_msg("no '%s' in the script", text);
}

/* Every tile has the colour that the data say, darker for a larger value of its column. */
static void tiles_are_shaded_by_value(void **state) {
  (void)state;
  struct table *table = table_of_metrics(4, 3);
  static const char *const styles[] = {"default", "neurips", "ieee"};
  for (size_t s = 0; s < 6; s++) {
    const struct figure_options options = {.style = styles[s % 3], .dark = s > 2};
    struct figure figure = draw_grid(table, &plain_grid, &options, FIGURE_PNG);
    struct pixels pixels = decode(&figure.picture);
    const char *line = figure.data.data;
    unsigned first = 0, last = 0;
    for (int tile = 0; tile < 12; tile++, line = strchr(line, '\n') + 1) {
      double place[6];
      unsigned rgb;
      assert_int_equal(sscanf(line, "%lf %lf %lf %lf %lf %lf %u", &place[0], &place[1], &place[2],
                              &place[3], &place[4], &place[5], &rgb),
                       7);
      assert_true(place[2] >= 0 && place[3] <= pixels.width);
      assert_true(place[4] >= 0 && place[5] <= pixels.height);
      assert_int_equal(
          pixel(&pixels, (unsigned)place[2] + 2, pixels.height - (unsigned)place[5] + 2), rgb);
      assert_int_equal(
          pixel(&pixels, (unsigned)place[3] - 2, pixels.height - (unsigned)place[4] - 2), rgb);
      if (tile == 0) first = rgb;
      last = rgb;
    }
    assert_int_equal(first, s > 2 ? 0x1c1f25 : 0xf7fafc);
    assert_int_equal(last, s > 2 ? 0x3a5f7d : 0xa6c8e0);
    free(pixels.rgb);
    figure_release(&figure);
  }
  table_destroy(table);
}

/* What differs by rounding alone is not told apart by shades. */
static void rounding_is_not_shaded(void **state) {
  (void)state;
  struct table *table = table_of_metrics(2, 3);
  static const double values[2][3] = {{1, 8.7e-18, 0.25}, {1 - 0x1p-53, 0, 0.25 + 1e-9}};
  for (size_t r = 0; r < 6; r++)
    table_set_real(table, r, 2, values[r / 3][r % 3]);
  struct figure figure =
      draw_grid(table, &(struct grid_plot){0}, &(struct figure_options){0}, FIGURE_SVG);
  unsigned colour[6];
  const char *line = figure.data.data;
  for (int tile = 0; tile < 6; tile++, line = strchr(line, '\n') + 1)
    assert_int_equal(sscanf(line, "%*s %*s %*s %*s %*s %*s %u", &colour[tile]), 1);
  assert_int_equal(colour[0], colour[3]);
  assert_int_equal(colour[1], colour[4]);
  assert_int_not_equal(colour[2], colour[5]);
  figure_release(&figure);
  table_destroy(table);
}

/* As many decimals as the standard error needs. */
static void numbers_have_their_digits(void **state) {
  (void)state;
  static const struct {
    double value, error;
    const char *expected;
  } cases[] = {{0.98, 0.012, "0.98 ±0.01"},
               {-1.5, 0.2, "−1.5 ±0.2"},
               {1234.4, 38, "1234 ±38"},
               {0.123456, NAN, "0.123"},
               {1234.4, NAN, "1234"},
               {2.9983, NAN, "3.00"},
               {99.96, NAN, "100"},
               {9.996, NAN, "10.0"},
               {-0.42, NAN, "−0.420"},
               {0.02318, NAN, "0.0232"},
               {1 - 1e-13, NAN, "1"},
               {8.67e-18, NAN, "8.7×10⁻¹⁸"},
               {-2.5e8, NAN, "−2.5×10⁸"},
               {2, 0, "2"},
               {NAN, 0.1, "–"},
               {3e-9, 2e-10, "3×10⁻⁹ ±2×10⁻¹⁰"},
               {1.2345e-16, 9.8e-18, "1.23×10⁻¹⁶ ±1×10⁻¹⁷"},
               {4.4e-18, 9.4e-18, "4×10⁻¹⁸ ±9×10⁻¹⁸"},
               {INFINITY, NAN, "inf"},
               {5e9, 12, "5×10⁹ ±12"},
               {1, 0.0001, "1.0000 ±0.0001"}};
  struct table *table = table_of_metrics(4, 1);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    char expected[64];
    table_set_real(table, 1, 2, cases[i].value);
    table_set_real(table, 1, 3, cases[i].error);
    struct figure figure = draw_grid(table, &plain_grid, &(struct figure_options){0}, FIGURE_SVG);
    snprintf(expected, sizeof expected, "= '%s'\n", cases[i].expected);
    assert_has(&figure, expected);
    figure_release(&figure);
  }
  /* Without a column of errors the value stands alone. */
  struct figure figure =
      draw_grid(table, &(struct grid_plot){0}, &(struct figure_options){0}, FIGURE_SVG);
  assert_null(strstr(figure.script.data, "±"));
  figure_release(&figure);
  table_destroy(table);
}

/* The sheet is as wide as its style; numbers go on two lines before anything is refused. */
static void tables_fit_their_paper(void **state) {
  (void)state;
  static const char *const styles[] = {"default", "neurips", "ieee"};
  static const double widths[] = {6, 5.5, 3.5};
  struct table *table = NULL;
  for (size_t s = 0; s < 3; s++) {
    table_destroy(table);
    table = table_of_metrics(3, s == 2 ? 8 : 5);
    struct figure figure =
        draw_grid(table, &plain_grid, &(struct figure_options){.style = styles[s]}, FIGURE_PNG);
    struct pixels pixels = decode(&figure.picture);
    assert_int_equal(pixels.width, lround(widths[s] * figure.dpi));
    assert_has(&figure, s == 2 ? "'0.10' . \"\\n\" . '±0.01'" : "'0.10 ±0.01'");
    free(pixels.rgb);
    figure_release(&figure);
  }
  struct figure figure;
  struct error error;
  const struct figure_options narrow = {.width = 1.2}, low = {.height = 0.6};
  assert_int_equal(figure_draw_grid(table, &plain_grid, &narrow, FIGURE_PNG, "f", &figure, &error),
                   ERROR_INPUT);
  assert_message(&error, "too narrow for 8 columns; at least ");
  assert_int_equal(figure_draw_grid(table, &plain_grid, &low, FIGURE_PNG, "f", &figure, &error),
                   ERROR_INPUT);
  assert_message(&error, "too low for 3 rows; at least ");
  table_destroy(table);
}

static void texts_are_only_drawn(void **state) {
  (void)state;
  static const char *const texts[] = {"'; system('touch canary'); set title '",
                                      "`touch canary` @x _{a}^b", "\\input{x} $x$ # % ~ ]]> <b>&",
                                      "a name that is far too long for any column of any table"};
  struct table *table = table_of_metrics(4, 3);
  for (size_t t = 0; t < 4; t++) {
    for (size_t r = 0; r < 12; r++) {
      if (r / 3 == 1) assert_int_equal(table_set_text(table, r, 0, texts[t], NULL), OK);
      if (r % 3 == 1) assert_int_equal(table_set_text(table, r, 1, texts[t], NULL), OK);
    }
    for (int format = FIGURE_PNG; format <= FIGURE_TEX; format++) {
      const struct figure_options options = {.title = texts[t]};
      struct figure figure = draw_grid(table, &plain_grid, &options, (enum figure_format)format);
      struct figure again = draw_grid(table, &plain_grid, &options, (enum figure_format)format);
      assert_memory_equal(figure.script.data, again.script.data, figure.script.size);
      if (format == FIGURE_PNG || format == FIGURE_SVG)
        assert_memory_equal(figure.picture.data, again.picture.data, figure.picture.size);
      if (format == FIGURE_SVG)
        assert_true(is_wellformed(figure.picture.data, figure.picture.size));
      if (format == FIGURE_TEX)
        assert_null(memmem(figure.tex.data, figure.tex.size, "\\input{x", 8));
      figure_release(&figure);
      figure_release(&again);
    }
  }
  assert_int_equal(access("canary", F_OK), -1);
  table_destroy(table);
}

static void assert_refused(const struct table *table, const struct grid_plot *plot,
                           const char *message) {
  struct figure figure;
  struct error error;
  assert_true(figure_draw_grid(table, plot, &(struct figure_options){0}, FIGURE_PNG, "f", &figure,
                               &error) != OK);
  assert_message(&error, message);
  assert_null(figure.picture.data);
}

static void wrong_tables_are_refused(void **state) {
  (void)state;
  struct table *table = table_of_metrics(4, 3);
  assert_refused(table, &(struct grid_plot){.row = "model"}, "column 'model' is not in the table");
  assert_refused(table, &(struct grid_plot){.column = "value"}, "column 'value' holds no text");
  assert_refused(table, &(struct grid_plot){.value = "metric"}, "column 'metric' holds text");
  assert_refused(table, &(struct grid_plot){.error = "spread"}, "column 'spread' is not");
  assert_int_equal(table_set_text(table, 3, 0, "RoPE", NULL), OK);
  assert_refused(table, &plain_grid, "two values of 'locality' for 'RoPE'");
  assert_int_equal(table_set_text(table, 3, 0, "ALiBi", NULL), OK);
  for (size_t r = 0; r < 12; r++)
    table_set_real(table, r, 2, r ? NAN : INFINITY);
  assert_refused(table, &plain_grid, "no value of the table is finite");
  table_destroy(table);
  table = table_of_metrics(GRID_ROWS + 1, 1);
  assert_refused(table, &plain_grid, "more than 64 rows or 16 columns");
  table_destroy(table);
  table = table_of_metrics(1, GRID_COLUMNS + 1);
  assert_refused(table, &plain_grid, "more than 64 rows or 16 columns");
  table_destroy(table);
  /* A single cell is a table. */
  table = table_of_metrics(1, 1);
  struct figure figure = draw_grid(table, &plain_grid, &(struct figure_options){0}, FIGURE_PNG);
  figure_release(&figure);
  table_destroy(table);
}

/* Words wider than their column stand on end, whole; names of rows take the lines that they need.
 */
static void long_words_stand_on_end(void **state) {
  (void)state;
  struct table *table = table_of_metrics(4, 6);
  static const char *const heads[] = {"translation_invariance", "monotonicity", "mean_distance",
                                      "half_distance",          "norm_drift",   "angle_drift"};
  for (size_t r = 0; r < 24; r++) {
    assert_int_equal(table_set_text(table, r, 1, heads[r % 6], NULL), OK);
    if (r / 6 == 3)
      assert_int_equal(table_set_text(table, r, 0, "a much longer name of one encoding", NULL), OK);
  }
  for (int format = FIGURE_PNG; format <= FIGURE_TEX; format++) {
    struct figure figure = draw_grid(table, &plain_grid, &(struct figure_options){.style = "ieee"},
                                     (enum figure_format)format);
    assert_non_null(strstr(figure.script.data, "\nheads = 6\n"));
    if (format == FIGURE_PNG) {
      assert_non_null(strstr(figure.script.data, "'translation_invariance'\n"));
      const char *name = strstr(figure.script.data, "'a much");
      assert_non_null(name);
      char line[128];
      snprintf(line, sizeof line, "%.*s", (int)strcspn(name, "\n"), name);
      assert_non_null(strstr(line, "encoding'"));
    }
    figure_release(&figure);
  }
  struct figure wide = draw_grid(
      table, &plain_grid, &(struct figure_options){.style = "ieee", .width = 13}, FIGURE_PNG);
  assert_non_null(strstr(wide.script.data, "\nheads = 0\n"));
  figure_release(&wide);
  table_destroy(table);
}

/* Few rows of many wide numbers have no room side by side: columns become rows, shaded within. */
static void wide_tables_are_turned(void **state) {
  (void)state;
  enum { COLUMNS = 12 };
  struct table *table = table_of_metrics(2, COLUMNS);
  for (size_t r = 0; r < 2 * COLUMNS; r++)
    table_set_real(table, r, 2, (r < COLUMNS ? 1 : 2) * 1.25e-11 * pow(10, (double)(r % COLUMNS)));
  const struct figure_options narrow = {.style = "icml"};
  struct figure figure = draw_grid(table, &plain_grid, &narrow, FIGURE_PNG);
  const char *script = figure.script.data;
  /* The head of the names and twelve of them; then the two columns. */
  assert_non_null(strstr(script, "\nnames = 13\n"));
  assert_non_null(strstr(script, "\ncell_text[1] = 'metric'\n"));
  assert_non_null(strstr(script, "\ncell_text[14] = 'RoPE'\n"));
  assert_non_null(strstr(script, "\ncell_text[15] = 'ALiBi'\n"));
  /* The second of each row is the larger one: dark, whatever other rows have. */
  const char *tile = figure.data.data;
  for (size_t t = 0; t < 2 * COLUMNS; t++, tile = strchr(tile, '\n') + 1) {
    unsigned rgb = 0;
    assert_int_equal(sscanf(tile, "%*f %*f %*f %*f %*f %*f %u", &rgb), 1);
    assert_int_equal(rgb, t % 2 ? 0xa6c8e0 : 0xf7fafc);
  }
  figure_release(&figure);
  /* Where there is room, nothing is turned. */
  figure = draw_grid(table, &plain_grid, &(struct figure_options){.width = 14}, FIGURE_PNG);
  assert_non_null(strstr(figure.script.data, "\nnames = 3\n"));
  figure_release(&figure);
  table_destroy(table);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tiles_are_shaded_by_value), cmocka_unit_test(rounding_is_not_shaded),
      cmocka_unit_test(numbers_have_their_digits), cmocka_unit_test(tables_fit_their_paper),
      cmocka_unit_test(texts_are_only_drawn),      cmocka_unit_test(wrong_tables_are_refused),
      cmocka_unit_test(long_words_stand_on_end),   cmocka_unit_test(wide_tables_are_turned),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

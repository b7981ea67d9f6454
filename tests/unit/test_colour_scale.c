/* How values become colours: ends, laws and ranges that are asked for. */
#include "tests/unit/ground.h"

#include "lib/figure/colour_scale.h"

static struct matrix *matrix_of(size_t count, const double *cells, enum matrix_range range) {
  struct matrix *matrix = matrix_create(1, count, NULL);
  assert_non_null(matrix);
  memcpy(matrix->cells, cells, count * sizeof *cells);
  matrix->range = range;
  return matrix;
}

static int fit_wish(size_t count, const double *cells, enum matrix_range range,
                    const struct colour_wish *wish, struct colour_scale *scale,
                    struct error *error) {
  struct matrix *matrix = matrix_of(count, cells, range);
  const int code =
      colour_scale_fit((const struct matrix *const *)&matrix, 1, range, wish, scale, error);
  matrix_destroy(matrix);
  return code;
}

static int fit(size_t count, const double *cells, enum matrix_range range, bool logarithmic,
               struct colour_scale *scale, struct error *error) {
  return fit_wish(count, cells, range, &(struct colour_wish){.logarithmic = logarithmic}, scale,
                  error);
}

static struct colour_wish range_of(const char *text) {
  struct colour_wish wish = {0};
  struct error error;
  if (colour_range_parse(text, &wish, &error)) fail_msg("%s", error.message);
  return wish;
}

static void scale_is_the_finite_extent(void **state) {
  (void)state;
  struct colour_scale scale;
  struct error error;
  const double cells[] = {NAN, -1, 3, INFINITY, -INFINITY, 0.5};
  assert_int_equal(fit(6, cells, MATRIX_SEQUENTIAL, 0, &scale, &error), OK);
  assert_true(scale.low == -1 && scale.high == 3 && scale.law == COLOUR_LINEAR);
  assert_int_equal(fit(6, cells, MATRIX_DIVERGING, 0, &scale, &error), OK);
  assert_true(scale.low == -3 && scale.high == 3);
  assert_int_equal(fit(6, cells, MATRIX_CYCLIC, 0, &scale, &error), OK);
  assert_true(scale.low == 0 && scale.high == 2 * M_PI);
  assert_int_equal(fit(6, cells, MATRIX_SEQUENTIAL, 1, &scale, &error), OK);
  assert_true(scale.low == 0.5 && scale.high == 3 && scale.law == COLOUR_LOG);
}

static void equal_cells_get_a_scale_around_them(void **state) {
  (void)state;
  struct colour_scale scale;
  struct error error;
  static const double values[] = {0, 7, -7, 1e-200, 1e200};
  for (size_t i = 0; i < 5; i++)
    for (int range = MATRIX_SEQUENTIAL; range <= MATRIX_DIVERGING; range++) {
      assert_int_equal(fit(1, &values[i], (enum matrix_range)range, 0, &scale, &error), OK);
      assert_true(scale.low < values[i] || range == MATRIX_DIVERGING);
      assert_true(scale.low < scale.high);
      assert_in_range(colour_index(&scale, values[i]), 0, 255);
    }
  const double close[] = {1, 1 + 1e-15};
  assert_int_equal(fit(2, close, MATRIX_SEQUENTIAL, 0, &scale, &error), OK);
  assert_true(scale.high - scale.low > 0.01);
  assert_int_equal(fit(1, &values[1], MATRIX_SEQUENTIAL, 1, &scale, &error), OK);
  assert_true(scale.low < 7 && scale.high > 7);
}

/* Cells of a known bound are compared on a scale that has it at its ends. */
static void bounds_are_the_ends(void **state) {
  (void)state;
  struct colour_scale scale;
  struct error error;
  struct matrix *matrix[2] = {matrix_of(2, (const double[]){0.3, -0.9999}, MATRIX_DIVERGING),
                              matrix_of(2, (const double[]){0.3, 0.7}, MATRIX_SEQUENTIAL)};
  const struct matrix *const *first = (const struct matrix *const *)matrix;
  struct colour_wish wish = {0};
  matrix[0]->bound = 1;
  assert_int_equal(colour_scale_fit(first, 2, MATRIX_DIVERGING, &wish, &scale, &error), OK);
  assert_true(scale.low == -1 && scale.high == 1);
  matrix[0]->cells[0] = 1.5; /* whatever it is said to be */
  assert_int_equal(colour_scale_fit(first, 1, MATRIX_DIVERGING, &wish, &scale, &error), OK);
  assert_true(scale.high == 1.5);
  wish = range_of("-0.5:0.5");
  assert_int_equal(colour_scale_fit(first, 1, MATRIX_DIVERGING, &wish, &scale, &error), OK);
  assert_true(scale.high == 0.5);
  matrix[1]->bound = 1;
  wish = (struct colour_wish){0};
  assert_int_equal(colour_scale_fit(first + 1, 1, MATRIX_SEQUENTIAL, &wish, &scale, &error), OK);
  assert_true(scale.low == 0.3 && scale.high == 0.7);
  matrix_destroy(matrix[0]);
  matrix_destroy(matrix[1]);
}

static void refuses_what_has_no_scale(void **state) {
  (void)state;
  struct colour_scale scale;
  struct error error;
  const double none[] = {NAN, INFINITY, -INFINITY}, negative[] = {-1, 0, -3, NAN},
               huge[] = {1, 1e305};
  assert_int_equal(fit(3, none, MATRIX_SEQUENTIAL, 0, &scale, &error), ERROR_FAILED);
  assert_message(&error, "nothing to draw");
  assert_int_equal(fit(4, negative, MATRIX_SEQUENTIAL, 1, &scale, &error), ERROR_INPUT);
  assert_message(&error, "no cell of the map is greater than 0, and the map is not signed");
  assert_int_equal(fit(4, negative, MATRIX_DIVERGING, 1, &scale, &error), OK);
  assert_int_equal(fit(2, huge, MATRIX_SEQUENTIAL, 0, &scale, &error), ERROR_FAILED);
  assert_message(&error, "1e300");
}

static void index_and_value_agree(void **state) {
  (void)state;
  static const struct colour_scale scales[] = {{-3, 3, 0},
                                               {0, 2 * M_PI, 0},
                                               {1e-12, 5e7, COLOUR_LOG},
                                               {-1e299, 1e299, 0},
                                               {7, 7.0000001, 0},
                                               {-2, 2, COLOUR_SIGNED_LOG},
                                               {-1e-290, 1e-290, COLOUR_SIGNED_LOG}};
  for (size_t s = 0; s < 7; s++) {
    for (int i = 0; i < PALETTE_SIZE; i++)
      assert_int_equal(colour_index(&scales[s], colour_value(&scales[s], i)), i);
    assert_int_equal(colour_index(&scales[s], scales[s].low), 0);
    assert_int_equal(colour_index(&scales[s], scales[s].high), 255);
    assert_int_equal(colour_index(&scales[s], INFINITY), 255);
    assert_int_equal(colour_index(&scales[s], -INFINITY), scales[s].law == COLOUR_LOG ? -1 : 0);
    assert_int_equal(colour_index(&scales[s], NAN), -1);
  }
  /* What has no logarithm has no colour. */
  static const double none[] = {0, -0.0, -1, -1e300};
  for (size_t i = 0; i < 4; i++)
    assert_int_equal(colour_index(&scales[2], none[i]), -1);
  assert_int_equal(colour_index(&scales[2], 1e-13), 0);
  assert_int_equal(colour_index(&scales[0], -4), 0);
}

/* NumPy: numpy.percentile([0, 1, ..., 10, 1000], [10, 90]) is [1.1, 9.9]. */
static void percentiles_leave_outliers_out(void **state) {
  (void)state;
  struct colour_scale scale;
  struct error error;
  double cells[14] = {[11] = 1000, [12] = NAN, [13] = INFINITY};
  for (int i = 0; i <= 10; i++)
    cells[10 - i] = i;
  struct colour_wish wish = range_of("10%:90%");
  assert_int_equal(fit_wish(14, cells, MATRIX_SEQUENTIAL, &wish, &scale, &error), OK);
  assert_true(fabs(scale.low - 1.1) < 1e-12);
  assert_true(fabs(scale.high - 9.9) < 1e-12);
  struct matrix *matrix = matrix_of(14, cells, MATRIX_SEQUENTIAL);
  const struct colour_beyond beyond =
      colour_count_beyond(&scale, (const struct matrix *const *)&matrix, 1);
  assert_int_equal(beyond.below, 2); /* 0 and 1 */
  assert_int_equal(beyond.above, 3); /* 10, 1000 and the infinite one */
  matrix_destroy(matrix);
  wish = range_of("0%:100%");
  assert_int_equal(fit_wish(14, cells, MATRIX_SEQUENTIAL, &wish, &scale, &error), OK);
  assert_true(scale.low == 0 && scale.high == 1000);
  wish = range_of("-3:90%");
  assert_int_equal(fit_wish(14, cells, MATRIX_SEQUENTIAL, &wish, &scale, &error), OK);
  assert_true(scale.low == -3 && scale.high < 10);
  /* Of signed values the middle stays at 0; on a logarithmic scale the positive ones count. */
  wish = range_of("-1:90%");
  assert_int_equal(fit_wish(14, cells, MATRIX_DIVERGING, &wish, &scale, &error), OK);
  assert_true(fabs(scale.high - 9.9) < 1e-12);
  assert_true(scale.low == -scale.high);
  wish = range_of("0%:50%");
  wish.logarithmic = true;
  assert_int_equal(fit_wish(14, cells, MATRIX_SEQUENTIAL, &wish, &scale, &error), OK);
  assert_true(scale.low == 1 && scale.high == 6);
}

static void ranges_that_say_nothing_are_refused(void **state) {
  (void)state;
  struct colour_scale scale;
  struct colour_wish wish = {0};
  struct error error;
  static const struct {
    const char *text, *message;
  } bad[] = {{"1", "'1' is not LOW:HIGH"},
             {"1:2:3", "is not LOW:HIGH"},
             {"a:1", "'a'"},
             {":1", "--range"},
             {"2:1", "'2:1' is empty"},
             {"5%:5%", "'5%:5%' is empty"},
             {"-1%:99%", "'-1%' is no percentile"},
             {"1%:101%", "'101%' is no percentile"},
             {"0:inf", "inf"},
             {"%:1", "--range"}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    assert_int_equal(colour_range_parse(bad[i].text, &wish, &error), ERROR_INPUT);
    assert_message(&error, bad[i].message);
  }
  const double cells[] = {0, 0, 0, 0, 1};
  wish = range_of("10%:50%");
  assert_int_equal(fit_wish(5, cells, MATRIX_SEQUENTIAL, &wish, &scale, &error), ERROR_INPUT);
  assert_message(&error, "'10%:50%' is empty for these cells: its low end is 0, its high end 0");
  /* Where all are equal there is nothing that a range could hide. */
  assert_int_equal(fit_wish(4, cells, MATRIX_SEQUENTIAL, &wish, &scale, &error), OK);
  assert_true(scale.low == -1 && scale.high == 1);
  wish = range_of("50%:0.5");
  assert_int_equal(fit_wish(1, &cells[4], MATRIX_SEQUENTIAL, &wish, &scale, &error), ERROR_INPUT);
  wish = range_of("0:1");
  assert_int_equal(fit_wish(5, cells, MATRIX_CYCLIC, &wish, &scale, &error), ERROR_INPUT);
  assert_message(&error, "angles");
  wish.logarithmic = true;
  assert_int_equal(fit_wish(5, cells, MATRIX_SEQUENTIAL, &wish, &scale, &error), ERROR_INPUT);
  assert_message(&error, "'0:1' begins at 0; a logarithmic colour scale");
}

/* low = −high; a quarter of each half is linear, each decade above it another quarter. */
static void signed_logarithms_have_equal_decades(void **state) {
  (void)state;
  struct colour_scale scale;
  struct error error;
  const double cells[] = {-20, -0.0001, 0, 3, NAN};
  assert_int_equal(fit(5, cells, MATRIX_DIVERGING, true, &scale, &error), OK);
  assert_true(scale.law == COLOUR_SIGNED_LOG && scale.low == -20 && scale.high == 20);
  static const struct {
    double value, part;
  } known[] = {{0, 0.5}, {0.01, 0.5625}, {0.02, 0.625}, {0.2, 0.75}, {2, 0.875},
               {20, 1},  {-0.02, 0.375}, {-0.2, 0.25},  {-2, 0.125}, {-20, 0}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    assert_true(fabs(colour_part(&scale, known[i].value) - known[i].part) < 1e-12);
  for (int i = 0; i < PALETTE_SIZE; i++)
    assert_true(fabs(colour_value(&scale, i) + colour_value(&scale, PALETTE_SIZE - 1 - i)) < 1e-12);
  assert_int_equal(fit(3, cells, MATRIX_SEQUENTIAL, true, &scale, &error), ERROR_INPUT);
  /* Nothing but 0: all in the middle. */
  assert_int_equal(fit(1, &cells[2], MATRIX_DIVERGING, true, &scale, &error), OK);
  assert_in_range(colour_index(&scale, 0), 127, 128);
}

static void used_colours_are_counted(void **state) {
  (void)state;
  double cells[400];
  for (int i = 0; i < 400; i++)
    cells[i] = i % 2 ? 0 : 1 + i / 1e6;
  cells[0] = 100;
  struct matrix *matrix = matrix_of(400, cells, MATRIX_SEQUENTIAL);
  const struct colour_scale wide = {0, 100, COLOUR_LINEAR}, narrow = {1, 1.0002, COLOUR_LINEAR};
  struct colour_beyond beyond;
  assert_int_equal(colour_count_used(&wide, matrix, &beyond), 1);
  assert_int_equal(beyond.below + beyond.above, 0);
  assert_in_range(colour_count_used(&narrow, matrix, &beyond), 240, 256);
  assert_int_equal(beyond.below, 200); /* the zeros */
  assert_int_equal(beyond.above, 100); /* more than 1.0002 */
  for (int i = 0; i < 400; i++)
    matrix->cells[i] = 5;
  assert_int_equal(colour_count_used(&wide, matrix, &beyond), 0);
  matrix_destroy(matrix);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(scale_is_the_finite_extent),
      cmocka_unit_test(equal_cells_get_a_scale_around_them),
      cmocka_unit_test(bounds_are_the_ends),
      cmocka_unit_test(refuses_what_has_no_scale),
      cmocka_unit_test(index_and_value_agree),
      cmocka_unit_test(percentiles_leave_outliers_out),
      cmocka_unit_test(ranges_that_say_nothing_are_refused),
      cmocka_unit_test(signed_logarithms_have_equal_decades),
      cmocka_unit_test(used_colours_are_counted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

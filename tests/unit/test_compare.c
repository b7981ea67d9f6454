/* lib/analysis/compare.h: metrics, contents and what is refused */
#include "tests/unit/compare_job.h"

static void columns_and_rows(void **state) {
  static const char *const names[] = {"encoding", "head",   "length", "metric",
                                      "value",    "stderr", "detail"};
  struct job job = job_of(*state, "rope,alibi", 16, 40, CONTENT_GAUSSIAN);
  run(&job);
  const struct table *table = job.result.metrics;
  assert_int_equal(table_columns(table), 7);
  for (size_t i = 0; i < 7; i++)
    assert_string_equal(table_column_name(table, i), names[i]);
  assert_int_equal(table_rows(table), 2 * METRICS);
  for (size_t row = 0; row < 2 * METRICS; row++) {
    assert_string_equal(table_text(table, row, 0), row < METRICS ? "rope" : "alibi");
    assert_string_equal(table_text(table, row, 3), metric_name((enum metric)(row % METRICS)));
    assert_int_equal(table_integer(table, row, 2), 40);
    if (row < METRICS)
      assert_true(isnan(table_real(table, row, 1)));
    else
      assert_near(table_real(table, row, 1), 0, 0);
  }
  assert_true(isinf(value_of(&job, "rope", METRIC_BEYOND_TABLE)));
  assert_string_equal(detail_of(&job, "rope", METRIC_BEYOND_TABLE), "periodic");
  assert_string_equal(detail_of(&job, "alibi", METRIC_BEYOND_TABLE), "extrapolated");
  assert_string_equal(detail_of(&job, "rope", METRIC_NEGATIVE_SHARE), "softmax");
  assert_string_equal(detail_of(&job, "rope", METRIC_TRANSLATION_INVARIANCE),
                      "tokens differ by position");
  assert_true(isnan(value_of(&job, "rope", METRIC_NEGATIVE_SHARE)));
  assert_string_equal(meta_text(table_meta(table), "arithmetic"), "fp64");
  release(&job);
}

/* Equal tokens: scores of a rotation depend on the distance alone, f(m) = 2·B_m. */
static void rope_of_ones(void **state) {
  enum { LENGTH = 300, DIM = 64 };
  struct job job = job_of(*state, "rope", DIM, LENGTH, CONTENT_ONES);
  job.request.view = COMPARE_PROFILE;
  run(&job);
  assert_near(value_of(&job, "rope", METRIC_TRANSLATION_INVARIANCE), 1, 1e-12);
  assert_near(value_of(&job, "rope", METRIC_SYMMETRY), 1, 1e-12);
  assert_near(value_of(&job, "rope", METRIC_NORM_DRIFT), 0, 1e-15);
  assert_near(value_of(&job, "rope", METRIC_ANGLE_DRIFT), 0, 1e-15);
  assert_near(error_of(&job, "rope", METRIC_LOCALITY), 0, 0);
  const struct table *curves = job.result.curves;
  assert_int_equal(table_rows(curves), LENGTH);
  size_t half = 0;
  for (size_t m = 0; m < LENGTH; m++) {
    const double expected = 2 * cosine_sum_of(job.spectrum, (int64_t)m);
    assert_int_equal(table_integer(curves, m, 3), m);
    assert_near(table_real(curves, m, 4), expected, 1e-11);
    if (!half && expected <= DIM / 2.0) half = m;
  }
  assert_true(half > 0);
  assert_near(value_of(&job, "rope", METRIC_HALF_DISTANCE), (double)half, 0);
  release(&job);
}

/* Independent queries and keys: E f(m) = 0 and Var S = d at every distance. Of the 200 means over
   4·(200 − m) scores none is off by more than 5 standard deviations. */
static void rope_of_gaussians(void **state) {
  enum { LENGTH = 200, DIM = 32, DRAWS = 4 };
  struct job job = job_of(*state, "rope", DIM, LENGTH, CONTENT_GAUSSIAN);
  job.request.view = COMPARE_PROFILE;
  run(&job);
  const struct table *curves = job.result.curves;
  for (size_t m = 0; m < LENGTH; m++) {
    const double scores = DRAWS * (double)(LENGTH - m);
    assert_near(table_real(curves, m, 4), 0, 5 * sqrt(DIM / scores));
    for (size_t q = 5; q < 8; q++)
      assert_true(table_real(curves, m, q) <= table_real(curves, m, q + 1));
  }
  /* Quantiles at distance 0, of 800 scores: those of a normal distribution are at ±1.645 and
     ±0.674 standard deviations; 0.5 is 5 times what so many scores leave open. */
  const double deviation = sqrt(DIM);
  static const double normal[] = {-1.6449, -0.6745, 0.6745, 1.6449};
  for (size_t q = 0; q < 4; q++)
    assert_near(table_real(curves, 0, 5 + q) / deviation, normal[q], 0.5);
  /* The Toeplitz part of noise has one of LENGTH²/(2·LENGTH − 1) degrees of freedom. */
  assert_near(value_of(&job, "rope", METRIC_TRANSLATION_INVARIANCE), 2.0 / LENGTH, 0.5 / LENGTH);
  assert_near(value_of(&job, "rope", METRIC_SYMMETRY), 0.5, 0.02);
  assert_true(error_of(&job, "rope", METRIC_SYMMETRY) > 0);
  release(&job);
}

/* Draws one after another are those of a batch: metrics of 2 draws lie between those of each. */
static void draws_are_averaged(void **state) {
  struct job job = job_of(*state, "rope", 16, 60, CONTENT_ALIGNED);
  double value[3];
  job.request.content.rho = 0.7;
  for (size_t draws = 1; draws <= 2; draws++) {
    job.request.batch = draws;
    run(&job);
    value[draws] = value_of(&job, "rope", METRIC_ENTROPY);
    if (draws == 1)
      assert_true(isnan(error_of(&job, "rope", METRIC_ENTROPY)));
    else /* of two values a and b: mean (a + b)/2, standard error |a − b|/2 */
      assert_near(error_of(&job, "rope", METRIC_ENTROPY), fabs(value[2] - value[1]), 1e-13);
    compare_result_release(&job.result);
  }
  release(&job);
}

static void constant_scores(void **state) {
  struct job job = job_of(*state, "none,alibi", 24, 50, CONTENT_ONES);
  run(&job);
  assert_near(value_of(&job, "none", METRIC_TRANSLATION_INVARIANCE), 1, 0);
  assert_true(isnan(value_of(&job, "none", METRIC_MONOTONICITY)));
  assert_string_equal(detail_of(&job, "none", METRIC_MONOTONICITY), "the same at all distances");
  assert_string_equal(detail_of(&job, "none", METRIC_HALF_DISTANCE), "0 of 1 draws");
  assert_near(value_of(&job, "none", METRIC_ENTROPY), log(50), 1e-13);
  assert_near(value_of(&job, "alibi", METRIC_TRANSLATION_INVARIANCE), 1, 1e-12);
  assert_near(value_of(&job, "alibi", METRIC_MONOTONICITY), 1, 1e-14);
  assert_near(value_of(&job, "alibi", METRIC_NORM_DRIFT), 0, 0);
  release(&job);
}

/* Uniform weights under a causal mask: row i has entropy ln(i + 1) and mean distance i/2. */
static void uniform_and_causal(void **state) {
  enum { LENGTH = 70 };
  struct job job = job_of(*state, "none", 8, LENGTH, CONTENT_ONES);
  job.request.causal = true;
  job.request.view = COMPARE_PANELS;
  run(&job);
  double entropy = 0;
  for (int i = 0; i < LENGTH; i++)
    entropy += log(i + 1) / LENGTH;
  assert_near(value_of(&job, "none", METRIC_ENTROPY), entropy, 1e-13);
  assert_near(value_of(&job, "none", METRIC_MEAN_DISTANCE), (LENGTH - 1) / 4.0, 1e-13);
  assert_string_equal(detail_of(&job, "none", METRIC_SYMMETRY), "masked");
  assert_int_equal(job.result.panels, 1);
  const struct matrix *panel = job.result.panel[0];
  assert_int_equal(panel->rows, 64);
  assert_true(isnan(panel->cells[63]));
  assert_near(panel->cells[63 * 64], 8, 0);
  release(&job);
}

/* Sinusoidal tables alone: S = B_{m−n}, and their tokens are as long as √(d/2). */
static void sinusoidal_of_zero(void **state) {
  enum { LENGTH = 90, DIM = 32 };
  struct job job = job_of(*state, "sinusoidal,rope", DIM, LENGTH, CONTENT_ZERO);
  job.request.view = COMPARE_PANELS;
  job.request.cells = LENGTH;
  run(&job);
  for (int m = 0; m < LENGTH; m++)
    for (int n = 0; n < LENGTH; n++)
      assert_near(job.result.panel[0]->cells[m * LENGTH + n], cosine_sum_of(job.spectrum, m - n),
                  1e-12);
  assert_near(value_of(&job, "sinusoidal", METRIC_TRANSLATION_INVARIANCE), 1, 1e-12);
  assert_near(value_of(&job, "rope", METRIC_TRANSLATION_INVARIANCE), 1, 0);
  assert_string_equal(detail_of(&job, "rope", METRIC_NORM_DRIFT), "no content");
  release(&job);
  job = job_of(*state, "sinusoidal", DIM, LENGTH, CONTENT_ONES);
  run(&job);
  assert_true(value_of(&job, "sinusoidal", METRIC_NORM_DRIFT) > 0.1);
  assert_true(value_of(&job, "sinusoidal", METRIC_TRANSLATION_INVARIANCE) < 0.999);
  release(&job);
}

/* In float the metrics stay within a few roundings of scores. */
static void float_and_threads(void **state) {
  struct job job = job_of(*state, "rope,sinusoidal,alibi", 32, 200, CONTENT_GAUSSIAN);
  struct compare_result result[3];
  for (int i = 0; i < 3; i++) {
    job.request.arithmetic = i == 2 ? COMPARE_SINGLE : COMPARE_DOUBLE;
    thread_use(i ? 3 : 1);
    run(&job);
    result[i] = job.result;
  }
  thread_use(thread_available());
  assert_string_equal(meta_text(table_meta(result[2].metrics), "arithmetic"), "fp32");
  for (size_t row = 0; row < table_rows(result[0].metrics); row++) {
    const double value = table_real(result[0].metrics, row, 4);
    if (!isfinite(value)) continue;
    assert_near(table_real(result[1].metrics, row, 4), value, 0);
    if (row % METRICS != METRIC_HALF_DISTANCE)
      assert_near(table_real(result[2].metrics, row, 4), value, 1e-4 * (fabs(value) + 1));
  }
  for (int i = 0; i < 3; i++)
    compare_result_release(&result[i]);
  spectrum_destroy(job.spectrum);
}

static void refusals(void **state) {
  struct job job = job_of(*state, "rope,none", 8, 10, CONTENT_ZERO);
  assert_fails(&job, "content 'zero'");
  job = job_of(*state, "rope", 8, 10, CONTENT_ONES);
  job.request.length = 0;
  assert_fails(&job, "length of a comparison is '0'");
  job = job_of(*state, "rope", 8, 10, CONTENT_ONES);
  job.request.batch = 0;
  assert_fails(&job, "batch");
  job = job_of(*state, "rope", 8, 10, CONTENT_ONES);
  job.request.reference = encoding_of("none");
  assert_fails(&job, "reference 'none'");
  job = job_of(*state, "rope", 8, 10, CONTENT_ONES);
  job.request.reference = encoding_of("rope");
  job.request.view = COMPARE_PANELS;
  assert_fails(&job, "nothing to be compared with");
  job = job_of(*state, "learned", 8, 10, CONTENT_ONES);
  assert_fails(&job, "needs a table");
  job = job_of(*state, "alibi", 8, 10, CONTENT_GAUSSIAN);
  job.request.attention = COMPARE_LINEAR_ELU;
  assert_fails(&job, "'alibi' adds to the scores");
  job = job_of(*state, "alibi", 8, 10, CONTENT_GAUSSIAN);
  job.request.head = 8;
  assert_fails(&job, "head is '8'");
  job = job_of(*state, "rope", 8, 10, CONTENT_GAUSSIAN);
  job.request.attention = COMPARE_LINEAR_FAVOR;
  job.request.features = 7;
  assert_fails(&job, "'7' features");
  job = job_of(*state, "sinusoidal", 8, 10, CONTENT_GAUSSIAN);
  job.request.attention = COMPARE_LINEAR_ELU;
  job.request.terms = true;
  assert_fails(&job, "no terms");
}

/* Squares of scores that double does not have: nothing is said of them; lengths and angles of the
   same tokens are numbers. */
static void beyond_double(void **state) {
  enum { DIM = 8, LENGTH = 20 };
  double row[LENGTH * DIM];
  for (int i = 0; i < LENGTH * DIM; i++)
    row[i] = 1e200 * (1 + i % 7);
  struct position_table table = {.row = row, .positions = LENGTH, .width = DIM, .name = "given"};
  struct job job = job_of(*state, "learned,rope", DIM, LENGTH, CONTENT_GAUSSIAN);
  job.request.learned = &table;
  run(&job);
  for (int metric = 0; metric <= METRIC_HALF_DISTANCE; metric++) {
    assert_true(isnan(value_of(&job, "learned", (enum metric)metric)));
    assert_true(isnan(error_of(&job, "learned", (enum metric)metric)));
    assert_string_equal(detail_of(&job, "learned", (enum metric)metric), "not finite");
  }
  assert_true(value_of(&job, "learned", METRIC_NORM_DRIFT) > 1e198);
  assert_true(value_of(&job, "learned", METRIC_ANGLE_DRIFT) > 0.1);
  assert_false(isnan(value_of(&job, "rope", METRIC_ENTROPY)));
  const struct meta *meta = table_meta(job.result.metrics);
  assert_int_equal(meta_count(meta, "warnings"), 1);
  assert_string_equal(meta_item_text(meta, "warnings", 0),
                      "Learned: some scores or their squares are beyond fp64");
  release(&job);
}

/* xPos multiplies by what is soon beyond float, and its scores at distances >= 0 have the spread
   that those before them, 10^5 times as large, do not hide. */
static void long_xpos(void **state) {
  for (int causal = 0; causal < 2; causal++) {
    struct job job = job_of(*state, "xpos", 8, 4608, CONTENT_ONES);
    job.request.arithmetic = COMPARE_SINGLE;
    job.request.causal = causal;
    run(&job);
    const struct meta *item = meta_item(table_meta(job.result.metrics), "encodings", 0);
    assert_string_equal(meta_text(item, "arithmetic"), "fp64");
    /* The factor behind the mask is 0.2857^(-4607/512) = 8e4, in front of it 1. */
    const double bound = (8 + 1 + 24) * 0x1p-53 * 8 * (causal ? 1 : 79000);
    assert_near(meta_real(item, "score_error_bound", 0), bound, 0.1 * bound);
    assert_true(value_of(&job, "xpos", METRIC_MONOTONICITY) > 0.2);
    assert_near(value_of(&job, "xpos", METRIC_TRANSLATION_INVARIANCE), 1, 1e-9);
    release(&job);
  }
}

/* Rows of norm 0.02·√8 beside tokens of norm √8; sines and cosines have norm 2. */
static void small_tables(void **state) {
  struct position_table table = {.untrained = true, .seed = 1, .name = "random:1"};
  struct error error;
  assert_int_equal(position_table_draw(*state, &table, 40, 8, &error), OK);
  struct job job = job_of(*state, "learned,sinusoidal", 8, 40, CONTENT_GAUSSIAN);
  job.request.learned = &table;
  job.request.terms = true;
  run(&job);
  const struct meta *meta = table_meta(job.result.metrics);
  assert_int_equal(meta_count(meta, "warnings"), 1);
  assert_non_null(strstr(meta_item_text(meta, "warnings", 0), "Learned: rows of mean norm 0.05"));
  release(&job);
  job = job_of(*state, "learned", 8, 40, CONTENT_ZERO);
  job.request.learned = &table;
  run(&job);
  assert_int_equal(meta_count(table_meta(job.result.metrics), "warnings"), 0);
  release(&job);
  position_table_release(&table);
}

/* A mean over the draws that have a half distance would be of the short ones alone. */
static void half_distance_of_some_draws(void **state) {
  struct job job = job_of(*state, "rope", 32, 40, CONTENT_GAUSSIAN);
  run(&job);
  assert_string_equal(detail_of(&job, "rope", METRIC_HALF_DISTANCE), "1 of 4 draws");
  assert_true(isnan(value_of(&job, "rope", METRIC_HALF_DISTANCE)));
  assert_true(isnan(error_of(&job, "rope", METRIC_HALF_DISTANCE)));
  release(&job);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(columns_and_rows),   cmocka_unit_test(rope_of_ones),
      cmocka_unit_test(rope_of_gaussians),  cmocka_unit_test(draws_are_averaged),
      cmocka_unit_test(constant_scores),    cmocka_unit_test(uniform_and_causal),
      cmocka_unit_test(sinusoidal_of_zero), cmocka_unit_test(float_and_threads),
      cmocka_unit_test(beyond_double),      cmocka_unit_test(long_xpos),
      cmocka_unit_test(small_tables),       cmocka_unit_test(half_distance_of_some_draws),
      cmocka_unit_test(refusals),
  };
  return cmocka_run_group_tests(tests, open_backend, close_backend);
}

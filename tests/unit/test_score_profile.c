/* Profiles by distance, and all sums beside them, against the full maps of the oracle. */
#include "tests/oracle/cpu_backend.h"
#include "tests/unit/score_job.h"

static struct error error;

static void compare(const struct shape *shape, bool causal, bool single) {
  struct job job, again;
  job_open(&job, shape, causal, single);
  thread_use(1);
  outputs_open(&job);
  assert_done(backend_scores(backend, &job.batch, &error));
  again = job;
  outputs_open(&again);
  thread_use(2);
  assert_done(backend_scores(backend, &again.batch, &error));
  const size_t distances = 2 * shape->length - 1, draws = job.batch.batch;
  assert_memory_equal(job.mean, again.mean, draws * distances * sizeof(double));
  assert_memory_equal(job.square, again.square, draws * distances * sizeof(double));
  assert_memory_equal(job.quantile, again.quantile, LEVELS * distances * sizeof(double));
  assert_memory_equal(job.sums, again.sums, draws * sizeof *job.sums);
  assert_memory_equal(job.weights, again.weights, draws * sizeof *job.weights);
  const double score_error = oracle_score_error(&job.batch);
  long double *maps[MOST_DRAWS];
  for (size_t draw = 0; draw < draws; draw++) {
    maps[draw] = oracle_draw_map(&job.batch, draw, false);
    compare_sums(&job, draw, maps[draw], score_error);
    compare_weights(&job, draw, oracle_weight_error(&job.batch));
  }
  compare_profile(&job, maps, score_error);
  for (size_t draw = 0; draw < draws; draw++)
    free(maps[draw]);
  outputs_finish(&job);
  outputs_finish(&again);
  job_close(&job);
}

static void twin_of_the_oracle(void **state) {
  (void)state;
  static const struct shape shapes[] = {{1, 1, 2, 1, 4},   {3, 2, 3, 1, 1},    {2, 7, 8, 4, 16},
                                        {1, 64, 5, 2, 3},  {2, 131, 6, 3, 50}, {2, 523, 4, 2, 20},
                                        {1, 1031, 2, 1, 9}};
  for (size_t s = 0; s < COUNT_OF(shapes); s++)
    for (int bits = 0; bits < 4; bits++)
      compare(&shapes[s], bits & 1, bits & 2);
}

/* What is asked for beside it changes no result: each alone, and all with tiles. */
static void alone_or_together(void **state) {
  (void)state;
  const struct shape shape = {3, 140, 8, 4, 11};
  for (int bits = 0; bits < 8; bits++) {
    struct job all, one;
    job_open(&all, &shape, bits & 1, bits & 2);
    outputs_open(&all);
    double with[49], without[49];
    all.batch.softmax = bits & 4;
    all.batch.tiles = (struct tiles){7, 7, REDUCE_ABSMAX, with};
    assert_done(backend_scores(backend, &all.batch, &error));
    one = all;
    outputs_open(&one);
    one.batch.tiles.cells = without;
    one.batch.profile = NULL;
    one.batch.sums = NULL;
    one.batch.weights = NULL;
    assert_done(backend_scores(backend, &one.batch, &error));
    /* Without anything else draws are added up inside the product. */
    assert_all_close(with, without, 49, 2 * oracle_score_error(&all.batch), "tiles");
    one.batch.tiles.cells = NULL;
    one.batch.profile = &one.profile;
    assert_done(backend_scores(backend, &one.batch, &error));
    one.batch.profile = NULL;
    one.batch.sums = one.sums;
    assert_done(backend_scores(backend, &one.batch, &error));
    one.batch.sums = NULL;
    one.batch.weights = one.weights;
    assert_done(backend_scores(backend, &one.batch, &error));
    assert_memory_equal(all.mean, one.mean, 3 * 279 * sizeof(double));
    assert_memory_equal(all.square, one.square, 3 * 279 * sizeof(double));
    assert_memory_equal(all.quantile, one.quantile, LEVELS * 279 * sizeof(double));
    assert_memory_equal(all.sums, one.sums, sizeof all.sums);
    assert_memory_equal(all.weights, one.weights, sizeof all.weights);
    outputs_finish(&all);
    outputs_finish(&one);
    job_close(&all);
  }
}

static void range_of_the_bins(void **state) {
  (void)state;
  const struct shape shape = {2, 90, 6, 3, 40};
  struct job job;
  job_open(&job, &shape, false, false);
  outputs_open(&job);
  job.profile.low = -1;
  job.profile.high = 3;
  assert_done(backend_scores(backend, &job.batch, &error));
  assert_close(job.bin_width, 0.1, 1e-15);
  for (size_t i = 0; i < LEVELS * 179; i++)
    assert_true(job.quantile[i] >= -1 && job.quantile[i] <= 3);
  job.profile.low = job.profile.high = 0;
  assert_done(backend_scores(backend, &job.batch, &error));
  long double low = INFINITY, high = -INFINITY;
  for (size_t draw = 0; draw < 2; draw++) {
    long double *map = oracle_draw_map(&job.batch, draw, false);
    for (size_t c = 0; c < 90 * 90; c++) {
      low = fminl(low, map[c]);
      high = fmaxl(high, map[c]);
    }
    free(map);
  }
  assert_close(job.bin_width, (double)((high - low) / 40), 1e-14);
  outputs_finish(&job);
  job_close(&job);
}

/* A NaN in one query: the distances of its row, in its draw alone; quantiles are over all draws. */
static void not_a_number_is_never_lost(void **state) {
  (void)state;
  const struct shape shape = {2, 20, 4, 2, 6};
  enum { AT = 13, DISTANCES = 39, ZERO = 19 };
  for (int bits = 0; bits < 4; bits++) {
    struct job job;
    job_open(&job, &shape, bits & 1, bits & 2);
    outputs_open(&job);
    job.query[(20 + AT) * 4] = NAN;
    assert_done(backend_scores(backend, &job.batch, &error));
    for (size_t i = 0; i < DISTANCES; i++) {
      const bool masked = (bits & 1) && i < ZERO;
      const bool hit = i <= ZERO + AT && i + ZERO >= ZERO + AT; /* t = AT − n, 0 <= n < 20 */
      assert_int_equal(isnan(job.mean[i]) != 0, masked);
      assert_int_equal(isnan(job.mean[DISTANCES + i]) != 0, masked || hit);
      assert_int_equal(isnan(job.square[DISTANCES + i]) != 0, masked || hit);
      for (size_t l = 0; l < LEVELS; l++)
        assert_int_equal(isnan(job.quantile[l * DISTANCES + i]) != 0, masked || hit);
    }
    assert_false(isnan(job.sums[0].sum) || isnan(job.weights[0].entropy));
    assert_true(isnan(job.sums[1].sum) && isnan(job.sums[1].square) &&
                isnan(job.sums[1].toeplitz) && isnan(job.sums[1].symmetric));
    assert_true(isnan(job.weights[1].locality) && isnan(job.weights[1].distance) &&
                isnan(job.weights[1].entropy));
    outputs_finish(&job);
    job_close(&job);
  }
}

static void bad_requests(void **state) {
  (void)state;
  const struct shape shape = {1, 4, 2, 1, 4};
  struct job job;
  job_open(&job, &shape, false, false);
  outputs_open(&job);
  const struct score_profile good = job.profile;
  assert_done(backend_scores(backend, &job.batch, &error));
  job.profile.low = 2;
  job.profile.high = 1;
  assert_refused(backend_scores(backend, &job.batch, &error), ERROR_FAILED, "'low' is 2");
  job.profile.high = NAN;
  assert_refused(backend_scores(backend, &job.batch, &error), ERROR_FAILED, "'high' is nan");
  job.profile = good;
  job.profile.level = NULL;
  assert_refused(backend_scores(backend, &job.batch, &error), ERROR_FAILED, "'level' is missing");
  job.profile = good;
  job.profile.quantile = NULL;
  assert_refused(backend_scores(backend, &job.batch, &error), ERROR_FAILED,
                 "'quantile' is missing");
  job.profile = good;
  job.profile.bin_width = NULL;
  assert_refused(backend_scores(backend, &job.batch, &error), ERROR_FAILED,
                 "'bin_width' is missing");
  static const double outside[LEVELS] = {0, 0.5, 1.5, 1, 1};
  job.profile = good;
  job.profile.level = outside;
  assert_refused(backend_scores(backend, &job.batch, &error), ERROR_FAILED, "0 to 1 are levels");
  job.profile = good;
  job.batch.batch = (size_t)1 << 31;
  assert_refused(backend_scores(backend, &job.batch, &error), ERROR_FAILED, "fewer than 2^32");
  job.batch.batch = 1;
  job.batch.scale = INFINITY;
  assert_refused(backend_scores(backend, &job.batch, &error), ERROR_FAILED, "'scale' is inf");
  job.batch.weights = NULL;
  assert_done(backend_scores(backend, &job.batch, &error));
  job.batch.sums = NULL;
  job.batch.profile = NULL;
  job.batch.tiles = (struct tiles){2, 2, REDUCE_MAX, NULL};
  assert_refused(backend_scores(backend, &job.batch, &error), ERROR_FAILED, "'cells' is missing");
  outputs_finish(&job);
  job_close(&job);
}

/* Whichever array is refused, nothing leaks. */
static void out_of_memory(void **state) {
  (void)state;
  const struct shape shape = {2, 60, 8, 4, 10};
  const uint64_t limit = memory_limit();
  struct job job;
  job_open(&job, &shape, false, false);
  outputs_open(&job);
  double cells[36];
  job.batch.softmax = true;
  job.batch.tiles = (struct tiles){6, 6, REDUCE_MEAN, cells};
  size_t refused = 0, done = 0;
  for (uint64_t bytes = 64; bytes < 1 << 24; bytes += bytes / 4) {
    memory_set_limit(bytes);
    if (backend_scores(backend, &job.batch, &error)) {
      assert_non_null(strstr(error.message, "not enough memory"));
      refused++;
    } else {
      done++;
    }
  }
  memory_set_limit(limit);
  assert_true(refused > 8 && done > 4);
  outputs_finish(&job);
  job_close(&job);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(twin_of_the_oracle), cmocka_unit_test(alone_or_together),
      cmocka_unit_test(range_of_the_bins),  cmocka_unit_test(not_a_number_is_never_lost),
      cmocka_unit_test(bad_requests),       cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, open_backend, close_backend);
}

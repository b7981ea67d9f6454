/* Scores and weights to which a bias by distance is added, against the full map of the oracle. */
#include "kernels/scores.h"
#include "tests/oracle/cpu_backend.h"
#include "tests/unit/score_job.h"

static struct error error;

/* What biases look like: slopes as ALiBi's on both sides, numbers of no order, a window outside of
   which all is masked, single distances that are masked, and what a causal mask hides anyway. */
enum bias_kind { SLOPES, RANDOM, WINDOW, GAPS, BELOW_ZERO, BIAS_KINDS };

static double *bias_of(enum bias_kind kind, size_t length) {
  double *bias = random_array(2 * length - 1, 40 + length);
  for (size_t i = 0; i < 2 * length - 1; i++) {
    const double t = (double)i - (double)(length - 1);
    if (kind == SLOPES) bias[i] = t < 0 ? 0.25 * t : -0.0625 * t;
    if (kind == WINDOW && fabs(t) > (double)length / 3) bias[i] = -INFINITY;
    if (kind == GAPS && i % 5 == 1 && i != length - 1) bias[i] = -INFINITY;
    if (kind == BELOW_ZERO && t < 0) bias[i] = -INFINITY;
  }
  return bias;
}

/* The oracle is slow: a part of the kinds will do for long maps. */
static bool is_tried(const struct shape *shape, int kind) {
  return shape->length < 200 || kind == (shape->length < 1000 ? WINDOW : RANDOM);
}

struct variant {
  bool softmax;
  enum reduction reduction;
};

static void compare_tiles(struct score_batch *batch, const struct variant *variant,
                          const long double *map) {
  const size_t count = batch->tiles.rows * batch->tiles.columns;
  double *cells = guarded_array(count), *again = guarded_array(count),
         *expected = guarded_array(count);
  batch->softmax = variant->softmax;
  batch->tiles.reduction = variant->reduction;
  batch->tiles.cells = cells;
  thread_use(1);
  assert_done(backend_scores(backend, batch, &error));
  batch->tiles.cells = again;
  thread_use(2);
  assert_done(backend_scores(backend, batch, &error));
  assert_memory_equal(cells, again, count * sizeof *cells);
  oracle_reduce(map, batch->length, batch->causal, &batch->tiles, expected);
  const double weight_error = oracle_weight_error(batch), score_error = oracle_score_error(batch);
  char what[120];
  snprintf(what, sizeof what, "%zu×%zu to %zu×%zu%s%s%s, reduction %d", batch->batch, batch->length,
           batch->tiles.rows, batch->tiles.columns, batch->causal ? ", causal" : "",
           batch->softmax ? ", softmax" : "", batch->single ? ", single" : "",
           (int)batch->tiles.reduction);
  for (size_t i = 0; i < count; i++)
    assert_all_close(cells + i, expected + i, 1,
                     batch->softmax ? weight_error * fabs(expected[i]) + 0x1p-126 : score_error,
                     what);
  guarded_finish(cells, count);
  guarded_finish(again, count);
  guarded_finish(expected, count);
}

static void compare_all_tiles(const struct shape *shape, size_t rows, size_t columns,
                              enum bias_kind kind) {
  for (int bits = 0; bits < 8; bits++) {
    struct job job;
    job_open(&job, shape, bits & 1, bits & 2);
    double *bias = bias_of(kind, shape->length);
    job.batch.bias = bias;
    job.batch.tiles = (struct tiles){.rows = rows, .columns = columns};
    struct variant variant = {.softmax = bits & 4};
    job.batch.softmax = variant.softmax;
    long double *map = oracle_score_map(&job.batch);
    for (int reduction = 0; reduction < 3; reduction++) {
      variant.reduction = (enum reduction)reduction;
      compare_tiles(&job.batch, &variant, map);
    }
    free(map);
    free(bias);
    job_close(&job);
  }
}

static void tiles_of_every_kind(void **state) {
  (void)state;
  static const struct {
    struct shape shape;
    size_t rows, columns;
  } cases[] = {{{1, 1, 2, 1, 0}, 1, 1},    {{2, 7, 8, 4, 0}, 7, 7},     {{3, 33, 6, 3, 0}, 33, 5},
               {{2, 65, 4, 2, 0}, 13, 64}, {{2, 193, 4, 2, 0}, 150, 3}, {{1, 521, 3, 1, 0}, 7, 521},
               {{1, 1031, 2, 1, 0}, 3, 2}};
  for (size_t c = 0; c < COUNT_OF(cases); c++)
    for (int kind = 0; kind < BIAS_KINDS; kind++)
      if (is_tried(&cases[c].shape, kind))
        compare_all_tiles(&cases[c].shape, cases[c].rows, cases[c].columns, (enum bias_kind)kind);
}

/* Profiles, sums of scores and of weights, at once; alone they are the same bits. */
static void compare_sums_of(const struct shape *shape, bool causal, bool single,
                            enum bias_kind kind) {
  struct job job, again;
  job_open(&job, shape, causal, single);
  double *bias = bias_of(kind, shape->length);
  job.batch.bias = bias;
  thread_use(1);
  outputs_open(&job);
  assert_done(backend_scores(backend, &job.batch, &error));
  again = job;
  outputs_open(&again);
  thread_use(2);
  assert_done(backend_scores(backend, &again.batch, &error));
  const size_t distances = 2 * shape->length - 1, draws = shape->batch;
  assert_memory_equal(job.mean, again.mean, draws * distances * sizeof(double));
  assert_memory_equal(job.quantile, again.quantile, LEVELS * distances * sizeof(double));
  assert_memory_equal(job.sums, again.sums, draws * sizeof *job.sums);
  assert_memory_equal(job.weights, again.weights, draws * sizeof *job.weights);
  long double *maps[MOST_DRAWS] = {0};
  for (size_t draw = 0; draw < draws; draw++) {
    maps[draw] = oracle_draw_map(&job.batch, draw, false);
    compare_sums(&job, draw, maps[draw], oracle_score_error(&job.batch));
    compare_weights(&job, draw, oracle_weight_error(&job.batch));
  }
  compare_profile(&job, maps, oracle_score_error(&job.batch));
  for (size_t draw = 0; draw < draws; draw++)
    free(maps[draw]);
  outputs_finish(&job);
  outputs_finish(&again);
  free(bias);
  job_close(&job);
}

static void profiles_and_sums(void **state) {
  (void)state;
  static const struct shape shapes[] = {
      {1, 1, 2, 1, 4}, {3, 2, 3, 1, 1}, {2, 131, 6, 3, 50}, {2, 523, 4, 2, 20}, {1, 1031, 2, 1, 9}};
  for (size_t s = 0; s < COUNT_OF(shapes); s++)
    for (int kind = 0; kind < BIAS_KINDS; kind++)
      for (int bits = 0; bits < 4 && is_tried(&shapes[s], kind);
           bits += shapes[s].length > 500 ? 3 : 1)
        compare_sums_of(&shapes[s], bits & 1, bits & 2, (enum bias_kind)kind);
}

/* −∞ at every distance below 0 is the causal mask. */
static void masks_as_the_causal_one(void **state) {
  (void)state;
  const struct shape shape = {2, 140, 8, 4, 11};
  for (int bits = 0; bits < 16; bits++) {
    struct job causal, biased;
    job_open(&causal, &shape, true, bits & 1);
    causal.batch.softmax = bits & 2;
    double *bias = calloc(279, sizeof *bias), a[63], b[63];
    assert_non_null(bias);
    outputs_open(&causal);
    causal.batch.tiles =
        (struct tiles){9, 7, bits & 8 ? REDUCE_ABSMAX : (enum reduction)(bits / 4 % 2), a};
    causal.batch.bias = bias;
    assert_done(backend_scores(backend, &causal.batch, &error));
    for (size_t i = 0; i < 139; i++)
      bias[i] = -INFINITY;
    biased = causal;
    outputs_open(&biased);
    biased.batch.causal = false;
    biased.batch.tiles.cells = b;
    assert_done(backend_scores(backend, &biased.batch, &error));
    const double off = 2 * oracle_score_error(&causal.batch),
                 weight_off = 2 * oracle_weight_error(&causal.batch);
    assert_all_close(b, a, 63, causal.batch.softmax ? weight_off : off, "tiles");
    assert_all_close(biased.mean, causal.mean, 2 * 279, off, "means");
    assert_all_close(biased.quantile, causal.quantile, LEVELS * 279, causal.bin_width + off,
                     "quantiles");
    for (size_t draw = 0; draw < 2; draw++) {
      const double energy = causal.sums[draw].square, entropy = causal.weights[draw].entropy;
      assert_close(biased.sums[draw].square, energy, 140 * off * sqrt(energy));
      assert_close(biased.sums[draw].symmetric, NAN, 0);
      assert_close(biased.weights[draw].entropy, entropy, weight_off * (entropy + 140));
    }
    outputs_finish(&biased);
    outputs_finish(&causal);
    free(bias);
    job_close(&causal);
  }
}

/* NaN in the bias: every cell that holds its distance, with softmax every row that sees it. NaN in
   a key that is masked wherever it is: nowhere. */
static void not_a_number(void **state) {
  (void)state;
  const struct shape shape = {2, 12, 4, 2, 4};
  enum { DISTANCES = 23, ZERO = 11 };
  for (int bits = 0; bits < 24; bits++) {
    struct job job;
    job_open(&job, &shape, bits & 1, bits & 2);
    double bias[DISTANCES] = {0}, cells[144];
    outputs_open(&job);
    job.batch.bias = bias;
    job.batch.softmax = bits & 4;
    job.batch.tiles = (struct tiles){12, 12, (enum reduction)(bits / 8), cells};
    bias[ZERO + 3] = NAN;
    assert_done(backend_scores(backend, &job.batch, &error));
    for (size_t m = 0; m < 12; m++)
      for (size_t n = 0; n < 12; n++) {
        const bool masked = (bits & 1) && n > m, hit = bits & 4 ? m >= 3 : m == n + 3;
        assert_int_equal(isnan(cells[m * 12 + n]) != 0, masked || hit);
      }
    for (size_t i = 0; i < DISTANCES; i++)
      assert_int_equal(isnan(job.mean[i]) != 0, i == ZERO + 3 || ((bits & 1) && i < ZERO));
    assert_true(isnan(job.sums[0].sum) && isnan(job.sums[1].toeplitz));
    assert_true(isnan(job.weights[0].locality) && isnan(job.weights[1].entropy));
    for (size_t i = 0; i < DISTANCES; i++)
      bias[i] = i == ZERO ? 0.5 : -INFINITY;
    job.batch.bias = bias;
    job.key[4 * 4] = NAN; /* key 4 of draw 0: query 4 alone sees it */
    assert_done(backend_scores(backend, &job.batch, &error));
    for (size_t m = 0; m < 12; m++)
      for (size_t n = 0; n < 12; n++)
        assert_int_equal(isnan(cells[m * 12 + n]) != 0, m != n || m == 4);
    assert_true(isnan(job.weights[0].entropy) && isnan(job.sums[0].sum));
    assert_false(isnan(job.weights[1].entropy) || isnan(job.sums[1].sum));
    outputs_finish(&job);
    job_close(&job);
  }
}

/* Rows that see no key have no weights: their cells are empty, and sums over the rows NaN. */
static void rows_without_keys(void **state) {
  (void)state;
  const struct shape shape = {2, 600, 4, 2, 0};
  for (int bits = 0; bits < 4; bits++) {
    struct job job;
    job_open(&job, &shape, true, bits & 1);
    double *bias = calloc(1199, sizeof *bias), cells[36];
    assert_non_null(bias);
    for (size_t i = 0; i < 599 + 150; i++)
      bias[i] = -INFINITY; /* queries 0 .. 149 see nothing, 150 sees key 0 */
    job.batch.bias = bias;
    job.batch.softmax = true;
    job.batch.weights = bits & 2 ? job.weights : NULL;
    job.batch.tiles = (struct tiles){6, 6, REDUCE_MEAN, cells};
    assert_done(backend_scores(backend, &job.batch, &error));
    double expected[36];
    long double *map = oracle_score_map(&job.batch);
    oracle_reduce(map, 600, true, &job.batch.tiles, expected);
    for (size_t i = 0; i < 36; i++)
      assert_all_close(cells + i, expected + i, 1,
                       oracle_weight_error(&job.batch) * fabs(expected[i]), "weights");
    assert_true(isnan(cells[0]) && !isnan(cells[6]) && isnan(cells[7]));
    if (bits & 2) assert_true(isnan(job.weights[0].locality) && isnan(job.weights[0].entropy));
    free(map);
    free(bias);
    job_close(&job);
  }
}

/* Biases far beyond what exp() holds, falling, or with peaks in every part of a row. */
static void large_biases(void **state) {
  (void)state;
  const struct shape shape = {1, 700, 2, 1, 0};
  for (int bits = 0; bits < 8; bits++) {
    struct job job;
    job_open(&job, &shape, bits & 1, bits & 2);
    double *bias = calloc(1399, sizeof *bias);
    assert_non_null(bias);
    for (size_t i = 0; i < 1399; i++)
      bias[i] = bits & 4 ? -40 * fabs((double)i - 699) : 2000 * sin(0.05 * (double)i);
    job.batch.bias = bias;
    job.batch.weights = job.weights;
    assert_done(backend_scores(backend, &job.batch, &error));
    compare_weights(&job, 0, oracle_weight_error(&job.batch));
    free(bias);
    job_close(&job);
  }
}

/* Mean tiles from means; here every score is summed instead. */
static void means_the_full_way(void **state) {
  (void)state;
  const struct shape shape = {2, 530, 8, 4, 0};
  for (int causal = 0; causal < 2; causal++) {
    struct job job;
    job_open(&job, &shape, causal, false);
    double *bias = bias_of(SLOPES, 530), linear[63], full[63];
    job.batch.bias = bias;
    job.batch.tiles = (struct tiles){9, 7, REDUCE_MEAN, linear};
    assert_done(backend_scores(backend, &job.batch, &error));
    job.batch.tiles.cells = full;
    struct score_rows rows;
    struct grid grid;
    assert_done(grid_open(&grid, &job.batch.tiles, job.batch.length, &error));
    assert_done(score_rows_open(&rows, &job.batch, &error));
    const struct score_pass pass = {.rows = &rows, .grid = &grid, .tiles = true};
    assert_done(scores_pass(&pass, &error));
    assert_all_close(full, linear, 63, oracle_score_error(&job.batch), "means");
    score_rows_close(&rows);
    grid_close(&grid);
    free(bias);
    job_close(&job);
  }
}

static void bad_requests(void **state) {
  (void)state;
  const struct shape shape = {1, 4, 2, 1, 4};
  struct job job;
  job_open(&job, &shape, false, false);
  double bias[7] = {0};
  job.batch.bias = bias;
  job.batch.weights = job.weights;
  bias[1] = INFINITY;
  assert_refused(backend_scores(backend, &job.batch, &error), ERROR_FAILED,
                 "'bias' at distance -2 is inf, a number or -inf is needed");
  bias[1] = -INFINITY;
  assert_done(backend_scores(backend, &job.batch, &error));
  job_close(&job);
}

/* Whichever array is refused, nothing leaks. */
static void out_of_memory(void **state) {
  (void)state;
  const struct shape shape = {2, 60, 8, 4, 10};
  const uint64_t limit = memory_limit();
  for (int softmax = 0; softmax < 2; softmax++) {
    struct job job;
    job_open(&job, &shape, false, false);
    double *bias = bias_of(softmax ? GAPS : SLOPES, 60), cells[36];
    job.batch.bias = bias;
    job.batch.softmax = softmax;
    job.batch.weights = job.weights;
    job.batch.tiles = (struct tiles){6, 6, REDUCE_MEAN, cells};
    size_t refused = 0, done = 0;
    for (uint64_t bytes = 64; bytes < 1 << 24; bytes += bytes / 8) {
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
    free(bias);
    job_close(&job);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tiles_of_every_kind),     cmocka_unit_test(profiles_and_sums),
      cmocka_unit_test(masks_as_the_causal_one), cmocka_unit_test(not_a_number),
      cmocka_unit_test(rows_without_keys),       cmocka_unit_test(large_biases),
      cmocka_unit_test(means_the_full_way),      cmocka_unit_test(bad_requests),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, open_backend, close_backend);
}

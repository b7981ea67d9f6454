/* Quantiles of scores over samples. */
#include "tests/oracle/cpu_backend.h"
#include "tests/oracle/oracle.h"

static struct error error;

static const double levels[] = {0.95, 0, 0.05, 0.25, 0.5, 0.5, 0.75, 1, 1.0 / 3};
static const int64_t distances[] = {0, 1, -5, 4096, 131071, 17};
enum { LEVELS = COUNT_OF(levels), DISTANCES = COUNT_OF(distances) };

static struct quantile_batch batch_of(const struct phases *phases, size_t samples,
                                      const double *query, const double *key, double *quantile) {
  return (struct quantile_batch){.phases = *phases,
                                 .samples = samples,
                                 .query = query,
                                 .key = key,
                                 .count = DISTANCES,
                                 .distance = distances,
                                 .levels = LEVELS,
                                 .level = levels,
                                 .quantile = quantile};
}

static void twin_of_the_oracle(void **state) {
  (void)state;
  static const size_t shapes[][2] = {{1, 1}, {2, 1}, {3, 5}, {10, 2}, {101, 16}, {1000, 3}};
  for (size_t s = 0; s < COUNT_OF(shapes); s++) {
    const size_t samples = shapes[s][0], pairs = shapes[s][1];
    struct phases phases = phases_of(pairs, 10000, PRECISION_FP64);
    double *query = random_array(samples * pairs * 2, 21 + s),
           *key = random_array(samples * pairs * 2, 77 + s);
    double *quantile = guarded_array(LEVELS * DISTANCES);
    const struct quantile_batch batch = batch_of(&phases, samples, query, key, quantile);
    assert_done(backend_quantiles(backend, &batch, &error));
    for (size_t l = 0; l < LEVELS; l++)
      for (size_t d = 0; d < DISTANCES; d++)
        assert_close(quantile[l * DISTANCES + d], oracle_quantile(&batch, distances[d], levels[l]),
                     1e-14 * (double)pairs);
    guarded_finish(quantile, LEVELS * DISTANCES);
    free(query);
    free(key);
    phases_free(&phases);
  }
}

/* One pair at distance 0: the score is q·k, whose ranks are known. */
static void known_ranks(void **state) {
  (void)state;
  enum { SAMPLES = 9 };
  static const double one[] = {0, 0.1, 0.5, 0.9375, 1},
                      scores[SAMPLES] = {5, 1, 4, 4, 4, 9, -2, 6, 4};
  double query[2 * SAMPLES], key[2 * SAMPLES], quantile[5];
  for (size_t s = 0; s < SAMPLES; s++) {
    query[2 * s] = scores[s];
    query[2 * s + 1] = 0;
    key[2 * s] = 1;
    key[2 * s + 1] = 7;
  }
  struct phases phases = phases_of(1, 10000, PRECISION_FP64);
  struct quantile_batch batch = batch_of(&phases, SAMPLES, query, key, quantile);
  batch.count = 1;
  batch.levels = 5;
  batch.level = one;
  assert_done(backend_quantiles(backend, &batch, &error));
  /* Sorted: −2 1 4 4 4 4 5 6 9; ranks 0, 0.8, 4, 7.5, 8. */
  const double expected[5] = {-2, 0.4, 4, 7.5, 9};
  assert_all_close(quantile, expected, 5, 1e-15, "quantiles");
  phases_free(&phases);
}

/* Inputs that are sorted, reversed, or nearly all the same: selection must end, and be right. */
static void awkward_orders(void **state) {
  (void)state;
  enum { SAMPLES = 20001 };
  static double query[2 * SAMPLES], key[2 * SAMPLES];
  static const int64_t zero = 0;
  static const double quarters[] = {0, 0.25, 0.5, 0.75, 1};
  struct phases phases = phases_of(1, 10000, PRECISION_FP64);
  for (int kind = 0; kind < 4; kind++) {
    for (int s = 0; s < SAMPLES; s++) {
      query[2 * s] = kind == 0   ? s
                     : kind == 1 ? SAMPLES - 1 - s
                     : kind == 2 ? s % 2
                                 : abs(SAMPLES / 2 - s);
      key[2 * s] = 1;
    }
    double quantile[5];
    struct quantile_batch batch = batch_of(&phases, SAMPLES, query, key, quantile);
    batch.count = 1;
    batch.distance = &zero;
    batch.levels = 5;
    batch.level = quarters;
    assert_done(backend_quantiles(backend, &batch, &error));
    for (size_t l = 0; l < 5; l++)
      assert_close(quantile[l], oracle_quantile(&batch, 0, quarters[l]), 1e-11);
  }
  phases_free(&phases);
}

static void not_a_number_is_never_lost(void **state) {
  (void)state;
  enum { SAMPLES = 50 };
  struct phases phases = phases_of(2, 10000, PRECISION_FP64);
  for (size_t at = 0; at < SAMPLES * 4; at += 33) {
    double *query = random_array(SAMPLES * 4, 1), *key = random_array(SAMPLES * 4, 2);
    double quantile[LEVELS * DISTANCES];
    (at % 2 ? query : key)[at] = NAN;
    const struct quantile_batch batch = batch_of(&phases, SAMPLES, query, key, quantile);
    assert_done(backend_quantiles(backend, &batch, &error));
    for (size_t e = 0; e < LEVELS * DISTANCES; e++)
      assert_true(isnan(quantile[e]));
    free(query);
    free(key);
  }
  phases_free(&phases);
}

/* Many distances, cut into blocks; and blocks of one distance where the samples are many. */
static void blocks_and_threads_do_not_matter(void **state) {
  (void)state;
  static const size_t shapes[][2] = {{50, 300}, {70000, 40}};
  struct phases phases = phases_of(3, 10000, PRECISION_FP64);
  for (size_t s = 0; s < COUNT_OF(shapes); s++) {
    const size_t samples = shapes[s][0], count = shapes[s][1];
    double *query = random_array(samples * 6, 8), *key = random_array(samples * 6, 9);
    double *out[2];
    int64_t distance[300];
    for (size_t d = 0; d < count; d++)
      distance[d] = (int64_t)(d * d);
    struct quantile_batch batch = batch_of(&phases, samples, query, key, NULL);
    batch.count = count;
    batch.distance = distance;
    for (int t = 0; t < 2; t++) {
      thread_use(t + 1);
      batch.quantile = out[t] = guarded_array(LEVELS * count);
      assert_done(backend_quantiles(backend, &batch, &error));
    }
    assert_memory_equal(out[0], out[1], LEVELS * count * sizeof(double));
    for (size_t d = 0; d < count; d += count / 3)
      assert_close(out[0][4 * count + d], oracle_quantile(&batch, distance[d], 0.5), 1e-13);
    for (int t = 0; t < 2; t++)
      guarded_finish(out[t], LEVELS * count);
    free(query);
    free(key);
  }
  phases_free(&phases);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(twin_of_the_oracle),
      cmocka_unit_test(known_ranks),
      cmocka_unit_test(awkward_orders),
      cmocka_unit_test(not_a_number_is_never_lost),
      cmocka_unit_test(blocks_and_threads_do_not_matter),
  };
  return cmocka_run_group_tests(tests, open_backend, close_backend);
}

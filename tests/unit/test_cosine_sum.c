/* The cosine sums of kernels/backend.h against 50-digit values, an oracle and themselves. What a
   search gets from them: test_cosine_search.c. */
#include "tests/oracle/cpu_backend.h"
#include "tests/oracle/oracle.h"

static struct error error;

static void run(const struct cosine_sum_batch *batch) {
  assert_done(backend_cosine_sum(backend, batch, &error));
}

/* Divided by Σ|weight|. */
static double tolerance(bool single) {
  return single ? 2e-6 : 1e-14;
}

static double tolerance_at(int64_t distance) {
  return distance <= 4096 ? 1e-12 : distance <= 1048576 ? 1e-9 : 1e-6;
}

/* Each row of tests/golden/decay.tsv, by itself and within a run, in double and in float. */
static void golden_values(void **state) {
  (void)state;
  FILE *file = fopen("tests/golden/decay.tsv", "r");
  assert_non_null(file);
  char line[512];
  size_t rows = 0;
  while (fgets(line, sizeof line, file)) {
    size_t dim;
    double base, bound, expected;
    long long m;
    if (sscanf(line, "%zu %lf %lld %lf %lf", &dim, &base, &m, &bound, &expected) != 5) continue;
    struct phases phases = phases_of(dim / 2, base, PRECISION_FP64);
    const double pairs = (double)dim / 2;
    const int64_t before = m < 700 ? m : 700;
    for (int single = 0; single <= 1; single++) {
      double sum[1000];
      const double allowed = (tolerance_at(m) + (single ? 2e-6 : 0)) * pairs;
      struct cosine_sum_batch batch = {.phases = phases,
                                       .first = m - before,
                                       .step = 1,
                                       .count = 1000,
                                       .single = single,
                                       .sum = sum};
      run(&batch);
      assert_close(sum[before], expected, allowed);
      batch.first = m;
      batch.count = 1;
      run(&batch);
      assert_close(sum[0], expected, allowed);
    }
    phases_free(&phases);
    rows++;
  }
  fclose(file);
  assert_true(rows > 300);
}

static double weight_sum(const double *weight, size_t pairs) {
  double sum = 0;
  for (size_t i = 0; i < pairs; i++)
    sum += weight ? fabs(weight[i]) : 1;
  return sum;
}

/* Runs `batch` in double and in float, and compares every `stride`-th sum. */
static void assert_sums(struct cosine_sum_batch batch, size_t stride) {
  const size_t pairs = batch.phases.pairs;
  const double size = weight_sum(batch.weight, pairs);
  for (int single = 0; single <= 1; single++) {
    double *sum = guarded_array(batch.count);
    batch.single = single;
    batch.sum = sum;
    run(&batch);
    for (size_t n = 0; n < batch.count; n += stride) {
      const int64_t m = batch.first + batch.step * (int64_t)n;
      assert_close(sum[n], oracle_cosine_sum(batch.phases.step, batch.weight, pairs, m),
                   tolerance(single) * size);
    }
    guarded_finish(sum, batch.count);
  }
}

static void twin_of_the_oracle(void **state) {
  (void)state;
  static const size_t pairs_of[] = {1, 2, 31, 32, 33, 64, 97},
                      counts[] = {0, 1, 2, 7, 15, 16, 17, 255, 257, 1031};
  static const int64_t firsts[] = {0, 3, INT64_C(1) << 31, 0}, steps[] = {1, 7, 1, 2147483647};
  for (size_t p = 0; p < COUNT_OF(pairs_of); p++)
    for (size_t c = 0; c < COUNT_OF(counts); c++)
      for (size_t f = 0; f < COUNT_OF(firsts); f++) {
        struct phases phases = phases_of(pairs_of[p], 10000, PRECISION_FP64);
        double *weight = random_array(pairs_of[p], 5 + c);
        assert_sums((struct cosine_sum_batch){.phases = phases,
                                              .weight = f % 2 ? weight : NULL,
                                              .first = firsts[f],
                                              .step = steps[f],
                                              .count = counts[c]},
                    1 + counts[c] / 19);
        free(weight);
        phases_free(&phases);
      }
}

/* More distances than a block, and more pairs than a table. */
static void long_runs_and_many_pairs(void **state) {
  (void)state;
  static const size_t shapes[][2] = {{3, 140001}, {64, 70000},  {255, 3000}, {256, 600},
                                     {257, 600},  {300, 70000}, {700, 2500}, {5000, 20}};
  thread_use(1); /* so that a block finds the tables of the one before */
  for (size_t s = 0; s < COUNT_OF(shapes); s++) {
    struct phases phases = phases_of(shapes[s][0], 500000, PRECISION_FP64);
    double *weight = random_array(shapes[s][0], 77);
    const struct cosine_sum_batch batch = {
        .phases = phases, .first = 1, .step = 1, .count = shapes[s][1]};
    assert_sums(batch, 1 + shapes[s][1] / 101);
    struct cosine_sum_batch weighted = batch;
    weighted.weight = weight;
    assert_sums(weighted, 1 + shapes[s][1] / 101);
    free(weight);
    phases_free(&phases);
  }
}

/* Base 1: all terms are equal, and round the same way each time. */
static void equal_terms(void **state) {
  (void)state;
  static const size_t pairs_of[] = {32, 64, 96, 256, 1000};
  for (size_t p = 0; p < COUNT_OF(pairs_of); p++) {
    struct phases phases = phases_of(pairs_of[p], 1, PRECISION_FP64);
    assert_sums((struct cosine_sum_batch){.phases = phases, .step = 1, .count = 4096}, 37);
    phases_free(&phases);
  }
}

/* Weights that float cannot hold. */
static void far_weights(void **state) {
  (void)state;
  enum { PAIRS = 24 };
  static const double sizes[] = {1e300, 1e39, 1e-45, 1e-300, 0};
  struct phases phases = phases_of(PAIRS, 10000, PRECISION_FP64);
  for (size_t s = 0; s < COUNT_OF(sizes); s++) {
    double *weight = random_array(PAIRS, 3);
    for (size_t i = 0; i < PAIRS; i++)
      weight[i] *= sizes[s];
    assert_sums(
        (struct cosine_sum_batch){.phases = phases, .weight = weight, .step = 1, .count = 300}, 7);
    free(weight);
  }
  phases_free(&phases);
}

static void several_series(void **state) {
  (void)state;
  enum { PAIRS = 12, COUNT = 600 };
  struct phases a = phases_of(PAIRS, 10000, PRECISION_FP64),
                b = phases_of(PAIRS, 500000, PRECISION_FP64);
  uint64_t step[2 * PAIRS];
  memcpy(step, a.step, sizeof step / 2);
  memcpy(step + PAIRS, b.step, sizeof step / 2);
  for (int kind = 0; kind < 4; kind++) {
    double *sum = guarded_array(2 * COUNT), alone[2 * COUNT];
    struct cosine_sum_batch batch = {.phases = {.series = 2, .pairs = PAIRS, .step = step},
                                     .step = 1,
                                     .count = COUNT,
                                     .single = kind / 2,
                                     .sum = sum};
    thread_use(1 + kind % 2);
    run(&batch);
    batch.phases = a;
    batch.sum = alone;
    run(&batch);
    batch.phases = b;
    batch.sum = alone + COUNT;
    run(&batch);
    assert_memory_equal(sum, alone, sizeof alone);
    guarded_finish(sum, 2 * COUNT);
  }
  phases_free(&a);
  phases_free(&b);
}

/* Below fp64 every angle is rounded by itself. */
static void rounded_phases(void **state) {
  (void)state;
  enum { PAIRS = 16, COUNT = 40 };
  static const enum precision formats[] = {PRECISION_FP32, PRECISION_TF32, PRECISION_BF16,
                                           PRECISION_FP16};
  double *weight = random_array(PAIRS, 9);
  for (size_t f = 0; f < COUNT_OF(formats); f++)
    for (int kind = 0; kind < 4; kind++) {
      struct phases phases = phases_of(PAIRS, 10000, formats[f]);
      double sum[COUNT];
      const struct cosine_sum_batch batch = {.phases = phases,
                                             .weight = kind % 2 ? weight : NULL,
                                             .first = 5,
                                             .step = 3,
                                             .count = COUNT,
                                             .single = kind / 2,
                                             .sum = sum};
      run(&batch);
      for (size_t n = 0; n < COUNT; n++) {
        long double expected = 0;
        for (size_t i = 0; i < PAIRS; i++) {
          double c, s;
          phase_cos_sin_rounded(formats[f], phases.step[i], phases.inv_freq[i], 5 + 3 * (int64_t)n,
                                &c, &s);
          expected += batch.weight ? weight[i] * c : c;
        }
        assert_close(sum[n], (double)expected, 1e-14);
      }
      phases_free(&phases);
    }
  free(weight);
}

/* A NaN among the weights is in every sum. */
static void nan_weight(void **state) {
  (void)state;
  enum { PAIRS = 70, COUNT = 100 };
  for (size_t at = 0; at < PAIRS; at += 23)
    for (int single = 0; single <= 1; single++)
      for (int format = 0; format < PRECISION_COUNT; format++) {
        struct phases phases = phases_of(PAIRS, 10000, (enum precision)format);
        double *weight = random_array(PAIRS, 11), sum[COUNT], minimum = 0;
        int64_t minimum_distance, first_negative;
        weight[at] = NAN;
        const struct cosine_sum_batch batch = {.phases = phases,
                                               .weight = weight,
                                               .first = 4,
                                               .step = 1,
                                               .count = COUNT,
                                               .single = single,
                                               .sum = sum,
                                               .minimum = &minimum,
                                               .minimum_distance = &minimum_distance,
                                               .first_negative = &first_negative};
        run(&batch);
        for (size_t n = 0; n < COUNT; n++)
          assert_true(isnan(sum[n]));
        assert_true(isnan(minimum));
        assert_int_equal(minimum_distance, 4);
        assert_int_equal(first_negative, -1);
        free(weight);
        phases_free(&phases);
      }
}

static void threads_do_not_matter(void **state) {
  (void)state;
  enum { COUNT = 200000 };
  struct phases phases = phases_of(20, 10000, PRECISION_FP64);
  double *sum[2] = {malloc(COUNT * sizeof(double)), malloc(COUNT * sizeof(double))};
  assert_true(sum[0] && sum[1]);
  for (int single = 0; single <= 1; single++) {
    for (int threads = 1; threads <= 2; threads++) {
      thread_use(threads);
      run(&(struct cosine_sum_batch){
          .phases = phases, .step = 1, .count = COUNT, .single = single, .sum = sum[threads - 1]});
    }
    assert_memory_equal(sum[0], sum[1], COUNT * sizeof(double));
  }
  free(sum[0]);
  free(sum[1]);
  phases_free(&phases);
}

static void refusals(void **state) {
  (void)state;
  static const uint64_t step[2] = {1, 2};
  double weight[2] = {1, 2}, sum[4];
  const struct cosine_sum_batch good = {.phases = {.series = 1, .pairs = 2, .step = step},
                                        .weight = weight,
                                        .first = 0,
                                        .step = 1,
                                        .count = 4,
                                        .sum = sum};
  struct cosine_sum_batch batch = good;
  run(&batch);
  batch.phases.pairs = 0;
  assert_refused(backend_cosine_sum(backend, &batch, &error), ERROR_FAILED, "'pairs' is 0");
  batch = good;
  batch.phases.precision = PRECISION_BF16;
  assert_refused(backend_cosine_sum(backend, &batch, &error), ERROR_FAILED,
                 "'inv_freq' is missing");
  static const int64_t spaced[][2] = {{-1, 1}, {0, 0}, {0, -5}};
  for (size_t i = 0; i < COUNT_OF(spaced); i++) {
    batch = good;
    batch.first = spaced[i][0];
    batch.step = spaced[i][1];
    assert_refused(backend_cosine_sum(backend, &batch, &error), ERROR_FAILED, "are possible");
  }
  batch = good;
  batch.first = INT64_MAX - 3;
  assert_refused(backend_cosine_sum(backend, &batch, &error), ERROR_FAILED, "over 2^63");
  batch.first = INT64_MAX - 4;
  run(&batch);
  batch.step = INT64_MAX / 2;
  assert_refused(backend_cosine_sum(backend, &batch, &error), ERROR_FAILED, "over 2^63");
  batch = good;
  batch.count = SIZE_MAX;
  assert_refused(backend_cosine_sum(backend, &batch, &error), ERROR_FAILED, "over 2^63");
  batch = good;
  weight[1] = -INFINITY;
  assert_refused(backend_cosine_sum(backend, &batch, &error), ERROR_FAILED,
                 "'weight' of pair 1 is infinite");
}

/* Each of its arrays is asked for, and its lack said. */
static void out_of_memory(void **state) {
  (void)state;
  static const uint64_t step[40];
  static const uint64_t limits[] = {1, 100, 4000};
  const uint64_t limit = memory_limit();
  double minimum[20];
  for (size_t l = 0; l < COUNT_OF(limits); l++) {
    memory_set_limit(limits[l]);
    const struct cosine_sum_batch batch = {.phases = {.series = 20, .pairs = 2, .step = step},
                                           .step = 1,
                                           .count = 1,
                                           .minimum = minimum};
    assert_refused(backend_cosine_sum(backend, &batch, &error), ERROR_FAILED, "not enough memory");
  }
  memory_set_limit(limit);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(golden_values),
      cmocka_unit_test(twin_of_the_oracle),
      cmocka_unit_test(long_runs_and_many_pairs),
      cmocka_unit_test(equal_terms),
      cmocka_unit_test(far_weights),
      cmocka_unit_test(several_series),
      cmocka_unit_test(rounded_phases),
      cmocka_unit_test(nan_weight),
      cmocka_unit_test(threads_do_not_matter),
      cmocka_unit_test(refusals),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, open_backend, close_backend);
}

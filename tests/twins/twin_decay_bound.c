/* The decay bound and the cosine sum, in long runs of equal steps, in short ones, and one by one.
 */
#include "tests/twins/twins.h"

#include "tests/oracle/oracle.h"

struct shape {
  size_t series, pairs, count;
  int64_t first, step;
};

/* Runs shorter and longer than a block of the device, more pairs than it holds at a time. */
static const struct shape shapes[] = {{1, 1, 0, 0, 1},       {1, 1, 1, 5, 1},
                                      {2, 3, 7, -3, 1},      {1, 64, 31, 2147483647, -1},
                                      {3, 5, 255, 0, 1},     {1, 7, 256, 0, 3},
                                      {2, 33, 257, 1000, 1}, {1, 64, 2048, 0, 1},
                                      {1, 4, 2049, 0, 101},  {2, 64, 2100, 1, 1000},
                                      {1, 130, 300, 0, 7},   {1, 2, 9001, -4500, 1}};

static struct phases series_of(const struct shape *shape, enum precision precision) {
  uint64_t *step = malloc(shape->series * shape->pairs * sizeof *step);
  double *inv_freq = malloc(shape->series * shape->pairs * sizeof *inv_freq);
  for (size_t s = 0; s < shape->series; s++) {
    struct phases one = phases_of(shape->pairs, s ? 500000 * (double)s : 10000, precision);
    memcpy(step + s * shape->pairs, one.step, shape->pairs * sizeof *step);
    memcpy(inv_freq + s * shape->pairs, one.inv_freq, shape->pairs * sizeof *inv_freq);
    phases_free(&one);
  }
  return (struct phases){shape->series, shape->pairs, step, inv_freq, precision};
}

/* What kernels/backend.h promises. */
static const double promised[2] = {1e-14, 2e-6};

static void compare(const struct shape *shape, const int64_t *distance, bool single) {
  static const char *const labels[2][2] = {{"decay_bound", "decay_bound cosine_sum"},
                                           {"decay_bound single", "decay_bound cosine_sum single"}};
  struct phases phases = series_of(shape, PRECISION_FP64);
  const size_t count = shape->series * shape->count;
  double *bound[TWINS], *sum[TWINS];
  for (size_t t = 0; t < TWINS; t++) {
    bound[t] = guarded_array(count);
    sum[t] = guarded_array(count);
    const struct decay_batch batch = {.phases = phases,
                                      .count = shape->count,
                                      .distance = distance,
                                      .single = single,
                                      .bound = bound[t],
                                      .cosine_sum = sum[t]};
    assert_done(backend_decay_bound(twin[t], &batch, &error));
  }
  for (size_t e = 0; e < count; e++) {
    double bound_expected, sum_expected;
    oracle_decay(phases.step + e / shape->count * shape->pairs, shape->pairs,
                 distance[e % shape->count], &bound_expected, &sum_expected);
    for (size_t t = 0; t < TWINS; t++) {
      twins_compare(labels[single][0], t, bound[t][e], bound_expected,
                    promised[single] * bound_expected);
      twins_compare(labels[single][1], t, sum[t][e], sum_expected,
                    promised[single] * (double)shape->pairs);
    }
  }
  for (size_t t = 0; t < TWINS; t++) {
    guarded_finish(bound[t], count);
    guarded_finish(sum[t], count);
  }
  phases_free(&phases);
}

static void compare_runs(void) {
  for (size_t s = 0; s < COUNT_OF(shapes); s++) {
    int64_t *distance = malloc((shapes[s].count + 1) * sizeof *distance);
    for (size_t d = 0; d < shapes[s].count; d++)
      distance[d] = shapes[s].first + (int64_t)d * shapes[s].step;
    compare(&shapes[s], distance, false);
    compare(&shapes[s], distance, true);
    free(distance);
  }
}

static void runs(void **state) {
  (void)state;
  compare_runs();
}

static void small_devices(void **state) {
  (void)state;
  twins_limit(600000, 1);
  compare_runs();
  twins_limit(0, 1);
  compare_runs();
  twins_limit(0, 0);
}

/* Long runs between single distances, runs that meet, steps that wrap round 2^63. */
static void mixed_distances(void **state) {
  (void)state;
  const struct shape shape = {2, 16, 1400, 0, 0};
  int64_t distance[1400];
  for (size_t d = 0; d < 1400; d++)
    distance[d] = d < 10     ? (int64_t)(d * d * d)
                  : d < 400  ? (int64_t)d
                  : d < 700  ? 400 - 5 * (int64_t)(d - 400)
                  : d < 900  ? (int64_t)(1u << 31) - (int64_t)(d % 17)
                  : d < 1390 ? (int64_t)((uint64_t)INT64_MAX - 200 + (d - 900))
                             : (int64_t)d << (d - 1390);
  compare(&shape, distance, false);
  compare(&shape, distance, true);
  twins_limit(200000, 0);
  compare(&shape, distance, false);
  twins_limit(0, 0);
}

/* Below fp64 every angle, cosine and sine is rounded by itself; the sums of the same numbers agree,
   but where the device rounds a tie the other way (twin_phase_map.c): then by a unit of the format.
 */
static void rounded_formats(void **state) {
  (void)state;
  const struct shape shape = {2, 32, 400, 0, 1};
  int64_t distance[400];
  for (size_t d = 0; d < 400; d++)
    distance[d] = (int64_t)d;
  for (int precision = PRECISION_FP32; precision < PRECISION_COUNT; precision++) {
    struct phases phases = series_of(&shape, (enum precision)precision);
    double *bound[TWINS], *sum[TWINS];
    for (size_t t = 0; t < TWINS; t++) {
      bound[t] = guarded_array(800);
      sum[t] = guarded_array(800);
      const struct decay_batch batch = {.phases = phases,
                                        .count = 400,
                                        .distance = distance,
                                        .bound = bound[t],
                                        .cosine_sum = sum[t]};
      assert_done(backend_decay_bound(twin[t], &batch, &error));
    }
    const double unit = 2 * precision_roundoff((enum precision)precision);
    for (size_t e = 0; e < 800; e++) {
      twins_compare("decay_bound rounded", 1, bound[1][e], bound[0][e],
                    unit * 32 + 1e-14 * bound[0][e]);
      twins_compare("decay_bound rounded", 1, sum[1][e], sum[0][e], unit + 32e-14);
    }
    for (size_t t = 0; t < TWINS; t++) {
      guarded_finish(bound[t], 800);
      guarded_finish(sum[t], 800);
    }
    phases_free(&phases);
  }
}

static void one_output(void **state) {
  (void)state;
  const struct shape shape = {1, 8, 600, 0, 1};
  struct phases phases = series_of(&shape, PRECISION_FP64);
  int64_t distance[600];
  for (size_t d = 0; d < 600; d++)
    distance[d] = (int64_t)d;
  double both[2][600], alone[2][600];
  struct decay_batch batch = {.phases = phases,
                              .count = 600,
                              .distance = distance,
                              .bound = both[0],
                              .cosine_sum = both[1]};
  assert_done(backend_decay_bound(twin[1], &batch, &error));
  batch.bound = alone[0];
  batch.cosine_sum = NULL;
  assert_done(backend_decay_bound(twin[1], &batch, &error));
  batch.bound = NULL;
  batch.cosine_sum = alone[1];
  assert_done(backend_decay_bound(twin[1], &batch, &error));
  assert_memory_equal(both, alone, sizeof both);
  batch.cosine_sum = NULL;
  assert_done(backend_decay_bound(twin[1], &batch, &error));
  phases_free(&phases);
}

static void too_small_a_device(void **state) {
  (void)state;
  static const uint64_t step[2] = {1, 2};
  static const int64_t distance[2] = {0, 1};
  double bound[2];
  const struct decay_batch batch = {.phases = {.series = 1, .pairs = 2, .step = step},
                                    .count = 2,
                                    .distance = distance,
                                    .bound = bound};
  twins_limit(1000, 0);
  assert_refused(backend_decay_bound(twin[1], &batch, &error), ERROR_FAILED,
                 "cannot sum the decay bound on the GPU: not enough device memory");
  twins_limit(0, 0);
}

static int operation(void) {
  const struct shape shape = {2, 3, 700, 0, 1};
  struct phases phases = series_of(&shape, PRECISION_FP64);
  int64_t distance[700];
  double bound[1400], sum[1400];
  for (size_t d = 0; d < 700; d++)
    distance[d] = d < 300 ? (int64_t)d : (int64_t)(d * d);
  const struct decay_batch batch = {
      .phases = phases, .count = 700, .distance = distance, .bound = bound, .cosine_sum = sum};
  const int status = backend_decay_bound(twin[1], &batch, &error);
  phases_free(&phases);
  return status;
}

static void failing_calls(void **state) {
  (void)state;
  twins_inject(operation);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(runs),
      cmocka_unit_test(small_devices),
      cmocka_unit_test(mixed_distances),
      cmocka_unit_test(rounded_formats),
      cmocka_unit_test(one_output),
      cmocka_unit_test(too_small_a_device),
      cmocka_unit_test(failing_calls),
  };
  return twins_main(tests);
}

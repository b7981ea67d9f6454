/* Bounds of cosine sums over boxes against samples in long double: kernels/backend.h, struct
   cosine_range_batch. */
#include "tests/oracle/cpu_backend.h"
#include "tests/oracle/oracle.h"

/* A batch of one box, its bounds beside it. */
struct bounded {
  int64_t first, last;
  double low, high, slope_low, slope_high;
};

static struct bounded bound(const struct phases *phases, const double *spread, const double *rate,
                            int64_t first, int64_t last) {
  struct error error;
  struct bounded box = {.first = first, .last = last};
  const struct cosine_range_batch batch = {.phases = *phases,
                                           .spread = spread,
                                           .rate = rate,
                                           .count = 1,
                                           .first = &box.first,
                                           .last = &box.last,
                                           .low = &box.low,
                                           .high = &box.high,
                                           .slope_low = rate ? &box.slope_low : NULL,
                                           .slope_high = rate ? &box.slope_high : NULL};
  assert_done(backend_cosine_range(backend, &batch, &error));
  return box;
}

/* The sum and the slope at distance m, each frequency moved by part[i] of its spread. */
static void sample(const struct phases *phases, const double *spread, const double *rate,
                   const double *part, int64_t m, long double *sum, long double *slope) {
  *sum = *slope = 0;
  for (size_t i = 0; i < phases->pairs; i++) {
    const long double theta = ldexpl((long double)phases->step[i], -63) * M_PIl;
    const long double angle = m * theta * (1 + (long double)part[i] * spread[i]);
    *sum += cosl(angle);
    *slope += rate[i] * angle * sinl(angle);
  }
}

/* Random boxes, and in each of them corners and inner points. */
static void bounds_hold(void **state) {
  (void)state;
  static const size_t sizes[] = {1, 2, 7, 64, 300};
  uint64_t seed = 20240523;
  size_t tight = 0;
  for (int trial = 0; trial < 3000; trial++) {
    const size_t pairs = sizes[trial % 5];
    struct phases phases =
        phases_of(pairs, pow(10, 3.5 + 3.5 * random_unit(&seed)), PRECISION_FP64);
    double spread[300], rate[300], part[300];
    const double size = pow(10, -4 + 4 * random_unit(&seed));
    for (size_t i = 0; i < pairs; i++) {
      spread[i] = trial % 7 ? size * (double)i / (double)pairs : 0;
      rate[i] = (double)i / (double)pairs;
    }
    const int64_t first = (int64_t)pow(10, 2 + 2 * random_unit(&seed)),
                  last = first + (int64_t)(trial % 3 ? pow(10, 1.5 + 1.5 * random_unit(&seed)) : 0);
    const struct bounded box = bound(&phases, spread, rate, first, last);
    for (int point = 0; point < 40; point++) {
      long double sum, slope;
      const int64_t m = point % 3 == 0 ? first
                        : point % 3 == 1
                            ? last
                            : first + (int64_t)(random_word(&seed) % (uint64_t)(last - first + 1));
      for (size_t i = 0; i < pairs; i++)
        part[i] = point < 3 ? -1 : point < 6 ? 1 : random_unit(&seed);
      sample(&phases, spread, rate, part, m, &sum, &slope);
      if (sum < box.low || sum > box.high)
        fail_msg("trial %d: %.17Lg is not in [%.17g, %.17g]", trial, sum, box.low, box.high);
      if (slope < box.slope_low || slope > box.slope_high)
        fail_msg("trial %d: slope %.17Lg is not in [%.17g, %.17g]", trial, slope, box.slope_low,
                 box.slope_high);
    }
    tight += box.high - box.low < 0.5 * (double)pairs;
    phases_free(&phases);
  }
  assert_true(tight > 300); /* not all of them are the bounds that always hold */
}

/* A point: nothing but rounding is between the bounds, and the sum is. */
static void points_are_sharp(void **state) {
  (void)state;
  static const double zero[512];
  static const size_t sizes[] = {1, 64, 512};
  for (size_t s = 0; s < 3; s++) {
    const double pairs = (double)sizes[s];
    struct phases phases = phases_of(sizes[s], 10000, PRECISION_FP64);
    for (int64_t m = 0; m < 200000; m = 3 * m + 1) {
      const struct bounded box = bound(&phases, zero, NULL, m, m);
      const double sum = oracle_cosine_sum(phases.step, NULL, sizes[s], m);
      assert_true(box.low <= sum && sum <= box.high);
      assert_true(box.high - box.low <= pairs * (pairs + 32) * 0x1p-51 + m * pairs * 0x1p-45);
    }
    phases_free(&phases);
  }
}

/* Arcs beyond half a turn reach both ends; the arc of a pair that stays short does not. */
static void wide_arcs(void **state) {
  (void)state;
  const double none[2] = {0, 0}, all[2] = {0, 40};
  struct phases phases = phases_of(2, 100, PRECISION_FP64);
  struct bounded box = bound(&phases, none, NULL, 0, 1000);
  assert_close(box.low, -2, 1e-12);
  assert_close(box.high, 2, 1e-12);
  box = bound(&phases, all, NULL, 1, 1);
  assert_close(box.low, cos(1) - 1, 1e-12);
  assert_close(box.high, cos(1) + 1, 1e-12);
  phases_free(&phases);
}

static void refusals(void **state) {
  (void)state;
  struct error error;
  struct phases phases = phases_of(2, 100, PRECISION_FP64);
  const double spread[2] = {0, 0.1}, rate[2] = {0, 0.5};
  double output;
  int64_t first = 3, last = 4;
  const struct cosine_range_batch good = {.phases = phases,
                                          .spread = spread,
                                          .rate = rate,
                                          .count = 1,
                                          .first = &first,
                                          .last = &last,
                                          .slope_low = &output,
                                          .slope_high = &output};
  struct cosine_range_batch batch = good;
  assert_done(backend_cosine_range(backend, &batch, &error));
#define REFUSED(change, part)                                                                      \
  batch = good;                                                                                    \
  change;                                                                                          \
  assert_refused(backend_cosine_range(backend, &batch, &error), ERROR_FAILED, part)
  REFUSED(batch.phases.series = 2, "'series' is 2");
  REFUSED(batch.phases.precision = PRECISION_FP32, "'precision'");
  REFUSED(batch.phases.inv_freq = NULL, "'inv_freq' is missing");
  REFUSED(batch.spread = NULL, "'spread' is missing");
  REFUSED(batch.rate = NULL, "'rate' is missing");
  REFUSED(batch.slope_high = NULL, "'slope_high' is missing");
  REFUSED(batch.slope_low = NULL, "'slope_low' is missing");
  REFUSED(batch.first = NULL, "'first' is missing");
  REFUSED(batch.last = NULL, "'last' is missing");
  REFUSED(first = 5, "box 0 is of distances 5 to 4");
  REFUSED(first = -1, "box 0 is of distances -1 to 4");
#undef REFUSED
  phases_free(&phases);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bounds_hold),
      cmocka_unit_test(points_are_sharp),
      cmocka_unit_test(wide_arcs),
      cmocka_unit_test(refusals),
  };
  return cmocka_run_group_tests(tests, open_backend, close_backend);
}

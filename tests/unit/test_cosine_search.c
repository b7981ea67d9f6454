/* Minima and first negative ones of cosine sums: kernels/backend.h, struct cosine_sum_batch. */
#include "tests/oracle/cpu_backend.h"
#include "tests/oracle/oracle.h"

/* What a search gets, for one series. */
struct found {
  double minimum;
  int64_t minimum_distance, first_negative;
};

static struct found search(struct cosine_sum_batch batch) {
  struct error error;
  struct found found = {-7, -7, -7};
  batch.minimum = &found.minimum;
  batch.minimum_distance = &found.minimum_distance;
  batch.first_negative = &found.first_negative;
  assert_done(backend_cosine_sum(backend, &batch, &error));
  return found;
}

static void assert_found(struct found found, struct found expected) {
  assert_close(found.minimum, expected.minimum, 0);
  assert_int_equal(found.minimum_distance, expected.minimum_distance);
  assert_int_equal(found.first_negative, expected.first_negative);
}

/* By a plain scan of the sums. */
static struct found scan(const struct cosine_sum_batch *batch, const double *sum, bool stop) {
  struct found found = {NAN, -1, -1};
  for (size_t n = 0; n < batch->count; n++) {
    const int64_t m = batch->first + batch->step * (int64_t)n;
    if (n == 0 || sum[n] < found.minimum) {
      found.minimum = sum[n];
      found.minimum_distance = m;
    }
    if (sum[n] < 0 && found.first_negative < 0) found.first_negative = m;
    if (sum[n] < 0 && stop) break;
  }
  return found;
}

/* Sums stored or not, on one thread or two: the same is found as in the stored sums. */
static void same_as_the_sums_say(void **state) {
  (void)state;
  static const size_t counts[] = {0, 1, 2, 17, 1031, 70001, 200003};
  static const int64_t firsts[] = {0, 1500, 1 << 20}, steps[] = {1, 3, 1001};
  struct phases phases = phases_of(12, 10000, PRECISION_FP64);
  double *sum = malloc(200003 * sizeof *sum);
  assert_non_null(sum);
  for (size_t c = 0; c < COUNT_OF(counts); c++)
    for (int kind = 0; kind < 12; kind++) {
      struct cosine_sum_batch batch = {.phases = phases,
                                       .first = firsts[kind % 3],
                                       .step = steps[kind % 3],
                                       .count = counts[c],
                                       .single = kind % 2,
                                       .sum = sum};
      thread_use(1 + kind / 6);
      const struct found stored = search(batch);
      const struct found expected = scan(&batch, sum, false);
      assert_found(stored, expected);
      batch.sum = NULL;
      assert_found(search(batch), expected);
    }
  free(sum);
  phases_free(&phases);
}

/* Stopped, a series ends at its first negative sum: NaN is behind it, and the minimum is there. */
static void stops(void **state) {
  (void)state;
  enum { PAIRS = 24, SERIES = 5, COUNT = 150001 };
  static const double bases[SERIES] = {10, 10000, 100, 1e6, 1e12};
  static uint64_t step[SERIES * PAIRS];
  double *sum[2], minimum[SERIES];
  int64_t minimum_distance[SERIES], first_negative[SERIES];
  struct error error;
  for (int s = 0; s < SERIES; s++) {
    struct phases phases = phases_of(PAIRS, bases[s], PRECISION_FP64);
    memcpy(step + s * PAIRS, phases.step, PAIRS * sizeof *step);
    phases_free(&phases);
  }
  for (int kind = 0; kind < 4; kind++) {
    thread_use(1 + kind % 2);
    struct cosine_sum_batch batch = {.phases = {.series = SERIES, .pairs = PAIRS, .step = step},
                                     .step = 1,
                                     .count = COUNT,
                                     .single = kind / 2};
    for (int stop = 0; stop <= 1; stop++) {
      sum[stop] = guarded_array((size_t)SERIES * COUNT);
      batch.sum = sum[stop];
      batch.stop_at_negative = stop;
      batch.minimum = stop ? minimum : NULL;
      batch.minimum_distance = stop ? minimum_distance : NULL;
      batch.first_negative = stop ? first_negative : NULL;
      assert_done(backend_cosine_sum(backend, &batch, &error));
    }
    for (size_t s = 0; s < SERIES; s++) {
      const double *whole = sum[0] + s * COUNT, *stopped = sum[1] + s * COUNT;
      const struct found expected = scan(&batch, stopped, true);
      assert_found((struct found){minimum[s], minimum_distance[s], first_negative[s]}, expected);
      assert_int_equal(scan(&batch, whole, false).first_negative, expected.first_negative);
      const size_t end = expected.first_negative < 0 ? COUNT : (size_t)expected.first_negative + 1;
      assert_all_close(stopped, whole, end, batch.single ? 2e-6 * PAIRS : 1e-14 * PAIRS, "stopped");
      for (size_t n = end; n < COUNT; n++)
        assert_true(isnan(stopped[n]));
    }
    assert_true(first_negative[0] > 0 && first_negative[SERIES - 1] < 0);
    guarded_finish(sum[0], (size_t)SERIES * COUNT);
    guarded_finish(sum[1], (size_t)SERIES * COUNT);
  }
}

/* First negative distances, recomputed with independent code in double. */
static void first_negatives(void **state) {
  (void)state;
  static const struct {
    size_t dim;
    double base;
    int64_t first;
  } cases[] = {
      {128, 100, 59},    {128, 500, 171},   {128, 1e3, 361},    {128, 1e4, 1707},
      {128, 5e5, 18438}, {128, 1e6, 27115}, {128, 5e6, 82999},  {128, 1e7, 144660},
      {256, 1e4, 2653},  {256, 1e6, 71627}, {256, 1e7, 284715}, {64, 1e4, 725},
      {80, 1e4, 1159},
  };
  for (size_t c = 0; c < COUNT_OF(cases); c++) {
    struct phases phases = phases_of(cases[c].dim / 2, cases[c].base, PRECISION_FP64);
    struct cosine_sum_batch batch = {.phases = phases, .step = 1, .count = 300000};
    assert_int_equal(search(batch).first_negative, cases[c].first);
    batch.stop_at_negative = true;
    const struct found found = search(batch);
    assert_int_equal(found.first_negative, cases[c].first);
    assert_int_equal(found.minimum_distance, cases[c].first);
    batch.count = (size_t)cases[c].first; /* all before it */
    assert_int_equal(search(batch).first_negative, -1);
    phases_free(&phases);
  }
}

static size_t count_negative(const struct phases *phases, size_t last) {
  struct error error;
  double *sum = malloc((last + 1) * sizeof *sum);
  assert_non_null(sum);
  const struct cosine_sum_batch batch = {
      .phases = *phases, .step = 1, .count = last + 1, .sum = sum};
  assert_done(backend_cosine_sum(backend, &batch, &error));
  size_t count = 0;
  for (size_t m = 0; m <= last; m++)
    count += sum[m] < 0;
  free(sum);
  return count;
}

/* Of dim 128, base 10000: recomputed with independent code in double. */
static void negative_counts(void **state) {
  (void)state;
  static const size_t cases[][2] = {
      {2048, 16}, {4096, 420}, {8192, 2478}, {16384, 8430}, {32768, 18517}};
  struct phases phases = phases_of(64, 10000, PRECISION_FP64);
  for (size_t c = 0; c < COUNT_OF(cases); c++)
    assert_int_equal(count_negative(&phases, cases[c][0]), cases[c][1]);
  phases_free(&phases);
}

/* Men et al., arXiv:2405.14591, table 4: two ways to extend Llama 2 and how many distances up to
   15k and 30k have a negative sum. */
static void published_counts(void **state) {
  (void)state;
  enum { PAIRS = 64 };
  struct phases phases = phases_of(PAIRS, 5e6, PRECISION_FP64);
  assert_int_equal(count_negative(&phases, 15360), 0);
  assert_int_equal(count_negative(&phases, 30720), 0);
  phases_free(&phases);
  uint64_t step[PAIRS];
  const long double base = 1e4L * powl(8, 128.0L / 88);
  for (int i = 0; i < PAIRS; i++)
    step[i] = phase_step(i < 44 ? powl(base, -2 * i / 128.0L) : powl(1e4L, -2 * i / 128.0L) / 8);
  const struct phases second = {.series = 1, .pairs = PAIRS, .step = step};
  assert_int_equal(count_negative(&second, 15360), 97);
  assert_int_equal(count_negative(&second, 30720), 2554);
}

/* Pairs that do not turn keep a sum up: minima recomputed with independent code in double. */
static void partial_rotation(void **state) {
  (void)state;
  enum { PAIRS = 128 };
  static const struct {
    size_t turning;
    double minimum;
    int64_t distance;
  } cases[] = {{96, 3.9486285951, 143572}, {64, 41.3948389541, 34046}, {32, 79.1701598707, 69514}};
  for (size_t c = 0; c < COUNT_OF(cases); c++) {
    uint64_t step[PAIRS] = {0};
    for (size_t i = 0; i < cases[c].turning; i++)
      step[i] = phase_step(powl(10000, -(long double)i / PAIRS));
    const struct phases phases = {.series = 1, .pairs = PAIRS, .step = step};
    const struct found found =
        search((struct cosine_sum_batch){.phases = phases, .step = 1, .count = 200000});
    assert_close(found.minimum, cases[c].minimum, 1e-8);
    assert_int_equal(found.minimum_distance, cases[c].distance);
    assert_int_equal(found.first_negative, -1);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(same_as_the_sums_say), cmocka_unit_test(stops),
      cmocka_unit_test(first_negatives),      cmocka_unit_test(negative_counts),
      cmocka_unit_test(published_counts),     cmocka_unit_test(partial_rotation),
  };
  return cmocka_run_group_tests(tests, open_backend, close_backend);
}

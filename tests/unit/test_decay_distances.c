/* The lists of distances of lib/analysis/decay.h. */
#include "tests/unit/spectra.h"

#include <inttypes.h>

#include "lib/analysis/decay.h"
#include "lib/base/memory.h"

static void linear_distances(void **state) {
  (void)state;
  int64_t *distance;
  size_t count;
  assert_int_equal(decay_linear_distances(3, 20, 5, &distance, &count, NULL), OK);
  assert_int_equal(count, 4);
  for (size_t i = 0; i < count; i++)
    assert_int_equal(distance[i], 3 + 5 * i);
  free(distance);
  assert_int_equal(
      decay_linear_distances(INT64_MAX - 1, INT64_MAX, INT64_MAX, &distance, &count, NULL), OK);
  assert_int_equal(count, 1);
  free(distance);
}

static int64_t *logarithmic(int64_t first, int64_t last, size_t points, size_t *count) {
  int64_t *distance;
  struct error error;
  if (decay_log_distances(first, last, points, &distance, count, &error))
    fail_msg("%s", error.message);
  return distance;
}

/* As many as asked for, or all there are; distinct, ascending, with both ends. */
static void logarithmic_distances_are_as_many_as_asked(void **state) {
  (void)state;
  static const int64_t ends[][2] = {{0, 1048576},
                                    {1, 1048576},
                                    {0, 256},
                                    {0, 100},
                                    {0, 0},
                                    {0, 1},
                                    {0, 2},
                                    {7, 7},
                                    {5, 6},
                                    {1000, 1010},
                                    {1000, 100000},
                                    {0, INT64_MAX},
                                    {1, INT64_MAX},
                                    {INT64_MAX - 5, INT64_MAX},
                                    {0, INT64_C(1) << 40}};
  static const size_t points[] = {2, 3, 4, 5, 8, 21, 64, 100, 101, 255, 256, 257, 512, 100000};
  for (size_t e = 0; e < sizeof ends / sizeof *ends; e++)
    for (size_t p = 0; p < sizeof points / sizeof *points; p++) {
      const int64_t first = ends[e][0], last = ends[e][1];
      const uint64_t range = (uint64_t)(last - first) + 1;
      size_t count;
      int64_t *distance = logarithmic(first, last, points[p], &count);
      if (count != (points[p] < range ? points[p] : range))
        fail_msg("%zu of %zu points from %" PRId64 " to %" PRId64, count, points[p], first, last);
      assert_int_equal(distance[0], first);
      assert_int_equal(distance[count - 1], last);
      for (size_t i = 1; i < count; i++)
        if (distance[i] <= distance[i - 1])
          fail_msg("%" PRId64 " behind %" PRId64, distance[i], distance[i - 1]);
      free(distance);
    }
}

static void logarithmic_distances_are_even(void **state) {
  (void)state;
  size_t count;
  int64_t *distance = logarithmic(1, 1048576, 21, &count);
  for (size_t i = 0; i < count; i++) /* powers of two */
    assert_int_equal(distance[i], (int64_t)1 << i);
  free(distance);
  distance = logarithmic(0, 1000, 2, &count);
  assert_int_equal(distance[0], 0);
  assert_int_equal(distance[1], 1000);
  free(distance);
  distance = logarithmic(0, 10000, 6, &count);
  static const int64_t tens[] = {0, 1, 10, 100, 1000, 10000};
  for (size_t i = 0; i < count; i++)
    assert_int_equal(distance[i], tens[i]);
  free(distance);
  /* Where steps of the common ratio are longer than 1, every step is of it. */
  distance = logarithmic(0, 1048576, 512, &count);
  for (size_t i = 1; i < count; i++) {
    const double step = (double)(distance[i] - distance[i - 1]);
    if (distance[i - 1] < 1000) assert_true(step <= 1 + 0.023 * (double)distance[i]);
    if (distance[i - 1] >= 1000) {
      const double ratio = (double)distance[i] / (double)distance[i - 1];
      assert_true(fabs(ratio - 1.022) < 0.0006);
    }
  }
  free(distance);
}

static void refuses_ranges(void **state) {
  (void)state;
  int64_t *distance;
  size_t count;
  struct error error;
  assert_int_equal(decay_linear_distances(-1, 5, 1, &distance, &count, &error), ERROR_INPUT);
  assert_message(error, "negative distance '-1'");
  assert_int_equal(decay_linear_distances(5, 4, 1, &distance, &count, &error), ERROR_INPUT);
  assert_message(error, "'5:4'");
  assert_int_equal(decay_linear_distances(0, 4, 0, &distance, &count, &error), ERROR_INPUT);
  assert_message(error, "step '0'");
  assert_int_equal(decay_linear_distances(0, 4, -3, &distance, &count, &error), ERROR_INPUT);
  assert_int_equal(decay_linear_distances(0, 1000000000000, 1, &distance, &count, &error),
                   ERROR_FAILED);
  assert_message(error, "GiB");
  assert_int_equal(decay_linear_distances(0, INT64_MAX, 1, &distance, &count, &error),
                   ERROR_FAILED);
  assert_int_equal(decay_log_distances(-2, 5, 10, &distance, &count, &error), ERROR_INPUT);
  assert_int_equal(decay_log_distances(3, 2, 10, &distance, &count, &error), ERROR_INPUT);
  assert_int_equal(decay_log_distances(0, 5, 1, &distance, &count, &error), ERROR_INPUT);
  assert_message(error, "'1'");
  assert_int_equal(decay_log_distances(0, 5, 0, &distance, &count, &error), ERROR_INPUT);
  assert_int_equal(decay_log_distances(0, INT64_MAX, (size_t)1 << 40, &distance, &count, &error),
                   ERROR_FAILED);
  assert_message(error, "GiB");
}

static int limit_memory(void **state) {
  (void)state;
  memory_set_limit((uint64_t)1 << 32);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(linear_distances),
      cmocka_unit_test(logarithmic_distances_are_as_many_as_asked),
      cmocka_unit_test(logarithmic_distances_are_even),
      cmocka_unit_test(refuses_ranges),
  };
  return cmocka_run_group_tests(tests, limit_memory, NULL);
}

/* The lists of distances of lib/analysis/decay.h. */
#include "tests/unit/spectra.h"

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

static void logarithmic_distances(void **state) {
  (void)state;
  static const struct {
    int64_t first, last;
    size_t points;
  } cases[] = {{0, 1048576, 512}, {1, 1048576, 21}, {0, 256, 512},     {0, 100, 1000000},
               {0, 0, 2},         {0, 1, 2},        {0, 1000, 2},      {7, 7, 5},
               {5, 6, 2},         {0, 100, 3},      {0, INT64_MAX, 64}};
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    int64_t *distance;
    size_t count;
    assert_int_equal(decay_log_distances(cases[c].first, cases[c].last, cases[c].points, &distance,
                                         &count, NULL),
                     OK);
    assert_true(count >= 1 && count <= cases[c].points);
    assert_int_equal(distance[0], cases[c].first);
    assert_int_equal(distance[count - 1], cases[c].last);
    for (size_t i = 1; i < count; i++)
      assert_true(distance[i] > distance[i - 1]);
    if (cases[c].points == 21) /* powers of two */
      for (size_t i = 0; i < count; i++)
        assert_int_equal(distance[i], (int64_t)1 << i);
    if (cases[c].points == 1000000) assert_int_equal(count, 101);
    free(distance);
  }
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
      cmocka_unit_test(logarithmic_distances),
      cmocka_unit_test(refuses_ranges),
  };
  return cmocka_run_group_tests(tests, limit_memory, NULL);
}

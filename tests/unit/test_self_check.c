/* lib/analysis/self_check.h: the CPU passes, and what is wrong is seen. The device that is wrong is
   tests/plugins/fake.c, whose normal numbers are all 42. */
#include <limits.h>

#include "lib/analysis/self_check_parts.h"
#include "tests/oracle/harness.h"

static struct backend *backend;
static struct error error;

static void processor_passes(void **state) {
  (void)state;
  struct self_check_result result;
  size_t count = 0, on_gpu = 0;
  for (int threads = 1; threads <= 3; threads++) {
    thread_use(threads);
    for (count = on_gpu = 0; self_check_name(count); count++) {
      assert_done(self_check_run(count, backend, &result, &error));
      if (!(result.error <= result.tolerance))
        fail_msg("%s: %g, %g are allowed", self_check_name(count), result.error, result.tolerance);
      assert_true(result.tolerance > 0 && result.tolerance < 1e-12);
      on_gpu += self_check_on_gpu(count);
    }
  }
  assert_int_equal(count, 10);
  assert_int_equal(on_gpu, 7);
}

static void wrong_numbers_are_seen(void **state) {
  (void)state;
  const char *build = getenv("BUILD");
  char relative[PATH_MAX], fake[PATH_MAX];
  snprintf(relative, sizeof relative, "%s/tests/plugins/fake.so", build ? build : "build");
  assert_non_null(realpath(relative, fake));
  assert_int_equal(setenv("ROPETOOL_CUDA_PLUGIN", fake, 1), 0);
  struct backend *wrong;
  struct self_check_result result;
  assert_done(backend_open_gpu(0, &wrong, &error));
  for (size_t i = 0; self_check_name(i); i++) {
    assert_done(self_check_run(i, wrong, &result, &error));
    assert_int_equal(result.error > result.tolerance, !strcmp(self_check_name(i), "gaussian"));
  }
  backend_close(wrong);
  unsetenv("ROPETOOL_CUDA_PLUGIN");
}

/* The largest counts; what is no number never passes, and stays. */
static void errors_are_kept(void **state) {
  (void)state;
  struct self_check_result result = {0};
  self_check_compare(&result, 1.5, 1, 2);
  assert_true(result.error == 0.25);
  self_check_compare(&result, 1, 1, 2);
  assert_true(result.error == 0.25);
  self_check_compare(&result, 0, 1, 1);
  assert_true(result.error == 1);
  self_check_compare(&result, NAN, 1, 1);
  assert_true(result.error == INFINITY);
  self_check_compare(&result, 1, 1, 1);
  assert_true(result.error == INFINITY);
  result.error = 0;
  self_check_compare(&result, INFINITY, 1, 1);
  assert_true(result.error == INFINITY);
}

/* Numbers of the vectors lie on both sides of 0, and none comes twice. */
static void numbers_are_spread(void **state) {
  (void)state;
  double sum = 0;
  for (size_t i = 0; i < 2000; i++) {
    const double number = self_check_number(i);
    assert_true(number >= -1 && number < 1);
    sum += number;
    for (size_t j = 0; j < i; j++)
      assert_true(self_check_number(j) != number);
  }
  assert_true(fabs(sum) < 10);
}

int main(void) {
  backend = open_cpu();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(processor_passes),
      cmocka_unit_test(wrong_numbers_are_seen),
      cmocka_unit_test(errors_are_kept),
      cmocka_unit_test(numbers_are_spread),
  };
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  backend_close(backend);
  return failed;
}

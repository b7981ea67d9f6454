/* lib/analysis/bench.h on a device that does not know its limits, and on one that times them
   itself: the plug-in is tests/plugins/fake.c. */
#include <limits.h>

#include "lib/analysis/bench.h"
#include "tests/oracle/harness.h"

static struct backend *backend;
static struct error error;

static struct table *measure(const char *operations, int threads) {
  const struct bench_request request = {
      .backend = backend, .operations = operations, .quick = true, .threads = threads, .runs = 2};
  struct table *table = NULL;
  assert_done(bench_run(&request, &table, &error));
  assert_non_null(table);
  return table;
}

static double real(const struct table *table, size_t row, const char *column) {
  return table_real(table, row, (size_t)table_find_column(table, column));
}

static const char *text(const struct table *table, size_t row, const char *column) {
  return table_text(table, row, (size_t)table_find_column(table, column));
}

static void limits_are_not_known(void **state) {
  (void)state;
  double result = 42;
  const struct limit_batch batch = {.limit = LIMIT_ROOT, .count = 1, .result = &result};
  assert_false(backend_has_limits(backend));
  assert_refused(backend_limit(backend, &batch, &error), ERROR_FAILED,
                 "the limits of 'fake GPU' are not known");
  assert_true(result == 42);
}

/* Rates are measured; what is held against nothing has no share. */
static void rates_without_shares(void **state) {
  (void)state;
  struct table *table = measure("gaussian,rotate,cosine_sum,profile_tiles", 1);
  assert_int_equal(table_rows(table), 12);
  for (size_t row = 0; row < table_rows(table); row++) {
    assert_string_equal(text(table, row, "device"), "fake GPU");
    assert_true(real(table, row, "seconds_median") > 0);
    assert_true(real(table, row, "elements_per_second") > 0);
    assert_string_equal(text(table, row, "limit"), "");
    assert_true(isnan(real(table, row, "limit_per_second")));
    assert_true(isnan(real(table, row, "share")));
  }
  assert_string_equal(meta_text(table_meta(table), "backend"), "fake GPU");
  assert_null(meta_text(table_meta(table), "limits"));
  table_destroy(table);
}

/* The limits themselves are left out, also when they alone are asked for. */
static void no_rows_of_limits(void **state) {
  (void)state;
  struct table *table = measure("multiply_add,roots,copy,product", 1);
  assert_int_equal(table_rows(table), 0);
  table_destroy(table);
}

static void one_thread_is_no_limit(void **state) {
  (void)state;
  struct table *table = measure("gaussian", 2);
  assert_int_equal(table_rows(table), 2);
  assert_string_equal(text(table, 0, "limit"), "");
  assert_true(isnan(real(table, 0, "share")));
  assert_string_equal(text(table, 1, "limit"), "one thread");
  assert_true(real(table, 1, "share") > 0);
  table_destroy(table);
}

/* What the device says it took counts for limits, the clock for operations. */
static void the_clock_of_the_device(void **state) {
  (void)state;
  struct backend *without = backend;
  assert_int_equal(setenv("FAKE_PLUGIN", "limits", 1), 0);
  assert_done(backend_open("cuda", &backend, &error));
  assert_true(backend_has_limits(backend));
  struct table *table = measure("gaussian,scores_mean,multiply_add,product", 1);
  assert_int_equal(table_rows(table), 6);
  for (size_t row = 0; row < table_rows(table); row++) {
    const bool limit = row > 1;
    const double rate = real(table, row, limit ? "elements_per_second" : "limit_per_second");
    if (strncmp(text(table, row, "operation"), "scores", 6)) assert_close(rate, 1e9, 1);
    if (*text(table, row, "limit")) assert_true(real(table, row, "share") > 0);
    if (limit && *text(table, row, "limit"))
      assert_close(real(table, row, "share"), 1, 1e-12); /* a nanosecond each, both */
  }
  assert_string_equal(meta_text(table_meta(table), "limits"), "the device alone");
  table_destroy(table);
  backend_close(backend);
  assert_int_equal(unsetenv("FAKE_PLUGIN"), 0);
  assert_done(backend_open("cuda", &backend, &error));
  backend_close(without);
}

int main(void) {
  const char *build = getenv("BUILD");
  char relative[PATH_MAX], fake[PATH_MAX];
  snprintf(relative, sizeof relative, "%s/tests/plugins/fake.so", build ? build : "build");
  if (!realpath(relative, fake) || setenv("ROPETOOL_CUDA_PLUGIN", fake, 1) ||
      unsetenv("FAKE_PLUGIN") || backend_open("cuda", &backend, &error)) {
    printf("Bail out! no %s %s\n", relative, error.message);
    return 1;
  }
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(limits_are_not_known),    cmocka_unit_test(rates_without_shares),
      cmocka_unit_test(no_rows_of_limits),       cmocka_unit_test(one_thread_is_no_limit),
      cmocka_unit_test(the_clock_of_the_device),
  };
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  backend_close(backend);
  return failed;
}

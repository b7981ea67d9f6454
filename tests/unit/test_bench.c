/* The measurements of lib/analysis/bench.h: which are made, that their numbers belong together, and
   that the working memory of scores does not grow with the map. */
#include "lib/analysis/bench.h"
#include "tests/oracle/harness.h"

static struct backend *backend;
static struct error error;

static struct table *measure(const char *operations, int threads, size_t runs) {
  const struct bench_request request = {.backend = backend,
                                        .operations = operations,
                                        .quick = true,
                                        .threads = threads,
                                        .runs = runs};
  struct table *table = NULL;
  assert_done(bench_run(&request, &table, &error));
  assert_non_null(table);
  return table;
}

static double real(const struct table *table, size_t row, const char *column) {
  const int index = table_find_column(table, column);
  assert_true(index >= 0);
  return table_real(table, row, (size_t)index);
}

static const char *text(const struct table *table, size_t row, const char *column) {
  const int index = table_find_column(table, column);
  assert_true(index >= 0);
  return table_text(table, row, (size_t)index);
}

static void assert_row(const struct table *table, size_t row) {
  const double median = real(table, row, "seconds_median"), elements = real(table, row, "elements");
  assert_true(real(table, row, "seconds_min") > 0);
  assert_true(real(table, row, "seconds_min") <= median);
  assert_true(median <= real(table, row, "seconds_max"));
  assert_true(elements > 0);
  assert_close(real(table, row, "elements_per_second") * median, elements, 1e-9 * elements);
  assert_true(*text(table, row, "shape"));
  assert_string_equal(text(table, row, "device"), "cpu");
  const bool limited = *text(table, row, "limit");
  assert_true(limited == (real(table, row, "limit_per_second") > 0));
  assert_true(limited == (real(table, row, "share") > 0));
}

/* Each operation and precision once, with every number. */
static void everything(void **state) {
  (void)state;
  struct table *table = measure(NULL, 1, 2);
  const size_t rows = table_rows(table);
  assert_true(rows > 30);
  for (size_t row = 0; row < rows; row++) {
    assert_row(table, row);
    assert_true(real(table, row, "threads") == 1);
    assert_true(real(table, row, "runs") == 2);
    for (size_t other = 0; other < row; other++)
      if (!strcmp(text(table, row, "operation"), text(table, other, "operation")))
        assert_string_not_equal(text(table, row, "precision"), text(table, other, "precision"));
  }
  const struct meta *meta = table_meta(table);
  assert_string_equal(meta_text(meta, "backend"), "cpu");
  assert_string_equal(meta_text(meta, "blas"), backend_blas());
  table_destroy(table);
}

static size_t count_rows(const char *operations) {
  struct table *table = measure(operations, 1, 1);
  const size_t rows = table_rows(table);
  table_destroy(table);
  return rows;
}

static void chosen_operations(void **state) {
  (void)state;
  assert_int_equal(count_rows("decay_bound"), 2);
  assert_int_equal(count_rows("decay"), 2);
  assert_int_equal(count_rows("rotate"), 8);
  assert_int_equal(count_rows("rotate_halves,copy"), 5);
  assert_int_equal(count_rows("copy,copy"), 1);
  struct table *table = measure("gaussian", 1, 1);
  assert_string_equal(text(table, 0, "operation"), "gaussian");
  assert_string_equal(text(table, 0, "limit"), "roots");
  assert_string_equal(text(table, 0, "shape"), "count=16384");
  table_destroy(table);
}

/* With more threads than one, each measurement is made against one thread, too. */
static void several_threads(void **state) {
  (void)state;
  struct table *table = measure("cosine_sum,multiply_add", 3, 1);
  assert_int_equal(table_rows(table), 8);
  for (size_t row = 0; row < 8; row++) {
    static const char *const limits[] = {"product", "one thread", "product", "one thread",
                                         "",        "one thread", "",        "one thread"};
    assert_row(table, row);
    assert_true(real(table, row, "threads") == 3);
    assert_string_equal(text(table, row, "limit"), limits[row]);
  }
  table_destroy(table);
}

static void expect_unknown(const char *operations, const char *part) {
  const struct bench_request request = {
      .backend = backend, .operations = operations, .quick = true, .threads = 1, .runs = 1};
  struct table *table = (struct table *)&request;
  assert_refused(bench_run(&request, &table, &error), ERROR_INPUT, part);
  assert_null(table);
}

static void unknown_operations(void **state) {
  (void)state;
  expect_unknown("sort", "unknown operation 'sort': one of decay_bound, ");
  expect_unknown("rot", "'rot'");
  expect_unknown("rotate_", "'rotate_'");
  expect_unknown("", "''");
  expect_unknown("copy,", "''");
  expect_unknown("copy,,roots", "''");
  expect_unknown("copy,Copy", "'Copy'");
}

/* Whatever array is the first that is too large: it is said where, and nothing is left behind. */
static void too_little_memory(void **state) {
  (void)state;
  static const char *const operations[] = {
      "decay_bound", "cosine_sum",     "cosine_range",  "phase_map", "rotate_halves",
      "gaussian",    "scores_max",     "profile_tiles", "quantiles", "copy",
      "product",     "scores_profile", "scores_sums"};
  for (size_t i = 0; i < COUNT_OF(operations); i++) {
    size_t refusals = 0;
    for (uint64_t limit = 1; limit < 1 << 24; limit *= 2) {
      const struct bench_request request = {
          .backend = backend, .operations = operations[i], .quick = true, .threads = 1, .runs = 1};
      struct table *table = NULL;
      memory_set_limit(limit);
      const int status = bench_run(&request, &table, &error);
      memory_set_limit(0);
      if (status) {
        char place[64];
        snprintf(place, sizeof place, "'%s'", operations[i]);
        assert_int_equal(status, ERROR_FAILED);
        assert_null(table);
        if (!strstr(error.message, place) && !strstr(error.message, "table"))
          fail_msg("no %s in: %s", place, error.message);
        refusals++;
      }
      table_destroy(table);
    }
    assert_true(refusals > 3);
  }
}

/* A map of 4096 × 4096 scores would take 64 MiB in float, and the draws four times that. */
static void scores_need_no_map(void **state) {
  (void)state;
  const struct bench_request request = {
      .backend = backend, .operations = "scores_max", .threads = 1, .runs = 1};
  struct table *table = NULL;
  assert_done(bench_run(&request, &table, &error));
  for (size_t row = 0; row < table_rows(table); row++) {
    const double bytes = real(table, row, "working_memory");
    assert_string_equal(text(table, row, "shape"), "batch=4 length=4096 dim=128");
    if (!isnan(bytes)) assert_true(bytes > 0 && bytes < 48 * 1048576.0);
  }
  table_destroy(table);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(everything),        cmocka_unit_test(chosen_operations),
      cmocka_unit_test(several_threads),   cmocka_unit_test(unknown_operations),
      cmocka_unit_test(too_little_memory), cmocka_unit_test(scores_need_no_map),
  };
  backend = open_cpu();
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  backend_close(backend);
  return failed;
}

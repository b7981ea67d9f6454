/* The limits of kernels/backend.h: that each loop does what it is timed for, at any number of
   threads. */
#include "tests/oracle/harness.h"

static struct backend *backend;
static struct error error;

static const int thread_counts[] = {1, 2, 3, 8};

static void roots(void **state) {
  (void)state;
  double expected = 0;
  for (size_t i = 0; i < 1024; i++)
    expected += sqrt((double)i + 1.5) / 1024;
  for (size_t t = 0; t < COUNT_OF(thread_counts); t++)
    for (int single = 0; single <= 1; single++)
      for (size_t count = 1; count <= 3000000; count = 7 * count + 1) {
        double result = NAN;
        const struct limit_batch batch = {
            .limit = LIMIT_ROOT, .single = single, .count = count, .result = &result};
        thread_use(thread_counts[t]);
        assert_done(backend_limit(backend, &batch, &error));
        assert_close(result, expected, single ? 256 * 0x1p-24 * expected : 1e-12);
      }
}

static void multiply_adds(void **state) {
  (void)state;
  for (size_t t = 0; t < COUNT_OF(thread_counts); t++)
    for (int single = 0; single <= 1; single++) {
      double result = NAN;
      const struct limit_batch batch = {
          .limit = LIMIT_MULTIPLY_ADD, .single = single, .count = 1000000, .result = &result};
      thread_use(thread_counts[t]);
      assert_done(backend_limit(backend, &batch, &error));
      assert_true(result == 2);
    }
}

/* Nothing to do is no work and no fault. */
static void nothing(void **state) {
  (void)state;
  char byte = 42;
  double result = NAN;
  struct limit_batch batch = {.limit = LIMIT_ROOT, .result = &result};
  assert_done(backend_limit(backend, &batch, &error));
  assert_true(result == 0);
  batch.limit = LIMIT_MULTIPLY_ADD;
  result = NAN;
  assert_done(backend_limit(backend, &batch, &error));
  assert_true(result == 0);
  batch = (struct limit_batch){.limit = LIMIT_COPY, .left = "x", .output = &byte};
  assert_done(backend_limit(backend, &batch, &error));
  assert_int_equal(byte, 42);
}

static void copies(void **state) {
  (void)state;
  char input[4099], output[sizeof input + 2];
  for (size_t i = 0; i < sizeof input; i++)
    input[i] = (char)(i * 37 + 1);
  for (size_t t = 0; t < COUNT_OF(thread_counts); t++)
    for (size_t count = 1; count <= sizeof input; count = count * 5 % 4201 + count / 2 + 1) {
      const struct limit_batch batch = {
          .limit = LIMIT_COPY, .count = count, .left = input, .output = output + 1};
      memset(output, 99, sizeof output);
      thread_use(thread_counts[t]);
      assert_done(backend_limit(backend, &batch, &error));
      assert_memory_equal(input, output + 1, count);
      assert_true(output[0] == 99 && output[count + 1] == 99);
    }
}

/* The last of three products is what is left; more threads than rows. */
static void products(void **state) {
  (void)state;
  enum { COUNT = 3, ROWS = 5, COLUMNS = 4, INNER = 7 };
  double left[COUNT * ROWS * INNER], right[COUNT * COLUMNS * INNER];
  float left_single[COUNT * ROWS * INNER], right_single[COUNT * COLUMNS * INNER];
  for (size_t i = 0; i < COUNT_OF(left); i++)
    left_single[i] = (float)(left[i] = (double)(i % 11) - 5);
  for (size_t i = 0; i < COUNT_OF(right); i++)
    right_single[i] = (float)(right[i] = (double)(i % 13) - 6);
  for (size_t t = 0; t < COUNT_OF(thread_counts); t++)
    for (int single = 0; single <= 1; single++) {
      double *output = guarded_array(ROWS * COLUMNS);
      float *output_single = (float *)output;
      const struct limit_batch batch = {
          .limit = LIMIT_PRODUCT,
          .single = single,
          .count = COUNT,
          .rows = ROWS,
          .columns = COLUMNS,
          .inner = INNER,
          .left = single ? (const void *)left_single : left,
          .right = single ? (const void *)right_single : right,
          .output = output,
      };
      thread_use(thread_counts[t]);
      assert_done(backend_limit(backend, &batch, &error));
      for (size_t r = 0; r < ROWS; r++)
        for (size_t c = 0; c < COLUMNS; c++) {
          double expected = 0;
          for (size_t i = 0; i < INNER; i++)
            expected += left[((COUNT - 1) * ROWS + r) * INNER + i] *
                        right[((COUNT - 1) * COLUMNS + c) * INNER + i];
          const size_t at = r * COLUMNS + c;
          assert_true((single ? (double)output_single[at] : output[at]) == expected);
        }
      if (single) memset(output, 0, ROWS * COLUMNS * sizeof *output);
      guarded_finish(output, ROWS * COLUMNS);
    }
}

static void faults(void **state) {
  (void)state;
  double number = 0;
  struct limit_batch batch = {.limit = (enum limit)9};
  assert_refused(backend_limit(backend, &batch, &error), ERROR_FAILED, "'limit' is 9");
  batch.limit = LIMIT_ROOT;
  assert_refused(backend_limit(backend, &batch, &error), ERROR_FAILED, "'result' is missing");
  batch.limit = LIMIT_COPY;
  assert_refused(backend_limit(backend, &batch, &error), ERROR_FAILED, "'left' is missing");
  batch.left = &number;
  assert_refused(backend_limit(backend, &batch, &error), ERROR_FAILED, "'output' is missing");
  batch.output = &number;
  batch.limit = LIMIT_PRODUCT;
  assert_refused(backend_limit(backend, &batch, &error), ERROR_FAILED, "'rows' is 0");
  batch.rows = (size_t)1 << 31;
  assert_refused(backend_limit(backend, &batch, &error), ERROR_FAILED, "'rows' is 2147483648");
  batch.rows = 1;
  assert_refused(backend_limit(backend, &batch, &error), ERROR_FAILED, "'columns' is 0");
  batch.columns = 1;
  assert_refused(backend_limit(backend, &batch, &error), ERROR_FAILED, "'inner' is 0");
  batch.inner = 1;
  assert_refused(backend_limit(backend, &batch, &error), ERROR_FAILED, "'right' is missing");
}

static void the_cpu_has_limits(void **state) {
  (void)state;
  assert_true(backend_has_limits(backend));
  assert_non_null(strstr(backend_blas(), "OpenBLAS"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(roots),
      cmocka_unit_test(multiply_adds),
      cmocka_unit_test(nothing),
      cmocka_unit_test(copies),
      cmocka_unit_test(products),
      cmocka_unit_test(faults),
      cmocka_unit_test(the_cpu_has_limits),
  };
  backend = open_cpu();
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  backend_close(backend);
  return failed;
}

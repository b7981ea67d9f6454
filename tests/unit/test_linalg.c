/* lib/analysis/linalg.h */
#include "tests/unit/spectra.h"

#include "lib/analysis/linalg.h"

/* Upper triangular with a rotation's block in the middle: eigenvalues 2, 3 ± 4i, −1. */
static const double mixed[] = {
    2, 1, -1, 5, /**/
    0, 3, -4, 2, /**/
    0, 4, 3,  7, /**/
    0, 0, 0,  -1,
};

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void products(void **state) {
  (void)state;
  const double a[] = {1, 2, 3, 4}, b[] = {5, 6, 7, 8};
  double c[4];
  assert_int_equal(linalg_product(2, a, b, c, NULL), OK);
  const double product[] = {19, 22, 43, 50};
  for (size_t i = 0; i < 4; i++)
    assert_near(c[i], product[i], 0);
  assert_int_equal(linalg_transpose_product(2, a, b, c, NULL), OK);
  const double transposed[] = {26, 30, 38, 44};
  for (size_t i = 0; i < 4; i++)
    assert_near(c[i], transposed[i], 0);
}

static void applies_to_each_vector(void **state) {
  (void)state;
  const double a[] = {1, 2, 3, 4}, x[] = {1, 0, 0, 1, 1, -1};
  double y[6];
  assert_int_equal(linalg_apply(2, a, 3, x, y, NULL), OK);
  const double expected[] = {1, 3, 2, 4, -1, -1};
  for (size_t i = 0; i < 6; i++)
    assert_near(y[i], expected[i], 0);
}

static void products_of_rows(void **state) {
  (void)state;
  static const double a[] = {1, 2, 3, 4, 5, 6}, b[] = {1, 0, 2, 0, 1, -1, 3, 3, 3, 1, 1, 0};
  static const double expected[] = {7, -1, 18, 3, 16, -1, 45, 9};
  double c[8];
  const struct linalg_rows product = {
      .rows = 2, .columns = 4, .inner = 3, .left = a, .right = b, .output = c};
  assert_int_equal(linalg_product_of_rows(&product, NULL), OK);
  for (int i = 0; i < 8; i++)
    assert_near(c[i], expected[i], 0);
  const struct linalg_rows empty = {.rows = 2, .columns = 0, .inner = 3, .left = a, .right = b};
  struct error error;
  assert_int_equal(linalg_product_of_rows(&empty, &error), ERROR_FAILED);
  assert_message(error, "the product of rows");
}

/* By Gram and Schmidt: the first row is the first direction, the second what is left of it. */
static void orthonormal_rows(void **state) {
  (void)state;
  double a[] = {3, 4, 0, 1, 0, 0, 7, 7, 2};
  static const double expected[] = {0.6, 0.8, 0, 0.8, -0.6, 0, 0, 0, 1};
  assert_int_equal(linalg_orthonormal_rows(3, a, NULL), OK);
  for (int i = 0; i < 9; i++)
    assert_near(a[i], expected[i], 1e-15);
  struct error error;
  a[4] = INFINITY;
  assert_int_equal(linalg_orthonormal_rows(3, a, &error), ERROR_FAILED);
  assert_message(error, "the QR decomposition");
  assert_int_equal(linalg_orthonormal_rows(0, a, &error), ERROR_FAILED);
}

static void largest_value(void **state) {
  (void)state;
  const double values[] = {1, -3, 2}, broken[] = {1, NAN, 5}, infinite[] = {1, -INFINITY};
  assert_near(linalg_max_abs(3, values), 3, 0);
  assert_near(linalg_max_abs(0, values), 0, 0);
  assert_true(isnan(linalg_max_abs(3, broken)));
  assert_true(isinf(linalg_max_abs(2, infinite)));
}

static void symmetric_norms(void **state) {
  (void)state;
  /* Eigenvalues 3, 1, and −4 beside them; the upper half is not looked at. */
  const double a[] = {2, 99, 99, 1, 2, 99, 0, 0, -4};
  double norm;
  assert_int_equal(linalg_symmetric_norm(3, a, &norm, NULL), OK);
  assert_near(norm, 4, 1e-14);
  assert_int_equal(linalg_symmetric_norm(2, (const double[]){2, 1, 1, 2}, &norm, NULL), OK);
  assert_near(norm, 3, 1e-14);
}

static void singular_values(void **state) {
  (void)state;
  /* diag(1, 2, 3) between two rotations by different angles. */
  const double c = cos(0.3), s = sin(0.3), d = cos(1.1), t = sin(1.1);
  const double left[] = {c, -s, 0, s, c, 0, 0, 0, 1}, right[] = {1, 0, 0, 0, d, -t, 0, t, d};
  const double middle[] = {1, 0, 0, 0, 2, 0, 0, 0, 3};
  double half[9], a[9], values[3];
  assert_int_equal(linalg_product(3, left, middle, half, NULL), OK);
  assert_int_equal(linalg_product(3, half, right, a, NULL), OK);
  assert_int_equal(linalg_singular_values(3, a, values, NULL), OK);
  qsort(values, 3, sizeof *values, ascending);
  for (size_t i = 0; i < 3; i++)
    assert_near(values[i], (double)i + 1, 1e-14);
}

static void determinants(void **state) {
  (void)state;
  double value;
  assert_int_equal(linalg_determinant(4, mixed, &value, NULL), OK);
  assert_near(value, 2 * 25 * -1, 1e-13);
  /* A permutation of three rows in a circle is even, of two is odd. */
  assert_int_equal(linalg_determinant(3, (const double[]){0, 1, 0, 0, 0, 1, 1, 0, 0}, &value, NULL),
                   OK);
  assert_near(value, 1, 0);
  assert_int_equal(linalg_determinant(2, (const double[]){0, 1, 1, 0}, &value, NULL), OK);
  assert_near(value, -1, 0);
  assert_int_equal(linalg_determinant(2, (const double[]){1, 2, 2, 4}, &value, NULL), OK);
  assert_near(value, 0, 0);
}

static void eigenvalues(void **state) {
  (void)state;
  double real[4], imaginary[4];
  assert_int_equal(linalg_eigenvalues(4, mixed, real, imaginary, NULL), OK);
  qsort(real, 4, sizeof *real, ascending);
  qsort(imaginary, 4, sizeof *imaginary, ascending);
  const double reals[] = {-1, 2, 3, 3}, imaginaries[] = {-4, 0, 0, 4};
  for (size_t i = 0; i < 4; i++) {
    assert_near(real[i], reals[i], 1e-13);
    assert_near(imaginary[i], imaginaries[i], 1e-13);
  }
}

/* A whole circle of eigenvalues: the cyclic shift of 257 dimensions has the 257th roots of unity.
 */
static void eigenvalues_of_a_shift(void **state) {
  (void)state;
  enum { N = 257 };
  double *a = calloc(N * N, sizeof *a), real[N], imaginary[N], angles[N];
  assert_non_null(a);
  for (size_t i = 0; i < N; i++)
    a[i * N + (i + 1) % N] = 1;
  assert_int_equal(linalg_eigenvalues(N, a, real, imaginary, NULL), OK);
  for (size_t i = 0; i < N; i++) {
    assert_near(hypot(real[i], imaginary[i]), 1, 1e-13);
    angles[i] = atan2(imaginary[i], real[i]);
  }
  qsort(angles, N, sizeof *angles, ascending);
  for (size_t i = 0; i < N; i++)
    assert_near(angles[i], 2 * M_PI * ((double)i - (N - 1) / 2.0) / N, 1e-12);
  free(a);
}

static void inputs_stay_as_they_are(void **state) {
  (void)state;
  double copy[16], value, out[4], imaginary[4];
  memcpy(copy, mixed, sizeof copy);
  assert_int_equal(linalg_symmetric_norm(4, copy, &value, NULL), OK);
  assert_int_equal(linalg_singular_values(4, copy, out, NULL), OK);
  assert_int_equal(linalg_determinant(4, copy, &value, NULL), OK);
  assert_int_equal(linalg_eigenvalues(4, copy, out, imaginary, NULL), OK);
  assert_memory_equal(copy, mixed, sizeof copy);
}

static void empty_matrices_are_refused(void **state) {
  (void)state;
  double none[1] = {0}, value, other[1];
  struct error error = {0};
  assert_int_equal(linalg_product(0, none, none, other, &error), ERROR_FAILED);
  assert_message(error, "the product of a 0 x 0 matrix failed: ");
  assert_int_equal(linalg_transpose_product(0, none, none, other, NULL), ERROR_FAILED);
  assert_int_equal(linalg_apply(0, none, 1, none, other, NULL), ERROR_FAILED);
  assert_int_equal(linalg_apply(1, none, 0, none, other, NULL), ERROR_FAILED);
  assert_int_equal(linalg_symmetric_norm(0, none, &value, &error), ERROR_FAILED);
  assert_message(error, "the spectral norm of a 0 x 0 matrix failed: ");
  assert_int_equal(linalg_singular_values(0, none, other, NULL), ERROR_FAILED);
  assert_int_equal(linalg_determinant(0, none, &value, NULL), ERROR_FAILED);
  assert_int_equal(linalg_eigenvalues(0, none, &value, other, NULL), ERROR_FAILED);
}

/* GSL's own errors come back in its words, without its handler ending the program: sums of these
   overflow, and no iteration ends. */
static void failures_of_gsl_are_errors(void **state) {
  (void)state;
  const double huge[] = {1e308, 1e308, 0, 1e308, -1e308, 1e308, 1e308, 1e308, 1e308};
  double real[3], imaginary[3];
  struct error error = {0};
  assert_int_equal(linalg_eigenvalues(3, huge, real, imaginary, &error), ERROR_FAILED);
  assert_message(error, "the eigenvalue decomposition of a 3 x 3 matrix failed: exceeded max");
  assert_int_equal(error.code, ERROR_FAILED);
  assert_int_equal(linalg_singular_values(3, huge, real, &error), ERROR_FAILED);
  assert_message(error, "the singular value decomposition of a 3 x 3 matrix failed: a value over");
}

static void values_that_are_not_finite(void **state) {
  (void)state;
  double broken[16], values[4], imaginary[4], value;
  struct error error = {0};
  for (size_t i = 0; i < 16; i++)
    broken[i] = i == 6 ? NAN : mixed[i];
  assert_int_equal(linalg_singular_values(4, broken, values, &error), ERROR_FAILED);
  assert_message(error,
                 "the singular value decomposition of a 4 x 4 matrix failed: a value is not");
  assert_int_equal(linalg_symmetric_norm(4, broken, &value, &error), ERROR_FAILED);
  broken[6] = INFINITY;
  assert_int_equal(linalg_eigenvalues(4, broken, values, imaginary, &error), ERROR_FAILED);
  assert_message(error, "the eigenvalue decomposition of a 4 x 4 matrix failed: a value is not");
  broken[6] = NAN;
  assert_int_equal(linalg_determinant(4, broken, &value, &error), OK);
  assert_true(isnan(value));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(products),
      cmocka_unit_test(applies_to_each_vector),
      cmocka_unit_test(products_of_rows),
      cmocka_unit_test(orthonormal_rows),
      cmocka_unit_test(largest_value),
      cmocka_unit_test(symmetric_norms),
      cmocka_unit_test(singular_values),
      cmocka_unit_test(determinants),
      cmocka_unit_test(eigenvalues),
      cmocka_unit_test(eigenvalues_of_a_shift),
      cmocka_unit_test(inputs_stay_as_they_are),
      cmocka_unit_test(empty_matrices_are_refused),
      cmocka_unit_test(failures_of_gsl_are_errors),
      cmocka_unit_test(values_that_are_not_finite),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

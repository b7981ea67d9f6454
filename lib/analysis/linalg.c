#include "lib/analysis/linalg.h"

#include <gsl/gsl_blas.h>
#include <gsl/gsl_eigen.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_linalg.h>
#include <math.h>
#include <pthread.h>

/* OpenBLAS's own call; its header clashes with GSL's. */
void openblas_set_num_threads(int count);

/* By default GSL aborts on an error. The loops round these calls have threads of their own, and a
   product must not depend on how many OpenBLAS would take. */
static void prepare(void) {
  gsl_set_error_handler_off();
  openblas_set_num_threads(1);
}

static void prepare_once(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, prepare);
}

/* What GSL's status means to us. */
static int outcome(int status, const char *what, size_t n, struct error *error) {
  if (status == GSL_SUCCESS) return OK;
  return error_set(error, ERROR_FAILED, "%s of a %zu x %zu matrix failed: %s", what, n, n,
                   gsl_strerror(status));
}

/* An iteration over values that are not finite may end anywhere. */
static int require_finite(size_t n, const double *a, const char *what, struct error *error) {
  if (isfinite(linalg_max_abs(n * n, a))) return OK;
  return error_set(error, ERROR_FAILED, "%s of a %zu x %zu matrix failed: a value is not finite",
                   what, n, n);
}

/* GSL's algorithms walk down columns. Rows one cache line longer than a power of two keep the
   elements of a column in different sets of the cache: four times faster for 512 columns. NULL for
   n = 0 and when out of memory. */
static gsl_matrix *padded_matrix(size_t n) {
  enum { PAD = 8 };
  return n ? gsl_matrix_alloc(n, n + PAD) : NULL;
}

static gsl_matrix_view unpadded(gsl_matrix *matrix) {
  return gsl_matrix_submatrix(matrix, 0, 0, matrix->size1, matrix->size1);
}

/* They overwrite their matrix, too: they get a copy. */
static gsl_matrix *padded_copy(size_t n, const double *a) {
  gsl_matrix *copy = padded_matrix(n);
  if (copy) {
    const gsl_matrix_const_view from = gsl_matrix_const_view_array(a, n, n);
    gsl_matrix_view to = unpadded(copy);
    gsl_matrix_memcpy(&to.matrix, &from.matrix);
  }
  return copy;
}

static int multiply(CBLAS_TRANSPOSE_t transpose, size_t n, const double *a, const double *b,
                    double *c, struct error *error) {
  prepare_once();
  if (!n) return outcome(GSL_EINVAL, "the product", n, error);
  const gsl_matrix_const_view left = gsl_matrix_const_view_array(a, n, n);
  const gsl_matrix_const_view right = gsl_matrix_const_view_array(b, n, n);
  gsl_matrix_view out = gsl_matrix_view_array(c, n, n);
  return outcome(
      gsl_blas_dgemm(transpose, CblasNoTrans, 1, &left.matrix, &right.matrix, 0, &out.matrix),
      "the product", n, error);
}

int linalg_product(size_t n, const double *a, const double *b, double *c, struct error *error) {
  return multiply(CblasNoTrans, n, a, b, c, error);
}

int linalg_transpose_product(size_t n, const double *a, const double *b, double *c,
                             struct error *error) {
  return multiply(CblasTrans, n, a, b, c, error);
}

int linalg_apply(size_t n, const double *a, size_t count, const double *x, double *y,
                 struct error *error) {
  prepare_once();
  if (!n || !count) return outcome(GSL_EINVAL, "the product with vectors", n, error);
  const gsl_matrix_const_view matrix = gsl_matrix_const_view_array(a, n, n);
  const gsl_matrix_const_view vectors = gsl_matrix_const_view_array(x, count, n);
  gsl_matrix_view out = gsl_matrix_view_array(y, count, n);
  /* The vectors are rows: Yᵀ = A·Xᵀ is Y = X·Aᵀ. */
  return outcome(
      gsl_blas_dgemm(CblasNoTrans, CblasTrans, 1, &vectors.matrix, &matrix.matrix, 0, &out.matrix),
      "the product with vectors", n, error);
}

int linalg_product_of_rows(const struct linalg_rows *product, struct error *error) {
  static const char what[] = "the product of rows";
  const size_t rows = product->rows, columns = product->columns, inner = product->inner;
  prepare_once();
  if (!rows || !columns || !inner) return outcome(GSL_EINVAL, what, rows, error);
  const gsl_matrix_const_view left = gsl_matrix_const_view_array(product->left, rows, inner);
  const gsl_matrix_const_view right = gsl_matrix_const_view_array(product->right, columns, inner);
  gsl_matrix_view out = gsl_matrix_view_array(product->output, rows, columns);
  return outcome(
      gsl_blas_dgemm(CblasNoTrans, CblasTrans, 1, &left.matrix, &right.matrix, 0, &out.matrix),
      what, rows, error);
}

int linalg_orthonormal_rows(size_t n, double *a, struct error *error) {
  static const char what[] = "the QR decomposition";
  prepare_once();
  if (require_finite(n, a, what, error)) return ERROR_FAILED;
  int status = n ? GSL_ENOMEM : GSL_EINVAL;
  gsl_matrix *copy = padded_matrix(n), *q = padded_matrix(n), *r = padded_matrix(n);
  gsl_vector *tau = n ? gsl_vector_alloc(n) : NULL;
  if (copy && q && r && tau) {
    gsl_matrix_view work = unpadded(copy), left = unpadded(q), right = unpadded(r);
    gsl_matrix_view rows = gsl_matrix_view_array(a, n, n);
    gsl_matrix_transpose_memcpy(&work.matrix, &rows.matrix);
    status = gsl_linalg_QR_decomp(&work.matrix, tau);
    if (status == GSL_SUCCESS)
      status = gsl_linalg_QR_unpack(&work.matrix, tau, &left.matrix, &right.matrix);
    for (size_t i = 0; status == GSL_SUCCESS && i < n; i++) {
      const double sign = gsl_matrix_get(&right.matrix, i, i) < 0 ? -1 : 1;
      for (size_t j = 0; j < n; j++)
        a[i * n + j] = sign * gsl_matrix_get(&left.matrix, j, i);
    }
  }
  gsl_vector_free(tau);
  gsl_matrix_free(r);
  gsl_matrix_free(q);
  gsl_matrix_free(copy);
  return outcome(status, what, n, error);
}

double linalg_max_abs(size_t count, const double *values) {
  double largest = 0;
  for (size_t i = 0; i < count; i++) {
    if (isnan(values[i])) return NAN;
    if (fabs(values[i]) > largest) largest = fabs(values[i]);
  }
  return largest;
}

int linalg_symmetric_norm(size_t n, const double *a, double *norm, struct error *error) {
  static const char what[] = "the spectral norm";
  prepare_once();
  if (require_finite(n, a, what, error)) return ERROR_FAILED;
  int status = n ? GSL_ENOMEM : GSL_EINVAL;
  gsl_matrix *copy = padded_copy(n, a);
  gsl_vector *values = n ? gsl_vector_alloc(n) : NULL;
  gsl_eigen_symm_workspace *workspace = n ? gsl_eigen_symm_alloc(n) : NULL;
  if (copy && values && workspace) {
    gsl_matrix_view work = unpadded(copy);
    status = gsl_eigen_symm(&work.matrix, values, workspace);
    *norm = linalg_max_abs(n, values->data);
  }
  if (workspace) gsl_eigen_symm_free(workspace);
  gsl_vector_free(values);
  gsl_matrix_free(copy);
  return outcome(status, what, n, error);
}

/* Jacobi takes dot products of columns; where they overflow GSL finds wrong values without a word.
 */
#define JACOBI_MAXIMUM 1e150

int linalg_singular_values(size_t n, const double *a, double *values, struct error *error) {
  static const char what[] = "the singular value decomposition";
  prepare_once();
  if (require_finite(n, a, what, error)) return ERROR_FAILED;
  if (linalg_max_abs(n * n, a) > JACOBI_MAXIMUM)
    return error_set(error, ERROR_FAILED, "%s of a %zu x %zu matrix failed: a value over %g", what,
                     n, n, JACOBI_MAXIMUM);
  int status = n ? GSL_ENOMEM : GSL_EINVAL;
  gsl_matrix *copy = padded_copy(n, a), *right = padded_matrix(n);
  if (copy && right) {
    gsl_matrix_view work = unpadded(copy), rotations = unpadded(right);
    gsl_vector_view out = gsl_vector_view_array(values, n);
    status = gsl_linalg_SV_decomp_jacobi(&work.matrix, &rotations.matrix, &out.vector);
  }
  gsl_matrix_free(right);
  gsl_matrix_free(copy);
  return outcome(status, what, n, error);
}

int linalg_determinant(size_t n, const double *a, double *determinant, struct error *error) {
  prepare_once();
  int status = n ? GSL_ENOMEM : GSL_EINVAL, sign;
  gsl_matrix *copy = padded_copy(n, a);
  gsl_permutation *permutation = n ? gsl_permutation_alloc(n) : NULL;
  if (copy && permutation) {
    gsl_matrix_view work = unpadded(copy);
    status = gsl_linalg_LU_decomp(&work.matrix, permutation, &sign);
    if (status == GSL_SUCCESS) *determinant = gsl_linalg_LU_det(&work.matrix, sign);
  }
  gsl_permutation_free(permutation);
  gsl_matrix_free(copy);
  return outcome(status, "the LU decomposition", n, error);
}

int linalg_eigenvalues(size_t n, const double *a, double *real, double *imaginary,
                       struct error *error) {
  static const char what[] = "the eigenvalue decomposition";
  prepare_once();
  if (require_finite(n, a, what, error)) return ERROR_FAILED;
  int status = n ? GSL_ENOMEM : GSL_EINVAL;
  gsl_matrix *copy = padded_copy(n, a);
  gsl_vector_complex *values = n ? gsl_vector_complex_alloc(n) : NULL;
  gsl_eigen_nonsymm_workspace *workspace = n ? gsl_eigen_nonsymm_alloc(n) : NULL;
  if (copy && values && workspace) {
    gsl_matrix_view work = unpadded(copy);
    status = gsl_eigen_nonsymm(&work.matrix, values, workspace);
    for (size_t i = 0; status == GSL_SUCCESS && i < n; i++) {
      const gsl_complex value = gsl_vector_complex_get(values, i);
      real[i] = GSL_REAL(value);
      imaginary[i] = GSL_IMAG(value);
    }
  }
  if (workspace) gsl_eigen_nonsymm_free(workspace);
  gsl_vector_complex_free(values);
  gsl_matrix_free(copy);
  return outcome(status, what, n, error);
}

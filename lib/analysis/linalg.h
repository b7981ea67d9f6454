/* Dense linear algebra. All matrices are plain row-major arrays, shape (row, column).

   The one user of GSL's linear algebra. Failures inside it (no convergence, memory, an empty
   matrix) are ERROR_FAILED with its words in the message; nothing aborts. A value that is not
   finite in a matrix comes out as NaN, or as a failure to converge. Safe to call from several
   threads. */
#ifndef ROPETOOL_ANALYSIS_LINALG_H
#define ROPETOOL_ANALYSIS_LINALG_H

#include <stddef.h>

#include "lib/base/error.h"

/* C = A·B and C = Aᵀ·B of n × n matrices; C is not A or B. */
int linalg_product(size_t n, const double *a, const double *b, double *c, struct error *error);
int linalg_transpose_product(size_t n, const double *a, const double *b, double *c,
                             struct error *error);

/* y_j = A·x_j for `count` vectors, (vector, n) each; y is not x. */
int linalg_apply(size_t n, const double *a, size_t count, const double *x, double *y,
                 struct error *error);

/* C = A·Bᵀ of A (rows, inner) and B (columns, inner): C is (rows, columns). */
struct linalg_rows {
  size_t rows, columns, inner; /* > 0 */
  const double *left, *right;
  double *output;
};
int linalg_product_of_rows(const struct linalg_rows *product, struct error *error);

/* Replaces the rows of a random matrix by orthonormal ones that span the same: Q of Aᵀ = Q·R with a
   positive diagonal of R, so that Gaussian rows become evenly distributed directions. */
int linalg_orthonormal_rows(size_t n, double *a, struct error *error);

/* The largest absolute value; NaN when one of them is NaN. */
double linalg_max_abs(size_t count, const double *values);

/* The spectral norm of a symmetric matrix (its lower half is read): the largest |eigenvalue|, by
   tridiagonal reduction and QR. */
int linalg_symmetric_norm(size_t n, const double *a, double *norm, struct error *error);

/* The n singular values, in no order that matters, by one-sided Jacobi: no rotation is needed where
   columns are orthogonal already, so that nearly orthogonal matrices cost least. A value over 1e150
   is an error. */
int linalg_singular_values(size_t n, const double *a, double *values, struct error *error);

/* The determinant, by LU with partial pivoting. */
int linalg_determinant(size_t n, const double *a, double *determinant, struct error *error);

/* The n eigenvalues of a general matrix, in no order that matters, by Hessenberg reduction and the
   double-shift QR of Francis. */
int linalg_eigenvalues(size_t n, const double *a, double *real, double *imaginary,
                       struct error *error);

#endif

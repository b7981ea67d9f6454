/* Checks that R_m keeps lengths: orthogonality, determinant, singular values, norms. They hold
   whatever the angle, so only the rounding of the entries counts. A matrix of zeros has the value 1
   in each of them, and at position 0 R_m is the identity, which proves nothing of a rotation. */
#include <math.h>

#include "lib/analysis/certificate_bound.h"
#include "lib/analysis/certificate_check.h"
#include "lib/analysis/linalg.h"

static const double e = BOUND_DOUBLE;
static const char blind_fault[] = "zeros for a matrix, or a rotation by nothing";

static double blind_value(const struct certificate_case *item) {
  return bound_reach(item->spectrum, item->position) > 0 ? 1 : 0;
}

/* RᵀR − I into the first scratch matrix. */
static int gram_defect(const struct certificate_case *item, struct error *error) {
  const size_t dim = item->dim;
  double *gram = item->scratch[0];
  const int code = linalg_transpose_product(dim, item->rotation, item->rotation, gram, error);
  for (size_t i = 0; !code && i < dim; i++)
    gram[i * dim + i] -= 1;
  return code;
}

/* c² + s² in double is off by 2e of 1, the cross term cs − sc by e (fused multiply-add), the
   difference from 1 is exact near 1. */
static int run_orthogonality_max(const struct certificate_case *item,
                                 struct certificate_result *result, struct error *error) {
  const int code = gram_defect(item, error);
  if (code) return code;
  result->value = linalg_max_abs(item->dim * item->dim, item->scratch[0]);
  result->tolerance = bound_defect(item->precision) + 4 * e;
  result->blind = blind_value(item);
  return OK;
}

const struct certificate_check certificate_orthogonality_max = {
    .name = "orthogonality_max",
    .unit = "1",
    .quantity = "max |RᵀR − I|",
    .tolerance = "|R'R - I|: 2 sqrt(2) t + 2 t^2 + 4 e",
    .blind = blind_fault,
    .run = run_orthogonality_max,
};

/* The blocks of RᵀR − I are (x y; y x) with the entries above: norm |x| + |y|. The symmetric
   eigenvalue solver is off by d·e of that norm. */
static int run_orthogonality_spectral(const struct certificate_case *item,
                                      struct certificate_result *result, struct error *error) {
  int code = gram_defect(item, error);
  if (!code && !isfinite(linalg_max_abs(item->dim * item->dim, item->scratch[0])))
    result->value = NAN;
  else if (!code)
    code = linalg_symmetric_norm(item->dim, item->scratch[0], &result->value, error);
  if (code) return code;
  result->tolerance = (bound_defect(item->precision) + 4 * e) * (1 + (double)item->dim * e);
  result->blind = blind_value(item);
  return OK;
}

const struct certificate_check certificate_orthogonality_spectral = {
    .name = "orthogonality_spectral",
    .unit = "1",
    .quantity = "spectral norm of RᵀR − I",
    .tolerance = "|R'R - I|_2: (2 sqrt(2) t + 2 t^2 + 4 e)(1 + d e)",
    .blind = blind_fault,
    .run = run_orthogonality_spectral,
};

/* det R is the product of the pairs' c² + s². Elimination takes three roundings a pair, the product
   of the pivots d: 2.5·d·e in all. */
static int run_determinant(const struct certificate_case *item, struct certificate_result *result,
                           struct error *error) {
  double determinant;
  const int code = linalg_determinant(item->dim, item->rotation, &determinant, error);
  if (code) return code;
  result->value = fabs(determinant - 1);
  result->tolerance = expm1((double)item->spectrum->pairs * log1p(bound_defect(item->precision))) +
                      3 * (double)item->dim * e;
  result->blind = blind_value(item);
  return OK;
}

const struct certificate_check certificate_determinant = {
    .name = "determinant",
    .unit = "1",
    .quantity = "|det R − 1|",
    .tolerance = "|det R - 1|: (1 + 2 sqrt(2) t + 2 t^2)^pairs - 1 + 3 d e",
    .blind = blind_fault,
    .run = run_determinant,
};

/* A pair's two singular values are |z|. One-sided Jacobi keeps them to d·e. */
static int run_singular_values(const struct certificate_case *item,
                               struct certificate_result *result, struct error *error) {
  const size_t dim = item->dim;
  double *values = item->vector_scratch;
  result->tolerance = BOUND_SQRT2 * bound_entry(item->precision) + (double)dim * e;
  result->blind = blind_value(item);
  result->value = NAN;
  if (!(linalg_max_abs(dim * dim, item->rotation) <= CERTIFICATE_ENTRY_MAXIMUM)) return OK;
  const int code = linalg_singular_values(dim, item->rotation, values, error);
  if (code) return code;
  for (size_t i = 0; i < dim; i++)
    values[i] -= 1;
  result->value = linalg_max_abs(dim, values);
  return OK;
}

const struct certificate_check certificate_singular_values = {
    .name = "singular_values",
    .unit = "1",
    .quantity = "max |singular value − 1|",
    .tolerance = "max |s - 1|: sqrt(2) t + d e",
    .blind = blind_fault,
    .costly = true,
    .run = run_singular_values,
};

static long double norm_of(size_t dim, const double *vector) {
  long double sum = 0;
  for (size_t i = 0; i < dim; i++)
    sum += (long double)vector[i] * vector[i];
  return sqrtl(sum);
}

/* A component of Rx has two products and a sum: off by 2e of its pair's length, √2 times that for
   the pair. The norms are taken in extended precision. */
static int run_norm(const struct certificate_case *item, struct certificate_result *result,
                    struct error *error) {
  const size_t dim = item->dim;
  double *drift = item->vector_scratch, *turned = drift + CERTIFICATE_VECTORS * dim;
  const int code =
      linalg_apply(dim, item->rotation, CERTIFICATE_VECTORS, item->vectors, turned, error);
  if (code) return code;
  for (size_t v = 0; v < CERTIFICATE_VECTORS; v++)
    drift[v] = (double)(norm_of(dim, turned + v * dim) / norm_of(dim, item->vectors + v * dim) - 1);
  result->value = linalg_max_abs(CERTIFICATE_VECTORS, drift);
  result->tolerance = BOUND_SQRT2 * bound_entry(item->precision) + 4 * e;
  result->blind = blind_value(item);
  return OK;
}

const struct certificate_check certificate_norm = {
    .name = "norm",
    .unit = "1",
    .quantity = "max ||Rx| / |x| − 1|",
    .tolerance = "max ||Rx| / |x| - 1|: sqrt(2) t + 4 e",
    .blind = blind_fault,
    .run = run_norm,
};

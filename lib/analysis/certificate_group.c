/* Checks that rotations at different positions fit together: R_a·R_b = R_{a+b}, R_mᵀ = R_{−m}, and
   scores that depend on the distance alone. All share the rounded frequencies: only r counts. */
#include <math.h>
#include <stdio.h>

#include "lib/analysis/certificate_bound.h"
#include "lib/analysis/certificate_check.h"
#include "lib/analysis/linalg.h"

static const double e = BOUND_DOUBLE;

static void matrix_at(const struct certificate_case *item, int64_t position, double *matrix) {
  item->matrix(item->spectrum, item->spectrum->spec.layout, item->precision, position, matrix);
}

/* How far z_a·z_b of a pair may be from exp(i·(a ± b)·θ), each being within its bound of the
 * circle. */
static double product_bound(const struct certificate_case *item, size_t pair, int64_t a,
                            int64_t b) {
  const double p = bound_consistent(item->spectrum, item->precision, pair, a);
  const double q = bound_consistent(item->spectrum, item->precision, pair, b);
  const double circle = BOUND_SQRT2 * bound_entry(item->precision);
  return fmin(p + q + p * q, 1 + (1 + circle) * (1 + circle));
}

/* The larger part of m = a + b. Neither is 0 (1 = 2 − 1, 2 = 3 − 1) but for m = 0. */
static int64_t larger_part(int64_t position) {
  if (position < 3) return position ? position + 1 : 0;
  return position - position * 2 / 5;
}

/* The product's entries have two products and a sum: 2e of at most √2. */
static int run_group_law(const struct certificate_case *item, struct certificate_result *result,
                         struct error *error) {
  const int64_t a = larger_part(item->position), b = item->position - a;
  const size_t cells = item->dim * item->dim;
  double *product = item->scratch[2];
  matrix_at(item, a, item->scratch[0]);
  matrix_at(item, b, item->scratch[1]);
  const int code = linalg_product(item->dim, item->scratch[0], item->scratch[1], product, error);
  if (code) return code;
  for (size_t i = 0; i < cells; i++)
    product[i] -= item->rotation[i];
  result->value = linalg_max_abs(cells, product);
  result->tolerance = 0;
  for (size_t i = 0; i < item->spectrum->pairs; i++)
    result->tolerance =
        fmax(result->tolerance,
             product_bound(item, i, a, b) +
                 bound_consistent(item->spectrum, item->precision, i, item->position));
  result->tolerance += 4 * e;
  result->blind = fmin(bound_reach(item->spectrum, a), bound_reach(item->spectrum, b));
  snprintf(result->remark, sizeof result->remark, "%lld = %lld + %lld", (long long)item->position,
           (long long)a, (long long)b);
  return OK;
}

const struct certificate_check certificate_group_law = {
    .name = "group_law",
    .unit = "1",
    .quantity = "max |R(a) R(b) − R(a + b)|",
    .tolerance = "|R_a R_b - R_m|, m = a + b: the sum of sqrt(2) t + r at a, b and m, + 4 e",
    .blind = "a product that leaves out one of the two",
    .run = run_group_law,
};

/* Rounding, cos and sin have no preferred sign: the two sides take angles that differ in nothing
   but the sign (fp64: by at most r each), and each entry is within t. */
static int run_inverse(const struct certificate_case *item, struct certificate_result *result,
                       struct error *error) {
  const size_t dim = item->dim;
  double *back = item->scratch[0], *difference = item->scratch[1];
  (void)error;
  matrix_at(item, -item->position, back);
  for (size_t i = 0; i < dim; i++)
    for (size_t j = 0; j < dim; j++)
      difference[i * dim + j] = item->rotation[j * dim + i] - back[i * dim + j];
  result->value = linalg_max_abs(dim * dim, difference);
  result->tolerance = 2 * bound_entry(item->precision);
  if (item->precision == PRECISION_FP64)
    result->tolerance += 2 * bound_rounding(item->spectrum, item->precision, 0, item->position);
  result->blind = 0;
  for (size_t i = 0; i < item->spectrum->pairs; i++) {
    const double angle = (double)bound_true_angle(item->spectrum, i, item->position);
    result->blind = fmax(result->blind, 2 * fabs(sin(angle)));
  }
  return OK;
}

const struct certificate_check certificate_inverse = {
    .name = "inverse",
    .unit = "1",
    .quantity = "max |R(m)' − R(−m)|",
    .tolerance = "|R_m' - R_-m|: 2 t, in fp64 2 t + 2 r",
    .blind = "a rotation that ignores the sign of the position",
    .run = run_inverse,
};

/* One query and one key, rotated in a case's four ways. Position m and m − distance, then distance
   and 0: the same distance at the start of the context. */
struct relative_scores {
  int64_t distance;
  double *far_query, *far_key, *near_query, *near_key; /* (vector, dim) */
};

static int rotate_at(const struct certificate_case *item, int64_t position, double *output,
                     struct error *error) {
  matrix_at(item, position, item->scratch[0]);
  return linalg_apply(item->dim, item->scratch[0], CERTIFICATE_VECTORS, item->vectors, output,
                      error);
}

static int rotate_pairs(const struct certificate_case *item, struct relative_scores *scores,
                        struct error *error) {
  const size_t size = CERTIFICATE_VECTORS * item->dim;
  scores->distance = item->position / 2 < 7 ? item->position / 2 : 7;
  scores->far_query = item->vector_scratch;
  scores->far_key = scores->far_query + size;
  scores->near_query = scores->far_key + size;
  scores->near_key = scores->near_query + size;
  int code = rotate_at(item, item->position, scores->far_query, error);
  if (!code) code = rotate_at(item, item->position - scores->distance, scores->far_key, error);
  if (!code) code = rotate_at(item, scores->distance, scores->near_query, error);
  if (!code) code = rotate_at(item, 0, scores->near_key, error);
  return code;
}

static long double dot(size_t dim, const double *a, const double *b) {
  long double sum = 0;
  for (size_t i = 0; i < dim; i++)
    sum += (long double)a[i] * b[i];
  return sum;
}

/* The sum over pairs of |q_pair|·|k_pair|·(what the two products may be off by), and what the
   difference of the scores would be if the key did not rotate, both for q and k of unit length. */
static void relative_bounds(const struct certificate_case *item, int64_t distance,
                            const double *query, const double *key, double *tolerance,
                            double *blind) {
  const struct spectrum *spectrum = item->spectrum;
  long double sum = 0, change = 0;
  for (size_t i = 0; i < spectrum->pairs; i++) {
    const size_t a = layout_first(spectrum->spec.layout, i);
    const size_t b = layout_second(spectrum->spec.layout, i, spectrum->pairs);
    sum += hypot(query[a], query[b]) * hypot(key[a], key[b]) *
           (product_bound(item, i, item->position, item->position - distance) +
            product_bound(item, i, distance, 0));
    const long double far_angle = bound_true_angle(spectrum, i, item->position);
    const long double near_angle = bound_true_angle(spectrum, i, distance);
    change += (query[a] * key[a] + query[b] * key[b]) * (cosl(far_angle) - cosl(near_angle)) +
              (query[a] * key[b] - query[b] * key[a]) * (sinl(far_angle) - sinl(near_angle));
  }
  const long double lengths = sqrtl(dot(item->dim, query, query) * dot(item->dim, key, key));
  *tolerance = (double)(sum / lengths) + 16 * e;
  *blind = (double)fabsl(change / lengths);
}

/* The same q and k at both ends. A rotated pair is off by 3e of its length: four of them, 12e. */
static int run_relative_property(const struct certificate_case *item,
                                 struct certificate_result *result, struct error *error) {
  const size_t dim = item->dim, half = CERTIFICATE_VECTORS / 2;
  struct relative_scores s;
  const int code = rotate_pairs(item, &s, error);
  if (code) return code;
  result->value = result->tolerance = result->blind = 0;
  for (size_t v = 0; v < half; v++) {
    const double *query = item->vectors + v * dim, *key = query + half * dim;
    double tolerance, blind;
    relative_bounds(item, s.distance, query, key, &tolerance, &blind);
    const long double lengths = sqrtl(dot(dim, query, query) * dot(dim, key, key));
    const long double change = dot(dim, s.far_query + v * dim, s.far_key + (v + half) * dim) -
                               dot(dim, s.near_query + v * dim, s.near_key + (v + half) * dim);
    const double value = (double)fabsl(change / lengths);
    if (isnan(value) || value > result->value) result->value = value;
    result->tolerance = fmax(result->tolerance, tolerance);
    result->blind = fmax(result->blind, blind);
  }
  snprintf(result->remark, sizeof result->remark, "the same %zu q, k at (%lld, %lld) and (%lld, 0)",
           half, (long long)item->position, (long long)(item->position - s.distance),
           (long long)s.distance);
  return OK;
}

const struct certificate_check certificate_relative_property = {
    .name = "relative_property",
    .unit = "|q| |k|",
    .quantity = "shift error of a score / (|q| |k|)",
    .tolerance =
        "change of the score: sqrt(2) t + r at the four positions, weighted with |q_i| |k_i|,"
        " + 16 e",
    .blind = "a key that is not rotated",
    .run = run_relative_property,
};

/* Checks that two ways to the same rotation agree: the layouts, and the backend's kernel. */
#include <math.h>

#include "lib/analysis/certificate_bound.h"
#include "lib/analysis/certificate_check.h"
#include "lib/analysis/linalg.h"

/* Where dimension j of the interleaved layout stands in the halves. */
static size_t in_halves(size_t j, size_t pairs) {
  if (j >= 2 * pairs) return j;
  return j % 2 ? layout_second(LAYOUT_HALVES, j / 2, pairs) : layout_first(LAYOUT_HALVES, j / 2);
}

/* The same numbers in other places: not even a rounding apart. */
static int run_layout_equivalence(const struct certificate_case *item,
                                  struct certificate_result *result, struct error *error) {
  const struct spectrum *spectrum = item->spectrum;
  const size_t dim = item->dim, pairs = spectrum->pairs;
  double *interleaved = item->scratch[0], *halves = item->scratch[1];
  (void)error;
  item->matrix(spectrum, LAYOUT_INTERLEAVED, item->precision, item->position, interleaved);
  item->matrix(spectrum, LAYOUT_HALVES, item->precision, item->position, halves);
  for (size_t i = 0; i < dim; i++)
    for (size_t j = 0; j < dim; j++)
      interleaved[i * dim + j] -= halves[in_halves(i, pairs) * dim + in_halves(j, pairs)];
  result->value = linalg_max_abs(dim * dim, interleaved);
  result->tolerance = 0;
  result->blind = 0;
  for (size_t i = 0; pairs > 1 && i < pairs; i++) {
    const double angle = (double)bound_true_angle(spectrum, i, item->position);
    result->blind = fmax(result->blind, fabs(sin(angle)));
  }
  return OK;
}

const struct certificate_check certificate_layout_equivalence = {
    .name = "layout_equivalence",
    .unit = "1",
    .tolerance = "|P R_interleaved P' - R_halves|: the same numbers, 0",
    .blind = "one layout in place of the other",
    .run = run_layout_equivalence,
};

/* Both are within √2·t + r of the truth, the kernel's own library being allowed one e more; a
   rotated pair has 2√2·e of its length from its products on either side. */
static int run_kernel_agreement(const struct certificate_case *item,
                                struct certificate_result *result, struct error *error) {
  const double e = BOUND_DOUBLE;
  const size_t dim = item->dim;
  double *product = item->vector_scratch;
  const int code =
      linalg_apply(dim, item->rotation, CERTIFICATE_VECTORS, item->vectors, product, error);
  if (code) return code;
  result->value = 0;
  for (size_t v = 0; v < CERTIFICATE_VECTORS; v++) {
    long double difference = 0, length = 0;
    for (size_t j = v * dim; j < (v + 1) * dim; j++) {
      const long double d = (long double)product[j] - item->rotated[j];
      difference += d * d;
      length += (long double)item->vectors[j] * item->vectors[j];
    }
    const double value = (double)sqrtl(difference / length);
    if (isnan(value) || value > result->value) result->value = value;
  }
  const double rounding =
      item->precision == PRECISION_FP64 ? bound_rounding(item->spectrum, PRECISION_FP64, 0, 0) : 0;
  result->tolerance = BOUND_SQRT2 * (2 * bound_entry(item->precision) + e) + 2 * rounding + 6 * e;
  result->blind = bound_reach(item->spectrum, item->position);
  return OK;
}

const struct certificate_check certificate_kernel_agreement = {
    .name = "kernel_agreement",
    .unit = "|x|",
    .quantity = "max |kernel(x) − R x| / |x|",
    .tolerance = "|kernel(x) - R x|: sqrt(2)(2 t + e) + 6 e, in fp64 + 2 r",
    .blind = "a kernel that does not rotate",
    .run = run_kernel_agreement,
};

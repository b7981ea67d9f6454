/* The limit of the mean cosine as the dimension grows, by GSL's cosine integral. */
#include <gsl/gsl_errno.h>
#include <gsl/gsl_sf_expint.h>
#include <math.h>
#include <string.h>

#include "lib/analysis/decay_parts.h"

/* ∫_0^1 cos(m·base^−t) dt by the 5-point rule of Gauss. For bases so near 1 that the difference of
   two cosine integrals would lose its digits: while the argument sweeps over less than 1/8 of a
   radian, the rule's error is below 1e-16. */
static double mean_cosine(double distance, double log_base) {
  static const double node[5] = {-0.9061798459386639928, -0.5384693101056830910, 0,
                                 0.5384693101056830910, 0.9061798459386639928};
  static const double weight[5] = {0.2369268850561890875, 0.4786286704993664680,
                                   0.5688888888888888889, 0.4786286704993664680,
                                   0.2369268850561890875};
  double sum = 0;
  for (int i = 0; i < 5; i++)
    sum += weight[i] * cos(distance * exp(-log_base * (1 + node[i]) / 2));
  return sum / 2;
}

/* The absolute error is about 1e-15 · max(1, 1 / |ln base|). */
static int limit_at(double distance, double base, double *limit, struct error *error) {
  const double log_base = log(base);
  if (distance == 0 || fabs(distance * log_base) < 0.125) {
    *limit = mean_cosine(distance, log_base);
    return OK;
  }
  gsl_sf_result near, far;
  const int trouble = gsl_sf_Ci_e(distance, &near) || gsl_sf_Ci_e(distance / base, &far);
  if (trouble)
    return error_set(error, ERROR_FAILED, "no cosine integral at distance %.17g, base %.17g",
                     distance, base);
  *limit = (near.val - far.val) / log_base;
  return OK;
}

int decay_limit(const struct spectrum *spectrum, const int64_t *distance, size_t count,
                double *limit, struct error *error) {
  const struct rope_spec *spec = &spectrum->spec;
  if (strcmp(spec->scaling.type, "none"))
    return error_set(
        error, ERROR_INPUT,
        "no continuous limit is known for scaling '%s': it needs a plain spectrum (none)",
        spec->scaling.type);
  gsl_error_handler_t *handler = gsl_set_error_handler_off(); /* GSL's own would end the program */
  int status = OK;
  for (size_t i = 0; !status && i < count; i++)
    status = limit_at((double)distance[i], spec->base, &limit[i], error);
  gsl_set_error_handler(handler);
  return status;
}

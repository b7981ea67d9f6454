#include "kernels/reduction.h"

#include <math.h>

static double sum_segment(const double *value, size_t count) {
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (size_t i = 0; i < count; i++)
    sum += value[i];
  return sum;
}

static double sum_join(double a, double b) {
  return a + b;
}

/* The largest value, of `sign` times the values; NaN when one is NaN: a comparison alone would drop
 * it. */
static double signed_peak(const double *value, size_t count, double sign) {
  double peak = -INFINITY;
  int nan = 0;
#pragma omp simd reduction(max : peak) reduction(| : nan)
  for (size_t i = 0; i < count; i++) {
    const double v = sign * value[i];
    peak = v > peak ? v : peak;
    nan |= v != v;
  }
  return nan ? NAN : peak;
}

static double max_segment(const double *value, size_t count) {
  return signed_peak(value, count, 1);
}

static double max_join(double a, double b) {
  return isnan(a) || a > b ? a : b;
}

/* Of equal magnitudes the positive one: the result does not depend on the order. */
static double absmax_join(double a, double b) {
  if (isnan(a) || isnan(b)) return NAN;
  if (fabs(a) != fabs(b)) return fabs(a) > fabs(b) ? a : b;
  return a > b ? a : b;
}

static double absmax_segment(const double *value, size_t count) {
  return absmax_join(signed_peak(value, count, 1), -signed_peak(value, count, -1));
}

const struct reduction_rule *reduction_rule(enum reduction reduction) {
  static const struct reduction_rule rules[] = {
      [REDUCE_MEAN] = {sum_segment, sum_join, true},
      [REDUCE_MAX] = {max_segment, max_join, false},
      [REDUCE_ABSMAX] = {absmax_segment, absmax_join, false},
  };
  return &rules[reduction];
}

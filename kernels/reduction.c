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

/* A comparison alone would drop NaN. */
static double max_segment(const double *value, size_t count) {
  double peak = value[0];
  for (size_t i = 0; i < count; i++) {
    if (isnan(value[i])) return NAN;
    peak = value[i] > peak ? value[i] : peak;
  }
  return peak;
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
  double lowest = value[0], highest = value[0];
  for (size_t i = 0; i < count; i++) {
    if (isnan(value[i])) return NAN;
    lowest = value[i] < lowest ? value[i] : lowest;
    highest = value[i] > highest ? value[i] : highest;
  }
  return absmax_join(lowest, highest);
}

const struct reduction_rule *reduction_rule(enum reduction reduction) {
  static const struct reduction_rule rules[] = {
      [REDUCE_MEAN] = {sum_segment, sum_join, true},
      [REDUCE_MAX] = {max_segment, max_join, false},
      [REDUCE_ABSMAX] = {absmax_segment, absmax_join, false},
  };
  return &rules[reduction];
}

#include "kernels/reduction.h"

#include <math.h>

#include "kernels/cpu.h"

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

VECTOR_CLONES
static void sum_fold(double *restrict result, const double *restrict value, size_t count) {
#pragma omp simd
  for (size_t i = 0; i < count; i++)
    result[i] += value[i];
}

/* A comparison alone would drop NaN, as in every function below. */
static inline double larger(double a, double b) {
  return ((b > a) | (b != b)) ? b : a;
}

/* Segments are short: two chains that do not wait for each other. */
static double max_segment(const double *value, size_t count) {
  double peak = value[0];
  bool nan = false;
  for (size_t i = 0; i < count; i++) {
    nan |= value[i] != value[i];
    peak = value[i] > peak ? value[i] : peak;
  }
  return nan ? NAN : peak;
}

static double max_join(double a, double b) {
  return larger(a, b);
}

VECTOR_CLONES
static void max_fold(double *restrict result, const double *restrict value, size_t count) {
#pragma omp simd
  for (size_t i = 0; i < count; i++)
    result[i] = larger(result[i], value[i]);
}

/* Of equal magnitudes the positive one: the result does not depend on the order. */
static inline double larger_magnitude(double a, double b) {
  return ((fabs(b) > fabs(a)) | ((b == -a) & (b > a)) | (b != b)) ? b : a;
}

static double absmax_join(double a, double b) {
  return larger_magnitude(a, b);
}

static double absmax_segment(const double *value, size_t count) {
  double peak = value[0];
  for (size_t i = 1; i < count; i++)
    peak = larger_magnitude(peak, value[i]);
  return peak;
}

VECTOR_CLONES
static void absmax_fold(double *restrict result, const double *restrict value, size_t count) {
#pragma omp simd
  for (size_t i = 0; i < count; i++)
    result[i] = larger_magnitude(result[i], value[i]);
}

const struct reduction_rule *reduction_rule(enum reduction reduction) {
  static const struct reduction_rule rules[] = {
      [REDUCE_MEAN] = {0, sum_segment, sum_join, sum_fold, true},
      [REDUCE_MAX] = {-INFINITY, max_segment, max_join, max_fold, false},
      [REDUCE_ABSMAX] = {0, absmax_segment, absmax_join, absmax_fold, false},
  };
  return &rules[reduction];
}

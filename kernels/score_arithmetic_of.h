/* The functions of one struct score_arithmetic. To be included once by a file that defines NUMBER
   (float or double), EXPONENTIAL, GEMM and ARITHMETIC (the name of the struct). */
#include <math.h>

#include "kernels/cpu.h"
#include "kernels/exponential.h"
#include "kernels/score_arithmetic.h"

/* Partial results side by side, joined in one order at the end. */
enum { LANES = 32 };

static double add_lanes(double *lane) {
  for (size_t half = LANES / 2; half; half /= 2)
    for (size_t l = 0; l < half; l++)
      lane[l] += lane[l + half];
  return lane[0];
}

VECTOR_CLONES
static void store(const double *restrict value, size_t count, void *restrict number) {
  NUMBER *restrict output = number;
#pragma omp simd
  for (size_t i = 0; i < count; i++)
    output[i] = (NUMBER)value[i];
}

VECTOR_CLONES
static void load(const void *restrict number, size_t count, double factor, double *restrict value) {
  const NUMBER *restrict input = number;
#pragma omp simd
  for (size_t i = 0; i < count; i++)
    value[i] = factor * (double)input[i];
}

static void multiply(const struct score_product *product) {
  GEMM(CblasRowMajor, CblasNoTrans, CblasTrans, (int)product->rows, (int)product->keys,
       (int)product->dim, (NUMBER)product->share, product->query, (int)product->dim, product->key,
       (int)product->dim, product->add ? 1 : 0, product->score, (int)product->stride);
}

VECTOR_CLONES
static void average(const void *restrict number, size_t count, double factor, bool add,
                    void *restrict sum) {
  const NUMBER *restrict input = number;
  NUMBER *restrict output = sum;
  const NUMBER share = (NUMBER)factor;
  if (add) {
#pragma omp simd
    for (size_t i = 0; i < count; i++)
      output[i] += share * input[i];
  } else {
#pragma omp simd
    for (size_t i = 0; i < count; i++)
      output[i] = share * input[i];
  }
}

/* log2(e)·(scale·score + bias); each loop below is compiled with a bias and without. */
static inline NUMBER exponent_of(NUMBER score, NUMBER factor, const NUMBER *bias, size_t i) {
  const NUMBER exponent = score * factor;
  if (!bias) return exponent;
  return bias[i] == (NUMBER)-INFINITY ? (NUMBER)-INFINITY : exponent + bias[i];
}

static inline __attribute__((always_inline)) double peak_of(const NUMBER *restrict input,
                                                            const NUMBER *restrict bias,
                                                            size_t count, NUMBER factor) {
  NUMBER lane[LANES];
  for (size_t l = 0; l < LANES; l++)
    lane[l] = (NUMBER)-INFINITY;
  for (size_t i = 0; i < count; i += LANES) {
    const size_t width = count - i < LANES ? count - i : LANES;
#pragma omp simd
    for (size_t l = 0; l < width; l++) {
      const NUMBER exponent = exponent_of(input[i + l], factor, bias, i + l);
      lane[l] = exponent > lane[l] ? exponent : lane[l];
    }
  }
  for (size_t l = 1; l < LANES; l++)
    lane[0] = lane[l] > lane[0] ? lane[l] : lane[0];
  return (double)lane[0];
}

VECTOR_CLONES
static double peak(const void *score, const void *bias, size_t count, double scale) {
  return bias ? peak_of(score, bias, count, (NUMBER)scale)
              : peak_of(score, NULL, count, (NUMBER)scale);
}

static inline __attribute__((always_inline)) double exponentials_of(NUMBER *restrict number,
                                                                    const NUMBER *restrict bias,
                                                                    size_t count, NUMBER factor,
                                                                    NUMBER shift) {
  double lane[LANES] = {0};
  for (size_t i = 0; i < count; i += LANES) {
    const size_t width = count - i < LANES ? count - i : LANES;
#pragma omp simd
    for (size_t l = 0; l < width; l++) {
      const NUMBER e = EXPONENTIAL(exponent_of(number[i + l], factor, bias, i + l) - shift);
      number[i + l] = e;
      lane[l] += (double)e;
    }
  }
  return add_lanes(lane);
}

VECTOR_CLONES
static double exponentials(void *score, const void *bias, size_t count, double scale, double top) {
  return bias ? exponentials_of(score, bias, count, (NUMBER)scale, (NUMBER)top)
              : exponentials_of(score, NULL, count, (NUMBER)scale, (NUMBER)top);
}

static inline __attribute__((always_inline)) struct exponential_sums moments_of(
    NUMBER *restrict number, const NUMBER *restrict bias, size_t count, NUMBER factor, NUMBER shift,
    double offset) {
  double total[LANES] = {0}, exponent[LANES] = {0}, distance[LANES] = {0}, ramp[LANES];
  for (size_t l = 0; l < LANES; l++)
    ramp[l] = offset + (double)l;
  for (size_t i = 0; i < count; i += LANES) {
    const size_t width = count - i < LANES ? count - i : LANES;
    const double start = (double)i;
#pragma omp simd
    for (size_t l = 0; l < width; l++) {
      const NUMBER x = exponent_of(number[i + l], factor, bias, i + l) - shift, e = EXPONENTIAL(x);
      number[i + l] = e;
      total[l] += (double)e;
      /* e·ln e tends to 0 */
      exponent[l] += (double)e * (double)(bias && x == (NUMBER)-INFINITY ? 0 : x);
      distance[l] += (double)e * fabs(start + ramp[l]);
    }
  }
  return (struct exponential_sums){add_lanes(total), add_lanes(exponent), add_lanes(distance)};
}

VECTOR_CLONES
static struct exponential_sums moments(void *score, const void *bias, size_t count, double scale,
                                       double top, double offset) {
  return bias ? moments_of(score, bias, count, (NUMBER)scale, (NUMBER)top, offset)
              : moments_of(score, NULL, count, (NUMBER)scale, (NUMBER)top, offset);
}

const struct score_arithmetic ARITHMETIC = {
    .size = sizeof(NUMBER),
    .store = store,
    .load = load,
    .multiply = multiply,
    .average = average,
    .peak = peak,
    .exponentials = exponentials,
    .moments = moments,
};

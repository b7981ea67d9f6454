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

VECTOR_CLONES
static double peak(const void *score, size_t count, double scale) {
  const NUMBER *restrict input = score;
  const NUMBER factor = (NUMBER)scale;
  NUMBER lane[LANES];
  for (size_t l = 0; l < LANES; l++)
    lane[l] = (NUMBER)-INFINITY;
  for (size_t i = 0; i < count; i += LANES) {
    const size_t width = count - i < LANES ? count - i : LANES;
#pragma omp simd
    for (size_t l = 0; l < width; l++) {
      const NUMBER exponent = input[i + l] * factor;
      lane[l] = exponent > lane[l] ? exponent : lane[l];
    }
  }
  for (size_t l = 1; l < LANES; l++)
    lane[0] = lane[l] > lane[0] ? lane[l] : lane[0];
  return (double)lane[0];
}

VECTOR_CLONES
static double exponentials(void *score, size_t count, double scale, double top) {
  NUMBER *restrict number = score;
  const NUMBER factor = (NUMBER)scale, shift = (NUMBER)top;
  double lane[LANES] = {0};
  for (size_t i = 0; i < count; i += LANES) {
    const size_t width = count - i < LANES ? count - i : LANES;
#pragma omp simd
    for (size_t l = 0; l < width; l++) {
      const NUMBER e = EXPONENTIAL(number[i + l] * factor - shift);
      number[i + l] = e;
      lane[l] += (double)e;
    }
  }
  return add_lanes(lane);
}

VECTOR_CLONES
static struct exponential_sums moments(void *score, size_t count, double scale, double top,
                                       double offset) {
  NUMBER *restrict number = score;
  const NUMBER factor = (NUMBER)scale, shift = (NUMBER)top;
  double total[LANES] = {0}, exponent[LANES] = {0}, distance[LANES] = {0}, ramp[LANES];
  for (size_t l = 0; l < LANES; l++)
    ramp[l] = offset + (double)l;
  for (size_t i = 0; i < count; i += LANES) {
    const size_t width = count - i < LANES ? count - i : LANES;
    const double start = (double)i;
#pragma omp simd
    for (size_t l = 0; l < width; l++) {
      const NUMBER x = number[i + l] * factor - shift, e = EXPONENTIAL(x);
      number[i + l] = e;
      total[l] += (double)e;
      exponent[l] += (double)e * (double)x;
      distance[l] += (double)e * fabs(start + ramp[l]);
    }
  }
  return (struct exponential_sums){add_lanes(total), add_lanes(exponent), add_lanes(distance)};
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

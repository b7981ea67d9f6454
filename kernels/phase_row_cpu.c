/* cos and sin of all pairs at one position, several at a time. */
#include <string.h>

#include "kernels/cpu.h"
#include "lib/base/phase.h"

static inline double double_of(uint64_t bits) {
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static inline uint64_t bits_of(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

/* (double)(int64_t)bits, without the conversion that most vector units lack: the halves are put
   into the digits of 2^84 and of 2^52, and what that added is taken off again. */
static inline double signed_double(uint64_t bits) {
  const double high = double_of(bits >> 32 ^ UINT64_C(0x4530000080000000));
  const double low = double_of((bits & 0xffffffff) | UINT64_C(0x4330000000000000));
  return (high - (0x1p84 + 0x1p63 + 0x1p52)) + low;
}

/* sin x of |x| <= π/4 by its series, z = x²: what is left out is below 2^-60. */
static inline double sine_of(double x, double z) {
  const double tail =
      z * (-1.0 / 6 +
           z * (1.0 / 120 +
                z * (-1.0 / 5040 +
                     z * (1.0 / 362880 +
                          z * (-1.0 / 39916800 +
                               z * (1.0 / 6227020800 +
                                    z * (-1.0 / 1307674368000 + z * (1.0 / 355687428096000))))))));
  return x + x * tail;
}

/* cos x likewise; what 1 − z/2 loses to rounding is added again. */
static inline double cosine_of(double z) {
  const double tail =
      1.0 / 24 +
      z * (-1.0 / 720 +
           z * (1.0 / 40320 +
                z * (-1.0 / 3628800 + z * (1.0 / 479001600 + z * (-1.0 / 87178291200 +
                                                                  z * (1.0 / 20922789888000))))));
  const double half = 0.5 * z, head = 1 - half;
  return head + (((1 - head) - half) + z * z * tail);
}

/* phase_cos_sin() without a branch: a quarter turn swaps the two and turns signs. */
static inline void cos_sin(uint64_t phase, double *cosine, double *sine) {
  const uint64_t quarter = (phase + (UINT64_C(1) << 61)) >> 62;
  const double x = signed_double(phase - (quarter << 62)) * 3.40612158008655459e-19; /* 2π / 2^64 */
  const double z = x * x;
  const uint64_t c = bits_of(cosine_of(z)), s = bits_of(sine_of(x, z));
  const uint64_t swapped = (c ^ s) & -(quarter & 1);
  *cosine = double_of((c ^ swapped) ^ ((quarter + 1) & 2) << 62);
  *sine = double_of((s ^ swapped) ^ (quarter & 2) << 62);
}

VECTOR_CLONES
static void exact_row(const struct phases *phases, uint64_t position, double amplitude,
                      double *restrict cosine, double *restrict sine) {
  const uint64_t *restrict step = phases->step;
#pragma omp simd
  for (size_t i = 0; i < phases->pairs; i++) {
    double c, s;
    cos_sin(step[i] * position, &c, &s);
    cosine[i] = amplitude * c;
    sine[i] = amplitude * s;
  }
}

static void rounded_row(const struct phases *phases, int64_t position, double amplitude,
                        double *cosine, double *sine) {
  for (size_t i = 0; i < phases->pairs; i++) {
    double c, s;
    phase_cos_sin_rounded(phases->precision, phases->step[i], phases->inv_freq[i], position, &c,
                          &s);
    cosine[i] = amplitude * c;
    sine[i] = amplitude * s;
  }
}

void phase_row(const struct phases *phases, int64_t position, double amplitude, double *cosine,
               double *sine) {
  if (phases->precision == PRECISION_FP64)
    exact_row(phases, (uint64_t)position, amplitude, cosine, sine);
  else
    rounded_row(phases, position, amplitude, cosine, sine);
}

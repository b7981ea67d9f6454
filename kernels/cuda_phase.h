/* Phases on the device: the twin of lib/base/phase.h and precision.h. 2^64 units make one turn. */
#ifndef ROPETOOL_KERNELS_CUDA_PHASE_H
#define ROPETOOL_KERNELS_CUDA_PHASE_H

#include <stdint.h>

#include "kernels/cuda_device.h"

/* cos and sin of a phase. The nearest quarter turn is taken off first, so that sine and cosine keep
   their relative accuracy where they are small. sincospi() is within 2 units in the last place. */
__device__ static inline void device_cos_sin(uint64_t phase, double *cosine, double *sine) {
  const unsigned quarter = (unsigned)((phase + (1ull << 61)) >> 62) & 3;
  const long long rest = (long long)(phase - ((uint64_t)quarter << 62));
  double s, c;
  sincospi((double)rest * 0x1p-63, &s, &c);
  *cosine = quarter == 0 ? c : quarter == 1 ? -s : quarter == 2 ? -c : s;
  *sine = quarter == 0 ? s : quarter == 1 ? c : quarter == 2 ? -s : -c;
}

/* The phase as an angle in [0, 2π) radians. */
__device__ static inline double device_angle(uint64_t phase) {
  const double angle = (double)phase * 3.40612158008655459e-19; /* 2π / 2^64 */
  return angle < 6.28318530717958648 ? angle : 0;
}

/* A number format as precision_round() takes it: `digits` of the significand, exponents of the
   smallest normal and the largest number (IEEE 754-2019; bf16 and tf32 have the exponents of fp32).
 */
struct number_format {
  int digits, lowest, highest;
  bool exact; /* fp64: nothing is rounded */
};

static inline number_format format_of(enum precision precision) {
  switch (precision) {
  case PRECISION_FP32:
    return {24, -126, 127, false};
  case PRECISION_TF32:
    return {11, -126, 127, false};
  case PRECISION_BF16:
    return {8, -126, 127, false};
  case PRECISION_FP16:
    return {11, -14, 15, false};
  default:
    return {53, -1022, 1023, true};
  }
}

/* 2^exponent for a normal result. */
__device__ static inline double device_power(int exponent) {
  return __hiloint2double((1023 + exponent) << 20, 0);
}

/* `value` rounded once, to nearest even, with the format's subnormals and overflow to infinity. */
__device__ static inline double device_round(number_format format, double value) {
  const int biased = __double2hiint(value) >> 20 & 0x7ff;
  if (biased == 0x7ff) return value;
  const int exponent = biased - 1023; /* |value| is in [2^exponent, 2^(exponent + 1)) */
  const int unit = (exponent < format.lowest ? format.lowest : exponent) + 1 - format.digits;
  const double rounded = rint(value * device_power(-unit)) * device_power(unit);
  return fabs(rounded) < device_power(format.highest) * 2 ? rounded : copysign(INFINITY, value);
}

/* The binary digits of 1/(2π) behind the point. */
__constant__ static const uint64_t device_turns_per_radian[] = {
    0x28be60db9391054a, 0x7f09d5f47d4d3770, 0x36d8a5664f10e410,
    0x7f9458eaf7aef158, 0x6dc91b8e909374b8, 0};

/* 64 of those digits from digit `first` on; zeros stand before the point. */
__device__ static inline uint64_t device_digits(int first) {
  if (first <= -64) return 0;
  if (first < 0) return device_turns_per_radian[0] >> -first;
  const int word = first / 64, shift = first % 64;
  const uint64_t high = device_turns_per_radian[word], low = device_turns_per_radian[word + 1];
  return shift ? high << shift | low >> (64 - shift) : high;
}

/* A finite angle in radians, at most 2^200, as a phase: angle/(2π) modulo 1 to 2^-63 turns, by an
   exact product with as many digits of 1/(2π) as matter (Payne and Hanek 1983). */
__device__ static inline uint64_t device_phase_of_angle(double angle) {
  const long long bits = __double_as_longlong(angle);
  const int biased = (int)(bits >> 52 & 0x7ff), exponent = (biased ? biased : 1) - 1075;
  const uint64_t digits = (bits & 0xfffffffffffff) | (biased ? 1ull << 52 : 0);
  const uint64_t high = device_digits(exponent), low = device_digits(exponent + 64);
  const uint64_t phase = digits * high + __umul64hi(digits, low);
  return bits < 0 ? 0 - phase : phase;
}

/* What an implementation in `format` makes of a position: frequency, position and their product
   each rounded. */
__device__ static inline double device_rounded_product(number_format format, double inv_freq,
                                                       long long position) {
  const double frequency = device_round(format, inv_freq);
  return device_round(format, frequency * device_round(format, (double)position));
}

/* cos and sin as such an implementation has them; from the exact phase for fp64. */
__device__ static inline void device_cos_sin_rounded(number_format format, uint64_t step,
                                                     double inv_freq, long long position,
                                                     double *cosine, double *sine) {
  if (format.exact) {
    device_cos_sin(step * (uint64_t)position, cosine, sine);
    return;
  }
  const double angle = device_rounded_product(format, inv_freq, position);
  double c = NAN, s = NAN; /* of an infinite angle */
  if (fabs(angle) < 0.5)   /* small sines keep their digits */
    sincospi(angle * 0.318309886183790672, &s, &c);
  else if (fabs(angle) < INFINITY)
    device_cos_sin(device_phase_of_angle(angle), &c, &s);
  *cosine = device_round(format, c);
  *sine = device_round(format, s);
}

/* The angle that such an implementation takes, modulo 2π, in [0, 2π) radians. */
__device__ static inline double device_angle_rounded(number_format format, uint64_t step,
                                                     double inv_freq, long long position) {
  if (format.exact) return device_angle(step * (uint64_t)position);
  const double angle = device_rounded_product(format, inv_freq, position);
  if (!(fabs(angle) < INFINITY)) return NAN;
  if (angle >= 0 && angle < 6.28318530717958648) return angle;
  return device_angle(device_phase_of_angle(angle));
}

/* struct phases on the device. */
struct device_phases {
  size_t pairs;
  const uint64_t *step;   /* (series, pair) */
  const double *inv_freq; /* (series, pair); NULL for fp64 */
  number_format format;

  device_phases() : pairs(0), step(nullptr), inv_freq(nullptr), format() {}

  /* `series` of them from series `first` on. */
  device_phases(device_work &work, const struct phases &phases, size_t first, size_t series)
      : pairs(phases.pairs), step(nullptr), inv_freq(nullptr), format(format_of(phases.precision)) {
    const size_t skipped = first * pairs, count = series * pairs;
    step = work.upload(phases.step + skipped, count, "the frequencies");
    if (!format.exact) inv_freq = work.upload(phases.inv_freq + skipped, count, "the frequencies");
  }

  __device__ void cos_sin(size_t pair, long long position, double *cosine, double *sine) const {
    device_cos_sin_rounded(format, step[pair], inv_freq ? inv_freq[pair] : 0, position, cosine,
                           sine);
  }
};

#endif

/* CUDA's device functions that a C library lacks, for the simulator.

   Where the device's result is exact or correctly rounded, so is this one. Elsewhere this one is
   the more accurate: a test must allow the error that NVIDIA documents. The fast intrinsics
   (__sinf,
   ...) are made as wrong as they may be on the device, in a direction that follows from the input's
   bits. */
#ifndef ROPETOOL_SIMT_DEVICE_MATH_H
#define ROPETOOL_SIMT_DEVICE_MATH_H

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "tests/simt/vector_types.h"

/* ---- Trigonometry of x·π ------------------------------------------------------------------- */

/* x modulo 2 is a quarter turn count and a rest in [-1/4, 1/4], both exact; only the last product
   with π rounds, and its error is put back to first order. */
inline void sincospi(double x, double *sine, double *cosine) {
  if (!std::isfinite(x)) {
    *sine = *cosine = NAN;
    return;
  }
  const double pi_high = 3.141592653589793116, pi_low = 1.2246467991473532e-16;
  const double turn = x - 2 * rint(x / 2), quarter = rint(2 * turn), rest = turn - quarter / 2;
  const double angle = pi_high * rest;
  const double error = fma(pi_high, rest, -angle) + pi_low * rest;
  const double s = fma(error, cos(angle), sin(angle)), c = fma(-error, sin(angle), cos(angle));
  switch ((int)quarter & 3) {
  case 0:
    *sine = rest == 0 ? copysign(0, x) : s, *cosine = c;
    break;
  case 1:
    *sine = c, *cosine = rest == 0 ? 0 : -s;
    break;
  case 2:
    *sine = rest == 0 ? copysign(0, x) : -s, *cosine = -c;
    break;
  default:
    *sine = -c, *cosine = rest == 0 ? 0 : s;
    break;
  }
}
inline double sinpi(double x) {
  double sine, cosine;
  sincospi(x, &sine, &cosine);
  return sine;
}
inline double cospi(double x) {
  double sine, cosine;
  sincospi(x, &sine, &cosine);
  return cosine;
}
inline void sincospif(float x, float *sine, float *cosine) {
  double s, c;
  sincospi((double)x, &s, &c);
  *sine = (float)s;
  *cosine = (float)c;
}
inline float sinpif(float x) {
  return (float)sinpi((double)x);
}
inline float cospif(float x) {
  return (float)cospi((double)x);
}

/* ---- Rounded and fused arithmetic ----------------------------------------------------------- */

/* Compile with -ffp-contract=off: what the name says is rounded must not be fused. */
inline float __fadd_rn(float a, float b) {
  return a + b;
}
inline float __fsub_rn(float a, float b) {
  return a - b;
}
inline float __fmul_rn(float a, float b) {
  return a * b;
}
inline float __fdiv_rn(float a, float b) {
  return a / b;
}
inline float __fsqrt_rn(float a) {
  return sqrtf(a);
}
inline float __frcp_rn(float a) {
  return 1 / a;
}
inline float __fmaf_rn(float a, float b, float c) {
  return fmaf(a, b, c);
}
inline double __dadd_rn(double a, double b) {
  return a + b;
}
inline double __dsub_rn(double a, double b) {
  return a - b;
}
inline double __dmul_rn(double a, double b) {
  return a * b;
}
inline double __ddiv_rn(double a, double b) {
  return a / b;
}
inline double __dsqrt_rn(double a) {
  return sqrt(a);
}
inline double __drcp_rn(double a) {
  return 1 / a;
}
inline double __fma_rn(double a, double b, double c) {
  return fma(a, b, c);
}
inline float rsqrtf(float a) {
  return (float)(1 / sqrt((double)a));
}
inline float __frsqrt_rn(float a) {
  return rsqrtf(a);
}
inline double rsqrt(double a) {
  return (double)(1 / sqrtl((long double)a));
}

/* ---- Fast intrinsics ------------------------------------------------------------------------ */

namespace simt {
/* +bound or -bound, by the input's bits. */
inline float either(float input, float bound) {
  return bits_as<uint32_t>(input) * 2654435761u & 0x80000000u ? -bound : bound;
}
} // namespace simt

/* |error| <= 2^-21.41 (sine), 2^-21.19 (cosine) for |x| <= π; relative 2 ulp and more elsewhere. */
inline float simt_fast_sin(float x) {
  return sinf(x) + simt::either(x, 0x1p-22f);
}
inline float simt_fast_cos(float x) {
  return cosf(x) + simt::either(x, 0x1p-22f);
}
inline float simt_fast_exp(float x) {
  return expf(x) * (1 + simt::either(x, 0x1p-22f));
}
inline float simt_fast_log(float x) {
  return logf(x) + simt::either(x, 0x1p-22f);
}
#define __sinf simt_fast_sin
#define __cosf simt_fast_cos
#define __expf simt_fast_exp
#define __logf simt_fast_log
inline void __sincosf(float x, float *sine, float *cosine) {
  *sine = simt_fast_sin(x);
  *cosine = simt_fast_cos(x);
}
inline float __fdividef(float a, float b) {
  return a / b * (1 + simt::either(a, 0x1p-23f));
}
inline float __saturatef(float x) {
  return x > 0 ? (x < 1 ? x : 1) : 0;
}

/* ---- Conversions: out of range gives the nearest end, NaN gives 0 (the top bit for 64 bits) ---
 */

namespace simt {
template <class To, class From> inline To saturate(From value) {
  typedef std::numeric_limits<To> limits;
  if (value != value) return sizeof(To) == 8 ? (To)((uint64_t)1 << 63) : 0;
  /* max() itself may round up when it becomes floating. */
  if (value >= std::ldexp((From)1, limits::digits)) return limits::max();
  if (value <= (From)limits::min()) return limits::min();
  return (To)value;
}
} // namespace simt

#define SIMT_CONVERT(from, From, to, To)                                                           \
  inline To __##from##2##to##_rn(From value) {                                                     \
    return simt::saturate<To>(std::nearbyint(value));                                              \
  }                                                                                                \
  inline To __##from##2##to##_rz(From value) {                                                     \
    return simt::saturate<To>(std::trunc(value));                                                  \
  }                                                                                                \
  inline To __##from##2##to##_ru(From value) {                                                     \
    return simt::saturate<To>(std::ceil(value));                                                   \
  }                                                                                                \
  inline To __##from##2##to##_rd(From value) {                                                     \
    return simt::saturate<To>(std::floor(value));                                                  \
  }                                                                                                \
  inline From __##to##2##from##_rn(To value) {                                                     \
    return (From)value;                                                                            \
  }
SIMT_CONVERT(float, float, int, int)
SIMT_CONVERT(float, float, uint, unsigned)
SIMT_CONVERT(float, float, ll, long long)
SIMT_CONVERT(float, float, ull, unsigned long long)
SIMT_CONVERT(double, double, int, int)
SIMT_CONVERT(double, double, uint, unsigned)
SIMT_CONVERT(double, double, ll, long long)
SIMT_CONVERT(double, double, ull, unsigned long long)
#undef SIMT_CONVERT
inline float __double2float_rn(double value) {
  return (float)value;
}

/* ---- Bits and integers ---------------------------------------------------------------------- */

#define SIMT_BITS(name, From, To)                                                                  \
  inline To name(From value) {                                                                     \
    return simt::bits_as<To>(value);                                                               \
  }
SIMT_BITS(__int_as_float, int, float)
SIMT_BITS(__float_as_int, float, int)
SIMT_BITS(__uint_as_float, unsigned, float)
SIMT_BITS(__float_as_uint, float, unsigned)
SIMT_BITS(__longlong_as_double, long long, double)
SIMT_BITS(__double_as_longlong, double, long long)
#undef SIMT_BITS
inline double __hiloint2double(int high, int low) {
  return simt::bits_as<double>((uint64_t)(uint32_t)high << 32 | (uint32_t)low);
}
inline int __double2hiint(double value) {
  return (int)(simt::bits_as<uint64_t>(value) >> 32);
}
inline int __double2loint(double value) {
  return (int)simt::bits_as<uint64_t>(value);
}
inline unsigned __umulhi(unsigned a, unsigned b) {
  return (unsigned)((uint64_t)a * b >> 32);
}
inline int __mulhi(int a, int b) {
  return (int)((int64_t)a * b >> 32);
}
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return (unsigned long long)((unsigned __int128)a * b >> 64);
}
inline long long __mul64hi(long long a, long long b) {
  return (long long)((__int128)a * b >> 64);
}
inline int __popc(unsigned value) {
  return __builtin_popcount(value);
}
inline int __popcll(unsigned long long value) {
  return __builtin_popcountll(value);
}
inline int __clz(int value) {
  return value ? __builtin_clz((unsigned)value) : 32;
}
inline int __clzll(long long value) {
  return value ? __builtin_clzll((unsigned long long)value) : 64;
}
inline int __ffs(int value) {
  return __builtin_ffs(value);
}
inline int __ffsll(long long value) {
  return __builtin_ffsll(value);
}
inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
  return (unsigned)(((uint64_t)high << 32 | low) << (shift & 31) >> 32);
}
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  return (unsigned)(((uint64_t)high << 32 | low) >> (shift & 31));
}

/* CUDA's min and max: NaN loses to a number, as with fmin(). */
template <class A, class B> inline std::common_type_t<A, B> min(A a, B b) {
  typedef std::common_type_t<A, B> T;
  if constexpr (std::is_floating_point_v<T>)
    return std::fmin((T)a, (T)b);
  else
    return (T)a < (T)b ? (T)a : (T)b;
}
template <class A, class B> inline std::common_type_t<A, B> max(A a, B b) {
  typedef std::common_type_t<A, B> T;
  if constexpr (std::is_floating_point_v<T>)
    return std::fmax((T)a, (T)b);
  else
    return (T)a > (T)b ? (T)a : (T)b;
}

#endif

/* CUDA's vector types and 16-bit storage types, for the simulator. */
#ifndef ROPETOOL_SIMT_VECTOR_TYPES_H
#define ROPETOOL_SIMT_VECTOR_TYPES_H

#include <cmath>
#include <cstdint>
#include <cstring>

/* Vectors are aligned as on the device: a misaligned access is an error there. */
#define SIMT_VECTOR(name, type, align2, align4)                                                    \
  struct alignas(align2) name##2 {                                                                 \
    type x, y;                                                                                     \
  };                                                                                               \
  struct name##3 {                                                                                 \
    type x, y, z;                                                                                  \
  };                                                                                               \
  struct alignas(align4) name##4 {                                                                 \
    type x, y, z, w;                                                                               \
  };                                                                                               \
  inline name##2 make_##name##2(type x, type y) {                                                  \
    return {x, y};                                                                                 \
  }                                                                                                \
  inline name##3 make_##name##3(type x, type y, type z) {                                          \
    return {x, y, z};                                                                              \
  }                                                                                                \
  inline name##4 make_##name##4(type x, type y, type z, type w) {                                  \
    return {x, y, z, w};                                                                           \
  }
SIMT_VECTOR(char, signed char, 2, 4)
SIMT_VECTOR(uchar, unsigned char, 2, 4)
SIMT_VECTOR(short, short, 4, 8)
SIMT_VECTOR(ushort, unsigned short, 4, 8)
SIMT_VECTOR(int, int, 8, 16)
SIMT_VECTOR(uint, unsigned, 8, 16)
SIMT_VECTOR(float, float, 8, 16)
SIMT_VECTOR(double, double, 16, 16)
SIMT_VECTOR(longlong, long long, 16, 16)
SIMT_VECTOR(ulonglong, unsigned long long, 16, 16)
#undef SIMT_VECTOR

struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned width = 1, unsigned height = 1, unsigned depth = 1)
      : x(width), y(height), z(depth) {}
};

namespace simt {

template <class To, class From> inline To bits_as(From value) {
  static_assert(sizeof(To) == sizeof(From), "another size");
  To result;
  memcpy(&result, &value, sizeof result);
  return result;
}

/* A 16-bit format: sign, exponent, `mantissa` bits after the point. */
inline uint16_t narrow(double value, int mantissa) {
  const int exponent_bits = 15 - mantissa, bias = (1 << (exponent_bits - 1)) - 1;
  const uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  const uint16_t infinity = (uint16_t)(((1 << exponent_bits) - 1) << mantissa);
  if (std::isnan(value)) return 0x7fff;
  value = std::fabs(value);
  if (std::isinf(value)) return sign | infinity;
  /* The unit of the last place is 2^unit; rint() rounds ties to even. */
  int exponent = 1 - bias;
  if (value != 0 && std::ilogb(value) > exponent) exponent = std::ilogb(value);
  const int unit = exponent - mantissa;
  const double units = std::rint(std::ldexp(value, -unit));
  /* Counting units upwards carries into the exponent by itself. */
  const double code = units + std::ldexp(exponent - (1 - bias), mantissa);
  return code >= infinity ? sign | infinity : sign | (uint16_t)code;
}

inline float widen(uint16_t bits, int mantissa) {
  const int exponent_bits = 15 - mantissa, bias = (1 << (exponent_bits - 1)) - 1;
  const int exponent = (bits & 0x7fff) >> mantissa, fraction = bits & ((1 << mantissa) - 1);
  float value;
  if (exponent == (1 << exponent_bits) - 1)
    value = fraction ? NAN : INFINITY;
  else if (exponent == 0)
    value = std::ldexp((float)fraction, 1 - bias - mantissa);
  else
    value = std::ldexp((float)(fraction + (1 << mantissa)), exponent - bias - mantissa);
  return bits & 0x8000 ? -value : value;
}

} // namespace simt

/* Storage only: every conversion is written out, arithmetic is done in float. */
struct __half_raw {
  unsigned short x;
};
struct __nv_bfloat16_raw {
  unsigned short x;
};
struct alignas(2) __half {
  unsigned short bits;
  __half() = default;
  explicit __half(float value) : bits(simt::narrow(value, 10)) {}
  __half(__half_raw raw) : bits(raw.x) {}
  explicit operator float() const {
    return simt::widen(bits, 10);
  }
};
struct alignas(2) __nv_bfloat16 {
  unsigned short bits;
  __nv_bfloat16() = default;
  explicit __nv_bfloat16(float value) : bits(simt::narrow(value, 7)) {}
  __nv_bfloat16(__nv_bfloat16_raw raw) : bits(raw.x) {}
  explicit operator float() const {
    return simt::bits_as<float>((uint32_t)bits << 16);
  }
};
struct alignas(4) __half2 {
  __half x, y;
};
struct alignas(4) __nv_bfloat162 {
  __nv_bfloat16 x, y;
};
typedef __half half;
typedef __half2 half2;
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

inline __half __ushort_as_half(unsigned short bits) {
  return __half_raw{bits};
}
inline unsigned short __half_as_ushort(__half value) {
  return value.bits;
}
inline float __half2float(__half value) {
  return (float)value;
}
inline __half __float2half(float value) {
  return __half(value);
}
inline __half __float2half_rn(float value) {
  return __half(value);
}
inline __half __double2half(double value) {
  return __ushort_as_half(simt::narrow(value, 10));
}
inline __half2 __floats2half2_rn(float x, float y) {
  return {__half(x), __half(y)};
}
inline __half2 __float22half2_rn(float2 value) {
  return {__half(value.x), __half(value.y)};
}
inline float2 __half22float2(__half2 value) {
  return {(float)value.x, (float)value.y};
}
inline __nv_bfloat16 __ushort_as_bfloat16(unsigned short bits) {
  return __nv_bfloat16_raw{bits};
}
inline unsigned short __bfloat16_as_ushort(__nv_bfloat16 value) {
  return value.bits;
}
inline float __bfloat162float(__nv_bfloat16 value) {
  return (float)value;
}
inline __nv_bfloat16 __float2bfloat16(float value) {
  return __nv_bfloat16(value);
}
inline __nv_bfloat16 __float2bfloat16_rn(float value) {
  return __nv_bfloat16(value);
}
inline __nv_bfloat16 __double2bfloat16(double value) {
  return __ushort_as_bfloat16(simt::narrow(value, 7));
}
inline __nv_bfloat162 __floats2bfloat162_rn(float x, float y) {
  return {__nv_bfloat16(x), __nv_bfloat16(y)};
}
inline __nv_bfloat162 __float22bfloat162_rn(float2 value) {
  return {__nv_bfloat16(value.x), __nv_bfloat16(value.y)};
}
inline float2 __bfloat1622float2(__nv_bfloat162 value) {
  return {(float)value.x, (float)value.y};
}

#endif

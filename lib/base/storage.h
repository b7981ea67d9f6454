/* Element types of arrays in memory and in files, in this machine's byte order. */
#ifndef ROPETOOL_BASE_STORAGE_H
#define ROPETOOL_BASE_STORAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "lib/base/error.h"

enum storage {
  STORAGE_F64,
  STORAGE_F32,
  STORAGE_BF16, /* the upper half of an F32 */
  STORAGE_F16,  /* IEEE 754 binary16 */
  STORAGE_I64,
  STORAGE_I32,
  STORAGE_I16,
  STORAGE_I8,
  STORAGE_U64,
  STORAGE_U32,
  STORAGE_U16,
  STORAGE_U8,
};
enum { STORAGE_REALS = STORAGE_F16 + 1, STORAGE_COUNT = STORAGE_U8 + 1 };

static inline bool storage_is_real(enum storage storage) {
  return (unsigned)storage < STORAGE_REALS;
}

const char *storage_name(enum storage storage); /* "f64", "bf16", "i32", ... */
size_t storage_size(enum storage storage);      /* bytes of an element */

/* The name of a real type: f64, f32, f16 or bf16; else ERROR_INPUT. */
int storage_parse_real(const char *name, enum storage *storage, struct error *error);

/* Elements of any type as doubles: exact, but for whole numbers beyond 2^53, which are rounded.
   `from` need not be aligned. */
void storage_load(enum storage storage, const void *from, size_t count, double *to);

/* Doubles as elements of a real type, rounded once, to nearest even; too large becomes infinite.
   `to` need not be aligned. */
void storage_store(enum storage storage, const double *from, size_t count, void *to);

/* Elements of any type as whole numbers. Returns how many could be converted before the first that
   is no whole number of 64 bits (a real must be one up to 2^53). */
size_t storage_load_whole(enum storage storage, const void *from, size_t count, int64_t *to);

/* One element. These are the definition of the formats, and written so that loops of them
 * vectorise. */

static inline uint32_t storage_float_bits(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static inline float storage_float_of(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static inline float storage_from_bf16(uint16_t bits) {
  return storage_float_of((uint32_t)bits << 16);
}

static inline float storage_from_f16(uint16_t bits) {
  const uint32_t sign = (uint32_t)(bits & 0x8000) << 16, magnitude = bits & 0x7fff;
  /* Exponents of binary16 are biased by 15, those of binary32 by 127. Subnormals come out right,
     too. */
  const uint32_t scaled = storage_float_bits(storage_float_of(magnitude << 13) * 0x1p112f);
  const uint32_t special = magnitude << 13 | 0x7f800000;
  return storage_float_of(sign | (magnitude >= 0x7c00 ? special : scaled));
}

static inline uint16_t storage_to_bf16(float value) {
  const uint32_t bits = storage_float_bits(value);
  const uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
  return (uint16_t)((bits & 0x7fffffff) > 0x7f800000 ? bits >> 16 | 0x40 : rounded);
}

static inline uint16_t storage_to_f16(float value) {
  const uint32_t bits = storage_float_bits(value), size = bits & 0x7fffffff;
  const uint32_t normal = (size - 0x38000000 + 0xfff + (size >> 13 & 1)) >> 13;
  /* The digits of 0.5 + x end where those of a subnormal of binary16 do. */
  const uint32_t subnormal = storage_float_bits(storage_float_of(size) + 0.5f) - 0x3f000000;
  const uint32_t finite = size < 0x38800000 ? subnormal : normal;
  const uint32_t special = size > 0x7f800000 ? 0x7e00 : 0x7c00;
  return (uint16_t)((bits >> 16 & 0x8000) | (size < 0x47800000 ? finite : special));
}

/* `value` cut to a float, its last bit set when anything was lost ("round to odd"): rounding that
   to at most 22 digits gives what rounding `value` itself would (Boldo & Melquiond 2008). */
static inline float storage_to_odd(double value) {
  const float nearest = (float)value;
  const uint32_t bits = storage_float_bits(nearest), lost = (double)nearest != value;
  const double size = value < 0 ? -value : value, taken = nearest < 0 ? -nearest : nearest;
  return storage_float_of((bits - (taken > size)) | lost);
}

#endif

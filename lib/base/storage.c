#include "lib/base/storage.h"

#include <math.h>

/* Elements of C type `type` at `from`, each called x in turn, as doubles. */
#define DEFINE_LOAD(name, type, value)                                                             \
  static void load_##name(const char *from, size_t count, double *to) {                            \
    for (size_t i = 0; i < count; i++) {                                                           \
      type x;                                                                                      \
      memcpy(&x, from + i * sizeof x, sizeof x);                                                   \
      to[i] = value;                                                                               \
    }                                                                                              \
  }
DEFINE_LOAD(f64, double, x)
DEFINE_LOAD(f32, float, x)
DEFINE_LOAD(bf16, uint16_t, storage_from_bf16(x))
DEFINE_LOAD(f16, uint16_t, storage_from_f16(x))
DEFINE_LOAD(i64, int64_t, (double)x)
DEFINE_LOAD(i32, int32_t, x)
DEFINE_LOAD(i16, int16_t, x)
DEFINE_LOAD(i8, int8_t, x)
DEFINE_LOAD(u64, uint64_t, (double)x)
DEFINE_LOAD(u32, uint32_t, x)
DEFINE_LOAD(u16, uint16_t, x)
DEFINE_LOAD(u8, uint8_t, x)

/* Doubles x as elements of C type `type`. */
#define DEFINE_STORE(name, type, value)                                                            \
  static void store_##name(const double *from, size_t count, char *to) {                           \
    for (size_t i = 0; i < count; i++) {                                                           \
      const double x = from[i];                                                                    \
      const type element = value;                                                                  \
      memcpy(to + i * sizeof element, &element, sizeof element);                                   \
    }                                                                                              \
  }
DEFINE_STORE(f64, double, x)
DEFINE_STORE(f32, float, (float)x)
DEFINE_STORE(bf16, uint16_t, storage_to_bf16(storage_to_odd(x)))
DEFINE_STORE(f16, uint16_t, storage_to_f16(storage_to_odd(x)))

static const struct {
  const char *name;
  size_t size;
  void (*load)(const char *from, size_t count, double *to);
  void (*store)(const double *from, size_t count, char *to); /* NULL: no real type */
} types[STORAGE_COUNT] = {
    [STORAGE_F64] = {"f64", 8, load_f64, store_f64},
    [STORAGE_F32] = {"f32", 4, load_f32, store_f32},
    [STORAGE_BF16] = {"bf16", 2, load_bf16, store_bf16},
    [STORAGE_F16] = {"f16", 2, load_f16, store_f16},
    [STORAGE_I64] = {"i64", 8, load_i64, NULL},
    [STORAGE_I32] = {"i32", 4, load_i32, NULL},
    [STORAGE_I16] = {"i16", 2, load_i16, NULL},
    [STORAGE_I8] = {"i8", 1, load_i8, NULL},
    [STORAGE_U64] = {"u64", 8, load_u64, NULL},
    [STORAGE_U32] = {"u32", 4, load_u32, NULL},
    [STORAGE_U16] = {"u16", 2, load_u16, NULL},
    [STORAGE_U8] = {"u8", 1, load_u8, NULL},
};

const char *storage_name(enum storage storage) {
  return types[storage].name;
}

size_t storage_size(enum storage storage) {
  return types[storage].size;
}

int storage_parse_real(const char *name, enum storage *storage, struct error *error) {
  for (int i = 0; i < STORAGE_REALS; i++)
    if (!strcmp(name, types[i].name)) {
      *storage = (enum storage)i;
      return OK;
    }
  return error_set(error, ERROR_INPUT, "unknown element type '%s': f64, f32, f16 or bf16", name);
}

void storage_load(enum storage storage, const void *from, size_t count, double *to) {
  types[storage].load(from, count, to);
}

void storage_store(enum storage storage, const double *from, size_t count, void *to) {
  types[storage].store(from, count, to);
}

/* Integers of 64 bits are copied: those of u64 past the signed ones come out negative. */
static size_t load_wide(const void *from, size_t count, int64_t *to, bool is_signed) {
  memcpy(to, from, count * sizeof *to);
  for (size_t i = 0; !is_signed && i < count; i++)
    if (to[i] < 0) return i;
  return count;
}

size_t storage_load_whole(enum storage storage, const void *from, size_t count, int64_t *to) {
  if (storage == STORAGE_I64 || storage == STORAGE_U64)
    return load_wide(from, count, to, storage == STORAGE_I64);
  for (size_t i = 0; i < count; i++) {
    double value;
    types[storage].load((const char *)from + i * types[storage].size, 1, &value);
    if (!(fabs(value) <= 0x1p53) || value != floor(value)) return i;
    to[i] = (int64_t)value;
  }
  return count;
}

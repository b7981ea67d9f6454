/* lib/base/storage.h */
#include "tests/oracle/harness.h"

#include "lib/base/precision.h"
#include "lib/base/storage.h"

static struct error error;

static void names(void **state) {
  (void)state;
  static const struct {
    enum storage storage;
    const char *name;
    size_t size;
  } types[] = {{STORAGE_F64, "f64", 8}, {STORAGE_F32, "f32", 4}, {STORAGE_BF16, "bf16", 2},
               {STORAGE_F16, "f16", 2}, {STORAGE_I64, "i64", 8}, {STORAGE_I32, "i32", 4},
               {STORAGE_I16, "i16", 2}, {STORAGE_I8, "i8", 1},   {STORAGE_U64, "u64", 8},
               {STORAGE_U32, "u32", 4}, {STORAGE_U16, "u16", 2}, {STORAGE_U8, "u8", 1}};
  assert_int_equal(COUNT_OF(types), STORAGE_COUNT);
  for (size_t i = 0; i < COUNT_OF(types); i++) {
    enum storage storage = STORAGE_U8;
    assert_string_equal(storage_name(types[i].storage), types[i].name);
    assert_int_equal(storage_size(types[i].storage), types[i].size);
    if (storage_is_real(types[i].storage)) {
      assert_done(storage_parse_real(types[i].name, &storage, &error));
      assert_int_equal(storage, types[i].storage);
    } else {
      assert_refused(storage_parse_real(types[i].name, &storage, &error), ERROR_INPUT,
                     "f64, f32, f16 or bf16");
    }
  }
  assert_false(storage_is_real((enum storage) - 1));
}

/* What a pattern of a 16-bit format stands for, by IEEE 754's definition. */
static double decode(uint16_t bits, int fraction_bits, int bias) {
  const int exponent = (bits & 0x7fff) >> fraction_bits, highest = 0x7fff >> fraction_bits;
  const int fraction = bits & ((1 << fraction_bits) - 1);
  const double sign = bits & 0x8000 ? -1 : 1;
  if (exponent == highest) return fraction ? NAN : sign * INFINITY;
  if (!exponent) return sign * ldexp(fraction, 1 - bias - fraction_bits);
  return sign * ldexp(fraction + (1 << fraction_bits), exponent - bias - fraction_bits);
}

/* Every pattern there is: read as it is defined, and written back as it was (a NaN as some NaN). */
static void all_of_16_bits(void **state) {
  (void)state;
  for (int half = 0; half < 2; half++)
    for (uint32_t pattern = 0; pattern < 65536; pattern++) {
      const enum storage storage = half ? STORAGE_F16 : STORAGE_BF16;
      const uint16_t bits = (uint16_t)pattern;
      uint16_t back;
      double value;
      storage_load(storage, &bits, 1, &value);
      const double expected = half ? decode(bits, 10, 15) : decode(bits, 7, 127);
      storage_store(storage, &value, 1, &back);
      if (isnan(expected)) {
        assert_true(isnan(value));
        storage_load(storage, &back, 1, &value);
        assert_true(isnan(value));
      } else {
        assert_true(value == expected && !signbit(value) == !signbit(expected));
        assert_int_equal(back, bits);
      }
    }
}

static void check_rounding(double value) {
  static const struct {
    enum storage storage;
    enum precision precision;
  } types[] = {{STORAGE_F64, PRECISION_FP64},
               {STORAGE_F32, PRECISION_FP32},
               {STORAGE_BF16, PRECISION_BF16},
               {STORAGE_F16, PRECISION_FP16}};
  for (size_t i = 0; i < COUNT_OF(types); i++) {
    char element[8];
    double back;
    storage_store(types[i].storage, &value, 1, element);
    storage_load(types[i].storage, element, 1, &back);
    if (back != precision_round(types[i].precision, value))
      fail_msg("%a as %s is %a", value, storage_name(types[i].storage), back);
  }
}

/* Ties and what is next to them, where rounding to float first would go wrong; subnormals,
   overflow; random values of all sizes. */
static void rounded_once(void **state) {
  (void)state;
  static const double ties[] = {1 + 0x1p-8, 1 + 0x3p-8, 1 + 0x1p-11, 1 + 0x3p-11, 1 + 0x1p-24};
  static const double nudges[] = {0, 0x1p-25, 0x1p-40, 0x1p-52, -0x1p-25, -0x1p-40, -0x1p-52};
  static const int scales[] = {0,   15,  -14,  -20,  -24,  -25,  100,
                               127, 128, -126, -133, -140, -149, -1022};
  for (size_t t = 0; t < COUNT_OF(ties); t++)
    for (size_t n = 0; n < COUNT_OF(nudges); n++)
      for (size_t s = 0; s < COUNT_OF(scales); s++) {
        const double value = ldexp(ties[t] + nudges[n], scales[s]);
        check_rounding(value);
        check_rounding(-value);
      }
  static const double odd[] = {0,        -0.0,    INFINITY,   -INFINITY,  65504,          65519.999,
                               65520,    65536,   0x1.fep127, 0x1.ffp127, 0x1.fefffep127, 1e308,
                               4.9e-324, 0x1p-24, 0x1p-25,    0x1.8p-25};
  for (size_t i = 0; i < COUNT_OF(odd); i++)
    check_rounding(odd[i]);
  uint64_t seed = 7;
  for (int i = 0; i < 200000; i++)
    check_rounding(ldexp(random_unit(&seed), (int)(random_word(&seed) % 340) - 170));
}

static void not_a_number(void **state) {
  (void)state;
  for (int storage = 0; storage < STORAGE_REALS; storage++) {
    char element[8];
    double back;
    storage_store((enum storage)storage, &(double){NAN}, 1, element);
    storage_load((enum storage)storage, element, 1, &back);
    assert_true(isnan(back));
  }
  /* All digits set: rounding them up must not run into the sign. */
  const uint64_t bits = UINT64_C(0x7fffffffffffffff);
  double all, back;
  uint16_t element;
  memcpy(&all, &bits, sizeof all);
  storage_store(STORAGE_BF16, &all, 1, &element);
  storage_load(STORAGE_BF16, &element, 1, &back);
  assert_true(isnan(back));
}

#define assert_loaded(storage, type, ...)                                                          \
  do {                                                                                             \
    const type values[] = {__VA_ARGS__};                                                           \
    char bytes[sizeof values + 1];                                                                 \
    double reals[COUNT_OF(values)];                                                                \
    int64_t wholes[COUNT_OF(values)];                                                              \
    memcpy(bytes + 1, values, sizeof values); /* not aligned */                                    \
    storage_load(storage, bytes + 1, COUNT_OF(values), reals);                                     \
    assert_int_equal(storage_load_whole(storage, bytes + 1, COUNT_OF(values), wholes),             \
                     COUNT_OF(values));                                                            \
    for (size_t i = 0; i < COUNT_OF(values); i++) {                                                \
      assert_true(reals[i] == (double)values[i]);                                                  \
      assert_true(wholes[i] == (int64_t)values[i]);                                                \
    }                                                                                              \
  } while (0)

static void whole_numbers(void **state) {
  (void)state;
  assert_loaded(STORAGE_I64, int64_t, INT64_MIN, -1, 0, INT64_MAX, (INT64_C(1) << 53) + 1);
  assert_loaded(STORAGE_I32, int32_t, INT32_MIN, -1, 7, INT32_MAX);
  assert_loaded(STORAGE_I16, int16_t, INT16_MIN, -1, 7, INT16_MAX);
  assert_loaded(STORAGE_I8, int8_t, -128, -1, 7, 127);
  assert_loaded(STORAGE_U64, uint64_t, 0, 7, INT64_MAX);
  assert_loaded(STORAGE_U32, uint32_t, 0, 7, UINT32_MAX);
  assert_loaded(STORAGE_U16, uint16_t, 0, 7, UINT16_MAX);
  assert_loaded(STORAGE_U8, uint8_t, 0, 7, 255);
  assert_loaded(STORAGE_F32, float, 0, -7, 16777216);
  assert_loaded(STORAGE_F64, double, -0x1p53, 131071, 0x1p53);
}

static void no_whole_numbers(void **state) {
  (void)state;
  int64_t wholes[3];
  static const double bad[] = {0.5, 0x1p54, NAN, -INFINITY};
  for (size_t i = 0; i < COUNT_OF(bad); i++) {
    const double values[3] = {1, bad[i], 2};
    assert_int_equal(storage_load_whole(STORAGE_F64, values, 3, wholes), 1);
  }
  const uint64_t large[3] = {1, 2, UINT64_MAX};
  assert_int_equal(storage_load_whole(STORAGE_U64, large, 3, wholes), 2);
  assert_int_equal(storage_load_whole(STORAGE_U64, large, 0, wholes), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names),         cmocka_unit_test(all_of_16_bits),
      cmocka_unit_test(rounded_once),  cmocka_unit_test(not_a_number),
      cmocka_unit_test(whole_numbers), cmocka_unit_test(no_whole_numbers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

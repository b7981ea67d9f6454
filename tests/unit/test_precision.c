/* lib/base/precision.h */
#include "tests/oracle/harness.h"

#include "lib/base/precision.h"

/* A format by its fields: what a positive bit pattern stands for. */
struct format {
  enum precision precision;
  int exponent_bits, fraction_bits;
};

static const struct format formats[] = {{PRECISION_FP16, 5, 10},
                                        {PRECISION_BF16, 8, 7},
                                        {PRECISION_TF32, 8, 10},
                                        {PRECISION_FP32, 8, 23}};

static double decode(const struct format *format, uint64_t bits) {
  const int bias = (1 << (format->exponent_bits - 1)) - 1;
  const uint64_t exponent = bits >> format->fraction_bits;
  const double fraction = (double)(bits & ((UINT64_C(1) << format->fraction_bits) - 1));
  if (!exponent) return ldexp(fraction, 1 - bias - format->fraction_bits);
  return ldexp(fraction + (double)(UINT64_C(1) << format->fraction_bits),
               (int)exponent - bias - format->fraction_bits);
}

/* The pattern of infinity; the one before it is the largest number. */
static uint64_t infinity_bits(const struct format *format) {
  return ((UINT64_C(1) << format->exponent_bits) - 1) << format->fraction_bits;
}

/* The nearest value of the format by searching all its patterns; of two as near, the even one. */
static double nearest(const struct format *format, double value) {
  if (value < 0) return -nearest(format, -value);
  uint64_t low = 0,
           high = infinity_bits(format); /* decode(high) is what would come after the largest */
  if (value >= decode(format, high)) return INFINITY;
  while (high - low > 1) {
    const uint64_t middle = low + (high - low) / 2;
    if (decode(format, middle) <= value)
      low = middle;
    else
      high = middle;
  }
  const double below = value - decode(format, low), above = decode(format, high) - value;
  const uint64_t best = below < above ? low : above < below ? high : low % 2 ? high : low;
  return best == infinity_bits(format) ? INFINITY : decode(format, best);
}

static void names(void **state) {
  (void)state;
  struct error error;
  enum precision precision;
  for (int p = 0; p < PRECISION_COUNT; p++) {
    assert_done(precision_parse(precision_name((enum precision)p), &precision, &error));
    assert_int_equal(precision, p);
  }
  assert_refused(precision_parse("fp8", &precision, &error), ERROR_INPUT, "'fp8'");
  assert_refused(precision_parse("", &precision, &error), ERROR_INPUT, "bf16");
  assert_refused(precision_parse("FP16", &precision, &error), ERROR_INPUT, "fp16");
}

static void roundoff(void **state) {
  (void)state;
  static const double expected[PRECISION_COUNT] = {[PRECISION_FP64] = 0x1p-53,
                                                   [PRECISION_FP32] = 0x1p-24,
                                                   [PRECISION_TF32] = 0x1p-11,
                                                   [PRECISION_BF16] = 0x1p-8,
                                                   [PRECISION_FP16] = 0x1p-11};
  for (int p = 0; p < PRECISION_COUNT; p++)
    assert_true(precision_roundoff((enum precision)p) == expected[p]);
}

static void rounds_as_a_search_does(void **state) {
  (void)state;
  uint64_t seed = 11;
  for (size_t f = 0; f < COUNT_OF(formats); f++)
    for (int i = 0; i < 100000; i++) {
      const double value = ldexp(random_unit(&seed), (int)(random_word(&seed) % 310) - 160);
      assert_true(precision_round(formats[f].precision, value) == nearest(&formats[f], value));
    }
}

static void ties_go_to_even(void **state) {
  (void)state;
  uint64_t seed = 12;
  for (size_t f = 0; f < COUNT_OF(formats); f++)
    for (int i = 0; i < 20000; i++) {
      const uint64_t bits = random_word(&seed) % infinity_bits(&formats[f]);
      const double below = decode(&formats[f], bits), above = decode(&formats[f], bits + 1);
      const double middle = below + (above - below) / 2; /* exact: one more digit */
      assert_true(precision_round(formats[f].precision, middle) == nearest(&formats[f], middle));
      assert_true(precision_round(formats[f].precision, -middle) == -nearest(&formats[f], middle));
      assert_true(precision_round(formats[f].precision, nextafter(middle, 0)) == below);
      assert_true(precision_round(formats[f].precision, below) == below);
    }
}

static void fp32_is_the_machines_float(void **state) {
  (void)state;
  uint64_t seed = 13;
  for (int i = 0; i < 100000; i++) {
    const double value = ldexp(random_unit(&seed), (int)(random_word(&seed) % 320) - 160);
    assert_true(precision_round(PRECISION_FP32, value) == (double)(float)value);
  }
}

static void ends_of_the_range(void **state) {
  (void)state;
  assert_true(precision_round(PRECISION_FP16, 65519.9) == 65504);
  assert_true(precision_round(PRECISION_FP16, 65520) == INFINITY);
  assert_true(precision_round(PRECISION_FP16, -65520) == -INFINITY);
  assert_true(precision_round(PRECISION_FP16, 0x1p-24) == 0x1p-24);
  assert_true(precision_round(PRECISION_FP16, 0x1p-25) == 0); /* a tie with 0 */
  assert_true(precision_round(PRECISION_FP16, 0x1.8p-25) == 0x1p-24);
  assert_true(precision_round(PRECISION_FP64, 1.1) == 1.1);
  for (int p = 0; p < PRECISION_COUNT; p++) {
    const enum precision precision = (enum precision)p;
    assert_true(isnan(precision_round(precision, NAN)));
    assert_true(precision_round(precision, -INFINITY) == -INFINITY);
    assert_true(signbit(precision_round(precision, -0.0)) && precision_round(precision, -0.0) == 0);
    if (p != PRECISION_FP64) assert_true(precision_round(precision, 1e300) == INFINITY);
    assert_true(fabs(precision_round(precision, 4.9e-324)) <= 4.9e-324);
  }
}

/* A public report: positions 256 and 257 cannot be told apart. */
static void distinct_positions(void **state) {
  (void)state;
  static const struct {
    enum precision precision;
    int last, distinct;
  } cases[] = {{PRECISION_BF16, 4095, 769},    {PRECISION_FP16, 4095, 3073},
               {PRECISION_BF16, 2048, 641},    {PRECISION_BF16, 4096, 769},
               {PRECISION_BF16, 8192, 897},    {PRECISION_BF16, 32768, 1153},
               {PRECISION_BF16, 131072, 1409}, {PRECISION_BF16, 1048575, 1793}};
  assert_true(precision_round(PRECISION_BF16, 257) == 256);
  for (size_t c = 0; c < COUNT_OF(cases); c++) {
    int distinct = 0;
    double before = -1;
    for (int m = 0; m <= cases[c].last; m++) {
      const double rounded = precision_round(cases[c].precision, m);
      distinct += rounded != before;
      before = rounded;
    }
    assert_int_equal(distinct, cases[c].distinct);
  }
}

/* A public report: the cosine of the rounded angle is not the rounded cosine. */
static void order_of_rounding(void **state) {
  (void)state;
  const double angle = 441.641815;
  assert_close(precision_round(PRECISION_FP16, cos(angle)), -0.245483, 5e-7);
  assert_close(cos(precision_round(PRECISION_FP16, angle)), -0.348745, 5e-7);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names),
      cmocka_unit_test(roundoff),
      cmocka_unit_test(rounds_as_a_search_does),
      cmocka_unit_test(ties_go_to_even),
      cmocka_unit_test(fp32_is_the_machines_float),
      cmocka_unit_test(ends_of_the_range),
      cmocka_unit_test(distinct_positions),
      cmocka_unit_test(order_of_rounding),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

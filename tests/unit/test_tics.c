#include "tests/unit/ground.h"

#include "lib/figure/tics.h"

/* "AT=LABEL AT=LABEL ..."; small tics without labels are left out. */
static void assert_tics(const struct tics *tics, const char *expected) {
  char text[2048] = "";
  size_t used = 0;
  for (size_t i = 0; i < tics->count; i++)
    if (*tics->item[i].label)
      used += (size_t)snprintf(text + used, sizeof text - used, "%s%g=%s", used ? " " : "",
                               tics->item[i].at, tics->item[i].label);
  assert_string_equal(text, expected);
}

static void linear_tics_are_round(void **state) {
  (void)state;
  static const struct {
    double low, high;
    size_t most;
    bool whole;
    const char *expected;
  } cases[] = {
      {0, 256, 6, true, "0=0 50=50 100=100 150=150 200=200 250=250"},
      {-0.5, 4.5, 8, true, "0=0 1=1 2=2 3=3 4=4"},
      {-0.5, 0.5, 8, true, "0=0"},
      {0, 1, 6, false, "0=0 0.2=0.2 0.4=0.4 0.6=0.6 0.8=0.8 1=1.0"},
      {-1, 1, 5, false, "-1=−1.0 -0.5=−0.5 0=0 0.5=0.5 1=1.0"},
      {1e9, 1e9 + 10, 3, false, "1e+09=1000000000 1e+09=1000000005 1e+09=1000000010"},
      {0, 4e-7, 4, false, "0=0 2e-07=2×10⁻⁷ 4e-07=4×10⁻⁷"},
      {0, 3e12, 4, false, "0=0 1e+12=1×10¹² 2e+12=2×10¹² 3e+12=3×10¹²"},
      {0, 1048576, 4, true, "0=0 500000=500000 1e+06=1000000"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    struct tics tics;
    tics_linear(cases[i].low, cases[i].high, cases[i].most, cases[i].whole, &tics);
    assert_true(tics.count <= cases[i].most);
    assert_tics(&tics, cases[i].expected);
  }
}

/* Whatever the axis: inside it, in order, at least one, and no more than asked for. */
static void tics_keep_their_promises(void **state) {
  (void)state;
  uint64_t seed = 42;
  for (int i = 0; i < 20000; i++) {
    struct tics tics;
    const double middle =
        pow(10, (double)(next_random(&seed) % 600) / 10 - 30) * (next_random(&seed) % 2 ? 1 : -1);
    const double size = fabs(middle) * pow(10, -(double)(next_random(&seed) % 90) / 10);
    const size_t most = 2 + next_random(&seed) % 8;
    tics_linear(middle - size, middle + size, most, false, &tics);
    assert_in_range(tics.count, 1, most);
    for (size_t t = 0; t < tics.count; t++) {
      assert_true(fabs(tics.item[t].at - middle) <= size * (1 + 1e-6));
      assert_true(t == 0 || tics.item[t].at > tics.item[t - 1].at);
      assert_true(tics.item[t].label[0]);
    }
    const double low = fabs(middle),
                 high = low * (1 + pow(10, (double)(next_random(&seed) % 200) / 10 - 3));
    tics_logarithmic(low, high, most, &tics);
    size_t labels = 0;
    for (size_t t = 0; t < tics.count; t++) {
      assert_true(tics.item[t].at >= low * (1 - 1e-6) && tics.item[t].at <= high * (1 + 1e-6));
      labels += tics.item[t].label[0] != 0;
    }
    assert_in_range(labels, 1, most);
  }
}

static void logarithmic_tics_are_powers(void **state) {
  (void)state;
  static const struct {
    double low, high;
    size_t most;
    const char *expected;
  } cases[] = {
      {1, 65536, 8, "1=1 10=10 100=100 1000=1000 10000=10000"},
      {0.007, 1, 6, "0.01=0.01 0.1=0.1 1=1"},
      {1e-8, 1e2, 6, "1e-08=10⁻⁸ 1e-06=10⁻⁶ 0.0001=10⁻⁴ 0.01=10⁻² 1=10⁰ 100=10²"},
      {1e-17, 1e1, 6, "1e-16=10⁻¹⁶ 1e-12=10⁻¹² 1e-08=10⁻⁸ 0.0001=10⁻⁴ 1=10⁰"},
      {10, 1e3, 2, "10=10 1000=1000"},
      {1, 1e7, 8, "1=10⁰ 10=10¹ 100=10² 1000=10³ 10000=10⁴ 100000=10⁵ 1e+06=10⁶ 1e+07=10⁷"},
      {0.9, 40, 4, "1=1 3=3 10=10 30=30"},
      {0.9, 40, 3, "1=1 10=10"},
      {6, 35, 8, "6=6 8=8 10=10 15=15 20=20 30=30"},
      {1e-123, 1e-118, 3, "1e-122=10⁻¹²² 1e-120=10⁻¹²⁰ 1e-118=10⁻¹¹⁸"},
      {1.01, 1.05, 6, "1.01=1.01 1.02=1.02 1.03=1.03 1.04=1.04 1.05=1.05"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    struct tics tics;
    tics_logarithmic(cases[i].low, cases[i].high, cases[i].most, &tics);
    assert_tics(&tics, cases[i].expected);
  }
}

/* Between powers with numbers the others have small tics. */
static void powers_left_out_have_small_tics(void **state) {
  (void)state;
  struct tics tics;
  tics_logarithmic(1e-17, 1e1, 7, &tics);
  size_t small = 0, labels = 0;
  for (size_t t = 0; t < tics.count; t++)
    if (tics.item[t].label[0])
      labels++;
    else
      small++;
  assert_int_equal(labels, 6);
  assert_int_equal(small, 19 - 6);
}

/* As they are, or in units of 1024; not where that would be long. */
static void values_are_written_as_they_are(void **state) {
  (void)state;
  struct tics tics;
  const double contexts[] = {1024, 4096, 1048576}, factors[] = {0.5, 1, 1.25};
  assert_true(tics_values(contexts, 3, false, &tics));
  assert_tics(&tics, "1024=1024 4096=4096 1.04858e+06=1048576");
  assert_true(tics_values(contexts, 3, true, &tics));
  assert_tics(&tics, "1024=1k 4096=4k 1.04858e+06=1024k");
  assert_true(tics_values(factors, 3, false, &tics));
  assert_tics(&tics, "0.5=0.5 1=1 1.25=1.25");
  assert_false(tics_values(factors, 3, true, &tics));
  assert_false(tics_values(factors, 1, false, &tics));
  assert_false(tics_values((const double[]){1, M_PI}, 2, false, &tics));
  assert_false(tics_values((const double[]){1, 1e9}, 2, false, &tics));
}

static void angles_are_parts_of_pi(void **state) {
  (void)state;
  struct tics tics;
  tics_angles(&tics);
  assert_tics(&tics, "0=0 1.5708=π/2 3.14159=π 4.71239=3π/2 6.28319=2π");
  assert_true(tics_width(&tics) > 1 && tics_width(&tics) < 3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(linear_tics_are_round),
      cmocka_unit_test(tics_keep_their_promises),
      cmocka_unit_test(logarithmic_tics_are_powers),
      cmocka_unit_test(powers_left_out_have_small_tics),
      cmocka_unit_test(values_are_written_as_they_are),
      cmocka_unit_test(angles_are_parts_of_pi),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* kernels/tally.h against a plain scan. */
#include "tests/oracle/harness.h"

#include "kernels/tally.h"

/* By the words of the header. */
static struct tally plain(const double *value, size_t count, bool stop) {
  struct tally tally = {INFINITY, TALLY_NONE, TALLY_NONE};
  bool nan = false;
  for (size_t i = 0; i < count; i++) {
    if (!nan && (isnan(value[i]) || i == 0 || value[i] < tally.minimum)) {
      tally.minimum = value[i];
      tally.minimum_at = i;
    }
    nan |= isnan(value[i]);
    if (value[i] < 0 && tally.first_negative == TALLY_NONE) tally.first_negative = i;
    if (stop && value[i] < 0) break;
  }
  return tally;
}

static void assert_same(const struct tally *tally, const struct tally *expected) {
  assert_close(tally->minimum, expected->minimum, 0);
  assert_int_equal(tally->minimum_at, expected->minimum_at);
  assert_int_equal(tally->first_negative, expected->first_negative);
}

/* Whole, in two parts, and as two tallies joined: the same. */
static void assert_tally(const double *value, size_t count) {
  for (int stop = 0; stop <= 1; stop++) {
    const struct tally expected = plain(value, count, stop);
    struct tally whole = tally_start();
    tally_add(&whole, value, 0, count, stop);
    assert_same(&whole, &expected);
    for (size_t cut = 0; cut <= count; cut += 1 + count / 7) {
      struct tally parts = tally_start(), front = tally_start(), back = tally_start();
      tally_add(&parts, value, 0, cut, stop);
      tally_add(&parts, value + cut, cut, count - cut, stop);
      assert_same(&parts, &expected);
      tally_add(&front, value, 0, cut, stop);
      tally_add(&back, value + cut, cut, count - cut, stop);
      tally_join(&front, &back, stop);
      assert_same(&front, &expected);
    }
  }
}

static void random_values(void **state) {
  (void)state;
  static const size_t counts[] = {0, 1, 2, 7, 511, 512, 513, 1024, 3001};
  for (size_t c = 0; c < COUNT_OF(counts); c++)
    for (uint64_t seed = 1; seed <= 8; seed++) {
      const size_t count = counts[c];
      double *value = random_array(count, seed);
      assert_tally(value, count);
      for (size_t i = 0; i < count; i++)
        value[i] = seed % 2 ? fabs(value[i]) : floor(value[i] * 3) + 3; /* none below 0; ties */
      assert_tally(value, count);
      if (count > 3) value[count - count / 3] = -1; /* one */
      assert_tally(value, count);
      free(value);
    }
}

static void odd_values(void **state) {
  (void)state;
  enum { COUNT = 1500 };
  static const double odd[] = {NAN, INFINITY, -INFINITY, -0.0, 0};
  static const size_t places[] = {0, 1, 511, 512, 700, COUNT - 1};
  double value[COUNT];
  for (size_t o = 0; o < COUNT_OF(odd); o++)
    for (size_t p = 0; p < COUNT_OF(places); p++)
      for (size_t q = p; q < COUNT_OF(places); q++) {
        for (size_t i = 0; i < COUNT; i++)
          value[i] = 2 + sin((double)i);
        value[places[p]] = odd[o];
        value[places[q]] = odd[(o + q) % COUNT_OF(odd)];
        assert_tally(value, COUNT);
      }
  for (size_t i = 0; i < COUNT; i++)
    value[i] = INFINITY;
  assert_tally(value, COUNT);
  for (size_t i = 0; i < COUNT; i++)
    value[i] = NAN;
  assert_tally(value, COUNT);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_values),
      cmocka_unit_test(odd_values),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

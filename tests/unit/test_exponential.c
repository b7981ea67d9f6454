/* Powers of two against long double, in units in the last place of the result. */
#include "kernels/exponential.h"
#include "tests/oracle/harness.h"

enum { STEPS = 1 << 20 };
static const double most_units = 2; /* the header's promise */

static double units_single(float x) {
  const long double expected = exp2l((long double)x);
  const float nearest = (float)expected;
  return fabs((double)((exponential_single(x) - expected) / (nextafterf(nearest, 2) - nearest)));
}

static double units_double(double x) {
  const long double expected = exp2l((long double)x);
  const double nearest = (double)expected;
  return fabs((double)((exponential_double(x) - expected) / (nextafter(nearest, 2) - nearest)));
}

/* From 0 to the smallest, the cubes of equal steps: denser towards 0. */
static void close_everywhere(void **state) {
  (void)state;
  double worst_single = 0, worst_double = 0;
  for (int i = 0; i <= STEPS; i++) {
    const double share = pow((double)i / STEPS, 3);
    const double single = units_single((float)(-126 * share)),
                 in_double = units_double(-1022 * share);
    if (!(single <= worst_single)) worst_single = single;
    if (!(in_double <= worst_double)) worst_double = in_double;
  }
  assert_true(worst_single > 0.5 && worst_double > 0.5); /* it was measured */
  assert_close(worst_single, 0, most_units);
  assert_close(worst_double, 0, most_units);
}

/* Where the integer changes, and on every integer. */
static void close_at_the_seams(void **state) {
  (void)state;
  for (int n = 0; n < 126; n++) {
    assert_true(exponential_single((float)-n) == ldexpf(1, -n));
    for (int side = -1; side <= 1; side++) {
      float x = (float)-n - 0.5F;
      x = side < 0 ? nextafterf(x, -200) : side > 0 ? nextafterf(x, 200) : x;
      assert_close(units_single(x), 0, most_units);
    }
  }
  for (int n = 0; n < 1022; n++) {
    assert_true(exponential_double(-n) == ldexp(1, -n));
    for (int side = -1; side <= 1; side++) {
      double x = -n - 0.5;
      x = side < 0 ? nextafter(x, -2000) : side > 0 ? nextafter(x, 2000) : x;
      assert_close(units_double(x), 0, most_units);
    }
  }
}

static void the_smallest_and_beyond(void **state) {
  (void)state;
  assert_true(exponential_single(-126) == 0x1p-126F);
  assert_true(exponential_double(-1022) == 0x1p-1022);
  assert_true(exponential_single(nextafterf(-126, -200)) == 0);
  assert_true(exponential_double(nextafter(-1022, -2000)) == 0);
  assert_true(exponential_single(-INFINITY) == 0 && exponential_double(-INFINITY) == 0);
  assert_true(exponential_single(-3e38F) == 0 && exponential_double(-1e308) == 0);
  assert_true(isnan(exponential_single(NAN)) && isnan(exponential_double(NAN)));
  assert_true(exponential_single(-0.0F) == 1 && exponential_double(-0.0) == 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(close_everywhere),
      cmocka_unit_test(close_at_the_seams),
      cmocka_unit_test(the_smallest_and_beyond),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

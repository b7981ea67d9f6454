/* lib/analysis/certificate_bound.h and the sampled positions */
#include "tests/unit/spectra.h"

#include "lib/analysis/certificate_bound.h"
#include "lib/analysis/certificate_check.h"

/* The fp32 angle error, the largest over pairs and over every position 0 .. M of |fl(m·fl(θ)) −
   m·θ|, for 128 dimensions and base 10000; computed in double precision or better. The bound must
   hold it and be no looser than the two roundings it counts. */
static void fp32_angles_of_every_position(void **state) {
  (void)state;
  static const struct {
    int64_t last;
    double error, digit;
  } known[] = {{1024, 5.93e-5, 5e-8},
               {2048, 1.21e-4, 5e-7},
               {4096, 2.42e-4, 5e-7},
               {8192, 4.85e-4, 5e-7},
               {32768, 1.94e-3, 5e-6}};
  struct spectrum *spectrum = plain_spectrum(128, 10000);
  double largest = 0, bound = 0;
  int64_t position = 0;
  for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
    for (; position <= known[k].last; position++)
      for (size_t i = 0; i < spectrum->pairs; i++) {
        const float taken = (float)position * (float)spectrum->inv_freq_double[i];
        const long double truth = (long double)position * spectrum->inv_freq[i];
        largest = fmax(largest, (double)fabsl(taken - truth));
      }
    assert_near(largest, known[k].error, known[k].digit);
    for (size_t i = 0; i < spectrum->pairs; i++)
      bound = fmax(bound, bound_rounding(spectrum, PRECISION_FP32, i, known[k].last) +
                              bound_frequency(spectrum, PRECISION_FP32, i, known[k].last));
    if (!(largest <= bound && bound <= 2.2 * largest))
      fail_msg("to position %lld: the error is %g, the bound %g", (long long)known[k].last, largest,
               bound);
  }
  spectrum_destroy(spectrum);
}

static void check_angle(const struct spectrum *spectrum, enum precision precision, size_t pair,
                        int64_t position) {
  if (!bound_holds(spectrum, precision, position)) return;
  const double t = bound_entry(precision);
  const long double truth = bound_true_angle(spectrum, pair, position);
  double cosine, sine;
  phase_cos_sin_rounded(precision, spectrum->step[pair], spectrum->inv_freq_double[pair], position,
                        &cosine, &sine);
  const double distance = (double)hypotl(cosine - cosl(truth), sine - sinl(truth));
  const double bound = bound_absolute(spectrum, precision, pair, position);
  const double defect = fabs((double)((long double)cosine * cosine + (long double)sine * sine - 1));
  if (!(distance <= bound))
    fail_msg("%s, pair %zu of %zu, position %lld: off by %g, bound %g", precision_name(precision),
             pair, spectrum->pairs, (long long)position, distance, bound);
  if (precision != PRECISION_FP64) {
    const double angle = phase_angle_rounded(precision, spectrum->step[pair],
                                             spectrum->inv_freq_double[pair], position);
    assert_near(cosine, cos(angle), t + 1e-15);
    assert_near(sine, sin(angle), t + 1e-15);
  }
  assert_near(defect, 0, bound_defect(precision));
}

/* Every format, small and large bases (frequencies below fp16's normal range), positions of all
   sizes: right code stays inside the bounds. */
static void angles_of_every_format(void **state) {
  (void)state;
  const double bases[] = {1, 0.5, 10000, 500000, 1e7};
  for (size_t b = 0; b < sizeof bases / sizeof *bases; b++) {
    struct spectrum *spectrum = plain_spectrum(64, bases[b]);
    uint64_t draw = 12345;
    for (size_t n = 0; n < 4000; n++) {
      draw = draw * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
      const int64_t position = (int64_t)(draw >> (33 + draw % 30)) * (draw & 1 ? 1 : -1);
      for (int precision = 0; precision < PRECISION_COUNT; precision++)
        check_angle(spectrum, (enum precision)precision, n % spectrum->pairs, position);
    }
    spectrum_destroy(spectrum);
  }
}

/* m mod 2π for θ = 1: 50-digit arithmetic. */
static void true_angles(void **state) {
  (void)state;
  static const struct {
    int64_t position;
    long double angle;
  } known[] = {{131071, -2.52869307335349513840723718742L},
               {-4093, -2.64636502608920352163831497009L},
               {2147483647, -2.33067940583265063998102717418L},
               {INT64_C(9007199254740992), -2.12764287657704644999476142005L},
               {0, 0}};
  struct spectrum *spectrum = plain_spectrum(2, 10000);
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    const long double angle = bound_true_angle(spectrum, 0, known[i].position);
    if (!(fabsl(angle - known[i].angle) <= 1e-18L))
      fail_msg("position %lld: %.20Lg is not %.20Lg", (long long)known[i].position, angle,
               known[i].angle);
  }
  spectrum_destroy(spectrum);
}

static void reach_is_the_norm_of_the_difference(void **state) {
  (void)state;
  struct spectrum *spectrum = plain_spectrum(2, 10000);
  assert_near(bound_reach(spectrum, 1), 2 * sin(0.5), 1e-15);
  assert_near(bound_reach(spectrum, 0), 0, 0);
  assert_near(bound_reach(spectrum, 3), 2 * sin(1.5), 1e-15);
  spectrum_destroy(spectrum);
}

/* Positions that a format holds cost nothing; 257 in bf16 becomes 256. */
static void positions_are_rounded(void **state) {
  (void)state;
  struct spectrum *spectrum = plain_spectrum(2, 10000);
  const double u = 0x1p-8;
  assert_near(bound_rounding(spectrum, PRECISION_BF16, 0, 256), u * 256, 1e-12);
  assert_near(bound_rounding(spectrum, PRECISION_BF16, 0, 257), 1 + u * 256, 1e-12);
  assert_true(bound_holds(spectrum, PRECISION_FP16, 65504));
  assert_true(bound_holds(spectrum, PRECISION_FP16, -65504));
  assert_false(bound_holds(spectrum, PRECISION_FP16, 65536));
  assert_true(bound_holds(spectrum, PRECISION_BF16, 65536));
  assert_true(bound_holds(spectrum, PRECISION_FP64, INT64_MAX));
  spectrum_destroy(spectrum);
}

/* With a frequency above 1 an angle overflows before its position does. */
static void angles_overflow_too(void **state) {
  (void)state;
  struct spectrum *spectrum = plain_spectrum(4, 0.01);
  assert_near(spectrum->inv_freq_double[1], 10, 1e-14);
  assert_true(bound_holds(spectrum, PRECISION_FP16, 6000));
  assert_false(bound_holds(spectrum, PRECISION_FP16, 7000));
  spectrum_destroy(spectrum);
}

static bool sampled(const int64_t *positions, size_t count, int64_t position) {
  for (size_t i = 0; i < count; i++)
    if (positions[i] == position) return true;
  return false;
}

static void sampled_positions(void **state) {
  (void)state;
  const int64_t lasts[] = {1, 2, 3, 5, 64, 4095, 4096, 131072, INT64_C(1) << 31, INT64_C(1) << 53};
  int64_t positions[CERTIFICATE_POSITIONS];
  for (size_t n = 0; n < sizeof lasts / sizeof *lasts; n++) {
    const size_t count = certificate_positions(lasts[n], n, positions);
    assert_in_range(count, 1, CERTIFICATE_FIXED);
    assert_int_equal(positions[count - 1], lasts[n]);
    assert_true(positions[0] >= 1);
    for (size_t i = 1; i < count; i++)
      assert_true(positions[i] > positions[i - 1]);
    if (lasts[n] > 1) assert_true(sampled(positions, count, lasts[n] - 1));
  }
  assert_int_equal(certificate_positions(0, 1, positions), 1);
  assert_int_equal(positions[0], 0);
}

/* They lie between the others, once, and are all that there are where more are asked for. */
static void samples_are_added(void **state) {
  (void)state;
  int64_t fixed[CERTIFICATE_POSITIONS], all[CERTIFICATE_POSITIONS];
  size_t before = certificate_positions(4096, 1, fixed), count = before;
  memcpy(all, fixed, sizeof all);
  assert_int_equal(certificate_add_samples(4096, 0, all, &count, NULL), OK);
  assert_int_equal(count, before);
  assert_int_equal(certificate_add_samples(4096, 13, all, &count, NULL), OK);
  for (size_t i = 1; i < count; i++)
    assert_true(all[i] > all[i - 1]);
  for (size_t i = 0; i < before; i++)
    assert_true(sampled(all, count, fixed[i]));
  for (int64_t power = 1; power <= 4096; power *= 2)
    assert_true(sampled(all, count, power));
  /* 1, 2, 64, 2048 and 4096 were there. */
  assert_int_equal(count, before + 8);
  count = certificate_positions(100, 1, all);
  assert_int_equal(certificate_add_samples(100, CERTIFICATE_SAMPLES_MAXIMUM, all, &count, NULL),
                   OK);
  assert_int_equal(count, 100);
  count = certificate_positions(INT64_C(1) << 53, 1, all);
  assert_int_equal(
      certificate_add_samples(INT64_C(1) << 53, CERTIFICATE_SAMPLES_MAXIMUM, all, &count, NULL),
      OK);
  assert_in_range(count, CERTIFICATE_SAMPLES_MAXIMUM, CERTIFICATE_POSITIONS);
  count = certificate_positions(0, 1, all);
  assert_int_equal(certificate_add_samples(0, 5, all, &count, NULL), OK);
  assert_int_equal(count, 1);
}

/* The seed moves two of them. */
static void seeded_positions(void **state) {
  (void)state;
  int64_t one[CERTIFICATE_POSITIONS], two[CERTIFICATE_POSITIONS], again[CERTIFICATE_POSITIONS];
  const size_t count = certificate_positions(1000000, 1, one);
  assert_int_equal(certificate_positions(1000000, 2, two), count);
  assert_int_equal(certificate_positions(1000000, 1, again), count);
  assert_memory_equal(one, again, count * sizeof *one);
  size_t common = 0;
  for (size_t i = 0; i < count; i++)
    common += sampled(one, count, two[i]);
  assert_int_equal(common, count - 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(fp32_angles_of_every_position),
      cmocka_unit_test(angles_of_every_format),
      cmocka_unit_test(true_angles),
      cmocka_unit_test(reach_is_the_norm_of_the_difference),
      cmocka_unit_test(positions_are_rounded),
      cmocka_unit_test(angles_overflow_too),
      cmocka_unit_test(sampled_positions),
      cmocka_unit_test(samples_are_added),
      cmocka_unit_test(seeded_positions),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

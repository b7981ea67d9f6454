/* xPos: amplitudes, and the sums they give. */
#include "lib/rope/xpos.h"
#include "tests/unit/spectra.h"

/* Σ_i cos(n·θ_i)·ζ_i^(n/512): a query and an equal key at distance n, d = 128, base 10000. */
static double score_at(const struct spectrum *spectrum, int64_t distance) {
  double sum = 0, cosine, sine;
  for (size_t i = 0; i < spectrum->pairs; i++) {
    phase_cos_sin(phase_at(spectrum->step[i], distance), &cosine, &sine);
    const double zeta = xpos_zeta(i, spectrum->spec.rotary_dim, XPOS_GAMMA);
    sum += cosine * xpos_amplitude(zeta, distance, XPOS_SCALE_BASE);
  }
  return sum;
}

/* To the digits of a double precision computation of the formula. */
static void scores_decay(void **state) {
  (void)state;
  static const struct {
    int64_t distance;
    double score;
  } rows[] = {{0, 64},           {1, 62.034402},   {10, 42.589768},
              {100, 29.057477},  {256, 19.474179}, {512, 14.12427},
              {1024, 10.813936}, {2048, 6.274211}, {4096, 2.679392}};
  struct spectrum *spectrum = plain_spectrum(128, 10000);
  for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
    assert_near(score_at(spectrum, rows[r].distance), rows[r].score, 5.1e-7);
  spectrum_destroy(spectrum);
}

/* torchscale's (2i + 0.4·d)/(1.4·d). */
static void zeta_rises_to_one(void **state) {
  (void)state;
  assert_near(xpos_zeta(0, 128, XPOS_GAMMA), 0.2857142857, 5e-11);
  for (size_t i = 0; i < 64; i++) {
    assert_near(xpos_zeta(i, 128, XPOS_GAMMA), (2 * (double)i + 0.4 * 128) / (1.4 * 128), 2e-16);
    assert_true(xpos_zeta(i, 128, XPOS_GAMMA) < xpos_zeta(i + 1, 128, XPOS_GAMMA));
  }
  assert_true(xpos_zeta(64, 128, XPOS_GAMMA) == 1);
  assert_true(xpos_zeta(0, 128, 0) == 0);
}

/* Queries and keys cancel but for their distance. */
static void amplitudes_depend_on_the_distance(void **state) {
  (void)state;
  const double zeta = xpos_zeta(5, 64, XPOS_GAMMA);
  assert_true(xpos_amplitude(zeta, 0, XPOS_SCALE_BASE) == 1);
  assert_near(xpos_amplitude(zeta, 512, XPOS_SCALE_BASE), zeta, 1e-16);
  assert_near(xpos_amplitude(zeta, 700, XPOS_SCALE_BASE) *
                  xpos_amplitude(zeta, -600, XPOS_SCALE_BASE),
              xpos_amplitude(zeta, 100, XPOS_SCALE_BASE), 1e-15);
}

/* Implementations that centre the exponent run out of their type: with scale_base 64 the end of
   9000 tokens has an amplitude of 1.8e38, close to what a float holds, and float16 (65504) is left
   at a length of about 1133. */
static void amplitudes_overflow_where_reported(void **state) {
  (void)state;
  const double zeta = xpos_zeta(0, 64, XPOS_GAMMA);
  assert_near(xpos_amplitude(zeta, -4500, 64) / 1.8e38, 1, 0.01);
  assert_true(xpos_amplitude(zeta, -1133 / 2, 64) < 65504);
  assert_true(xpos_amplitude(zeta, -1134 / 2, 64) > 65504);
  assert_true(isinf(xpos_amplitude(zeta, INT64_MIN / 2, XPOS_SCALE_BASE)));
  assert_true(xpos_amplitude(zeta, INT64_MAX / 2, XPOS_SCALE_BASE) == 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(scores_decay),
      cmocka_unit_test(zeta_rises_to_one),
      cmocka_unit_test(amplitudes_depend_on_the_distance),
      cmocka_unit_test(amplitudes_overflow_where_reported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* What a rule did to each pair, and the critical dimension. */
#include "tests/unit/scalings.h"

static void bands_have_names(void **state) {
  (void)state;
  assert_string_equal(band_name(BAND_KEPT), "kept");
  assert_string_equal(band_name(BAND_DIVIDED), "divided");
  assert_string_equal(band_name(BAND_BLENDED), "blended");
  assert_string_equal(band_name(BAND_ZERO), "zero");
}

static void factors_are_unscaled_over_scaled(void **state) {
  (void)state;
  struct spectrum *spectrum = scaled_spectrum(128, 10000, "linear:factor=4");
  for (size_t i = 0; i < 64; i++)
    assert_near(spectrum_factor(spectrum, i), 4, 1e-15);
  assert_bands(spectrum, 0, 0, 64);
  spectrum_destroy(spectrum);
  spectrum = scaled_spectrum(128, 10000, "p-rope:p=0.5");
  assert_true(spectrum_factor(spectrum, 31) == 1 && isinf(spectrum_factor(spectrum, 32)));
  spectrum_destroy(spectrum);
  spectrum =
      scaled_spectrum(128, 10000, "linear:factor=1"); /* both: what is divided by 1 is kept */
  assert_bands(spectrum, 64, 0, 0);
  spectrum_destroy(spectrum);
}

/* In float the same bands, although no factor is exact. */
static void bands_survive_float(void **state) {
  (void)state;
  static const struct {
    const char *scaling;
    size_t kept, blended, divided;
  } rows[] = {{"none", 64, 0, 0},
              {"linear:factor=3", 0, 0, 64},
              {"ntk:factor=8", 1, 62, 1},
              {"llama3:factor=8,low_freq_factor=1,high_freq_factor=4,"
               "original_max_position_embeddings=8192",
               29, 6, 29},
              {"yarn:factor=3,original_max_position_embeddings=4096", 15, 17, 32}};
  for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
    struct rope_spec spec = scaled_spec(128, 500000, rows[r].scaling);
    for (int p = 0; p < PRECISION_COUNT; p++) {
      spec.precision = (enum precision)p;
      struct spectrum *spectrum = spectrum_of(&spec);
      assert_bands(spectrum, rows[r].kept, rows[r].blended, rows[r].divided);
      spectrum_destroy(spectrum);
    }
  }
}

/* A change of 1e-9 is one, in double; in float it cannot be told. */
static void equality_has_its_tolerance(void **state) {
  (void)state;
  struct rope_spec spec = scaled_spec(128, 10000, "linear:factor=1.000000001");
  struct spectrum *spectrum = spectrum_of(&spec);
  assert_bands(spectrum, 0, 0, 64);
  spectrum_destroy(spectrum);
  spec.precision = PRECISION_FP32;
  spectrum = spectrum_of(&spec);
  assert_bands(spectrum, 64, 0, 0);
  spectrum_destroy(spectrum);
}

static size_t critical_dim(size_t dim, double base, const char *scaling, double context) {
  struct spectrum *spectrum = scaled_spectrum(dim, base, scaling);
  const size_t critical = spectrum_critical_dim(spectrum, context);
  spectrum_destroy(spectrum);
  return critical;
}

/* 92 of Llama 2: Liu et al.; 62 of Phi-3-mini: LongRoPE2, arXiv:2502.20082. The first pair with a
   wavelength above the context is 41 for Llama 1, 46, 35 for Llama 3, 49 with Llama 3.1's length,
   40 for Mistral v0.2, 100 for Gemma. */
static void critical_dims_are_those_published(void **state) {
  (void)state;
  assert_int_equal(critical_dim(128, 1e4, "none", 4096), 92);
  assert_int_equal(critical_dim(96, 1e4, "none", 2048), 62);
  assert_int_equal(critical_dim(128, 1e4, "none", 2048), 82);
  assert_int_equal(critical_dim(128, 5e5, "none", 8192), 70);
  assert_int_equal(critical_dim(128, 5e5, "none", 131072), 98);
  assert_int_equal(critical_dim(128, 1e6, "none", 32768), 80);
  assert_int_equal(critical_dim(256, 1e4, "none", 8192), 200);
  /* By the frequencies before the rule. */
  assert_int_equal(critical_dim(128, 1e4, "linear:factor=8", 4096), 92);
  assert_int_equal(critical_dim(128, 1e4, "p-rope:p=0.5", 4096), 64);
}

/* The formula and the count agree at every length. */
static void critical_dim_is_the_formula(void **state) {
  (void)state;
  struct spectrum *spectrum = plain_spectrum(128, 10000);
  const double two_pi = 6.28318530717958647692528676655900577;
  for (int64_t context = 7; context < 1000000; context += context / 4 + 1) {
    const double pairs = ceil(64 * log((double)context / two_pi) / log(10000));
    assert_int_equal(spectrum_critical_dim(spectrum, (double)context), 2 * (size_t)fmin(pairs, 64));
  }
  spectrum_destroy(spectrum);
  /* 134 by the formula: more than there are. */
  assert_int_equal(critical_dim(128, 500, "none", 4096), 128);
}

static void critical_dim_may_not_be_known(void **state) {
  (void)state;
  assert_int_equal(critical_dim(128, 10000, "none", NAN), 0);
  assert_int_equal(critical_dim(128, 10000, "none", 0), 0);
  assert_int_equal(critical_dim(128, 10000, "none", -1), 0);
  assert_int_equal(critical_dim(128, 10000, "none", 6), 0); /* shorter than any turn */
  assert_int_equal(critical_dim(128, 1, "none", 7), 128);
  static const double values[3] = {0.1, 1e-5, 0};
  struct rope_spec spec = scaled_spec(6, NAN, "given");
  set_list(&spec, "inv_freq", values, 3);
  struct spectrum *spectrum = spectrum_of(&spec);
  assert_int_equal(spectrum_critical_dim(spectrum, 62), 0);
  assert_int_equal(spectrum_critical_dim(spectrum, 63), 2);
  assert_int_equal(spectrum_critical_dim(spectrum, 1e6), 4);
  spectrum_destroy(spectrum);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bands_have_names),
      cmocka_unit_test(factors_are_unscaled_over_scaled),
      cmocka_unit_test(bands_survive_float),
      cmocka_unit_test(equality_has_its_tolerance),
      cmocka_unit_test(critical_dims_are_those_published),
      cmocka_unit_test(critical_dim_is_the_formula),
      cmocka_unit_test(critical_dim_may_not_be_known),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

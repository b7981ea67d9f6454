/* The rules that pick or round frequencies: proportional, p-rope, resonance. */
#include "tests/unit/scalings.h"

/* Gemma 4's global layers: of 256 pairs 64 rotate, with exponents over all 512 dimensions. */
static void proportional_rotates_the_first_pairs(void **state) {
  (void)state;
  struct spectrum *plain = plain_spectrum(512, 1e6);
  struct spectrum *spectrum = scaled_spectrum(512, 1e6, "proportional:partial_rotary_factor=0.25");
  for (size_t i = 0; i < 256; i++)
    assert_true(spectrum->inv_freq[i] == (i < 64 ? plain->inv_freq[i] : 0));
  assert_bands(spectrum, 64, 0, 0);
  spectrum_destroy(spectrum);
  spectrum = scaled_spectrum(512, 1e6, "proportional:partial_rotary_factor=0.25,factor=8");
  for (size_t i = 0; i < 256; i++)
    assert_true(spectrum->inv_freq[i] == (i < 64 ? plain->inv_freq[i] / 8 : 0));
  assert_bands(spectrum, 0, 0, 64);
  spectrum_destroy(spectrum);
  spectrum = scaled_spectrum(512, 1e6, "proportional");
  assert_bands(spectrum, 256, 0, 0);
  spectrum_destroy(spectrum);
  spectrum_destroy(plain);
  spectrum = scaled_spectrum(10, 1e4, "proportional:partial_rotary_factor=0.5"); /* 2.5 pairs: 2 */
  assert_bands(spectrum, 2, 0, 0);
  spectrum_destroy(spectrum);
}

/* Partial rotation is another thing: phi-2 rotates 32 of 80 dimensions with exponents over 32. */
static void partial_rotation_has_other_frequencies(void **state) {
  (void)state;
  struct rope_spec spec;
  spec_default(&spec);
  spec.head_dim = 80;
  spec.rotary_dim = 32;
  struct spectrum *partial = spectrum_of(&spec);
  struct spectrum *whole = scaled_spectrum(80, 10000, "proportional:partial_rotary_factor=0.4");
  assert_int_equal(partial->pairs, 16);
  assert_near(partial->inv_freq_double[1], 0.562341, 5e-7);
  assert_bands(whole, 16, 0, 0);
  assert_near(whole->inv_freq_double[1], 0.794328, 5e-7);
  spectrum_destroy(partial);
  spectrum_destroy(whole);
  snprintf(spec.scaling.type, sizeof spec.scaling.type, "proportional");
  assert_spec_refused(&spec, "the rotary dimension 32 is not the head dimension 80: the scaling "
                             "type 'proportional' is of the whole head");
  assert_scaling_refused(
      128, 10000, "proportional:partial_rotary_factor=1.5",
      "the scaling parameter 'partial_rotary_factor' is 1.5: it must be at most 1");
  assert_scaling_refused(
      128, 10000, "proportional:partial_rotary_factor=0",
      "the scaling parameter 'partial_rotary_factor' is 0: it must be greater than 0");
}

/* The smallest cosine sum over 0 .. 200000 for d = 256, base 10000; computed in double. */
static void p_rope_keeps_the_sum_positive(void **state) {
  (void)state;
  static const struct {
    const char *scaling;
    size_t kept;
    double minimum;
    int64_t at;
  } rows[] = {{"p-rope:p=0.75", 96, 3.94863, 143572},
              {"p-rope:p=0.5", 64, 41.39484, -1},
              {"p-rope:p=0.25", 32, 79.17016, -1}};
  struct backend *backend = open_cpu();
  struct spectrum *plain = plain_spectrum(256, 10000);
  for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
    struct spectrum *spectrum = scaled_spectrum(256, 10000, rows[r].scaling);
    assert_int_equal(spectrum->pairs, 128);
    assert_bands(spectrum, rows[r].kept, 0, 0);
    for (size_t i = 0; i < rows[r].kept; i++)
      assert_true(spectrum->inv_freq[i] == plain->inv_freq[i]);
    double minimum;
    int64_t at;
    struct error error;
    const struct cosine_sum_batch batch = {.phases = {.series = 1,
                                                      .pairs = spectrum->pairs,
                                                      .step = spectrum->step,
                                                      .precision = PRECISION_FP64},
                                           .step = 1,
                                           .count = 200000,
                                           .minimum = &minimum,
                                           .minimum_distance = &at};
    assert_int_equal(backend_cosine_sum(backend, &batch, &error), OK);
    assert_near(minimum, rows[r].minimum, 5e-6);
    if (rows[r].at >= 0) assert_int_equal(at, rows[r].at);
    spectrum_destroy(spectrum);
  }
  spectrum_destroy(plain);
  backend_close(backend);
}

static void p_rope_rounds_down(void **state) {
  (void)state;
  struct spectrum *spectrum = scaled_spectrum(128, 10000, "p-rope:p=1");
  assert_bands(spectrum, 64, 0, 0);
  spectrum_destroy(spectrum);
  spectrum = scaled_spectrum(10, 10000, "p-rope:p=0.5");
  assert_bands(spectrum, 2, 0, 0);
  spectrum_destroy(spectrum);
  spectrum = scaled_spectrum(10, 10000, "p-rope:p=0.1"); /* none: no position at all */
  assert_bands(spectrum, 0, 0, 0);
  spectrum_destroy(spectrum);
  assert_scaling_refused(128, 10000, "p-rope", "the scaling type 'p-rope' needs the parameter 'p'");
  assert_scaling_refused(128, 10000, "p-rope:p=0",
                         "the scaling parameter 'p' is 0: it must be greater than 0");
  assert_scaling_refused(128, 10000, "p-rope:p=1.01",
                         "the scaling parameter 'p' is 1.01: it must be at most 1");
}

/* d = 128, base 10000, by the authors' rule (round half to even), in double precision. */
static void resonance_rounds_wavelengths(void **state) {
  (void)state;
  static const int wavelengths[64] = {
      6,     7,     8,     10,    11,    13,    15,    17,    20,    23,    26,    31,   35,
      41,    47,    54,    63,    73,    84,    97,    112,   129,   149,   172,   199,  229,
      265,   306,   353,   408,   471,   544,   628,   726,   838,   968,   1117,  1290, 1490,
      1721,  1987,  2294,  2650,  3060,  3533,  4080,  4712,  5441,  6283,  7256,  8379, 9676,
      11173, 12903, 14900, 17206, 19869, 22945, 26496, 30597, 35333, 40802, 47117, 54410};
  const long double two_pi = 6.28318530717958647692528676655900577L;
  struct spectrum *spectrum = scaled_spectrum(128, 10000, "resonance");
  double largest = 0;
  for (size_t i = 0; i < 64; i++) {
    assert_relative(spectrum->inv_freq[i], two_pi / wavelengths[i], 1e-18);
    largest = fmax(largest, fabs(spectrum_factor(spectrum, i) - 1));
  }
  assert_near(largest, 0.0452, 5e-5); /* pair 2: 8.379 becomes 8 */
  assert_true(largest == fabs(spectrum_factor(spectrum, 2) - 1));
  spectrum_destroy(spectrum);
  assert_scaling_refused(
      4, 1e-3, "resonance",
      "pair 1 of the base 0.001 has the wavelength 0.1986917653: the scaling type "
      "'resonance' needs at least 1 token");
}

/* Wavelengths of 6.5 and 7.5 tokens become 6 and 8. */
static void resonance_rounds_halves_to_even(void **state) {
  (void)state;
  const long double two_pi = 6.28318530717958647692528676655900577L;
  long double inv_freq[] = {two_pi / 6.5L, two_pi / 7.5L};
  assert_true(two_pi / inv_freq[0] == 6.5L && two_pi / inv_freq[1] == 7.5L);
  struct scaling_result result = {.pairs = 2, .inv_freq = inv_freq};
  const struct rope_spec spec = scaled_spec(4, 10000, "resonance");
  struct error error;
  assert_int_equal(scaling_rule_find("resonance")->apply(&spec, &result, &error), OK);
  assert_true(inv_freq[0] == two_pi / 6 && inv_freq[1] == two_pi / 8);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(proportional_rotates_the_first_pairs),
      cmocka_unit_test(partial_rotation_has_other_frequencies),
      cmocka_unit_test(p_rope_keeps_the_sum_positive),
      cmocka_unit_test(p_rope_rounds_down),
      cmocka_unit_test(resonance_rounds_wavelengths),
      cmocka_unit_test(resonance_rounds_halves_to_even),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

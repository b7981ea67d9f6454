/* The rules that change the base: ntk, dynamic, dynamic-qwen. */
#include "tests/unit/scalings.h"

/* Bases to 6 decimals, from double precision: b · s^(d/(d−2)). */
static void ntk_changes_the_base(void **state) {
  (void)state;
  static const struct {
    size_t dim;
    const char *scaling;
    double base, factor;
  } rows[] = {{128, "ntk:factor=2", 20221.261690, 2},    {128, "ntk:factor=4", 40889.942432, 4},
              {128, "ntk:factor=8", 82684.622641, 8},    {128, "ntk:factor=16", 167198.739213, 16},
              {128, "ntk:factor=32", 338096.945982, 32}, {64, "ntk:factor=2", 20452.228712, 2},
              {64, "ntk:factor=4", 41829.365929, 4},     {64, "ntk:factor=8", 85550.375886, 8}};
  for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
    struct spectrum *plain = plain_spectrum(rows[r].dim, 10000);
    struct spectrum *scaled = scaled_spectrum(rows[r].dim, 10000, rows[r].scaling);
    assert_near(scaled->effective_base, rows[r].base, 5e-7);
    assert_true(scaled->full_factor == rows[r].factor && scaled->attention_factor == 1);
    assert_true(scaled->inv_freq[0] == 1);
    const size_t last = scaled->pairs - 1;
    assert_relative(scaled->inv_freq[last], plain->inv_freq[last] / rows[r].factor, 1e-15);
    assert_bands(scaled, 1, last - 1, 1);
    spectrum_destroy(plain);
    spectrum_destroy(scaled);
  }
}

/* A change of base is exactly that base. */
static void ntk_is_plain_at_its_base(void **state) {
  (void)state;
  struct spectrum *scaled = scaled_spectrum(128, 10000, "ntk:factor=8");
  struct spectrum *plain = plain_spectrum(128, scaled->effective_base);
  for (size_t i = 0; i < plain->pairs; i++)
    assert_true(scaled->inv_freq[i] == plain->inv_freq[i]);
  spectrum_destroy(plain);
  spectrum_destroy(scaled);
}

/* The base at a length, for a model of 2048 tokens. */
static double base_at(const char *scaling, int64_t length) {
  struct rope_spec spec = scaled_spec(128, 10000, scaling);
  spec.context = length;
  spec.model_context = 2048;
  struct spectrum *spectrum = spectrum_of(&spec);
  const double base = spectrum->effective_base;
  spectrum_destroy(spectrum);
  return base;
}

static void dynamic_grows_beyond_the_context(void **state) {
  (void)state;
  assert_true(base_at("dynamic:factor=2", 0) == 10000);
  assert_true(base_at("dynamic:factor=2", 1) == 10000);
  assert_true(base_at("dynamic:factor=2", 2048) == 10000);
  assert_true(base_at("dynamic:factor=2", 2049) > 10000);
  assert_near(base_at("dynamic:factor=2", 3000), 19499.277641, 5e-7);
  assert_near(base_at("dynamic:factor=2", 4096), 30527.736749, 5e-7);
  assert_near(base_at("dynamic:factor=1", 4096), 20221.261690, 5e-7);
  assert_near(base_at("dynamic:factor=1,max_position_embeddings=4k", 8192), 20221.261690, 5e-7);
  assert_near(base_at("dynamic:factor=2,max_position_embeddings=4k", 8192), 30527.736749, 5e-7);
  assert_true(base_at("dynamic:factor=2,max_position_embeddings=4k", 4096) == 10000);
}

/* HunYuan's field: the same base at every length, and it wins. */
static void dynamic_takes_alpha(void **state) {
  (void)state;
  assert_near(base_at("dynamic:alpha=2", 1), 20221.261690, 5e-7);
  assert_near(base_at("dynamic:alpha=4", 2048), 40889.942432, 5e-7);
  assert_near(base_at("dynamic:alpha=8,factor=2", 100000), 82684.622641, 5e-7);
  assert_warns("dynamic:alpha=1000,factor=1", 0, NULL, NULL);
  assert_warns("dynamic:alpha=1000,factor=2", 0,
               "the alpha 1000 of the dynamic scaling is used, not its factor 2", NULL);
  assert_warns("dynamic:alpha=1000,mscale=1", 0,
               "'mscale' is ignored by the dynamic scaling: HunYuan's configs hold it, for a rule "
               "of the type yarn",
               NULL);
  assert_warns("dynamic:factor=2,original_max_position_embeddings=4k", 2048,
               "'original_max_position_embeddings' is ignored by the dynamic scaling: Hugging Face "
               "and vLLM take max_position_embeddings",
               NULL);
}

/* alpha = 2^⌈log2(s/M) + 1⌉ − 1: 1, 3, 7, 15. */
static void qwen_grows_in_powers_of_two(void **state) {
  (void)state;
  static const char rule[] = "dynamic-qwen";
  assert_true(base_at(rule, 0) == 10000);
  assert_true(base_at(rule, 2048) == 10000);
  assert_near(base_at(rule, 2049), 30527.736749, 5e-7);
  assert_near(base_at(rule, 3000), 30527.736749, 5e-7);
  assert_near(base_at(rule, 4096), 30527.736749, 5e-7);
  assert_true(base_at(rule, 4097) == base_at("ntk:factor=7", 4097));
  assert_true(base_at(rule, 8192) == base_at("ntk:factor=7", 8192));
  assert_true(base_at(rule, 8193) == base_at("ntk:factor=15", 8193));
  assert_true(base_at("dynamic-qwen:max_position_embeddings=8k", 8192) == 10000);
}

static void missing_numbers_are_named(void **state) {
  (void)state;
  assert_scaling_refused(128, 10000, "ntk", "the scaling type 'ntk' needs the parameter 'factor'");
  assert_scaling_refused(
      2, 10000, "ntk:factor=2",
      "the scaling type 'ntk' has no meaning for the rotary dimension 2: its only "
      "frequency does not depend on the base");
  assert_scaling_refused(
      128, 1e300, "ntk:factor=1e300",
      "the scaling type 'ntk' makes the base 1e+300 too large by the factor 1e+300");
  assert_scaling_refused(128, 10000, "dynamic",
                         "the scaling type 'dynamic' needs the parameter 'factor' or 'alpha'");
  assert_scaling_refused(
      128, 10000, "dynamic:factor=2",
      "the scaling type 'dynamic' needs the parameter 'max_position_embeddings', or a "
      "model that has a context");
  assert_scaling_refused(2, 10000, "dynamic:alpha=2",
                         "the scaling type 'dynamic' has no meaning for the rotary dimension 2");
  assert_scaling_refused(
      128, 10000, "dynamic-qwen",
      "the scaling type 'dynamic-qwen' needs the parameter 'max_position_embeddings'");
  assert_scaling_refused(
      2, 10000, "dynamic-qwen:max_position_embeddings=2k",
      "the scaling type 'dynamic-qwen' has no meaning for the rotary dimension 2");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ntk_changes_the_base),
      cmocka_unit_test(ntk_is_plain_at_its_base),
      cmocka_unit_test(dynamic_grows_beyond_the_context),
      cmocka_unit_test(dynamic_takes_alpha),
      cmocka_unit_test(qwen_grows_in_powers_of_two),
      cmocka_unit_test(missing_numbers_are_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* YaRN: range, ramp, factors, and what is said of odd numbers. */
#include "tests/unit/scalings.h"

/* Ranges before and after rounding, in double precision. */
static void range_is_that_of_the_authors_code(void **state) {
  (void)state;
  static const struct {
    size_t dim;
    double base, context, low, high, rounded_low, rounded_high;
  } rows[] = {{128, 1e4, 2048, 16.128002, 40.210401, 16, 41},  /* Llama 1 */
              {128, 1e4, 4096, 20.944482, 45.026881, 20, 46},  /* Llama 2 */
              {128, 1e4, 8192, 25.760962, 49.843361, 25, 50},  /* Mistral */
              {128, 1e6, 32768, 23.595948, 39.650881, 23, 40}, /* Qwen2.5 */
              {64, 1e4, 4096, 10.472241, 22.513441, 10, 23},   /* DeepSeek-V2, V3 */
              {64, 150000, 4096, 8.092779, 17.398025, 8, 18}}; /* gpt-oss */
  for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
    for (int truncate = 0; truncate <= 1; truncate++) {
      char scaling[128];
      snprintf(scaling, sizeof scaling,
               "yarn:factor=8,original_max_position_embeddings=%.0f,truncate=%d", rows[r].context,
               truncate);
      struct spectrum *spectrum = scaled_spectrum(rows[r].dim, rows[r].base, scaling);
      if (truncate) {
        const size_t low = (size_t)rows[r].rounded_low, high = (size_t)rows[r].rounded_high;
        assert_true(spectrum->correction_low == rows[r].rounded_low);
        assert_true(spectrum->correction_high == rows[r].rounded_high);
        assert_bands(spectrum, low + 1, high - low - 1, spectrum->pairs - high);
      } else {
        assert_near(spectrum->correction_low, rows[r].low, 5e-7);
        assert_near(spectrum->correction_high, rows[r].high, 5e-7);
      }
      assert_true(spectrum->full_factor == 8);
      spectrum_destroy(spectrum);
    }
  }
}

static double attention_of(const char *scaling, double *softmax) {
  struct spectrum *spectrum = scaled_spectrum(64, 10000, scaling);
  const double attention = spectrum->attention_factor;
  if (softmax) *softmax = spectrum->softmax_factor;
  spectrum_destroy(spectrum);
  return attention;
}

/* 0.1·ln s + 1, and what DeepSeek's multipliers make of it. */
static void factors_follow_the_multipliers(void **state) {
  (void)state;
#define YARN(rest) "yarn:original_max_position_embeddings=4096,factor=" rest
  double softmax;
  assert_near(attention_of(YARN("2"), NULL), 1.0693147181, 5e-11);
  assert_near(attention_of(YARN("4"), NULL), 1.1386294361, 5e-11);
  assert_near(attention_of(YARN("8"), NULL), 1.2079441542, 5e-11);
  assert_near(attention_of(YARN("16"), NULL), 1.2772588722, 5e-11);
  assert_near(attention_of(YARN("32"), NULL), 1.3465735903, 5e-11);
  assert_near(attention_of(YARN("40"), &softmax), 1.3688879454, 5e-11);
  assert_true(softmax == 1);
  assert_true(attention_of(YARN("1"), NULL) == 1);
  assert_true(attention_of(YARN("0.5"), NULL) == 1);
  assert_near(attention_of(YARN("40,mscale=0.707"), &softmax), 1.3688879454, 5e-11);
  assert_true(softmax == 1);
  assert_near(attention_of(YARN("40,mscale=0.707,mscale_all_dim=0"), NULL), 1.3688879454, 5e-11);
  assert_true(attention_of(YARN("40,mscale=1,mscale_all_dim=1"), &softmax) == 1); /* V3 */
  assert_near(softmax, 1.873854, 5e-7);
  assert_true(attention_of(YARN("40,mscale=0.707,mscale_all_dim=0.707"), &softmax) == 1); /* V2 */
  assert_near(softmax, 1.589626, 5e-7);
  assert_near(attention_of(YARN("40,mscale=0.707,mscale_all_dim=1"), &softmax),
              1.2608037773 / 1.3688879454, 1e-9);
  assert_near(softmax, 1.873854, 5e-7);
  /* Without mscale the division is not done, but scores are scaled. */
  assert_near(attention_of(YARN("40,mscale_all_dim=1"), &softmax), 1.3688879454, 5e-11);
  assert_near(softmax, 1.873854, 5e-7);
  assert_true(attention_of(YARN("40,attention_factor=1.5,mscale=1,mscale_all_dim=1"), &softmax) ==
              1.5);
  assert_near(softmax, 1.873854, 5e-7);
#undef YARN
  struct rope_spec spec = scaled_spec(64, 10000,
                                      "yarn:factor=40,original_max_position_embeddings=4096,"
                                      "mscale=1,mscale_all_dim=1");
  spec.plain_softmax = true;
  struct spectrum *spectrum = spectrum_of(&spec);
  assert_true(spectrum->softmax_factor == 1);
  spectrum_destroy(spectrum);
}

/* gpt-oss keeps its bounds as they are: pair 17 with and without. */
static void truncation_changes_frequencies(void **state) {
  (void)state;
  struct spectrum *exact = scaled_spectrum(
      64, 150000, "yarn:factor=32,original_max_position_embeddings=4096,truncate=0");
  struct spectrum *rounded =
      scaled_spectrum(64, 150000, "yarn:factor=32,original_max_position_embeddings=4096");
  assert_relative(exact->inv_freq[17], 1.293187e-4L, 4e-7);
  assert_relative(rounded->inv_freq[17], 2.279478e-4L, 4e-7);
  spectrum_destroy(exact);
  spectrum_destroy(rounded);
}

/* A context that is too short for any ramp: both ends are clamped to pair 0. */
static void empty_ranges_are_widened(void **state) {
  (void)state;
  struct spectrum *spectrum =
      scaled_spectrum(128, 10000, "yarn:factor=4,original_max_position_embeddings=6");
  assert_true(spectrum->correction_low == 0 && spectrum->correction_high == 0.001);
  assert_bands(spectrum, 1, 0, 63);
  spectrum_destroy(spectrum);
  spectrum = scaled_spectrum(8, 2, "yarn:factor=4,original_max_position_embeddings=1M");
  assert_true(spectrum->correction_high == 7); /* d − 1, far from the last pair */
  spectrum_destroy(spectrum);
}

static struct spectrum *of_model(const char *scaling, int64_t context) {
  struct rope_spec spec = scaled_spec(128, 10000, scaling);
  spec.model_context = context;
  return spectrum_of(&spec);
}

/* factor: M/L; L: M; betas: 32 and 1, for 0 too. */
static void what_is_missing_has_a_default(void **state) {
  (void)state;
  struct spectrum *spectrum = of_model("yarn:original_max_position_embeddings=4k", 65536);
  assert_true(spectrum->full_factor == 16);
  spectrum_destroy(spectrum);
  spectrum = of_model("yarn:factor=4", 4096);
  assert_true(spectrum->correction_low == 20 && spectrum->correction_high == 46);
  spectrum_destroy(spectrum);
  spectrum = of_model("yarn:factor=4,beta_fast=0,beta_slow=0", 4096);
  assert_true(spectrum->correction_low == 20 && spectrum->correction_high == 46);
  spectrum_destroy(spectrum);
  spectrum = of_model("yarn:factor=4,beta_fast=1,beta_slow=1", 4096);
  assert_true(spectrum->correction_low == 45 && spectrum->correction_high == 46);
  spectrum_destroy(spectrum);
}

static void faults_are_named(void **state) {
  (void)state;
  assert_scaling_refused(128, 10000, "yarn",
                         "the scaling type 'yarn' needs the parameter 'factor', or the "
                         "contexts before and after it");
  assert_scaling_refused(128, 10000, "yarn:original_max_position_embeddings=4k",
                         "the scaling type 'yarn' needs the parameter 'factor', or the contexts");
  assert_scaling_refused(
      128, 10000, "yarn:factor=4",
      "the scaling type 'yarn' needs the parameter 'original_max_position_embeddings', "
      "or a model that has a context");
  assert_scaling_refused(
      128, 1, "yarn:factor=4,original_max_position_embeddings=4k",
      "the scaling type 'yarn' needs a base greater than 1, not 1: pairs must differ in "
      "speed");
  assert_scaling_refused(128, 10000,
                         "yarn:factor=4,original_max_position_embeddings=4k,beta_fast=-1",
                         "the scaling parameter 'beta_fast' is -1: it must not be negative");
  assert_scaling_refused(
      128, 10000, "yarn:factor=4,original_max_position_embeddings=4k,attention_factor=0",
      "the scaling parameter 'attention_factor' is 0: it must be greater than 0");
  assert_scaling_refused(128, 10000, "yarn:factor=4,original_max_position_embeddings=4k,truncate=2",
                         "the scaling parameter 'truncate' is 2: it must be 0 or 1");
  assert_scaling_refused(
      128, 10000, "yarn:factor=4,low_freq_factor=1",
      "unknown parameter 'low_freq_factor': the scaling type 'yarn' takes factor, "
      "original_max_position_embeddings, attention_factor, beta_fast, beta_slow, "
      "truncate, mscale, mscale_all_dim");
}

static void doubts_are_said_with_numbers(void **state) {
  (void)state;
#define YARN "yarn:factor=4,original_max_position_embeddings=32768"
  assert_warns(YARN, 131072, NULL, NULL);
  /* Without a factor it is the ratio of two equal contexts; a given one may be what is meant. */
  struct rope_spec same = scaled_spec(128, 10000, "yarn");
  same.model_context = 4096;
  same.context = 65536;
  assert_spec_warns(&same,
                    "the yarn scaling without a factor takes the model's context over the original "
                    "one, 4096 over 4096: 1 changes nothing; give factor, or a smaller "
                    "original_max_position_embeddings",
                    NULL);
  same = scaled_spec(128, 10000, "yarn:factor=16");
  same.model_context = 4096;
  same.context = 65536;
  assert_spec_warns(&same, NULL, NULL);
  assert_warns(YARN ",beta_fast=0,beta_slow=0", 131072, "beta_fast is 0: the default 32 is used",
               "beta_slow is 0: the default 1 is used");
  assert_warns(YARN ",beta_fast=1,beta_slow=32", 131072,
               "beta_fast 1 is below beta_slow 32: they look swapped", NULL);
  assert_warns(YARN ",mscale=0.707", 131072,
               "mscale 0.707 without mscale_all_dim is ignored, as by Hugging Face; DeepSeek's "
               "code and vLLM's deepseek_yarn read it",
               NULL);
  assert_warns(YARN ",mscale=0.707,mscale_all_dim=0.707", 131072, NULL, NULL);
  assert_warns(YARN ",mscale_all_dim=1", 131072, NULL, NULL);
  assert_warns(YARN ",attn_factor=1,finetuned=1", 131072,
               "'attn_factor' is ignored by the yarn scaling: vLLM and llama.cpp multiply the "
               "attention factor by it",
               "'finetuned' is ignored by the yarn scaling: the YaRN authors' code reads it, for "
               "its dynamic variant");
  struct rope_spec spec = scaled_spec(128, 1e6, YARN);
  spec.model_context = 40960;
  assert_spec_warns(&spec,
                    "the factor 4 of the yarn scaling is used, not the 1.25 that the contexts "
                    "32768 and 40960 give",
                    NULL);
  spec.model_context = 131072;
  assert_spec_warns(&spec, NULL, NULL);
  spec.model_context = 32768; /* left at the original one, as model cards do */
  assert_spec_warns(&spec, NULL, NULL);
#undef YARN
}

/* Keys that are ignored change nothing. */
static void ignored_keys_change_nothing(void **state) {
  (void)state;
  struct spectrum *plain =
      scaled_spectrum(128, 10000, "yarn:factor=4,original_max_position_embeddings=4k");
  struct spectrum *more = scaled_spectrum(
      128, 10000,
      "yarn:factor=4,original_max_position_embeddings=4k,attn_factor=2,extrapolation_factor=0."
      "5,finetuned=1,apply_yarn_scaling=0,llama_4_scaling_beta=0.1");
  for (size_t i = 0; i < plain->pairs; i++)
    assert_true(more->inv_freq[i] == plain->inv_freq[i]);
  assert_true(more->attention_factor == plain->attention_factor);
  spectrum_destroy(plain);
  spectrum_destroy(more);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(range_is_that_of_the_authors_code),
      cmocka_unit_test(factors_follow_the_multipliers),
      cmocka_unit_test(truncation_changes_frequencies),
      cmocka_unit_test(empty_ranges_are_widened),
      cmocka_unit_test(what_is_missing_has_a_default),
      cmocka_unit_test(faults_are_named),
      cmocka_unit_test(doubts_are_said_with_numbers),
      cmocka_unit_test(ignored_keys_change_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

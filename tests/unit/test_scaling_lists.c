/* The rules that take a number for each pair: longrope, factors, given. */
#include "lib/base/memory.h"
#include "tests/unit/scalings.h"

enum { PAIRS = 4 };

static const double shorts[PAIRS] = {1, 1.5, 2, 4}, longs[PAIRS] = {1, 2, 8, 64};

/* A model of `original` tokens extended to `context`, 8 dimensions, base 16: θ = 1, 1/2, 1/4, 1/8.
 */
static struct rope_spec longrope(const char *scaling, int64_t original, int64_t context) {
  struct rope_spec spec = scaled_spec(2 * (size_t)PAIRS, 16, scaling);
  struct error error;
  set_list(&spec, "short_factor", shorts, PAIRS);
  set_list(&spec, "long_factor", longs, PAIRS);
  spec.model_context = context;
  if (original > 0)
    assert_int_equal(
        spec_set_parameter(&spec, "original_max_position_embeddings", (double)original, &error),
        OK);
  return spec;
}

static void longrope_chooses_by_the_sequence(void **state) {
  (void)state;
  struct rope_spec spec = longrope("longrope", 4096, 131072);
  static const struct {
    int64_t context;
    const double *factor;
  } rows[] = {{0, shorts}, {1, shorts}, {4096, shorts}, {4097, longs}, {131072, longs}};
  for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
    spec.context = rows[r].context;
    struct spectrum *spectrum = spectrum_of(&spec);
    for (size_t i = 0; i < PAIRS; i++)
      assert_relative(spectrum->inv_freq[i], ldexpl(1, -(int)i) / (long double)rows[r].factor[i],
                      1e-18);
    assert_near(spectrum->attention_factor, 1.1902380714, 5e-11); /* as Phi-3-mini-128k */
    assert_true(isnan(spectrum->full_factor) && spectrum->softmax_factor == 1);
    assert_bands(spectrum, 1, 3, 0);
    spectrum_destroy(spectrum);
  }
}

static double attention_of(const char *scaling, int64_t original, int64_t context) {
  const struct rope_spec spec = longrope(scaling, original, context);
  struct spectrum *spectrum = spectrum_of(&spec);
  const double attention = spectrum->attention_factor;
  spectrum_destroy(spectrum);
  return attention;
}

static void longrope_finds_its_attention_factor(void **state) {
  (void)state;
  assert_near(attention_of("longrope:factor=32", 4096, 4096), 1.1902380714, 5e-11);
  assert_near(attention_of("longrope:factor=32", 4096, 0), 1.1902380714, 5e-11);
  assert_true(attention_of("longrope:factor=1", 4096, 131072) == 1);
  assert_true(attention_of("longrope:factor=0.5", 4096, 131072) == 1);
  assert_true(attention_of("longrope", 0, 32768) == 1); /* M is the original context */
  assert_true(attention_of("longrope:attention_factor=1.25", 4096, 131072) == 1.25);
  assert_true(attention_of("longrope:attention_factor=1.25", 4096, 0) == 1.25);
}

static void longrope_faults_are_named(void **state) {
  (void)state;
  struct rope_spec spec = longrope("longrope", 0, 0);
  assert_spec_refused(&spec, "the scaling type 'longrope' needs the parameter "
                             "'original_max_position_embeddings', or a model that has a context");
  spec = longrope("longrope", 4096, 0);
  assert_spec_refused(&spec, "the scaling type 'longrope' needs the parameter 'factor'");
  spec = longrope("longrope:factor=2", 1, 4096);
  assert_spec_refused(&spec, "original_max_position_embeddings is 1: the scaling type 'longrope' "
                             "needs more than 1");
  spec = longrope("longrope", 4096, 131072);
  set_list(&spec, "long_factor", longs, PAIRS - 1);
  assert_spec_refused(&spec, "'long_factor' holds 3 numbers: 4 are needed, one a pair");
  spec = longrope("longrope", 4096, 131072);
  spec.rotary_dim = 6;
  assert_spec_refused(&spec, "'short_factor' holds 4 numbers: 3 are needed, one a pair");
  static const double zero[PAIRS] = {1, 0, 1, 1}, endless[PAIRS] = {1, 1, 1, INFINITY};
  spec = longrope("longrope", 4096, 131072);
  set_list(&spec, "short_factor", zero, PAIRS);
  assert_spec_refused(&spec, "number 1 of 'short_factor' is 0: it must be greater than 0, and "
                             "finite");
  set_list(&spec, "short_factor", endless, PAIRS);
  assert_spec_refused(&spec, "number 3 of 'short_factor' is inf: it must be greater than 0");
  assert_scaling_refused(
      8, 16, "longrope:factor=2",
      "the scaling type 'longrope' needs lists of one number a pair (short_factor, "
      "long_factor), which only a model's file can give");
  spec = scaled_spec(8, 16, "longrope");
  set_list(&spec, "short_factor", shorts, PAIRS);
  assert_spec_refused(&spec, "the scaling type 'longrope' needs lists");
  spec = scaled_spec(8, 16, "none");
  set_list(&spec, "short_factor", shorts, PAIRS);
  assert_spec_refused(&spec, "the scaling type 'none' takes no list 'short_factor'");
}

static void longrope_doubts_are_said(void **state) {
  (void)state;
  struct rope_spec spec = longrope("longrope:factor=16", 4096, 131072);
  assert_spec_warns(&spec,
                    "the factor 16 of the longrope scaling is used, not the 32 that the contexts "
                    "4096 and 131072 give",
                    NULL);
  spec = longrope("longrope:factor=32,short_mscale=1.1,long_mscale=1.2", 4096, 131072);
  assert_spec_warns(&spec,
                    "'short_mscale' is ignored by the longrope scaling: vLLM multiplies cos and "
                    "sin by it",
                    "'long_mscale' is ignored by the longrope scaling: vLLM multiplies cos and "
                    "sin by it");
}

/* The divisors of Llama 3.1 as a GGUF file holds them give its bands. */
static void factors_divide(void **state) {
  (void)state;
  struct spectrum *llama = scaled_spectrum(128, 500000,
                                           "llama3:factor=8,low_freq_factor=1,high_freq_factor=4,"
                                           "original_max_position_embeddings=8192");
  double divisor[64];
  for (size_t i = 0; i < 64; i++)
    divisor[i] = (float)spectrum_factor(llama, i);
  struct rope_spec spec = scaled_spec(128, 500000, "factors");
  set_list(&spec, "freq_factors", divisor, 64);
  struct spectrum *spectrum = spectrum_of(&spec);
  assert_true(spectrum->full_factor == 8);
  assert_bands(spectrum, 29, 6, 29);
  for (size_t i = 0; i < 64; i++)
    assert_relative(spectrum->inv_freq[i], llama->inv_freq[i], 6e-8);
  spectrum_destroy(llama);
  spectrum_destroy(spectrum);
  set_list(&spec, "freq_factors", divisor, 63);
  assert_spec_refused(&spec, "'freq_factors' holds 63 numbers: 64 are needed, one a pair");
  assert_scaling_refused(
      128, 10000, "factors",
      "the scaling type 'factors' needs lists of one number a pair (freq_factors), "
      "which only a model's file can give");
  assert_scaling_refused(128, 10000, "factors:factor=2",
                         "unknown parameter 'factor': the scaling type 'factors' takes none");
}

static void given_needs_no_base(void **state) {
  (void)state;
  static const double values[3] = {0.1, 1e-5, 0};
  struct rope_spec spec = scaled_spec(6, NAN, "given");
  set_list(&spec, "inv_freq", values, 3);
  struct spectrum *spectrum = spectrum_of(&spec);
  for (size_t i = 0; i < 3; i++)
    assert_true(spectrum->inv_freq_double[i] == values[i] && spectrum->plain[i] == values[i]);
  assert_true(isnan(spectrum->effective_base) && isnan(spectrum->full_factor));
  assert_bands(spectrum, 2, 0, 0);
  spectrum_destroy(spectrum);
  spec.precision = PRECISION_FP32;
  spectrum = spectrum_of(&spec);
  assert_true(spectrum->inv_freq_double[0] == (double)0.1f);
  spectrum_destroy(spectrum);
  spec.precision = PRECISION_FP64;
  spec.base = 10;
  spectrum = spectrum_of(&spec); /* beside a base: θ = 1, 0.46, 0.22 */
  assert_near(spectrum_factor(spectrum, 0), 10, 1e-14);
  assert_bands(spectrum, 0, 2, 0);
  spectrum_destroy(spectrum);
}

static void given_faults_are_named(void **state) {
  (void)state;
  static const double negative[3] = {1, -0.5, 0}, large[3] = {1e7, 1, 1};
  struct rope_spec spec = scaled_spec(6, NAN, "given");
  set_list(&spec, "inv_freq", negative, 3);
  assert_spec_refused(&spec, "number 1 of 'inv_freq' is -0.5: it must be 0 or greater, and finite");
  set_list(&spec, "inv_freq", large, 2);
  assert_spec_refused(&spec, "'inv_freq' holds 2 numbers: 3 are needed, one a pair");
  set_list(&spec, "inv_freq", large, 3);
  assert_spec_refused(&spec, "inverse frequency 0 is 10000000 radians per token: 0 to 1048576 can "
                             "be computed");
  assert_scaling_refused(
      6, 10000, "given",
      "the scaling type 'given' needs lists of one number a pair (inv_freq), which "
      "only a model's file can give");
  assert_scaling_refused(6, NAN, "given", "the base is nan");
}

/* Counts the distances 0 .. last at which the sum of cosines is negative. */
static size_t count_negative(const struct spectrum *spectrum, size_t last) {
  struct error error;
  struct backend *backend = open_cpu();
  double *sum = memory_array(last + 1, sizeof *sum, "sums", &error);
  assert_non_null(sum);
  const struct cosine_sum_batch batch = {.phases = {.series = 1,
                                                    .pairs = spectrum->pairs,
                                                    .step = spectrum->step,
                                                    .precision = PRECISION_FP64},
                                         .first = 0,
                                         .step = 1,
                                         .count = last + 1,
                                         .sum = sum};
  assert_int_equal(backend_cosine_sum(backend, &batch, &error), OK);
  size_t count = 0;
  for (size_t i = 0; i <= last; i++)
    count += sum[i] < 0;
  free(sum);
  backend_close(backend);
  return count;
}

/* Men et al. 2024, arXiv:2405.14591, table 4: two ways to reach a context of 32k, and how often the
   sum is negative up to 15k and 30k (k = 1024). Method 2 divides the pairs from 44 on by 8 and
   gives the others a larger base. */
static void given_reproduces_table_4_of_men(void **state) {
  (void)state;
  struct spectrum *first = plain_spectrum(128, 5e6);
  assert_int_equal(count_negative(first, 15 * 1024), 0);
  assert_int_equal(count_negative(first, 30 * 1024), 0);
  spectrum_destroy(first);
  double inv_freq[64];
  const double base = 1e4 * pow(8, 128.0 / 88);
  for (size_t i = 0; i < 64; i++) {
    const double exponent = -2 * (double)i / 128;
    inv_freq[i] = i < 44 ? pow(base, exponent) : pow(1e4, exponent) / 8;
  }
  struct rope_spec spec = scaled_spec(128, NAN, "given");
  set_list(&spec, "inv_freq", inv_freq, 64);
  struct spectrum *second = spectrum_of(&spec);
  assert_int_equal(count_negative(second, 15 * 1024), 97);
  assert_int_equal(count_negative(second, 30 * 1024), 2554);
  spectrum_destroy(second);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(longrope_chooses_by_the_sequence),
      cmocka_unit_test(longrope_finds_its_attention_factor),
      cmocka_unit_test(longrope_faults_are_named),
      cmocka_unit_test(longrope_doubts_are_said),
      cmocka_unit_test(factors_divide),
      cmocka_unit_test(given_needs_no_base),
      cmocka_unit_test(given_faults_are_named),
      cmocka_unit_test(given_reproduces_table_4_of_men),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

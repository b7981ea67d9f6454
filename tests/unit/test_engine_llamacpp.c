/* lib/rope/engine_llamacpp.c. Numbers whose origin is not said are the formulas beside them. */
#include "lib/rope/band.h"
#include "tests/unit/engines.h"

static const char product[] = "theta is multiplied by base^(-2/dim)";

/* The largest difference of the angle at `position` from the exact one, in radians. */
static double worst_angle(const struct spectrum *spectrum, const struct spectrum *exact,
                          int64_t position) {
  long double worst = 0;
  for (size_t i = 0; i < exact->pairs; i++)
    worst = fmaxl(worst, fabsl(spectrum->inv_freq[i] - exact->inv_freq[i]) * (long double)position);
  return (double)worst;
}

/* Measured in float32 apart from this program: at position 131072, which is a power of two and so
   adds no rounding of its own, the repeated product is off by 0.0114 radians for the base 10000,
   Hugging Face's power by 0.0039; 0.0048 and 0.0054 for 500000. */
static void the_product_drifts(void **state) {
  (void)state;
  static const double measured[][3] = {{10000, 0.0114, 0.0039}, {500000, 0.0048, 0.0054}};
  for (size_t b = 0; b < 2; b++) {
    const struct rope_spec spec = scaled_spec(128, measured[b][0], "none");
    struct spectrum *exact = spectrum_of(&spec), *hf = computed("hf", &spec, NULL);
    struct spectrum *llamacpp = computed("llamacpp", &spec, NULL);
    double relative = 0;
    for (size_t i = 0; i < 64; i++)
      relative = fmax(relative, fabs((double)(llamacpp->inv_freq[i] / exact->inv_freq[i] - 1)));
    assert_true(relative > 1e-6 && relative <= 2.7e-6);
    assert_near(worst_angle(llamacpp, exact, 131072), measured[b][1], 5e-5);
    assert_near(worst_angle(hf, exact, 131072), measured[b][2], 5e-5);
    spectrum_destroy(exact);
    spectrum_destroy(hf);
    spectrum_destroy(llamacpp);
    assert_notes("llamacpp", &spec, (const char *const[3]){product});
  }
}

/* freq_scale · θ, with freq_scale = 1/factor rounded. */
static void linear_and_ntk(void **state) {
  (void)state;
  const struct rope_spec none = scaled_spec(128, 10000, "none");
  const struct rope_spec linear = scaled_spec(128, 10000, "linear:factor=3");
  const struct rope_spec ntk = scaled_spec(128, 10000, "ntk:factor=3");
  struct spectrum *plain = computed("llamacpp", &none, NULL);
  struct spectrum *divided = computed("llamacpp", &linear, NULL);
  struct spectrum *grown = computed("llamacpp", &ntk, NULL);
  assert_near(grown->effective_base, 30527.736749, 5e-7);
  for (size_t i = 0; i < 64; i++) {
    assert_true(divided->inv_freq[i] == (float)plain->inv_freq[i] * (1 / 3.F));
    const double exact = pow(grown->effective_base, -(double)i / 64);
    assert_near((double)grown->inv_freq[i], exact, 2.7e-6 * exact);
  }
  spectrum_destroy(plain);
  spectrum_destroy(divided);
  spectrum_destroy(grown);
  assert_notes("llamacpp", &linear, (const char *const[3]){product});
  assert_notes("llamacpp", &ntk, (const char *const[3]){product, "writes the base 30527.7"});
}

/* Llama-3.1-8B: kept, blended and divided as in Hugging Face, but for rounding. */
static void llama3_factors(void **state) {
  (void)state;
  struct rope_spec spec = scaled_spec(128, 500000,
                                      "llama3:factor=8,low_freq_factor=1,high_freq_factor=4,"
                                      "original_max_position_embeddings=8192");
  struct spectrum *hf = computed("hf", &spec, NULL), *own = computed("llamacpp", &spec, NULL);
  for (size_t i = 0; i < 64; i++)
    assert_near((double)own->inv_freq[i], (double)hf->inv_freq[i], 3e-6 * (double)hf->inv_freq[i]);
  assert_near((double)own->inv_freq[32], 5.248461610e-4, 3e-6 * 5.25e-4);
  assert_near((double)own->inv_freq[35], 9.556212354e-5, 3e-6 * 9.56e-5);
  spectrum_destroy(hf);
  spectrum_destroy(own);
  assert_notes("llamacpp", &spec, (const char *const[3]){product});
  assert_int_equal(spec_set_parameter(&spec, "original_max_position_embeddings", 4096, NULL), OK);
  assert_notes("llamacpp", &spec,
               (const char *const[3]){product, "unless 4096 stands at the top level"});
  /* Equal factors: nothing to blend over. */
  assert_int_equal(spec_set_parameter(&spec, "high_freq_factor", 1, NULL), OK);
  own = computed("llamacpp", &spec, NULL);
  for (size_t i = 0; i < 64; i++)
    assert_true(own->inv_freq[i] > 0);
  spectrum_destroy(own);
}

/* The factors that a GGUF file holds divide θ. */
static void factors_of_a_file(void **state) {
  (void)state;
  struct rope_spec spec = scaled_spec(4, 10000, "factors");
  const double factor[] = {1, 8};
  assert_int_equal(spec_set_list(&spec, "freq_factors", factor, 2, NULL), OK);
  struct spectrum *own = computed("llamacpp", &spec, NULL);
  assert_near((double)own->inv_freq[0], 1, 0);
  assert_near((double)own->inv_freq[1], 0.00125, 1e-10);
  spectrum_destroy(own);
  assert_refuses("vllm", &spec,
                 "vLLM (@926c71f6) cannot compute the scaling type 'factors': it is "
                 "known to have none, linear, llama3, ntk, dynamic, yarn, longrope "
                 "and proportional");
  const double given[] = {1, 0.5};
  strcpy(spec.scaling.type, "given");
  strcpy(spec.scaling.lists[0].key, "inv_freq");
  assert_int_equal(spec_set_list(&spec, "inv_freq", given, 2, NULL), OK);
  spec.base = NAN;
  assert_refuses("llamacpp", &spec, "cannot compute the scaling type 'given'");
  struct spectrum *hf = computed("hf", &spec, NULL);
  assert_near((double)hf->inv_freq[1], 0.5, 0);
  spectrum_destroy(hf);
}

static void dynamic_is_refused(void **state) {
  (void)state;
  const struct rope_spec spec =
      scaled_spec(128, 10000, "dynamic:factor=2,max_position_embeddings=2048");
  assert_refuses(
      "llamacpp", &spec,
      "llama.cpp (b10256) cannot compute the scaling type 'dynamic': GGUF cannot hold it");
}

/* Plain YaRN comes to Hugging Face's default: the kernel's own factor is divided out. */
static void yarn_is_hugging_faces(void **state) {
  (void)state;
  struct rope_spec spec =
      scaled_spec(128, 1e6, "yarn:factor=4,original_max_position_embeddings=32768");
  struct spectrum *hf = computed("hf", &spec, NULL), *own = computed("llamacpp", &spec, NULL);
  assert_near(own->correction_low, 23, 0);
  assert_near(own->correction_high, 40, 0);
  assert_near(own->attention_factor, 0.1 * log(4) + 1, 1e-15);
  for (size_t i = 0; i < 64; i++)
    assert_near((double)own->inv_freq[i], (double)hf->inv_freq[i], 3e-6 * (double)hf->inv_freq[i]);
  spectrum_destroy(hf);
  spectrum_destroy(own);
  assert_notes("llamacpp", &spec, (const char *const[3]){product});
  /* Without a factor it is 1, whatever the contexts. */
  spec = scaled_spec(128, 1e6, "yarn:original_max_position_embeddings=32768");
  spec.model_context = 131072;
  assert_attention("hf", &spec, 0.1 * log(4) + 1, 1e-15);
  assert_attention("llamacpp", &spec, 1, 0);
  assert_notes("llamacpp", &spec, (const char *const[3]){"without a 'factor' it is 1", product});
}

/* gpt-oss: the range is 8.092779 to 17.398025, and rounding it outwards changes pair 17 from
   1.293187e-4 to 2.279478e-4. */
static void yarn_is_always_rounded(void **state) {
  (void)state;
  struct rope_spec spec =
      scaled_spec(64, 150000, "yarn:factor=32,original_max_position_embeddings=4096,truncate=0");
  struct spectrum *hf = computed("hf", &spec, NULL), *own = computed("llamacpp", &spec, NULL);
  assert_near(own->correction_low, 8, 0);
  assert_near(own->correction_high, 18, 0);
  assert_near((double)hf->inv_freq[17], 1.293187e-4, 1e-9);
  assert_near((double)own->inv_freq[17], 2.279478e-4, 1e-9);
  spectrum_destroy(hf);
  spectrum_destroy(own);
  assert_notes("llamacpp", &spec,
               (const char *const[3]){"'truncate' 0 is not stored in GGUF", product});
  assert_int_equal(spec_set_parameter(&spec, "truncate", 1, NULL), OK);
  assert_notes("llamacpp", &spec, (const char *const[3]){product});
}

static void yarn_reads_few_numbers(void **state) {
  (void)state;
  const double standard = 0.1 * log(4) + 1;
  struct rope_spec spec = scaled_spec(128, 1e6,
                                      "yarn:factor=4,original_max_position_embeddings=32768,"
                                      "attention_factor=2,beta_fast=64,beta_slow=1");
  struct spectrum *own = computed("llamacpp", &spec, NULL);
  assert_near(own->correction_low, 23, 0);
  assert_near(own->attention_factor, standard, 1e-15);
  spectrum_destroy(own);
  assert_notes("llamacpp", &spec,
               (const char *const[3]){"'beta_fast' 64 is read for grok and mistral3 alone",
                                      "'attention_factor' 2 is read for grok alone", product});
  /* deepseek2 takes mscale_all_dim for both, and the softmax by it: 1.58963 is DeepSeek-V2's. */
  spec = scaled_spec(64, 10000,
                     "yarn:factor=40,original_max_position_embeddings=4096,mscale=1,"
                     "mscale_all_dim=0.707");
  own = computed("llamacpp", &spec, NULL);
  assert_near(own->attention_factor, 1, 0);
  assert_near(own->softmax_factor, 1.58963, 5e-6);
  spectrum_destroy(own);
  assert_attention("hf", &spec, (0.1 * log(40) + 1) / (0.0707 * log(40) + 1), 1e-15);
  assert_notes("llamacpp", &spec, (const char *const[3]){"'mscale' is not read", product});
  /* Other models have neither. */
  spec.plain_softmax = true;
  assert_attention("llamacpp", &spec, 0.1 * log(40) + 1, 1e-15);
  assert_notes("llamacpp", &spec,
               (const char *const[3]){"'mscale' and 'mscale_all_dim' are not read", product});
}

/* By the context that it was started with, and not by the sequence. */
static void longrope_is_chosen_by_the_context(void **state) {
  (void)state;
  struct rope_spec spec = longrope_spec(8, 2048);
  struct spectrum *hf = computed("hf", &spec, NULL), *own = computed("llamacpp", &spec, NULL);
  assert_near((double)hf->inv_freq[0], 1, 0);
  assert_near((double)own->inv_freq[0], 0.125, 0);
  assert_near((double)own->inv_freq[1], 0.00125, 1e-9);
  assert_near(own->attention_factor, 1.190238, 5e-7);
  spectrum_destroy(hf);
  spectrum_destroy(own);
  assert_notes("llamacpp", &spec,
               (const char *const[3]){"'long_factor' at every length, chosen by the context per "
                                      "sequence that it was started with, taken to be 131072",
                                      product});
  assert_int_equal(spec_set_parameter(&spec, "attention_factor", 1.5, NULL), OK);
  assert_notes("llamacpp", &spec,
               (const char *const[3]){"'long_factor'", product, "the attention factor is 1.19023"});
  spec.model_context = 4096;
  assert_int_equal(spec_set_parameter(&spec, "factor", 32, NULL), OK);
  own = computed("llamacpp", &spec, NULL);
  assert_near((double)own->inv_freq[0], 1, 0);
  assert_near(own->attention_factor, 1, 0);
  spectrum_destroy(own);
  spec.scaling.lists[1].count = 1;
  assert_refuses("llamacpp", &spec, "long_factor");
}

static void proportional_is_not_known(void **state) {
  (void)state;
  const struct rope_spec spec = scaled_spec(128, 10000, "proportional:partial_rotary_factor=0.25");
  struct spectrum *hf = computed("hf", &spec, NULL), *own = computed("llamacpp", &spec, NULL);
  for (size_t i = 0; i < 64; i++)
    assert_true(own->inv_freq[i] == hf->inv_freq[i]);
  spectrum_destroy(hf);
  spectrum_destroy(own);
  assert_notes("llamacpp", &spec, (const char *const[3]){"is not known here"});
}

/* The product's error must not pass for a blend: Llama 3.1 has 29/6/29, a plain RoPE none. */
static void bands_survive_the_product(void **state) {
  (void)state;
  static const struct {
    const char *scaling;
    size_t dim, kept, blended, divided;
  } rows[] = {{"none", 128, 64, 0, 0},
              {"none", 512, 256, 0, 0},
              {"linear:factor=3", 256, 0, 0, 128},
              {"llama3:factor=8,low_freq_factor=1,high_freq_factor=4,"
               "original_max_position_embeddings=8192",
               128, 29, 6, 29},
              {"yarn:factor=3,original_max_position_embeddings=4096", 128, 15, 17, 32}};
  for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
    const struct rope_spec spec = scaled_spec(rows[r].dim, 500000, rows[r].scaling);
    struct spectrum *spectrum = computed("llamacpp", &spec, NULL);
    size_t count[BAND_ZERO + 1] = {0};
    for (size_t i = 0; i < spectrum->pairs; i++)
      count[spectrum_band(spectrum, i)]++;
    assert_int_equal(count[BAND_KEPT], rows[r].kept);
    assert_int_equal(count[BAND_BLENDED], rows[r].blended);
    assert_int_equal(count[BAND_DIVIDED], rows[r].divided);
    spectrum_destroy(spectrum);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_product_drifts),
      cmocka_unit_test(linear_and_ntk),
      cmocka_unit_test(llama3_factors),
      cmocka_unit_test(factors_of_a_file),
      cmocka_unit_test(dynamic_is_refused),
      cmocka_unit_test(yarn_is_hugging_faces),
      cmocka_unit_test(yarn_is_always_rounded),
      cmocka_unit_test(yarn_reads_few_numbers),
      cmocka_unit_test(longrope_is_chosen_by_the_context),
      cmocka_unit_test(proportional_is_not_known),
      cmocka_unit_test(bands_survive_the_product),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

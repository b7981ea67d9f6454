/* lib/rope/engine_vllm.c. Numbers whose origin is not said are the formulas beside them. */
#include "tests/unit/engines.h"

static const char no_difference[] = "no difference from Hugging Face is known";

/* DeepSeek's class reads a lone mscale, Hugging Face does not: 1.36889 is printed by transformers
   5.19.0 for this, 1.26080 = 0.1·0.707·ln 40 + 1 is vLLM's. */
static void vllm_deepseek_reads_a_lone_mscale(void **state) {
  (void)state;
  struct rope_spec spec =
      scaled_spec(64, 10000, "yarn:factor=40,original_max_position_embeddings=4096,mscale=0.707");
  assert_attention("hf", &spec, 1.36889, 5e-6);
  assert_attention("vllm", &spec, 1.26080, 5e-6);
  assert_attention("mlx", &spec, 1.26080, 5e-6);
  assert_notes("vllm", &spec,
               (const char *const[3]){"vLLM @7bc8d408 deepseek_yarn: the attention"});
  assert_notes("mlx", &spec, (const char *const[3]){"also where only one is given"});
  /* Where the softmax is plain, the class is the one that does not know mscale. */
  spec.plain_softmax = true;
  assert_attention("vllm", &spec, 1.36889, 5e-6);
  assert_notes("vllm", &spec, (const char *const[3]){no_difference});
  /* Both: DeepSeek-V3's. 1.87385 is (0.1·ln 40 + 1)². */
  spec = scaled_spec(
      64, 10000, "yarn:factor=40,original_max_position_embeddings=4096,mscale=1,mscale_all_dim=1");
  for (size_t i = 0; i < 4; i++) {
    struct spectrum *spectrum = computed(engine_at(i)->name, &spec, NULL);
    assert_near(spectrum->attention_factor, 1, 0);
    assert_near(spectrum->softmax_factor, 1.87385, 5e-6);
    spectrum_destroy(spectrum);
  }
  assert_notes("vllm", &spec, (const char *const[3]){no_difference});
  assert_notes("mlx", &spec, (const char *const[3]){no_difference});
  assert_int_equal(spec_set_parameter(&spec, "apply_yarn_scaling", 0, NULL), OK);
  assert_int_equal(spec_set_parameter(&spec, "truncate", 0, NULL), OK);
  assert_notes("vllm", &spec,
               (const char *const[3]){"'truncate' is not read", "deepseek_llama_scaling"});
  struct spectrum *spectrum = computed("vllm", &spec, NULL);
  assert_near(spectrum->softmax_factor, 1, 0);
  assert_near(spectrum->correction_low, floor(spectrum->correction_low), 0);
  spectrum_destroy(spectrum);
}

static void vllm_yarn_has_its_own_attention_factor(void **state) {
  (void)state;
  const double standard = 0.1 * log(4) + 1;
  struct rope_spec spec = scaled_spec(
      128, 1e6, "yarn:factor=4,original_max_position_embeddings=32768,attention_factor=2");
  assert_attention("hf", &spec, 2, 0);
  assert_attention("vllm", &spec, standard, 1e-15);
  assert_attention("mlx", &spec, standard, 1e-15);
  assert_notes("vllm", &spec, (const char *const[3]){"'attention_factor', 'mscale'"});
  assert_notes("mlx", &spec, (const char *const[3]){"'attention_factor' is not read"});
  spec =
      scaled_spec(128, 1e6, "yarn:factor=4,original_max_position_embeddings=32768,attn_factor=0.5");
  assert_attention("hf", &spec, standard, 1e-15);
  assert_attention("vllm", &spec, 0.5 * standard, 1e-15);
  assert_attention("mlx", &spec, standard, 1e-15);
  assert_int_equal(spec_set_parameter(&spec, "apply_yarn_scaling", 0, NULL), OK);
  assert_attention("vllm", &spec, 0.5, 0);
  spec.axes = 3; /* M-RoPE's class does not read apply_yarn_scaling */
  assert_attention("vllm", &spec, 0.5 * standard, 1e-15);
  spec = scaled_spec(
      128, 1e6, "yarn:factor=4,original_max_position_embeddings=32768,mscale=2,mscale_all_dim=1");
  spec.plain_softmax = true;
  assert_attention("hf", &spec, (0.2 * log(4) + 1) / standard, 1e-15);
  assert_attention("vllm", &spec, standard, 1e-15);
  /* A factor that was not given is the ratio of the contexts, as in Hugging Face. */
  spec = scaled_spec(128, 1e6, "yarn:original_max_position_embeddings=32768");
  spec.model_context = 131072;
  assert_attention("vllm", &spec, standard, 1e-15);
  spec.model_context = 0;
  assert_refuses("vllm", &spec, "'factor'");
  assert_refuses("mlx", &spec, "'factor'");
}

static void vllm_yarn_weighs_the_kept_share(void **state) {
  (void)state;
  struct rope_spec spec = scaled_spec(
      128, 1e6, "yarn:factor=4,original_max_position_embeddings=32768,extrapolation_factor=1");
  struct spectrum *one = computed("vllm", &spec, NULL);
  assert_int_equal(spec_set_parameter(&spec, "extrapolation_factor", 0, NULL), OK);
  struct spectrum *none = computed("vllm", &spec, NULL);
  assert_int_equal(spec_set_parameter(&spec, "extrapolation_factor", 0.5, NULL), OK);
  struct spectrum *half = computed("vllm", &spec, NULL);
  for (size_t i = 0; i < 64; i++) {
    const double plain = one->plain[i];
    assert_near((double)none->inv_freq[i], plain / 4, 2e-7 * plain);
    assert_near((double)half->inv_freq[i], (double)(one->inv_freq[i] + none->inv_freq[i]) / 2,
                2e-7 * plain);
  }
  assert_near((double)one->inv_freq[0], 1, 0);
  assert_near((double)half->inv_freq[0], 0.625, 1e-7);
  spectrum_destroy(one);
  spectrum_destroy(none);
  spectrum_destroy(half);
  assert_notes("vllm", &spec, (const char *const[3]){"extrapolation_factor 0.5"});
  assert_int_equal(spec_set_parameter(&spec, "extrapolation_factor", -9, NULL), OK);
  assert_refuses("vllm", &spec,
                 "'extrapolation_factor' -9 gives pair 0 the inverse frequency -6.5");
}

/* The range for an original context of 32768 is (23, 40), that of M-RoPE's class (30, 47). */
static void vllm_mrope_has_a_wider_yarn(void **state) {
  (void)state;
  struct rope_spec spec =
      scaled_spec(128, 1e6, "yarn:factor=4,original_max_position_embeddings=32768");
  for (size_t axes = 0; axes <= 3; axes += 3) {
    spec.axes = axes;
    struct spectrum *hf = computed("hf", &spec, NULL), *vllm = computed("vllm", &spec, NULL);
    assert_near(hf->correction_low, 23, 0);
    assert_near(hf->correction_high, 40, 0);
    assert_near(vllm->correction_low, axes ? 30 : 23, 0);
    assert_near(vllm->correction_high, axes ? 47 : 40, 0);
    assert_near(vllm->attention_factor, hf->attention_factor, 0);
    assert_true(spec_parameter(&vllm->spec, "original_max_position_embeddings") == 32768);
    spectrum_destroy(hf);
    spectrum_destroy(vllm);
  }
  assert_notes("vllm", &spec, (const char *const[3]){"vLLM @055e47c2 mrope with yarn"});
}

/* One base at every length, θ·(f² − f + 1)^(d/(d−2)), where Hugging Face has 10000 up to 2048. At
   the length f·M both agree: 30527.736749. */
static void vllm_dynamic_is_static(void **state) {
  (void)state;
  struct rope_spec spec = scaled_spec(128, 10000, "dynamic:factor=2,max_position_embeddings=2048");
  static const double hf_base[][2] = {{1024, 10000}, {2048, 10000}, {4096, 30527.736749}};
  for (size_t i = 0; i < 3; i++) {
    spec.context = (int64_t)hf_base[i][0];
    struct spectrum *hf = computed("hf", &spec, NULL), *vllm = computed("vllm", &spec, NULL);
    assert_near(hf->effective_base, hf_base[i][1], 5e-7);
    assert_near(vllm->effective_base, 30527.736749, 5e-7);
    assert_near(vllm->effective_base, 10000 * pow(3, 128 / 126.0), 1e-9);
    for (size_t k = 0; k < 64; k++) {
      const double exact = pow(30527.736749, -2.0 * (double)k / 128);
      assert_near((double)vllm->inv_freq[k], exact, 1e-6 * exact);
    }
    spectrum_destroy(hf);
    spectrum_destroy(vllm);
  }
  assert_notes("vllm", &spec, (const char *const[3]){"vLLM @50feac95 dynamic: the base 30527.7"});
  spec = scaled_spec(2, 10000, "dynamic:factor=2,max_position_embeddings=2048");
  assert_refuses("vllm", &spec, "without end");
  /* alpha is the same in both. */
  spec = scaled_spec(128, 10000, "dynamic:alpha=1000");
  assert_notes("vllm", &spec, (const char *const[3]){no_difference});
  spec = scaled_spec(128, 10000, "dynamic:max_position_embeddings=2048");
  assert_refuses("vllm", &spec, "'factor' or 'alpha'");
}

/* base·f, then divided by f^(2/d): every pair slower, the first by f^(2/d) and the last by f. */
static void vllm_ntk_divides_all(void **state) {
  (void)state;
  const struct rope_spec spec = scaled_spec(128, 10000, "ntk:factor=4");
  struct spectrum *spectrum = computed("vllm", &spec, NULL);
  for (size_t i = 0; i < 64; i++) {
    const double exact = pow(10000, -(double)i / 64) * pow(4, -((double)i + 1) / 64);
    assert_near((double)spectrum->inv_freq[i], exact, 1e-6 * exact);
    assert_near(spectrum->plain[i], pow(10000, -(double)i / 64), 1e-6 * spectrum->plain[i]);
  }
  assert_near(spectrum->effective_base, 40000, 0);
  spectrum_destroy(spectrum);
  assert_notes("vllm", &spec, (const char *const[3]){"vLLM @03587f55 ntk"});
}

static void vllm_linear_divides_positions(void **state) {
  (void)state;
  struct rope_spec spec = scaled_spec(128, 10000, "linear:factor=3");
  struct spectrum *spectrum = computed("vllm", &spec, NULL), *hf = computed("hf", &spec, NULL);
  size_t different = 0;
  for (size_t i = 0; i < 64; i++) {
    assert_true((float)(3 * spectrum->inv_freq[i]) == (float)spectrum->plain[i]);
    assert_near((double)spectrum->inv_freq[i], (double)hf->inv_freq[i],
                6e-8 * (double)hf->inv_freq[i]);
    different += spectrum->inv_freq[i] != hf->inv_freq[i];
  }
  assert_true(different > 30);
  spectrum_destroy(spectrum);
  spectrum_destroy(hf);
  assert_notes("vllm", &spec, (const char *const[3]){"vLLM @0f17ee06 linear"});
}

/* Crossed limits: wavelengths from L/4 up to L are divided by Hugging Face, kept by the others. */
static void vllm_llama3_keeps_first(void **state) {
  (void)state;
  const struct rope_spec spec = scaled_spec(128, 500000,
                                            "llama3:factor=8,low_freq_factor=4,high_freq_factor=1,"
                                            "original_max_position_embeddings=8192");
  struct spectrum *hf = computed("hf", &spec, NULL), *vllm = computed("vllm", &spec, NULL);
  struct spectrum *llamacpp = computed("llamacpp", &spec, NULL);
  size_t kept_by_one = 0;
  for (size_t i = 0; i < 64; i++) {
    const double turns = 8192 * hf->plain[i] / 6.283185307179586;
    assert_near((double)hf->inv_freq[i], hf->plain[i] / (turns < 4 ? 8 : 1), 1e-7 * hf->plain[i]);
    assert_near((double)vllm->inv_freq[i], vllm->plain[i] / (turns > 1 ? 1 : 8),
                1e-7 * hf->plain[i]);
    assert_near((double)llamacpp->inv_freq[i], (double)vllm->inv_freq[i],
                3e-6 * (double)vllm->inv_freq[i]);
    kept_by_one += turns > 1 && turns < 4;
  }
  assert_true(kept_by_one == 6);
  spectrum_destroy(hf);
  spectrum_destroy(vllm);
  spectrum_destroy(llamacpp);
  assert_notes("vllm", &spec, (const char *const[3]){"vLLM @045d7575 llama3"});
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(vllm_deepseek_reads_a_lone_mscale),
      cmocka_unit_test(vllm_yarn_has_its_own_attention_factor),
      cmocka_unit_test(vllm_yarn_weighs_the_kept_share),
      cmocka_unit_test(vllm_mrope_has_a_wider_yarn),
      cmocka_unit_test(vllm_dynamic_is_static),
      cmocka_unit_test(vllm_ntk_divides_all),
      cmocka_unit_test(vllm_linear_divides_positions),
      cmocka_unit_test(vllm_llama3_keeps_first),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

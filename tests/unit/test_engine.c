/* lib/rope/engine.h: the registry, what all engines share, Hugging Face, mlx-lm. Numbers whose
   origin is not said are the formulas beside them. */
#include "tests/unit/engines.h"

static const char no_difference[] = "no difference from Hugging Face is known";

static void registry(void **state) {
  (void)state;
  static const char *const names[] = {"hf", "vllm", "llamacpp", "mlx"};
  for (size_t i = 0; i < 4; i++) {
    const struct engine *engine = engine_at(i), *found;
    assert_string_equal(engine->name, names[i]);
    assert_true(strlen(engine->title) > 0 && strlen(engine->version) > 0);
    assert_int_equal(engine_find(names[i], &found, NULL), OK);
    assert_ptr_equal(found, engine);
  }
  assert_null(engine_at(4));
  const struct engine *none = engine_at(0);
  struct error error;
  assert_int_equal(engine_find("litgpt", &none, &error), ERROR_INPUT);
  assert_null(none);
  assert_string_equal(error.message,
                      "the engine 'litgpt' is unknown: hf, vllm, llamacpp and mlx are");
}

static void faults_of_a_spec_are_every_engines(void **state) {
  (void)state;
  struct rope_spec odd = scaled_spec(128, 10000, "none"), unknown = odd;
  odd.rotary_dim = 127;
  strcpy(unknown.scaling.type, "magic");
  for (size_t i = 0; i < 4; i++) {
    assert_refuses(engine_at(i)->name, &odd, "odd");
    assert_refuses(engine_at(i)->name, &unknown, "the scaling type 'magic' is not supported");
  }
}

/* Every rule that this program has: computed, or refused by name; what is computed is a spectrum,
   and only Hugging Face may be without a note. */
static void every_rule_has_an_answer(void **state) {
  (void)state;
  static const char *const scalings[] = {
      "none",
      "linear:factor=4",
      "ntk:factor=4",
      "dynamic:factor=4,max_position_embeddings=4096",
      "dynamic-qwen:max_position_embeddings=4096",
      "yarn:factor=4,original_max_position_embeddings=4096",
      "llama3:factor=8,low_freq_factor=1,high_freq_factor=4,original_max_position_embeddings=8192",
      "proportional:partial_rotary_factor=0.25",
      "p-rope:p=0.5"};
  /* In the order of the scalings, and of vllm, llamacpp, mlx. */
  static const char *const answers[] = {"yyy", "yyy", "yyn", "ynn", "nnn",
                                        "yyy", "yyy", "yyy", "nnn"};
  for (size_t s = 0; s < sizeof scalings / sizeof *scalings; s++) {
    const struct rope_spec spec = scaled_spec(128, 500000, scalings[s]);
    for (size_t e = 1; e < 4; e++) {
      if (answers[s][e - 1] == 'n') {
        assert_refuses(engine_at(e)->name, &spec, "cannot compute the scaling type");
        continue;
      }
      struct meta *meta = meta_create();
      struct spectrum *spectrum = computed(engine_at(e)->name, &spec, meta);
      assert_true(meta_count(meta, "engine_notes") > 0);
      for (size_t i = 0; i < spectrum->pairs; i++) {
        assert_true(spectrum->inv_freq[i] >= 0 && spectrum->inv_freq[i] <= 1);
        assert_true(spectrum->inv_freq_double[i] == (double)spectrum->inv_freq[i]);
      }
      assert_int_equal(spectrum->spec.precision, PRECISION_FP32);
      assert_string_equal(spectrum->spec.scaling.type, spec.scaling.type);
      assert_true(spectrum->spec.base == spec.base);
      spectrum_destroy(spectrum);
      meta_destroy(meta);
    }
  }
}

static void hugging_face_is_float32(void **state) {
  (void)state;
  struct rope_spec spec =
      scaled_spec(128, 1e6, "yarn:factor=4,original_max_position_embeddings=32768");
  struct spectrum *engine = computed("hf", &spec, NULL), *exact = spectrum_of(&spec);
  spec.precision = PRECISION_FP32;
  struct spectrum *single = spectrum_of(&spec);
  size_t different = 0;
  for (size_t i = 0; i < 64; i++) {
    assert_true(engine->inv_freq[i] == single->inv_freq[i]);
    different += engine->inv_freq[i] != exact->inv_freq[i];
  }
  assert_true(different > 30);
  spectrum_destroy(engine);
  spectrum_destroy(exact);
  spectrum_destroy(single);
  assert_notes("hf", &spec, (const char *const[3]){NULL});
  spec = scaled_spec(128, 1e6, "ntk:factor=4");
  assert_notes("hf", &spec, (const char *const[3]){"has no rope_type 'ntk'"});
}

/* Two series in one meta: what both say is said once, and neither hides the other's. */
static void notes_are_said_once(void **state) {
  (void)state;
  const struct rope_spec none = scaled_spec(128, 1e6, "none");
  const struct rope_spec linear = scaled_spec(128, 1e6, "linear:factor=4");
  const struct rope_spec *const specs[] = {&linear, &linear, &none, &none};
  struct meta *meta = meta_create();
  for (size_t i = 0; i < 4; i++) {
    spectrum_destroy(computed("vllm", specs[i], meta));
    assert_int_equal(meta_count(meta, "engine_notes"), i < 2 ? 1 : 2);
  }
  assert_non_null(strstr(meta_item_text(meta, "engine_notes", 1), no_difference));
  meta_destroy(meta);
}

static void nothing_known_is_said(void **state) {
  (void)state;
  const struct rope_spec none = scaled_spec(128, 1e6, "none");
  const struct rope_spec yarn =
      scaled_spec(128, 1e6, "yarn:factor=4,original_max_position_embeddings=32768");
  assert_notes("vllm", &none, (const char *const[3]){no_difference});
  assert_notes("mlx", &none, (const char *const[3]){no_difference});
  assert_notes("vllm", &yarn, (const char *const[3]){no_difference});
  assert_notes("mlx", &yarn, (const char *const[3]){no_difference});
}

/* vLLM by the longest sequence that it was started for, mlx-lm always the long list; Hugging Face
   by the sequence. The factor is √(1 + ln 32 / ln 4096) = 1.190238. */
static void longrope_is_chosen_once(void **state) {
  (void)state;
  struct rope_spec spec = longrope_spec(8, 4096);
  struct spectrum *hf = computed("hf", &spec, NULL), *vllm = computed("vllm", &spec, NULL);
  struct spectrum *mlx = computed("mlx", &spec, NULL);
  assert_near((double)hf->inv_freq[0], 1, 0);
  assert_near((double)vllm->inv_freq[0], 0.125, 0);
  assert_near((double)mlx->inv_freq[0], 0.125, 0);
  assert_near((double)mlx->inv_freq[1], 0.00125, 1e-10);
  assert_int_equal(vllm->spec.context, 4096);
  assert_int_equal(mlx->spec.context, 4096);
  assert_near(vllm->attention_factor, 1.190238, 5e-7);
  assert_near(mlx->attention_factor, 1.190238, 5e-7);
  spectrum_destroy(hf);
  spectrum_destroy(vllm);
  spectrum_destroy(mlx);
  assert_notes("vllm", &spec, (const char *const[3]){"'long_factor' at every length"});
  assert_notes("mlx", &spec, (const char *const[3]){"'long_factor' at every length"});
  /* A model of the original context is short in vLLM, unless the sequence is longer. */
  spec.model_context = 4096;
  assert_int_equal(spec_set_parameter(&spec, "factor", 32, NULL), OK);
  assert_notes(
      "vllm", &spec,
      (const char *const[3]){"'short_factor' at every length", "the attention factor is 1,"});
  spec.context = 8192;
  assert_notes(
      "vllm", &spec,
      (const char *const[3]){"'long_factor' at every length", "the attention factor is 1,"});
  assert_int_equal(spec_set_parameter(&spec, "long_mscale", 1.25, NULL), OK);
  assert_attention("vllm", &spec, 1.25, 0);
  assert_attention("hf", &spec, 1.190238, 5e-7);
  /* Without the model's context, what it is divided by stays Hugging Face's. */
  spec.model_context = 0;
  assert_attention("mlx", &spec, 1.190238, 5e-7);
}

/* A wavelength that is L/low_freq_factor to the bit is in neither band of mlx-lm's. */
static void mlx_llama3_leaves_the_boundary(void **state) {
  (void)state;
  struct rope_spec spec = scaled_spec(4, 10000,
                                      "llama3:factor=8,low_freq_factor=1,high_freq_factor=4,"
                                      "original_max_position_embeddings=64");
  assert_notes("mlx", &spec, (const char *const[3]){no_difference});
  const double longest = 6.2831855F * 100.F;
  assert_int_equal(spec_set_parameter(&spec, "original_max_position_embeddings", longest, NULL),
                   OK);
  struct spectrum *hf = computed("hf", &spec, NULL), *mlx = computed("mlx", &spec, NULL);
  assert_near((double)hf->inv_freq[1], 0.01 / 8, 1e-9);
  assert_near((double)mlx->inv_freq[1], 0.01, 1e-9);
  spectrum_destroy(hf);
  spectrum_destroy(mlx);
  assert_notes("mlx", &spec, (const char *const[3]){"pair 1 is kept"});
}

static void mlx_yarn_rounds_its_range(void **state) {
  (void)state;
  /* gpt-oss: 8.092779 to 17.398025. */
  const struct rope_spec spec =
      scaled_spec(64, 150000, "yarn:factor=32,original_max_position_embeddings=4096,truncate=0");
  struct spectrum *hf = computed("hf", &spec, NULL), *mlx = computed("mlx", &spec, NULL);
  assert_near(hf->correction_low, 8.092779, 5e-7);
  assert_near(hf->correction_high, 17.398025, 5e-7);
  assert_near(mlx->correction_low, 8, 0);
  assert_near(mlx->correction_high, 18, 0);
  spectrum_destroy(hf);
  spectrum_destroy(mlx);
  assert_notes("mlx", &spec, (const char *const[3]){"'truncate' is not read"});
  assert_notes("vllm", &spec, (const char *const[3]){no_difference});
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(registry),
      cmocka_unit_test(faults_of_a_spec_are_every_engines),
      cmocka_unit_test(every_rule_has_an_answer),
      cmocka_unit_test(hugging_face_is_float32),
      cmocka_unit_test(notes_are_said_once),
      cmocka_unit_test(nothing_known_is_said),
      cmocka_unit_test(longrope_is_chosen_once),
      cmocka_unit_test(mlx_llama3_leaves_the_boundary),
      cmocka_unit_test(mlx_yarn_rounds_its_range),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

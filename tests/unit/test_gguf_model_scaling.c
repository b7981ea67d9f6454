/* Scaling rules, sections and layers of models in GGUF files: lib/model/gguf_model.h. */
#include "tests/unit/gguf_model_case.h"

#include "lib/rope/spectrum.h"

static void scalings(void **state) {
  (void)state;
  usual("llama");
  assert_string_equal(good()->scaling.type, "none");
  usual("llama");
  text("llama.rope.scaling.type", "none");
  real("llama.rope.scaling.factor", 4);
  assert_string_equal(good()->scaling.type, "none");
  usual("llama");
  count("llama.rope.scaling.factor", 4);
  real("llama.rope.scale_linear", 7);
  assert_string_equal(good()->scaling.type, "linear");
  assert_true(spec_parameter(model->ropes, "factor") == 4);
  usual("llama");
  tensor("blk.3.rope_freqs.weight", 4, 2);
  real("llama.rope.scaling.factor", 4);
  assert_string_equal(good()->scaling.type, "factors");
  assert_true(spec_list(model->ropes, "freq_factors")->value[3] == 8);
  assert_warned("are multiplied by the factor 4");
  usual("llama");
  tensor("rope_freqs.weight", 3, 2);
  bad("tensor 'rope_freqs.weight' holds 3 numbers: one for each of the 4 pairs");
  usual("llama");
  tensor("rope_freqs.weight", 4, 2);
  text("llama.rope.scaling.type", "yarn");
  bad("tensor 'rope_freqs.weight' beside the scaling type 'yarn'");
  usual("phi3");
  tensor("rope_factors_long.weight", 4, 2);
  bad("'rope_factors_short.weight' and 'rope_factors_long.weight': there is one of them");
  usual("phi3");
  text("phi3.rope.scaling.type", "longrope");
  bad("there is none of them");
  usual("phi3");
  tensor("rope_factors_long.weight", 4, 2);
  tensor("rope_factors_short.weight", 4, 1);
  count("phi3.rope.scaling.original_context_length", 1024);
  assert_string_equal(good()->scaling.type, "longrope");
  /* llama.cpp multiplies by nothing else than the file's attn_factor. */
  assert_true(spec_parameter(model->ropes, "attention_factor") == 1);
}

static double attention_of(const struct rope_spec *spec, double *softmax) {
  struct spectrum *spectrum;
  if (spectrum_create(spec, &spectrum, &error)) fail_msg("%s", error.message);
  const double attention = spectrum->attention_factor;
  *softmax = spectrum->softmax_factor;
  spectrum_destroy(spectrum);
  return attention;
}

static void yarns(void **state) {
  (void)state;
  double softmax;
  const double usual_factor = 0.1 * log(4) + 1;
  usual("qwen2");
  text("qwen2.rope.scaling.type", "yarn");
  real("qwen2.rope.scaling.factor", 4);
  real("qwen2.rope.scaling.yarn_beta_fast", 20);
  assert_string_equal(good()->scaling.type, "yarn");
  assert_true(spec_parameter(model->ropes, "beta_fast") == 20);
  assert_true(spec_parameter(model->ropes, "original_max_position_embeddings") == 4096);
  assert_true(fabs(attention_of(model->ropes, &softmax) / usual_factor - 1) < 1e-15);
  assert_true(softmax == 1);
  usual("qwen2");
  text("qwen2.rope.scaling.type", "yarn");
  real("qwen2.rope.scaling.factor", 4);
  real("qwen2.rope.scaling.attn_factor", 0.5);
  assert_true(fabs(attention_of(good(), &softmax) / usual_factor - 0.5) < 1e-15);
  /* Mistral 3 stores it plain, and its scores keep their scale. */
  usual("mistral3");
  text("mistral3.rope.scaling.type", "yarn");
  real("mistral3.rope.scaling.factor", 4);
  real("mistral3.rope.scaling.yarn_log_multiplier", 1);
  assert_true(attention_of(good(), &softmax) == 1);
  assert_true(softmax == 1);
  usual("qwen2");
  text("qwen2.rope.scaling.type", "yarn");
  real("qwen2.rope.scaling.yarn_log_multiplier", -1);
  bad("yarn_log_multiplier' is -1: a number >= 0 is needed");
  begin("qwen2");
  count("qwen2.attention.key_length", 8);
  text("qwen2.rope.scaling.type", "yarn");
  bad("there is neither 'qwen2.rope.scaling.original_context_length' nor '.context_length'");
}

static void contradictions(void **state) {
  (void)state;
  usual("llama");
  real("llama.rope.scaling.factor", 4);
  real("llama.rope.scale_linear", 8);
  assert_true(spec_parameter(good(), "factor") == 4);
  assert_warned("'llama.rope.scaling.factor' 4 is used, not 'llama.rope.scale_linear' 8");
  usual("llama");
  real("llama.rope.scaling.factor", 4);
  real("llama.rope.scale_linear", 4);
  good();
  assert_int_equal(meta_count(meta, "warnings"), 0);
  usual("llama");
  text("llama.rope.scaling.type", "none");
  real("llama.rope.scaling.factor", 4);
  assert_string_equal(good()->scaling.type, "none");
  assert_warned("'llama.rope.scaling.factor' 4 is ignored: the scaling type is none");
  usual("llama");
  text("llama.rope.scaling.type", "none");
  real("llama.rope.scaling.factor", 1);
  good();
  assert_int_equal(meta_count(meta, "warnings"), 0);
}

static void sections(void **state) {
  (void)state;
  usual("qwen3vl");
  counts("qwen3vl.rope.dimension_sections", 4, (const uint64_t[]){2, 1, 1, 0});
  assert_int_equal(good()->axes, 3);
  assert_true(model->ropes->sections_interleaved);
  usual("qwen3vl");
  counts("qwen3vl.rope.dimension_sections", 4, (const uint64_t[]){1, 1, 2, 0});
  good();
  assert_warned("dealt out in turn, 1 of the 4 pairs are of the width, not the 2 of its section");
  usual("glm4");
  counts("glm4.rope.dimension_sections", 3, (const uint64_t[]){2, 1, 1});
  assert_int_equal(good()->layout, LAYOUT_HALVES);
  usual("glm4");
  counts("glm4.rope.dimension_sections", 4, (const uint64_t[]){0, 0, 0, 0});
  assert_int_equal(good()->layout, LAYOUT_INTERLEAVED);
  assert_int_equal(model->ropes->axes, 0);
  usual("qwen2vl");
  counts("qwen2vl.rope.dimension_sections", 4, (const uint64_t[]){2, 1, 0, 0});
  bad("'qwen2vl.rope.dimension_sections' sums to 3: the 4 pairs of a head are needed");
  usual("qwen2vl");
  counts("qwen2vl.rope.dimension_sections", 5, (const uint64_t[]){2, 1, 1, 0, 0});
  bad("is no array of up to 4 numbers");
  usual("qwen2vl");
  counts("qwen2vl.rope.dimension_sections", 1, (const uint64_t[]){0xffffffff});
  bad("'qwen2vl.rope.dimension_sections' is -1");
}

static void assert_schedule(const char *expected) {
  assert_int_equal(model->layers, strlen(expected));
  assert_non_null(model->schedule);
  for (size_t i = 0; i < model->layers; i++)
    assert_int_equal(model->schedule[i], expected[i] == '-' ? -1 : expected[i] - '0');
}

static void assert_row(const char *layer_type, const char *name, const char *value,
                       const char *source) {
  const char *const cells[] = {layer_type, name, value, source};
  for (size_t row = 0; row < table_rows(model->values); row++) {
    size_t same = 0;
    while (same < 4 && !strcmp(table_text(model->values, row, same), cells[same]))
      same++;
    if (same == 4) return;
  }
  fail_msg("no row says %s %s is %s: %s", layer_type, name, value, source);
}

static void layers(void **state) {
  (void)state;
  usual("gemma3");
  real("gemma3.rope.scaling.factor", 8);
  text("gemma3.rope.scaling.type", "linear");
  good();
  assert_int_equal(model->count, 2);
  assert_string_equal(model->ropes[0].layer_type, "full_attention");
  assert_string_equal(model->ropes[1].layer_type, "sliding_attention");
  assert_true(model->ropes[0].base == 1000 && model->ropes[1].base == 10000);
  assert_string_equal(model->ropes[0].scaling.type, "linear");
  assert_string_equal(model->ropes[1].scaling.type, "none");
  assert_schedule("11111011");
  assert_row("full_attention", "schedule", "5", "'general.architecture'");
  assert_row("sliding_attention", "schedule", "0-4,6-7", "'general.architecture'");
  usual("modern-bert");
  real("modern-bert.rope.freq_base_swa", 500);
  count("modern-bert.attention.sliding_window_pattern", 4);
  good();
  assert_true(model->ropes[1].base == 500);
  assert_schedule("01110111");
  assert_row("full_attention", "schedule", "0,4", "'modern-bert.attention.sliding_window_pattern'");
  usual("novel");
  real("novel.rope.freq_base_swa", 500);
  count("novel.rope.dimension_count_swa", 4);
  real("novel.rope.scaling.factor", 8);
  make_array(&values, "novel.attention.sliding_window_pattern", GGUF_FLAG, 8);
  make_number(&values, UINT64_C(0x0100000101000001), 8);
  counted();
  good();
  assert_int_equal(model->count, 2);
  assert_int_equal(model->ropes[1].rotary_dim, 4);
  assert_string_equal(model->ropes[1].scaling.type, "linear");
  assert_schedule("10011001");
  usual("novel");
  real("novel.rope.freq_base_swa", 500);
  good();
  assert_int_equal(model->layers, 8);
  assert_null(model->schedule);
  static const char *const every_fourth[] = {"llama4", "smollm3", "cohere2"};
  for (size_t i = 0; i < sizeof every_fourth / sizeof *every_fourth; i++) {
    usual(every_fourth[i]);
    good();
    assert_schedule("000-000-");
    assert_row("", "schedule", "0-2,4-6", "'general.architecture'");
    assert_row("", "layers_without_rope", "3,7", "'general.architecture'");
    assert_warned("layers without RoPE: 3,7 ('general.architecture')");
  }
  usual("qwen3next");
  good();
  assert_schedule("---0---0");
  usual("qwen3next");
  count("qwen3next.full_attention_interval", 2);
  good();
  assert_schedule("-0-0-0-0");
  assert_row("", "schedule", "1,3,5,7", "'qwen3next.full_attention_interval'");
  usual("qwen3next");
  count("qwen3next.full_attention_interval", 9);
  bad("the model has no RoPE: none of its 8 layers has any ('qwen3next.full_attention_interval')");
  usual("llama");
  good();
  assert_row("", "schedule", "0-7", "'llama.block_count'");
  usual("cohere2");
  count("cohere2.attention.sliding_window", 4096);
  good();
  assert_schedule("000-000-");
  usual("gemma3");
  counts("gemma3.attention.sliding_window_pattern", 2, (const uint64_t[]){1, 0});
  bad("'gemma3.attention.sliding_window_pattern' has 2 entries: one for each of the 8 layers");
  usual("gemma3");
  count("gemma3.attention.sliding_window_pattern", 0);
  bad("'gemma3.attention.sliding_window_pattern' is 0");
  begin("llama");
  count("llama.attention.key_length", 8);
  count("llama.block_count", 4000000000);
  bad("'llama.block_count' is 4000000000: a whole number from 1 to 10000");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(scalings), cmocka_unit_test(yarns),  cmocka_unit_test(contradictions),
      cmocka_unit_test(sections), cmocka_unit_test(layers),
  };
  return cmocka_run_group_tests(tests, NULL, release);
}

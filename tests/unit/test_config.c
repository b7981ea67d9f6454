/* Hugging Face configs: public ones whole; small ones for dimensions, layout, context and what is
 * not a config. For the rope dictionary see test_config_rope.c. */
#include "tests/unit/config_case.h"

/* What public models are known to be: one row a RoPE, in the model's order. */
static const struct {
  const char *name, *layer_type;
  size_t head_dim, rotary_dim;
  double base;
  enum layout layout;
  int64_t context;
  const char *scaling;
} ropes[] = {
    {"CodeLlama-7b", "", 128, 128, 1e6, LAYOUT_HALVES, 16384, "none"},
    {"DeepSeek-V2-Lite", "", 64, 64, 1e4, LAYOUT_INTERLEAVED, 163840, "yarn"},
    {"DeepSeek-V3", "", 64, 64, 1e4, LAYOUT_INTERLEAVED, 163840, "yarn"},
    {"Llama-2-7b-hf", "", 128, 128, 1e4, LAYOUT_HALVES, 4096, "none"},
    {"Llama-3.1-8B", "", 128, 128, 5e5, LAYOUT_HALVES, 131072, "llama3"},
    {"Llama-3.2-1B", "", 64, 64, 5e5, LAYOUT_HALVES, 131072, "llama3"},
    {"Llama-4-Scout-17B-16E", "", 128, 128, 5e5, LAYOUT_INTERLEAVED, 10485760, "llama3"},
    {"Meta-Llama-3-8B", "", 128, 128, 5e5, LAYOUT_HALVES, 8192, "none"},
    {"MiniCPM3-4B", "", 32, 32, 1e4, LAYOUT_HALVES, 32768, "longrope"},
    {"Ministral-3-3B-2512", "", 128, 128, 1e6, LAYOUT_HALVES, 262144, "yarn"},
    {"Mistral-7B-Instruct-v0.2", "", 128, 128, 1e6, LAYOUT_HALVES, 32768, "none"},
    {"Mistral-7B-v0.1", "", 128, 128, 1e4, LAYOUT_HALVES, 32768, "none"},
    {"Mixtral-8x7B-v0.1", "", 128, 128, 1e6, LAYOUT_HALVES, 32768, "none"},
    {"ModernBERT-base", "full_attention", 64, 64, 160000, LAYOUT_HALVES, 8192, "none"},
    {"ModernBERT-base", "sliding_attention", 64, 64, 1e4, LAYOUT_HALVES, 8192, "none"},
    {"OLMo-2-1124-7B", "", 128, 128, 5e5, LAYOUT_HALVES, 4096, "none"},
    {"Phi-3.5-mini-instruct", "", 96, 96, 1e4, LAYOUT_HALVES, 131072, "longrope"},
    {"Phi-4-mini-instruct", "", 128, 96, 1e4, LAYOUT_HALVES, 131072, "longrope"},
    {"Qwen2-7B", "", 128, 128, 1e6, LAYOUT_HALVES, 32768, "none"},
    {"Qwen2-VL-7B-Instruct", "", 128, 128, 1e6, LAYOUT_HALVES, 32768, "none"},
    {"Qwen2.5-7B", "", 128, 128, 1e6, LAYOUT_HALVES, 131072, "none"},
    {"Qwen2.5-7B-Instruct_yarn_card", "", 128, 128, 1e6, LAYOUT_HALVES, 32768, "yarn"},
    {"Qwen3-8B", "", 128, 128, 1e6, LAYOUT_HALVES, 40960, "none"},
    {"Qwen3-VL-30B-A3B-Instruct", "", 128, 128, 5e6, LAYOUT_HALVES, 262144, "none"},
    {"SmolLM3-3B", "", 128, 128, 5e6, LAYOUT_HALVES, 65536, "none"},
    {"TinyLlama-1.1B-Chat-v1.0", "", 64, 64, 1e4, LAYOUT_HALVES, 2048, "none"},
    {"Yarn-Llama-2-7b-64k", "", 128, 128, 1e4, LAYOUT_HALVES, 65536, "yarn"},
    {"c4ai-command-r-v01", "", 128, 128, 8e6, LAYOUT_INTERLEAVED, 8192, "none"},
    {"chatglm3-6b", "", 128, 64, 1e4, LAYOUT_INTERLEAVED, 8192, "none"},
    {"falcon-7b", "", 64, 64, 1e4, LAYOUT_HALVES, 2048, "none"},
    {"gemma-2-9b", "", 256, 256, 1e4, LAYOUT_HALVES, 8192, "none"},
    {"gemma-2b", "", 256, 256, 1e4, LAYOUT_HALVES, 8192, "none"},
    {"gemma-3-4b-it", "full_attention", 256, 256, 1e6, LAYOUT_HALVES, 131072, "linear"},
    {"gemma-3-4b-it", "sliding_attention", 256, 256, 1e4, LAYOUT_HALVES, 131072, "none"},
    {"gemma-4-12b", "full_attention", 512, 512, 1e6, LAYOUT_HALVES, 131072, "proportional"},
    {"gemma-4-12b", "sliding_attention", 256, 256, 1e4, LAYOUT_HALVES, 131072, "none"},
    {"glm-4-9b-chat", "", 128, 64, 5e6, LAYOUT_INTERLEAVED, 131072, "none"},
    {"gpt-j-6b", "", 256, 64, 1e4, LAYOUT_INTERLEAVED, 2048, "none"},
    {"gpt-neox-20b", "", 96, 24, 1e4, LAYOUT_HALVES, 2048, "none"},
    {"gpt-oss-20b", "", 64, 64, 150000, LAYOUT_HALVES, 131072, "yarn"},
    {"internlm2_5-7b-chat", "", 128, 128, 1e6, LAYOUT_HALVES, 32768, "dynamic"},
    {"phi-2", "", 80, 32, 1e4, LAYOUT_HALVES, 2048, "none"},
    {"phi-2_old_format", "", 80, 32, 1e4, LAYOUT_HALVES, 2048, "none"},
    {"pythia-6.9b", "", 128, 32, 1e4, LAYOUT_HALVES, 2048, "none"},
    {"roformer_chinese_base", "", 64, 64, 1e4, LAYOUT_INTERLEAVED, 1536, "none"},
    {"stablelm-3b-4e1t", "", 80, 20, 1e4, LAYOUT_HALVES, 4096, "none"},
};

enum { ROPES = sizeof ropes / sizeof *ropes };

static int read_public(const char *name) {
  char path[256];
  snprintf(path, sizeof path, "tests/golden/configs/%s.json", name);
  model_destroy(model);
  error = (struct error){OK, ""};
  return model_read(path, &model, meta, &error);
}

static void public_models_are_understood(void **state) {
  (void)state;
  size_t count;
  for (size_t i = 0; i < ROPES; i += count) {
    if (read_public(ropes[i].name)) fail_msg("%s", error.message);
    for (count = 1; i + count < ROPES && !strcmp(ropes[i + count].name, ropes[i].name);)
      count++;
    if (model->count != count) fail_msg("%s: %zu RoPEs", ropes[i].name, model->count);
    for (size_t j = 0; j < count; j++) {
      const struct rope_spec *rope = &model->ropes[j];
      assert_string_equal(rope->label, ropes[i].name);
      assert_string_equal(rope->layer_type, ropes[i + j].layer_type);
      assert_int_equal(rope->head_dim, ropes[i + j].head_dim);
      assert_int_equal(rope->rotary_dim, ropes[i + j].rotary_dim);
      assert_true(rope->base == ropes[i + j].base);
      assert_int_equal(rope->layout, ropes[i + j].layout);
      assert_int_equal(rope->context, ropes[i + j].context);
      assert_int_equal(rope->model_context, ropes[i + j].context);
      assert_string_equal(rope->scaling.type, ropes[i + j].scaling);
    }
  }
  assert_int_equal(read_public("gpt2"), ERROR_INPUT);
  assert_string_equal(error.message,
                      "'tests/golden/configs/gpt2.json': the model has no RoPE: model_type 'gpt2' "
                      "has learned absolute positions");
  /* Only these have something to say. */
  assert_int_equal(meta_count(meta, "warnings"), 9);
  warned(0, "Llama-4-Scout-17B-16E: high_freq_factor 1 is not above low_freq_factor 1");
  warned(1, "Llama-4-Scout-17B-16E: layers without RoPE: 3,7,11,15,19,23,27,31,35,39,43,47 "
            "('no_rope_layer_interval' in 'text_config')");
  warned(2, "MiniCPM3-4B: original_max_position_embeddings 32768 is not below the context 32768");
  warned(3, "Ministral-3-3B-2512: 'llama_4_scaling_beta' is ignored by the yarn scaling");
  warned(4, "Qwen2-VL-7B-Instruct: M-RoPE is read as for text");
  warned(5, "Qwen2.5-7B-Instruct_yarn_card: original_max_position_embeddings 32768 is not below");
  warned(6, "Qwen3-VL-30B-A3B-Instruct: M-RoPE is read as for text");
  warned(7, "SmolLM3-3B: layers without RoPE: 3,7,11,15,19,23,27,31,35 ('no_rope_layers')");
  warned(8, "Yarn-Llama-2-7b-64k: 'finetuned' is ignored by the yarn scaling");
}

/* A rotary dimension of 0: no RoPE, which must be said. */
static void models_beside_transformers_are_understood(void **state) {
  (void)state;
  FILE *file = fopen("tests/golden/hf_others.tsv", "r");
  char line[512], name[64], base[32], scaling[64], layout[32];
  size_t rotary, head, rows = 0;
  assert_non_null(file);
  while (fgets(line, sizeof line, file)) {
    if (*line == '#' || !strncmp(line, "config\t", 7)) continue;
    assert_int_equal(sscanf(line, "%63[^\t]\t%zu\t%zu\t%31[^\t]\t%63[^\t]\t%31[^\t\n]", name,
                            &rotary, &head, base, scaling, layout),
                     6);
    rows++;
    if (rotary == 0) {
      assert_int_equal(read_public(name), ERROR_INPUT);
      assert_non_null(strstr(error.message, "the model has no RoPE: "));
      continue;
    }
    if (read_public(name)) fail_msg("%s", error.message);
    assert_int_equal(model->count, 1);
    char type[64];
    snprintf(type, sizeof type, "%s", model->ropes->scaling.type);
    const double factor = spec_parameter(model->ropes, "factor");
    if (factor > 0) snprintf(type, sizeof type, "%s:factor=%g", model->ropes->scaling.type, factor);
    assert_int_equal(model->ropes->rotary_dim, rotary);
    assert_int_equal(model->ropes->head_dim, head);
    assert_true(model->ropes->base == atof(base));
    assert_string_equal(type, scaling);
    assert_string_equal(layout_name(model->ropes->layout), layout);
  }
  fclose(file);
  assert_int_equal(rows, 7);
}

static void head_dimension_is_the_explicit_one(void **state) {
  (void)state;
  read_well("{\"model_type\": \"mistral\", \"hidden_size\": 5120, \"num_attention_heads\": 32,"
            " \"head_dim\": 128, \"rope_theta\": 1e6}",
            0);
  assert_int_equal(spec.head_dim, 128);
  read_well("{\"model_type\": \"gemma2\", \"hidden_size\": 640, \"num_attention_heads\": 4,"
            " \"head_dim\": 256, \"rope_theta\": 1e4}",
            0);
  assert_int_equal(spec.head_dim, 256);
  assert_int_equal(spec.rotary_dim, 256);
  read_well(PLAIN(", \"head_dim\": null"), 0);
  assert_int_equal(spec.head_dim, 128);
  read_well(PLAIN(", \"head_dim\": 64.0"), 0);
  assert_int_equal(spec.head_dim, 64);
  read_well("{\"model_type\": \"deepseek_v3\", \"head_dim\": 192, \"qk_rope_head_dim\": 64,"
            " \"partial_rotary_factor\": 0.5, \"rope_theta\": 50000}",
            0);
  assert_int_equal(spec.head_dim, 64);
  assert_int_equal(spec.rotary_dim, 64);
  assert_int_equal(spec.layout, LAYOUT_INTERLEAVED);
  refused(
      "{\"model_type\": \"llama\", \"hidden_size\": 4096}",
      "the head dimension is not given: 'head_dim', or 'hidden_size' and 'num_attention_heads'");
  refused("{\"model_type\": \"llama\", \"hidden_size\": 641, \"num_attention_heads\": 4}",
          "'hidden_size' 641 is not a multiple of 'num_attention_heads' 4");
  refused("{\"model_type\": \"llama\", \"hidden_size\": 64, \"num_attention_heads\": 0}",
          "'num_attention_heads' is 0: a whole number from 1 to 2^53 is needed");
  refused(PLAIN(", \"head_dim\": -128"), "'head_dim' is -128");
  refused(PLAIN(", \"head_dim\": 127"), "'head_dim' is 127: an even number is needed");
  refused(PLAIN(", \"kv_channels\": 1"), "'kv_channels' is 1: an even number is needed");
  refused(PHI(", \"head_dim\": 127, \"partial_rotary_factor\": 1.0"), "'head_dim' is 127: an even");
  refused("{\"model_type\": \"llama\", \"hidden_size\": 508, \"num_attention_heads\": 4}",
          "'hidden_size' over 'num_attention_heads', is 127: an even number is needed");
  refused(PLAIN(", \"head_dim\": 127.5"), "'head_dim' is 127.5");
  refused(PLAIN(", \"head_dim\": 1e300"), "'head_dim' is 1e+300");
  refused(PLAIN(", \"head_dim\": true"), "'head_dim' is true");
  refused(PLAIN(", \"qk_rope_head_dim\": 63"), "'qk_rope_head_dim' is 63: an even number");
  refused(PLAIN(", \"qk_rope_head_dim\": \"64\""), "'qk_rope_head_dim' is the text \"64\"");
}

static void part_of_a_head_rotates(void **state) {
  (void)state;
  /* The frequencies are those of the rotated dimensions alone: test_spectrum, phi-2. */
  read_well(PHI(", \"head_dim\": 8, \"partial_rotary_factor\": 0.5"), 0);
  assert_int_equal(spec.head_dim, 8);
  assert_int_equal(spec.rotary_dim, 4);
  read_well(PHI(", \"rope_parameters\": {\"rope_type\": \"default\","
                " \"partial_rotary_factor\": 0.25}"),
            0);
  assert_int_equal(spec.rotary_dim, 32);
  read_well(PHI(", \"partial_rotary_factor\": 0.5, \"rope_parameters\":"
                " {\"partial_rotary_factor\": 0.25}"),
            1);
  assert_int_equal(spec.rotary_dim, 32);
  warned(0, "'partial_rotary_factor' 0.25 of 'rope_parameters' is used, not 'partial_rotary_factor'"
            " 0.5");
  /* int(80 · 0.33) = 26 */
  read_well(PHI(", \"head_dim\": 80, \"rotary_pct\": 0.33"), 0);
  assert_int_equal(spec.rotary_dim, 26);
  read_well(PHI(", \"rotary_emb_fraction\": 1.0"), 0);
  assert_int_equal(spec.rotary_dim, 128);
  read_well(PHI(", \"rotary_dim\": 64, \"partial_rotary_factor\": 0.5"), 0);
  assert_int_equal(spec.rotary_dim, 64);
  refused(PHI(", \"rotary_dim\": 48, \"partial_rotary_factor\": 0.5"),
          "'rotary_dim' 48 and 'partial_rotary_factor' 0.5 do not agree: that is 64 of 128");
  refused(PHI(", \"rotary_dim\": 256"),
          "256 of 128 dimensions of a head would rotate: 'rotary_dim'");
  refused(PHI(", \"rotary_dim\": 63"), "63 of 128 dimensions of a head would rotate: 'rotary_dim'");
  refused(PHI(", \"head_dim\": 80, \"rotary_pct\": 0.39"),
          "31 of 80 dimensions of a head would rotate: 'rotary_pct' must give an even number");
  refused(PHI(", \"partial_rotary_factor\": 0.001"), "0 of 128 dimensions");
  refused(PHI(", \"partial_rotary_factor\": 1.5"),
          "'partial_rotary_factor' is 1.5: a number in (0, 1]");
  refused(PHI(", \"partial_rotary_factor\": 0"),
          "'partial_rotary_factor' is 0: a number greater than 0");
  refused(PHI(", \"partial_rotary_factor\": \"0.5\""),
          "'partial_rotary_factor' is the text \"0.5\"");
  refused(
      "{\"model_type\": \"gpt_neox\", \"head_dim\": 12}",
      "3 of 12 dimensions of a head would rotate, by the default 0.25 of model_type 'gpt_neox'");
  /* The default of a family is said when it is used. */
  read_well("{\"model_type\": \"gpt_neox\", \"hidden_size\": 6144, \"num_attention_heads\": 64,"
            " \"rotary_emb_base\": 10000}",
            1);
  assert_int_equal(spec.rotary_dim, 24);
  warned(0, "there is no 'partial_rotary_factor': 0.25, the default of model_type 'gpt_neox'");
}

static void language_part_is_read(void **state) {
  (void)state;
  read_well(
      "{\"model_type\": \"some_vl\", \"rope_theta\": 5, \"hidden_size\": 7, \"vision_config\":"
      " {\"head_dim\": 3}, \"text_config\": " PLAIN(", \"head_dim\": 96") "}",
      0);
  assert_int_equal(spec.head_dim, 96);
  assert_true(spec.base == 1e6);
  assert_int_equal(spec.context, 32768);
  read_well("{\"head_dim\": 96, \"thinker_config\": {\"text_config\": " PLAIN("") "}}", 0);
  assert_int_equal(spec.head_dim, 128);
  read_well(
      "{\"rope_theta\": 70000, \"head_dim\": 96, \"text_config\": {\"model_type\": \"llama\"}}", 1);
  assert_true(spec.base == 70000);
  assert_int_equal(spec.head_dim, 96);
  warned(0, "'rope_theta' is read from outside the language model's part");
  refused("{\"text_config\": 5}", "'text_config' is 5: an object is needed");
  refused("{\"text_config\": {\"model_type\": \"gpt2\"}}", "the model has no RoPE");
}

static void layout_can_be_told(void **state) {
  (void)state;
  read_well(PLAIN(", \"rope_interleave\": true"), 0);
  assert_int_equal(spec.layout, LAYOUT_INTERLEAVED);
  read_well("{\"model_type\": \"deepseek_v3\", \"qk_rope_head_dim\": 64, \"rope_theta\": 1e4,"
            " \"rope_interleave\": false}",
            0);
  assert_int_equal(spec.layout, LAYOUT_HALVES);
  refused(PLAIN(", \"rope_interleave\": 1"), "'rope_interleave' is 1: true or false is needed");
}

static void models_without_rope_are_told(void **state) {
  (void)state;
  refused("{\"model_type\": \"bloom\", \"n_head\": 32}", "has ALiBi biases");
  refused("{\"model_type\": \"mamba\"}", "has no attention");
  refused("{\"model_type\": \"jamba\"}", "model_type 'jamba' has no positions");
  refused("{\"model_type\": \"falcon\", \"head_dim\": 64, \"alibi\": true}",
          "the model has no RoPE: 'alibi' is true");
  refused("{\"model_type\": \"esm\", \"head_dim\": 64, \"position_embedding_type\": \"absolute\"}",
          "the model has no RoPE: 'position_embedding_type' is 'absolute'");
  read_well("{\"model_type\": \"esm\", \"head_dim\": 64, \"position_embedding_type\": \"rotary\"}",
            0);
  static const char large[] = "{\"model_type\": \"baichuan\", \"hidden_size\": 5120,"
                              " \"num_attention_heads\": 40, \"model_max_length\": 4096%s}";
  char text[256];
  snprintf(text, sizeof text, large, ", \"num_hidden_layers\": 40");
  refused(text, "the model has no RoPE: model_type 'baichuan' has ALiBi where it has 40 layers");
  snprintf(text, sizeof text, large, "");
  refused(text, "the model has no RoPE: model_type 'baichuan' has ALiBi");
  snprintf(text, sizeof text, large, ", \"num_hidden_layers\": 32");
  read_well(text, 0);
  assert_int_equal(spec.context, 4096);
  refused("{\"model_type\": \"chatglm\", \"head_dim\": 64, \"position_encoding_2d\": true}",
          "two-dimensional positions");
}

static void context_is_found(void **state) {
  (void)state;
  read_well(QWEN(", \"rope_theta\": 1e4, \"seq_length\": 2048"), 0);
  assert_int_equal(spec.context, 2048);
  read_well(QWEN(", \"rope_theta\": 1e4, \"n_ctx\": 512, \"max_position_embeddings\": 1024"), 0);
  assert_int_equal(spec.context, 1024);
  read_well(QWEN(", \"rope_theta\": 1e4"), 0);
  assert_int_equal(spec.context, 0);
  read_well(QWEN(", \"rope_theta\": 1e4, \"max_seq_len\": 512, \"model_max_length\": 256"), 0);
  assert_int_equal(spec.context, 512);
  read_well(QWEN(", \"rope_theta\": 1e4, \"model_max_length\": 256"), 0);
  assert_int_equal(spec.context, 256);
  /* int(1e30): no limit. */
  read_well(QWEN(", \"rope_theta\": 1e4, \"model_max_length\": 1000000000000000019884624838656"),
            0);
  assert_int_equal(spec.context, 0);
  read_well("{\"model_type\": \"falcon\", \"head_dim\": 64}", 0);
  assert_int_equal(spec.context, 2048);
  explained("", "context", "2048", "default of model_type 'falcon' (transformers 5)");
  refused(
      QWEN(", \"max_position_embeddings\": \"2*32000\""),
      "'max_position_embeddings' is the text \"2*32000\": a whole number from 1 to 2^53 is needed");
  refused(QWEN(", \"max_position_embeddings\": 0"), "'max_position_embeddings' is 0");
  refused(QWEN(", \"max_position_embeddings\": 1e17"), "'max_position_embeddings' is 1e+17");
  refused(PLAIN(", \"no_rope_layers\": 3"), "'no_rope_layers' is 3");
  refused(PLAIN(", \"no_rope_layer_interval\": -4"), "'no_rope_layer_interval' is -4");
}

static void attention_configs_are_read(void **state) {
  (void)state;
  read_well(
      "{\"model_type\": \"dbrx\", \"attn_config\": {\"model_type\": \"\", \"rope_theta\":"
      " 500000}, \"d_model\": 6144, \"n_heads\": 48, \"n_layers\": 40, \"max_seq_len\": 32768}",
      0);
  assert_true(spec.base == 500000);
  assert_int_equal(spec.head_dim, 128);
  assert_int_equal(spec.context, 32768);
  assert_int_equal(model->layers, 40);
  explained("", "base", "500000", "'rope_theta' in 'attn_config'");
  read_well("{\"text_config\": {\"model_type\": \"dbrx\", \"attn_config\": {\"rope_theta\": 5e5},"
            " \"d_model\": 6144, \"n_heads\": 48}}",
            0);
  explained("", "base", "500000", "'rope_theta' in 'text_config.attn_config'");
  explained("", "context", "2048", "default of model_type 'dbrx' (transformers 5)");
  refused(PLAIN(", \"attn_config\": {\"alibi\": true}"), "the model has no RoPE: 'alibi' is true");
  refused(PLAIN(", \"attn_config\": 7"), "'attn_config' is 7: an object is needed");
  refused("{\"model_type\": \"mpt\", \"attn_config\": {\"alibi\": true}}", "the model has no RoPE");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(public_models_are_understood, clear),
      cmocka_unit_test_setup(models_beside_transformers_are_understood, clear),
      cmocka_unit_test(head_dimension_is_the_explicit_one),
      cmocka_unit_test(part_of_a_head_rotates),
      cmocka_unit_test(language_part_is_read),
      cmocka_unit_test(layout_can_be_told),
      cmocka_unit_test(models_without_rope_are_told),
      cmocka_unit_test(context_is_found),
      cmocka_unit_test(attention_configs_are_read),
  };
  return cmocka_run_group_tests(tests, NULL, release);
}

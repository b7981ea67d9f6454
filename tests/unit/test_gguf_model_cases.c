/* Architectures, heads and numbers of models in GGUF files: lib/model/gguf_model.h. */
#include "tests/unit/gguf_model_case.h"

static void architectures(void **state) {
  (void)state;
  static const char *const halves[] = {
      "qwen2",    "qwen3moe", "gemma2",  "phi3",        "gptneox", "falcon",     "gpt-oss", "olmo2",
      "seed_oss", "stablelm", "qwen3vl", "hunyuan-moe", "glm4moe", "starcoder2", "nemotron"};
  static const char *const interleaved[] = {"llama",    "deci",     "command-r", "granitemoe",
                                            "mistral3", "baichuan", "olmo",      "ernie4_5-moe",
                                            "chatglm",  "glm4",     "gptj",      "starcoder"};
  for (size_t i = 0; i < sizeof halves / sizeof *halves; i++) {
    usual(halves[i]);
    assert_int_equal(good()->layout, LAYOUT_HALVES);
    assert_int_equal(meta_count(meta, "warnings"), 0);
    assert_string_equal(model->ropes->label, halves[i]);
  }
  for (size_t i = 0; i < sizeof interleaved / sizeof *interleaved; i++) {
    usual(interleaved[i]);
    assert_int_equal(good()->layout, LAYOUT_INTERLEAVED);
    assert_int_equal(meta_count(meta, "warnings"), 0);
  }
  static const char *const rotated[] = {"nomic-bert", "nomic-bert-moe", "jina-bert-v3"};
  for (size_t i = 0; i < sizeof rotated / sizeof *rotated; i++) {
    usual(rotated[i]);
    assert_int_equal(good()->layout, LAYOUT_HALVES);
  }
  usual("novel");
  assert_int_equal(good()->layout, LAYOUT_HALVES);
  assert_warned("architecture 'novel' is not known");
}

static void without_rope(void **state) {
  (void)state;
  static const char *const names[] = {"gpt2",           "mpt",    "bloom",        "mamba2",
                                      "t5encoder",      "jais",   "jina-bert-v2", "rwkv7",
                                      "nemotron_h_moe", "refact", "bert",         "arwkv7"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    usual(names[i]);
    bad("the model has no RoPE: architecture '");
  }
  usual("starcoder");
  tensor("position_embd.weight", 4, 1);
  bad("it has a learned table of positions, the tensor 'position_embd.weight'");
  begin("baichuan");
  count("baichuan.block_count", 40);
  bad("architecture 'baichuan' has ALiBi");
  begin(NULL);
  bad("there is no 'general.architecture'");
  begin(NULL);
  count("general.architecture", 7);
  bad("'general.architecture' is of type u32: a text is needed");
  usual("");
  bad("'general.architecture' has 0 bytes");
  usual("1234567890123456789012345678901234567890123456789012345678901234+");
  bad("'general.architecture' has 65 bytes");
  usual("bl\033oom");
  assert_int_equal(good()->layout, LAYOUT_HALVES);
}

static void heads(void **state) {
  (void)state;
  usual("llama");
  count("llama.attention.key_length", 16);
  count("llama.rope.dimension_count", 12);
  assert_int_equal(good()->head_dim, 16);
  assert_int_equal(model->ropes->rotary_dim, 12);
  usual("llama");
  assert_int_equal(good()->head_dim, 8);
  assert_int_equal(model->ropes->rotary_dim, 8);
  /* One number for each layer, as of Deci. */
  begin("deci");
  count("deci.embedding_length", 64);
  counts("deci.attention.head_count", 3, (const uint64_t[]){0, 4, 8});
  assert_int_equal(good()->head_dim, 16);
  assert_warned("there is no 'deci.rope.freq_base': 10000");
  assert_int_equal(model->layers, 0);
  assert_null(model->schedule);
  usual("llama");
  count("llama.rope.dimension_count", 7);
  bad("'llama.rope.dimension_count' is 7: an even number up to the head's 8 is needed");
  usual("llama");
  count("llama.rope.dimension_count", 10);
  bad("is 10: an even number up to the head's 8");
  usual("llama");
  count("llama.attention.key_length", 9);
  bad("'llama.rope.dimension_count', the whole head, is 9");
  begin("llama");
  bad("the head dimension is not clear: there is neither 'llama.attention.key_length'");
  begin("llama");
  count("llama.embedding_length", 64);
  count("llama.attention.head_count", 0);
  bad("'llama.attention.head_count' is 0: a whole number from 1");
  begin("llama");
  count("llama.embedding_length", 64);
  counts("llama.attention.head_count", 2, (const uint64_t[]){0, 0});
  bad("'llama.attention.head_count' holds no number > 0");
  begin("llama");
  count("llama.embedding_length", 64);
  count("llama.attention.head_count", 7);
  bad("'llama.embedding_length' 64 is not a multiple of 'llama.attention.head_count' 7");
  usual("llama");
  text("llama.attention.key_length", "8");
  bad("'llama.attention.key_length' is of type text: a whole number is needed");
}

static void numbers(void **state) {
  (void)state;
  static const double wrong[] = {0, -1, NAN, INFINITY, -INFINITY};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    begin("llama");
    count("llama.attention.key_length", 8);
    real("llama.rope.freq_base", wrong[i]);
    bad("'llama.rope.freq_base' is ");
    usual("llama");
    real("llama.rope.scaling.factor", wrong[i]);
    bad("'llama.rope.scaling.factor' is ");
    usual("llama");
    real("llama.rope.scale_linear", wrong[i]);
    bad("'llama.rope.scale_linear' is ");
    usual("llama");
    tensor("rope_freqs.weight", 4, (float)wrong[i]);
    bad("number 0 of tensor 'rope_freqs.weight' is ");
  }
  usual("llama");
  count("llama.vocab_size", 7);
  real("llama.rope.scaling.factor", 4);
  text("llama.rope.scaling.type", "dynamic");
  bad("'llama.rope.scaling.type' is 'dynamic': none, linear, yarn and longrope are known");
  begin("llama");
  count("llama.attention.key_length", 8);
  count("llama.context_length", 0);
  bad("'llama.context_length' is 0: a whole number from 1");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(architectures),
      cmocka_unit_test(without_rope),
      cmocka_unit_test(heads),
      cmocka_unit_test(numbers),
  };
  return cmocka_run_group_tests(tests, NULL, release);
}

/* Each family's names and layouts, in checkpoints of a few numbers, and those that are refused. */
#include "tests/unit/checkpoints.h"
#include "tests/unit/gguf_make.h"
#include "tests/unit/learned_table.h"

#include "lib/model/checkpoint.h"

static struct error error;
static struct projection projection;
static struct checkpoint_make make;

/* Four dimensions in; two heads of two. Weights and biases count up from these. */
enum { WIDTH = 4, DIM = 2, HEADS = 2, QUERY = 100, KEY = 200, BIAS = 300, NORM = 400, SHIFT = 500 };

struct family_case {
  const char *config, *prefix, *query, *key; /* key NULL: fused */
  const char *norm, *shift;                  /* NULL: none in the file */
  const char *extra;                         /* a tensor of the width besides; NULL: none */
  size_t key_heads, layer;
  double epsilon;
  bool centred, biased;
};

static const char heads_2[] = "{\"num_attention_heads\": 2}";

static void add(const char *prefix, const char *name, size_t rows, size_t columns, double base) {
  char full[200];
  snprintf(full, sizeof full, "%s%s", prefix, name);
  make_counting(&make, full, rows, columns, base);
}

static void add_bias(const struct family_case *family, const char *name, size_t rows, double base) {
  char full[200];
  if (!family->biased) return;
  snprintf(full, sizeof full, "%.*s.bias", (int)(strlen(name) - strlen(".weight")), name);
  add(family->prefix, full, rows, 0, base);
}

static const char *folder_of(const char *config) {
  make_folder("model");
  unlink(path_of("model/config.json"));
  if (config) write_text("model/config.json", config);
  write_weights(&make, "model/model.safetensors");
  return path_of("model");
}

static void read_head(const char *text, size_t layer, size_t head, size_t dim) {
  projection_release(&projection);
  const struct checkpoint_choice choice = {layer, head, dim};
  assert_done(projection_read(text, &choice, &projection, &error));
  assert_int_equal(projection.layer, layer);
  assert_int_equal(projection.head, head);
}

static void assert_bad_head(const char *text, struct checkpoint_choice choice, const char *part) {
  projection_release(&projection);
  assert_refused(projection_read(text, &choice, &projection, &error), ERROR_INPUT, part);
  assert_message(&error, part);
  assert_null(projection.query);
  assert_null(projection.gain);
}

static void assert_counts(const double *value, size_t count, double base) {
  assert_non_null(value);
  for (size_t i = 0; i < count; i++)
    if (value[i] != base + (double)i) fail_msg("%zu: %g, not %g", i, value[i], base + (double)i);
}

static void check_family(const struct family_case *family) {
  const size_t key_rows = family->key_heads * DIM;
  add(family->prefix, family->query, HEADS * DIM, WIDTH, QUERY);
  add_bias(family, family->query, HEADS * DIM, BIAS);
  add(family->prefix, family->key, key_rows, WIDTH, KEY);
  add_bias(family, family->key, key_rows, BIAS + 10);
  if (family->norm) add(family->prefix, family->norm, WIDTH, 0, NORM);
  if (family->shift) add(family->prefix, family->shift, WIDTH, 0, SHIFT);
  if (family->extra) add(family->prefix, family->extra, WIDTH, 0, 7);
  const char *path = folder_of(family->config);
  for (size_t head = 0; head < HEADS; head++) {
    read_head(path, family->layer, head, 0);
    const size_t key_head = head * family->key_heads / HEADS;
    assert_int_equal(projection.width, WIDTH);
    assert_int_equal(projection.dim, DIM);
    assert_int_equal(projection.heads, HEADS);
    assert_int_equal(projection.key_heads, family->key_heads);
    assert_counts(projection.query, DIM * WIDTH, QUERY + (double)(head * DIM * WIDTH));
    assert_counts(projection.key, DIM * WIDTH, KEY + (double)(key_head * DIM * WIDTH));
    assert_int_equal(projection.query_bias != NULL, family->biased);
    if (family->biased) {
      assert_counts(projection.query_bias, DIM, BIAS + (double)(head * DIM));
      assert_counts(projection.key_bias, DIM, BIAS + 10 + (double)(key_head * DIM));
    }
    assert_int_equal(projection.gain != NULL, family->norm != NULL);
    assert_int_equal(projection.shift != NULL, family->shift != NULL);
    if (family->norm) assert_counts(projection.gain, WIDTH, NORM);
    if (family->shift) assert_counts(projection.shift, WIDTH, SHIFT);
    assert_int_equal(projection.centred, family->centred);
    if (family->norm) assert_close(projection.epsilon, family->epsilon, 0);
    assert_null(projection.query_gain);
    assert_int_equal(strlen(projection.sha256), 64);
  }
}

static void separate(void **state) {
  (void)state;
  static const struct family_case families[] = {
      {heads_2, "bert.", "encoder.layer.0.attention.self.query.weight",
       "encoder.layer.0.attention.self.key.weight", "embeddings.LayerNorm.weight",
       "embeddings.LayerNorm.bias", NULL, 2, 0, 1e-12, true, true},
      {heads_2, "", "encoder.layer.0.attention.self.query.weight",
       "encoder.layer.0.attention.self.key.weight", "embeddings.LayerNorm.gamma",
       "embeddings.LayerNorm.beta", NULL, 2, 0, 1e-12, true, true},
      {heads_2, "roberta.", "encoder.layer.0.attention.self.query.weight",
       "encoder.layer.0.attention.self.key.weight", "embeddings.LayerNorm.weight",
       "embeddings.LayerNorm.bias", NULL, 2, 0, 1e-5, true, true},
      {"{\"n_heads\": 2}", "distilbert.", "transformer.layer.0.attention.q_lin.weight",
       "transformer.layer.0.attention.k_lin.weight", "embeddings.LayerNorm.weight",
       "embeddings.LayerNorm.bias", NULL, 2, 0, 1e-12, true, true},
      {"{\"num_attention_heads\": 2, \"layer_norm_eps\": 0.25}", "vit.",
       "encoder.layer.1.attention.attention.query.weight",
       "encoder.layer.1.attention.attention.key.weight", "encoder.layer.1.layernorm_before.weight",
       "encoder.layer.1.layernorm_before.bias", NULL, 2, 1, 0.25, true, true},
      {heads_2, "gpt_neo.", "h.1.attn.attention.q_proj.weight", "h.1.attn.attention.k_proj.weight",
       "h.1.ln_1.weight", "h.1.ln_1.bias", NULL, 2, 1, 1e-5, true, false},
      {"{\"n_head\": 2, \"layer_norm_epsilon\": 0.5}", "transformer.", "h.0.attn.q_proj.weight",
       "h.0.attn.k_proj.weight", "h.0.ln_1.weight", "h.0.ln_1.bias", NULL, 2, 0, 0.5, true, false},
      {"{\"num_attention_heads\": 2, \"do_layer_norm_before\": true}", "model.decoder.",
       "layers.1.self_attn.q_proj.weight", "layers.1.self_attn.k_proj.weight",
       "layers.1.self_attn_layer_norm.weight", "layers.1.self_attn_layer_norm.bias", NULL, 2, 1,
       1e-5, true, true},
      /* OPT-350m normalises last: nothing stands before layer 0. */
      {"{\"num_attention_heads\": 2, \"do_layer_norm_before\": false}", "model.decoder.",
       "layers.0.self_attn.q_proj.weight", "layers.0.self_attn.k_proj.weight", NULL, NULL,
       "layers.0.self_attn_layer_norm.weight", 2, 0, 0, false, true},
      {"{\"decoder_attention_heads\": 2, \"encoder_attention_heads\": 1}", "model.decoder.",
       "layers.0.self_attn.q_proj.weight", "layers.0.self_attn.k_proj.weight",
       "layers.0.self_attn_layer_norm.weight", "layers.0.self_attn_layer_norm.bias",
       "layer_norm.weight", 2, 0, 1e-5, true, false},
      {"{\"decoder_attention_heads\": 1, \"encoder_attention_heads\": 2}", "model.encoder.",
       "layers.0.self_attn.q_proj.weight", "layers.0.self_attn.k_proj.weight",
       "layernorm_embedding.weight", "layernorm_embedding.bias",
       "layers.0.self_attn_layer_norm.weight", 2, 0, 1e-5, true, true},
      {"{\"num_attention_heads\": 1, \"text_config\": {\"num_attention_heads\": 2}}",
       "text_model.encoder.", "layers.0.self_attn.q_proj.weight",
       "layers.0.self_attn.k_proj.weight", "layers.0.layer_norm1.weight",
       "layers.0.layer_norm1.bias", NULL, 2, 0, 1e-5, true, true},
      {heads_2, "model.", "layers.3.self_attn.q_proj.weight", "layers.3.self_attn.k_proj.weight",
       "layers.3.input_layernorm.weight", NULL, NULL, 1, 3, 1e-6, false, false},
      {"{\"head_dim\": 2, \"rms_norm_eps\": 0.125}", "", "layers.12.self_attn.q_proj.weight",
       "layers.12.self_attn.k_proj.weight", "layers.12.input_layernorm.weight", NULL, NULL, 1, 12,
       0.125, false, true},
      /* Cohere has a LayerNorm without a bias. */
      {"{\"num_attention_heads\": 2, \"layer_norm_eps\": 0.125}", "model.",
       "layers.0.self_attn.q_proj.weight", "layers.0.self_attn.k_proj.weight",
       "layers.0.input_layernorm.weight", NULL, NULL, 2, 0, 0.125, true, false},
  };
  for (size_t i = 0; i < COUNT_OF(families); i++)
    check_family(&families[i]);
}

/* Conv1D: (input, output); outputs are the queries, the keys and the values. */
static void gpt2(void **state) {
  (void)state;
  enum { ALL = 3 * WIDTH };
  for (int layer = 0; layer < 2; layer++) {
    char name[64];
    const char *const parts[] = {"attn.c_attn.weight", "attn.c_attn.bias", "ln_1.weight",
                                 "ln_1.bias"};
    const size_t rows[] = {WIDTH, ALL, WIDTH, WIDTH}, columns[] = {ALL, 0, 0, 0};
    for (size_t i = 0; i < 4; i++) {
      snprintf(name, sizeof name, "transformer.h.%d.%s", layer, parts[i]);
      make_counting(&make, name, rows[i], columns[i], (double)(1000 * layer + 100 * (int)i));
    }
  }
  const char *path = folder_of("{\"n_head\": 2}");
  read_head(path, 1, 1, 0);
  assert_string_equal(projection.name, "model.safetensors:transformer.h.1.attn.c_attn.weight");
  for (size_t d = 0; d < DIM; d++)
    for (size_t w = 0; w < WIDTH; w++) {
      assert_close(projection.query[d * WIDTH + w], (double)(1000 + w * ALL + 2 + d), 0);
      assert_close(projection.key[d * WIDTH + w], (double)(1000 + w * ALL + 4 + 2 + d), 0);
    }
  assert_counts(projection.query_bias, DIM, 1100 + 2);
  assert_counts(projection.key_bias, DIM, 1100 + 4 + 2);
  assert_counts(projection.gain, WIDTH, 1200);
  assert_counts(projection.shift, WIDTH, 1300);
  assert_close(projection.epsilon, 1e-5, 0);
  /* A dimension that was given goes before the one that is told. */
  read_head(path, 0, 3, 1);
  assert_int_equal(projection.heads, 4);
  assert_bad_head(path, (struct checkpoint_choice){2, 0, 0}, "it has layers 0 to 1");
  assert_bad_head(path, (struct checkpoint_choice){0, 2, 0}, "has 2 of 2 dimensions: 0 to 1");
  assert_bad_head(path, (struct checkpoint_choice){0, 0, 3}, "no whole number of heads of 3");
  assert_bad_head(path, (struct checkpoint_choice){0, 0, 13}, "no whole number of heads of 13");
}

/* A head's query, key and value, and the next head's. */
static void gpt_neox(void **state) {
  (void)state;
  add("gpt_neox.layers.0.", "attention.query_key_value.weight", 12, WIDTH, QUERY);
  add("gpt_neox.layers.0.", "attention.query_key_value.bias", 12, 0, BIAS);
  add("gpt_neox.layers.0.", "input_layernorm.weight", WIDTH, 0, NORM);
  add("gpt_neox.layers.0.", "input_layernorm.bias", WIDTH, 0, SHIFT);
  read_head(folder_of(heads_2), 0, 1, 0);
  assert_counts(projection.query, DIM * WIDTH, QUERY + 6 * WIDTH);
  assert_counts(projection.key, DIM * WIDTH, QUERY + 8 * WIDTH);
  assert_counts(projection.key_bias, DIM, BIAS + 8);
}

static void phi3(void **state) {
  (void)state;
  for (int grouped = 0; grouped < 2; grouped++) {
    const size_t rows = grouped ? 8 : 12;
    add("model.layers.0.", "self_attn.qkv_proj.weight", rows, WIDTH, QUERY);
    add("model.layers.0.", "input_layernorm.weight", WIDTH, 0, NORM);
    const char *path = folder_of(heads_2);
    read_head(path, 0, 1, 0);
    assert_int_equal(projection.key_heads, grouped ? 1 : 2);
    assert_counts(projection.query, DIM * WIDTH, QUERY + 2 * WIDTH);
    assert_counts(projection.key, DIM * WIDTH, QUERY + (grouped ? 4 : 6) * WIDTH);
    unlink(path_of("model/config.json"));
    if (grouped)
      assert_bad_head(path, (struct checkpoint_choice){0, 0, DIM}, "of its 8 fused rows");
    else
      read_head(path, 0, 1, DIM);
  }
}

/* Qwen3 normalises each head's vectors; Gemma's gains lack 1. */
static void head_norms(void **state) {
  (void)state;
  for (int gemma = 0; gemma < 2; gemma++) {
    add("model.layers.0.", "self_attn.q_proj.weight", 4, WIDTH, QUERY);
    add("model.layers.0.", "self_attn.k_proj.weight", 2, WIDTH, KEY);
    add("model.layers.0.", "self_attn.q_norm.weight", DIM, 0, 10);
    add("model.layers.0.", "self_attn.k_norm.weight", DIM, 0, 20);
    add("model.layers.0.", "input_layernorm.weight", WIDTH, 0, NORM);
    read_head(folder_of(gemma ? "{\"head_dim\": 2, \"model_type\": \"gemma3_text\"}"
                              : "{\"head_dim\": 2, \"model_type\": \"qwen3\"}"),
              0, 1, 0);
    assert_counts(projection.query_gain, DIM, 10 + gemma);
    assert_counts(projection.key_gain, DIM, 20 + gemma);
    assert_counts(projection.gain, WIDTH, NORM + gemma);
  }
}

static void make_llama_gguf(struct gguf_make *made) {
  static const char *const names[] = {"blk.0.attn_k.weight", "blk.0.attn_norm.weight",
                                      "blk.0.attn_q.weight"};
  const uint64_t extents[3][2] = {{WIDTH, 2}, {WIDTH, 1}, {WIDTH, 4}};
  float values[48];
  for (size_t i = 0; i < 48; i++)
    values[i] = (float)i;
  *made = make_gguf(3, 3, 4);
  make_string(made, "general.architecture", "llama");
  make_whole(made, "llama.attention.head_count", GGUF_U32, 2);
  make_whole(made, "llama.attention.head_count_kv", GGUF_U32, 1);
  make_real(made, "llama.attention.layer_norm_rms_epsilon", 0.0625);
  for (uint32_t i = 0; i < 3; i++) {
    make_tensor(made, names[i], i == 1 ? 1 : 2, extents[i]);
    make_place(made, 0, 64 * i);
  }
  make_padding(made, 32);
  make_f32(made, values, 48);
}

static void gguf(void **state) {
  (void)state;
  struct gguf_make made;
  make_llama_gguf(&made);
  write_whole(path_of("llama.gguf"), made.bytes.data, made.bytes.size);
  bytes_free(&made.bytes);
  read_head(path_of("llama.gguf"), 0, 1, 0);
  assert_int_equal(projection.dim, 2);
  assert_int_equal(projection.key_heads, 1);
  assert_counts(projection.query, DIM * WIDTH, 32 + 8);
  assert_counts(projection.key, DIM * WIDTH, 0);
  assert_counts(projection.gain, WIDTH, 16);
  assert_false(projection.centred);
  assert_close(projection.epsilon, 0.0625, 0);
  assert_string_equal(projection.name, "llama.gguf:blk.0.attn_q.weight");
}

static void sharded(void **state) {
  (void)state;
  make_folder("shards");
  add("model.layers.0.", "self_attn.q_proj.weight", 4, WIDTH, QUERY);
  write_weights(&make, "shards/b.safetensors");
  add("model.layers.0.", "self_attn.k_proj.weight", 4, WIDTH, KEY);
  add("model.layers.0.", "input_layernorm.weight", WIDTH, 0, NORM);
  write_weights(&make, "shards/a.safetensors");
  add("", "unused", WIDTH, 0, NORM);
  write_weights(&make, "shards/aa.safetensors");
  write_text("shards/model.safetensors.index.json",
             "{\"weight_map\": {\"model.layers.0.self_attn.q_proj.weight\": \"b.safetensors\","
             "\"model.layers.0.self_attn.k_proj.weight\": \"a.safetensors\","
             "\"model.layers.0.input_layernorm.weight\": \"a.safetensors\","
             "\"unused\": \"aa.safetensors\"}}");
  read_head(path_of("shards"), 0, 1, DIM);
  assert_counts(projection.query, DIM * WIDTH, QUERY + 2 * WIDTH);
  assert_counts(projection.gain, WIDTH, NORM);
  /* The bytes of a.safetensors and b.safetensors. */
  struct hash_part part[2];
  char hash[HASH_TEXT];
  part[0].data = read_whole(path_of("shards/a.safetensors"), &part[0].size);
  part[1].data = read_whole(path_of("shards/b.safetensors"), &part[1].size);
  hash_parts(part, 2, hash);
  assert_string_equal(projection.sha256, hash);
  free((void *)(uintptr_t)part[0].data);
  free((void *)(uintptr_t)part[1].data);
}

/* Both parts of a model with two. */
static void prefixes(void **state) {
  (void)state;
  static const char *const parts[] = {"model.encoder.", "model.decoder."};
  char text[300];
  for (size_t i = 0; i < 2; i++) {
    add(parts[i], "layers.0.self_attn.q_proj.weight", 4, WIDTH, QUERY + 50 * (double)i);
    add(parts[i], "layers.0.self_attn.k_proj.weight", 4, WIDTH, KEY);
    add(parts[i], "layernorm_embedding.weight", WIDTH, 0, NORM);
    add(parts[i], "layernorm_embedding.bias", WIDTH, 0, SHIFT);
  }
  const char *path = folder_of("{\"model_type\": \"bart\", \"num_attention_heads\": 2}");
  assert_bad_head(path, (struct checkpoint_choice){0},
                  "FILE:PREFIX takes one; it has query weights under 'model.decoder.', "
                  "'model.encoder.'");
  static const char *const asked[] = {"model.decoder", "model.decoder.", "model.encoder"};
  for (size_t i = 0; i < 3; i++) {
    snprintf(text, sizeof text, "%s:%s", path, asked[i]);
    read_head(text, 0, 0, 0);
    assert_close(projection.query[0], i < 2 ? QUERY + 50 : QUERY, 0);
  }
  snprintf(text, sizeof text, "%s:model.deco", path);
  assert_bad_head(text, (struct checkpoint_choice){0}, "under 'model.deco': ");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(separate), cmocka_unit_test(gpt2),       cmocka_unit_test(gpt_neox),
      cmocka_unit_test(phi3),     cmocka_unit_test(head_norms), cmocka_unit_test(gguf),
      cmocka_unit_test(sharded),  cmocka_unit_test(prefixes),
  };
  const int failed = cmocka_run_group_tests(tests, folder_create, folder_remove);
  projection_release(&projection);
  return failed;
}

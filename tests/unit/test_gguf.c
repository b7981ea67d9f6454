/* Reading GGUF files: lib/io/gguf.h. What the files of tests/golden/gguf hold is what the Python
   package gguf 0.19.0 reads in them. */
#include "tests/unit/gguf_make.h"

#include "lib/base/memory.h"

static struct error error;

static void print_element(FILE *out, const struct gguf_value *value) {
  struct gguf_text text;
  int64_t whole;
  double real;
  bool flag;
  if (!gguf_text(value, &text, &error))
    fprintf(out, " '%.*s'", GGUF_SHOWN(text));
  else if (!gguf_flag(value, &flag, &error))
    fprintf(out, " %s", flag ? "true" : "false");
  else if (!gguf_whole(value, INT64_MIN, INT64_MAX, &whole, &error))
    fprintf(out, " %lld", (long long)whole);
  else if (!gguf_real(value, &real, &error))
    fprintf(out, " %.9g", real);
  else
    fprintf(out, " ?");
}

/* A line for each value and each tensor. */
static void print_gguf(const void *what, FILE *out) {
  const struct gguf *gguf = what;
  const struct gguf_value *value;
  const struct gguf_tensor *tensor;
  for (size_t i = 0; (value = gguf_value_at(gguf, i)); i++) {
    fprintf(out, "%.*s %s", GGUF_SHOWN(value->key), gguf_type_name(value).text);
    for (size_t k = 0; k < value->count; k++) {
      const struct gguf_value element = gguf_element(value, k);
      print_element(out, &element);
    }
    fputc('\n', out);
  }
  for (size_t i = 0; (tensor = gguf_tensor_at(gguf, i)); i++) {
    fprintf(out, "%.*s %s", GGUF_SHOWN(tensor->name), tensor->type ? tensor->type->name : "?");
    for (size_t k = 0; k < tensor->rank; k++)
      fprintf(out, " %zu", tensor->shape[k]);
    fprintf(out, ", %zu bytes at %zu\n", tensor->size, tensor->offset);
  }
}

#define VOCABULARY                                                                                 \
  "tokenizer.ggml.model text 'gpt2'\n"                                                             \
  "tokenizer.ggml.tokens array of text '<s>' '</s>' 'a' 'b' '\u0120the' '\u00e9' '\u65e5\u672c' "  \
  "'\U0001f999'\n"                                                                                 \
  "tokenizer.ggml.scores array of f32 0 -1 -2 -3.5 -4 -5 -6 -7.25\n"                               \
  "tokenizer.ggml.token_type array of i32 3 3 1 1 1 1 1 1\n"

static const struct golden {
  const char *name;
  unsigned version;
  bool big_endian;
  const char *holds;
} goldens[] = {
    {"llama3-factors", 3, false,
     "general.architecture text 'llama'\n"
     "general.type text 'model'\n"
     "general.name text 'synthetic llama, llama3 frequency factors'\n"
     "llama.block_count u32 32\n"
     "llama.context_length u32 131072\n"
     "llama.embedding_length u32 4096\n"
     "llama.feed_forward_length u32 14336\n"
     "llama.attention.head_count u32 32\n"
     "llama.attention.head_count_kv u32 8\n"
     "llama.rope.freq_base f32 500000\n"
     "llama.attention.layer_norm_rms_epsilon f32 9.99999975e-06\n"
     "general.file_type u32 0\n"
     "llama.vocab_size u32 8\n"
     "llama.rope.dimension_count u32 128\n" VOCABULARY
     "rope_freqs.weight F32 64, 256 bytes at 1024\n"},
    {"phi3-longrope", 3, false,
     "general.architecture text 'phi3'\n"
     "general.type text 'model'\n"
     "general.name text 'synthetic phi3, long and short factors'\n"
     "phi3.block_count u32 32\n"
     "phi3.context_length u32 131072\n"
     "phi3.embedding_length u32 3072\n"
     "phi3.feed_forward_length u32 8192\n"
     "phi3.attention.head_count u32 32\n"
     "phi3.attention.head_count_kv u32 32\n"
     "phi3.rope.scaling.original_context_length u32 4096\n"
     "phi3.attention.layer_norm_rms_epsilon f32 9.99999975e-06\n"
     "phi3.rope.dimension_count u32 96\n"
     "phi3.rope.freq_base f32 10000\n"
     "general.file_type u32 0\n"
     "phi3.attention.sliding_window u32 262144\n"
     "phi3.rope.scaling.attn_factor f32 1.19023812\n"
     "rope_factors_long.weight F32 48, 192 bytes at 832\n"
     "rope_factors_short.weight F32 48, 192 bytes at 1024\n"},
    {"deepseek2-yarn", 3, false,
     "general.architecture text 'deepseek2'\n"
     "general.type text 'model'\n"
     "general.name text 'synthetic deepseek2, YaRN with log multiplier'\n"
     "deepseek2.block_count u32 27\n"
     "deepseek2.context_length u32 163840\n"
     "deepseek2.embedding_length u32 2048\n"
     "deepseek2.feed_forward_length u32 10944\n"
     "deepseek2.attention.head_count u32 16\n"
     "deepseek2.attention.head_count_kv u32 1\n"
     "deepseek2.rope.scaling.type text 'yarn'\n"
     "deepseek2.rope.scaling.factor f32 40\n"
     "deepseek2.rope.scaling.original_context_length u32 4096\n"
     "deepseek2.rope.freq_base f32 10000\n"
     "deepseek2.attention.layer_norm_rms_epsilon f32 9.99999997e-07\n"
     "general.file_type u32 0\n"
     "deepseek2.attention.kv_lora_rank u32 512\n"
     "deepseek2.attention.key_length u32 576\n"
     "deepseek2.attention.value_length u32 512\n"
     "deepseek2.attention.key_length_mla u32 192\n"
     "deepseek2.attention.value_length_mla u32 128\n"
     "deepseek2.rope.dimension_count u32 64\n"
     "deepseek2.rope.scaling.yarn_log_multiplier f32 0.0706999972\n"
     "output_norm.weight F32 2048, 8192 bytes at 1152\n"},
    {"qwen2vl-mrope", 3, false,
     "general.architecture text 'qwen2vl'\n"
     "general.type text 'model'\n"
     "general.name text 'synthetic qwen2vl, three-axis sections'\n"
     "qwen2vl.block_count u32 28\n"
     "qwen2vl.context_length u32 32768\n"
     "qwen2vl.embedding_length u32 3584\n"
     "qwen2vl.feed_forward_length u32 18944\n"
     "qwen2vl.attention.head_count u32 28\n"
     "qwen2vl.attention.head_count_kv u32 4\n"
     "qwen2vl.rope.dimension_sections array of i32 16 24 24 0\n"
     "qwen2vl.rope.freq_base f32 1000000\n"
     "qwen2vl.attention.layer_norm_rms_epsilon f32 9.99999997e-07\n"
     "general.file_type u32 0\n"},
    {"llama-linear-v2", 2, false,
     "general.architecture text 'llama'\n"
     "general.name text 'synthetic llama, GGUF version 2, old linear key, other number types'\n"
     "general.alignment u32 64\n"
     "llama.block_count u16 32\n"
     "llama.context_length u64 16384\n"
     "llama.embedding_length i64 4096\n"
     "llama.attention.head_count i32 32\n"
     "llama.rope.freq_base f64 10000\n"
     "llama.rope.dimension_count u16 128\n"
     "llama.rope.scale_linear f32 4\n"
     "llama.attention.layer_norm_rms_epsilon f32 9.99999975e-06\n"
     "test.u8 u8 255\n"
     "test.i8 i8 -128\n"
     "test.i16 i16 -32768\n"
     "test.bool flag true\n"
     /* Beyond 63 bits they are no int64_t. */
     "test.u64s array of u64 0 9.22337204e+18 1.84467441e+19\n"
     "test.bools array of flag true false true\n"
     "token_embd.weight F16 4 10, 80 bytes at 832\n"
     "output_norm.weight F32 10, 40 bytes at 960\n"},
    {"llama3-factors-big-endian", 3, true,
     "general.architecture text 'llama'\n"
     "general.type text 'model'\n"
     "general.name text 'synthetic llama, big-endian, llama3 frequency factors'\n"
     "llama.block_count u32 16\n"
     "llama.context_length u32 131072\n"
     "llama.embedding_length u32 2048\n"
     "llama.feed_forward_length u32 8192\n"
     "llama.attention.head_count u32 32\n"
     "llama.attention.head_count_kv u32 8\n"
     "llama.rope.freq_base f32 500000\n"
     "llama.attention.layer_norm_rms_epsilon f32 9.99999975e-06\n"
     "general.file_type u32 0\n"
     "llama.attention.key_length u32 64\n"
     "llama.attention.value_length u32 64\n"
     "llama.rope.dimension_count u32 64\n" VOCABULARY
     "rope_freqs.weight F32 32, 128 bytes at 1120\n"
     "token_embd.weight F16 8 2, 32 bytes at 1248\n"},
};
enum { GOLDENS = sizeof goldens / sizeof *goldens };

static const char *golden_path(const char *name) {
  static char path[96];
  snprintf(path, sizeof path, "tests/golden/gguf/%s.gguf", name);
  return path;
}

static void golden_files(void **state) {
  (void)state;
  for (const struct golden *golden = goldens; golden < goldens + GOLDENS; golden++) {
    struct gguf *gguf;
    if (gguf_open(golden_path(golden->name), &gguf, &error)) fail_msg("%s", error.message);
    assert_int_equal(gguf_version(gguf), golden->version);
    assert_int_equal(gguf_is_big_endian(gguf), golden->big_endian);
    char *holds = printed(print_gguf, gguf, NULL);
    assert_string_equal(holds, golden->holds);
    free(holds);
    assert_memory_equal(gguf_bytes(gguf).data, "GGUF", 4);
    gguf_destroy(gguf);
  }
}

/* Each key and tensor is found by its name, and others are not. */
static void found(void **state) {
  (void)state;
  struct gguf *gguf;
  for (size_t i = 0; i < GOLDENS; i++) {
    assert_int_equal(gguf_open(golden_path(goldens[i].name), &gguf, &error), OK);
    const struct gguf_value *value;
    const struct gguf_tensor *tensor;
    for (size_t k = 0; (value = gguf_value_at(gguf, k)); k++) {
      char key[96];
      snprintf(key, sizeof key, "%.*s", GGUF_SHOWN(value->key));
      assert_ptr_equal(gguf_find(gguf, key), value);
      assert_null(gguf_find(gguf, strcat(key, "_")));
    }
    for (size_t k = 0; (tensor = gguf_tensor_at(gguf, k)); k++) {
      char name[96];
      snprintf(name, sizeof name, "%.*s", GGUF_SHOWN(tensor->name));
      assert_ptr_equal(gguf_tensor_find(gguf, name), tensor);
      assert_null(gguf_tensor_find(gguf, strcat(name, "s")));
    }
    assert_null(gguf_find(gguf, ""));
    gguf_destroy(gguf);
  }
  gguf_destroy(NULL);
}

static void elements(void **state) {
  (void)state;
  struct gguf *gguf;
  assert_int_equal(gguf_open(golden_path("llama3-factors-big-endian"), &gguf, &error), OK);
  double *reals = gguf_tensor_reals(gguf, gguf_tensor_find(gguf, "token_embd.weight"), &error);
  assert_non_null(reals);
  for (int i = 0; i < 16; i++)
    assert_true(reals[i] == i / 8.0 - 1);
  free(reals);
  reals = gguf_tensor_reals(gguf, gguf_tensor_find(gguf, "rope_freqs.weight"), &error);
  assert_non_null(reals);
  assert_true(reals[0] == 1 && reals[14] == 1 && reals[18] == 32 && reals[31] == 32);
  assert_true(fabs(reals[15] / 1.65132928 - 1) < 1e-8 && fabs(reals[17] / 9.66672897 - 1) < 1e-8);
  free(reals);
  gguf_destroy(gguf);
}

/* Every key and value may be of another type than usual. */
static void numbers(void **state) {
  (void)state;
  static const struct {
    enum gguf_type type;
    uint64_t bits;
    double real;
    int64_t whole; /* 0: it is none */
  } cases[] = {
      {GGUF_U8, 200, 200, 200},
      {GGUF_I8, 0xfe, -2, -2},
      {GGUF_U16, 65535, 65535, 65535},
      {GGUF_I16, 0x8000, -32768, -32768},
      {GGUF_U32, 0xffffffff, 4294967295, 4294967295},
      {GGUF_I32, 0x80000000, -2147483648.0, -2147483648},
      {GGUF_U64, 0x7fffffffffffffff, 0x1p63, INT64_MAX},
      {GGUF_U64, 0x8000000000000000, 0x1p63, 0},
      {GGUF_I64, 0x8000000000000000, -0x1p63, INT64_MIN},
      {GGUF_F32, 0x45800000, 4096, 4096},
      {GGUF_F32, 0x3f000000, 0.5, 0},
      {GGUF_F64, 0xc0b0000000000000, -4096, -4096},
      {GGUF_F64, 0x4340000000000000, 0x1p53, INT64_C(1) << 53},
      {GGUF_F64, 0x4350000000000000, 0x1p54, 0},
      {GGUF_F32, 0x7f800000, INFINITY, 0},
      {GGUF_F64, 0xfff0000000000000, -INFINITY, 0},
      {GGUF_F64, 0x7ff8000000000000, NAN, 0},
  };
  for (size_t i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
    struct gguf_make make = i % 2 ? make_big_endian(0, 1) : make_gguf(3, 0, 1);
    make_whole(&make, "n", cases[i / 2].type, cases[i / 2].bits);
    make_padding(&make, 32);
    struct gguf *gguf;
    char *block;
    if (parse_exactly(make.bytes, &block, &gguf, &error)) fail_msg("%s", error.message);
    const struct gguf_value *value = gguf_find(gguf, "n");
    const double expected = cases[i / 2].real;
    double real = -7, positive = -7;
    int64_t whole = -7;
    assert_int_equal(gguf_real(value, &real, &error), isfinite(expected) ? OK : ERROR_INPUT);
    if (!isfinite(expected)) assert_message(&error, "a finite number is needed");
    assert_true(real == (isfinite(expected) ? expected : -7));
    assert_int_equal(gguf_positive(value, &positive, &error),
                     isfinite(expected) && expected > 0 ? OK : ERROR_INPUT);
    assert_true(positive == (isfinite(expected) && expected > 0 ? expected : -7));
    assert_int_equal(gguf_whole(value, INT64_MIN, INT64_MAX, &whole, &error),
                     cases[i / 2].whole ? OK : ERROR_INPUT);
    assert_true(whole == (cases[i / 2].whole ? cases[i / 2].whole : -7));
    gguf_destroy(gguf);
    free(block);
    bytes_free(&make.bytes);
  }
}

static void refused_values(void **state) {
  (void)state;
  struct gguf_make make = make_gguf(3, 0, 4);
  make_whole(&make, "count", GGUF_U32, 12);
  make_string(&make, "name", "x");
  make_whole(&make, "flag", GGUF_FLAG, 1);
  make_array(&make, "list", GGUF_F32, 1);
  make_f32(&make, (const float[]){0}, 1);
  make_padding(&make, 32);
  struct gguf *gguf;
  char *block;
  struct gguf_text text;
  double real;
  int64_t whole;
  bool flag;
  if (parse_exactly(make.bytes, &block, &gguf, &error)) fail_msg("%s", error.message);
  assert_int_equal(gguf_whole(gguf_find(gguf, "count"), 1, 11, &whole, &error), ERROR_INPUT);
  assert_message(&error, "'count' is 12: a whole number from 1 to 11 is needed");
  assert_int_equal(gguf_whole(gguf_find(gguf, "count"), 13, 14, &whole, &error), ERROR_INPUT);
  assert_int_equal(gguf_text(gguf_find(gguf, "count"), &text, &error), ERROR_INPUT);
  assert_message(&error, "'count' is of type u32: a text is needed");
  assert_int_equal(gguf_flag(gguf_find(gguf, "count"), &flag, &error), ERROR_INPUT);
  assert_message(&error, "'count' is of type u32: a flag is needed");
  assert_int_equal(gguf_real(gguf_find(gguf, "name"), &real, &error), ERROR_INPUT);
  assert_message(&error, "'name' is of type text: a number is needed");
  assert_int_equal(gguf_real(gguf_find(gguf, "flag"), &real, &error), ERROR_INPUT);
  assert_int_equal(gguf_whole(gguf_find(gguf, "list"), 0, 1, &whole, &error), ERROR_INPUT);
  assert_message(&error, "'list' is of type array of f32: a whole number is needed");
  const struct gguf_value element = gguf_element(gguf_find(gguf, "list"), 0);
  assert_int_equal(gguf_positive(&element, &real, &error), ERROR_INPUT);
  assert_message(&error, "'list' is 0: a number > 0 is needed");
  gguf_destroy(gguf);
  free(block);
  bytes_free(&make.bytes);
}

static void other_files(void **state) {
  (void)state;
  struct gguf *gguf;
  assert_int_equal(gguf_open("tests/golden/gguf/none.gguf", &gguf, &error), ERROR_INPUT);
  assert_message(&error, "cannot read 'tests/golden/gguf/none.gguf': No such file");
  assert_null(gguf);
  assert_int_equal(gguf_open("tests/golden/gguf", &gguf, &error), ERROR_INPUT);
  assert_int_equal(gguf_open("tests/golden/gguf/ORIGIN.md", &gguf, &error), ERROR_INPUT);
  assert_message(&error, "'tests/golden/gguf/ORIGIN.md': not a GGUF file");
  assert_null(gguf);
}

/* As FILE:TENSOR, in either byte order. */
static void as_tensors(void **state) {
  (void)state;
  struct tensor *tensor;
  double eighths[40], expected[16];
  for (int i = 0; i < 40; i++)
    eighths[i] = i / 8.0;
  for (int i = 0; i < 16; i++)
    expected[i] = i / 8.0 - 1;
  assert_int_equal(
      tensor_read("tests/golden/gguf/llama-linear-v2.gguf:token_embd.weight", &tensor, &error), OK);
  assert_shape(tensor, 4, 10);
  assert_int_equal(tensor->storage, STORAGE_F16);
  assert_elements(tensor, 40, eighths);
  assert_int_equal(
      tensor_read("tests/golden/gguf/llama-linear-v2.gguf:output_norm.weight", &tensor, &error),
      OK);
  assert_shape(tensor, 10);
  for (int i = 0; i < 10; i++)
    eighths[i] = 1 + i / 16.0;
  assert_elements(tensor, 10, eighths);
  assert_int_equal(tensor_read("tests/golden/gguf/llama3-factors-big-endian.gguf:token_embd.weight",
                               &tensor, &error),
                   OK);
  assert_string_equal(tensor->sha256,
                      "8e0a6325e32d364c681da1d415e6f53b2304127324e6686530cd83de82982737");
  assert_shape(tensor, 8, 2);
  assert_elements(tensor, 16, expected);
  assert_int_equal(tensor_read("tests/golden/gguf/llama3-factors.gguf", &tensor, &error), OK);
  assert_shape(tensor, 64);
  tensor_destroy(tensor);
  assert_int_equal(tensor_read("tests/golden/gguf/phi3-longrope.gguf", &tensor, &error),
                   ERROR_INPUT);
  assert_message(&error, "phi3-longrope.gguf': which tensor? FILE:TENSOR takes one; it holds "
                         "'rope_factors_long.weight', 'rope_factors_short.weight'");
  assert_int_equal(tensor_read("tests/golden/gguf/qwen2vl-mrope.gguf:x", &tensor, &error),
                   ERROR_INPUT);
  assert_message(&error, "no tensor 'x' in it: it holds nothing");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(golden_files),   cmocka_unit_test(found),       cmocka_unit_test(elements),
      cmocka_unit_test(numbers),        cmocka_unit_test(other_files), cmocka_unit_test(as_tensors),
      cmocka_unit_test(refused_values),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Models from GGUF files: lib/model/gguf_model.h. What the files of tests/golden/gguf must come to
   was computed in float64 from what they store (tests/golden/gguf/ORIGIN.md); printed with ten
   digits, so 1e-9 is the most that a right number can be off. */
#include "tests/unit/gguf_make.h"

#include "lib/model/gguf_model.h"
#include "lib/rope/spectrum.h"

static struct model *model;
static struct meta *meta;
static struct error error;

static int release(void **state) {
  (void)state;
  model_destroy(model);
  meta_destroy(meta);
  model = NULL;
  meta = NULL;
  return 0;
}

static const struct rope_spec *read_golden(const char *name) {
  char path[96];
  release(NULL);
  meta = meta_create();
  snprintf(path, sizeof path, "tests/golden/gguf/%s.gguf", name);
  if (model_read(path, &model, meta, &error)) fail_msg("%s", error.message);
  return model->ropes;
}

struct frequency {
  size_t pair;
  double expected;
};

static void assert_close(const char *what, double value, double expected, double most) {
  if (!(fabs(value / expected - 1) <= most))
    fail_msg("%s is %.12g, not %.12g", what, value, expected);
}

#define assert_frequencies(spec, ...)                                                              \
  check_frequencies(spec, (const struct frequency[]){__VA_ARGS__},                                 \
                    sizeof(const struct frequency[]){__VA_ARGS__} / sizeof(struct frequency))

static struct spectrum *spectrum_of(const struct rope_spec *spec) {
  struct spectrum *spectrum;
  if (spectrum_create(spec, &spectrum, &error)) fail_msg("%s", error.message);
  return spectrum;
}

static void check_frequencies(const struct rope_spec *spec, const struct frequency *frequencies,
                              size_t count) {
  struct spectrum *spectrum = spectrum_of(spec);
  for (size_t i = 0; i < count; i++) {
    char what[48];
    snprintf(what, sizeof what, "the frequency of pair %zu", frequencies[i].pair);
    assert_close(what, (double)spectrum->inv_freq[frequencies[i].pair], frequencies[i].expected,
                 1e-9);
  }
  spectrum_destroy(spectrum);
}

static void assert_factors(const struct rope_spec *spec, double attention, double softmax) {
  struct spectrum *spectrum = spectrum_of(spec);
  assert_close("the attention factor", spectrum->attention_factor, attention, 1e-9);
  assert_close("the softmax factor", spectrum->softmax_factor, softmax, 1e-9);
  spectrum_destroy(spectrum);
}

/* The value and the source of a row of model->values; fails when there is none. */
static void assert_explained(const char *layer_type, const char *name, const char *value,
                             const char *source) {
  for (size_t row = 0; row < table_rows(model->values); row++)
    if (!strcmp(table_text(model->values, row, 0), layer_type) &&
        !strcmp(table_text(model->values, row, 1), name)) {
      assert_string_equal(table_text(model->values, row, 2), value);
      assert_string_equal(table_text(model->values, row, 3), source);
      return;
    }
  fail_msg("nothing is said of '%s'", name);
}

static void assert_warned(const char *part) {
  for (size_t i = 0; i < meta_count(meta, "warnings"); i++)
    if (strstr(meta_item_text(meta, "warnings", i), part)) return;
  fail_msg("no warning says '%s'", part);
}

static void llama3(void **state) {
  (void)state;
  const struct rope_spec *spec = read_golden("llama3-factors");
  assert_int_equal(model->count, 1);
  assert_string_equal(spec->label, "llama3-factors");
  assert_string_equal(spec->layer_type, "");
  assert_int_equal(spec->layout, LAYOUT_INTERLEAVED);
  assert_int_equal(spec->head_dim, 128);
  assert_int_equal(spec->rotary_dim, 128);
  assert_true(spec->base == 500000);
  assert_int_equal(spec->context, 131072);
  assert_int_equal(spec->model_context, 131072);
  assert_string_equal(spec->scaling.type, "factors");
  /* Nothing that the file does not hold. */
  assert_int_equal(spec->scaling.count, 0);
  assert_int_equal(spec->axes, 0);
  assert_factors(spec, 1, 1);
  const struct spec_list *list = spec_list(spec, "freq_factors");
  assert_non_null(list);
  assert_int_equal(list->count, 64);
  static const double divisors[] = {1.20748389, 1.55341458, 2.0263133,
                                    2.69452977, 3.6842525,  5.2573266};
  for (size_t i = 0; i < 64; i++)
    assert_close("a divisor", list->value[i], i < 29 ? 1 : i < 35 ? divisors[i - 29] : 8, 5e-9);
  assert_frequencies(spec, {0, 1}, {1, 8.146172339e-01}, {28, 3.211445995e-03},
                     {29, 2.166570734e-03}, {32, 5.248461446e-04}, {34, 1.785078123e-04},
                     {35, 9.556212354e-05}, {63, 3.068925989e-07});
  assert_int_equal(model->layers, 32);
  assert_non_null(model->schedule);
  for (int i = 0; i < 32; i++)
    assert_int_equal(model->schedule[i], 0);
  assert_string_equal(model->source.name, "llama3-factors.gguf");
  assert_string_equal(model->source.sha256,
                      "f5b76de6f568f7e428a3b5ccefc5d3f1e0c9a3e8268db5e78bc9ba3920b21bc8");
  assert_explained("", "base", "500000", "'llama.rope.freq_base'");
  assert_explained("", "head_dim", "128", "'embedding_length' / 'attention.head_count'");
  assert_explained("", "rotary_dim", "128", "'llama.rope.dimension_count'");
  assert_explained("", "context", "131072", "'llama.context_length'");
  assert_explained("", "layout", "interleaved", "'general.architecture'");
  assert_explained("", "scaling", "factors", "tensor 'rope_freqs.weight'");
  assert_explained("", "freq_factors", "64 numbers from 1 to 8", "tensor 'rope_freqs.weight'");
  assert_explained("", "layers", "32", "'llama.block_count'");
  assert_int_equal(meta_count(meta, "warnings"), 0);
}

static void big_endian(void **state) {
  (void)state;
  const struct rope_spec *spec = read_golden("llama3-factors-big-endian");
  assert_int_equal(spec->layout, LAYOUT_INTERLEAVED);
  assert_int_equal(spec->head_dim, 64);
  assert_int_equal(spec->rotary_dim, 64);
  assert_true(spec->base == 500000);
  assert_int_equal(spec->context, 131072);
  assert_string_equal(spec->scaling.type, "factors");
  assert_factors(spec, 1, 1);
  static const double divisors[] = {1.65132928, 3.29226208, 9.66672897};
  const struct spec_list *list = spec_list(spec, "freq_factors");
  assert_int_equal(list->count, 32);
  for (size_t i = 0; i < 32; i++)
    assert_close("a divisor", list->value[i], i < 15 ? 1 : i < 18 ? divisors[i - 15] : 32, 5e-9);
  assert_frequencies(spec, {0, 1}, {1, 6.636012377e-01}, {14, 3.211445995e-03},
                     {15, 1.290547902e-03}, {16, 4.295567999e-04}, {17, 9.708287808e-05},
                     {18, 1.946163818e-05}, {31, 9.418306725e-08});
}

static void phi3(void **state) {
  (void)state;
  const struct rope_spec *spec = read_golden("phi3-longrope");
  assert_int_equal(spec->layout, LAYOUT_HALVES);
  assert_int_equal(spec->rotary_dim, 96);
  assert_true(spec->base == 10000);
  assert_int_equal(spec->context, 131072);
  assert_string_equal(spec->scaling.type, "longrope");
  assert_true(spec_parameter(spec, "original_max_position_embeddings") == 4096);
  assert_factors(spec, 1.190238118171692, 1);
  assert_int_equal(spec_list(spec, "short_factor")->count, 48);
  assert_int_equal(spec_list(spec, "long_factor")->count, 48);
  assert_frequencies(spec, {0, 9.259258891e-01}, {1, 7.436073645e-01}, {24, 1.986491699e-04},
                     {47, 1.868488166e-06});
  struct rope_spec short_spec = *spec;
  short_spec.context = 4096;
  assert_frequencies(&short_spec, {0, 1}, {1, 8.092198046e-01}, {24, 5.025126507e-03},
                     {47, 4.265943305e-05});
  assert_explained("", "attention_factor", "1.190238118171692", "'phi3.rope.scaling.attn_factor'");
  assert_explained("", "long_factor", "48 numbers from 1.0800000429153442 to 64.83999633789062",
                   "tensor 'rope_factors_long.weight'");
}

static void deepseek2(void **state) {
  (void)state;
  const struct rope_spec *spec = read_golden("deepseek2-yarn");
  assert_int_equal(spec->layout, LAYOUT_INTERLEAVED);
  assert_int_equal(spec->rotary_dim, 64);
  assert_int_equal(spec->head_dim, 64);
  assert_true(spec->base == 10000);
  assert_int_equal(spec->context, 163840);
  assert_string_equal(spec->scaling.type, "yarn");
  assert_true(spec_parameter(spec, "factor") == 40);
  assert_true(spec_parameter(spec, "original_max_position_embeddings") == 4096);
  assert_true(spec_parameter(spec, "beta_fast") == 32);
  assert_true(spec_parameter(spec, "beta_slow") == 1);
  assert_close("mscale_all_dim", spec_parameter(spec, "mscale_all_dim"), 0.707, 1e-7);
  assert_factors(spec, 1, 1.589626140);
  struct spectrum *spectrum = spectrum_of(spec);
  assert_true(spectrum->correction_low == 10 && spectrum->correction_high == 23);
  spectrum_destroy(spectrum);
  assert_frequencies(spec, {0, 1}, {10, 5.623413252e-02}, {16, 5.5e-03}, {23, 3.333803580e-05},
                     {31, 3.333803580e-06});
  assert_explained("", "beta_fast", "32", "default of llama.cpp");
  assert_explained("", "rotary_dim", "64", "'deepseek2.rope.dimension_count'");
}

static void qwen2vl(void **state) {
  (void)state;
  const struct rope_spec *spec = read_golden("qwen2vl-mrope");
  assert_int_equal(spec->layout, LAYOUT_HALVES);
  assert_int_equal(spec->head_dim, 128);
  assert_int_equal(spec->rotary_dim, 128);
  assert_true(spec->base == 1000000);
  assert_string_equal(spec->scaling.type, "none");
  assert_factors(spec, 1, 1);
  assert_int_equal(spec->axes, 3);
  assert_int_equal(spec->section[0], 16);
  assert_int_equal(spec->section[1], 24);
  assert_int_equal(spec->section[2], 24);
  assert_false(spec->sections_interleaved);
  assert_frequencies(spec, {0, 1}, {1, 8.058421878e-01}, {16, 3.162277660e-02},
                     {40, 1.778279410e-04}, {63, 1.240937761e-06});
  assert_explained("", "mrope_section", "16,24,24", "'qwen2vl.rope.dimension_sections'");
  assert_warned("M-RoPE is read as for text");
}

static void linear(void **state) {
  (void)state;
  const struct rope_spec *spec = read_golden("llama-linear-v2");
  assert_int_equal(spec->layout, LAYOUT_INTERLEAVED);
  assert_int_equal(spec->rotary_dim, 128);
  assert_true(spec->base == 10000);
  assert_int_equal(spec->context, 16384);
  assert_string_equal(spec->scaling.type, "linear");
  assert_true(spec_parameter(spec, "factor") == 4);
  assert_int_equal(spec->scaling.count, 1);
  assert_factors(spec, 1, 1);
  assert_frequencies(spec, {0, 0.25}, {1, 2.164910808e-01}, {32, 2.5e-03}, {63, 2.886954962e-05});
  assert_explained("", "factor", "4", "'llama.rope.scale_linear'");
}

/* A GGUF file without the extension is told by its magic; anything with it is taken for one. */
static void by_magic(void **state) {
  (void)state;
  size_t size;
  char *data = read_whole("tests/golden/gguf/llama-linear-v2.gguf", &size);
  write_whole(path_of("config.json"), data, size);
  free(data);
  release(NULL);
  meta = meta_create();
  if (model_read(folder, &model, meta, &error)) fail_msg("%s", error.message);
  assert_true(model->ropes->base == 10000);
  const char *path = write_text("text.gguf", "{}");
  struct model *none;
  assert_int_equal(model_read(path, &none, meta, &error), ERROR_INPUT);
  assert_null(none);
  assert_message(&error, "text.gguf': not a GGUF file");
  assert_int_equal(model_read("none.gguf", &none, meta, &error), ERROR_INPUT);
  assert_message(&error, "cannot read 'none.gguf'");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(llama3),
      cmocka_unit_test(big_endian),
      cmocka_unit_test(phi3),
      cmocka_unit_test(qwen2vl),
      cmocka_unit_test(deepseek2),
      cmocka_unit_test(linear),
      cmocka_unit_test_setup_teardown(by_magic, folder_create, folder_remove),
  };
  return cmocka_run_group_tests(tests, NULL, release);
}

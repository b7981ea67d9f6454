/* lib/analysis/engine_diff.h */
#include "lib/analysis/engine_diff.h"

#include "tests/unit/engines.h"

static const char yarn[] = "yarn:factor=4,original_max_position_embeddings=32768";

/* The engines of the list. */
static void engines_of(const struct engine *engine[4]) {
  for (size_t i = 0; i < 4; i++)
    engine[i] = engine_at(i);
}

static struct table *diff(const struct engine *const *engines, size_t count,
                          struct spectrum *const *series, size_t series_count) {
  struct table *table;
  struct error error;
  if (engine_diff(engines, count, series, series_count, &table, &error))
    fail_msg("%s", error.message);
  return table;
}

static double cell(const struct table *table, size_t row, const char *column) {
  const int index = table_find_column(table, column);
  assert_true(index >= 0);
  return table_real(table, row, (size_t)index);
}

static const struct meta *entry(const struct table *table, size_t index) {
  const struct meta *meta = meta_item(table_meta(table), "series", index);
  assert_non_null(meta);
  return meta;
}

static void rows_and_columns(void **state) {
  (void)state;
  static const char *const names[] = {
      "series",          "layer_type",         "pair",     "reference",
      "engine",          "inv_freq_reference", "inv_freq", "relative_difference",
      "angle_difference"};
  const struct engine *engine[4];
  engines_of(engine);
  struct rope_spec spec = scaled_spec(8, 10000, "none");
  strcpy(spec.layer_type, "full_attention");
  spec.context = 1025;
  struct spectrum *series[2] = {spectrum_of(&spec)};
  strcpy(spec.layer_type, "sliding_attention");
  spec.head_dim = spec.rotary_dim = 4;
  spec.context = 0;
  series[1] = spectrum_of(&spec);
  struct table *table = diff(engine, 4, series, 2);
  assert_int_equal(table_columns(table), 9);
  for (size_t c = 0; c < 9; c++)
    assert_string_equal(table_column_name(table, c), names[c]);
  assert_int_equal(table_rows(table), 3 * 4 + 3 * 2);
  for (size_t r = 0; r < 18; r++) {
    const size_t pairs = r < 12 ? 4 : 2, in_series = r < 12 ? r : r - 12;
    assert_string_equal(table_text(table, r, 0),
                        r < 12 ? "full_attention d=8 b=10000" : "sliding_attention d=4 b=10000");
    assert_string_equal(table_text(table, r, 1), r < 12 ? "full_attention" : "sliding_attention");
    assert_int_equal(table_integer(table, r, 2), in_series % pairs);
    assert_string_equal(table_text(table, r, 3), "hf");
    assert_string_equal(table_text(table, r, 4), engine[1 + in_series / pairs]->name);
    const double reference = cell(table, r, "inv_freq_reference"), own = cell(table, r, "inv_freq");
    assert_near(reference, pow(10000, -(double)(in_series % pairs) / (double)pairs), 1e-7);
    /* The quotient of two floats is rounded once. */
    assert_near(cell(table, r, "relative_difference"), (own - reference) / reference, 1e-15);
    if (r < 12)
      assert_near(cell(table, r, "angle_difference"), (own - reference) * 1024, 0);
    else
      assert_true(isnan(cell(table, r, "angle_difference")));
  }
  assert_int_equal(meta_count(table_meta(table), "series"), 6);
  assert_int_equal(meta_count(table_meta(table), "engines"), 4);
  assert_string_equal(meta_text(meta_item(table_meta(table), "engines", 2), "version"), "b10256");
  assert_string_equal(meta_text(table_meta(table), "reference"), "hf");
  assert_true(isnan(meta_real(entry(table, 5), "angle_difference", NAN)));
  assert_true(isnan(meta_real(entry(table, 5), "context", NAN)));
  assert_string_equal(meta_text(entry(table, 0), "layer_type"), "full_attention");
  table_destroy(table);
  spectrum_destroy(series[0]);
  spectrum_destroy(series[1]);
}

/* vLLM's M-RoPE with YaRN: 30 to 47 in place of 23 to 40, so that pairs 24 to 46 differ, by less
   than the factor. */
static void largest_differences(void **state) {
  (void)state;
  const struct engine *engine[2] = {engine_named("hf"), engine_named("vllm")};
  struct rope_spec spec = scaled_spec(128, 1e6, yarn);
  spec.context = 131072;
  spec.axes = 3;
  strcpy(spec.label, "Mine");
  struct spectrum *series = spectrum_of(&spec);
  struct table *table = diff(engine, 2, &series, 1);
  double relative = 0, angle = 0;
  size_t relative_pair = 0, angle_pair = 0;
  for (size_t r = 0; r < 64; r++) {
    const double by = cell(table, r, "relative_difference");
    const double turned = cell(table, r, "angle_difference");
    assert_true(r > 23 && r < 47 ? by > 1e-3 && by < 3 : by == 0);
    assert_near(turned,
                (cell(table, r, "inv_freq") - cell(table, r, "inv_freq_reference")) * 131071, 0);
    if (by > relative) relative = by, relative_pair = r;
    if (turned > angle) angle = turned, angle_pair = r;
  }
  const struct meta *meta = entry(table, 0);
  assert_string_equal(meta_text(meta, "series"), "Mine");
  assert_string_equal(meta_text(meta, "reference"), "hf");
  assert_string_equal(meta_text(meta, "engine"), "vllm");
  assert_string_equal(meta_text(meta, "reference_version"), "5.19.0");
  assert_string_equal(meta_text(meta, "engine_version"), "@926c71f6");
  assert_near(meta_real(meta, "relative_difference", NAN), relative, 0);
  assert_near(meta_real(meta, "relative_difference_pair", NAN), (double)relative_pair, 0);
  assert_near(meta_real(meta, "angle_difference", NAN), angle, 0);
  assert_near(meta_real(meta, "angle_difference_pair", NAN), (double)angle_pair, 0);
  assert_near(meta_real(meta, "context", NAN), 131072, 0);
  assert_int_equal(meta_count(meta, "reference_notes"), 0);
  assert_int_equal(meta_count(meta, "engine_notes"), 1);
  assert_non_null(strstr(meta_item_text(meta, "engine_notes", 0), "mrope with yarn"));
  table_destroy(table);
  /* The other way round the sign changes, and the notes change places. */
  const struct engine *turned[2] = {engine[1], engine[0]};
  table = diff(turned, 2, &series, 1);
  assert_near(meta_real(entry(table, 0), "angle_difference", NAN), -angle, 0);
  assert_true(meta_real(entry(table, 0), "relative_difference", NAN) < 0);
  assert_int_equal(meta_count(entry(table, 0), "reference_notes"), 1);
  table_destroy(table);
  spectrum_destroy(series);
}

/* DeepSeek's factors: 1.36889 of transformers 5.19.0, 1.26080 of vLLM; the frequencies are the
   same, and no pair is the one that differs most. */
static void factors_of_both(void **state) {
  (void)state;
  const struct engine *engine[2] = {engine_named("hf"), engine_named("vllm")};
  struct rope_spec spec =
      scaled_spec(64, 10000, "yarn:factor=40,original_max_position_embeddings=4096,mscale=0.707");
  spec.context = 1;
  struct spectrum *series = spectrum_of(&spec);
  struct table *table = diff(engine, 2, &series, 1);
  const struct meta *meta = entry(table, 0);
  assert_near(meta_real(meta, "attention_factor_reference", NAN), 1.36889, 5e-6);
  assert_near(meta_real(meta, "attention_factor", NAN), 1.26080, 5e-6);
  assert_near(meta_real(meta, "softmax_factor_reference", NAN), 1, 0);
  assert_near(meta_real(meta, "softmax_factor", NAN), 1, 0);
  assert_near(meta_real(meta, "relative_difference", NAN), 0, 0);
  assert_near(meta_real(meta, "angle_difference", NAN), 0, 0);
  assert_true(isnan(meta_real(meta, "relative_difference_pair", NAN)));
  for (size_t r = 0; r < 32; r++)
    assert_near(cell(table, r, "angle_difference"), 0, 0);
  table_destroy(table);
  spectrum_destroy(series);
}

/* Pairs that do not rotate in one engine alone do not exist, but those that rotate in neither do.
 */
static void zero_is_no_difference(void **state) {
  (void)state;
  const struct engine *engine[2] = {engine_named("mlx"), engine_named("vllm")};
  struct rope_spec spec = scaled_spec(8, 10000, "proportional:partial_rotary_factor=0.5");
  spec.context = 4096;
  struct spectrum *series = spectrum_of(&spec);
  struct table *table = diff(engine, 2, &series, 1);
  for (size_t r = 2; r < 4; r++) {
    assert_near(cell(table, r, "inv_freq"), 0, 0);
    assert_near(cell(table, r, "relative_difference"), 0, 0);
    assert_near(cell(table, r, "angle_difference"), 0, 0);
  }
  table_destroy(table);
  spectrum_destroy(series);
}

static void faults(void **state) {
  (void)state;
  const struct engine *engine[4], *twice[3];
  engines_of(engine);
  twice[0] = twice[2] = engine[0], twice[1] = engine[1];
  struct rope_spec spec = scaled_spec(8, 10000, "dynamic:factor=2,max_position_embeddings=2048");
  struct spectrum *series = spectrum_of(&spec);
  const struct {
    const struct engine *const *engines;
    size_t count, series_count;
    const char *message;
  } cases[] = {
      {engine, 0, 1, "0 engines to compare: two or more are needed"},
      {engine, 1, 1, "1 engine to compare: two or more are needed"},
      {twice, 3, 1, "the engine 'hf' is named twice"},
      {engine, 2, 0, "no series"},
      {engine, 3, 1, "llama.cpp (b10256) cannot compute the scaling type 'dynamic'"},
      {engine + 2, 2, 1, "llama.cpp (b10256) cannot compute the scaling type 'dynamic'"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct table *table = (struct table *)(uintptr_t)1;
    struct error error = {OK, ""};
    assert_int_equal(engine_diff(cases[i].engines, cases[i].count, &series, cases[i].series_count,
                                 &table, &error),
                     ERROR_INPUT);
    assert_null(table);
    assert_message(error, cases[i].message);
  }
  spectrum_destroy(series);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_and_columns), cmocka_unit_test(largest_differences),
      cmocka_unit_test(factors_of_both),  cmocka_unit_test(zero_is_no_difference),
      cmocka_unit_test(faults),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* lib/analysis/freqs.h */
#include "lib/analysis/freqs.h"
#include "lib/rope/axis_of_pair.h"
#include "tests/unit/curves.h"

static const struct freqs_request usual = {0};
static struct error error;

static struct rope_spec spec_of(size_t dim, double base, int64_t context, const char *scaling) {
  struct rope_spec spec;
  spec_default(&spec);
  spec.head_dim = spec.rotary_dim = dim;
  spec.base = base;
  spec.context = context;
  if (spec_parse_scaling(scaling, &spec.scaling, &error)) fail_msg("%s", error.message);
  return spec;
}

static struct spectrum *scaled(size_t dim, double base, int64_t context, const char *scaling) {
  const struct rope_spec spec = spec_of(dim, base, context, scaling);
  return spectrum_of(&spec);
}

static struct table *frequencies(struct freqs_request request, struct spectrum *const *series,
                                 size_t count) {
  struct table *table = NULL;
  if (freqs_run(&request, series, count, &table, &error)) fail_msg("%s", error.message);
  return table;
}

static const char *text_cell(const struct table *table, size_t row, const char *column) {
  const int index = table_find_column(table, column);
  assert_true(index >= 0);
  return table_text(table, row, (size_t)index);
}

/* θ_i = 10000^(−2i/128), λ_i = 2π/θ_i: 50-digit arithmetic, rounded to the digits written. */
static void plain_pairs(void **state) {
  (void)state;
  static const struct {
    size_t pair;
    double wavelength;
  } known[] = {{0, 6.283185307}, {1, 7.255709199}, {32, 628.3185307}, {63, 54410.14313}};
  struct spectrum *spectrum = scaled(128, 10000, 4096, "none");
  struct table *table = frequencies(usual, &spectrum, 1);
  static const char *const columns[] = {"series",     "layer_type", "pair", "inv_freq",
                                        "wavelength", "turns",      "band", "factor"};
  assert_int_equal(table_columns(table), 8);
  for (size_t i = 0; i < 8; i++)
    assert_string_equal(table_column_name(table, i), columns[i]);
  assert_int_equal(table_rows(table), 64);
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    const double wavelength = known[i].wavelength;
    assert_near(cell(table, known[i].pair, "wavelength"), wavelength, 1e-9 * wavelength);
    assert_near(cell(table, known[i].pair, "turns"), 4096 / wavelength, 4096e-9 / wavelength);
  }
  for (size_t row = 0; row < 64; row++) {
    assert_string_equal(text_cell(table, row, "series"), "d=128 b=10000");
    assert_string_equal(text_cell(table, row, "layer_type"), "");
    assert_string_equal(text_cell(table, row, "band"), "kept");
    assert_near(cell(table, row, "pair"), (double)row, 0);
    assert_near(cell(table, row, "factor"), 1, 0);
    assert_near(cell(table, row, "inv_freq"), pow(10000, -(double)row / 64), 1e-15);
  }
  const struct meta *meta = series_meta(table, 0);
  assert_near(meta_real(meta, "original_context", NAN), 4096, 0);
  assert_near(meta_real(meta, "critical_dim", NAN), 92, 0); /* Liu et al. 2023, for LLaMA 2 */
  assert_near(meta_real(meta, "kept_pairs", NAN), 64, 0);
  assert_near(meta_real(meta, "rotary_dim", NAN), 128, 0);
  assert_near(meta_real(meta, "head_dim", NAN), 128, 0);
  assert_string_equal(meta_text(meta, "layout"), "interleaved");
  assert_near(meta_real(meta, "base", NAN), 10000, 0);
  assert_near(meta_real(meta, "effective_base", NAN), 10000, 0);
  assert_near(meta_real(meta, "attention_factor", NAN), 1, 0);
  assert_near(meta_real(meta, "softmax_factor", NAN), 1, 0);
  assert_true(isnan(meta_real(meta, "correction_low", NAN)));
  table_destroy(table);
  spectrum_destroy(spectrum);
}

/* Nothing is said over a context that is not known. */
static void no_context(void **state) {
  (void)state;
  struct spectrum *spectrum = scaled(128, 10000, 0, "none");
  struct table *table = frequencies(usual, &spectrum, 1);
  for (size_t row = 0; row < 64; row++)
    assert_true(isnan(cell(table, row, "turns")));
  const struct meta *meta = series_meta(table, 0);
  assert_true(isnan(meta_real(meta, "original_context", NAN)));
  assert_true(isnan(meta_real(meta, "critical_dim", NAN)));
  table_destroy(table);
  spectrum_destroy(spectrum);
}

#define LLAMA3                                                                                     \
  "llama3:factor=8,low_freq_factor=1,high_freq_factor=4,original_max_position_embeddings=8192"

/* Llama 3.1: 29 pairs kept, 6 blended, 29 divided; values in double precision. */
static void bands_of_llama3(void **state) {
  (void)state;
  struct spectrum *spectrum = scaled(128, 500000, 131072, LLAMA3);
  struct table *table = frequencies((struct freqs_request){.wavelength_plain = true}, &spectrum, 1);
  for (size_t row = 0; row < 64; row++) {
    const char *band = row < 29 ? "kept" : row < 35 ? "blended" : "divided";
    assert_string_equal(text_cell(table, row, "band"), band);
    const double factor = cell(table, row, "factor");
    if (row < 29) assert_near(factor, 1, 0);
    if (row >= 29 && row < 35) assert_true(factor > 1.01 && factor < 7.99);
    if (row >= 35) assert_near(factor, 8, 8e-15);
    assert_near(cell(table, row, "wavelength") / factor, cell(table, row, "wavelength_plain"),
                1e-14 * cell(table, row, "wavelength_plain"));
  }
  assert_near(cell(table, 32, "inv_freq"), 5.248461610e-4, 5e-14);
  assert_near(cell(table, 35, "inv_freq"), 9.556212354e-5, 5e-15);
  assert_near(cell(table, 34, "wavelength"), 35198.377089, 5e-7);
  assert_near(cell(table, 63, "wavelength_plain"), 2559195.517, 5e-4);
  const struct meta *meta = series_meta(table, 0);
  assert_near(meta_real(meta, "kept_pairs", NAN), 29, 0);
  assert_near(meta_real(meta, "blended_pairs", NAN), 6, 0);
  assert_near(meta_real(meta, "divided_pairs", NAN), 29, 0);
  assert_near(meta_real(meta, "zero_pairs", NAN), 0, 0);
  assert_near(meta_real(meta, "original_context", NAN), 8192, 0);
  assert_near(meta_real(meta, "critical_dim", NAN), 70, 0); /* 29 wavelengths are above 8192 */
  assert_near(meta_real(meta, "context", NAN), 131072, 0);
  table_destroy(table);
  spectrum_destroy(spectrum);
}

/* YaRN for Llama 2, Mistral and Qwen2.5: where the ramp runs. */
static void corrections_of_yarn(void **state) {
  (void)state;
  static const struct {
    double base;
    const char *scaling;
    double low, high;
  } known[] = {
      {1e4, "yarn:factor=16,original_max_position_embeddings=4096", 20, 46},
      {1e4, "yarn:factor=8,original_max_position_embeddings=8192", 25, 50},
      {1e6, "yarn:factor=4,original_max_position_embeddings=32768", 23, 40},
  };
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    struct spectrum *spectrum = scaled(128, known[i].base, 0, known[i].scaling);
    struct table *table = frequencies(usual, &spectrum, 1);
    const struct meta *meta = series_meta(table, 0);
    assert_near(meta_real(meta, "correction_low", NAN), known[i].low, 0);
    assert_near(meta_real(meta, "correction_high", NAN), known[i].high, 0);
    /* Pair `low` is still kept, `high` is fully divided. */
    assert_near(meta_real(meta, "kept_pairs", NAN), known[i].low + 1, 0);
    assert_near(meta_real(meta, "divided_pairs", NAN), 64 - known[i].high, 0);
    table_destroy(table);
    spectrum_destroy(spectrum);
  }
}

static void stopped_pairs(void **state) {
  (void)state;
  struct spectrum *spectrum = scaled(256, 10000, 8192, "p-rope:p=0.75");
  struct table *table = frequencies((struct freqs_request){.wavelength_plain = true}, &spectrum, 1);
  for (size_t row = 96; row < 128; row++) {
    assert_string_equal(text_cell(table, row, "band"), "zero");
    assert_near(cell(table, row, "inv_freq"), 0, 0);
    assert_near(cell(table, row, "turns"), 0, 0);
    assert_true(cell(table, row, "wavelength") == INFINITY);
    assert_true(cell(table, row, "factor") == INFINITY);
    assert_true(isfinite(cell(table, row, "wavelength_plain")));
  }
  assert_string_equal(text_cell(table, 95, "band"), "kept");
  assert_near(meta_real(series_meta(table, 0), "zero_pairs", NAN), 32, 0);
  assert_near(meta_real(series_meta(table, 0), "kept_pairs", NAN), 96, 0);
  table_destroy(table);
  spectrum_destroy(spectrum);
}

/* Series of different sizes lie one behind the other; ζ_0 = 0.4/1.4. */
static void several_series(void **state) {
  (void)state;
  struct rope_spec spec = spec_of(8, 10000, 64, "linear:factor=2");
  strcpy(spec.label, "toy");
  strcpy(spec.layer_type, "full_attention");
  struct spectrum *series[] = {scaled(4, 10000, 0, "none"), spectrum_of(&spec)};
  const struct freqs_request request = {.wavelength_plain = true, .xpos = true};
  struct table *table = frequencies(request, series, 2);
  assert_int_equal(table_rows(table), 6);
  assert_int_equal(table_columns(table), 10);
  assert_string_equal(table_column_name(table, 8), "wavelength_plain");
  assert_string_equal(table_column_name(table, 9), "xpos");
  for (size_t row = 0; row < 6; row++) {
    const double pair = (double)(row < 2 ? row : row - 2);
    assert_near(cell(table, row, "pair"), pair, 0);
    assert_string_equal(text_cell(table, row, "layer_type"), row < 2 ? "" : "full_attention");
    assert_near(cell(table, row, "xpos"), (pair / (row < 2 ? 2 : 4) + 0.4) / 1.4, 1e-15);
    assert_near(cell(table, row, "factor"), row < 2 ? 1 : 2, 0);
    assert_true(isnan(cell(table, row, "turns")) == (row < 2));
  }
  assert_near(cell(table, 0, "xpos"), 0.2857142857, 5e-11);
  assert_string_equal(text_cell(table, 1, "series"), "d=4 b=10000");
  assert_string_equal(text_cell(table, 2, "series"), "toy");
  assert_string_equal(meta_text(series_meta(table, 1), "series"), "toy");
  assert_string_equal(meta_text(series_meta(table, 1), "layer_type"), "full_attention");
  table_destroy(table);
  spectrum_destroy(series[0]);
  spectrum_destroy(series[1]);
  table = NULL;
  assert_int_equal(freqs_run(&usual, series, 0, &table, &error), ERROR_INPUT);
  assert_message(error, "no series");
  assert_null(table);
}

/* Llama 3's bands change behind pairs 28 and 34; a plain RoPE's do not; 8 pairs are all shown. */
/* The column is there on request, and empty for a RoPE of one axis. */
static void axes_of_pairs(void **state) {
  (void)state;
  struct rope_spec spec = spec_of(8, 100, 0, "none");
  assert_int_equal(spec_parse_sections("1,1,2", &spec, &error), OK);
  struct spectrum *series[3] = {spectrum_of(&spec), scaled(4, 100, 0, "none")};
  assert_int_equal(spec_parse_sections("axial", &spec, &error), OK);
  series[2] = spectrum_of(&spec);
  struct table *table =
      frequencies((struct freqs_request){.wavelength_plain = true, .axis = true}, series, 3);
  static const char *const expected[] = {"time", "height", "width", "width",  "",
                                         "",     "width",  "width", "height", "height"};
  assert_int_equal(table_rows(table), 10);
  assert_string_equal(table_column_name(table, 9), "axis");
  for (size_t row = 0; row < 10; row++)
    assert_string_equal(text_cell(table, row, "axis"), expected[row]);
  static const char *const letters[] = {"THWW", NULL, "WWHH"};
  for (size_t i = 0; i < 3; i++) {
    const char *text = meta_text(meta_item(table_meta(table), "series", i), "pair_axes");
    if (letters[i])
      assert_string_equal(text, letters[i]);
    else
      assert_null(text);
  }
  table_destroy(table);
  table = frequencies(usual, series, 1);
  assert_int_equal(table_find_column(table, "axis"), -1);
  table_destroy(table);
  const struct freqs_request request = {.axis = true};
  assert_int_equal(freqs_run(&request, series + 1, 1, &table, &error), ERROR_INPUT);
  assert_message(error, "takes positions from 1 axis alone");
  for (size_t i = 0; i < 3; i++)
    spectrum_destroy(series[i]);
}

static void few_rows_tell_of_many(void **state) {
  (void)state;
  static const struct {
    size_t dim, count, pair[6];
    const char *scaling;
  } rows[] = {{128,
               6,
               {0, 28, 29, 34, 35, 63},
               "llama3:factor=8,low_freq_factor=1,high_freq_factor=4,"
               "original_max_position_embeddings=8192"},
              {128, 3, {0, 31, 63}, "none"},
              {18, 3, {0, 4, 8}, "none"},
              {16, 8, {0, 1, 2, 3, 4, 5}, "none"}};
  struct spectrum *series[4];
  struct table *table = NULL, *digest = NULL;
  for (size_t i = 0; i < 4; i++)
    series[i] = scaled(rows[i].dim, 500000, 0, rows[i].scaling);
  assert_int_equal(freqs_run(&usual, series, 4, &table, &error), OK);
  assert_int_equal(freqs_digest(table, &digest, &error), OK);
  assert_int_equal(table_columns(digest), table_columns(table));
  assert_int_equal(table_rows(digest), 6 + 3 + 3 + 8);
  for (size_t i = 0, row = 0, first = 0; i < 4; first += series[i++]->pairs)
    for (size_t j = 0; j < rows[i].count; j++, row++) {
      if (j < 6) assert_near(cell(digest, row, "pair"), (double)rows[i].pair[j], 0);
      const size_t whole = first + (size_t)cell(digest, row, "pair");
      assert_near(cell(digest, row, "inv_freq"), cell(table, whole, "inv_freq"), 0);
      assert_string_equal(table_text(digest, row, 0), table_text(table, whole, 0));
    }
  table_destroy(digest);
  table_destroy(table);
  for (size_t i = 0; i < 4; i++)
    spectrum_destroy(series[i]);
}

/* Angles against long double products; at 2^20 both are far better than 1e-9. */
static void clock_hands(void **state) {
  (void)state;
  static const int64_t position[] = {0, 1, 7, -7, 1048576};
  struct spectrum *spectrum = scaled(16, 10000, 0, "none");
  struct table *table = NULL;
  assert_int_equal(freqs_clock(spectrum, position, 5, &table, &error), OK);
  assert_int_equal(table_columns(table), 3);
  assert_string_equal(table_column_name(table, 0), "position");
  assert_string_equal(table_column_name(table, 1), "pair");
  assert_string_equal(table_column_name(table, 2), "angle");
  assert_int_equal(table_rows(table), 40);
  const long double turn = 6.28318530717958647692528676655900577L;
  for (size_t row = 0; row < 40; row++) {
    const int64_t here = position[row / 8];
    const long double exact = (long double)here * spectrum->inv_freq[row % 8];
    const long double rest = exact - turn * floorl(exact / turn);
    assert_near(cell(table, row, "position"), (double)here, 0);
    assert_near(cell(table, row, "pair"), (double)(row % 8), 0);
    assert_near(cell(table, row, "angle"), (double)rest, 1e-9);
  }
  assert_near(meta_real(table_meta(table), "rotary_dim", NAN), 16, 0);
  table_destroy(table);
  assert_int_equal(freqs_clock(spectrum, position, 0, &table, &error), ERROR_INPUT);
  assert_message(error, "no positions");
  assert_null(table);
  spectrum_destroy(spectrum);
}

/* 257 is no number of bf16: the hand stands where 256 has it. */
static void clock_of_a_format(void **state) {
  (void)state;
  static const int64_t position[] = {256, 257};
  struct rope_spec spec = spec_of(8, 10000, 0, "none");
  spec.precision = PRECISION_BF16;
  struct spectrum *spectrum = spectrum_of(&spec);
  struct table *table = NULL;
  assert_int_equal(freqs_clock(spectrum, position, 2, &table, &error), OK);
  for (size_t pair = 0; pair < 4; pair++)
    assert_near(cell(table, pair, "angle"), cell(table, 4 + pair, "angle"), 0);
  table_destroy(table);
  spectrum_destroy(spectrum);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(plain_pairs),           cmocka_unit_test(no_context),
      cmocka_unit_test(bands_of_llama3),       cmocka_unit_test(corrections_of_yarn),
      cmocka_unit_test(stopped_pairs),         cmocka_unit_test(several_series),
      cmocka_unit_test(clock_hands),           cmocka_unit_test(clock_of_a_format),
      cmocka_unit_test(few_rows_tell_of_many), cmocka_unit_test(axes_of_pairs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

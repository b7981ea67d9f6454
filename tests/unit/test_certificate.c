/* lib/analysis/certificate.h: right code, what is reported, and errors. Faults:
 * test_certificate_faults. */
#include "tests/unit/spectra.h"

#include "lib/analysis/certificate.h"
#include "lib/base/memory.h"
#include "lib/base/thread.h"

static const enum precision all[] = {PRECISION_FP64, PRECISION_FP32, PRECISION_TF32, PRECISION_BF16,
                                     PRECISION_FP16};

static struct table *certify(struct backend *backend, const struct spectrum *spectrum, int64_t last,
                             const enum precision *precisions, size_t count) {
  const struct certificate_request request = {.spectrum = spectrum,
                                              .max_position = last,
                                              .precisions = precisions,
                                              .precision_count = count,
                                              .seed = 1};
  struct table *table = NULL;
  struct error error;
  if (certificate_run(backend, &request, &table, &error)) fail_msg("%s", error.message);
  return table;
}

static const char *text(const struct table *table, size_t row, const char *column) {
  const int index = table_find_column(table, column);
  assert_true(index >= 0);
  return table_text(table, row, (size_t)index);
}

static double real(const struct table *table, size_t row, const char *column) {
  const int index = table_find_column(table, column);
  assert_true(index >= 0);
  return table_real(table, row, (size_t)index);
}

/* Rows of that check (NULL: any), precision (NULL: any) and status. */
static size_t count_rows(const struct table *table, const char *check, const char *precision,
                         const char *status) {
  size_t count = 0;
  for (size_t row = 0; row < table_rows(table); row++)
    count += (!check || !strcmp(text(table, row, "check"), check)) &&
             (!precision || !strncmp(text(table, row, "detail"), precision, strlen(precision))) &&
             !strcmp(text(table, row, "status"), status);
  return count;
}

static void assert_no_failure(const struct table *table, const struct spectrum *spectrum) {
  for (size_t row = 0; row < table_rows(table); row++)
    if (!strcmp(text(table, row, "status"), "fail"))
      fail_msg("dim %zu, base %g, position %.0f: %s is %g, tolerance %g (%s)",
               spectrum->spec.head_dim, spectrum->spec.base, real(table, row, "position"),
               text(table, row, "check"), real(table, row, "value"), real(table, row, "tolerance"),
               text(table, row, "detail"));
}

/* Right code never fails, in any format; in fp64 nothing is vacuous where more than one pair
 * rotates. */
static void check_right_code(struct backend *backend, struct rope_spec spec, int64_t last) {
  const enum layout layouts[] = {LAYOUT_INTERLEAVED, LAYOUT_HALVES};
  for (size_t i = 0; i < 2; i++) {
    spec.layout = layouts[i];
    struct spectrum *spectrum = spectrum_of(&spec);
    struct table *table = certify(backend, spectrum, last, all, sizeof all / sizeof *all);
    assert_no_failure(table, spectrum);
    assert_true(count_rows(table, NULL, "fp64: ", "pass") > 0);
    if (spectrum->pairs > 1) assert_int_equal(count_rows(table, NULL, "fp64: ", "vacuous"), 0);
    table_destroy(table);
    spectrum_destroy(spectrum);
  }
}

static void right_code_passes(void **state) {
  static const struct {
    size_t dim, rotary;
    double base;
    int64_t last;
  } cases[] = {
      {2, 2, 1e4, 4096},
      {2, 2, 1, INT64_C(1) << 31},
      {4, 4, 1, 131072},
      {4, 4, 1e4, 1},
      {64, 64, 1e4, 2},
      {64, 64, 5e5, INT64_C(1) << 31},
      {64, 64, 1, 131072},
      {80, 32, 1e4, 2048},
      {80, 32, 5e5, INT64_C(1) << 40},
      {128, 128, 1e4, 1000},
      {64, 64, 0.5, 1000},
      {6, 2, 1e4, 100},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct rope_spec spec;
    spec_default(&spec);
    spec.head_dim = cases[i].dim;
    spec.rotary_dim = cases[i].rotary;
    spec.base = cases[i].base;
    check_right_code(*state, spec, cases[i].last);
  }
}

/* Wide heads, to the end of Llama 3.1's context. */
static void wide_heads_pass(void **state) {
  struct spectrum *spectrum = plain_spectrum(256, 500000);
  struct table *table = certify(*state, spectrum, 131072, all, 1);
  assert_no_failure(table, spectrum);
  assert_int_equal(count_rows(table, NULL, NULL, "vacuous"), 0);
  table_destroy(table);
  spectrum_destroy(spectrum);
}

static void scaled_spectra_pass(void **state) {
  static const char *const scalings[] = {"linear:factor=8",
                                         "llama3:factor=8,low_freq_factor=1,high_freq_factor=4,"
                                         "original_max_position_embeddings=8192"};
  for (size_t i = 0; i < sizeof scalings / sizeof *scalings; i++) {
    struct rope_spec spec;
    struct error error;
    spec_default(&spec);
    spec.head_dim = spec.rotary_dim = 64;
    spec.base = 500000;
    spec.context = 131072;
    if (spec_parse_scaling(scalings[i], &spec.scaling, &error)) fail_msg("%s", error.message);
    check_right_code(*state, spec, 131072);
  }
}

static void every_check_in_order(void **state) {
  static const char *const names[] = {"orthogonality_max", "orthogonality_spectral",
                                      "determinant",       "singular_values",
                                      "eigenvalues",       "group_law",
                                      "inverse",           "norm",
                                      "relative_property", "layout_equivalence",
                                      "kernel_agreement"};
  static const char *const columns[] = {"check", "position", "value", "tolerance",
                                        "unit",  "status",   "detail"};
  struct spectrum *spectrum = plain_spectrum(16, 10000);
  struct table *table = certify(*state, spectrum, 1, all, 2);
  assert_int_equal(table_columns(table), 7);
  for (size_t c = 0; c < 7; c++)
    assert_string_equal(table_column_name(table, c), columns[c]);
  assert_int_equal(table_rows(table), 22);
  for (size_t row = 0; row < 22; row++) {
    assert_string_equal(text(table, row, "check"), names[row / 2]);
    assert_int_equal(strncmp(text(table, row, "detail"), row % 2 ? "fp32: " : "fp64: ", 6), 0);
    assert_string_equal(text(table, row, "status"), "pass");
    assert_near(real(table, row, "position"), 1, 0);
    assert_true(real(table, row, "value") <= real(table, row, "tolerance"));
    assert_true(*text(table, row, "unit"));
  }
  table_destroy(table);
  spectrum_destroy(spectrum);
}

/* No tolerance leaves room for an angle off by 1e-13 in fp64, or by more than 8 roundings of the
   largest angle in fp32. */
static void tolerances_are_tight(void **state) {
  struct spectrum *spectrum = plain_spectrum(128, 10000);
  struct table *table = certify(*state, spectrum, 4096, all, 2);
  for (size_t row = 0; row < table_rows(table); row++) {
    const bool exact = !strncmp(text(table, row, "detail"), "fp64", 4);
    const double limit = exact ? 1e-13 : 8 * 0x1p-24 * 4096;
    assert_true(real(table, row, "tolerance") <= limit);
  }
  table_destroy(table);
  spectrum_destroy(spectrum);
}

static void start_alone_proves_nothing(void **state) {
  struct spectrum *spectrum = plain_spectrum(64, 10000);
  struct table *table = certify(*state, spectrum, 0, all, 5);
  assert_int_equal(table_rows(table), 55);
  assert_int_equal(count_rows(table, NULL, NULL, "vacuous"), 55);
  assert_non_null(strstr(text(table, 0, "detail"), "proves nothing: "));
  assert_near(meta_real(table_meta(table), "vacuous", NAN), 55, 0);
  assert_near(meta_real(table_meta(table), "passed", NAN), 0, 0);
  table_destroy(table);
  spectrum_destroy(spectrum);
}

/* At the end of a long context bf16 has no angles left: what depends on them proves nothing, what
   depends on the entries alone still holds. fp16 ends at 65504. */
static void short_formats_end(void **state) {
  const enum precision precisions[] = {PRECISION_BF16, PRECISION_FP16};
  struct spectrum *spectrum = plain_spectrum(64, 10000);
  struct table *table = certify(*state, spectrum, 131072, precisions, 2);
  for (size_t row = 0; row < table_rows(table); row++) {
    if (real(table, row, "position") < 131071) continue;
    const char *check = text(table, row, "check"), *status = text(table, row, "status");
    if (!strncmp(text(table, row, "detail"), "fp16", 4)) {
      assert_string_equal(status, "vacuous");
      assert_true(isnan(real(table, row, "value")) && isnan(real(table, row, "tolerance")));
      assert_non_null(strstr(text(table, row, "detail"), "beyond the largest fp16"));
    } else if (!strcmp(check, "eigenvalues") || !strcmp(check, "group_law") ||
               !strcmp(check, "relative_property")) {
      assert_string_equal(status, "vacuous");
    } else {
      assert_string_equal(status, "pass");
    }
  }
  assert_true(count_rows(table, "group_law", "bf16: ", "pass") > 0);
  assert_true(count_rows(table, "relative_property", "fp16: ", "pass") > 0);
  table_destroy(table);
  spectrum_destroy(spectrum);
}

static void one_pair_has_one_layout(void **state) {
  struct spectrum *spectrum = plain_spectrum(2, 10000);
  struct table *table = certify(*state, spectrum, 100, all, 1);
  assert_int_equal(count_rows(table, "layout_equivalence", NULL, "pass"), 0);
  assert_true(count_rows(table, "layout_equivalence", NULL, "vacuous") > 0);
  assert_int_equal(count_rows(table, "eigenvalues", NULL, "vacuous"), 0);
  table_destroy(table);
  spectrum_destroy(spectrum);
}

static void attention_factor_is_noted(void **state) {
  struct spectrum *spectrum = plain_spectrum(16, 10000);
  spectrum->attention_factor = 1.25;
  struct table *table = certify(*state, spectrum, 10, all, 1);
  const size_t last = table_rows(table) - 1;
  assert_string_equal(text(table, last, "check"), "attention_factor");
  assert_string_equal(text(table, last, "status"), "note");
  assert_near(real(table, last, "value"), 1.25, 0);
  assert_true(isnan(real(table, last, "position")) && isnan(real(table, last, "tolerance")));
  assert_non_null(strstr(text(table, last, "detail"), "scores by 1.5625"));
  assert_near(meta_real(table_meta(table), "notes", NAN), 1, 0);
  assert_near(meta_real(table_meta(table), "failed", NAN), 0, 0);
  assert_no_failure(table, spectrum);
  table_destroy(table);
  spectrum_destroy(spectrum);
}

static void coverage_is_stated(void **state) {
  struct spectrum *spectrum = plain_spectrum(16, 10000);
  struct table *table = certify(*state, spectrum, 4096, all, 3);
  const struct meta *meta = table_meta(table);
  char *json = meta_to_json(meta, 0);
  assert_non_null(json);
  assert_non_null(strstr(json, "\"positions\": [1"));
  assert_non_null(strstr(json, "\"dense_positions\": [1"));
  assert_non_null(strstr(json, "\"precisions\": [\"fp64\", \"fp32\", \"tf32\"]"));
  free(json);
  assert_near(meta_real(meta, "max_position", NAN), 4096, 0);
  assert_near(meta_real(meta, "seed", NAN), 1, 0);
  assert_near(meta_real(meta, "head_dim", NAN), 16, 0);
  assert_near(meta_real(meta, "rotary_dim", NAN), 16, 0);
  const double decided = meta_real(meta, "passed", NAN) + meta_real(meta, "vacuous", NAN);
  assert_near(decided, (double)table_rows(table), 0);
  assert_non_null(meta_text(meta, "reading"));
  table_destroy(table);
  spectrum_destroy(spectrum);
}

/* A certificate says what it is of: every value that makes the spectrum. */
static void spectrum_is_stated(void **state) {
  struct rope_spec spec;
  struct error error;
  spec_default(&spec);
  snprintf(spec.label, sizeof spec.label, "mine");
  spec.head_dim = 16;
  spec.rotary_dim = 8;
  spec.base = 500000;
  spec.layout = LAYOUT_HALVES;
  spec.context = 4096;
  assert_int_equal(spec_parse_scaling("linear:factor=4", &spec.scaling, &error), OK);
  struct spectrum *spectrum;
  assert_int_equal(spectrum_create(&spec, &spectrum, &error), OK);
  struct table *table = certify(*state, spectrum, 100, all, 2);
  const struct meta *meta = table_meta(table);
  assert_string_equal(meta_text(meta, "label"), "mine");
  assert_string_equal(meta_text(meta, "layout"), "halves");
  assert_near(meta_real(meta, "head_dim", NAN), 16, 0);
  assert_near(meta_real(meta, "rotary_dim", NAN), 8, 0);
  assert_near(meta_real(meta, "base", NAN), 500000, 0);
  assert_near(meta_real(meta, "effective_base", NAN), 500000, 0);
  assert_near(meta_real(meta, "context", NAN), 4096, 0);
  assert_near(meta_real(meta, "attention_factor", NAN), 1, 0);
  assert_near(meta_real(meta, "softmax_factor", NAN), 1, 0);
  assert_string_equal(meta_text(meta_child(meta, "scaling"), "type"), "linear");
  assert_near(meta_real(meta_child(meta, "scaling"), "factor", NAN), 4, 0);
  assert_null(meta_text(meta, "precision"));
  table_destroy(table);
  table = certify(*state, spectrum, 100, all + 1, 1);
  assert_string_equal(meta_text(table_meta(table), "precision"), "fp32");
  table_destroy(table);
  spectrum_destroy(spectrum);
}

static void expect_error(struct backend *backend, const struct certificate_request *request,
                         int code, const char *part) {
  struct table *table = NULL;
  struct error error = {0};
  assert_int_equal(certificate_run(backend, request, &table, &error), code);
  assert_null(table);
  assert_message(error, part);
}

static void refuses_requests(void **state) {
  struct spectrum *spectrum = plain_spectrum(2, 10000), *wide = plain_spectrum(1026, 10000);
  struct certificate_request request = {
      .spectrum = spectrum, .max_position = -1, .precisions = all, .precision_count = 1};
  expect_error(*state, &request, ERROR_INPUT, "'-1'");
  request.max_position = CERTIFICATE_POSITION_MAXIMUM + 1;
  expect_error(*state, &request, ERROR_INPUT, "0 to 9007199254740992 is possible");
  request.max_position = 10;
  request.precision_count = 0;
  expect_error(*state, &request, ERROR_INPUT, "at least one precision");
  request.precision_count = 1;
  for (request.samples = 1; request.samples < 2000; request.samples += 1000)
    expect_error(*state, &request, ERROR_INPUT, "2 to 1000 are possible");
  request.samples = 0;
  request.spectrum = wide;
  expect_error(*state, &request, ERROR_INPUT, "'1026' dimensions");
  spectrum_destroy(spectrum);
  spectrum_destroy(wide);
}

static void says_what_memory_it_lacks(void **state) {
  struct spectrum *spectrum = plain_spectrum(64, 10000);
  const struct certificate_request request = {
      .spectrum = spectrum, .max_position = 4096, .precisions = all, .precision_count = 1};
  static const struct {
    uint64_t limit;
    const char *part;
  } limits[] = {{4096, "the vectors"}, {16384, "the rotated vectors"}, {131072, "the matrices"}};
  for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
    memory_set_limit(limits[i].limit);
    expect_error(*state, &request, ERROR_FAILED, limits[i].part);
  }
  memory_set_limit((uint64_t)1 << 32);
  spectrum_destroy(spectrum);
}

/* The whole table and its meta data as text, to be released with free(). */
static char *written(struct backend *backend, const struct spectrum *spectrum, int threads) {
  char *out = NULL;
  size_t size;
  thread_use(threads);
  struct table *table = certify(backend, spectrum, 131072, all, 5);
  FILE *stream = open_memstream(&out, &size);
  assert_non_null(stream);
  table_write_json(table, stream);
  fclose(stream);
  table_destroy(table);
  thread_use(thread_available());
  return out;
}

static void threads_do_not_matter(void **state) {
  struct spectrum *spectrum = plain_spectrum(32, 500000);
  char *one = written(*state, spectrum, 1), *two = written(*state, spectrum, 2);
  assert_string_equal(one, two);
  free(one);
  free(two);
  spectrum_destroy(spectrum);
}

static int open_backend(void **state) {
  *state = open_cpu();
  memory_set_limit((uint64_t)1 << 32);
  return 0;
}

static int close_backend(void **state) {
  backend_close(*state);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(right_code_passes),         cmocka_unit_test(wide_heads_pass),
      cmocka_unit_test(scaled_spectra_pass),       cmocka_unit_test(every_check_in_order),
      cmocka_unit_test(tolerances_are_tight),      cmocka_unit_test(start_alone_proves_nothing),
      cmocka_unit_test(short_formats_end),         cmocka_unit_test(one_pair_has_one_layout),
      cmocka_unit_test(attention_factor_is_noted), cmocka_unit_test(coverage_is_stated),
      cmocka_unit_test(spectrum_is_stated),        cmocka_unit_test(refuses_requests),
      cmocka_unit_test(says_what_memory_it_lacks), cmocka_unit_test(threads_do_not_matter),
  };
  return cmocka_run_group_tests(tests, open_backend, close_backend);
}

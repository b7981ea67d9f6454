/* lib/analysis/extend.h */
#include "tests/unit/extend_job.h"

static void lists_of_methods(void **state) {
  (void)state;
  struct extend_methods methods;
  assert_int_equal(extend_parse_methods("linear,yarn:beta_fast=16,beta_slow=2,ntk:factor=4,base",
                                        &methods, &error),
                   OK);
  assert_int_equal(methods.count, 4);
  assert_string_equal(methods.name[0], "linear");
  assert_string_equal(methods.name[1], "yarn:beta_fast=16,beta_slow=2");
  assert_string_equal(methods.name[2], "ntk:factor=4");
  assert_string_equal(methods.name[3], "base");
  static const char *const empty[] = {"", ",linear", "linear,", "linear,,ntk"};
  for (size_t i = 0; i < sizeof empty / sizeof *empty; i++) {
    assert_int_equal(extend_parse_methods(empty[i], &methods, &error), ERROR_INPUT);
    assert_message(error, "has an empty part");
  }
  char text[4 * EXTEND_METHOD] = "a";
  for (int i = 1; i < EXTEND_METHODS; i++)
    strcat(text, ",a");
  assert_int_equal(extend_parse_methods(text, &methods, &error), OK);
  assert_int_equal(methods.count, EXTEND_METHODS);
  strcat(text, ",b");
  assert_int_equal(extend_parse_methods(text, &methods, &error), ERROR_INPUT);
  assert_message(error, "too many methods at 'b': at most 32");
  memset(text, 'x', EXTEND_METHOD);
  text[EXTEND_METHOD - 1] = '\0';
  assert_int_equal(extend_parse_methods(text, &methods, &error), OK);
  strcpy(text + EXTEND_METHOD - 1, ",k=1");
  assert_int_equal(extend_parse_methods(text, &methods, &error), ERROR_INPUT);
  assert_message(error, "is too long");
  text[EXTEND_METHOD - 1] = 'x';
  assert_int_equal(extend_parse_methods(text, &methods, &error), ERROR_INPUT);
  assert_message(error, "is too long");
}

/* First distances with a negative cosine sum, d = 128, base 10000, original context 4096: counted
   over whole distances in double precision, apart from this program. */
static void first_negative_distances(void **state) {
  (void)state;
  static const struct {
    const char *method;
    int64_t target;
    double distance;
  } known[] = {
      {"none", 32768, 1707}, {"linear", 32768, 13649}, {"ntk", 8192, 2572},
      {"ntk", 32768, 5732},  {"yarn", 65536, 11671},   {"yarn", 131072, 25500},
  };
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    const struct extend_request request =
        request_of(128, 10000, 4096, known[i].target, known[i].method);
    struct table *table = extend(&request);
    assert_int_equal(table_rows(table), 1);
    assert_string_equal(table_text(table, 0, 0), known[i].method);
    assert_near(cell(table, 0, "first_negative_distance"), known[i].distance, 0);
    table_destroy(table);
  }
  /* The target is the last distance that is looked at. */
  for (int64_t target = 1706; target <= 1707; target++) {
    const struct extend_request request = request_of(128, 10000, 1024, target, "none");
    struct table *table = extend(&request);
    const double first = cell(table, 0, "first_negative_distance");
    assert_true(target == 1707 ? first == 1707 : isnan(first));
    table_destroy(table);
  }
}

static void columns_are_those_promised(void **state) {
  (void)state;
  const struct extend_request request =
      request_of(128, 10000, 4096, 32768, "none,linear,yarn,llama3,base");
  struct table *table = extend(&request);
  static const char *const columns[] = {
      "method",          "factor",       "base", "attention_factor", "first_negative_distance",
      "untrained_pairs", "max_angle_gap"};
  assert_int_equal(table_columns(table), 7);
  for (size_t i = 0; i < 7; i++)
    assert_string_equal(table_column_name(table, i), columns[i]);
  assert_int_equal(table_rows(table), 5);
  assert_true(isnan(cell(table, 0, "factor")));
  for (size_t row = 1; row < 5; row++)
    assert_near(cell(table, row, "factor"), 8, 0);
  for (size_t row = 0; row < 5; row++) /* YaRN, eq. 25: 0.1 ln 8 + 1 */
    assert_near(cell(table, row, "attention_factor"), row == 2 ? 1.2079441541679836 : 1, 1e-15);
  for (size_t row = 0; row < 4; row++)
    assert_near(cell(table, row, "base"), 10000, 0);
  table_destroy(table);
}

/* Llama 2: the last 18 of its 64 wavelengths are longer than 4096 tokens, from pair 46 on. */
static void untrained_pairs(void **state) {
  (void)state;
  const struct extend_request request =
      request_of(128, 10000, 4096, 32768, "none,linear,ntk,yarn,llama3,base,linear:factor=4");
  struct table *table = extend(&request);
  static const double count[] = {18, 0, 17, 0, 0, 0, 18};
  for (size_t row = 0; row < 7; row++)
    assert_near(cell(table, row, "untrained_pairs"), count[row], 0);
  const double theta = pow(10000, -92. / 128);
  assert_near(cell(table, 0, "max_angle_gap"), (32768 - 4096) * theta, 1e-10);
  assert_near(cell(table, 6, "max_angle_gap"), (8192 - 4096) * theta, 1e-11);
  const double slower = pow(82684.622641, -92. / 128); /* the base that NTK makes of it */
  assert_near(cell(table, 2, "max_angle_gap"), 32768 * slower - 4096 * theta, 1e-8);
  static const int none[] = {1, 3, 4, 5};
  for (size_t i = 0; i < 4; i++)
    assert_near(cell(table, (size_t)none[i], "max_angle_gap"), 0, 0);
  table_destroy(table);
}

/* A method that ends exactly where training did must not count for its rounding. */
static void exact_ends_are_no_gap(void **state) {
  (void)state;
  static const struct {
    enum precision precision;
    int64_t original, step;
  } cases[] = {{PRECISION_FP64, 4096, 1777}, {PRECISION_FP32, 96, 37}};
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
    for (int64_t i = 1; i <= 30; i++) {
      const int64_t original = cases[c].original, target = original + i * cases[c].step;
      struct extend_request request = request_of(128, 500000, original, target, "linear,yarn");
      model.precision = cases[c].precision;
      struct table *table = extend(&request);
      assert_near(cell(table, 0, "untrained_pairs"), 0, 0);
      assert_near(cell(table, 1, "untrained_pairs"), 0, 0);
      table_destroy(table);
    }
}

/* The adjusted base: 5e5 from 8192 to 16384 (as KoboldCpp computes it), and the lower bounds of
   LongRoPE2 for Phi-3-mini and Llama-3-8B, recomputed. */
static void adjusted_bases(void **state) {
  (void)state;
  static const struct {
    size_t dim;
    double base;
    int64_t original, target;
    double adjusted, tolerance;
  } known[] = {
      {128, 5e5, 8192, 16384, 1776948.05, 5e-3},
      {96, 1e4, 2048, 131072, 7494912.9, 5e-2},
      {128, 5e5, 8192, 131072, 79760692.2, 5e-2},
  };
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    const struct extend_request request =
        request_of(known[i].dim, known[i].base, known[i].original, known[i].target, "base");
    struct rope_spec spec;
    assert_int_equal(extend_method(&request, "base", &spec, &error), OK);
    assert_near(spec.base, known[i].adjusted, known[i].tolerance);
    assert_string_equal(spec.scaling.type, "none");
  }
}

static void numbers_are_filled_in(void **state) {
  (void)state;
  const struct extend_request request = request_of(128, 5e5, 8192, 131072, "none");
  struct rope_spec spec;
  assert_int_equal(extend_method(&request, "llama3", &spec, &error), OK);
  assert_near(spec_parameter(&spec, "factor"), 16, 0);
  assert_near(spec_parameter(&spec, "low_freq_factor"), 1, 0);
  assert_near(spec_parameter(&spec, "high_freq_factor"), 4, 0);
  assert_near(spec_parameter(&spec, "original_max_position_embeddings"), 8192, 0);
  assert_int_equal(spec.context, 131072);
  assert_int_equal(spec.model_context, 131072);
  assert_int_equal(extend_method(&request, "llama3:factor=8,high_freq_factor=5", &spec, &error),
                   OK);
  assert_near(spec_parameter(&spec, "factor"), 8, 0);
  assert_near(spec_parameter(&spec, "high_freq_factor"), 5, 0);
  /* The factor is relative to the original context, whoever gave that. */
  assert_int_equal(extend_method(&request, "yarn:original_max_position_embeddings=4k,beta_fast=16",
                                 &spec, &error),
                   OK);
  assert_near(spec_parameter(&spec, "factor"), 32, 0);
  assert_near(spec_parameter(&spec, "beta_fast"), 16, 0);
  assert_int_equal(extend_method(&request, "linear", &spec, &error), OK);
  assert_int_equal(spec.scaling.count, 1);
  /* Dynamic NTK grows beyond the model's context. */
  assert_int_equal(extend_method(&request, "dynamic", &spec, &error), OK);
  assert_int_equal(spec.context, 131072);
  assert_int_equal(spec.model_context, 8192);
  assert_near(spec_parameter(&spec, "factor"), 16, 0);
  assert_int_equal(spec.scaling.count, 1);
}

/* Hugging Face's dynamic rule, factor 2, at twice the context: the base of 3^(d/(d−2)). */
static void dynamic_reaches_the_target(void **state) {
  (void)state;
  const struct extend_request request = request_of(128, 10000, 2048, 4096, "dynamic");
  struct table *table = extend(&request);
  const struct meta *meta = meta_item(table_meta(table), "methods", 0);
  assert_near(meta_real(meta, "effective_base", NAN), 30527.736749, 1e-6);
  assert_near(cell(table, 0, "base"), 10000, 0);
  assert_near(cell(table, 0, "factor"), 2, 0);
  table_destroy(table);
}

/* d = 128, base 10000: 32 ln 10000 = 294.73 of Chen et al. 2023; Σ|S_j|/d computed apart. */
static void meta_of_the_bounds(void **state) {
  (void)state;
  static const struct {
    int64_t target;
    double minimum, distance, below;
  } known[] = {
      {2048, 1.407475, 1893, NAN}, {4096, 1.115908, 3643, NAN}, {20000, 0.662559, 19306, 4861}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    struct extend_request request = request_of(128, 10000, 1024, known[i].target, "linear");
    strcpy(model.scaling.type, i ? "ntk" : "none");
    struct table *table = extend(&request);
    const struct meta *meta = table_meta(table), *bound = meta_child(meta, "extrapolation");
    assert_near(meta_real(meta, "interpolation_bound_divisor", NAN), 294.7308919, 5e-8);
    assert_near(meta_real(meta, "original_context", NAN), 1024, 0);
    assert_near(meta_real(meta, "target", NAN), (double)known[i].target, 0);
    assert_near(meta_real(meta, "never_turning_pairs", NAN), 28, 0);
    assert_near(meta_real(bound, "minimum", NAN), known[i].minimum, 5e-7);
    assert_near(meta_real(bound, "minimum_distance", NAN), known[i].distance, 0);
    assert_near(meta_real(bound, "last_distance", NAN), (double)known[i].target, 0);
    const double below = meta_real(bound, "first_below_1", NAN);
    assert_true(isnan(known[i].below) ? isnan(below) : below == known[i].below);
    const char *replaced = meta_text(meta, "replaced_scaling");
    assert_true(i ? !strcmp(replaced, "ntk") : !replaced);
    table_destroy(table);
  }
}

static void original_context_of_a_model(void **state) {
  (void)state;
  request_of(128, 10000, 4096, 8192, "none");
  assert_int_equal(extend_original(&model), 4096);
  assert_int_equal(spec_set_parameter(&model, "original_max_position_embeddings", 1024, &error),
                   OK);
  assert_int_equal(extend_original(&model), 1024);
  spec_default(&model);
  assert_int_equal(extend_original(&model), 0);
}

static void refused(struct extend_request request, const char *method, const char *message) {
  struct rope_spec spec;
  struct table *table = NULL;
  assert_int_equal(extend_method(&request, method, &spec, &error), ERROR_INPUT);
  assert_message(error, message);
  snprintf(request.methods.name[0], EXTEND_METHOD, "%s", method);
  request.methods.count = 1;
  assert_int_equal(extend_run(backend, &request, &table, &error), ERROR_INPUT);
  assert_message(error, message);
  assert_null(table);
}

static void faults(void **state) {
  (void)state;
  struct extend_request request = request_of(128, 10000, 4096, 8192, "none");
  refused(request, "turbo", "unknown method 'turbo': none, linear, ");
  refused(request, "turbo", "or base");
  assert_null(strstr(error.message, "longrope"));
  refused(request, "longrope", "method 'longrope': the scaling type 'longrope' needs lists");
  refused(request, "linear:speed=3", "unknown parameter 'speed'");
  refused(request, "linear:factor=-1", "method 'linear:factor=-1': the scaling parameter 'factor'");
  refused(request, "linear:", "ends where 'key=value' is expected");
  refused(request, "base:factor=2", "the method 'base' takes no 'factor'");
  refused(request_of(128, 10000, 6, 8192, "none"), "base", "7 tokens or more, not 6");
  refused(request_of(128, 10000, 4096, 4096, "none"), "linear",
          "the context 4096 is not longer than the original one, 4096");
  refused(request_of(128, 10000, 0, 4096, "none"), "linear", "the original context is not known");
  request = request_of(128, 10000, 4096, 8192, "none");
  model.base = NAN;
  refused(request, "linear", "no base");
  request = request_of(128, 10000, 4096, 8192, "none");
  request.methods.count = 0;
  struct table *table;
  assert_int_equal(extend_run(backend, &request, &table, &error), ERROR_INPUT);
  assert_message(error, "no methods");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lists_of_methods),
      cmocka_unit_test(first_negative_distances),
      cmocka_unit_test(columns_are_those_promised),
      cmocka_unit_test(untrained_pairs),
      cmocka_unit_test(exact_ends_are_no_gap),
      cmocka_unit_test(adjusted_bases),
      cmocka_unit_test(numbers_are_filled_in),
      cmocka_unit_test(dynamic_reaches_the_target),
      cmocka_unit_test(meta_of_the_bounds),
      cmocka_unit_test(original_context_of_a_model),
      cmocka_unit_test(faults),
  };
  return cmocka_run_group_tests(tests, open_backend, close_backend);
}

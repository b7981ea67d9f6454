/* Specs: defaults, the text of --scaling, parameters, description, warnings. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/rope/spec.h"

static void default_is_plain(void **state) {
  (void)state;
  struct rope_spec spec;
  spec_default(&spec);
  assert_string_equal(spec.label, "");
  assert_int_equal(spec.head_dim, 128);
  assert_int_equal(spec.rotary_dim, 128);
  assert_true(spec.base == 10000);
  assert_string_equal(spec.scaling.type, "none");
  assert_int_equal(spec.scaling.count, 0);
  assert_int_equal(spec.context, 0);
  assert_int_equal(spec.layout, LAYOUT_INTERLEAVED);
  assert_int_equal(spec.precision, PRECISION_FP64);
}

static void scaling_text_is_read(void **state) {
  (void)state;
  struct error error;
  struct rope_spec spec;
  spec_default(&spec);
  assert_int_equal(spec_parse_scaling("none", &spec.scaling, &error), OK);
  assert_string_equal(spec.scaling.type, "none");
  assert_int_equal(spec.scaling.count, 0);
  const char *text = "llama3:factor=8,low_freq_factor=1,high_freq_factor=4e0,"
                     "original_max_position_embeddings=8k";
  assert_int_equal(spec_parse_scaling(text, &spec.scaling, &error), OK);
  assert_string_equal(spec.scaling.type, "llama3");
  assert_int_equal(spec.scaling.count, 4);
  assert_true(spec_parameter(&spec, "factor") == 8);
  assert_true(spec_parameter(&spec, "low_freq_factor") == 1);
  assert_true(spec_parameter(&spec, "high_freq_factor") == 4);
  assert_true(spec_parameter(&spec, "original_max_position_embeddings") == 8192);
  assert_true(isnan(spec_parameter(&spec, "beta_fast")));
  /* Names that configs have for the same. */
  static const char *const names[][2] = {
      {"default", "none"}, {"mrope", "none"}, {"su:factor=32", "longrope"}, {"su2", "su2"}};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    assert_int_equal(spec_parse_scaling(names[i][0], &spec.scaling, &error), OK);
    assert_string_equal(spec.scaling.type, names[i][1]);
  }
  /* A rule that does not exist is for the registry to refuse. */
  assert_int_equal(spec_parse_scaling("magic:power=-2.5", &spec.scaling, &error), OK);
  assert_string_equal(spec.scaling.type, "magic");
  assert_true(spec_parameter(&spec, "power") == -2.5);
}

static void scaling_text_faults_are_named(void **state) {
  (void)state;
  static const struct {
    const char *text, *message;
  } faults[] = {
      {"", "the scaling type is missing: 'TYPE[:key=value,...]'"},
      {":factor=2", "the scaling type is missing before ':factor=2'"},
      {"linear:", "the scaling 'linear:' ends where 'key=value' is expected"},
      {"linear:factor=2,", "the scaling 'linear:factor=2,' ends where 'key=value' is expected"},
      {"linear:factor", "the scaling parameter 'factor' has no value: 'factor=NUMBER' is needed"},
      {"linear:factor=", "the scaling parameter 'factor' has no value: 'factor=NUMBER' is needed"},
      {"linear:factor=,a=1",
       "the scaling parameter 'factor' has no value: 'factor=NUMBER' is needed"},
      {"linear:=2", "the name of a scaling parameter is missing before '=2'"},
      {"linear:,factor=2", "the name of a scaling parameter is missing before ',factor=2'"},
      {"linear:factor=two", "factor 'two' is not a number"},
      {"linear:factor=nan", "factor 'nan' is not a number"},
      {"linear:factor=2k", "factor '2k' is not a number (suffixes are for lengths alone)"},
      {"linear:factor=2=3", "factor '2=3' is not a number"},
      {"linear:factor=2:3", "factor '2:3' is not a number"},
      {"linear:factor=2,colour=red",
       "unknown parameter 'colour': the scaling type 'linear' takes factor"},
      {"linear:colour=", "unknown parameter 'colour'"},
      {"linear:colour", "unknown parameter 'colour'"},
      {"linear:colour=00000000000000000000000000000000000000000000000000000000000000001",
       "unknown parameter 'colour'"},
      {"none:factor=two", "unknown parameter 'factor': the scaling type 'none' takes none"},
      {"magic:power=two", "the scaling type 'magic' is not supported"},
      {"llama3:original_max_position_embeddings=8q", "original_max_position_embeddings '8q'"},
      {"linear:factor=2,factor=4", "the scaling parameter 'factor' is given twice"},
      {"linear:a123456789b123456789c123456789d123456789=1", "' is unknown"},
      {"a123456789b123456789c123456789d123456789", "the scaling type 'a123456789b12"},
      {"linear:factor=00000000000000000000000000000000000000000000000000000000000000001",
       "the scaling parameter 'factor' is not a number"},
  };
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
    struct spec_scaling scaling;
    struct error error = {OK, ""};
    assert_int_equal(spec_parse_scaling(faults[i].text, &scaling, &error), ERROR_INPUT);
    if (!strstr(error.message, faults[i].message))
      fail_msg("'%s': \"%s\" does not hold \"%s\"", faults[i].text, error.message,
               faults[i].message);
    assert_int_equal(spec_parse_scaling(faults[i].text, &scaling, NULL), ERROR_INPUT);
  }
}

static void parameters_have_a_limit(void **state) {
  (void)state;
  struct rope_spec spec;
  struct error error;
  char key[SPEC_KEY];
  spec_default(&spec);
  for (int i = 0; i < SPEC_PARAMETERS; i++) {
    snprintf(key, sizeof key, "key%d", i);
    assert_int_equal(spec_set_parameter(&spec, key, i, &error), OK);
  }
  assert_int_equal(spec_set_parameter(&spec, "key3", 33, &error), OK); /* replaced, not added */
  assert_true(spec_parameter(&spec, "key3") == 33);
  assert_int_equal(spec_set_parameter(&spec, "one_more", 1, &error), ERROR_INPUT);
  assert_non_null(strstr(error.message, "too many scaling parameters at 'one_more': at most 24"));
  memset(key, 'k', sizeof key);
  char longer[SPEC_KEY + 1] = {0};
  memcpy(longer, key, sizeof key);
  assert_int_equal(spec_set_parameter(&spec, longer, 1, &error), ERROR_INPUT);
  assert_non_null(strstr(error.message, "' is unknown"));
}

static void description_has_every_value(void **state) {
  (void)state;
  struct rope_spec spec;
  struct error error;
  spec_default(&spec);
  struct meta *meta = meta_create();
  spec_describe(&spec, meta);
  char *json = meta_to_json(meta, 0);
  assert_string_equal(json, "{\"head_dim\": 128, \"rotary_dim\": 128, \"layout\": \"interleaved\", "
                            "\"precision\": \"fp64\", \"base\": 10000.0, "
                            "\"scaling\": {\"type\": \"none\"}, \"context\": null}");
  free(json);
  meta_destroy(meta);
  snprintf(spec.label, sizeof spec.label, "mine");
  spec.context = 8192;
  spec.layout = LAYOUT_HALVES;
  assert_int_equal(spec_parse_scaling("linear:factor=4", &spec.scaling, &error), OK);
  meta = meta_create();
  spec_describe(&spec, meta);
  assert_string_equal(meta_text(meta, "label"), "mine");
  assert_string_equal(meta_text(meta, "layout"), "halves");
  assert_true(meta_real(meta, "context", 0) == 8192);
  const struct meta *scaling = meta_child(meta, "scaling");
  assert_string_equal(meta_text(scaling, "type"), "linear");
  assert_true(meta_real(scaling, "factor", 0) == 4);
  meta_destroy(meta);
}

static void warnings_are_single_lines_said_once(void **state) {
  (void)state;
  struct rope_spec spec;
  spec_default(&spec);
  struct meta *meta = meta_create();
  spec_warn(&spec, meta, "odd \"%s\"", "a\nb\x7f");
  spec_warn(&spec, meta, "odd \"%s\"", "a\nb\x7f");
  assert_int_equal(meta_count(meta, "warnings"), 1);
  assert_string_equal(meta_item_text(meta, "warnings", 0), "odd \"a?b?\"");
  snprintf(spec.label, sizeof spec.label, "mine");
  spec_warn(&spec, meta, "odd");
  assert_string_equal(meta_item_text(meta, "warnings", 1), "mine: odd");
  char longer[2000];
  memset(longer, 'x', sizeof longer - 1);
  longer[sizeof longer - 1] = '\0';
  spec_warn(&spec, meta, "%s", longer);
  assert_int_equal(meta_count(meta, "warnings"), 3);
  spec_warn(&spec, NULL, "nowhere to go");
  meta_destroy(meta);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(default_is_plain),
      cmocka_unit_test(scaling_text_is_read),
      cmocka_unit_test(scaling_text_faults_are_named),
      cmocka_unit_test(parameters_have_a_limit),
      cmocka_unit_test(description_has_every_value),
      cmocka_unit_test(warnings_are_single_lines_said_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

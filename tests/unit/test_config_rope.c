/* The rope dictionary of Hugging Face configs: bases, scaling, contradictions, oddities. */
#include "tests/unit/config_case.h"

static void base_is_found(void **state) {
  (void)state;
  read_well(PLAIN(", \"rope_parameters\": {\"rope_theta\": 500000.0, \"rope_type\": \"default\"}"),
            1);
  assert_true(spec.base == 500000);
  warned(0, "'rope_theta' 500000 of 'rope_parameters' is used, not 'rope_theta' 1000000");
  read_well(PLAIN(", \"rotary_emb_base\": 20000"), 1);
  assert_true(spec.base == 1e6);
  warned(0, "'rope_theta' 1000000 is used, not 'rotary_emb_base' 20000");
  read_well(QWEN(", \"rotary_emb_base\": 20000"), 0);
  assert_true(spec.base == 20000);
  read_well(QWEN(", \"rope_parameters\": {\"rope_theta\": 20000, \"rope_type\": \"default\"}"), 0);
  assert_true(spec.base == 20000);
  read_well(QWEN(""), 1);
  assert_true(spec.base == 10000);
  warned(0, "there is no 'rope_theta': 10000, the default of model_type 'qwen2', is used");
  read_well("{\"model_type\": \"mixtral\", \"head_dim\": 64}", 1);
  assert_true(spec.base == 1e6);
  explained("", "base", "1000000", "default of model_type 'mixtral' (transformers 5)");
  read_well("{\"model_type\": \"chatglm\", \"kv_channels\": 128, \"rope_ratio\": 500}", 0);
  assert_true(spec.base == 5e6);
  explained("", "base", "5000000", "10000 times 'rope_ratio'");
  refused("{\"model_type\": \"chatglm\", \"kv_channels\": 128, \"rope_ratio\": 1e306}",
          "'rope_ratio' is 1e+306: a number below 1e300 is needed");
  /* Llama 1 and 2 never say it; with a scaling it should have been said. */
  read_well("{\"model_type\": \"llama\", \"head_dim\": 128}", 0);
  assert_true(spec.base == 10000);
  read_well("{\"model_type\": \"llama\", \"head_dim\": 128, \"rope_scaling\":"
            " {\"type\": \"linear\", \"factor\": 4}}",
            1);
  warned(0, "there is no 'rope_theta'");
  /* What is null was meant to be given. */
  read_well("{\"model_type\": \"llama\", \"head_dim\": 128, \"rope_theta\": null}", 1);
  warned(0, "'rope_theta' is null: 10000, the default of model_type 'llama', is used");
  read_well(QWEN(", \"rope_parameters\": {\"rope_type\": \"default\", \"rope_theta\": null}"), 1);
  warned(0, "'rope_theta' is null: 10000, the default of model_type 'qwen2', is used");
  read_well(PLAIN(", \"rope_parameters\": {\"rope_type\": \"default\", \"rope_theta\": null}"), 0);
  assert_true(spec.base == 1e6);
  read_well(QWEN(", \"rope_theta\": 1000"), 1);
  assert_true(spec.base == 1000);
  warned(0, "the base 1000 ('rope_theta') is small: published language models have 10000 or more");
  refused(QWEN(", \"rope_theta\": \"500000\""), "'rope_theta' is the text \"500000\": a number");
  refused(QWEN(", \"rope_theta\": 0"), "'rope_theta' is 0: a number greater than 0 is needed");
  refused(QWEN(", \"rope_theta\": -10000.0"), "'rope_theta' is -10000");
  refused(QWEN(", \"rope_theta\": false"), "'rope_theta' is false");
  refused(QWEN(", \"rope_theta\": [10000]"), "'rope_theta' is a list");
  refused(QWEN(", \"rope_theta\": {}"), "'rope_theta' is an object");
  refused(QWEN(", \"rope_theta\": NaN"), "'rope_theta' is NaN: a number greater than 0 is needed");
  refused(QWEN(", \"rope_theta\": Infinity"), "'rope_theta' is Infinity");
  refused(PLAIN(", \"rope_parameters\": {\"rope_theta\": -Infinity}"), "'rope_theta' is -Infinity");
  refused(QWEN(", \"rope_theta\": 1e999"), "not valid JSON at line 1, column");
  refused(QWEN(", \"rope_parameters\": {\"rope_theta\": \"1e6\"}"),
          "'rope_theta' is the text \"1e6\"");
}

static void plain_forms_are_plain(void **state) {
  (void)state;
  static const char *const forms[] = {
      PLAIN(""),
      PLAIN(", \"rope_scaling\": null"),
      PLAIN(", \"rope_parameters\": null, \"rope_scaling\": null"),
      PLAIN(", \"rope_scaling\": {}"),
      PLAIN(", \"rope_scaling\": {\"type\": \"default\"}"),
      PLAIN(", \"rope_parameters\": {\"rope_type\": \"default\", \"rope_theta\": 1000000,"
            " \"partial_rotary_factor\": 1.0}"),
      PLAIN(", \"rope_parameters\": {\"rope_type\": \"default\", \"factor\": null}"),
  };
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
    read_well(forms[i], 0);
    assert_string_equal(spec.scaling.type, "none");
    assert_int_equal(spec.scaling.count, 0);
    assert_true(spec.base == 1e6);
    assert_int_equal(spec.rotary_dim, 128);
  }
}

static void scaling_is_read(void **state) {
  (void)state;
  read_well(PLAIN(", \"rope_scaling\": {\"type\": \"linear\", \"factor\": 4}"), 0);
  assert_string_equal(spec.scaling.type, "linear");
  assert_true(spec_parameter(&spec, "factor") == 4);
  read_well(PLAIN(", \"rope_parameters\": {\"type\": \"linear\", \"rope_type\": \"linear\","
                  " \"factor\": 2.5}"),
            0);
  assert_string_equal(spec.scaling.type, "linear");
  assert_true(spec_parameter(&spec, "factor") == 2.5);
  read_well("{\"model_type\": \"llama\", \"head_dim\": 128, \"max_position_embeddings\": 131072,"
            " \"rope_theta\": 500000.0, \"rope_scaling\": {" LLAMA3
            ", \"original_max_position_embeddings\": 8192, \"rope_type\": \"llama3\"}}",
            0);
  assert_string_equal(spec.scaling.type, "llama3");
  assert_int_equal(spec.scaling.count, 4);
  assert_true(spec_parameter(&spec, "high_freq_factor") == 4);
  assert_true(spec_parameter(&spec, "original_max_position_embeddings") == 8192);

  refused(
      PLAIN(", \"rope_scaling\": {\"type\": \"linear\", \"rope_type\": \"llama3\", \"factor\": 4}"),
      "'rope_scaling': 'rope_type' is 'llama3' but 'type' is 'linear': they must be equal");
  refused(
      PLAIN(", \"rope_scaling\": {\"type\": \"magic\", \"factor\": 4}"),
      "'rope_scaling': the scaling type 'magic' is not supported: in configs, default, linear, "
      "ntk, dynamic, dynamic-qwen, yarn, llama3, longrope, proportional, p-rope, resonance are");
  refused(PLAIN(", \"rope_scaling\": {\"factor\": 4}"),
          "'rope_scaling': there is 'factor' but neither 'rope_type' nor 'type'");
  refused(PLAIN(", \"rope_scaling\": {\"type\": 3}"), "'type' is 3: a text is needed");
  refused(PLAIN(", \"rope_scaling\": {\"type\": \"linear\"}"), "needs the parameter 'factor'");
  refused(PLAIN(", \"rope_scaling\": {\"type\": \"linear\", \"factor\": \"4\"}"),
          "'rope_scaling': 'factor' is the text \"4\": a number greater than 0 is needed");
  refused(PLAIN(", \"rope_scaling\": {\"type\": \"linear\", \"factor\": 0}"), "'factor' is 0");
  refused(PLAIN(", \"rope_scaling\": {\"type\": \"linear\", \"factor\": true}"),
          "'factor' is true");
  refused(PLAIN(", \"rope_scaling\": \"linear\""),
          "'rope_scaling' is the text \"linear\": an object");
  refused(PLAIN(", \"rope_scaling\": [4]"), "'rope_scaling' is a list: an object is needed");
  refused(PLAIN(", \"rope_scaling\": false"), "'rope_scaling' is false: an object is needed");
  refused(
      PLAIN(", \"rope_parameters\": {\"rope_type\": \"a-name-of-more-than-forty-characters-which"
            "-is-no-rule\"}"),
      "the scaling type 'a-name-of-more-than-forty");
}

static void endless_dictionaries_are_refused(void **state) {
  (void)state;
  char text[4096];
  size_t used = (size_t)snprintf(text, sizeof text, "{\"head_dim\": 64, \"rope_scaling\": {");
  for (int i = 0; i < 65; i++)
    used +=
        (size_t)snprintf(text + used, sizeof text - used, "%s\"key%d\": %d", i ? ", " : "", i, i);
  snprintf(text + used, sizeof text - used, "}}");
  refused(text, "'rope_scaling' holds 65 names: at most 64 are read");
}

static void two_dictionaries_may_not_contradict(void **state) {
  (void)state;
  static const char same[] =
      PLAIN(", \"rope_scaling\": {\"rope_type\": \"linear\", \"factor\": 2},"
            " \"rope_parameters\": {\"factor\": 2, \"rope_type\": \"linear\"}");
  read_well(same, 0);
  read_well(PLAIN(", \"rope_scaling\": {\"type\": \"linear\", \"factor\": 2},"
                  " \"rope_parameters\": {\"factor\": 3, \"rope_type\": \"linear\"}"),
            1);
  assert_true(spec_parameter(&spec, "factor") == 3);
  warned(0, "'rope_parameters' is used, not 'rope_scaling', which differs");
  refused(
      PLAIN(", \"rope_scaling\": {\"type\": \"linear\", \"factor\": 2}, \"rope_parameters\": {}"),
      "'rope_parameters' has the type 'default' but 'rope_scaling' has 'linear'");
  refused(PLAIN(", \"rope_scaling\": 2, \"rope_parameters\": {}"),
          "'rope_scaling' is 2: an object");
}

static void original_context_is_found(void **state) {
  (void)state;
  static const char *key = "original_max_position_embeddings";
  read_well(PLAIN(", \"original_max_position_embeddings\": 4096, \"rope_scaling\": {" LLAMA3
                  ", \"rope_type\": \"llama3\"}"),
            0);
  assert_true(spec_parameter(&spec, key) == 4096);
  read_well(PLAIN(", \"original_max_position_embeddings\": 4096, \"rope_scaling\": {" LLAMA3
                  ", \"rope_type\": \"llama3\", \"original_max_position_embeddings\": 8192}"),
            1);
  assert_true(spec_parameter(&spec, key) == 4096);
  warned(0, "'original_max_position_embeddings' 4096 is used, not the 8192 in 'rope_scaling'");
  read_well(PLAIN(", \"rope_scaling\": {" LLAMA3 ", \"rope_type\": \"llama3\"}"), 2);
  assert_true(spec_parameter(&spec, key) == 32768);
  warned(0, "there is no 'original_max_position_embeddings': the context 32768 is used");
  warned(1, "original_max_position_embeddings 32768 is not below the context 32768");
  refused(QWEN(", \"rope_scaling\": {" LLAMA3 ", \"rope_type\": \"llama3\"}"),
          "needs the parameter 'original_max_position_embeddings'");
}

static void oddities_are_warned_about(void **state) {
  (void)state;
  read_well(PLAIN(", \"rope_scaling\": {\"type\": \"linear\", \"factor\": 0.5, \"finetuned\": true,"
                  " \"odd\\nname\": [1]}"),
            3);
  warned(0,
         "qwen2: 'rope_scaling' holds 'finetuned', which the type 'linear' does not know: ignored");
  warned(1, "'rope_scaling' holds 'odd?name', which");
  warned(2, "the factor 0.5 of the linear scaling is below 1");
  read_well(PLAIN(", \"rope_scaling\": {\"type\": \"default\", \"factor\": 4}"), 1);
  warned(0, "holds 'factor', which the type 'none' does not know");
  read_well(
      PLAIN(", \"rope_scaling\": {\"rope_type\": \"llama3\", \"factor\": 8, \"low_freq_factor\": 4,"
            " \"high_freq_factor\": 1, \"original_max_position_embeddings\": 40000}"),
      2);
  warned(0, "original_max_position_embeddings 40000 is not below the context 32768");
  warned(1, "high_freq_factor 1 is not above low_freq_factor 4");
  read_well("{\"model_type\": \"brand_new\", \"head_dim\": 64, \"rope_theta\": 1e4}", 1);
  assert_int_equal(spec.layout, LAYOUT_HALVES);
  assert_string_equal(spec.label, "brand_new");
  warned(0, "the model_type 'brand_new' is not known: its pairs are taken as halves");
  read_well("{\"model_type\": \"brand_new\", \"head_dim\": 64}", 2);
  warned(1, "there is no 'rope_theta': 10000, the default of most models, is used");
  read_well("{\"head_dim\": 64}", 2);
  warned(
      1,
      "there is no 'rope_theta' and no 'model_type': 10000, the default of most models, is used");
  read_well("{\"head_dim\": 64, \"rope_theta\": 1e4}", 1);
  assert_string_equal(spec.label, "model");
  warned(0, "there is no model_type: the pairs are taken as halves");
}

/* A base under a name that nobody knows would leave the model with the default, silently. */
static void unknown_names_of_rope_are_told(void **state) {
  (void)state;
  read_well(PLAIN(", \"rope_freq_base\": 5e5, \"property\": 1, \"rope_percent\": null"), 1);
  warned(0, "'rope_freq_base' is not known: ignored");
  read_well("{\"max_rotary_length\": 3, \"text_config\": " PLAIN(", \"rotary_base\": 5e5") "}", 2);
  warned(0, "'rotary_base' is not known");
  warned(1, "'max_rotary_length' is not known");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(base_is_found),
      cmocka_unit_test(plain_forms_are_plain),
      cmocka_unit_test(scaling_is_read),
      cmocka_unit_test(endless_dictionaries_are_refused),
      cmocka_unit_test(two_dictionaries_may_not_contradict),
      cmocka_unit_test(original_context_is_found),
      cmocka_unit_test(oddities_are_warned_about),
      cmocka_unit_test(unknown_names_of_rope_are_told),
  };
  return cmocka_run_group_tests(tests, NULL, release);
}

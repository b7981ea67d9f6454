/* extend_emit of lib/analysis/extend.h: what it prints must read back as the same RoPE. */
#include "lib/analysis/extend.h"
#include "lib/model/config.h"
#include "tests/unit/spectra.h"

static struct error error;
static struct rope_spec model, back;

static void set_model(void) {
  spec_default(&model);
  model.base = 500000;
  model.plain_softmax = true; /* as the family has it */
  model.context = model.model_context = 8192;
}

static struct rope_spec extended(int64_t target, const char *method) {
  const struct extend_request request = {.spec = &model, .original = 8192, .target = target};
  struct rope_spec spec;
  if (extend_method(&request, method, &spec, &error)) fail_msg("%s", error.message);
  return spec;
}

static int try_emit(const struct rope_spec *spec, bool hf4, char **json) {
  const struct extend_fragment fragment = {.spec = spec, .model = &model, .count = 1, .hf4 = hf4};
  return extend_emit(&fragment, json, &error);
}

static char *emit(const struct rope_spec *spec, bool hf4) {
  char *json = NULL;
  if (try_emit(spec, hf4, &json)) fail_msg("%s", error.message);
  assert_non_null(json);
  return json;
}

/* Reads `fragment` as the last fields of a config into `back`; says how many warnings there were.
 */
static size_t read_back(const char *fragment, const char *more) {
  char text[8192];
  struct model *read;
  struct meta *meta = meta_create();
  assert_int_equal(fragment[0], '{');
  snprintf(text, sizeof text,
           "{\"model_type\": \"qwen2\", \"hidden_size\": %zu, \"num_attention_heads\": 1%s, %s",
           model.head_dim, more, fragment + 1);
  if (config_read(text, strlen(text), "", &read, meta, &error))
    fail_msg("%s: %s", text, error.message);
  back = read->ropes[0];
  const size_t warnings = meta_count(meta, "warnings");
  for (size_t i = 0; i < warnings; i++)
    print_message("warning: %s\n", meta_item_text(meta, "warnings", i));
  model_destroy(read);
  meta_destroy(meta);
  return warnings;
}

static void assert_same(const struct rope_spec *spec) {
  /* The length of the sequence is none of the model's: it comes from --context. */
  back.context = spec->context;
  struct spectrum *wanted = spectrum_of(spec), *got = spectrum_of(&back);
  assert_int_equal(got->pairs, wanted->pairs);
  for (size_t i = 0; i < wanted->pairs; i++)
    assert_true(got->inv_freq[i] == wanted->inv_freq[i]);
  assert_near(got->attention_factor, wanted->attention_factor, 0);
  assert_near(got->softmax_factor, wanted->softmax_factor, 0);
  assert_near(got->effective_base, wanted->effective_base, 0);
  assert_int_equal(back.head_dim, spec->head_dim);
  assert_int_equal(back.model_context, spec->model_context);
  spectrum_destroy(wanted);
  spectrum_destroy(got);
}

static void round_trip(const struct rope_spec *spec, bool hf4) {
  char *json = emit(spec, hf4);
  assert_int_equal(read_back(json, ""), 0);
  assert_same(spec);
  free(json);
}

static void methods_read_back(void **state) {
  (void)state;
  static const char *const methods[] = {
      "none",
      "linear",
      "ntk",
      "dynamic",
      "dynamic:alpha=5",
      "yarn",
      "yarn:beta_fast=16,beta_slow=2,truncate=0,attention_factor=1.25",
      "yarn:mscale=0.707,mscale_all_dim=0.707",
      "llama3",
      "llama3:low_freq_factor=1.5,high_freq_factor=3.25",
      "base",
  };
  set_model();
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
    for (int hf4 = 0; hf4 < 2; hf4++) {
      const struct rope_spec even = extended(131072, methods[i]);
      round_trip(&even, hf4);
      const struct rope_spec odd = extended(30011, methods[i]);
      round_trip(&odd, hf4);
    }
  const struct rope_spec spec = extended(131072, "proportional:partial_rotary_factor=0.25");
  round_trip(&spec, false);
}

static void assert_holds(const struct rope_spec *spec, bool hf4, const char *expected) {
  char *json = emit(spec, hf4);
  assert_string_equal(json, expected);
  free(json);
}

static void fragments(void **state) {
  (void)state;
  set_model();
  struct rope_spec spec = extended(65536, "yarn:truncate=0");
  assert_holds(&spec, false,
               "{\n  \"max_position_embeddings\": 65536,\n  \"rope_parameters\": {\n"
               "    \"rope_theta\": 500000.0,\n    \"rope_type\": \"yarn\",\n"
               "    \"truncate\": false,\n    \"original_max_position_embeddings\": 8192,\n"
               "    \"factor\": 8.0\n  }\n}");
  spec = extended(16384, "llama3");
  assert_holds(&spec, true,
               "{\n  \"max_position_embeddings\": 16384,\n  \"rope_theta\": 500000.0,\n"
               "  \"rope_scaling\": {\n    \"rope_type\": \"llama3\",\n"
               "    \"original_max_position_embeddings\": 8192,\n    \"factor\": 2.0,\n"
               "    \"low_freq_factor\": 1.0,\n    \"high_freq_factor\": 4.0\n  }\n}");
  /* Hugging Face's dynamic rule takes max_position_embeddings for the original context. */
  spec = extended(16384, "dynamic");
  assert_holds(&spec, true,
               "{\n  \"max_position_embeddings\": 8192,\n  \"rope_theta\": 500000.0,\n"
               "  \"rope_scaling\": {\n    \"rope_type\": \"dynamic\",\n    \"factor\": 2.0\n"
               "  }\n}");
  /* A rule that only changes the base, at a base where that is a whole number: d = 4, 2^(4/2). */
  spec.head_dim = spec.rotary_dim = 4;
  assert_int_equal(spec_parse_scaling("ntk:factor=2", &spec.scaling, &error), OK);
  assert_holds(&spec, true,
               "{\n  \"max_position_embeddings\": 8192,\n  \"rope_theta\": 2000000.0,\n"
               "  \"rope_scaling\": null\n}");
  assert_holds(&spec, false,
               "{\n  \"max_position_embeddings\": 8192,\n  \"rope_parameters\": {\n"
               "    \"rope_theta\": 2000000.0,\n    \"rope_type\": \"default\"\n  }\n}");
}

/* Every even share of every even head: the quotient must not lose a dimension on its way back. */
static void partial_rotation(void **state) {
  (void)state;
  for (size_t head = 4; head <= 256; head += 2)
    for (size_t rotary = 2; rotary < head; rotary += 2) {
      set_model();
      model.head_dim = head;
      model.rotary_dim = rotary;
      char *json = emit(&model, false);
      const char *share = strstr(json, "\"partial_rotary_factor\": ");
      assert_non_null(share);
      const double value = strtod(share + strlen("\"partial_rotary_factor\": "), NULL);
      assert_int_equal((size_t)(value * (double)head), rotary);
      free(json);
    }
  set_model();
  model.rotary_dim = 32;
  const struct rope_spec spec = extended(32768, "yarn");
  char *json = emit(&spec, false);
  assert_int_equal(read_back(json, ""), 0);
  assert_same(&spec);
  free(json);
  /* There the share stands beside the dictionary, and stays. */
  json = emit(&spec, true);
  assert_null(strstr(json, "partial_rotary_factor"));
  assert_int_equal(read_back(json, ", \"partial_rotary_factor\": 0.25"), 0);
  assert_same(&spec);
  free(json);
}

static void lists_of_factors(void **state) {
  (void)state;
  static const double brief[] = {1, 1.05, 1.25, 2}, stretched[] = {1.03, 1.9, 30.01, 64.81};
  set_model();
  model.head_dim = model.rotary_dim = 8;
  model.context = model.model_context = 131072;
  assert_int_equal(
      spec_parse_scaling("longrope:original_max_position_embeddings=4096", &model.scaling, &error),
      OK);
  assert_int_equal(spec_set_list(&model, "short_factor", brief, 4, &error), OK);
  assert_int_equal(spec_set_list(&model, "long_factor", stretched, 4, &error), OK);
  round_trip(&model, false);
  round_trip(&model, true);
}

static void sections_stay(void **state) {
  (void)state;
  set_model();
  model.axes = 3;
  model.section[0] = 16, model.section[1] = model.section[2] = 24;
  static const char *const methods[] = {"none", "yarn"};
  for (int i = 0; i < 4; i++) {
    model.sections_interleaved = i / 2;
    const struct rope_spec spec = extended(32768, methods[i / 2]);
    char *json = emit(&spec, i % 2);
    assert_non_null(strstr(json, "\"mrope_section\": ["));
    assert_null(strstr(json, "24.0"));
    assert_non_null(strstr(json, "24"));
    read_back(json, "");
    assert_same(&spec);
    assert_int_equal(back.axes, 3);
    assert_memory_equal(back.section, spec.section, 3 * sizeof *spec.section);
    assert_int_equal(back.sections_interleaved, spec.sections_interleaved);
    free(json);
  }
}

static void layer_types(void **state) {
  (void)state;
  set_model();
  strcpy(model.layer_type, "full_attention");
  const struct rope_spec spec = extended(32768, "linear");
  assert_holds(&spec, false,
               "{\n  \"max_position_embeddings\": 32768,\n  \"rope_parameters\": {\n"
               "    \"full_attention\": {\n      \"rope_theta\": 500000.0,\n"
               "      \"rope_type\": \"linear\",\n      \"factor\": 4.0\n    }\n  }\n}");
  char *json = NULL;
  assert_int_equal(try_emit(&spec, true, &json), ERROR_INPUT);
  assert_message(error, "layer type 'full_attention'");
  assert_null(json);
}

/* The layers that keep their RoPE are in the fragment as well, with what they took from the context
   that changes. */
static void other_layer_types_stay(void **state) {
  (void)state;
  set_model();
  struct rope_spec both[2] = {model, model};
  strcpy(both[0].layer_type, "full_attention");
  strcpy(both[1].layer_type, "sliding_attention");
  both[1].base = 10000;
  assert_int_equal(spec_parse_scaling("yarn:beta_fast=16", &both[1].scaling, &error), OK);
  model = both[0];
  const struct rope_spec spec = extended(32768, "linear");
  struct extend_fragment fragment = {.spec = &spec, .model = both, .count = 2};
  char *json = NULL;
  if (extend_emit(&fragment, &json, &error)) fail_msg("%s", error.message);
  assert_string_equal(json, "{\n  \"max_position_embeddings\": 32768,\n  \"rope_parameters\": {\n"
                            "    \"full_attention\": {\n      \"rope_theta\": 500000.0,\n"
                            "      \"rope_type\": \"linear\",\n      \"factor\": 4.0\n    },\n"
                            "    \"sliding_attention\": {\n      \"rope_theta\": 10000.0,\n"
                            "      \"rope_type\": \"yarn\",\n      \"beta_fast\": 16.0,\n"
                            "      \"factor\": 1.0,\n"
                            "      \"original_max_position_embeddings\": 8192\n    }\n  }\n}");
  free(json);
  json = NULL;
  assert_int_equal(spec_parse_scaling("resonance", &both[1].scaling, &error), OK);
  assert_int_equal(extend_emit(&fragment, &json, &error), ERROR_INPUT);
  assert_message(error, "the layer type 'sliding_attention', which stays as it is: a config.json");
  assert_null(json);
}

/* Where the family has a rule of its own, null would bring it back: gpt-oss. */
static void plain_instead_of_a_rule(void **state) {
  (void)state;
  set_model();
  assert_int_equal(spec_parse_scaling("yarn:factor=2", &model.scaling, &error), OK);
  const struct rope_spec spec = extended(32768, "none");
  assert_holds(&spec, true,
               "{\n  \"max_position_embeddings\": 32768,\n  \"rope_theta\": 500000.0,\n"
               "  \"rope_scaling\": {\n    \"rope_type\": \"default\"\n  }\n}");
  round_trip(&spec, true);
}

static void not_of_hugging_face(void **state) {
  (void)state;
  static const char *const methods[] = {"resonance", "p-rope:p=0.75", "dynamic-qwen"};
  char *json = NULL;
  set_model();
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    const struct rope_spec spec = extended(32768, methods[i]);
    assert_int_equal(try_emit(&spec, i % 2, &json), ERROR_INPUT);
    assert_message(error, "a config.json of Hugging Face cannot say");
    assert_message(error, spec.scaling.type);
    assert_null(json);
  }
  struct rope_spec spec = extended(32768, "proportional:partial_rotary_factor=0.5");
  assert_int_equal(try_emit(&spec, true, &json), ERROR_INPUT);
  assert_message(error, "transformers 4 does not know the type 'proportional'");
  spec = extended(32768, "linear");
  spec.rotary_dim = 3;
  assert_int_equal(try_emit(&spec, false, &json), ERROR_INPUT);
  assert_message(error, "is odd");
  assert_null(json);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(methods_read_back),       cmocka_unit_test(fragments),
      cmocka_unit_test(partial_rotation),        cmocka_unit_test(lists_of_factors),
      cmocka_unit_test(sections_stay),           cmocka_unit_test(layer_types),
      cmocka_unit_test(not_of_hugging_face),     cmocka_unit_test(other_layer_types_stay),
      cmocka_unit_test(plain_instead_of_a_rule),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Configs whose layers differ: a RoPE for each layer type, layers without, and which layer is
 * which.
 */
#include "tests/unit/config_case.h"

#define GEMMA3(rest) "{\"model_type\": \"gemma3_text\", \"head_dim\": 256" rest "}"

/* The RoPE of each layer as a letter: 0, 1, ... and - for none. */
static void scheduled(const char *letters) {
  char text[128] = "";
  assert_non_null(model->schedule);
  assert_true(model->layers < sizeof text);
  for (size_t i = 0; i < model->layers; i++)
    text[i] = model->schedule[i] < 0 ? '-' : (char)('0' + model->schedule[i]);
  assert_string_equal(text, letters);
}

static const struct rope_spec *rope_of(const char *layer_type) {
  for (size_t i = 0; i < model->count; i++)
    if (!strcmp(model->ropes[i].layer_type, layer_type)) return &model->ropes[i];
  fail_msg("no RoPE for %s", layer_type);
  return NULL;
}

/* Faults of other readers: the base of the first dictionary, or none, for all layers. */
static void each_layer_type_has_its_own_dictionary(void **state) {
  (void)state;
  read_well(QWEN(", \"max_position_embeddings\": 4096, \"num_hidden_layers\": 4,"
                 " \"layer_types\": [\"sliding_attention\", \"full_attention\","
                 " \"sliding_attention\", \"full_attention\"], \"rope_parameters\":"
                 " {\"sliding_attention\": {\"rope_type\": \"default\", \"rope_theta\": 1e4},"
                 " \"full_attention\": {\"rope_type\": \"linear\", \"factor\": 8,"
                 " \"rope_theta\": 1e6}}"),
            0);
  assert_int_equal(model->count, 2);
  assert_string_equal(model->ropes[0].layer_type, "sliding_attention");
  assert_string_equal(model->ropes[1].layer_type, "full_attention");
  assert_true(model->ropes[0].base == 1e4 && model->ropes[1].base == 1e6);
  assert_string_equal(model->ropes[0].scaling.type, "none");
  assert_string_equal(model->ropes[1].scaling.type, "linear");
  assert_true(model->ropes[0].context == 4096 && model->ropes[1].model_context == 4096);
  scheduled("0101");
  explained("full_attention", "base", "1000000",
            "'rope_theta' in 'rope_parameters.full_attention'");
  explained("full_attention", "factor", "8", "'factor' in 'rope_parameters.full_attention'");
  explained("sliding_attention", "schedule", "0,2", "'layer_types'");
  explained("", "context", "4096", "'max_position_embeddings'");
}

static void nested_dictionaries_fall_back_on_what_is_outside(void **state) {
  (void)state;
  read_well(PLAIN(", \"rope_parameters\": {\"full_attention\": {\"rope_type\": \"default\"},"
                  " \"sliding_attention\": {\"rope_theta\": 1e4}}"),
            1);
  assert_true(model->ropes[0].base == 1e6 && model->ropes[1].base == 1e4);
  warned(0, "'rope_theta' 10000 of 'rope_parameters.sliding_attention' is used, not 'rope_theta' "
            "1000000");
  assert_null(model->schedule);
  /* An original context outside is not theirs. */
  read_well(PLAIN(", \"original_max_position_embeddings\": 2048, \"rope_parameters\":"
                  " {\"full_attention\": {\"rope_type\": \"llama3\", " LLAMA3
                  ", \"original_max_position_embeddings\": 8192}}"),
            0);
  assert_true(spec_parameter(&spec, "original_max_position_embeddings") == 8192);
  /* Names of other layer types. */
  read_well(PLAIN(", \"rope_parameters\": {\"main\": {}, \"compress\": {\"rope_theta\": 50000}}"),
            1);
  assert_string_equal(model->ropes[1].layer_type, "compress");
  assert_true(model->ropes[0].base == 1e6 && model->ropes[1].base == 50000);
}

static void a_null_dictionary_means_no_rope(void **state) {
  (void)state;
  read_well(PLAIN(", \"layer_types\": [\"sliding_attention\", \"full_attention\"],"
                  " \"rope_parameters\": {\"full_attention\": null,"
                  " \"sliding_attention\": {\"rope_theta\": 1000000}}"),
            2);
  warned(0,
         "layers of type 'full_attention' have no RoPE: 'rope_parameters.full_attention' is null");
  warned(1, "layers without RoPE: 1 ('layer_types')");
  assert_int_equal(model->count, 1);
  assert_string_equal(spec.layer_type, "sliding_attention");
  scheduled("0-");
  explained("", "layers_without_rope", "1", "'layer_types'");
  /* What stands beside nulls alone is of the other layers. */
  read_well(PLAIN(", \"layer_types\": [\"linear_attention\", \"full_attention\"],"
                  " \"rope_parameters\": {\"rope_theta\": 1000000, \"linear_attention\": null}"),
            2);
  assert_string_equal(spec.layer_type, "");
  scheduled("-0");
  refused(PLAIN(", \"rope_parameters\": {\"full_attention\": null, \"sliding_attention\": null}"),
          "the model has no RoPE: every layer type of 'rope_parameters' is null");
}

static void what_stands_beside_layer_types_is_said(void **state) {
  (void)state;
  read_well(PLAIN(", \"rope_parameters\": {\"rope_theta\": 7, \"full_attention\": {}}"), 1);
  warned(0, "'rope_parameters' holds 'rope_theta' beside its layer types: ignored");
  assert_true(spec.base == 1e6);
  read_well(PLAIN(", \"rope_scaling\": {\"rope_type\": \"default\"}, \"rope_parameters\":"
                  " {\"full_attention\": {}}"),
            1);
  warned(0, "'rope_parameters' is used, not 'rope_scaling', which differs");
}

static void nested_dictionaries_are_checked(void **state) {
  (void)state;
  refused(PLAIN(", \"rope_parameters\": {\"full_attention\": {\"rope_type\": \"magic\"}}"),
          "'rope_parameters.full_attention': the scaling type 'magic' is not supported");
  refused(PLAIN(", \"rope_parameters\": {\"full_attention\": {\"rope_theta\": \"1e4\"}}"),
          "'rope_theta' is the text \"1e4\"");
  refused(PLAIN(", \"rope_parameters\": {\"\": {}, \"full_attention\": {}}"),
          "'rope_parameters' holds '', which is not the name of a layer type");
  refused(
      PLAIN(", \"rope_parameters\": {\"a-name-of-more-than-forty-characters-that-is-none\": {}}"),
      "which is not the name of a layer type");
  refused(PLAIN(", \"rope_parameters\": {\"a\": {}, \"b\": {}, \"c\": {}, \"d\": {}, \"e\": {},"
                " \"f\": {}, \"g\": {}, \"h\": {}, \"i\": {}}"),
          "'rope_parameters' holds more than 8 layer types: at most 8 are read");
  refused(PLAIN(", \"rope_parameters\": {\"full_attention\": {}, \"sliding_attention\": 3}"),
          "'rope_parameters': 'sliding_attention' is 3: an object is needed");
  refused(PLAIN(", \"layer_types\": [\"chunked_attention\"], \"rope_parameters\":"
                " {\"full_attention\": {}}"),
          "'layer_types' holds 'chunked_attention', for which there is no RoPE in "
          "'rope_parameters.full_attention'");
}

/* Faults of other readers: the factor dropped on global layers, or put on local ones. */
static void gemma_3_scales_its_global_layers_alone(void **state) {
  (void)state;
  read_well(GEMMA3(", \"num_hidden_layers\": 26, \"sliding_window_pattern\": 6,"
                   " \"rope_theta\": 1000000, \"rope_local_base_freq\": 10000,"
                   " \"rope_scaling\": {\"rope_type\": \"linear\", \"factor\": 8}"),
            0);
  assert_int_equal(model->count, 2);
  assert_true(rope_of("full_attention")->base == 1e6);
  assert_true(spec_parameter(rope_of("full_attention"), "factor") == 8);
  assert_true(rope_of("sliding_attention")->base == 1e4);
  assert_string_equal(rope_of("sliding_attention")->scaling.type, "none");
  scheduled("11111011111011111011111011");
  explained("full_attention", "schedule", "5,11,17,23", "'sliding_window_pattern'");
  explained("sliding_attention", "schedule", "0-4,6-10,12-16,18-22,24-25",
            "'sliding_window_pattern'");
  explained("sliding_attention", "base", "10000", "'rope_local_base_freq'");
  /* As published: the class knows the rest. */
  read_well("{\"model_type\": \"gemma3\", \"text_config\": {\"model_type\": \"gemma3_text\","
            " \"hidden_size\": 2560, \"num_hidden_layers\": 34, \"rope_scaling\":"
            " {\"factor\": 8.0, \"rope_type\": \"linear\"}, \"sliding_window\": 1024}}",
            0);
  assert_int_equal(spec.head_dim, 256);
  assert_int_equal(spec.context, 131072);
  assert_true(model->ropes[0].base == 1e6 && model->ropes[1].base == 1e4);
  explained("full_attention", "schedule", "5,11,17,23,29",
            "default of model_type 'gemma3_text' (transformers 5)");
  explained("sliding_attention", "base", "10000",
            "default of model_type 'gemma3_text' (transformers 5)");
}

static void modernbert_starts_with_a_global_layer(void **state) {
  (void)state;
  read_well("{\"model_type\": \"modernbert\", \"head_dim\": 64, \"num_hidden_layers\": 7,"
            " \"global_rope_theta\": 160000, \"local_rope_theta\": 20000,"
            " \"global_attn_every_n_layers\": 3}",
            0);
  assert_true(rope_of("full_attention")->base == 160000);
  assert_true(rope_of("sliding_attention")->base == 20000);
  scheduled("0110110");
}

static void other_names_of_a_local_base_are_known(void **state) {
  (void)state;
  read_well(PHI(", \"swa_rope_theta\": 10000"), 0);
  assert_true(rope_of("full_attention")->base == 1e6);
  assert_true(rope_of("sliding_attention")->base == 1e4);
  explained("sliding_attention", "base", "10000", "'swa_rope_theta'");
}

static void gemma_4_has_larger_global_heads(void **state) {
  (void)state;
  read_well("{\"model_type\": \"gemma4_text\", \"head_dim\": 256, \"global_head_dim\": 512,"
            " \"rope_parameters\": {\"full_attention\": {\"rope_type\": \"proportional\","
            " \"partial_rotary_factor\": 0.25, \"rope_theta\": 1e6}, \"sliding_attention\":"
            " {\"rope_type\": \"default\", \"rope_theta\": 1e4}}}",
            0);
  assert_int_equal(rope_of("full_attention")->head_dim, 512);
  assert_int_equal(rope_of("full_attention")->rotary_dim, 512);
  assert_true(spec_parameter(rope_of("full_attention"), "partial_rotary_factor") == 0.25);
  assert_int_equal(rope_of("sliding_attention")->head_dim, 256);
  refused("{\"model_type\": \"gemma4_text\", \"head_dim\": 256, \"global_head_dim\": \"512\"}",
          "'global_head_dim' is the text \"512\"");
}

/* Olmo 3 scales its full_attention layers; without a scaling all layers are alike. */
static void olmo_3_has_two_ropes_when_it_scales(void **state) {
  (void)state;
  static const char plain[] = "{\"model_type\": \"olmo3\", \"head_dim\": 128, \"rope_theta\": 5e5, "
                              "\"num_hidden_layers\": 4}";
  read_well(plain, 0);
  assert_int_equal(model->count, 1);
  assert_string_equal(spec.layer_type, "");
  scheduled("0000");
  read_well(
      "{\"model_type\": \"olmo3\", \"head_dim\": 128, \"rope_theta\": 5e5,"
      " \"num_hidden_layers\": 4, \"max_position_embeddings\": 65536, \"rope_scaling\":"
      " {\"rope_type\": \"yarn\", \"factor\": 8, \"original_max_position_embeddings\": 8192}}",
      0);
  assert_string_equal(rope_of("full_attention")->scaling.type, "yarn");
  assert_string_equal(rope_of("sliding_attention")->scaling.type, "none");
  assert_true(rope_of("sliding_attention")->base == 5e5);
  scheduled("1110");
}

static void some_layers_have_no_rope(void **state) {
  (void)state;
  /* 1: this layer has RoPE. */
  read_well(PLAIN(", \"no_rope_layers\": [1, 1, 0, 1], \"no_rope_layer_interval\": 2"), 1);
  warned(0, "layers without RoPE: 2 ('no_rope_layers')");
  scheduled("00-0");
  explained("", "layers", "4", "'no_rope_layers'");
  read_well(PLAIN(", \"num_hidden_layers\": 8, \"no_rope_layer_interval\": 4"), 1);
  scheduled("000-000-");
  read_well(PLAIN(", \"no_rope_layer_interval\": 4"), 1);
  warned(0, "one in 4 layers has no RoPE ('no_rope_layer_interval')");
  /* An empty list is Llama 4's way of saying its default. */
  read_well("{\"model_type\": \"llama4_text\", \"head_dim\": 128, \"rope_theta\": 5e5,"
            " \"num_hidden_layers\": 4, \"no_rope_layers\": []}",
            1);
  warned(0, "layers without RoPE: 3 (default of model_type 'llama4_text' (transformers 5))");
  scheduled("000-");
  read_well("{\"model_type\": \"cohere2\", \"head_dim\": 128, \"rope_theta\": 5e4,"
            " \"num_hidden_layers\": 5, \"sliding_window\": 4096, \"sliding_window_pattern\": 2}",
            1);
  scheduled("0-0-0");
  read_well("{\"model_type\": \"exaone4\", \"head_dim\": 128, \"rope_theta\": 1e6,"
            " \"num_hidden_layers\": 5, \"sliding_window\": 4096,"
            " \"sliding_window_pattern\": \"LLG\"}",
            1);
  scheduled("00-00");
  read_well("{\"model_type\": \"exaone4\", \"head_dim\": 128, \"rope_theta\": 1e6,"
            " \"num_hidden_layers\": 5, \"sliding_window\": null}",
            0);
  scheduled("00000");
  /* Their classes have a window unless it is null. */
  read_well("{\"model_type\": \"cohere2\", \"head_dim\": 128, \"rope_theta\": 5e4,"
            " \"num_hidden_layers\": 5, \"sliding_window_pattern\": 2}",
            1);
  scheduled("0-0-0");
  read_well("{\"model_type\": \"exaone4\", \"head_dim\": 128, \"rope_theta\": 1e6,"
            " \"num_hidden_layers\": 5}",
            1);
  scheduled("000-0");
  read_well(PLAIN(", \"layer_types\": [\"conv\", \"full_attention\", \"linear_attention\"]"), 1);
  scheduled("-0-");
}

/* Qwen3-Next and Qwen3.5: the others have linear attention. */
static void one_layer_in_some_has_softmax_attention(void **state) {
  (void)state;
#define NEXT(rest)                                                                                 \
  "{\"model_type\": \"qwen3_next\", \"head_dim\": 256, \"partial_rotary_factor\": 0.25,"           \
  " \"rope_theta\": 1e7" rest "}"
  read_well(NEXT(", \"num_hidden_layers\": 9, \"full_attention_interval\": 4"), 1);
  scheduled("---0---0-");
  warned(0, "layers without RoPE: 0-2,4-6,8 ('full_attention_interval')");
  explained("", "schedule", "3,7", "'full_attention_interval'");
  explained("", "layers_without_rope", "0-2,4-6,8", "'full_attention_interval'");
  read_well(NEXT(", \"num_hidden_layers\": 4"), 1);
  scheduled("---0");
  explained("", "schedule", "3", "default of model_type 'qwen3_next' (transformers 5)");
  read_well(NEXT(", \"num_hidden_layers\": 2, \"full_attention_interval\": 4, \"layer_types\":"
                 " [\"full_attention\", \"linear_attention\"]"),
            1);
  scheduled("0-");
  read_well(NEXT(""), 1);
  warned(0, "only one in 4 layers has RoPE (default of model_type 'qwen3_next'");
  refused(NEXT(", \"num_hidden_layers\": 4, \"full_attention_interval\": 0"),
          "'full_attention_interval' is 0");
  refused(NEXT(", \"num_hidden_layers\": 3"),
          "the model has no RoPE: none of its 3 layers has any (default of model_type");
}

static void some_layer_has_rope(void **state) {
  (void)state;
  refused(PLAIN(", \"num_hidden_layers\": 2, \"no_rope_layers\": [0, 0]"),
          "the model has no RoPE: none of its 2 layers has any ('no_rope_layers')");
  refused(PLAIN(", \"layer_types\": [\"linear_attention\"]"),
          "the model has no RoPE: none of its 1 layers has any ('layer_types')");
}

static void contradicting_layers_are_told(void **state) {
  (void)state;
  refused(PLAIN(", \"num_hidden_layers\": 3, \"layer_types\": [\"full_attention\"]"),
          "the length of 'layer_types' is 1: an entry for each of the 3 layers is needed");
  read_well(PLAIN(", \"num_hidden_layers\": 1, \"no_rope_layers\": [1, 0]"), 1);
  warned(0, "the length of 'no_rope_layers' is 2: what is beyond num_hidden_layers 1 is ignored");
  scheduled("0");
  refused(PLAIN(", \"layer_types\": 5"), "'layer_types' is 5: a list is needed");
  refused(PLAIN(", \"layer_types\": [\"full_attention\", 3]"),
          "entry 1 of 'layer_types' is 3: a text is needed");
  refused(PLAIN(", \"layer_types\": [null]"), "entry 0 of 'layer_types' is null");
  refused(PLAIN(", \"no_rope_layers\": [1, true]"), "entry 1 of 'no_rope_layers' is true");
  refused(PLAIN(", \"no_rope_layers\": 3"), "'no_rope_layers' is 3: a list is needed");
  refused(PLAIN(", \"num_hidden_layers\": 10001"),
          "'num_hidden_layers' is 10001: at most 10000 layers are read");
  refused(PLAIN(", \"num_hidden_layers\": \"32\""), "'num_hidden_layers' is the text \"32\"");
  refused(GEMMA3(", \"num_hidden_layers\": 3, \"sliding_window_pattern\": \"LGX\""),
          "'sliding_window_pattern' is 'LGX': a number, or the letters L and G");
  refused(GEMMA3(", \"num_hidden_layers\": 3, \"sliding_window_pattern\": 0"),
          "'sliding_window_pattern' is 0");
  refused(GEMMA3(", \"num_hidden_layers\": 3, \"sliding_window_pattern\": \"\""),
          "'sliding_window_pattern' is ''");
}

static void endless_lists_of_layers_are_refused(void **state) {
  (void)state;
  enum { COUNT = 10001 };
  static char text[COUNT * 2 + 256];
  size_t used = (size_t)snprintf(text, sizeof text, "{\"head_dim\": 64, \"no_rope_layers\": [1");
  for (size_t i = 1; i < COUNT; i++)
    used += (size_t)snprintf(text + used, sizeof text - used, ",1");
  snprintf(text + used, sizeof text - used, "]}");
  refused(text, "the length of 'no_rope_layers' is 10001: at most 10000 layers are read");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_layer_type_has_its_own_dictionary),
      cmocka_unit_test(nested_dictionaries_fall_back_on_what_is_outside),
      cmocka_unit_test(a_null_dictionary_means_no_rope),
      cmocka_unit_test(what_stands_beside_layer_types_is_said),
      cmocka_unit_test(nested_dictionaries_are_checked),
      cmocka_unit_test(gemma_3_scales_its_global_layers_alone),
      cmocka_unit_test(modernbert_starts_with_a_global_layer),
      cmocka_unit_test(other_names_of_a_local_base_are_known),
      cmocka_unit_test(gemma_4_has_larger_global_heads),
      cmocka_unit_test(olmo_3_has_two_ropes_when_it_scales),
      cmocka_unit_test(some_layers_have_no_rope),
      cmocka_unit_test(one_layer_in_some_has_softmax_attention),
      cmocka_unit_test(some_layer_has_rope),
      cmocka_unit_test(contradicting_layers_are_told),
      cmocka_unit_test(endless_lists_of_layers_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, release);
}

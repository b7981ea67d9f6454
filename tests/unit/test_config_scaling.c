/* The scaling rules of Hugging Face configs: old names, lists, sections of M-RoPE, what other
 * engines read, and what a family's code does with it. */
#include <math.h>

#include "tests/unit/config_case.h"

/* A head of four pairs whose config has the scaling `rest`. */
#define SMALL(rest)                                                                                \
  "{\"model_type\": \"phi3\", \"head_dim\": 8, \"rope_theta\": 1e4,"                               \
  " \"max_position_embeddings\": 131072, \"rope_scaling\": {" rest "}}"
#define LISTS "\"short_factor\": [1, 1.5, 2, 2], \"long_factor\": [1, 8, 32, 64]"

static const char original[] = "original_max_position_embeddings";

static void lists_of_factors_are_read(void **state) {
  (void)state;
  read_well(SMALL("\"type\": \"longrope\", \"original_max_position_embeddings\": 4096, " LISTS), 0);
  assert_string_equal(spec.scaling.type, "longrope");
  const struct spec_list *list = spec_list(&spec, "short_factor");
  assert_non_null(list);
  assert_int_equal(list->count, 4);
  assert_true(list->value[1] == 1.5 && list->value[3] == 2);
  assert_true(spec_list(&spec, "long_factor")->value[3] == 64);
  assert_true(isnan(spec_parameter(&spec, "factor")));
  explained("", "long_factor", "4 numbers from 1 to 64", "'long_factor' in 'rope_scaling'");
  refused(SMALL("\"type\": \"longrope\", \"short_factor\": [1, 1, 1], \"long_factor\": [1, 1, 1]"),
          "'rope_scaling': 'short_factor' holds 3 numbers: one for each of the 4 pairs of a head "
          "is needed");
  refused(SMALL("\"type\": \"longrope\", \"short_factor\": [1, 1, 1, \"2\"]"),
          "entry 3 of 'short_factor' is the text \"2\": a number is needed");
  refused(SMALL("\"type\": \"longrope\", \"short_factor\": 1"),
          "'short_factor' is 1: a list is needed");
  refused(SMALL("\"type\": \"longrope\", \"short_factor\": [1, 1, 1, 1]"), "longrope");
  refused(SMALL("\"type\": \"longrope\", \"short_factor\": [1, 1, 0, 1], \"long_factor\":"
                " [1, 1, 1, 1]"),
          "number 2 of 'short_factor' is 0");
}

static void lists_of_endless_heads_are_refused(void **state) {
  (void)state;
  refused("{\"model_type\": \"phi3\", \"head_dim\": 4096, \"rope_theta\": 1e4, \"rope_scaling\":"
          " {\"type\": \"longrope\", \"short_factor\": [1]}}",
          "one for each of the 2048 pairs of a head is needed, and at most 1024 are read");
}

static void old_names_of_types_are_known(void **state) {
  (void)state;
  read_well(SMALL("\"type\": \"su\", \"original_max_position_embeddings\": 4096, " LISTS), 0);
  assert_string_equal(spec.scaling.type, "longrope");
  explained("", "scaling", "longrope", "'type' in 'rope_scaling'");
  read_well(SMALL("\"type\": \"su\", \"rope_type\": \"longrope\","
                  " \"original_max_position_embeddings\": 4096, " LISTS),
            0);
  assert_string_equal(spec.scaling.type, "longrope");
  /* Phi-3's first configs. */
  read_well(SMALL("\"type\": \"yarn\", \"original_max_position_embeddings\": 4096, " LISTS), 0);
  assert_string_equal(spec.scaling.type, "longrope");
  read_well(PLAIN(", \"rope_scaling\": {\"type\": \"mrope\", \"rope_type\": \"default\"}"), 1);
  refused(SMALL("\"type\": \"su\", \"rope_type\": \"yarn2\""), "they must be equal");
  refused(SMALL("\"type\": \"given\", \"inv_freq\": [1, 1, 1, 1]"),
          "'rope_scaling': the scaling type 'given' is not supported: in configs, default");
  refused(SMALL("\"type\": \"factors\", \"freq_factors\": [1, 1, 1, 1]"),
          "type 'factors' is not supported");
}

static void a_factor_may_be_implicit(void **state) {
  (void)state;
  read_well(PLAIN(", \"rope_scaling\": {\"rope_type\": \"yarn\", \"factor\": null,"
                  " \"original_max_position_embeddings\": 8192}"),
            0);
  assert_true(isnan(spec_parameter(&spec, "factor")));
  /* A factor that is given wins over the contexts, whose ratio is 1.25. */
  read_well(QWEN(", \"rope_theta\": 1e6, \"max_position_embeddings\": 40960, \"rope_scaling\":"
                 " {\"rope_type\": \"yarn\", \"factor\": 4,"
                 " \"original_max_position_embeddings\": 32768}"),
            1);
  assert_true(spec_parameter(&spec, "factor") == 4);
  warned(0, "1.25");
}

static void original_contexts_have_an_order(void **state) {
  (void)state;
  /* gpt-oss' name serves when there is no other. */
  read_well(PLAIN(", \"initial_context_length\": 8192, \"rope_scaling\": {\"rope_type\": \"yarn\","
                  " \"factor\": 4}"),
            0);
  assert_true(spec_parameter(&spec, original) == 8192);
  explained("", original, "8192", "'initial_context_length'");
  read_well(PLAIN(", \"initial_context_length\": 4096, \"rope_scaling\": {\"rope_type\": \"yarn\","
                  " \"factor\": 4, \"original_max_position_embeddings\": 8192}"),
            0);
  assert_true(spec_parameter(&spec, original) == 8192);
  read_well(PLAIN(", \"original_max_position_embeddings\": 8192, \"rope_scaling\": {\"rope_type\":"
                  " \"yarn\", \"factor\": 4}"),
            0);
  explained("", original, "8192", "'original_max_position_embeddings'");
  refused(PLAIN(", \"original_max_position_embeddings\": \"8k\", \"rope_scaling\": {\"rope_type\":"
                " \"yarn\", \"factor\": 4}"),
          "'original_max_position_embeddings' is the text \"8k\"");
  refused(PLAIN(", \"rope_scaling\": {\"rope_type\": \"yarn\", \"factor\": 4,"
                " \"original_max_position_embeddings\": -1}"),
          "'original_max_position_embeddings' is -1");
}

static void numbers_of_other_engines_are_kept_and_said(void **state) {
  (void)state;
  read_well(PLAIN(", \"rope_scaling\": {\"rope_type\": \"yarn\", \"factor\": 4, \"attn_factor\": 2,"
                  " \"original_max_position_embeddings\": 8192, \"truncate\": false}"),
            1);
  warned(0, "'attn_factor' is ignored by the yarn scaling");
  assert_true(spec_parameter(&spec, "attn_factor") == 2);
  assert_true(spec_parameter(&spec, "truncate") == 0);
  explained("", "truncate", "false", "'truncate' in 'rope_scaling'");
  refused(PLAIN(", \"rope_scaling\": {\"rope_type\": \"yarn\", \"truncate\": 0}"),
          "'truncate' is 0: true or false is needed");
}

/* Faults of other readers: interleaved sections taken as blocks. */
static void sections_of_pairs_are_read(void **state) {
  (void)state;
  read_well(PLAIN(", \"rope_scaling\": {\"type\": \"mrope\", \"mrope_section\": [16, 24, 24]}"), 1);
  assert_string_equal(spec.scaling.type, "none");
  assert_int_equal(spec.axes, 3);
  assert_true(spec.section[0] == 16 && spec.section[1] == 24 && spec.section[2] == 24);
  assert_false(spec.sections_interleaved);
  explained("", "mrope_section", "16,24,24", "'mrope_section' in 'rope_scaling'");
  warned(0, "M-RoPE is read as for text");
  read_well(PLAIN(", \"rope_parameters\": {\"rope_type\": \"default\", \"mrope_section\":"
                  " [24, 20, 20], \"mrope_interleaved\": true}"),
            1);
  assert_true(spec.sections_interleaved);
  /* Qwen3-VL deals them out in turn, said or not. */
  read_well("{\"model_type\": \"qwen3_vl\", \"head_dim\": 128, \"rope_theta\": 5e6,"
            " \"rope_scaling\": {\"rope_type\": \"default\", \"mrope_section\": [24, 20, 20]}}",
            1);
  assert_true(spec.sections_interleaved);
  explained("", "mrope_interleaved", "true", "default of model_type 'qwen3_vl' (transformers 5)");
  /* 1, 4, ..., 61 are 21 of 64 pairs, and so are 2, 5, ..., 62. */
  read_well("{\"model_type\": \"qwen3_vl\", \"head_dim\": 128, \"rope_theta\": 5e6,"
            " \"rope_scaling\": {\"rope_type\": \"default\", \"mrope_section\": [21, 22, 21]}}",
            2);
  warned(0, "dealt out in turn, 21 of the 64 pairs are of the height, not the 22 of its section");
  read_well("{\"model_type\": \"qwen3_vl\", \"head_dim\": 128, \"rope_theta\": 5e6,"
            " \"rope_scaling\": {\"rope_type\": \"default\", \"mrope_section\": [8, 21, 35]}}",
            2);
  warned(0, "21 of the 64 pairs are of the width, not the 35 of its section");
  /* Those of the pairs that rotate. */
  read_well(PHI(", \"partial_rotary_factor\": 0.5, \"rope_scaling\": {\"rope_type\": \"default\","
                " \"mrope_section\": [8, 12, 12]}"),
            1);
  assert_int_equal(spec.rotary_dim, 64);
  read_well(PLAIN(", \"rope_scaling\": {\"type\": \"mrope\"}"), 1);
  assert_int_equal(spec.axes, 0);
}

static void wrong_sections_are_told(void **state) {
  (void)state;
  refused(PLAIN(", \"rope_scaling\": {\"type\": \"mrope\", \"mrope_section\": [16, 24, 20]}"),
          "'mrope_section' sums to 60: the 64 pairs of a head are needed");
  refused(PLAIN(", \"rope_scaling\": {\"type\": \"mrope\", \"mrope_section\": 64}"),
          "'mrope_section' is 64: a list is needed");
  refused(PLAIN(", \"rope_scaling\": {\"type\": \"mrope\", \"mrope_section\": [16, -1, 49]}"),
          "entry 1 of 'mrope_section' is -1: a whole number from 0 to 2147483647 is needed");
  refused(PLAIN(", \"rope_scaling\": {\"type\": \"mrope\", \"mrope_section\": [16, \"24\", 24]}"),
          "entry 1 of 'mrope_section' is the text \"24\"");
  refused(PLAIN(", \"rope_scaling\": {\"type\": \"mrope\", \"mrope_section\": [16, 16, 16, 8, 8]}"),
          "'mrope_section' holds 5 numbers: at most 4 are read");
  refused(PLAIN(", \"rope_scaling\": {\"type\": \"mrope\", \"mrope_section\": [32, 32],"
                " \"mrope_interleaved\": 1}"),
          "'mrope_interleaved' is 1: true or false is needed");
}

#define YARN_ALL_DIM                                                                               \
  ", \"rope_theta\": 1e4, \"rope_scaling\": {\"type\": \"yarn\", \"factor\": 40, \"mscale\": 1,"   \
  " \"mscale_all_dim\": 1, \"original_max_position_embeddings\": 4096}}"

static void mscale_is_for_latent_attention_alone(void **state) {
  (void)state;
  read_well("{\"model_type\": \"deepseek_v3\", \"qk_rope_head_dim\": 64" YARN_ALL_DIM, 0);
  assert_false(spec.plain_softmax);
  read_well("{\"model_type\": \"ministral3\", \"head_dim\": 128" YARN_ALL_DIM, 0);
  assert_true(spec.plain_softmax);
  explained("", "softmax_scale", "left alone",
            "default of model_type 'ministral3' (transformers 5)");
  read_well("{\"model_type\": \"brand_new\", \"head_dim\": 128" YARN_ALL_DIM, 1);
  assert_true(spec.plain_softmax);
  read_well("{\"model_type\": \"brand_new\", \"qk_rope_head_dim\": 64" YARN_ALL_DIM, 1);
  assert_false(spec.plain_softmax);
}

/* transformers' plain RoPE of most families is of head_dim, whatever the config says. */
static void most_families_turn_whole_heads(void **state) {
  (void)state;
  read_well(PLAIN(", \"partial_rotary_factor\": 0.5"), 1);
  assert_int_equal(spec.rotary_dim, 128);
  warned(0, "'partial_rotary_factor' is ignored, as by the code of model_type 'qwen2': whole heads "
            "rotate");
  read_well(PLAIN(", \"rotary_dim\": 64"), 1);
  assert_int_equal(spec.rotary_dim, 128);
  read_well(PLAIN(", \"rope_parameters\": {\"rope_type\": \"default\", \"rope_theta\": 1000000,"
                  " \"partial_rotary_factor\": 1.0}"),
            0);
  /* A scaling counts it. */
  read_well(PLAIN(", \"partial_rotary_factor\": 0.5, \"rope_scaling\": {\"type\": \"linear\","
                  " \"factor\": 2}"),
            0);
  assert_int_equal(spec.rotary_dim, 64);
  explained("", "rotary_dim", "64", "'partial_rotary_factor'");
}

/* The first Qwen says its scaling with a flag, and measures by seq_length. */
static void the_first_qwen_is_dynamic(void **state) {
  (void)state;
  read_well("{\"model_type\": \"qwen\", \"kv_channels\": 128, \"rotary_emb_base\": 10000,"
            " \"rotary_pct\": 1.0, \"seq_length\": 2048, \"max_position_embeddings\": 8192,"
            " \"use_dynamic_ntk\": true}",
            0);
  assert_string_equal(spec.scaling.type, "dynamic-qwen");
  assert_true(spec_parameter(&spec, "max_position_embeddings") == 2048);
  explained("", "scaling", "dynamic-qwen", "'use_dynamic_ntk'");
  read_well("{\"model_type\": \"qwen\", \"kv_channels\": 128, \"rotary_emb_base\": 10000,"
            " \"use_dynamic_ntk\": false}",
            0);
  assert_string_equal(spec.scaling.type, "none");
  refused("{\"model_type\": \"qwen\", \"kv_channels\": 128, \"use_dynamic_ntk\": 1}",
          "'use_dynamic_ntk' is 1: true or false is needed");
}

static void families_know_what_is_left_out(void **state) {
  (void)state;
  read_well("{\"model_type\": \"gpt_oss\", \"rope_theta\": 150000}", 1);
  warned(0, "there is no 'rope_parameters': that of model_type 'gpt_oss' is used");
  assert_string_equal(spec.scaling.type, "yarn");
  assert_true(spec_parameter(&spec, "factor") == 32);
  assert_int_equal(spec.head_dim, 64);
  explained("", "factor", "32", "default of model_type 'gpt_oss' (transformers 5)");
  read_well("{\"model_type\": \"gemma4_text\", \"num_hidden_layers\": 6}", 1);
  assert_int_equal(model->count, 2);
  assert_string_equal(model->ropes[1].layer_type, "full_attention");
  assert_string_equal(model->ropes[1].scaling.type, "proportional");
  assert_int_equal(model->ropes[1].head_dim, 512);
  read_well("{\"model_type\": \"qwen3\", \"hidden_size\": 1024, \"num_attention_heads\": 16,"
            " \"rope_theta\": 1e6}",
            1);
  assert_int_equal(spec.head_dim, 128);
  warned(0, "there is no 'head_dim': 128, the default of model_type 'qwen3', is used");
  static const char *const quarters[] = {"qwen3_next", "qwen3_5", "qwen3_5_moe"};
  for (size_t i = 0; i < sizeof quarters / sizeof *quarters; i++) {
    char text[160];
    snprintf(text, sizeof text,
             "{\"model_type\": \"%s\", \"head_dim\": 256, \"rope_theta\": 1e7,"
             " \"layer_types\": [\"full_attention\"]}",
             quarters[i]);
    read_well(text, 1);
    assert_int_equal(spec.rotary_dim, 64);
    warned(0, "there is no 'partial_rotary_factor': 0.25, the default of model_type 'qwen3_");
  }
  static const char *const latent[] = {"deepseek_v2", "deepseek_v3"};
  for (size_t i = 0; i < sizeof latent / sizeof *latent; i++) {
    char text[160];
    snprintf(text, sizeof text,
             "{\"model_type\": \"%s\", \"hidden_size\": 2048, \"num_attention_heads\": 16,"
             " \"rope_theta\": 1e4}",
             latent[i]);
    read_well(text, 1);
    assert_int_equal(spec.head_dim, 64);
    assert_int_equal(spec.rotary_dim, 64);
    warned(0, "there is no 'qk_rope_head_dim': 64, the default of model_type 'deepseek_v");
    snprintf(text, sizeof text, "default of model_type '%s' (transformers 5)", latent[i]);
    explained("", "rotary_dim", "64", text);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lists_of_factors_are_read),
      cmocka_unit_test(lists_of_endless_heads_are_refused),
      cmocka_unit_test(old_names_of_types_are_known),
      cmocka_unit_test(a_factor_may_be_implicit),
      cmocka_unit_test(original_contexts_have_an_order),
      cmocka_unit_test(numbers_of_other_engines_are_kept_and_said),
      cmocka_unit_test(sections_of_pairs_are_read),
      cmocka_unit_test(wrong_sections_are_told),
      cmocka_unit_test(mscale_is_for_latent_attention_alone),
      cmocka_unit_test(most_families_turn_whole_heads),
      cmocka_unit_test(the_first_qwen_is_dynamic),
      cmocka_unit_test(families_know_what_is_left_out),
  };
  return cmocka_run_group_tests(tests, NULL, release);
}

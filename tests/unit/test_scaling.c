/* Scaling rules: the registry, the numbers it takes, what each rule does. */
#include "tests/unit/scalings.h"

static void registry_is_consistent(void **state) {
  (void)state;
  const struct scaling_rule *rule;
  size_t count = 0;
  for (; (rule = scaling_rule_at(count)); count++) {
    assert_ptr_equal(scaling_rule_find(rule->name), rule);
    assert_non_null(rule->apply);
    assert_true(strlen(rule->summary) > 0 && strlen(rule->source) > 0);
    assert_true(strlen(rule->name) < SPEC_KEY);
    for (size_t i = 0; i < SCALING_KEYS && rule->keys[i].name; i++)
      assert_ptr_equal(scaling_key_find(rule, rule->keys[i].name), &rule->keys[i]);
  }
  assert_int_equal(count, 13);
  assert_null(scaling_rule_find("yarn?"));
  assert_null(scaling_rule_find(""));
  assert_null(scaling_key_find(scaling_rule_find("linear"), "beta_fast"));
}

static void faults_are_named(void **state) {
  (void)state;
  static const struct {
    const char *text, *message;
  } faults[] = {
      {"magic", "the scaling type 'magic' is not supported: none, linear"},
      {"magic:factor=2", "the scaling type 'magic' is not supported: none, linear"},
      {"none:factor=2", "unknown parameter 'factor': the scaling type 'none' takes none"},
      {"linear", "the scaling type 'linear' needs the parameter 'factor'"},
      {"linear:beta=2", "unknown parameter 'beta': the scaling type 'linear' takes factor"},
      {"linear:factor=0", "the scaling parameter 'factor' is 0: it must be greater than 0"},
      {"linear:factor=-2", "the scaling parameter 'factor' is -2: it must be greater than 0"},
      {"llama3:factor=8,low_freq_factor=1,high_freq_factor=4",
       "the scaling type 'llama3' needs the parameter 'original_max_position_embeddings'"},
      {"llama3:factor=8,low_freq_factor=-1,high_freq_factor=4,"
       "original_max_position_embeddings=8k",
       "the scaling parameter 'low_freq_factor' is -1: it must be greater than 0"},
  };
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
    assert_scaling_refused(128, 10000, faults[i].text, faults[i].message);
}

/* Nobody can ask for the numbers of a file by a name. */
static void files_own_rules_are_not_offered(void **state) {
  (void)state;
  struct error error;
  assert_int_equal(scaling_key_check("magic", "factor", &error), ERROR_INPUT);
  assert_string_equal(error.message,
                      "the scaling type 'magic' is not supported: none, linear, ntk, dynamic, "
                      "dynamic-qwen, yarn, llama3, longrope, proportional, p-rope and resonance "
                      "are");
}

/* Numbers that a rule would ignore are accepted, not offered. */
static void ignored_numbers_are_not_offered(void **state) {
  (void)state;
  struct error error;
  assert_int_equal(scaling_key_check("yarn", "attn_factor", &error), OK);
  assert_int_equal(scaling_key_check("yarn", "beta", &error), ERROR_INPUT);
  assert_string_equal(error.message,
                      "unknown parameter 'beta': the scaling type 'yarn' takes factor, "
                      "original_max_position_embeddings, attention_factor, beta_fast, beta_slow, "
                      "truncate, mscale, mscale_all_dim");
}

static void every_kind_of_number_is_checked(void **state) {
  (void)state;
  const struct scaling_rule rule = {.name = "test",
                                    .keys = {{"positive", true, SCALING_POSITIVE, NULL},
                                             {"natural", false, SCALING_NATURAL, NULL},
                                             {"real", false, SCALING_REAL, NULL},
                                             {"flag", false, SCALING_FLAG, NULL}}};
  static const struct {
    const char *key;
    double value;
    int status;
  } numbers[] = {{"positive", 1e-300, OK},
                 {"positive", 0, ERROR_INPUT},
                 {"positive", NAN, ERROR_INPUT},
                 {"positive", INFINITY, ERROR_INPUT},
                 {"natural", 0, OK},
                 {"natural", -1e-300, ERROR_INPUT},
                 {"real", 0, OK},
                 {"real", -3.5, OK},
                 {"real", NAN, ERROR_INPUT},
                 {"real", -INFINITY, ERROR_INPUT},
                 {"flag", 0, OK},
                 {"flag", 1, OK},
                 {"flag", 0.5, ERROR_INPUT},
                 {"flag", 2, ERROR_INPUT},
                 {"other", 1, ERROR_INPUT}};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    struct rope_spec spec;
    struct error error;
    spec_default(&spec);
    assert_int_equal(spec_set_parameter(&spec, "positive", 1, &error), OK);
    assert_int_equal(spec_set_parameter(&spec, numbers[i].key, numbers[i].value, &error), OK);
    assert_int_equal(scaling_check_numbers(&rule, &spec.scaling, &error), numbers[i].status);
    if (numbers[i].status) assert_non_null(strstr(error.message, numbers[i].key));
  }
}

/* A factor of 4 makes position 8 look like 2, not like 32. */
static void linear_divides(void **state) {
  (void)state;
  struct spectrum *plain = scaled_spectrum(128, 10000, "none"),
                  *scaled = scaled_spectrum(128, 10000, "linear:factor=4");
  for (size_t i = 0; i < plain->pairs; i++)
    assert_true(scaled->inv_freq[i] == plain->inv_freq[i] / 4);
  double cosine, sine;
  phase_cos_sin(phase_at(scaled->step[0], 8), &cosine, &sine);
  assert_relative(cosine, -0.41614683654714241, 1e-15); /* cos 2 */
  assert_true(scaled->effective_base == 10000);
  assert_true(scaled->attention_factor == 1 && scaled->softmax_factor == 1);
  spectrum_destroy(plain);
  spectrum_destroy(scaled);
}

/* The blended frequencies of Llama-3.1-8B, pairs 29 to 34, in 50-digit arithmetic. */
static void llama3_has_three_bands(void **state) {
  (void)state;
  static const char llama31[] = "llama3:factor=8,low_freq_factor=1,high_freq_factor=4,"
                                "original_max_position_embeddings=8192";
  static const char llama32[] = "llama3:factor=32,low_freq_factor=1,high_freq_factor=4,"
                                "original_max_position_embeddings=8192";
  static const long double blended[] = {0.00216657076350335860934L,  0.00137189356776113816040L,
                                        0.000856751412919632081074L, 0.000524846160992954669727L,
                                        0.000312693750384065132216L, 0.000178507812767996418524L};
  struct spectrum *scaled = scaled_spectrum(128, 500000, llama31);
  assert_bands(scaled, 29, 6, 29);
  for (size_t i = 0; i < 6; i++)
    assert_relative(scaled->inv_freq[29 + i], blended[i], 1e-17);
  assert_relative(scaled->inv_freq[63], 3.068925988914511089e-7L, 1e-18);
  assert_true(scaled->attention_factor == 1 && scaled->softmax_factor == 1);
  assert_true(scaled->effective_base == 500000);
  assert_true(scaled->full_factor == 8);
  spectrum_destroy(scaled);
  scaled = scaled_spectrum(64, 500000, llama32);
  assert_bands(scaled, 15, 3, 14);
  spectrum_destroy(scaled);
}

/* With equal factors nothing is blended, and the pair on the boundary (made exact here) is divided;
   with crossed ones the division wins. */
static void llama3_survives_equal_and_crossed_factors(void **state) {
  (void)state;
  struct spectrum *equal = scaled_spectrum(128, 500000,
                                           "llama3:factor=16,low_freq_factor=1,"
                                           "high_freq_factor=1,"
                                           "original_max_position_embeddings=8192");
  struct spectrum *crossed = scaled_spectrum(128, 500000,
                                             "llama3:factor=16,low_freq_factor=4,"
                                             "high_freq_factor=1,"
                                             "original_max_position_embeddings=8192");
  assert_bands(equal, 35, 0, 29);
  assert_bands(crossed, 29, 0, 35);
  spectrum_destroy(equal);
  spectrum_destroy(crossed);

  const struct scaling_rule *rule = scaling_rule_find("llama3");
  const long double two_pi = 6.28318530717958647692528676655900577L;
  long double inv_freq[] = {two_pi / 4};
  struct scaling_result result = {.pairs = 1, .inv_freq = inv_freq};
  struct rope_spec spec;
  struct error error;
  spec_default(&spec);
  assert_int_equal(spec_parse_scaling("llama3:factor=2,low_freq_factor=16,high_freq_factor=16,"
                                      "original_max_position_embeddings=64",
                                      &spec.scaling, &error),
                   OK);
  assert_int_equal(rule->apply(&spec, &result, &error), OK);
  assert_true(inv_freq[0] == two_pi / 8);
}

static void doubts_are_said_with_numbers(void **state) {
  (void)state;
  assert_warns("none", 8192, NULL, NULL);
  /* A short sequence of a long model is no fault of the rule. */
  struct rope_spec brief =
      scaled_spec(128, 10000, "yarn:factor=32,original_max_position_embeddings=4k");
  brief.context = 4096;
  brief.model_context = 131072;
  assert_spec_warns(&brief, NULL, NULL);
  assert_warns("magic:factor=0.5", 8192, NULL, NULL);
  assert_warns("linear:factor=1", 8192, NULL, NULL);
  assert_warns("linear:factor=0.25", 8192,
               "the factor 0.25 of the linear scaling is below 1: it shortens the context", NULL);
  assert_warns("llama3:factor=8,low_freq_factor=1,high_freq_factor=4,"
               "original_max_position_embeddings=8192",
               131072, NULL, NULL);
  assert_warns(
      "llama3:factor=8,low_freq_factor=4,high_freq_factor=4,"
      "original_max_position_embeddings=8192",
      8192,
      "original_max_position_embeddings 8192 is not below the context 8192 that the llama3 "
      "scaling is to reach",
      "high_freq_factor 4 is not above low_freq_factor 4: no pair is blended");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(registry_is_consistent),
      cmocka_unit_test(faults_are_named),
      cmocka_unit_test(files_own_rules_are_not_offered),
      cmocka_unit_test(ignored_numbers_are_not_offered),
      cmocka_unit_test(every_kind_of_number_is_checked),
      cmocka_unit_test(linear_divides),
      cmocka_unit_test(llama3_has_three_bands),
      cmocka_unit_test(llama3_survives_equal_and_crossed_factors),
      cmocka_unit_test(doubts_are_said_with_numbers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

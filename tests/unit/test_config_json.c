/* Configs as JSON: what is none, what only Python writes, and numbers of all kinds. */
#include "tests/unit/config_case.h"

static void fields_of_any_sign_are_numbers(void **state) {
  (void)state;
  static const char text[] = "{\"a\": -2.5, \"b\": 3, \"c\": null, \"d\": \"4\"}";
  struct fields *fields;
  assert_int_equal(fields_parse(text, sizeof text - 1, &fields, &error), OK);
  double value = 7;
  assert_int_equal(fields_real(fields, "a", &value, &error), OK);
  assert_true(value == -2.5);
  assert_int_equal(fields_real(fields, "b", &value, &error), OK);
  assert_true(value == 3);
  assert_int_equal(fields_real(fields, "c", &value, &error), OK);
  assert_int_equal(fields_real(fields, "e", &value, &error), OK);
  assert_true(value == 3);
  assert_int_equal(fields_real(fields, "d", &value, &error), ERROR_INPUT);
  assert_string_equal(error.message, "'d' is the text \"4\": a number is needed");
  assert_string_equal(fields_name_at(fields, 3), "d");
  assert_null(fields_name_at(fields, 4));
  const char *name = NULL;
  for (size_t i = 0; i < 5; i++) {
    name = fields_next(fields, name);
    assert_ptr_equal(name, fields_name_at(fields, i));
  }
  fields_release(fields);
}

static void broken_json_is_placed(void **state) {
  (void)state;
  refused("", "not valid JSON at line");
  refused("{\n  \"model_type\": \"llama\",\n  \"rope_theta\": 1",
          "not valid JSON at line 3, column");
  refused("{\"a\": 1,}", "not valid JSON at line 1, column");
  refused("model: llama", "not valid JSON at line 1, column");
  refused(PLAIN("") " x", "not valid JSON at line 1, column");
  refused("{\"rope_theta\": 1e4, \"rope_theta\": 1e6}", "duplicate object key");
  refused("[1, 2]", "not a configuration: its JSON is not an object");
  refused("3", "not a configuration: its JSON is not an object");
  refused("null", "not a configuration: its JSON is not an object");
  refused("{\"model_type\": \"\xff\xfe\"}", "not valid JSON at line 1, column");
  /* Python's words are values, nothing else. */
  refused("{NaN: 1}", "not valid JSON at line 1, column");
  refused("{\"a\": NaNs}", "not valid JSON at line 1, column");
  refused("{\"a\": -NaN}", "not valid JSON at line 1, column");
  refused("{\"a\": +Infinity}", "not valid JSON at line 1, column");
  refused("{\"a\": \"\\\", NaN", "not valid JSON at line 1, column");
  refused("NaN", "not valid JSON at line 1, column");
  refused("[NaN]", "not a configuration: its JSON is not an object");
  refused("{\"a\": -Infinity, \"b\" 1}", "not valid JSON at line 1, column 22");
  refused("{\"model_type\": 3}", "'model_type' is 3: a text is needed");
  static const char zero[] = "{\"model_type\": \"lla\0ma\"}";
  assert_int_equal(config_read(zero, sizeof zero - 1, "", &model, meta, &error), ERROR_INPUT);
  assert_null(strchr(error.message, '\n'));
}

static void json_of_python_is_read(void **state) {
  (void)state;
  read_well(PLAIN(", \"time_step_limit\": [0.0, Infinity], \"low\": [-Infinity ,NaN ],"
                  " \"x\": {\"y\": NaN}, \"NaN\": \"\\\"NaN, Infinity\""),
            0);
  read_well(PLAIN(", \"seed\": 1000000000000000019884624838656"), 0);
  read_well("\xef\xbb\xbf" PLAIN(""), 0);
  refused(PLAIN(", \"head_dim\": 123456789012345678901234567890"),
          "'head_dim' is 1.23456789e+29: a whole number from 1 to 2^53 is needed");
  refused(PLAIN(", \"head_dim\": 9007199254740993000"), "'head_dim' is 9.007199255e+18");
  refused(PLAIN(", \"head_dim\": 12345678901233"), "'head_dim' is 12345678901233: an even number");
  refused(PLAIN(", \"head_dim\": NaN"), "'head_dim' is NaN: a whole number from 1 to 2^53");
  refused(PLAIN(", \"partial_rotary_factor\": -Infinity"),
          "'partial_rotary_factor' is -Infinity: a number greater than 0 is needed");
  refused(PLAIN(", \"rope_scaling\": {\"type\": NaN}"), "'type' is NaN: a text is needed");
  refused(PLAIN(", \"rope_scaling\": Infinity"), "'rope_scaling' is Infinity: an object is needed");
  refused(PLAIN(", \"no_rope_layers\": [1, NaN]"), "entry 1 of 'no_rope_layers' is NaN");
  refused(PLAIN(", \"layer_types\": [Infinity]"), "entry 0 of 'layer_types' is Infinity");
}

static void deep_nesting_is_refused(void **state) {
  (void)state;
  enum { DEPTH = 100000 };
  char *text = malloc(DEPTH * 6 + 1);
  assert_non_null(text);
  for (size_t i = 0; i < DEPTH; i++)
    memcpy(text + i * 5, "{\"a\":", 5);
  memset(text + DEPTH * 5, '}', DEPTH);
  text[DEPTH * 6] = '\0';
  refused(text, "maximum parsing depth reached");
  memset(text, '[', DEPTH);
  text[DEPTH] = '\0';
  refused(text, "maximum parsing depth reached");
  free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(fields_of_any_sign_are_numbers),
      cmocka_unit_test(broken_json_is_placed),
      cmocka_unit_test(json_of_python_is_read),
      cmocka_unit_test(deep_nesting_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, release);
}

#include "tests/unit/ground.h"

#include <jansson.h>

#include "lib/io/meta.h"

static void check_json(const struct meta *meta, const char *expected) {
  char *json = meta_to_json(meta, 0);
  assert_non_null(json);
  assert_string_equal(json, expected);
  free(json);
}

static void values_in_the_order_they_were_set(void **state) {
  (void)state;
  struct meta *meta = meta_create();
  check_json(meta, "{}");
  meta_set_text(meta, "tool", "ropetool");
  meta_set_integer(meta, "dim", 128);
  meta_set_real(meta, "base", 10000);
  meta_set_flag(meta, "causal", true);
  meta_set_text(meta, "none", NULL);
  meta_set_reals(meta, "query", (const double[]){1, -0.5, NAN}, 3);
  meta_set_reals(meta, "key", NULL, 0);
  check_json(
      meta,
      "{\"tool\": \"ropetool\", \"dim\": 128, \"base\": 10000.0, \"causal\": true, \"none\": null, "
      "\"query\": [1.0, -0.5, null], \"key\": []}");
  meta_set_flag(meta, "dim", false);
  meta_set_real(meta, "tool", -INFINITY);
  check_json(
      meta, "{\"tool\": null, \"dim\": false, \"base\": 10000.0, \"causal\": true, \"none\": null, "
            "\"query\": [1.0, -0.5, null], \"key\": []}");
  meta_destroy(meta);
}

static void integers_are_whole_64_bits(void **state) {
  (void)state;
  struct meta *meta = meta_create();
  meta_set_integer(meta, "least", INT64_MIN);
  meta_set_integer(meta, "most", INT64_MAX);
  check_json(meta, "{\"least\": -9223372036854775808, \"most\": 9223372036854775807}");
  meta_destroy(meta);
}

static void reals_come_back_bit_for_bit(void **state) {
  (void)state;
  static const double values[] = {0.1, 1.0 / 3, 5e-324, 1.7976931348623157e308, -0.0, 6.02e23};
  for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
    struct meta *meta = meta_create(), *back;
    meta_set_real(meta, "x", values[i]);
    char *json = meta_to_json(meta, 0);
    assert_int_equal(meta_from_json(json, strlen(json), &back, NULL), OK);
    if (!same_bits(meta_real(back, "x", NAN), values[i])) fail_msg("%s", json);
    free(json);
    meta_destroy(back);
    meta_destroy(meta);
  }
}

/* Whatever a title or a file name holds: JSON that says the same, with '?' for what is not UTF-8.
 */
static void texts_survive(void **state) {
  (void)state;
  static const struct {
    const char *text, *expected;
  } cases[] = {
      {"it's \"quoted\" \\ / `x` $(y)", NULL},
      {"\x01\x02\n\r\t\b\f\x1f\x7f", NULL},
      {"α θ^{2} → 😀", NULL},
      {"", NULL},
      {"é\xff!", "é?!"},
      {"\xe2\x82", "??"},
      {"\xed\xa0\x80", "???"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct meta *meta = meta_create(), *back;
    meta_set_text(meta, "title", cases[i].text);
    meta_append_text(meta, "list", cases[i].text);
    for (int indent = 0; indent < 4; indent += 2) {
      char *json = meta_to_json(meta, indent);
      struct error error = {0};
      if (meta_from_json(json, strlen(json), &back, &error))
        fail_msg("%s: %s", error.message, json);
      const char *expected = cases[i].expected ? cases[i].expected : cases[i].text;
      assert_string_equal(meta_text(back, "title"), expected);
      assert_string_equal(meta_item_text(back, "list", 0), expected);
      meta_destroy(back);
      free(json);
    }
    meta_destroy(meta);
  }
}

static void trees(void **state) {
  (void)state;
  struct meta *meta = meta_create();
  meta_append_text(meta, "warnings", "first");
  meta_append_text(meta, "warnings", "second");
  struct meta *input = meta_append_object(meta, "inputs");
  meta_set_text(input, "name", "config.json");
  meta_set_integer(meta_append_object(meta, "inputs"), "size", 3);
  meta_set_integer(meta_object(meta, "attain"), "distance", 57);
  meta_set_real(meta_object(meta, "attain"), "score", 772.5);
  check_json(meta,
             "{\"warnings\": [\"first\", \"second\"], \"inputs\": [{\"name\": \"config.json\"}, "
             "{\"size\": 3}], \"attain\": {\"distance\": 57, \"score\": 772.5}}");
  assert_int_equal(meta_count(meta, "warnings"), 2);
  assert_string_equal(meta_item_text(meta, "warnings", 1), "second");
  assert_null(meta_item_text(meta, "warnings", 2));
  assert_null(meta_item(meta, "warnings", 0));
  assert_int_equal(meta_count(meta, "inputs"), 2);
  assert_string_equal(meta_text(meta_item(meta, "inputs", 0), "name"), "config.json");
  assert_true(meta_real(meta_item(meta, "inputs", 1), "size", -1) == 3);
  assert_null(meta_item(meta, "inputs", 2));
  assert_true(meta_real(meta_child(meta, "attain"), "score", -1) == 772.5);
  /* What has another kind is replaced by an array or an object. */
  meta_append_text(meta, "attain", "x");
  meta_set_integer(meta_object(meta, "warnings"), "n", 1);
  check_json(meta,
             "{\"warnings\": {\"n\": 1}, \"inputs\": [{\"name\": \"config.json\"}, {\"size\": 3}], "
             "\"attain\": [\"x\"]}");
  meta_destroy(meta);
}

static void names_that_are_missing_or_of_another_kind(void **state) {
  (void)state;
  struct meta *meta = meta_create();
  meta_set_integer(meta, "n", 1);
  meta_set_text(meta, "t", "x");
  assert_null(meta_text(meta, "n"));
  assert_null(meta_text(meta, "absent"));
  assert_true(meta_real(meta, "t", 7) == 7);
  assert_true(meta_real(meta, "absent", 8) == 8);
  assert_null(meta_child(meta, "n"));
  assert_int_equal(meta_count(meta, "n"), 0);
  assert_null(meta_item(meta, "absent", 0));
  assert_null(meta_item_text(meta, "t", 0));
  meta_destroy(meta);
}

static void null_does_nothing(void **state) {
  (void)state;
  meta_destroy(NULL);
  meta_set_text(NULL, "a", "b");
  meta_set_real(NULL, "a", 1);
  meta_set_integer(NULL, "a", 1);
  meta_set_flag(NULL, "a", true);
  meta_set_reals(NULL, "a", (const double[]){1}, 1);
  meta_append_text(NULL, "a", "b");
  assert_null(meta_append_object(NULL, "a"));
  assert_null(meta_object(NULL, "a"));
  meta_prepend(NULL, NULL);
  assert_null(meta_text(NULL, "a"));
  assert_true(meta_real(NULL, "a", 5) == 5);
  assert_null(meta_child(NULL, "a"));
  assert_int_equal(meta_count(NULL, "a"), 0);
  assert_null(meta_item(NULL, "a", 0));
  assert_null(meta_item_text(NULL, "a", 0));
  assert_null(meta_to_json(NULL, 0));
  struct meta *meta = meta_create();
  meta_prepend(meta, NULL);
  check_json(meta, "{}");
  meta_destroy(meta);
}

/* JSON cannot hold a name that is not UTF-8: nothing is set, nothing is lost. */
static void names_that_are_not_utf8(void **state) {
  (void)state;
  struct meta *meta = meta_create();
  meta_set_text(meta, "\xff", "x");
  meta_append_text(meta, "\xff", "x");
  assert_null(meta_append_object(meta, "\xff"));
  assert_null(meta_object(meta, "\xff"));
  check_json(meta, "{}");
  meta_destroy(meta);
}

static void prepend(void **state) {
  (void)state;
  struct meta *meta = meta_create(), *first = meta_create();
  meta_set_integer(meta, "b", 1);
  meta_set_integer(meta, "c", 2);
  struct meta *child = meta_object(meta, "d");
  meta_set_integer(first, "a", 3);
  meta_set_integer(first, "c", 4);
  meta_prepend(meta, first);
  check_json(meta, "{\"a\": 3, \"c\": 4, \"b\": 1, \"d\": {}}");
  check_json(first, "{\"a\": 3, \"c\": 4}");
  meta_destroy(first);
  meta_set_flag(child, "alive", true);
  meta_prepend(meta, meta);
  check_json(meta, "{\"a\": 3, \"c\": 4, \"b\": 1, \"d\": {\"alive\": true}}");
  meta_destroy(meta);
}

static void refuse_json(const char *text, size_t size, const char *part) {
  struct meta *meta = (struct meta *)folder;
  struct error error = {0};
  if (!meta_from_json(text, size, &meta, &error)) fail_msg("taken: %.40s", text);
  assert_int_equal(error.code, ERROR_INPUT);
  assert_message(&error, part);
  assert_null(meta);
  assert_int_equal(meta_from_json(text, size, &meta, NULL), ERROR_INPUT);
}

static void what_is_no_json(void **state) {
  (void)state;
  refuse_json("", 0, "not JSON: ");
  refuse_json("{\"a\": }", 7, "at line 1, column 7");
  refuse_json("{\n\"a\": 1\n", 9, "at line 3");
  refuse_json("{\"a\": 1, \"a\": 2}", 16, "duplicate");
  refuse_json("[1]", 3, "not a JSON object");
  refuse_json("{} x", 4, "not JSON");
  refuse_json("{\"a\": 1e999}", 12, "not JSON");
  refuse_json("{\"a\": NaN}", 10, "not JSON");
  refuse_json("{\"a\": 99999999999999999999}", 27, "not JSON");
  refuse_json("{\"a\": \"\xff\"}", 10, "not JSON");
  refuse_json("{\"a\": \"\n\"}", 10, "not JSON");
  refuse_json("{\"a\": \"\\u0000\"}", 15, "not JSON");
  refuse_json("{}\0{}", 5, "not JSON");
  /* Deep nesting must not overrun the stack. */
  enum { DEPTH = 1000000 };
  char *deep = malloc(DEPTH * 5);
  assert_non_null(deep);
  for (int i = 0; i < DEPTH * 5; i++)
    deep[i] = "{\"a\":"[i % 5];
  refuse_json(deep, DEPTH * 5, "not JSON: maximum parsing depth reached");
  memset(deep, '[', DEPTH);
  refuse_json(deep, DEPTH, "not JSON: maximum parsing depth reached");
  free(deep);
}

static void write_two(const void *meta, FILE *out) {
  meta_write(meta, 2, out);
}

static void writing(void **state) {
  (void)state;
  struct meta *meta = meta_create();
  meta_set_integer(meta_object(meta, "a"), "b", 1);
  char *text = printed(write_two, meta, NULL);
  assert_string_equal(text, "{\n  \"a\": {\n    \"b\": 1\n  }\n}");
  free(text);
  text = printed(write_two, NULL, NULL);
  assert_string_equal(text, "{}");
  free(text);
  meta_destroy(meta);
}

static long allowed; /* calls of malloc that still succeed */

static void *scarce(size_t size) {
  return allowed-- > 0 ? malloc(size) : NULL;
}

/* Whichever call finds no memory: no crash, no leak, and never text that is not whole. */
static void out_of_memory(void **state) {
  (void)state;
  FILE *null = fopen("/dev/null", "w");
  assert_non_null(null);
  int whole = 0, marked = 0;
  for (long calls = 0; calls < 300; calls++) {
    json_set_alloc_funcs(scarce, free);
    allowed = calls;
    struct meta *meta = meta_create();
    meta_set_text(meta, "title", "x");
    meta_set_reals(meta, "reals", (const double[]){1, 2}, 2);
    meta_append_text(meta, "list", "y");
    meta_set_flag(meta_append_object(meta, "objects"), "f", true);
    meta_set_integer(meta_object(meta, "object"), "n", 1);
    meta_prepend(meta, meta_child(meta, "object"));
    clearerr(null);
    meta_write(meta, 0, null);
    char *json = meta_to_json(meta, 0);
    json_set_alloc_funcs(malloc, free);
    marked += meta && ferror(null);
    if (json) {
      struct meta *back;
      assert_int_equal(meta_from_json(json, strlen(json), &back, NULL), OK);
      whole +=
          !strcmp(json, "{\"n\": 1, \"title\": \"x\", \"reals\": [1.0, 2.0], \"list\": [\"y\"], "
                        "\"objects\": [{\"f\": true}], \"object\": {\"n\": 1}}");
      meta_destroy(back);
    }
    free(json);
    meta_destroy(meta);
  }
  fclose(null);
  assert_true(whole > 0 && whole < 300);
  assert_true(marked > 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(values_in_the_order_they_were_set),
      cmocka_unit_test(integers_are_whole_64_bits),
      cmocka_unit_test(reals_come_back_bit_for_bit),
      cmocka_unit_test(texts_survive),
      cmocka_unit_test(trees),
      cmocka_unit_test(names_that_are_missing_or_of_another_kind),
      cmocka_unit_test(null_does_nothing),
      cmocka_unit_test(names_that_are_not_utf8),
      cmocka_unit_test(prepend),
      cmocka_unit_test(what_is_no_json),
      cmocka_unit_test(writing),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "tests/unit/ground.h"

#include "lib/base/text.h"

static void returns_its_code(void **state) {
  (void)state;
  struct error error;
  assert_int_equal(error_set(&error, ERROR_INPUT, "no '%s' in %d", "x", 7), ERROR_INPUT);
  assert_int_equal(error.code, ERROR_INPUT);
  assert_string_equal(error.message, "no 'x' in 7");
  assert_int_equal(error_set(&error, ERROR_FAILED, "%s", ""), ERROR_FAILED);
  assert_string_equal(error.message, "");
}

static void allows_null(void **state) {
  (void)state;
  assert_int_equal(error_set(NULL, ERROR_INPUT, "%s", "x"), ERROR_INPUT);
  assert_int_equal(error_prefix(NULL, "%s", "x"), ERROR_FAILED);
}

static void escapes_what_would_leave_the_line(void **state) {
  (void)state;
  struct error error;
  error_set(&error, ERROR_INPUT, "file '%s'", "a\nb\r\t\x1b[2J\x7f");
  assert_string_equal(error.message, "file 'a\\x0ab\\x0d\\x09\\x1b[2J\\x7f'");
  /* U+009B begins a control sequence as ESC [ does; in Latin-1 it is one byte. */
  error_set(&error, ERROR_INPUT, "%s|%s", "\xc2\x9b", "\x9b");
  assert_string_equal(error.message, "\\xc2\\x9b|\\x9b");
}

static void keeps_utf8_and_escapes_what_is_not(void **state) {
  (void)state;
  struct error error;
  error_set(&error, ERROR_INPUT, "%s", "α θ → 😀 \xc3\xa9");
  assert_string_equal(error.message, "α θ → 😀 é");
  error_set(&error, ERROR_INPUT, "%s", "\xff\xc3(\xe2\x82");
  assert_string_equal(error.message, "\\xff\\xc3(\\xe2\\x82");
}

static void does_not_read_percent_signs_of_arguments(void **state) {
  (void)state;
  struct error error;
  error_set(&error, ERROR_INPUT, "'%s'", "%n%s%d");
  assert_string_equal(error.message, "'%n%s%d'");
  error_prefix(&error, "%s", "100%n");
  assert_string_equal(error.message, "100%n: '%n%s%d'");
}

static void prefix_goes_before_and_keeps_the_code(void **state) {
  (void)state;
  struct error error;
  error_set(&error, ERROR_INPUT, "bad\nline");
  assert_int_equal(error_prefix(&error, "'%s' line %d", "a\tb", 3), ERROR_INPUT);
  assert_int_equal(error.code, ERROR_INPUT);
  assert_string_equal(error.message, "'a\\x09b' line 3: bad\\x0aline");
  /* The message itself may be an argument. */
  error_set(&error, ERROR_FAILED, "inner");
  error_set(&error, ERROR_INPUT, "outer: %s", error.message);
  assert_string_equal(error.message, "outer: inner");
}

/* Whatever is in a text and however long it is: one line of UTF-8 whose end is kept. */
static void long_texts_keep_their_end(void **state) {
  (void)state;
  static const char *const characters[] = {"a", "\n", "é", "😀", "\xff"};
  struct error error;
  for (size_t kind = 0; kind < sizeof characters / sizeof *characters; kind++)
    for (size_t count = 0; count < 5000; count += count < 1100 ? 1 : 977) {
      const size_t size = strlen(characters[kind]);
      char *name = malloc(count * size + 1);
      assert_non_null(name);
      for (size_t i = 0; i < count; i++)
        memcpy(name + i * size, characters[kind], size);
      name[count * size] = '\0';
      error_set(&error, ERROR_INPUT, "cannot read '%s': No such file", name);
      assert_message(&error, "cannot read '");
      assert_true(text_is_utf8(error.message, strlen(error.message)));
      const char *end = strrchr(error.message, '\'');
      assert_non_null(end);
      assert_string_equal(end, "': No such file");
      if (size == 1 && *name == 'a' && count + 28 < sizeof error.message)
        assert_int_equal(strlen(error.message), count + 28);
      free(name);
    }
}

static void exactly_full_messages_stay_whole(void **state) {
  (void)state;
  struct error error;
  char name[sizeof error.message + 1];
  memset(name, 'x', sizeof name);
  name[sizeof error.message - 1] = '\0';
  error_set(&error, ERROR_INPUT, "%s", name);
  assert_string_equal(error.message, name);
  name[sizeof error.message - 1] = 'x';
  name[sizeof error.message] = '\0';
  error_set(&error, ERROR_INPUT, "%s", name);
  assert_message(&error, "xxx ... xxx");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(returns_its_code),
      cmocka_unit_test(allows_null),
      cmocka_unit_test(escapes_what_would_leave_the_line),
      cmocka_unit_test(keeps_utf8_and_escapes_what_is_not),
      cmocka_unit_test(does_not_read_percent_signs_of_arguments),
      cmocka_unit_test(prefix_goes_before_and_keeps_the_code),
      cmocka_unit_test(long_texts_keep_their_end),
      cmocka_unit_test(exactly_full_messages_stay_whole),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "tests/unit/ground.h"

#include <locale.h>

#include "lib/base/number.h"

static void check_real(const char *text, double expected) {
  double value = -77;
  struct error error = {0};
  if (number_real(text, "--base", &value, &error)) fail_msg("%s", error.message);
  if (!same_bits(value, expected)) fail_msg("'%s' gives %.17g, not %.17g", text, value, expected);
}

static void refuse_real(const char *text, const char *part) {
  double value = -77;
  struct error error = {0};
  if (!number_real(text, "--base", &value, &error))
    fail_msg("'%s' was taken as %.17g", text, value);
  assert_int_equal(error.code, ERROR_INPUT);
  assert_message(&error, part);
  assert_message(&error, "--base '");
  assert_true(value == -77);
  assert_int_equal(number_real(text, "--base", &value, NULL), ERROR_INPUT);
}

static void reals(void **state) {
  (void)state;
  check_real("500000", 500000);
  check_real("1e6", 1e6);
  check_real("1E+6", 1e6);
  check_real("-0.5", -0.5);
  check_real("+3", 3);
  check_real(".5", 0.5);
  check_real("5.", 5);
  check_real("-.5e-3", -0.0005);
  check_real("0", 0);
  check_real("-0", -0.0);
  check_real("007", 7);
  check_real("0.1", 0.1);
  check_real("1.7976931348623157e308", 1.7976931348623157e308);
  check_real("4.9406564584124654e-324", 4.9406564584124654e-324);
  check_real("9007199254740993", 9007199254740992.0);
  /* As long as someone may print it. */
  check_real("0.1000000000000000055511151231257827021181583404541015625000000000000000000000", 0.1);
  check_real("100000000000000000000000000000000000000000000000000000000000000000000000000", 1e74);
}

static void what_is_no_real(void **state) {
  (void)state;
  static const char *const texts[] = {
      "",     " ",    " 5",  "5 ",  "\t5",    "5\n",      "x",   "1.5.5", "1,5",   "1_000", "--5",
      "+-5",  "-",    "+",   ".",   "e5",     "1e",       "1e+", "0x10",  "0X1p3", "-0x1",  "inf",
      "-inf", "+nan", "nan", "NaN", "nan(1)", "INFINITY", "5%",  "５",    "1e5e5", "1 000", "0b1"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    refuse_real(texts[i], "is not a number");
  refuse_real("1e999", "too large");
  refuse_real("-1e309", "too large");
}

/* "10k" could mean two things; the message says where suffixes do count, and only then. */
static void suffixes_are_refused_for_reals(void **state) {
  (void)state;
  refuse_real("10k", "suffixes are for lengths");
  refuse_real("1M", "suffixes are for lengths");
  refuse_real("1.5G", "suffixes are for lengths");
  struct error error;
  double value;
  static const char *const others[] = {"", "k", "10 ok", "10kk", "10x", "bark"};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    assert_int_equal(number_real(others[i], "--base", &value, &error), ERROR_INPUT);
    if (strstr(error.message, "suffixes")) fail_msg("a hint that misleads: %s", error.message);
  }
}

static void positives(void **state) {
  (void)state;
  double value = -77;
  struct error error = {0};
  assert_int_equal(number_positive("1e-300", "--base", &value, &error), OK);
  assert_true(same_bits(value, 1e-300));
  static const char *const texts[] = {"0", "-0", "-1", "-1e-300", "0.0", "1e-999"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    value = -77;
    assert_int_equal(number_positive(texts[i], "--base", &value, &error), ERROR_INPUT);
    assert_message(&error, "must be greater than 0");
    assert_true(value == -77);
  }
  assert_int_equal(number_positive("x", "--base", &value, &error), ERROR_INPUT);
  assert_int_equal(number_positive("x", "--base", &value, NULL), ERROR_INPUT);
  assert_int_equal(number_positive("0", "--base", &value, NULL), ERROR_INPUT);
}

typedef int reader(const char *, const char *, int64_t, int64_t, int64_t *, struct error *);

static void check_whole(reader *read, const char *text, int64_t expected) {
  int64_t value = -77;
  struct error error = {0};
  if (read(text, "--length", INT64_MIN, INT64_MAX, &value, &error)) fail_msg("%s", error.message);
  if (value != expected)
    fail_msg("'%s' gives %lld, not %lld", text, (long long)value, (long long)expected);
}

static void refuse_whole(reader *read, const char *text, const char *part) {
  int64_t value = -77;
  struct error error = {0};
  if (!read(text, "--length", 0, INT64_MAX, &value, &error))
    fail_msg("'%s' was taken as %lld", text, (long long)value);
  assert_int_equal(error.code, ERROR_INPUT);
  assert_message(&error, part);
  assert_message(&error, "--length '");
  assert_true(value == -77);
  assert_int_equal(read(text, "--length", 0, INT64_MAX, &value, NULL), ERROR_INPUT);
}

static void wholes(void **state) {
  (void)state;
  reader *const readers[] = {number_integer, number_tokens};
  for (size_t i = 0; i < 2; i++) {
    check_whole(readers[i], "1e6", 1000000);
    check_whole(readers[i], "0", 0);
    check_whole(readers[i], "-0", 0);
    check_whole(readers[i], "-12", -12);
    check_whole(readers[i], "+12", 12);
    check_whole(readers[i], "012", 12);
    check_whole(readers[i], "12.0", 12);
    check_whole(readers[i], "1.5e1", 15);
    check_whole(readers[i], "2147483648", 2147483648);
    check_whole(readers[i], "1e15", 1000000000000000);
    refuse_whole(readers[i], "1.5", "whole number");
    refuse_whole(readers[i], "1e-1", "whole number");
    refuse_whole(readers[i], "-1", "out of range: 0 to 9223372036854775807");
    refuse_whole(readers[i], "1e999", "out of range");
    static const char *const texts[] = {"", " 5", "5 ", "0x10", "inf", "nan", "5;", "1e", "x"};
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++)
      refuse_whole(readers[i], texts[t], "is not a number");
  }
  refuse_whole(number_integer, "32k", "suffixes are for lengths");
  refuse_whole(number_integer, "1M", "suffixes are for lengths");
}

/* Beyond 2^53 a double would silently be another number: digits are exact, other forms are refused.
 */
static void wholes_are_exact(void **state) {
  (void)state;
  check_whole(number_integer, "9007199254740991", 9007199254740991);
  check_whole(number_integer, "9007199254740993", 9007199254740993);
  check_whole(number_integer, "-9007199254740993", -9007199254740993);
  check_whole(number_integer, "9223372036854775807", INT64_MAX);
  check_whole(number_integer, "-9223372036854775808", INT64_MIN);
  check_whole(number_integer, "9007199254740992.0", 9007199254740992);
  check_whole(number_tokens, "8796093022209k", 8796093022209 * 1024);
  refuse_whole(number_integer, "9223372036854775808", "out of range");
  refuse_whole(number_integer, "1e18", "write all its digits");
  refuse_whole(number_integer, "9007199254740993.5", "write all its digits");
  refuse_whole(number_tokens, "9223372036854775807k", "out of range");
  refuse_whole(number_tokens, "9e18M", "out of range");
}

static void wholes_stay_in_their_range(void **state) {
  (void)state;
  int64_t value = -77;
  struct error error = {0};
  assert_int_equal(number_integer("3", "--dim", 2, 4, &value, &error), OK);
  assert_int_equal(number_integer("2", "--dim", 2, 4, &value, &error), OK);
  assert_int_equal(number_integer("4", "--dim", 2, 4, &value, &error), OK);
  assert_true(value == 4);
  assert_int_equal(number_integer("5", "--dim", 2, 4, &value, &error), ERROR_INPUT);
  assert_message(&error, "--dim '5' is out of range: 2 to 4");
  assert_int_equal(number_integer("1e0", "--dim", 2, 4, &value, &error), ERROR_INPUT);
  assert_int_equal(number_tokens("4k", "--length", 1, 4095, &value, &error), ERROR_INPUT);
  assert_message(&error, "--length '4k' is out of range: 1 to 4095");
  assert_true(value == 4);
}

static void tokens(void **state) {
  (void)state;
  check_whole(number_tokens, "32k", 32768);
  check_whole(number_tokens, "1M", 1048576);
  check_whole(number_tokens, "1.5k", 1536);
  check_whole(number_tokens, "0.5M", 524288);
  check_whole(number_tokens, "1e3k", 1024000);
  check_whole(number_tokens, "-4k", -4096);
  refuse_whole(number_tokens, "0.1k", "whole number");
  static const char *const texts[] = {"k",    "1K",   "1m", "1G",  "1 k", "1kk", "1k ",
                                      "0x1k", "infk", "kM", "1kM", "-k",  ".k"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    refuse_whole(number_tokens, texts[i], "such as 4096, 1e6, 32k or 1M");
}

static void check_paper(const char *text, double expected) {
  double inches = -77;
  struct error error = {0};
  if (number_paper(text, "--width", 300, &inches, &error)) fail_msg("%s", error.message);
  if (!(fabs(inches - expected) <= 1e-15 * expected))
    fail_msg("'%s' gives %.17g, not %.17g", text, inches, expected);
}

static void paper(void **state) {
  (void)state;
  check_paper("3.25in", 3.25);
  check_paper("2.54cm", 1);
  check_paper("25.4mm", 1);
  check_paper("89mm", 89 / 25.4);
  check_paper("8.9cm", 89 / 25.4);
  check_paper("975px", 3.25);
  check_paper("72.27pt", 1);
  check_paper("1e1mm", 10 / 25.4);
  struct error error = {0};
  double inches = -77;
  static const char *const texts[] = {
      "",    "3.25", "in",   "3.25 in", "0in",   "-1in", "nanin",    "infin",  "1inch", "1IN",
      "1em", " 1in", "1in ", "1e999in", "0x1in", "px",   "1e-323mm", "3,25in", "3\"",   "-5px"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    if (!number_paper(texts[i], "--width", 300, &inches, &error))
      fail_msg("'%s' was taken", texts[i]);
    assert_int_equal(error.code, ERROR_INPUT);
    assert_message(&error, "is not a length such as 3.25in");
    assert_true(inches == -77);
    assert_int_equal(number_paper(texts[i], "--width", 300, &inches, NULL), ERROR_INPUT);
  }
  assert_int_equal(number_paper("100px", "--width", 0, &inches, &error), ERROR_INPUT);
}

/* The locale of the user may write a comma where we write a point. */
static void the_locale_does_not_matter(void **state) {
  (void)state;
  char command[256];
  snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 '%s/de_DE.UTF-8' >'%s/log' 2>&1",
           folder, folder);
  const int made = run_command(command);
  setenv("LOCPATH", folder, 1);
  if (made == 127 || !setlocale(LC_ALL, "de_DE.UTF-8")) {
    print_message("no locale with a decimal comma can be made here\n");
    skip();
  }
  assert_string_equal(localeconv()->decimal_point, ",");
  check_real("1.5", 1.5);
  refuse_real("1,5", "is not a number");
  check_whole(number_tokens, "1.5k", 1536);
  check_paper("3.25in", 3.25);
  setlocale(LC_ALL, "C");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reals),
      cmocka_unit_test(what_is_no_real),
      cmocka_unit_test(suffixes_are_refused_for_reals),
      cmocka_unit_test(positives),
      cmocka_unit_test(wholes),
      cmocka_unit_test(wholes_are_exact),
      cmocka_unit_test(wholes_stay_in_their_range),
      cmocka_unit_test(tokens),
      cmocka_unit_test(paper),
      cmocka_unit_test(the_locale_does_not_matter),
  };
  return cmocka_run_group_tests(tests, folder_create, folder_remove);
}

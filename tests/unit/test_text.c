#include "tests/unit/ground.h"

#include "lib/base/text.h"

static void utf8(void **state) {
  (void)state;
  static const char *const good[] = {
      "",
      "plain",
      "é α → 😀",
      "\xc2\x80",
      "\xdf\xbf",
      "\xe0\xa0\x80",
      "\xed\x9f\xbf",
      "\xee\x80\x80",
      "\xef\xbf\xbf",
      "\xf0\x90\x80\x80",
      "\xf4\x8f\xbf\xbf",
  };
  static const char *const bad[] = {
      "\x80", /* a continuation alone */
      "\xbf",
      "\xc0\x80", /* overlong */
      "\xc1\xbf",
      "\xe0\x9f\xbf",
      "\xf0\x8f\xbf\xbf",
      "\xed\xa0\x80", /* surrogates */
      "\xed\xbf\xbf",
      "\xf4\x90\x80\x80", /* above U+10FFFF */
      "\xf5\x80\x80\x80",
      "\xff",
      "a\xc3", /* cut off */
      "a\xe2\x82",
      "a\xf0\x9f\x98",
      "\xc3(", /* no continuation */
      "\xe2(\xa1",
      "\xe2\x82(",
      "\xf0\x9f\x98(",
  };
  for (size_t i = 0; i < sizeof good / sizeof *good; i++)
    if (!text_is_utf8(good[i], strlen(good[i]))) fail_msg("good text %zu was refused", i);
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    if (text_is_utf8(bad[i], strlen(bad[i]))) fail_msg("bad text %zu was taken", i);
  assert_true(text_is_utf8("a\0b", 3));
  assert_int_equal(text_utf8_length("😀", 4), 4);
  assert_int_equal(text_utf8_length("😀", 3), 0);
  assert_int_equal(text_utf8_length("", 1), 1);
}

/* Every code point in its shortest form is well-formed, the surrogates are not. */
static void utf8_of_every_code_point(void **state) {
  (void)state;
  for (uint32_t c = 0x80; c < 0x110000; c++) {
    const size_t length = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    char text[4];
    for (size_t i = length - 1, rest = c; i < length; i--, rest >>= 6)
      text[i] = (char)(i ? 0x80 | (rest & 0x3f) : (0xf00 >> length & 0xff) | rest);
    const size_t expected = c >= 0xd800 && c < 0xe000 ? 0 : length;
    if (text_utf8_length(text, length) != expected) fail_msg("U+%04X", (unsigned)c);
  }
}

static void repair(void **state) {
  (void)state;
  char text[] = "é\xff→\xe2\x82 \xc3";
  text_repair(text);
  assert_string_equal(text, "é?→?? ?");
  char good[] = "α";
  text_repair(good);
  assert_string_equal(good, "α");
  char empty[] = "";
  text_repair(empty);
  assert_string_equal(empty, "");
}

static void control(void **state) {
  (void)state;
  assert_false(text_has_control(""));
  assert_false(text_has_control("a b ~ é 😀"));
  assert_true(text_has_control("a\nb"));
  assert_true(text_has_control("\x1b"));
  assert_true(text_has_control("\x7f"));
  assert_true(text_has_control("a\x01"));
}

static void write_quoted(const void *word, FILE *out) {
  text_quote_shell(out, word);
}

static void check_quoted(const char *word, const char *expected) {
  char *text = printed(write_quoted, word, NULL);
  assert_string_equal(text, expected);
  free(text);
}

static void quoting_is_as_light_as_it_can_be(void **state) {
  (void)state;
  check_quoted("--base=1e6", "--base=1e6");
  check_quoted("figs/a_b-1.png", "figs/a_b-1.png");
  check_quoted("", "''");
  check_quoted("two words", "'two words'");
  check_quoted("it's", "'it'\\''s'");
  check_quoted("$(x)`y`", "'$(x)`y`'");
  check_quoted("~", "'~'");
  check_quoted("#x", "'#x'");
  check_quoted("a\nb", "'a\nb'");
}

static void check_split(const char *line, int count, const char *const *expected) {
  char **words;
  const int found = text_split_shell(line, &words);
  if (found != count) fail_msg("'%s' has %d words, not %d", line, found, count);
  for (int i = 0; i < count; i++)
    assert_string_equal(words[i], expected[i]);
  assert_null(words[count]);
  free(words);
}

#define check_split(line, ...)                                                                     \
  (check_split)(line, sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *),                      \
                (const char *[]){__VA_ARGS__})

static void splitting(void **state) {
  (void)state;
  check_split("decay --dim 128", "decay", "--dim", "128");
  check_split("  a\t b \r\n", "a", "b");
  check_split("'a b'\"c d\"e\\ f", "a bc de f");
  check_split("'' \"\" x", "", "", "x");
  check_split("'a\\b' \"a\\b\" a\\b", "a\\b", "a\\b", "ab");
  check_split("\"\\$ \\` \\\" \\\\\"", "$ ` \" \\");
  check_split("'it'\\''s'", "it's");
  check_split("'\"' \"'\"", "\"", "'");
  check_split("end\\", "end\\");
  check_split("a\\\nb \"c\\\nd\" 'e\\\nf'", "ab", "cd", "e\\\nf");
  check_split("$HOME `ls` * ; | > ~", "$HOME", "`ls`", "*", ";", "|", ">", "~");
  check_split("α 'β γ'", "α", "β γ");
  char **words;
  assert_int_equal(text_split_shell("", &words), 0);
  assert_non_null(words);
  assert_null(words[0]);
  free(words);
  assert_int_equal(text_split_shell(" \t\n", &words), 0);
  free(words);
}

static void open_quotes_are_refused(void **state) {
  (void)state;
  static const char *const lines[] = {"'", "\"", "a 'b", "a \"b", "\"a\\\"", "a'b\" c"};
  char **words = (char **)lines;
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
    assert_int_equal(text_split_shell(lines[i], &words), -1);
    assert_null(words);
  }
}

enum { WORDS = 400, LONGEST = 40 };
static const uint64_t seed = 20240229;

/* Random words: any bytes, or mostly those that mean something to a shell. */
static void random_word(uint64_t *random, char word[LONGEST + 1]) {
  static const char special[] = "'\"\\ $`\n\t!#~*?[]{}()<>|&;=%-aZ";
  const size_t length = next_random(random) % (LONGEST + 1);
  const bool any = next_random(random) % 2;
  for (size_t i = 0; i < length; i++) {
    const uint64_t draw = next_random(random) >> 8;
    word[i] = (char)(any ? 1 + draw % 255 : (unsigned char)special[draw % (sizeof special - 1)]);
  }
  word[length] = '\0';
}

static void split_reads_what_quote_wrote(void **state) {
  (void)state;
  uint64_t random = seed;
  print_message("seed %llu\n", (unsigned long long)seed);
  for (int round = 0; round < 200; round++) {
    char word[8][LONGEST + 1], **words, *line = NULL;
    size_t size;
    FILE *out = open_memstream(&line, &size);
    for (int i = 0; i < 8; i++) {
      random_word(&random, word[i]);
      if (i) fputc(' ', out);
      text_quote_shell(out, word[i]);
    }
    fclose(out);
    assert_int_equal(text_split_shell(line, &words), 8);
    for (int i = 0; i < 8; i++)
      assert_string_equal(words[i], word[i]);
    free(words);
    free(line);
  }
}

/* What `shell` makes of the script, to be released with free(). */
static char *run_shell(const char *shell, const char *script, size_t *size) {
  char command[256];
  snprintf(command, sizeof command, "LC_ALL=C %s '%s' > '%s'", shell, script, path_of("printed"));
  assert_int_equal(run_command(command), 0);
  return read_whole(path_of("printed"), size);
}

static void a_shell_reads_what_quote_wrote(void **state) {
  (void)state;
  static const char *const shells[] = {"sh", "bash"};
  static char word[WORDS][LONGEST + 1];
  uint64_t random = seed;
  const char *script = path_of("script");
  FILE *out = fopen(script, "wb");
  assert_non_null(out);
  fputs("printf '%s\\0'", out);
  for (int i = 0; i < WORDS; i++) {
    random_word(&random, word[i]);
    fputc(' ', out);
    text_quote_shell(out, word[i]);
  }
  fputc('\n', out);
  fclose(out);
  for (size_t s = 0; s < sizeof shells / sizeof *shells; s++) {
    char probe[64];
    snprintf(probe, sizeof probe, "command -v %s >/dev/null", shells[s]);
    if (run_command(probe)) continue;
    size_t size;
    char *text = run_shell(shells[s], script, &size), *next = text;
    for (int i = 0; i < WORDS; i++) {
      assert_true(next < text + size);
      assert_string_equal(next, word[i]);
      next += strlen(next) + 1;
    }
    assert_true(next == text + size);
    free(text);
  }
}

/* Lines of blanks, letters, quotes and backslashes mean to us what they mean to a shell. */
static void splitting_is_a_shells(void **state) {
  (void)state;
  static const char alphabet[] = "ab'\"\\ ";
  enum { LINES = 3000 };
  static char line[LINES][16];
  uint64_t random = seed;
  const char *script = path_of("script");
  FILE *out = fopen(script, "wb");
  assert_non_null(out);
  fputs("show() { printf '%s\\0' \"$#\" \"$@\"; }\n", out);
  int open_quotes = 0;
  for (int i = 0; i < LINES; i++) {
    const size_t length = next_random(&random) % 15;
    for (size_t c = 0; c < length; c++)
      line[i][c] = alphabet[(next_random(&random) >> 8) % (sizeof alphabet - 1)];
    line[i][length] = '\0';
    /* A backslash at the end would join the script's lines. */
    if (length && line[i][length - 1] == '\\') line[i][length - 1] = 'a';
    char **words;
    if (text_split_shell(line[i], &words) < 0)
      open_quotes++;
    else
      fprintf(out, "show %s\n", line[i]);
    free(words);
  }
  fclose(out);
  assert_true(open_quotes > LINES / 10 && open_quotes < LINES * 9 / 10);
  size_t size;
  char *text = run_shell("sh", script, &size), *next = text;
  for (int i = 0; i < LINES; i++) {
    char **words;
    const int count = text_split_shell(line[i], &words);
    if (count < 0) continue;
    assert_true(next < text + size);
    if (atoi(next) != count) fail_msg("'%s' has %d words, a shell finds %s", line[i], count, next);
    next += strlen(next) + 1;
    for (int w = 0; w < count; w++) {
      assert_string_equal(next, words[w]);
      next += strlen(next) + 1;
    }
    free(words);
  }
  assert_true(next == text + size);
  free(text);
}

static void extensions(void **state) {
  (void)state;
  static const struct {
    const char *path, *extension;
  } cases[] = {
      {"fig.png", ".png"},
      {"FIG.PNG", ".png"},
      {"a.b/fig", ""},
      {"a.b/fig.Svg", ".svg"},
      {"archive.tar.gz", ".gz"},
      {"noextension", ""},
      {"", ""},
      {"dir.png/", ""},
      {"x.toolong8", ""},
      {"x.sixsix", ".sixsix"},
      {"x.sevenxx", ""},
      {"-.csv", ".csv"},
      {"α.JSON", ".json"},
      {"x.\xc4\xd6", ".\xc4\xd6"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char extension[8];
    memset(extension, 'x', sizeof extension);
    text_extension(cases[i].path, extension);
    assert_string_equal(extension, cases[i].extension);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(utf8),
      cmocka_unit_test(utf8_of_every_code_point),
      cmocka_unit_test(repair),
      cmocka_unit_test(control),
      cmocka_unit_test(quoting_is_as_light_as_it_can_be),
      cmocka_unit_test(splitting),
      cmocka_unit_test(open_quotes_are_refused),
      cmocka_unit_test(split_reads_what_quote_wrote),
      cmocka_unit_test(a_shell_reads_what_quote_wrote),
      cmocka_unit_test(splitting_is_a_shells),
      cmocka_unit_test(extensions),
  };
  return cmocka_run_group_tests(tests, folder_create, folder_remove);
}

#include "tests/unit/ground.h"

#include "lib/figure/recipe.h"

static struct recipe parse(const char *text) {
  struct recipe recipe;
  struct error error = {0};
  if (recipe_parse(text, strlen(text), "r", &recipe, &error)) fail_msg("%s", error.message);
  return recipe;
}

/* All of a recipe in one text: "NUMBER OUT|OUT: WORD|WORD" and a line end each. */
static const char *flat(const struct recipe *recipe) {
  static char text[4096];
  FILE *out = fmemopen(text, sizeof text, "w");
  for (size_t i = 0; i < recipe->count; i++) {
    const struct recipe_line *line = &recipe->lines[i];
    fprintf(out, "%zu ", line->number);
    for (size_t k = 0; k < line->output_count; k++)
      fprintf(out, "%s%s", k ? "|" : "", line->outputs[k]);
    fputc(':', out);
    for (int k = 0; k < line->word_count; k++)
      fprintf(out, "%s%s", k ? "|" : " ", line->words[k]);
    assert_null(line->words[line->word_count]);
    fputc('\n', out);
  }
  fclose(out);
  return text;
}

static void texts(void **state) {
  (void)state;
  static const struct {
    const char *text, *expected;
  } cases[] = {
      {"", ""},
      {"\n\n  \n\t\n", ""},
      {"# a comment", ""},
      {"  # 'open\n# ends in \\\n", ""},
      {"a.png decay", "1 a.png: decay\n"},
      {"a.png decay\n", "1 a.png: decay\n"},
      {"\n\n  a.png\tdecay  --dim 64  \n", "3 a.png: decay|--dim|64\n"},
      {"a.pdf,b.csv,c/d.json decay", "1 a.pdf|b.csv|c/d.json: decay\n"},
      {"a.png ropetool decay --dim 8", "1 a.png: decay|--dim|8\n"},
      {"ropetool ropetool ropetool", "1 ropetool: ropetool\n"},
      {"a.png decay # --dim 64\nb.png decay", "1 a.png: decay\n2 b.png: decay\n"},
      {"a#b.png decay x#y '#1' \"#\" \\#2", "1 a#b.png: decay|x#y|#1|#|#2\n"},
      {"a.png decay \\\n  --dim 64 \\\n  --base 10\nb.png decay",
       "1 a.png: decay|--dim|64|--base|10\n4 b.png: decay\n"},
      {"a.png de\\\ncay", "1 a.png: decay\n"},
      {"a.png decay \\\n# comment\nb.png decay", "1 a.png: decay\n3 b.png: decay\n"},
      {"a.png decay --title \"one \\\ntwo\"", "1 a.png: decay|--title|one two\n"},
      {"a.png decay\r\n# x\r\nb.png decay \\\r\n --dim 2\r\n",
       "1 a.png: decay\n3 b.png: decay|--dim|2\n"},
      {"'a b.png' decay --title 'it'\\''s' \"\"", "1 a b.png: decay|--title|it's|\n"},
      {"a.png decay --title \"q \\\" \\\\ \\a ' \" 'x\"'",
       "1 a.png: decay|--title|q \" \\ \\a ' |x\"\n"},
      {"a.png decay --title '\\' b", "1 a.png: decay|--title|\\|b\n"},
      {"a.png decay a\\ b", "1 a.png: decay|a b\n"},
      {"a.png decay $HOME `id` $(id) * > x | y ; z & ~",
       "1 a.png: decay|$HOME|`id`|$(id)|*|>|x|||y|;|z|&|~\n"},
      {"\xef\xbb\xbf"
       "a.png decay",
       "1 a.png: decay\n"},
      {"\xef\xbb\xbf# a\nb.png decay --title a\\ b", "2 b.png: decay|--title|a b\n"},
      {"ä.png decay --title α→β", "1 ä.png: decay|--title|α→β\n"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct recipe recipe = parse(cases[i].text);
    if (strcmp(flat(&recipe), cases[i].expected))
      fail_msg("case %zu gave '%s', not '%s'", i, flat(&recipe), cases[i].expected);
    recipe_release(&recipe);
  }
}

static void faults(void **state) {
  (void)state;
  static const struct {
    const char *text;
    size_t size; /* 0: all of the text */
    const char *expected;
  } cases[] = {
      {"a.png", 0, "r:1: no command behind 'a.png': OUT[,OUT...] COMMAND..."},
      {"\n\na.png # decay", 0, "r:3: no command behind 'a.png': OUT[,OUT...] COMMAND..."},
      {"a.png ropetool", 0, "r:1: no command behind 'a.png': OUT[,OUT...] COMMAND..."},
      {"a.png,,b.png decay", 0, "r:1: a file has no name: OUT[,OUT...]"},
      {"a.png, decay", 0, "r:1: a file has no name: OUT[,OUT...]"},
      {",a.png decay", 0, "r:1: a file has no name: OUT[,OUT...]"},
      {"'' decay", 0, "r:1: a file has no name: OUT[,OUT...]"},
      {"-o a.png decay", 0, "r:1: '-o' is an option, not a file: OUT comes first"},
      {"a.png,- decay", 0, "r:1: '-' is an option, not a file: OUT comes first"},
      {"x.png decay\na.png decay --title 'open\nb.png decay", 0,
       "r:2: a quote is not closed on its line"},
      {"a.png decay \\\n --title \"open", 0, "r:2: a quote is not closed on its line"},
      {"a.png decay --title 'open\\\nstill'", 0, "r:1: a quote is not closed on its line"},
      {"a.png decay --title a\\ \nb.png x", 0,
       "r:1: blanks follow the backslash at the end: nothing may, if the line goes on"},
      {"x.png y\na.png decay \\\n --dim 8 \\ \t\r\n --base 5", 0,
       "r:3: blanks follow the backslash at the end: nothing may, if the line goes on"},
      {"a.png decay \\ ", 0,
       "r:1: blanks follow the backslash at the end: nothing may, if the line goes on"},
      {"a.png decay \\", 0, "r:1: nothing follows the backslash at the end"},
      {"a.png decay\n\0b.png decay", 20, "r:2: a NUL byte; a recipe is text"},
      {"# \0", 3, "r:1: a NUL byte; a recipe is text"},
      {"a.png decay\n# \xff", 0, "r:2: a byte that is not UTF-8"},
      {"a.png decay \x1b[0m", 0, "r:1: control character 0x1b"},
      {"a.png\rdecay", 0, "r:1: control character 0x0d"},
      {"a.png decay\x7f", 0, "r:1: control character 0x7f"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct recipe recipe;
    struct error error = {0};
    const size_t size = cases[i].size ? cases[i].size : strlen(cases[i].text);
    assert_int_equal(recipe_parse(cases[i].text, size, "r", &recipe, &error), ERROR_INPUT);
    if (strcmp(error.message, cases[i].expected))
      fail_msg("case %zu gave '%s', not '%s'", i, error.message, cases[i].expected);
    assert_int_equal(recipe.count, 0);
    assert_null(recipe.lines);
    assert_int_equal(recipe_parse(cases[i].text, size, "r", &recipe, NULL), ERROR_INPUT);
  }
}

/* Long lines, many lines, many words, many outputs. */
static void sizes(void **state) {
  (void)state;
  enum { LONG = 1 << 20 };
  char *text = malloc(4 * LONG);
  assert_non_null(text);
  strcpy(text, "a.png decay --title '");
  memset(text + 21, 'x', LONG);
  strcpy(text + 21 + LONG, "'\nb.png decay");
  struct recipe recipe = parse(text);
  assert_int_equal(recipe.count, 2);
  assert_int_equal(strlen(recipe.lines[0].words[2]), LONG);
  recipe_release(&recipe);
  char *end = text;
  for (int i = 0; i < 100000; i++)
    end = stpcpy(end, "a.png decay\n");
  recipe = parse(text);
  assert_int_equal(recipe.count, 100000);
  assert_int_equal(recipe.lines[99999].number, 100000);
  recipe_release(&recipe);
  end = text;
  for (int i = 0; i < 100000; i++)
    end = stpcpy(end, i ? ",a" : "a");
  strcpy(end, " x x");
  recipe = parse(text);
  assert_int_equal(recipe.lines[0].output_count, 100000);
  assert_int_equal(recipe.lines[0].word_count, 2);
  recipe_release(&recipe);
  struct error error;
  assert_int_equal(recipe_parse(text, (size_t)RECIPE_LIMIT + 1, "r", &recipe, &error), ERROR_INPUT);
  assert_string_equal(error.message, "'r' is larger than the 16777216 bytes a recipe may have");
  free(text);
}

/* Whatever is cut out of a recipe is taken or refused, and nothing is read behind its end. */
static void every_cut(void **state) {
  (void)state;
  static const char whole[] =
      "# c\na.png,b.csv decay --title 'x y' \\\r\n \"p\\\"q\" # c\n\n'c d' \\\\ x";
  for (size_t from = 0; from < sizeof whole; from++)
    for (size_t size = 0; from + size < sizeof whole; size++) {
      char *part = malloc(size + 1); /* the byte behind it is not text */
      memcpy(part, whole + from, size);
      part[size] = '\'';
      struct recipe recipe;
      recipe_parse(part, size, "r", &recipe, NULL);
      recipe_release(&recipe);
      free(part);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(texts),
      cmocka_unit_test(faults),
      cmocka_unit_test(sizes),
      cmocka_unit_test(every_cut),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "tests/unit/ground.h"

#include "lib/figure/lettering.h"

static void width_counts_characters_not_bytes(void **state) {
  (void)state;
  assert_true(lettering_width("", 0) == 0);
  assert_true(fabs(lettering_width("0123", 4) - 4 * 0.62) < 1e-12);
  assert_true(lettering_width("θ", 2) < 1 && lettering_width("θ", 2) > 0.5);
  assert_true(lettering_width("旋", 3) == 1 && lettering_width("🌀", 4) == 1);
  assert_true(lettering_width("10⁻⁵", strlen("10⁻⁵")) < lettering_width("10-55", 5));
  assert_true(lettering_width("iiii", 4) < lettering_width("WWWW", 4));
}

/* The lines of `text` at `ems`, joined by '|'. */
static void assert_lines(const char *text, double ems, const char *expected) {
  char lines[256] = "";
  size_t used = 0;
  while (*text) {
    const size_t size = lettering_line(text, ems);
    assert_true(size > 0);
    used += (size_t)snprintf(lines + used, sizeof lines - used, "%s%.*s", used ? "|" : "",
                             (int)size, text);
    text += size;
    text += strspn(text, " ");
  }
  assert_string_equal(lines, expected);
}

static void lines_break_at_blanks(void **state) {
  (void)state;
  assert_lines("one two three", 100, "one two three");
  assert_lines("one two three", 5, "one two|three");
  assert_lines("one two three", 3, "one|two|three");
  assert_lines("000000", 2, "000|000");
  assert_lines("θθθθ", 1.4, "θθ|θθ");
  assert_lines("旋转", 0.1, "旋|转");
  assert_lines("a b", 0.1, "a|b");
  /* Numbers stay with their word where they can. */
  assert_lines("alibi, head 0", 6.2, "alibi,|head 0");
  assert_lines("head 0", 2.6, "head|0");
  assert_lines("Llama 3 at 16k", 5.2, "Llama 3|at 16k");
}

static void assert_tex(const char *text, const char *expected) {
  char *tex = NULL;
  size_t size;
  FILE *out = open_memstream(&tex, &size);
  lettering_write_tex(out, text, strlen(text));
  assert_int_equal(fclose(out), 0);
  assert_string_equal(tex, expected);
  free(tex);
}

/* As few lines, of about one length; words and numbers stay whole. */
static void lines_are_even(void **state) {
  (void)state;
  static const struct {
    const char *text;
    double ems;
    const char *lines;
  } cases[] = {
      {"a title that is broken into two lines or be cut", 23,
       "a title that is broken|into two lines or be cut"},
      {"bound, 1 at distance 0; score / dim", 17, "bound, 1 at|distance 0; score / dim"},
      {"one two three four", 100, "one two three four"},
      {"Sinusoidal, content × content", 11, "Sinusoidal,|content × content"},
      {"alibi, head 0", 6.2, "alibi,|head 0"},
      {"0000000000 b", 6.3, "0000000000|b"},
      {"0000000000 b", 4, "000000|0000 b"},
      {"trailing blank ", 6, "trailing|blank "},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    assert_lines(cases[i].text, lettering_even(cases[i].text, cases[i].ems), cases[i].lines);
  assert_true(lettering_even("", 5) == 5);
}

static void tex_runs_nothing(void **state) {
  (void)state;
  assert_tex("plain text 123", "plain text 123");
  assert_tex("\\input{x}", "\\textbackslash{}input\\{x\\}");
  assert_tex("$a_b^c$ & # % ~", "\\$a\\_b\\textasciicircum{}c\\$ \\& \\# \\% \\textasciitilde{}");
  assert_tex("^^5cinput", "\\textasciicircum{}\\textasciicircum{}5cinput");
  assert_tex("[l]x", "\\lbrack{}l\\rbrack{}x");
  assert_tex("`?'\"<>|",
             "\\`{}?'\\textquotedblright{}\\ensuremath{<}\\ensuremath{>}\\ensuremath{|}");
  assert_tex("a--b", "a\\mbox{-}\\mbox{-}b");
  assert_tex("θ ≤ 2π·10⁻³", "\\ensuremath{\\theta} \\ensuremath{\\leq} 2\\ensuremath{\\pi}"
                            "\\ensuremath{\\cdot}10\\ensuremath{^-}\\ensuremath{^3}");
  assert_tex("é 旋", "é 旋");
}

static void assert_svg(const char *svg, bool keep_edges, const char *expected) {
  char *corrected = NULL;
  size_t size;
  FILE *out = open_memstream(&corrected, &size);
  lettering_write_svg(out, svg, strlen(svg), keep_edges);
  assert_int_equal(fclose(out), 0);
  assert_string_equal(corrected, expected);
  free(corrected);
}

static void svg_is_corrected(void **state) {
  (void)state;
  assert_svg("<text>a ]]> b]]</text>", true, "<text>a ]]&gt; b]]</text>");
  assert_svg("<image x='1'/><im", false, "<image x='1'/><im");
  assert_svg("<image x='1'/><im", true, "<image style='image-rendering:pixelated' x='1'/><im");
  assert_svg("]]]>>\xef\xbf\xbe\xef\xbf\xbf\xef\xbf\xbd\xef\xbf", true,
             "]]]&gt;>\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf");
  assert_svg("", true, "");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(width_counts_characters_not_bytes),
      cmocka_unit_test(lines_break_at_blanks),
      cmocka_unit_test(lines_are_even),
      cmocka_unit_test(tex_runs_nothing),
      cmocka_unit_test(svg_is_corrected),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Fonts that are there, and fonts that are not. */
#include "tests/unit/ground.h"

#include "lib/figure/figure.h"

/* Tests draw with it, so it is installed: PACKAGES_BUILD of the Makefile. */
static void installed_fonts_are_known(void **state) {
  (void)state;
  char instead[FIGURE_FONT_NAME];
  static const char *const names[] = {"DejaVu Sans", "dejavu sans", "DejaVuSans"};
  for (size_t i = 0; i < 3; i++)
    assert_int_equal(figure_font_known(names[i], instead), 1);
}

static void generic_names_are_known(void **state) {
  (void)state;
  char instead[FIGURE_FONT_NAME] = "x";
  static const char *const names[] = {"sans", "Serif", "Sans-Serif", "monospace", "Mono"};
  for (size_t i = 0; i < 5; i++) {
    assert_int_equal(figure_font_known(names[i], instead), 1);
    assert_string_equal(instead, "");
  }
}

static void others_say_what_comes_instead(void **state) {
  (void)state;
  char instead[FIGURE_FONT_NAME] = "", again[FIGURE_FONT_NAME];
  assert_int_equal(figure_font_known("Nonexistent", instead), 0);
  assert_true(*instead && strcmp(instead, "Nonexistent"));
  assert_int_equal(figure_font_known(instead, again), 1);
  assert_int_equal(figure_font_known("DejaVu Sansa", instead), 0);
  assert_int_equal(figure_font_known("DejaVu San", instead), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(installed_fonts_are_known),
      cmocka_unit_test(generic_names_are_known),
      cmocka_unit_test(others_say_what_comes_instead),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

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

/* What is shown, also for a generic name; and without any font. */
static void families_that_are_shown(void **state) {
  (void)state;
  char family[FIGURE_FONT_NAME];
  assert_true(figure_fontconfig_version() > 20000);
  assert_int_equal(figure_font_find("dejavu sans", family), FIGURE_FONT_SAME);
  assert_string_equal(family, "DejaVu Sans");
  assert_int_equal(figure_font_find("sans", family), FIGURE_FONT_OTHER);
  assert_true(*family && strcmp(family, "sans"));
  setenv("FONTCONFIG_FILE", write_text("none.conf", "<fontconfig></fontconfig>"), 1);
  assert_int_equal(figure_font_find("sans", family), FIGURE_FONT_NONE);
  assert_string_equal(family, "");
  assert_int_equal(figure_font_known("DejaVu Sans", family), -1);
  unsetenv("FONTCONFIG_FILE");
}

/* The width is that of the family that is shown; wide and unknown ones are as wide as can be. */
static void narrow_faces_are_narrow(void **state) {
  (void)state;
  char instead[FIGURE_FONT_NAME];
  assert_true(figure_font_width("DejaVu Sans") == 1);
  assert_true(figure_font_width("Nonexistent") == 1);
  assert_true(figure_font_width("") == 1);
  if (figure_font_known("Times", instead) == 0 && !strcmp(instead, "Nimbus Roman"))
    assert_true(figure_font_width("times") == 0.86);
  /* Where Times is not there, and nothing like it, its texts are as wide as what stands for it. */
  setenv("FONTCONFIG_FILE",
         write_text("fonts.conf", "<fontconfig><dir>/usr/share/fonts/truetype/dejavu</dir>"
                                  "<cachedir>/nonexistent</cachedir></fontconfig>"),
         1);
  assert_true(figure_font_width("Times") == 1);
  unsetenv("FONTCONFIG_FILE");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(installed_fonts_are_known),     cmocka_unit_test(generic_names_are_known),
      cmocka_unit_test(others_say_what_comes_instead), cmocka_unit_test(families_that_are_shown),
      cmocka_unit_test(narrow_faces_are_narrow),
  };
  return cmocka_run_group_tests(tests, folder_create, folder_remove);
}

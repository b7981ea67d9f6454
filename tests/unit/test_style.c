#include "tests/unit/ground.h"

#include "lib/figure/style.h"

/* Widths in inches that the venues' instructions and style files give (TeX points are 72.27 to an
 * inch). */
static const struct {
  const char *name;
  double width;
} widths[] = {
    {"aaai", 3.3},
    {"aaai-full", 6.975},
    {"acl", 7.7 / 2.54},
    {"acl-full", (2 * 7.7 + 0.6) / 2.54},
    {"acm", 3.33},
    {"acm-full", 7},
    {"beamer", 0.9 * 398.34 / 72.27},
    {"cvpr", 3.25},
    {"cvpr-full", 6.875},
    {"default", 6},
    {"iclr", 5.5},
    {"icml", 3.25},
    {"icml-full", 2 * 3.25 + 0.25},
    {"ieee", 3.5},
    {"ieee-full", 7.16},
    {"jmlr", 6},
    {"nature", 89 / 25.4},
    {"nature-full", 183 / 25.4},
    {"neurips", 5.5},
    {"tmlr", 6.5},
};
enum { STYLES = sizeof widths / sizeof widths[0] };

static bool is_listed(const char *name) {
  for (size_t i = 0; style_name_at(i); i++)
    if (!strcmp(style_name_at(i), name)) return true;
  return false;
}

static void has_the_venues_widths(void **state) {
  (void)state;
  for (size_t i = 0; i < STYLES; i++) {
    struct style style;
    struct error error;
    assert_true(is_listed(widths[i].name));
    if (style_find(widths[i].name, &style, &error)) fail_msg("%s", error.message);
    assert_string_equal(style.name, widths[i].name);
    if (!(fabs(style.width - widths[i].width) < 1e-3))
      fail_msg("%s is %g in wide, expected %g", style.name, style.width, widths[i].width);
  }
  assert_non_null(style_name_at(STYLES - 1));
  assert_null(style_name_at(STYLES));
}

static void fits_print(void **state) {
  (void)state;
  for (size_t i = 0; i < STYLES; i++) {
    struct style style;
    assert_int_equal(style_find(widths[i].name, &style, NULL), OK);
    assert_true(style.tick_size >= 5 && style.tick_size <= style.font_size &&
                style.font_size <= 11);
    assert_true(style.height_ratio == 0.618);
    assert_true(style.line_width >= 0.5 && style.line_width <= 2);
    assert_true(style.dpi >= (strcmp(style.name, "default") ? 300 : 150));
    assert_true(strlen(style.source) > 5 && strlen(style.font) > 2);
  }
}

static void keeps_the_venues_rules(void **state) {
  (void)state;
  struct style style;
  assert_int_equal(style_find("nature", &style, NULL),
                   OK); /* text of 5 to 7 pt, Helvetica or Arial */
  assert_true(style.font_size <= 7 && style.tick_size >= 5 && style.dpi == 450);
  assert_string_equal(style.font, "Helvetica");
  assert_int_equal(style_find("ieee", &style, NULL), OK); /* 8 pt, 600 dpi for line art */
  assert_true(style.font_size == 8 && style.dpi == 600);
  assert_int_equal(style_find("icml", &style, NULL), OK);
  assert_true(style.font_size == 8 && style.tick_size == 6 && style.dpi == 300);
}

static void unknown_names_list_the_choices(void **state) {
  (void)state;
  static const char *const bad[] = {"", "ICML", "icml.style", "../palettes/viridis",
                                    "neurips2017x"};
  for (size_t i = 0; i < 5; i++) {
    struct style style;
    struct error error;
    assert_int_equal(style_find(bad[i], &style, &error), ERROR_INPUT);
    assert_message(&error, "unknown style");
    for (size_t s = 0; s < STYLES; s++)
      assert_message(&error, widths[s].name);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(has_the_venues_widths),
      cmocka_unit_test(fits_print),
      cmocka_unit_test(keeps_the_venues_rules),
      cmocka_unit_test(unknown_names_list_the_choices),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

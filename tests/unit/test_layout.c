#include "tests/unit/ground.h"

#include "lib/base/layout.h"

static void names(void **state) {
  (void)state;
  static const enum layout layouts[] = {LAYOUT_INTERLEAVED, LAYOUT_HALVES};
  static const char *const expected[] = {"interleaved", "halves"};
  struct error error = {0};
  for (size_t i = 0; i < 2; i++) {
    enum layout layout = layouts[1 - i];
    assert_string_equal(layout_name(layouts[i]), expected[i]);
    assert_int_equal(layout_parse(expected[i], &layout, &error), OK);
    assert_int_equal(layout, layouts[i]);
  }
  enum layout layout = LAYOUT_HALVES;
  static const char *const unknown[] = {"", "half", "Halves", "neox", "interleaved "};
  for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
    assert_int_equal(layout_parse(unknown[i], &layout, &error), ERROR_INPUT);
    assert_message(&error, "': interleaved or halves");
    assert_int_equal(layout, LAYOUT_HALVES);
  }
  assert_int_equal(layout_parse("x", &layout, NULL), ERROR_INPUT);
}

/* Either layout uses each of the 2·pairs dimensions once. */
static void pairs_cover_the_head(void **state) {
  (void)state;
  for (size_t pairs = 1; pairs <= 64; pairs++)
    for (int layout = 0; layout < 2; layout++) {
      int used[128] = {0};
      for (size_t pair = 0; pair < pairs; pair++) {
        used[layout_first((enum layout)layout, pair)]++;
        used[layout_second((enum layout)layout, pair, pairs)]++;
      }
      for (size_t i = 0; i < 128; i++)
        assert_int_equal(used[i], i < 2 * pairs);
    }
  assert_int_equal(layout_first(LAYOUT_INTERLEAVED, 3), 6);
  assert_int_equal(layout_second(LAYOUT_INTERLEAVED, 3, 64), 7);
  assert_int_equal(layout_first(LAYOUT_HALVES, 3), 3);
  assert_int_equal(layout_second(LAYOUT_HALVES, 3, 64), 67);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names),
      cmocka_unit_test(pairs_cover_the_head),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

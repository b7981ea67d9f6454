/* lib/rope/axis_of_pair.h */
#include "tests/unit/spectra.h"

#include "lib/rope/axis_of_pair.h"

static struct rope_spec sections(size_t time, size_t height, size_t width, bool interleaved) {
  struct rope_spec spec;
  spec_default(&spec);
  spec.axes = 3;
  spec.section[0] = time;
  spec.section[1] = height;
  spec.section[2] = width;
  spec.sections_interleaved = interleaved;
  return spec;
}

static void assert_axes(const struct rope_spec *spec, const char *letters) {
  for (size_t i = 0; letters[i]; i++)
    if ("THWE"[spec_axis(spec, i)] != letters[i])
      fail_msg("pair %zu: %c, not %c", i, "THWE"[spec_axis(spec, i)], letters[i]);
}

/* Qwen3-VL, 24,20,20 interleaved: THW 20 times, then T (alibaba/MNN#4133, vllm-gaudi#1437). */
static void interleaved_sections(void **state) {
  (void)state;
  const struct rope_spec spec = sections(24, 20, 20, true);
  size_t pairs[3] = {0};
  for (size_t i = 0; i < 64; i++) {
    const enum spec_axis expected = i >= 60 ? SPEC_TIME : (enum spec_axis)(i % 3);
    assert_int_equal(spec_axis(&spec, i), expected);
    pairs[expected]++;
  }
  assert_int_equal(pairs[SPEC_TIME], 24);
  assert_int_equal(pairs[SPEC_HEIGHT], 20);
  assert_int_equal(pairs[SPEC_WIDTH], 20);
  assert_int_equal(spec_axis(&spec, 58), SPEC_HEIGHT);
  assert_int_equal(spec_axis(&spec, 59), SPEC_WIDTH);
}

/* Sections that are not equal: 11,11,10 of 32 pairs. */
static void interleaved_sections_of_unequal_size(void **state) {
  (void)state;
  const struct rope_spec spec = sections(11, 11, 10, true);
  assert_axes(&spec, "THWTHWTHWTHWTHWTHWTHWTHWTHWTHWTH");
  const struct rope_spec more = sections(4, 1, 3, true);
  assert_axes(&more, "THWTTWTT");
}

/* Qwen2-VL, 16,24,24: T, then H, then W. */
static void blocks(void **state) {
  (void)state;
  const struct rope_spec spec = sections(16, 24, 24, false);
  assert_axes(&spec, "TTTTTTTTTTTTTTTT"
                     "HHHHHHHHHHHHHHHHHHHHHHHH"
                     "WWWWWWWWWWWWWWWWWWWWWWWW");
  struct rope_spec four = sections(1, 2, 0, false);
  four.axes = 4;
  four.section[3] = 1;
  assert_axes(&four, "THHE");
}

static void without_sections_all_is_time(void **state) {
  (void)state;
  struct rope_spec spec;
  spec_default(&spec);
  assert_axes(&spec, "TTTTTTTT");
  assert_false(spec_has_axes(&spec));
  spec.sections_interleaved = true;
  assert_axes(&spec, "TTTTTTTT");
}

/* naver-ai/rope-vit, models/vit_rope.py: columns first. */
static void axial(void **state) {
  (void)state;
  struct rope_spec spec = sections(4, 3, 1, true);
  spec.rotary_dim = 16;
  assert_int_equal(spec_parse_sections("axial", &spec, NULL), OK);
  assert_int_equal(spec.axes, 0);
  assert_axes(&spec, "WWWWHHHH");
  char letters[SPEC_PAIRS + 1];
  spec_axis_letters(&spec, letters);
  assert_string_equal(letters, "WWWWHHHH");
  assert_true(spec_has_axes(&spec));
}

static void parsed(void **state) {
  (void)state;
  struct rope_spec spec;
  spec_default(&spec);
  spec.rotary_dim = 16;
  assert_int_equal(spec_parse_sections("1,4,3", &spec, NULL), OK);
  assert_axes(&spec, "THHHHWWW");
  assert_true(spec_has_axes(&spec));
  assert_int_equal(spec_parse_sections("3,3,2:interleaved", &spec, NULL), OK);
  assert_axes(&spec, "THWTHWTH");
  assert_int_equal(spec_parse_sections("1,0,5,2", &spec, NULL), OK);
  assert_axes(&spec, "TWWWWWEE");
  assert_int_equal(spec_parse_sections("0,0,8", &spec, NULL), OK);
  assert_axes(&spec, "WWWWWWWW");
}

static void what_are_no_sections(void **state) {
  (void)state;
  static const struct {
    const char *text, *part;
  } cases[] = {
      {"", "'' is not a"},
      {"8", "'8' has 1 section"},
      {"4,4", "'4,4' has 2 sections"},
      {"2,2,2,1,1", "more than 4 sections"},
      {"2,2,2,2:interleaved", "has 4 sections: time, height and width"},
      {"2,2,4:turns", "ends in ':turns'"},
      {"2,2,4:", "ends in ':'"},
      {"2,2,", "'' is not a"},
      {"2,-2,8", "-2"},
      {"2,two,4", "'two'"},
      {"2,2,3", "'2,2,3' sums to 7: the 8 pairs of a head are needed"},
      {"2,2,000000000000000000000000004", "is not a number"},
      {"axial:interleaved", "'axial'"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct rope_spec spec;
    struct error error;
    spec_default(&spec);
    spec.rotary_dim = 16;
    if (spec_parse_sections(cases[i].text, &spec, &error) != ERROR_INPUT)
      fail_msg("'%s' is taken", cases[i].text);
    assert_message(error, cases[i].part);
  }
}

static void names(void **state) {
  (void)state;
  static const char *const expected[] = {"time", "height", "width", "extra"};
  for (int axis = SPEC_TIME; axis <= SPEC_EXTRA; axis++)
    assert_string_equal(spec_axis_name((enum spec_axis)axis), expected[axis]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(interleaved_sections),
      cmocka_unit_test(interleaved_sections_of_unequal_size),
      cmocka_unit_test(blocks),
      cmocka_unit_test(without_sections_all_is_time),
      cmocka_unit_test(axial),
      cmocka_unit_test(parsed),
      cmocka_unit_test(what_are_no_sections),
      cmocka_unit_test(names),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

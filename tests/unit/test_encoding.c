/* lib/encoding/encoding.h */
#include "tests/unit/encodings.h"

static void finds_by_name(void **state) {
  (void)state;
  const struct encoding *encoding;
  struct error error;
  size_t count = 0;
  for (; encoding_at(count); count++) {
    assert_int_equal(encoding_find(encoding_at(count)->name, &encoding, NULL), OK);
    assert_ptr_equal(encoding, encoding_at(count));
    assert_non_null(encoding->title);
    assert_non_null(encoding->formula);
    assert_non_null(encoding->source);
  }
  assert_int_equal(count, 12);
  assert_int_equal(encoding_find("Rope", &encoding, &error), ERROR_INPUT);
  assert_message(error, "'Rope'");
  assert_message(error, "rope, sinusoidal");
}

/* Every one says all of itself, and its list of parameters is whole. */
static void describes_itself(void **state) {
  (void)state;
  const struct encoding *encoding;
  for (size_t i = 0; (encoding = encoding_at(i)); i++) {
    assert_non_null(strstr(encoding->source, "arXiv:"));
    assert_true(!strcmp(encoding->beyond, "refused") || !strcmp(encoding->beyond, "extrapolated") ||
                !strcmp(encoding->beyond, "periodic"));
    for (const struct encoding_parameter *p = encoding->parameters; p && p->key; p++) {
      assert_non_null(p->meaning);
      if (!p->shape) assert_true(p->lowest < p->highest);
      if (!p->shape && !p->learned)
        assert_true(p->otherwise >= p->lowest && p->otherwise <= p->highest);
      if (!p->shape && p->learned)
        assert_true(p->random[0] < p->random[1] && p->random[1] <= p->highest);
    }
  }
  assert_string_equal(encoding_kind_name(ENCODING_NOTHING), "nothing");
  assert_string_equal(encoding_kind_name(ENCODING_BIASES), "biases");
}

/* Heads, lengths and terms that make no sense are refused before anything is made. */
static void refuses_senseless_settings(void **state) {
  const struct encoding *alibi = encoding_of("alibi");
  struct encoding_setting setting = setting_of(NULL, 8, 4);
  setting.head = 8;
  assert_encoding_refused(*state, alibi, &setting, "the head is '8', and the model has 8: 0 to 7");
  setting = setting_of(NULL, 0, 4);
  assert_encoding_refused(*state, alibi, &setting, "the length of encoding 'alibi' is '0'");
  setting = setting_of(NULL, 8, 0);
  assert_encoding_refused(*state, alibi, &setting, "the width of encoding 'alibi' is '0'");
  setting = setting_of(NULL, 8, 4);
  setting.heads = 0;
  assert_encoding_refused(*state, alibi, &setting, "number of heads");
  setting = setting_of(NULL, 8, 4);
  setting.terms = TERMS_CONTENT_POSITION;
  assert_encoding_refused(
      *state, alibi, &setting,
      "'alibi' has no terms of content and position apart: sinusoidal, learned, "
      "transformer-xl, deberta have");
}

/* An odd width cannot hold pairs of sine and cosine. */
static void refuses_odd_widths(void **state) {
  struct spectrum *spectrum = plain_spectrum(126, 10000);
  struct encoding_setting setting = setting_of(spectrum, 8, 127);
  assert_encoding_refused(*state, encoding_of("sinusoidal"), &setting, "a width of '127' is odd");
  setting = setting_of(spectrum, 8, 128);
  assert_encoding_refused(*state, encoding_of("sinusoidal"), &setting, "makes 126 dimensions");
  setting = setting_of(spectrum, 8, 125);
  assert_encoding_refused(*state, encoding_of("rope"), &setting,
                          "rotates 126 dimensions of vectors that");
  setting = setting_of(spectrum, 8, 127);
  assert_encoding_refused(*state, encoding_of("transformer-xl"), &setting,
                          "each of '127' dimensions");
  spectrum_destroy(spectrum);
}

/* Constant vectors, really rotated; part of the head is not. */
static void rope_profile(void **state) {
  enum { DIM = 24, ROTARY = 16, LENGTH = 40 };
  struct rope_spec spec;
  spec_default(&spec);
  spec.head_dim = DIM;
  spec.rotary_dim = ROTARY;
  spec.layout = LAYOUT_HALVES;
  struct spectrum *spectrum = spectrum_of(&spec);
  spectrum->attention_factor = 1.25;
  const struct encoding *encoding = encoding_of("rope");
  const struct encoding_setting setting = setting_of(spectrum, LENGTH, DIM);
  assert_int_equal(encoding_width(encoding, spectrum, NULL), DIM);
  static double vectors[LENGTH * DIM], profile[LENGTH];
  int64_t position[LENGTH];
  const double value = 0.5;
  for (int m = 0; m < LENGTH; m++)
    position[m] = m;
  for (int i = 0; i < LENGTH * DIM; i++)
    vectors[i] = value;
  const struct rotate_batch batch = {.phases = {.series = 1,
                                                .pairs = spectrum->pairs,
                                                .step = spectrum->step,
                                                .inv_freq = spectrum->inv_freq_double},
                                     .layout = LAYOUT_HALVES,
                                     .amplitude = spectrum->attention_factor,
                                     .batch = 1,
                                     .length = LENGTH,
                                     .heads = 1,
                                     .dim = DIM,
                                     .position = position,
                                     .input = vectors,
                                     .output = vectors};
  assert_int_equal(backend_rotate(*state, &batch, NULL), OK);
  assert_true(encoding->stationary(&setting, value));
  assert_int_equal(encoding->profile(*state, &setting, value, LENGTH, profile, NULL), OK);
  for (int m = 0; m < LENGTH; m++)
    for (int n = 0; n < LENGTH; n++) {
      double product = 0;
      for (int i = 0; i < DIM; i++)
        product += vectors[m * DIM + i] * vectors[n * DIM + i];
      assert_near(product, profile[abs(m - n)], 1e-12);
    }
  spectrum_destroy(spectrum);
}

/* Nothing of the size of the length is made before it is known to fit. */
static void refuses_what_does_not_fit(void **state) {
  struct spectrum *spectrum = plain_spectrum(128, 10000);
  struct encoding_values *values = values_of(
      (const char *[]){"t5=random:1", "kerple=random:1", "transformer-xl=random:1", NULL});
  static const char *const names[] = {"sinusoidal", "alibi", "t5", "kerple", "transformer-xl"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    struct encoding_setting setting = setting_of(spectrum, (size_t)1000000000000, 128);
    setting.values = values;
    assert_encoding_refused(*state, encoding_of(names[i]), &setting, "GiB");
  }
  encoding_values_destroy(values);
  spectrum_destroy(spectrum);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(finds_by_name),
      cmocka_unit_test(describes_itself),
      cmocka_unit_test(refuses_senseless_settings),
      cmocka_unit_test(refuses_odd_widths),
      cmocka_unit_test(rope_profile),
      cmocka_unit_test(refuses_what_does_not_fit),
  };
  return cmocka_run_group_tests(tests, open_backend, close_backend);
}

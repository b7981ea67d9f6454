/* Spectra: values against published tables and closed forms, and what is refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/base/memory.h"
#include "lib/base/phase.h"
#include "lib/rope/spectrum.h"
#include "tests/unit/models.h"

static void assert_close(long double actual, long double expected, double tolerance) {
  if (!(fabsl(actual - expected) <= tolerance * fabsl(expected)))
    fail_msg("%.20Lg is not %.20Lg within %g", actual, expected, tolerance);
}

static struct spectrum *make_spectrum(const struct rope_spec *spec) {
  struct error error = {OK, ""};
  struct spectrum *spectrum = NULL;
  if (spectrum_create(spec, &spectrum, &error)) fail_msg("%s", error.message);
  return spectrum;
}

static struct spectrum *make_plain(size_t dim, double base) {
  struct rope_spec spec;
  spec_default(&spec);
  spec.head_dim = spec.rotary_dim = dim;
  spec.base = base;
  return make_spectrum(&spec);
}

/* The sum of θ² is a geometric series; the sums of θ were computed in 50-digit arithmetic. */
static void plain_spectrum_is_geometric(void **state) {
  (void)state;
  static const struct {
    size_t dim;
    double base;
    long double sum;
  } rows[] = {{128, 1e4, 7.45995413360034741835L},
              {64, 1e4, 3.99790823447637759644L},
              {256, 1e4, 14.4019788769467670037L},
              {128, 5e5, 5.39423389133253401225L},
              {128, 1e6, 5.15044431367781060837L}};
  for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
    struct spectrum *spectrum = make_plain(rows[r].dim, rows[r].base);
    assert_int_equal(spectrum->pairs, rows[r].dim / 2);
    assert_true(spectrum->inv_freq[0] == 1);
    long double sum = 0, squares = 0;
    for (size_t i = 0; i < spectrum->pairs; i++) {
      sum += spectrum->inv_freq[i];
      squares += spectrum->inv_freq[i] * spectrum->inv_freq[i];
    }
    const long double base = rows[r].base, dim = (long double)rows[r].dim;
    assert_close(sum, rows[r].sum, 1e-17);
    assert_close(squares, (1 - 1 / (base * base)) / (1 - powl(base, -4 / dim)), 1e-17);
    assert_true(spectrum->attention_factor == 1 && spectrum->softmax_factor == 1);
    assert_true(spectrum->effective_base == rows[r].base);
    spectrum_destroy(spectrum);
  }
}

/* Frequencies and steps (turns × 2^64) in 50-digit arithmetic. */
static void frequencies_have_all_their_digits(void **state) {
  (void)state;
  static const struct {
    size_t dim, pair;
    double base;
    long double inv_freq, step;
  } rows[] = {{128, 1, 1e4, 0.86596432336006535235L, 2542376433133839918.72L},
              {128, 63, 1e4, 0.000115478198468945817967L, 339031346221092.160992L},
              {128, 29, 5e5, 0.00261609925292503527442L, 7680580952305749.23108L},
              {128, 63, 5e5, 2.45514079113160887124e-6L, 7208024532903.54982251L},
              {80, 17, 1e6, 0.00281838293126445381910L, 8274463682511399.19234L}};
  for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
    struct spectrum *spectrum = make_plain(rows[r].dim, rows[r].base);
    const size_t pair = rows[r].pair;
    assert_close(spectrum->inv_freq[pair], rows[r].inv_freq, 3e-19);
    assert_true(spectrum->inv_freq_double[pair] == (double)rows[r].inv_freq);
    assert_true(fabsl((long double)spectrum->step[pair] - rows[r].step) <= 1);
    spectrum_destroy(spectrum);
  }
}

static void special_cases_are_exact(void **state) {
  (void)state;
  struct spectrum *spectrum = make_plain(2, 10000);
  assert_int_equal(spectrum->pairs, 1);
  assert_true(spectrum->inv_freq[0] == 1);
  spectrum_destroy(spectrum);
  spectrum = make_plain(4, 16);
  assert_true(spectrum->inv_freq[1] == 0.25L);
  spectrum_destroy(spectrum);
  spectrum = make_plain(8, 10000);
  for (size_t i = 0; i < 4; i++)
    assert_close(spectrum->inv_freq[i], powl(10, -(long double)i), 3e-19);
  spectrum_destroy(spectrum);
  spectrum = make_plain(16, 1);
  for (size_t i = 0; i < 8; i++)
    assert_true(spectrum->inv_freq[i] == 1);
  spectrum_destroy(spectrum);
}

/* The three forms of a frequency say the same. */
static void forms_agree(void **state) {
  (void)state;
  struct spectrum *spectrum = make_plain(128, 500000);
  const long double two_pi = 6.28318530717958647692528676655900577L;
  for (size_t i = 0; i < spectrum->pairs; i++) {
    assert_true(spectrum->inv_freq_double[i] == (double)spectrum->inv_freq[i]);
    const long double units = ldexpl(spectrum->inv_freq[i] / two_pi, 64);
    assert_true(fabsl((long double)spectrum->step[i] - units) <= 0.5L);
  }
  spectrum_destroy(spectrum);
}

static void refused(size_t head_dim, size_t rotary_dim, double base, const char *message) {
  struct rope_spec spec;
  struct error error = {OK, ""};
  struct spectrum *spectrum;
  spec_default(&spec);
  spec.head_dim = head_dim;
  spec.rotary_dim = rotary_dim;
  spec.base = base;
  assert_int_equal(spectrum_create(&spec, &spectrum, &error), ERROR_INPUT);
  assert_null(spectrum);
  assert_string_equal(error.message, message);
}

static void impossible_specs_are_refused(void **state) {
  (void)state;
  refused(128, 0, 10000, "the rotary dimension is 0: it must be at least 2");
  refused(0, 2, 10000, "the head dimension is 0: it must be at least 2");
  refused(127, 127, 10000, "the rotary dimension 127 is odd: dimensions rotate in pairs");
  refused(64, 128, 10000, "the rotary dimension 128 is larger than the head dimension 64");
  refused(
      1000000, 1000000, 10000,
      "the rotary dimension 1000000 is too large: at most 65536 (heads of published models have "
      "32 to 576)");
  refused(SIZE_MAX, 2, 10000,
          "the head dimension 18446744073709551615 is too large: at most 65536 (heads of published "
          "models have 32 to 576)");
  refused(128, 128, 0, "the base is 0: it must be a number greater than 0");
  refused(128, 128, -5, "the base is -5: it must be a number greater than 0");
  refused(128, 128, NAN, "the base is nan: it must be a number greater than 0");
  refused(128, 128, INFINITY, "the base is inf: it must be a number greater than 0");
  refused(4, 4, 1e-13,
          "the base 1e-13 with the scaling type 'none' gives pair 1 the inverse frequency "
          "3162277.66 radians per token: 0 to 1048576 can be computed");
}

/* Every pair of a spectrum stays within what can be computed. */
static void extreme_bases_work(void **state) {
  (void)state;
  struct spectrum *spectrum = make_plain(4, 1e-12); /* 1e6 radians per token, just allowed */
  assert_close(spectrum->inv_freq[1], 1e6L, 1e-15);
  spectrum_destroy(spectrum);
  spectrum = make_plain(128, 1e300);
  assert_true(spectrum->inv_freq[63] > 0 && spectrum->step[63] == 0);
  spectrum_destroy(spectrum);
  spectrum = make_plain(65536, 10000);
  assert_int_equal(spectrum->pairs, 32768);
  spectrum_destroy(spectrum);
}

static void memory_may_be_short(void **state) {
  (void)state;
  struct rope_spec spec;
  struct error error;
  struct spectrum *spectrum;
  spec_default(&spec);
  const uint64_t limit = memory_limit();
  for (uint64_t bytes = 64; bytes < 2048; bytes *= 4) {
    memory_set_limit(bytes);
    spec.head_dim = spec.rotary_dim = 65536;
    assert_int_equal(spectrum_create(&spec, &spectrum, &error), ERROR_FAILED);
    assert_null(spectrum);
  }
  memory_set_limit(limit);
  spectrum_destroy(NULL);
}

static void negative_context_is_refused(void **state) {
  (void)state;
  struct rope_spec spec;
  struct error error;
  struct spectrum *spectrum;
  spec_default(&spec);
  spec.context = -1;
  assert_int_equal(spectrum_create(&spec, &spectrum, &error), ERROR_INPUT);
  assert_string_equal(error.message, "the context is -1 tokens: it must be positive");
}

static void description_adds_what_follows(void **state) {
  (void)state;
  struct rope_spec spec;
  struct model_source source;
  struct error error;
  struct spectrum *spectrum;
  assert_int_equal(read_one("llama-3.1-8b", &spec, &source, NULL, &error), OK);
  assert_int_equal(spectrum_create(&spec, &spectrum, &error), OK);
  struct meta *meta = meta_create();
  spectrum_describe(spectrum, meta);
  char *json = meta_to_json(meta, 0);
  assert_string_equal(
      json, "{\"label\": \"Llama-3.1-8B\", \"head_dim\": 128, \"rotary_dim\": 128, "
            "\"layout\": \"halves\", \"precision\": \"fp64\", \"base\": 500000.0, "
            "\"scaling\": {\"type\": \"llama3\", \"factor\": 8.0, \"low_freq_factor\": 1.0, "
            "\"high_freq_factor\": 4.0, \"original_max_position_embeddings\": 8192.0}, "
            "\"context\": 131072, \"effective_base\": 500000.0, \"attention_factor\": 1.0, "
            "\"softmax_factor\": 1.0, \"original_context\": 8192.0}");
  free(json);
  meta_destroy(meta);
  spectrum_destroy(spectrum);
}

/* Formats below float round what float computes, once: what any user rounds again stays. 1e-8 is
   below half of the least number of fp16, 2^-24. */
static void narrow_formats_round_the_frequencies(void **state) {
  (void)state;
  static const enum precision narrow[] = {PRECISION_TF32, PRECISION_BF16, PRECISION_FP16};
  struct rope_spec spec;
  spec_default(&spec);
  spec.base = 500000;
  spec.precision = PRECISION_FP32;
  struct spectrum *single = make_spectrum(&spec);
  for (size_t p = 0; p < 3; p++) {
    spec.precision = narrow[p];
    struct spectrum *rounded = make_spectrum(&spec);
    size_t changed = 0;
    for (size_t i = 0; i < rounded->pairs; i++) {
      const double once = precision_round(narrow[p], single->inv_freq_double[i]);
      assert_true(rounded->inv_freq_double[i] == once);
      assert_true(rounded->inv_freq[i] == (long double)once && rounded->plain[i] == once);
      assert_true(precision_round(narrow[p], once) == once);
      assert_true(rounded->step[i] == phase_step(once));
      changed += once != single->inv_freq_double[i];
    }
    assert_true(changed > rounded->pairs / 2);
    spectrum_destroy(rounded);
  }
  spectrum_destroy(single);
  spec.head_dim = spec.rotary_dim = 4;
  spec.base = 1e16;
  struct spectrum *lost = make_spectrum(&spec);
  assert_true(lost->inv_freq[0] == 1 && lost->inv_freq[1] == 0);
  spectrum_destroy(lost);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(plain_spectrum_is_geometric),
      cmocka_unit_test(frequencies_have_all_their_digits),
      cmocka_unit_test(special_cases_are_exact),
      cmocka_unit_test(forms_agree),
      cmocka_unit_test(impossible_specs_are_refused),
      cmocka_unit_test(extreme_bases_work),
      cmocka_unit_test(memory_may_be_short),
      cmocka_unit_test(negative_context_is_refused),
      cmocka_unit_test(description_adds_what_follows),
      cmocka_unit_test(narrow_formats_round_the_frequencies),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* lib/encoding/xpos.c */
#include "tests/unit/encodings.h"

/* Ones score 2·g(m), g(m) = Σ_i cos(mθ_i)·ζ_i^(m/512), d = 128: sums in double. */
static void decays_as_it_should(void **state) {
  static const struct {
    size_t distance;
    double value;
  } cases[] = {{0, 64},           {1, 62.034402},   {10, 42.589768},
               {100, 29.057477},  {256, 19.474179}, {512, 14.12427},
               {1024, 10.813936}, {2048, 6.274211}, {4096, 2.679392}};
  enum { LENGTH = 4097, DIM = 128 };
  struct spectrum *spectrum = plain_spectrum(DIM, 10000);
  const struct encoding_setting setting = setting_of(spectrum, LENGTH, DIM);
  struct scorer scorer = scorer_of(*state, "xpos", &setting);
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
    for (size_t n = 0; n + cases[c].distance < LENGTH; n += 1 + (LENGTH - 1) / 3) {
      const size_t m = n + cases[c].distance;
      double sum = 0;
      for (size_t i = 0; i < DIM / 2; i++) {
        const double scale =
            scorer.query_scale[m * DIM + 2 * i] * scorer.key_scale[n * DIM + 2 * i];
        assert_near(scorer.query_scale[m * DIM + 2 * i + 1], scorer.query_scale[m * DIM + 2 * i],
                    0);
        sum += scale * cos((double)cases[c].distance * spectrum->inv_freq_double[i]);
      }
      assert_near(sum, cases[c].value, 5.1e-7);
    }
  scorer_release(&scorer);
  spectrum_destroy(spectrum);
}

/* Contents against pairs written out, in both layouts, with part of the head that is not rotated.
 */
static void equals_plain_loops(void **state) {
  enum { LENGTH = 50, DIM = 12, ROTARY = 8 };
  double query[LENGTH * DIM], key[LENGTH * DIM], cells[LENGTH * LENGTH];
  draw(*state, 1, LENGTH * DIM, query);
  draw(*state, 2, LENGTH * DIM, key);
  struct encoding_values *values =
      values_of((const char *[]){"xpos.gamma=0.6", "xpos.scale_base=64", NULL});
  for (int layout = LAYOUT_INTERLEAVED; layout <= LAYOUT_HALVES; layout++) {
    struct rope_spec spec;
    spec_default(&spec);
    spec.head_dim = DIM;
    spec.rotary_dim = ROTARY;
    spec.layout = (enum layout)layout;
    struct spectrum *spectrum = spectrum_of(&spec);
    struct encoding_setting setting = setting_of(spectrum, LENGTH, DIM);
    setting.values = values;
    struct scorer scorer = scorer_of(*state, "xpos", &setting);
    score_all(*state, &scorer, &(struct score_map){query, key, false, false, cells});
    for (int m = 0; m < LENGTH; m++)
      for (int n = 0; n < LENGTH; n++) {
        const double *q = query + m * DIM, *k = key + n * DIM;
        double sum = product_of(q + ROTARY, k + ROTARY, DIM - ROTARY);
        for (size_t i = 0; i < ROTARY / 2; i++) {
          const size_t a = layout_first(spec.layout, i);
          const size_t b = layout_second(spec.layout, i, ROTARY / 2);
          const double angle = (m - n) * spectrum->inv_freq_double[i];
          const double zeta = (2.0 * (double)i / ROTARY + 0.6) / 1.6;
          sum += pow(zeta, (m - n) / 64.0) * ((q[a] * k[a] + q[b] * k[b]) * cos(angle) +
                                              (q[a] * k[b] - q[b] * k[a]) * sin(angle));
        }
        assert_near(cells[m * LENGTH + n], sum, 1e-12 * DIM);
      }
    scorer_release(&scorer);
    spectrum_destroy(spectrum);
  }
  encoding_values_destroy(values);
}

/* scale_base 64 and 9000 positions, where an implementation that counts from 0 in float has 1.8e38
   at the end: every score is a number, also of the query at 0 and the last key. */
static void long_inputs_stay_finite(void **state) {
  enum { LENGTH = 9000, DIM = 64 };
  struct encoding_values *values = values_of((const char *[]){"xpos.scale_base=64", NULL});
  struct spectrum *spectrum = plain_spectrum(DIM, 10000);
  struct encoding_setting setting = setting_of(spectrum, LENGTH, DIM);
  setting.values = values;
  struct scorer scorer = scorer_of(*state, "xpos", &setting);
  for (size_t m = 0; m < LENGTH; m += LENGTH - 1)
    for (size_t n = 0; n < LENGTH; n += LENGTH - 1) {
      const double product = scorer.query_scale[m * DIM] * scorer.key_scale[n * DIM];
      const double expected = pow(0.4 / 1.4, ((double)m - (double)n) / 64);
      assert_true(isfinite(product));
      assert_near(product / expected, 1, 1e-12);
    }
  scorer_release(&scorer);
  setting.length = 40000;
  assert_encoding_refused(*state, encoding_of("xpos"), &setting,
                          "at most 35760 positions with scale_base 64");
  setting.length = 35760;
  scorer = scorer_of(*state, "xpos", &setting);
  scorer_release(&scorer);
  encoding_values_destroy(values);
  spectrum_destroy(spectrum);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(decays_as_it_should),
      cmocka_unit_test(equals_plain_loops),
      cmocka_unit_test(long_inputs_stay_finite),
  };
  return cmocka_run_group_tests(tests, open_backend, close_backend);
}

/* Encodings that add a table: lib/encoding/sinusoidal.c and learned.c. */
#include "tests/unit/encodings.h"

/* sin and cos of k·10000^(−2i/6), interleaved: 40-digit arithmetic. */
static void sinusoidal_table(void **state) {
  static const struct {
    size_t position;
    double row[6];
  } cases[] = {
      {0, {0, 1, 0, 1, 0, 1}},
      {1,
       {0.84147098480789650665, 0.5403023058681397174, 0.04639922346473127169,
        0.99892297604063043744, 0.0021544330233656038541, 0.99999767920648087459}},
      {100003,
       {-0.17642084695517752169, 0.98431483010245143323, -0.999689124063196382,
        0.024933014854990009191, 0.9687053685226806993, -0.24821343435708184368}},
  };
  struct spectrum *spectrum = plain_spectrum(6, 10000);
  const struct encoding_setting setting = setting_of(spectrum, 100004, 6);
  struct scorer scorer = scorer_of(*state, "sinusoidal", &setting);
  assert_int_equal(encoding_width(encoding_of("sinusoidal"), spectrum, NULL), 6);
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
    for (size_t i = 0; i < 6; i++)
      assert_near(scorer.table[cases[c].position * 6 + i], cases[c].row[i], 1e-13);
  scorer_release(&scorer);
  spectrum_destroy(spectrum);
}

struct printed {
  size_t dim, position;
  double base, unit; /* half a unit of the last digit that was printed */
  const double *row;
};

/* Tables as tutorials print them. */
static void tutorials(void **state) {
  /* amfooladgar/llm-useful: 9 significant digits, from float. */
  static const double d16[] = {0.841470985,    0.540302306, 0.310983593,    0.950415280,
                               0.0998334166,   0.995004165, 0.0316175064,   0.999500042,
                               0.00999983333,  0.99995,     0.00316227239,  0.999995,
                               0.000999999833, 0.9999995,   0.000316227761, 0.99999995};
  /* TensorFlow's tutorial, as avilay/learn-ai-act-1 has it: 3 decimals. */
  static const double d6_1[] = {0.841, 0.54, 0.046, 0.999, 0.002, 1.0},
                      d6_6[] = {-0.279, 0.96, 0.275, 0.961, 0.013, 1.0};
  /* machinelearningmastery's n = 100: 8 decimals. */
  static const double d4_0[] = {0, 1, 0, 1},
                      d4_1[] = {0.84147098, 0.54030231, 0.09983342, 0.99500417},
                      d4_2[] = {0.90929743, -0.41614684, 0.19866933, 0.98006658},
                      d4_3[] = {0.14112001, -0.9899925, 0.29552021, 0.95533649};
  static const struct printed cases[] = {{16, 1, 10000, 5.1e-10, d16}, {6, 1, 10000, 5e-4, d6_1},
                                         {6, 6, 10000, 5e-4, d6_6},    {4, 0, 100, 5.1e-9, d4_0},
                                         {4, 1, 100, 5.1e-9, d4_1},    {4, 2, 100, 5.1e-9, d4_2},
                                         {4, 3, 100, 5.1e-9, d4_3}};
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    const struct printed *printed = &cases[c];
    struct spectrum *spectrum = plain_spectrum(printed->dim, printed->base);
    const struct encoding_setting setting = setting_of(spectrum, 7, printed->dim);
    struct scorer scorer = scorer_of(*state, "sinusoidal", &setting);
    for (size_t i = 0; i < printed->dim; i++)
      assert_near(scorer.table[printed->position * printed->dim + i], printed->row[i],
                  printed->unit);
    scorer_release(&scorer);
    spectrum_destroy(spectrum);
  }
}

/* ⟨p_m, p_n⟩ = Σ cos((m − n)θ_i) in both forms, under both exponents. */
static void sinusoidal_products(void **state) {
  enum { DIM = 64, LENGTH = 300 };
  static double profile[LENGTH];
  struct spectrum *spectrum = plain_spectrum(DIM, 10000), *fairseq = plain_spectrum(DIM, 10000);
  for (size_t i = 0; i < DIM / 2; i++)
    spectrum_set(fairseq, i, powl(10000, -(long double)i / ((long double)DIM / 2 - 1)));
  assert_near(fairseq->inv_freq_double[DIM / 2 - 1], 1e-4, 1e-19);
  for (int variant = 0; variant < 4; variant++) {
    struct encoding_values *values = values_of((const char *[]){
        variant & 1 ? "sinusoidal.concatenated=1" : "sinusoidal.concatenated=0",
        variant & 2 ? "sinusoidal.fairseq_exponent=1" : "sinusoidal.fairseq_exponent=0", NULL});
    struct encoding_setting setting = setting_of(spectrum, LENGTH, DIM);
    setting.values = values;
    struct scorer scorer = scorer_of(*state, "sinusoidal", &setting);
    const struct encoding *encoding = encoding_of("sinusoidal");
    const struct spectrum *used = variant & 2 ? fairseq : spectrum;
    assert_int_equal(encoding->profile(*state, &setting, 0, LENGTH, profile, NULL), OK);
    for (int m = 0; m < LENGTH; m++) {
      const double first = scorer.table[m * DIM + 1];
      const double angle = (double)m * used->inv_freq_double[variant & 1];
      assert_near(first, variant & 1 ? sin(angle) : cos(angle), 1e-13 * (m + 1));
      for (int n = 0; n < LENGTH; n++) {
        const double product = product_of(scorer.table + m * DIM, scorer.table + n * DIM, DIM);
        assert_near(product, cosine_sum_of(used, m - n), 1e-12 * DIM);
        assert_near(product, profile[abs(m - n)], 1e-12 * DIM);
      }
    }
    assert_near(profile[0], 0.5 * DIM, 1e-12);
    scorer_release(&scorer);
    encoding_values_destroy(values);
  }
  spectrum_destroy(spectrum);
  spectrum_destroy(fairseq);
}

static void refuses_the_other_exponent(void **state) {
  struct encoding_values *values =
      values_of((const char *[]){"sinusoidal.fairseq_exponent=1", NULL});
  struct spectrum *spectrum = plain_spectrum(2, 10000);
  struct encoding_setting setting = setting_of(spectrum, 8, 2);
  setting.values = values;
  assert_encoding_refused(*state, encoding_of("sinusoidal"), &setting,
                          "divides by d/2 - 1, and d is '2'");
  spectrum_destroy(spectrum);
  struct rope_spec spec;
  spec_default(&spec);
  assert_int_equal(spec_parse_scaling("linear:factor=4", &spec.scaling, NULL), OK);
  setting = setting_of(spectrum = spectrum_of(&spec), 8, 128);
  setting.values = values;
  assert_encoding_refused(*state, encoding_of("sinusoidal"), &setting, "not of the rule 'linear'");
  spectrum_destroy(spectrum);
  encoding_values_destroy(values);
}

/* Which side has content and which the table, for each of the terms. */
static void terms_split_the_product(void **state) {
  static const struct {
    enum term_choice terms;
    bool query_content, key_content, query_table, key_table;
  } cases[] = {{TERMS_ALL, 1, 1, 1, 1},
               {TERMS_CONTENT_CONTENT, 1, 1, 0, 0},
               {TERMS_CONTENT_POSITION, 1, 0, 0, 1},
               {TERMS_POSITION_CONTENT, 0, 1, 1, 0},
               {TERMS_POSITION_POSITION, 0, 0, 1, 1}};
  enum { DIM = 8, LENGTH = 9 };
  double query[LENGTH * DIM], key[LENGTH * DIM], cells[LENGTH * LENGTH];
  double sum[LENGTH * LENGTH] = {0};
  struct spectrum *spectrum = plain_spectrum(DIM, 10000);
  draw(*state, 1, LENGTH * DIM, query);
  draw(*state, 2, LENGTH * DIM, key);
  for (size_t c = 0; c < 5; c++) {
    struct encoding_setting setting = setting_of(spectrum, LENGTH, DIM);
    setting.terms = cases[c].terms;
    assert_int_equal(encoding_of("sinusoidal")->stationary(&setting, 0),
                     cases[c].terms == TERMS_ALL || cases[c].terms == TERMS_POSITION_POSITION);
    assert_int_equal(encoding_of("sinusoidal")->stationary(&setting, 1),
                     cases[c].terms == TERMS_POSITION_POSITION);
    struct scorer scorer = scorer_of(*state, "sinusoidal", &setting);
    assert_int_equal(scorer.query_content, cases[c].query_content);
    assert_int_equal(scorer.key_content, cases[c].key_content);
    assert_int_equal(scorer.query_table, cases[c].query_table);
    assert_int_equal(scorer.key_table, cases[c].key_table);
    score_all(*state, &scorer, &(struct score_map){query, key, false, false, cells});
    for (size_t i = 0; i < LENGTH * LENGTH; i++) {
      if (c) sum[i] += cells[i];
      if (!c) sum[i] -= cells[i];
    }
    scorer_release(&scorer);
  }
  /* The four are the whole. */
  for (size_t i = 0; i < LENGTH * LENGTH; i++)
    assert_near(sum[i], 0, 1e-12);
  spectrum_destroy(spectrum);
}

/* Vectors that have the table in them already get it no second time. */
static void projected_vectors_stay(void **state) {
  enum { DIM = 4, LENGTH = 3 };
  struct spectrum *spectrum = plain_spectrum(DIM, 10000);
  struct encoding_setting setting = setting_of(spectrum, LENGTH, DIM);
  setting.terms = TERMS_POSITION_POSITION;
  struct scorer scorer = scorer_of(*state, "sinusoidal", &setting);
  struct score_batch batch = {0};
  double vector[LENGTH * DIM] = {0};
  struct scorer_vectors vectors = {.draws = 1, .query = vector, .key = vector, .projected = true};
  scorer_batch(&scorer, &vectors, &batch);
  assert_ptr_equal(batch.query, vector);
  assert_null(batch.query_add);
  vectors.projected = false;
  scorer_batch(&scorer, &vectors, &batch);
  assert_null(batch.query);
  assert_ptr_equal(batch.query_add, scorer.table);
  scorer_release(&scorer);
  spectrum_destroy(spectrum);
}

static void learned_table(void **state) {
  double row[3 * 2] = {1, 2, 3, 4, 5, 6};
  struct position_table table = {.row = row, .positions = 3, .width = 2, .name = "wpe"};
  struct encoding_setting setting = setting_of(NULL, 2, 2);
  const struct encoding *learned = encoding_of("learned");
  assert_encoding_refused(*state, learned, &setting, "needs a table: --learned FILE[:TENSOR]");
  setting.learned = &table;
  assert_int_equal(encoding_width(learned, NULL, &table), 2);
  struct scorer scorer = scorer_of(*state, "learned", &setting);
  assert_memory_equal(scorer.table, row, 4 * sizeof *row);
  assert_near(scorer.positions, 3, 0);
  assert_string_equal(learned->beyond, "refused");
  assert_false(scorer.untrained);
  scorer_release(&scorer);
  setting.length = 5;
  assert_encoding_refused(*state, learned, &setting,
                          "'wpe' has 3 positions, and the length is '5'");
  setting.beyond = true;
  table.untrained = true;
  scorer = scorer_of(*state, "learned", &setting);
  assert_memory_equal(scorer.table, row, sizeof row);
  for (size_t i = 6; i < 10; i++)
    assert_near(scorer.table[i], 0, 0);
  assert_true(scorer.untrained);
  scorer_release(&scorer);
  setting.width = 4;
  assert_encoding_refused(*state, learned, &setting, "'wpe' has '2' dimensions for vectors of 4");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sinusoidal_table),        cmocka_unit_test(tutorials),
      cmocka_unit_test(sinusoidal_products),     cmocka_unit_test(refuses_the_other_exponent),
      cmocka_unit_test(terms_split_the_product), cmocka_unit_test(projected_vectors_stay),
      cmocka_unit_test(learned_table),
  };
  return cmocka_run_group_tests(tests, open_backend, close_backend);
}

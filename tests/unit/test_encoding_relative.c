/* Encodings with terms of relative positions, each against plain loops: lib/encoding/shaw.c,
   transformer_xl.c and deberta.c. */
#include "tests/unit/encodings.h"

#include "lib/base/thread.h"

enum { LENGTH = 45, DIM = 12 };

struct ground {
  double query[LENGTH * DIM], key[LENGTH * DIM];
  double score[LENGTH * LENGTH], cells[LENGTH * LENGTH];
};

static struct ground *ground_create(struct backend *backend) {
  static struct ground ground;
  draw(backend, 11, LENGTH * DIM, ground.query);
  draw(backend, 12, LENGTH * DIM, ground.key);
  return &ground;
}

/* The scores that are in the ground, and their softmax, are what the scorer makes of contents; with
   and without a causal mask, which it was not made for. */
static void check(struct backend *backend, struct scorer *scorer, struct ground *ground,
                  double scale, bool content) {
  const double *query = content ? ground->query : NULL, *key = content ? ground->key : NULL;
  struct score_map map = {.query = query, .key = key, .cells = ground->cells};
  assert_near(scorer->scale, scale, 1e-16);
  score_all(backend, scorer, &map);
  for (size_t i = 0; i < LENGTH * LENGTH; i++)
    assert_near(ground->cells[i], ground->score[i], 1e-11);
  map.softmax = true;
  for (int causal = 0; causal < 2; causal++) {
    map.causal = causal;
    score_all(backend, scorer, &map);
    for (size_t m = 0; m < LENGTH; m++) {
      const double *row = ground->score + m * LENGTH;
      const size_t keys = causal ? m + 1 : LENGTH;
      double sum = 0;
      for (size_t n = 0; n < keys; n++)
        sum += exp(scale * row[n]);
      for (size_t n = 0; n < keys; n++)
        assert_near(ground->cells[m * LENGTH + n], exp(scale * row[n]) / sum, 1e-12);
    }
  }
}

static int clamp(int value, int low, int high) {
  return value < low ? low : value > high ? high : value;
}

static const int clips[] = {1, 5, LENGTH - 1, 3 * LENGTH};

/* q_m · (k_n + a_{clip(n − m, −k, k)}) */
static void shaw(void **state) {
  struct ground *ground = ground_create(*state);
  static double table[(6 * LENGTH + 1) * DIM];
  for (size_t c = 0; c < 4; c++) {
    const int k = clips[c];
    draw(*state, 13, (2 * (size_t)k + 1) * DIM, table);
    struct encoding_values *values = values_of((const char *[]){NULL});
    add_tensor(values, "shaw.table", table, 2 * (size_t)k + 1, DIM);
    struct encoding_setting setting = setting_of(NULL, LENGTH, DIM);
    setting.values = values;
    struct scorer scorer = scorer_of(*state, "shaw", &setting);
    for (int m = 0; m < LENGTH; m++)
      for (int n = 0; n < LENGTH; n++) {
        double sum = 0;
        for (int i = 0; i < DIM; i++)
          sum += ground->query[m * DIM + i] *
                 (ground->key[n * DIM + i] + table[(clamp(n - m, -k, k) + k) * DIM + i]);
        ground->score[m * LENGTH + n] = sum;
      }
    check(*state, &scorer, ground, 1 / sqrt(DIM), true);
    memset(ground->score, 0, sizeof ground->score);
    check(*state, &scorer, ground, 1 / sqrt(DIM), false);
    scorer_release(&scorer);
    encoding_values_destroy(values);
  }
}

static void shaw_refuses(void **state) {
  double table[6 * DIM] = {0};
  struct encoding_values *values = values_of((const char *[]){NULL});
  struct encoding_setting setting = setting_of(NULL, LENGTH, DIM);
  assert_encoding_refused(*state, encoding_of("shaw"), &setting,
                          "FILE[:TENSOR] of shape (2k + 1, dim)");
  add_tensor(values, "shaw.table", table, 6, DIM);
  setting.values = values;
  assert_encoding_refused(*state, encoding_of("shaw"), &setting,
                          "'shaw.table' has '6' rows: an odd number");
  setting.dim = setting.width = DIM - 1;
  assert_encoding_refused(*state, encoding_of("shaw"), &setting,
                          "shape (6, 12): (2k + 1, dim), here (any, 11)");
  encoding_values_destroy(values);
  values = values_of((const char *[]){"shaw.k=4", NULL});
  add_tensor(values, "shaw.table", table, 5, DIM);
  setting = setting_of(NULL, LENGTH, DIM);
  setting.values = values;
  assert_encoding_refused(*state, encoding_of("shaw"), &setting, "here (9, 12)");
  encoding_values_destroy(values);
}

struct xl_parameters {
  double weight[DIM * DIM], u[DIM], v[DIM];
};

/* The four terms, one or all, from R written out: sines of i θ, then cosines. */
static void xl_scores(const struct spectrum *spectrum, const struct xl_parameters *xl,
                      enum term_choice terms, bool content, struct ground *ground) {
  for (int m = 0; m < LENGTH; m++)
    for (int n = 0; n < LENGTH; n++) {
      double r[DIM], key[DIM], term[4] = {0};
      for (size_t i = 0; i < DIM / 2; i++) {
        r[i] = sin((m - n) * spectrum->inv_freq_double[i]);
        r[DIM / 2 + i] = cos((m - n) * spectrum->inv_freq_double[i]);
      }
      for (int d = 0; d < DIM; d++)
        key[d] = product_of(xl->weight + d * DIM, r, DIM);
      if (content) {
        term[0] = product_of(ground->query + m * DIM, ground->key + n * DIM, DIM);
        term[1] = product_of(ground->query + m * DIM, key, DIM);
        term[2] = product_of(xl->u, ground->key + n * DIM, DIM);
      }
      term[3] = product_of(xl->v, key, DIM);
      ground->score[m * LENGTH + n] = terms == TERMS_ALL ? term[0] + term[1] + term[2] + term[3]
                                                         : term[terms - TERMS_CONTENT_CONTENT];
    }
}

static void transformer_xl(void **state) {
  struct ground *ground = ground_create(*state);
  struct xl_parameters xl;
  struct spectrum *spectrum = plain_spectrum(DIM, 10000);
  draw(*state, 14, DIM * DIM, xl.weight);
  draw(*state, 15, DIM, xl.u);
  draw(*state, 16, DIM, xl.v);
  struct encoding_values *values = values_of((const char *[]){NULL});
  add_tensor(values, "transformer-xl.w_kr", xl.weight, DIM, DIM);
  add_tensor(values, "transformer-xl.u", xl.u, 1, DIM);
  add_tensor(values, "transformer-xl.v", xl.v, DIM, 1);
  for (int terms = TERMS_ALL; terms <= TERMS_POSITION_POSITION; terms++)
    for (int content = 0; content < 2; content++) {
      struct encoding_setting setting = setting_of(spectrum, LENGTH, DIM);
      setting.values = values;
      setting.terms = (enum term_choice)terms;
      struct scorer scorer = scorer_of(*state, "transformer-xl", &setting);
      assert_false(scorer.untrained);
      xl_scores(spectrum, &xl, setting.terms, content, ground);
      check(*state, &scorer, ground, 1 / sqrt(DIM), content);
      scorer_release(&scorer);
    }
  encoding_values_destroy(values);
  spectrum_destroy(spectrum);
}

static int delta(int i, int j, int k) {
  return i - j <= -k ? 0 : i - j >= k ? 2 * k - 1 : i - j + k;
}

static void deberta_scores(const double *query_table, const double *key_table, int k,
                           enum term_choice terms, struct ground *ground) {
  for (int m = 0; m < LENGTH; m++)
    for (int n = 0; n < LENGTH; n++) {
      const double *query = ground->query + m * DIM, *key = ground->key + n * DIM;
      const double term[4] = {product_of(query, key, DIM),
                              product_of(query, key_table + delta(m, n, k) * DIM, DIM),
                              product_of(key, query_table + delta(n, m, k) * DIM, DIM), 0};
      ground->score[m * LENGTH + n] =
          terms == TERMS_ALL ? term[0] + term[1] + term[2] : term[terms - TERMS_CONTENT_CONTENT];
    }
}

static void deberta(void **state) {
  struct ground *ground = ground_create(*state);
  static double query_table[6 * LENGTH * DIM], key_table[6 * LENGTH * DIM];
  for (size_t c = 0; c < 4; c++) {
    char text[32];
    const int k = clips[c];
    snprintf(text, sizeof text, "deberta.k=%d", k);
    draw(*state, 17, 2 * (size_t)k * DIM, query_table);
    draw(*state, 18, 2 * (size_t)k * DIM, key_table);
    struct encoding_values *values = values_of((const char *[]){text, NULL});
    add_tensor(values, "deberta.query_table", query_table, 2 * (size_t)k, DIM);
    add_tensor(values, "deberta.key_table", key_table, 2 * (size_t)k, DIM);
    for (int terms = TERMS_ALL; terms <= TERMS_POSITION_POSITION; terms++) {
      struct encoding_setting setting = setting_of(NULL, LENGTH, DIM);
      setting.values = values;
      setting.terms = (enum term_choice)terms;
      struct scorer scorer = scorer_of(*state, "deberta", &setting);
      deberta_scores(query_table, key_table, k, setting.terms, ground);
      check(*state, &scorer, ground, 1 / sqrt(3 * DIM), true);
      scorer_release(&scorer);
    }
    encoding_values_destroy(values);
  }
}

/* Made for a causal mask, what it hides is not computed, and the rest is the same. */
static void causal_scorers_agree(void **state) {
  static const char *const names[] = {"shaw", "transformer-xl", "deberta", "fire"};
  struct ground *ground = ground_create(*state);
  struct spectrum *spectrum = plain_spectrum(DIM, 10000);
  struct encoding_values *values = values_of((const char *[]){
      "shaw=random:1", "transformer-xl=random:1", "deberta=random:1", "fire=random:1", NULL});
  for (size_t i = 0; i < 4; i++) {
    struct encoding_setting setting = setting_of(spectrum, LENGTH, DIM);
    setting.values = values;
    for (int causal = 0; causal < 2; causal++) {
      setting.causal = causal;
      struct scorer scorer = scorer_of(*state, names[i], &setting);
      score_all(*state, &scorer,
                &(struct score_map){ground->query, ground->key, true, false,
                                    causal ? ground->cells : ground->score});
      assert_true(scorer.untrained);
      scorer_release(&scorer);
    }
    assert_memory_equal(ground->cells, ground->score, sizeof ground->score);
  }
  encoding_values_destroy(values);
  spectrum_destroy(spectrum);
}

int main(void) {
  thread_use(1);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(shaw),
      cmocka_unit_test(shaw_refuses),
      cmocka_unit_test(transformer_xl),
      cmocka_unit_test(deberta),
      cmocka_unit_test(causal_scorers_agree),
  };
  return cmocka_run_group_tests(tests, open_backend, close_backend);
}

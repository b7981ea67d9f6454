/* lib/analysis/metrics.h and lib/analysis/token_geometry.h, on matrices whose metrics are known. */
#include "tests/unit/encodings.h"

#include "lib/analysis/metrics.h"
#include "lib/analysis/token_geometry.h"

enum { LENGTH = 33, MOST = 2 * LENGTH - 1 };

/* Sums of a score matrix and of its softmax rows, added up plainly. */
struct known {
  double score[LENGTH][LENGTH], weight[LENGTH][LENGTH], profile[MOST];
  struct metric_sources sources;
  double value[METRICS];
};

static void sum_scores(struct known *known, bool causal) {
  double diagonal[MOST] = {0}, symmetric = 0;
  int count[MOST] = {0};
  struct metric_sources *sources = &known->sources;
  *sources = (struct metric_sources){.length = LENGTH,
                                     .causal = causal,
                                     .profile = known->profile,
                                     .score_error = 1e-12,
                                     .profile_error = 1e-12};
  for (int m = 0; m < LENGTH; m++)
    for (int n = 0; n < (causal ? m + 1 : LENGTH); n++) {
      const double s = known->score[m][n];
      sources->cells++;
      sources->sums.sum += s;
      sources->sums.square += s * s;
      symmetric += s * known->score[n][m];
      diagonal[m - n + LENGTH - 1] += s;
      count[m - n + LENGTH - 1]++;
    }
  sources->sums.symmetric = causal ? NAN : symmetric;
  for (int t = 0; t < MOST; t++) {
    known->profile[t] = diagonal[t] / count[t]; /* NaN where all is masked */
    if (count[t]) sources->sums.toeplitz += diagonal[t] * diagonal[t] / count[t];
  }
}

static void sum_weights(struct known *known) {
  struct weight_sums *weights = &known->sources.weights;
  for (int m = 0; m < LENGTH; m++)
    for (int n = 0; n < LENGTH; n++) {
      const double p = known->weight[m][n];
      weights->locality += p * exp2(-abs(m - n));
      weights->distance += p * abs(m - n);
      if (p > 0) weights->entropy -= p * log(p);
    }
}

static const double *measure(struct known *known, bool causal) {
  struct error error;
  sum_scores(known, causal);
  sum_weights(known);
  if (metrics_fill(&known->sources, known->value, &error)) fail_msg("%s", error.message);
  return known->value;
}

static struct known *known_create(void) {
  struct known *known = calloc(1, sizeof *known);
  assert_non_null(known);
  return known;
}

static void names_in_order(void **state) {
  (void)state;
  static const char *const names[METRICS] = {"translation_invariance",
                                             "symmetry",
                                             "monotonicity",
                                             "locality",
                                             "mean_distance",
                                             "entropy",
                                             "half_distance",
                                             "norm_drift",
                                             "angle_drift",
                                             "negative_share",
                                             "beyond_table"};
  for (int i = 0; i < METRICS; i++)
    assert_string_equal(metric_name((enum metric)i), names[i]);
}

static void weights_of_the_identity(void **state) {
  (void)state;
  struct known *known = known_create();
  for (int m = 0; m < LENGTH; m++)
    known->weight[m][m] = 1;
  const double *value = measure(known, false);
  assert_near(value[METRIC_LOCALITY], 1, 0);
  assert_near(value[METRIC_MEAN_DISTANCE], 0, 0);
  assert_near(value[METRIC_ENTROPY], 0, 0);
  free(known);
}

/* Row i of a uniform causal map: entropy ln(i + 1), mean distance i/2. */
static void weights_of_a_uniform_causal_map(void **state) {
  (void)state;
  struct known *known = known_create();
  double entropy = 0, distance = 0, locality = 0;
  for (int m = 0; m < LENGTH; m++) {
    for (int n = 0; n <= m; n++)
      known->weight[m][n] = 1.0 / (m + 1);
    entropy += log(m + 1) / LENGTH;
    distance += m / 2.0 / LENGTH;
    locality += (2 - exp2(-m)) / (m + 1) / LENGTH;
  }
  const double *value = measure(known, true);
  assert_near(value[METRIC_ENTROPY], entropy, 1e-13);
  assert_near(value[METRIC_MEAN_DISTANCE], distance, 1e-13);
  assert_near(value[METRIC_LOCALITY], locality, 1e-14);
  assert_true(isnan(value[METRIC_SYMMETRY]));
  free(known);
}

static void fill_toeplitz(struct known *known, double even, double odd) {
  for (int m = 0; m < LENGTH; m++)
    for (int n = 0; n < LENGTH; n++)
      known->score[m][n] = even * cos(0.3 * (m - n)) + odd * sin(0.2 * (m - n));
}

static void toeplitz_maps_are_invariant(void **state) {
  (void)state;
  struct known *known = known_create();
  fill_toeplitz(known, 2, 0);
  const double *value = measure(known, false);
  assert_near(value[METRIC_TRANSLATION_INVARIANCE], 1, 1e-13);
  assert_near(value[METRIC_SYMMETRY], 1, 1e-13);
  fill_toeplitz(known, 0, 1); /* antisymmetric, of mean 0 */
  value = measure(known, false);
  assert_near(value[METRIC_TRANSLATION_INVARIANCE], 1, 1e-13);
  assert_near(value[METRIC_SYMMETRY], 0, 1e-13);
  value = measure(known, true);
  assert_near(value[METRIC_TRANSLATION_INVARIANCE], 1, 1e-13);
  free(known);
}

/* S(m, n) = a(m − n) + c·(m + n − L + 1): no diagonal of the second part has a mean, so the
   energies add up. */
static void energies_of_two_parts(void **state) {
  (void)state;
  struct known *known = known_create();
  double even = 0, slope = 0, mean = 0;
  fill_toeplitz(known, 1, 0);
  for (int m = 0; m < LENGTH; m++)
    for (int n = 0; n < LENGTH; n++)
      mean += known->score[m][n] / (LENGTH * LENGTH);
  for (int m = 0; m < LENGTH; m++)
    for (int n = 0; n < LENGTH; n++) {
      const double lean = 0.05 * (m + n - LENGTH + 1);
      even += (known->score[m][n] - mean) * (known->score[m][n] - mean);
      slope += lean * lean;
      known->score[m][n] += lean;
    }
  const double *value = measure(known, false);
  assert_near(value[METRIC_TRANSLATION_INVARIANCE], even / (even + slope), 1e-13);
  assert_near(value[METRIC_SYMMETRY], 1, 1e-13);
  free(known);
}

static void constant_maps(void **state) {
  (void)state;
  struct known *known = known_create();
  for (int m = 0; m < LENGTH; m++)
    for (int n = 0; n < LENGTH; n++)
      known->score[m][n] = 3 + 1e-13 * ((m * 7 + n * 3) % 5 - 2); /* as rounding leaves it */
  const double *value = measure(known, false);
  assert_near(value[METRIC_TRANSLATION_INVARIANCE], 1, 0);
  assert_near(value[METRIC_SYMMETRY], 1, 0);
  assert_true(isnan(value[METRIC_MONOTONICITY]));
  assert_true(isnan(value[METRIC_HALF_DISTANCE]));
  assert_true(metrics_cancel(&known->sources));
  known->score[4][9] += 1e-3; /* more than rounding: no diagonal is as uneven as that */
  value = measure(known, false);
  assert_true(value[METRIC_TRANSLATION_INVARIANCE] < 0.2);
  free(known);
}

static void monotonicity_and_half_distance(void **state) {
  (void)state;
  struct known *known = known_create();
  for (int falling = 0; falling < 2; falling++) {
    for (int m = 0; m < LENGTH; m++)
      for (int n = 0; n < LENGTH; n++)
        known->score[m][n] = falling ? exp(-0.1 * abs(m - n)) : abs(m - n) + 1.0;
    const double *value = measure(known, false);
    assert_near(value[METRIC_MONOTONICITY], falling ? 1 : -1, 1e-14);
    if (falling)
      assert_near(value[METRIC_HALF_DISTANCE], 7, 0); /* ln 2/0.1 = 6.93 */
    else
      assert_true(isnan(value[METRIC_HALF_DISTANCE]));
    assert_false(metrics_cancel(&known->sources));
  }
  /* f = 1, 1, 1, ..., 0, 0, ...: h values of 1 of n. With mean ranks Spearman's correlation is
     −√(3·h·(n − h)/(n² − 1)). */
  const double n = LENGTH, h = 11;
  for (int m = 0; m < LENGTH; m++)
    for (int k = 0; k < LENGTH; k++)
      known->score[m][k] = abs(m - k) < h;
  const double *value = measure(known, false);
  assert_near(value[METRIC_MONOTONICITY], sqrt(3 * h * (n - h) / (n * n - 1)), 1e-14);
  assert_near(value[METRIC_HALF_DISTANCE], h, 0);
  free(known);
}

static void nan_stays(void **state) {
  (void)state;
  struct known *known = known_create();
  fill_toeplitz(known, 1, 1);
  known->score[3][1] = NAN;
  const double *value = measure(known, false);
  for (int metric = 0; metric <= METRIC_HALF_DISTANCE; metric++)
    assert_true(isnan(value[metric]));
  free(known);
}

static void estimates(void **state) {
  (void)state;
  const double value[] = {1, NAN, 2, 6, NAN};
  struct metric_estimate estimate = metric_estimate(value, 5);
  assert_int_equal(estimate.draws, 3);
  assert_near(estimate.mean, 3, 0);
  assert_near(estimate.standard_error, sqrt(7.0 / 3), 1e-15);
  estimate = metric_estimate(value, 2);
  assert_int_equal(estimate.draws, 1);
  assert_near(estimate.mean, 1, 0);
  assert_true(isnan(estimate.standard_error));
  estimate = metric_estimate(value + 1, 1);
  assert_int_equal(estimate.draws, 0);
  assert_true(isnan(estimate.mean));
}

/* ---- Tokens ------------------------------------------------------------------------------------
 */

enum { DIM = 8, ROWS = 50 };

static struct token_drift drift_of(struct backend *backend, const struct scorer *scorer,
                                   const double *query, const double *key) {
  struct token_drift drift = {0};
  struct error error;
  for (size_t first = 0; first < ROWS; first += 20) {
    const struct token_rows rows = {.first = first,
                                    .rows = ROWS - first < 20 ? ROWS - first : 20,
                                    .dim = DIM,
                                    .query = query + first * DIM,
                                    .key = key + first * DIM};
    if (token_geometry_add(backend, scorer, &rows, &drift, &error)) fail_msg("%s", error.message);
  }
  return drift;
}

/* Rotations keep lengths and angles, within the rounding of sums of 8 squares. */
static void rotations_keep_tokens(void **state) {
  double query[ROWS * DIM], key[ROWS * DIM];
  struct spectrum *spectrum = plain_spectrum(DIM, 10000);
  struct scorer scorer = {.length = ROWS, .width = DIM, .dim = DIM, .rotation = spectrum};
  for (int i = 0; i < ROWS * DIM; i++) {
    query[i] = sin(1.7 * i + 0.3);
    key[i] = cos(0.9 * i * i);
  }
  struct token_drift drift = drift_of(*state, &scorer, query, key);
  assert_int_equal(drift.norms, 2 * ROWS);
  assert_int_equal(drift.angles, ROWS);
  assert_near(drift.norm / (2 * ROWS), 0, 1e-15);
  assert_near(drift.angle / ROWS, 0, 1e-15);
  assert_true(drift.norm > 0); /* computed, not assumed */
  spectrum->attention_factor = 1.25;
  drift = drift_of(*state, &scorer, query, key);
  assert_near(drift.norm / (2 * ROWS), 0.25, 1e-14);
  spectrum_destroy(spectrum);
}

/* Queries e_0 and keys e_1 with 0.75·e_0 added on both sides: lengths 1.75 and 1.25, angle π/2
   becomes atan(1/0.75). */
static void tables_move_tokens(void **state) {
  double query[ROWS * DIM] = {0}, key[ROWS * DIM] = {0}, table[ROWS * DIM] = {0};
  for (int m = 0; m < ROWS; m++) {
    query[m * DIM] = key[m * DIM + 1] = 1;
    table[m * DIM] = 0.75;
  }
  struct scorer scorer = {.length = ROWS,
                          .width = DIM,
                          .dim = DIM,
                          .table = table,
                          .query_table = true,
                          .key_table = true};
  struct token_drift drift = drift_of(*state, &scorer, query, key);
  assert_near(drift.norm / (2 * ROWS), 0.5, 1e-15);
  assert_near(drift.angle / ROWS, 1.57079632679489662 - 0.927295218001612232, 1e-15);
  key[1] = 0; /* a key without a length has no angle, and no drift */
  drift = drift_of(*state, &scorer, query, key);
  assert_int_equal(drift.norms, 2 * ROWS - 1);
  assert_int_equal(drift.angles, ROWS - 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names_in_order),
      cmocka_unit_test(weights_of_the_identity),
      cmocka_unit_test(weights_of_a_uniform_causal_map),
      cmocka_unit_test(toeplitz_maps_are_invariant),
      cmocka_unit_test(energies_of_two_parts),
      cmocka_unit_test(constant_maps),
      cmocka_unit_test(monotonicity_and_half_distance),
      cmocka_unit_test(nan_stays),
      cmocka_unit_test(estimates),
      cmocka_unit_test(rotations_keep_tokens),
      cmocka_unit_test(tables_move_tokens),
  };
  return cmocka_run_group_tests(tests, open_backend, close_backend);
}

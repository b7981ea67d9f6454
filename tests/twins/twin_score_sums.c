/* Profiles of scores by distance, sums of scores and sums of weights, against the oracle's full
 * maps. */
#include "tests/twins/twins.h"

#include "tests/oracle/oracle.h"

enum { MOST_DRAWS = 3, LEVELS = 5 };
static const double levels[LEVELS] = {0, 0.05, 0.5, 0.9, 1};

struct shape {
  size_t batch, length, dim, pairs, bins;
};

/* A batch and all that it may be asked for. */
struct job {
  double *query, *key, *add, *bias;
  struct phases phases;
  double *mean, *square, *quantile; /* between guard words */
  double bin_width;
  struct score_profile profile;
  struct score_sums sums[MOST_DRAWS];
  struct weight_sums weights[MOST_DRAWS];
  struct score_batch batch;
};

static size_t distances_of(const struct job *job) {
  return 2 * job->batch.length - 1;
}

static void job_open(struct job *job, const struct shape *shape, bool causal, bool single) {
  const size_t elements = shape->length * shape->dim;
  *job = (struct job){.query = random_array(shape->batch * elements, 5 + shape->length),
                      .key = random_array(shape->batch * elements, 6 + shape->length),
                      .add = random_array(elements, 7),
                      .phases = phases_of(shape->pairs, 10000, PRECISION_FP64)};
  job->batch = (struct score_batch){.batch = shape->batch,
                                    .length = shape->length,
                                    .dim = shape->dim,
                                    .query = job->query,
                                    .key = job->key,
                                    .rotation = &job->phases,
                                    .amplitude = 1.25,
                                    .key_add = job->add,
                                    .causal = causal,
                                    .single = single,
                                    .scale = 1.5,
                                    .profile = &job->profile,
                                    .sums = job->sums,
                                    .weights = job->weights};
  job->mean = guarded_array(shape->batch * distances_of(job));
  job->square = guarded_array(shape->batch * distances_of(job));
  job->quantile = guarded_array(LEVELS * distances_of(job));
  job->profile = (struct score_profile){.mean = job->mean,
                                        .square = job->square,
                                        .bins = shape->bins,
                                        .levels = LEVELS,
                                        .level = levels,
                                        .quantile = job->quantile,
                                        .bin_width = &job->bin_width};
}

static void job_close(struct job *job) {
  guarded_finish(job->mean, job->batch.batch * distances_of(job));
  guarded_finish(job->square, job->batch.batch * distances_of(job));
  guarded_finish(job->quantile, LEVELS * distances_of(job));
  free(job->query);
  free(job->key);
  free(job->add);
  free(job->bias);
  phases_free(&job->phases);
}

/* Nothing, slopes on both sides, or these with gaps that are masked. */
enum bias_kind { NO_BIAS, SLOPES, GAPS };

static void add_bias(struct job *job, enum bias_kind kind) {
  if (kind == NO_BIAS) return;
  const size_t length = job->batch.length;
  job->batch.bias = job->bias = calloc(2 * length - 1, sizeof *job->bias);
  assert_non_null(job->bias);
  for (size_t i = 0; i < 2 * length - 1; i++) {
    const double t = (double)i - (double)(length - 1);
    job->bias[i] = kind == GAPS && i % 7 == 2 && t != 0 ? -INFINITY : t < 0 ? 0.5 * t : -0.25 * t;
  }
}

/* The scores of one draw at a distance that are not masked, in order of the query; returns how
 * many. */
static size_t diagonal_of(const struct score_batch *batch, const long double *map,
                          ptrdiff_t distance, long double *score) {
  size_t count = 0;
  for (size_t m = 0; m < batch->length; m++) {
    const ptrdiff_t n = (ptrdiff_t)m - distance;
    if (n >= 0 && n < (ptrdiff_t)batch->length && !(batch->causal && distance < 0) &&
        !oracle_masked(batch, m, (size_t)n))
      score[count++] = map[m * batch->length + (size_t)n];
  }
  return count;
}

/* As numpy.quantile takes it by default, of sorted scores. */
static double quantile_of(const long double *score, size_t count, double level) {
  if (!count) return NAN;
  const long double rank = (long double)level * (count - 1);
  const size_t below = (size_t)floorl(rank), above = (size_t)ceill(rank);
  return (double)(score[below] + (score[above] - score[below]) * (rank - below));
}

static void check_profile(size_t which, const struct job *job, long double *const *maps) {
  const struct score_batch *batch = &job->batch;
  const size_t distances = distances_of(job);
  const double off = oracle_score_error(batch), largest = oracle_largest_score(batch);
  const char *mean = batch->single ? "profile mean single" : "profile mean",
             *second = batch->single ? "profile square single" : "profile square";
  long double *score = calloc(batch->batch * batch->length + 1, sizeof *score);
  for (size_t i = 0; i < distances; i++) {
    size_t all = 0;
    for (size_t draw = 0; draw < batch->batch; draw++) {
      if (!maps[draw]) break;
      const size_t count =
          diagonal_of(batch, maps[draw], (ptrdiff_t)i - (ptrdiff_t)batch->length + 1, score + all);
      long double sum = 0, square = 0;
      for (size_t s = 0; s < count; s++) {
        sum += score[all + s];
        square += score[all + s] * score[all + s];
      }
      all += count;
      twins_compare(mean, which, job->mean[draw * distances + i],
                    count ? (double)(sum / count) : NAN, off);
      twins_compare(second, which, job->square[draw * distances + i],
                    count ? (double)(square / count) : NAN, 2 * largest * off);
    }
    qsort(score, all, sizeof *score, oracle_ascending);
    for (size_t l = 0; l < LEVELS && job->profile.bins; l++)
      twins_compare("profile quantiles", which, job->quantile[l * distances + i],
                    quantile_of(score, all, levels[l]), job->bin_width + 2 * off);
  }
  free(score);
}

static void check_sums(size_t which, const struct job *job, size_t draw, const long double *map) {
  const struct score_batch *batch = &job->batch;
  const size_t length = batch->length;
  const double off = oracle_score_error(batch), largest = oracle_largest_score(batch);
  long double *score = calloc(length + 1, sizeof *score), total = 0, energy = 0, toeplitz = 0,
              symmetric = 0;
  double cells = 0;
  for (size_t i = 0; i < distances_of(job); i++) {
    const size_t count = diagonal_of(batch, map, (ptrdiff_t)i - (ptrdiff_t)length + 1, score);
    long double sum = 0;
    for (size_t s = 0; s < count; s++) {
      sum += score[s];
      energy += score[s] * score[s];
    }
    total += sum;
    toeplitz += count ? sum * sum / count : 0;
    cells += (double)count;
  }
  for (size_t m = 0; m < length; m++)
    for (size_t n = 0; n < length; n++)
      symmetric += oracle_masked(batch, m, n) ? NAN : map[m * length + n] * map[n * length + m];
  const double square_off = 2 * largest * off * cells;
  const char *label = batch->single ? "score sums single" : "score sums";
  twins_compare(label, which, job->sums[draw].sum, (double)total, off * cells);
  twins_compare(label, which, job->sums[draw].square, (double)energy, square_off);
  twins_compare(label, which, job->sums[draw].toeplitz, (double)toeplitz, square_off);
  twins_compare(label, which, job->sums[draw].symmetric, batch->causal ? NAN : (double)symmetric,
                square_off);
  free(score);
}

/* Sums of positive terms are as good as their weights; −ln P is off by the same factor again. */
static void check_weights(size_t which, const struct job *job, size_t draw) {
  const struct score_batch *batch = &job->batch;
  const size_t length = batch->length;
  long double *map = oracle_draw_map(batch, draw, true), locality = 0, distance = 0, entropy = 0;
  for (size_t m = 0; m < length; m++)
    for (size_t n = 0; n < (batch->causal ? m + 1 : length); n++) {
      if (oracle_masked(batch, m, n)) continue;
      const long double weight = map[m * length + n],
                        apart = fabsl((long double)m - (long double)n);
      locality += weight * exp2l(-apart);
      distance += weight * apart;
      entropy -= weight > 0 ? weight * logl(weight) : 0;
    }
  const double off = oracle_weight_error(batch);
  const char *label = batch->single ? "weight sums single" : "weight sums";
  const struct weight_sums *sums = job->weights + draw;
  twins_compare(label, which, sums->locality, (double)locality, off * (double)locality);
  twins_compare(label, which, sums->distance, (double)distance, off * (double)distance);
  twins_compare(label, which, sums->entropy, (double)entropy,
                off * ((double)entropy + (double)length));
  free(map);
}

static void compare(const struct shape *shape, bool causal, bool single, enum bias_kind bias) {
  if (!shape->batch || shape->batch > MOST_DRAWS || !shape->length || !shape->dim) {
    fail_msg("a shape of nothing, or of too much");
    return;
  }
  for (size_t t = 0; t < TWINS; t++) {
    struct job job;
    job_open(&job, shape, causal, single);
    add_bias(&job, bias);
    if (!shape->bins) {
      for (size_t i = 0; i < LEVELS * distances_of(&job); i++)
        job.quantile[i] = 0; /* not wanted, not written */
      job.profile.quantile = NULL;
    }
    assert_done(backend_scores(twin[t], &job.batch, &error));
    const size_t draws = job.batch.batch;
    long double *maps[MOST_DRAWS] = {NULL};
    for (size_t draw = 0; draw < draws; draw++) {
      maps[draw] = oracle_draw_map(&job.batch, draw, false);
      check_sums(t, &job, draw, maps[draw]);
      check_weights(t, &job, draw);
    }
    check_profile(t, &job, maps);
    for (size_t draw = 0; draw < draws; draw++)
      free(maps[draw]);
    job_close(&job);
  }
}

/* Lengths of one and more tiles of the device, and none that is a multiple. */
static const struct shape shapes[] = {{1, 1, 2, 1, 4},   {3, 2, 3, 1, 1},   {2, 7, 8, 4, 16},
                                      {1, 64, 5, 2, 3},  {2, 65, 17, 8, 0}, {1, 131, 6, 3, 50},
                                      {1, 261, 4, 2, 20}};

static void compare_all(size_t least) {
  for (size_t s = 0; s < COUNT_OF(shapes); s++)
    for (int bits = 0; bits < 4; bits++)
      if (shapes[s].length >= least && !(twins_brief() && ((size_t)bits + s) % 2))
        compare(&shapes[s], bits & 1, bits & 2, NO_BIAS);
}

static void twins_of_the_oracle(void **state) {
  (void)state;
  compare_all(0);
}

static void biases(void **state) {
  (void)state;
  for (size_t s = 1; s < COUNT_OF(shapes); s++)
    for (int bits = 0; bits < 8; bits++)
      if (!(twins_brief() && ((size_t)bits + s) % 3) && shapes[s].length < 200)
        compare(&shapes[s], bits & 1, bits & 2, bits & 4 ? GAPS : SLOPES);
}

static void small_devices(void **state) {
  (void)state;
  twins_limit(400000, 3);
  compare_all(65);
  twins_limit(0, 0);
}

/* Scores outside of the range that is given count in the first and the last bin. */
static void given_range(void **state) {
  (void)state;
  const struct shape shape = {1, 40, 4, 2, 8};
  double quantile[TWINS][LEVELS * 79];
  for (size_t t = 0; t < TWINS; t++) {
    struct job job;
    job_open(&job, &shape, false, false);
    job.profile.low = -0.1;
    job.profile.high = 0.1;
    assert_done(backend_scores(twin[t], &job.batch, &error));
    assert_true(fabs(job.bin_width - 0.025) < 1e-15);
    memcpy(quantile[t], job.quantile, sizeof quantile[t]);
    job_close(&job);
  }
  /* A score on the edge of a bin may be on either side of it. */
  for (size_t i = 0; i < LEVELS * 79; i++)
    twins_compare("profile given range", 1, quantile[1][i], quantile[0][i], 0.025);
}

static void not_a_number_is_never_lost(void **state) {
  (void)state;
  const struct shape shape = {2, 30, 4, 2, 8};
  for (int single = 0; single < 2; single++) {
    struct job job;
    job_open(&job, &shape, false, single);
    job.query[(30 + 12) * 4 + 1] = NAN; /* draw 1, query 12: distances −17 to 12 */
    assert_done(backend_scores(twin[1], &job.batch, &error));
    for (size_t i = 0; i < 59; i++) {
      const bool hit = i >= 12 && i <= 41;
      assert_false(isnan(job.mean[i]));
      assert_int_equal(isnan(job.mean[59 + i]) != 0, hit);
      assert_int_equal(isnan(job.square[59 + i]) != 0, hit);
      for (size_t l = 0; l < LEVELS; l++)
        assert_int_equal(isnan(job.quantile[l * 59 + i]) != 0, hit);
    }
    assert_false(isnan(job.sums[0].square) || isnan(job.weights[0].entropy));
    assert_true(isnan(job.sums[1].sum) && isnan(job.sums[1].symmetric));
    assert_true(isnan(job.weights[1].locality) && isnan(job.weights[1].entropy));
    job_close(&job);
  }
}

static int operation(void) {
  const struct shape shape = {1, 20, 4, 2, 3};
  struct job job;
  job_open(&job, &shape, false, false);
  add_bias(&job, SLOPES);
  const int status = backend_scores(twin[1], &job.batch, &error);
  free(job.query);
  free(job.bias);
  free(job.key);
  free(job.add);
  phases_free(&job.phases);
  free(job.mean - GUARDS);
  free(job.square - GUARDS);
  free(job.quantile - GUARDS);
  return status;
}

static void failing_calls(void **state) {
  (void)state;
  twins_inject(operation);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(twins_of_the_oracle),
      cmocka_unit_test(biases),
      cmocka_unit_test(small_devices),
      cmocka_unit_test(given_range),
      cmocka_unit_test(not_a_number_is_never_lost),
      cmocka_unit_test(failing_calls),
  };
  return twins_main(tests);
}

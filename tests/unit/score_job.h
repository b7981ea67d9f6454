/* A score batch and all that it may be asked for beside tiles, for the tests of profiles and sums.
 */
#ifndef ROPETOOL_TESTS_UNIT_SCORE_JOB_H
#define ROPETOOL_TESTS_UNIT_SCORE_JOB_H

#include "tests/oracle/harness.h"
#include "tests/oracle/oracle.h"

enum { MOST_DRAWS = 3, LEVELS = 5 };
static const double levels[LEVELS] = {0, 0.05, 0.5, 0.9, 1};

struct shape {
  size_t batch, length, dim, pairs, bins;
};

/* A batch and all that it may be asked for. */
struct job {
  struct shape shape;
  double *query, *key, *add;
  struct phases phases;
  double *mean, *square, *quantile; /* between guard words */
  double bin_width;
  struct score_profile profile;
  struct score_sums sums[MOST_DRAWS];
  struct weight_sums weights[MOST_DRAWS];
  struct score_batch batch;
};

static inline void outputs_open(struct job *job) {
  const size_t distances = 2 * job->shape.length - 1;
  job->mean = guarded_array(job->shape.batch * distances);
  job->square = guarded_array(job->shape.batch * distances);
  job->quantile = guarded_array(LEVELS * distances);
  job->profile = (struct score_profile){.mean = job->mean,
                                        .square = job->square,
                                        .bins = job->shape.bins,
                                        .levels = LEVELS,
                                        .level = levels,
                                        .quantile = job->quantile,
                                        .bin_width = &job->bin_width};
  job->batch.profile = &job->profile;
  job->batch.sums = job->sums;
  job->batch.weights = job->weights;
}

static inline void outputs_finish(struct job *job) {
  const size_t distances = 2 * job->shape.length - 1;
  guarded_finish(job->mean, job->shape.batch * distances);
  guarded_finish(job->square, job->shape.batch * distances);
  guarded_finish(job->quantile, LEVELS * distances);
}

static inline void job_open(struct job *job, const struct shape *shape, bool causal, bool single) {
  const size_t elements = shape->length * shape->dim;
  *job = (struct job){.shape = *shape};
  job->query = random_array(shape->batch * elements, 5 + shape->length);
  job->key = random_array(shape->batch * elements, 6 + shape->length);
  job->add = random_array(elements, 7);
  job->phases = phases_of(shape->pairs, 10000, PRECISION_FP64);
  job->batch = (struct score_batch){.batch = shape->batch,
                                    .length = shape->length,
                                    .dim = shape->dim,
                                    .query = job->query,
                                    .key = job->key,
                                    .rotation = &job->phases,
                                    .amplitude = 1.25,
                                    .query_add = job->add,
                                    .causal = causal,
                                    .single = single,
                                    .scale = 1.5};
}

static inline void job_close(struct job *job) {
  free(job->query);
  free(job->key);
  free(job->add);
  phases_free(&job->phases);
}

/* Sums of positive terms are as good as their weights; −ln P is off by the same factor again. */
static inline void compare_weights(const struct job *job, size_t draw, double weight_error) {
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
  const struct weight_sums *sums = job->weights + draw;
  assert_close(sums->locality, (double)locality, weight_error * (double)locality);
  assert_close(sums->distance, (double)distance, weight_error * (double)distance);
  assert_close(sums->entropy, (double)entropy, weight_error * ((double)entropy + (double)length));
  free(map);
}

/* The scores of one draw at distance t that are not masked, in order of the query; returns how
   many. */
static inline size_t diagonal_of(const long double *map, size_t length, bool causal, ptrdiff_t t,
                                 long double *score) {
  size_t count = 0;
  for (size_t m = 0; m < length; m++) {
    const ptrdiff_t n = (ptrdiff_t)m - t;
    if (n >= 0 && n < (ptrdiff_t)length && !(causal && t < 0) &&
        map[m * length + (size_t)n] != -INFINITY)
      score[count++] = map[m * length + (size_t)n];
  }
  return count;
}

/* As numpy.quantile takes it by default, of sorted scores. */
static inline double quantile_of(const long double *score, size_t count, double level) {
  if (!count) return NAN;
  const long double rank = (long double)level * (count - 1);
  const size_t below = (size_t)floorl(rank), above = (size_t)ceill(rank);
  return (double)(score[below] + (score[above] - score[below]) * (rank - below));
}

static inline void compare_profile(const struct job *job, long double *const *maps,
                                   double score_error) {
  const struct score_batch *batch = &job->batch;
  const size_t length = batch->length, distances = 2 * length - 1;
  const double largest = oracle_largest_score(batch);
  long double *score = calloc(batch->batch * length + 1, sizeof *score);
  for (size_t i = 0; i < distances; i++) {
    const ptrdiff_t t = (ptrdiff_t)i - (ptrdiff_t)length + 1;
    size_t all = 0;
    for (size_t draw = 0; draw < batch->batch; draw++) {
      const size_t count = diagonal_of(maps[draw], length, batch->causal, t, score + all);
      long double sum = 0, square = 0;
      for (size_t s = 0; s < count; s++) {
        sum += score[all + s];
        square += score[all + s] * score[all + s];
      }
      all += count;
      assert_close(job->mean[draw * distances + i], count ? (double)(sum / count) : NAN,
                   score_error);
      assert_close(job->square[draw * distances + i], count ? (double)(square / count) : NAN,
                   2 * largest * score_error);
    }
    qsort(score, all, sizeof *score, oracle_ascending);
    for (size_t l = 0; l < LEVELS; l++)
      assert_close(job->quantile[l * distances + i], quantile_of(score, all, levels[l]),
                   job->bin_width + 2 * score_error);
  }
  free(score);
}

static inline void compare_sums(const struct job *job, size_t draw, const long double *map,
                                double score_error) {
  const struct score_batch *batch = &job->batch;
  const size_t length = batch->length;
  long double *score = calloc(length + 1, sizeof *score), total = 0, energy = 0, toeplitz = 0,
              symmetric = 0;
  double cells = 0;
  bool masked = batch->causal;
  for (size_t i = 0; i < 2 * length - 1; i++) {
    const ptrdiff_t t = (ptrdiff_t)i - (ptrdiff_t)length + 1;
    const size_t count = diagonal_of(map, length, batch->causal, t, score);
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
    for (size_t n = 0; n < length; n++) {
      symmetric += map[m * length + n] * map[n * length + m];
      masked |= map[m * length + n] == -INFINITY;
    }
  const double tolerance = 2 * oracle_largest_score(batch) * score_error * cells;
  assert_close(job->sums[draw].sum, (double)total, score_error * cells);
  assert_close(job->sums[draw].square, (double)energy, tolerance);
  assert_close(job->sums[draw].toeplitz, (double)toeplitz, tolerance);
  assert_close(job->sums[draw].symmetric, masked ? NAN : (double)symmetric, tolerance);
  free(score);
}

#endif

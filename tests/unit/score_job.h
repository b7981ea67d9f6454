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

#endif

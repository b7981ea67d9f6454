/* Scores and softmax weights of a draw. */
#include <math.h>
#include <stdlib.h>

#include "lib/analysis/compare_parts.h"
#include "lib/base/memory.h"

/* The largest length of a vector with what is added to it, before it was multiplied by `scale`. */
static double largest_norm(const struct score_batch *batch, const double *vector,
                           const double *added, const double *scale) {
  const size_t dim = batch->dim;
  double largest = 0;
  for (size_t m = 0; m < batch->batch * batch->length && (vector || added); m++) {
    const double *x = vector ? vector + m * dim : NULL;
    const double *p = added ? added + m % batch->length * dim : NULL;
    const double *z = scale ? scale + m % batch->length * dim : NULL;
    double square = 0;
    for (size_t i = 0; i < dim; i++) {
      const double y = ((x ? x[i] : 0) + (p ? p[i] : 0)) / (z ? z[i] : 1);
      square += y * y;
    }
    if (!(square <= largest)) largest = square;
  }
  return sqrt(largest) * (batch->rotation ? batch->amplitude : 1);
}

/* The largest factor of a term of the product: query_scale(m)·key_scale(n) of a dimension, over the
   keys that are not masked, or those that are no later than the query. */
static double largest_factor(const struct score_batch *batch, const struct scorer *scorer,
                             bool causal) {
  const size_t dim = batch->dim, length = batch->length;
  const double *query = scorer->query_scale, *key = scorer->key_scale;
  if (!query || !key) return 1;
  double largest = 0;
  for (size_t i = 0; i < dim; i++) {
    double of_keys = 0, of_queries = 0;
    for (size_t m = 0; m < length; m++) {
      of_keys = fmax(of_keys, fabs(key[m * dim + i]));
      of_queries = fmax(of_queries, fabs(query[m * dim + i]));
      if (causal) largest = fmax(largest, fabs(query[m * dim + i]) * of_keys);
    }
    if (!causal) largest = fmax(largest, of_queries * of_keys);
  }
  return largest;
}

static double largest_bias(const struct score_batch *batch) {
  double largest = 0;
  for (size_t t = 0; batch->bias && t < 2 * batch->length - 1; t++)
    if (isfinite(batch->bias[t])) largest = fmax(largest, fabs(batch->bias[t]));
  return largest;
}

/* What rounding makes of a score at most: backend.h. Factors (xPos) are those of the same dimension
   at both positions: the largest of each would be a bound by far too high. The terms that a scorer
   computes are not known; the scores' root mean square stands for them. */
static void bound_errors(const struct comparison *work, const struct scorer *scorer,
                         const struct score_batch *batch, struct metric_sources *sources) {
  const double terms = (double)(batch->dim + batch->batch + 24),
               unit = batch->single ? precision_roundoff(PRECISION_FP32)
                                    : precision_roundoff(PRECISION_FP64);
  const double product = largest_norm(batch, batch->query, batch->query_add, scorer->query_scale) *
                         largest_norm(batch, batch->key, batch->key_add, scorer->key_scale);
  const double typical = scorer->terms.fill ? sqrt(sources->sums.square / sources->cells) : 0;
  const double rest =
      terms * unit * typical + terms * precision_roundoff(PRECISION_FP64) * largest_bias(batch);
  sources->score_error =
      terms * unit * product * largest_factor(batch, scorer, work->request->causal) + rest;
  sources->profile_error = terms * unit * product * largest_factor(batch, scorer, true) + rest;
}

/* Scores that are not masked. */
static double count_cells(const struct score_batch *batch) {
  const size_t length = batch->length;
  double count = 0;
  for (size_t m = 0; m < length; m++) {
    const double cells = (double)(length - m);
    const double *bias = batch->bias ? batch->bias + length - 1 : NULL;
    if (!bias || bias[m] != -INFINITY) count += cells;
    if (m && !batch->causal && (!bias || bias[-(ptrdiff_t)m] != -INFINITY)) count += cells;
  }
  return count;
}

/* The sums of the same scores less a constant; weights and profile stay as they are. */
static int sum_again(const struct comparison *work, const struct score_batch *batch,
                     struct metric_sources *sources, struct error *error) {
  const size_t distances = 2 * batch->length - 1;
  const double mean = sources->sums.sum / sources->cells;
  double *bias = memory_array(distances, sizeof *bias, "the scores' mean", error);
  if (!bias) return ERROR_FAILED;
  for (size_t t = 0; t < distances; t++)
    bias[t] = (batch->bias ? batch->bias[t] : 0) - mean;
  struct score_batch again = *batch;
  again.bias = bias;
  again.profile = NULL;
  again.weights = NULL;
  again.tiles.cells = NULL;
  again.softmax = false;
  const int status = backend_scores(work->backend, &again, error);
  free(bias);
  return status;
}

int compare_score_batch(const struct comparison *work, const struct scorer *scorer,
                        struct score_batch *batch, struct metric_sources *sources, double **profile,
                        struct error *error) {
  if (memory_require(batch->length, 4 * sizeof(double), "the scores by distance", error))
    return error->code;
  *profile = memory_array(2 * batch->length - 1, sizeof(double), "the scores by distance", error);
  if (!*profile) return ERROR_FAILED;
  const struct score_profile means = {.mean = *profile};
  sources->length = batch->length;
  sources->causal = batch->causal;
  sources->cells = count_cells(batch);
  sources->profile = *profile;
  batch->profile = &means;
  batch->sums = &sources->sums;
  batch->weights = work->request->attention == COMPARE_SOFTMAX ? &sources->weights : NULL;
  int status = backend_scores(work->backend, batch, error);
  bound_errors(work, scorer, batch, sources);
  if (!status && metrics_cancel(sources)) status = sum_again(work, batch, sources, error);
  batch->profile = NULL;
  return status;
}

void compare_add_cells(const struct comparison *work, const double *cells,
                       struct item_result *result) {
  for (size_t i = 0; i < result->tiles * result->tiles; i++)
    result->cells[i] += cells[i] / (double)work->draws;
}

int compare_scores(const struct comparison *work, struct scorer *scorer,
                   const struct compare_draw *draw, struct item_result *result,
                   double value[METRICS], struct error *error) {
  const struct compare_request *request = work->request;
  const size_t tiles = result->tiles;
  struct metric_sources sources = {0};
  double *profile = NULL, *cells = NULL;
  struct score_batch batch = {.causal = request->causal,
                              .single = compare_arithmetic_of(work, scorer) == PRECISION_FP32,
                              .softmax = request->weights};
  int status = OK;
  scorer_batch(scorer, &draw->vectors, &batch);
  if (result->cells) {
    cells = memory_array(tiles * tiles, sizeof *cells, "the cells of a panel", error);
    if (!cells) status = ERROR_FAILED;
    batch.tiles = (struct tiles){.rows = tiles,
                                 .columns = tiles,
                                 .reduction = request->weights ? REDUCE_MAX : REDUCE_MEAN,
                                 .cells = cells};
  }
  if (!status) status = compare_score_batch(work, scorer, &batch, &sources, &profile, error);
  if (!status) status = metrics_fill(&sources, value, error);
  if (!status && cells) compare_add_cells(work, cells, result);
  result->error_bound = fmax(result->error_bound, sources.score_error);
  result->overflown |= !metrics_finite(&sources);
  free(cells);
  free(profile);
  return status;
}

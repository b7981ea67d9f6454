/* The bounds of extrapolation and interpolation: Chen et al. 2023, arXiv:2306.15595. */
#include <math.h>
#include <stdlib.h>

#include "lib/analysis/decay.h"
#include "lib/analysis/extend_parts.h"
#include "lib/base/memory.h"
#include "lib/rope/phases.h"

/* The minimum is looked for up to here: 64 pairs take a tenth of a second. */
enum { LAST_BOUND = 131072, POINTS = 512 };

/* 32 ln(base) of theorem 2.1, whose bound is d max|h| divided by it. */
static double divisor(const struct extend_work *work) {
  const double base = work->request->spec->base;
  return base > 1 ? 32 * log(base) : NAN;
}

static double dimensions(const struct extend_work *work) {
  return 2 * (double)work->trained->pairs;
}

/* Σ_j |S_j| of the model as it is, to be released with free(). */
static int sum_partial_sums(const struct extend_work *work, const int64_t *distance, size_t count,
                            double **sum, struct error *error) {
  *sum = memory_array(count, sizeof **sum, "the bound of extrapolation", error);
  if (!*sum) return ERROR_FAILED;
  struct decay_batch batch = {
      .phases = phases_of(work->trained), .count = count, .distance = distance, .bound = *sum};
  batch.phases.precision = PRECISION_FP64; /* its frequencies are rounded: enough for a bound */
  const int status = backend_decay_bound(work->backend, &batch, error);
  if (!status) return OK;
  free(*sum);
  *sum = NULL;
  return status;
}

int extend_describe_bounds(const struct extend_work *work, struct error *error) {
  const int64_t target = work->request->target, last = target < LAST_BOUND ? target : LAST_BOUND;
  const double dim = dimensions(work);
  int64_t *distance = NULL, below = -1;
  double *sum = NULL;
  size_t count, lowest = 0;
  int status = decay_linear_distances(0, last, 1, &distance, &count, error);
  if (!status) status = sum_partial_sums(work, distance, count, &sum, error);
  for (size_t i = 0; !status && i < count; i++) {
    if (sum[i] < sum[lowest]) lowest = i;
    if (below < 0 && sum[i] < dim) below = distance[i];
  }
  if (!status) {
    struct meta *meta = table_meta(work->table);
    meta_set_real(meta, "interpolation_bound_divisor", divisor(work));
    struct meta *bound = meta_object(meta, "extrapolation");
    meta_set_real(bound, "minimum", sum[lowest] / dim);
    meta_set_integer(bound, "minimum_distance", distance[lowest]);
    if (below < 0)
      meta_set_text(bound, "first_below_1", NULL);
    else
      meta_set_integer(bound, "first_below_1", below);
    meta_set_real(bound, "floor", 2 * dim);
    meta_set_real(bound, "ratio_minimum", 2 * sum[lowest] / dim * divisor(work));
    meta_set_integer(bound, "last_distance", last);
  }
  free(sum);
  free(distance);
  return status;
}

static int add_all(const struct extend_work *work, struct error *error) {
  enum { DISTANCE, EXTRAPOLATION, INTERPOLATION, RATIO };
  const double interpolation = dimensions(work) / divisor(work);
  int64_t *distance = NULL;
  double *sum = NULL;
  size_t count;
  int status = decay_log_distances(1, work->request->target, POINTS, &distance, &count, error);
  if (!status) status = sum_partial_sums(work, distance, count, &sum, error);
  if (!status) status = table_add_rows(work->table, count, error);
  for (size_t i = 0; !status && i < count; i++) {
    table_set_integer(work->table, i, DISTANCE, distance[i]);
    table_set_real(work->table, i, EXTRAPOLATION, 2 * sum[i]);
    table_set_real(work->table, i, INTERPOLATION, interpolation);
    table_set_real(work->table, i, RATIO, 2 * sum[i] / interpolation);
  }
  free(sum);
  free(distance);
  return status;
}

const struct extend_view extend_bound = {
    .name = "bound",
    .columns = {{"distance", COLUMN_INTEGER},
                {"extrapolation", COLUMN_REAL},
                {"interpolation", COLUMN_REAL},
                {"ratio", COLUMN_REAL}},
    .add_all = add_all,
};

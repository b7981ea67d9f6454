#include "lib/analysis/metrics.h"

#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>

#include "lib/base/memory.h"

static const char *const names[METRICS] = {
    [METRIC_TRANSLATION_INVARIANCE] = "translation_invariance",
    [METRIC_SYMMETRY] = "symmetry",
    [METRIC_MONOTONICITY] = "monotonicity",
    [METRIC_LOCALITY] = "locality",
    [METRIC_MEAN_DISTANCE] = "mean_distance",
    [METRIC_ENTROPY] = "entropy",
    [METRIC_HALF_DISTANCE] = "half_distance",
    [METRIC_NORM_DRIFT] = "norm_drift",
    [METRIC_ANGLE_DRIFT] = "angle_drift",
    [METRIC_NEGATIVE_SHARE] = "negative_share",
    [METRIC_BEYOND_TABLE] = "beyond_table",
};

const char *metric_name(enum metric metric) {
  return names[metric];
}

/* Σ mean(S)²: what every energy about the mean is less by. */
static double mean_energy(const struct metric_sources *sources) {
  return sources->sums.sum * (sources->sums.sum / sources->cells);
}

bool metrics_finite(const struct metric_sources *sources) {
  return isfinite(sources->sums.sum) && isfinite(sources->sums.square);
}

bool metrics_cancel(const struct metric_sources *sources) {
  return sources->sums.square - mean_energy(sources) < 1e-3 * sources->sums.square;
}

/* A share of energies that rounding took out of its range. */
static double share(double part, double whole) {
  const double ratio = part / whole;
  return ratio < 0 ? 0 : ratio > 1 ? 1 : ratio;
}

static void fill_energies(const struct metric_sources *sources, double value[METRICS]) {
  const struct score_sums *sums = &sources->sums;
  const double mean = mean_energy(sources), energy = sums->square - mean;
  const double noise = sources->score_error * sources->score_error * sources->cells;
  if (energy <= noise) {
    value[METRIC_TRANSLATION_INVARIANCE] = 1;
    value[METRIC_SYMMETRY] = sources->causal ? NAN : 1;
    return;
  }
  value[METRIC_TRANSLATION_INVARIANCE] = share(sums->toeplitz - mean, energy);
  /* ‖(C + Cᵀ)/2‖² = (Σ C² + Σ C·Cᵀ)/2 */
  value[METRIC_SYMMETRY] =
      sources->causal ? NAN : share((energy + sums->symmetric - mean) / 2, energy);
}

static double half_distance(const double *f, size_t count) {
  if (!(f[0] > 0)) return NAN;
  for (size_t m = 0; m < count; m++)
    if (f[m] <= f[0] / 2) return (double)m;
  return NAN;
}

static int monotonicity(const struct metric_sources *sources, const double *f, double *value,
                        struct error *error) {
  const size_t count = sources->length;
  double smallest = INFINITY, largest = -INFINITY;
  *value = NAN;
  for (size_t m = 0; m < count; m++) {
    if (isnan(f[m])) return OK;
    smallest = fmin(smallest, f[m]);
    largest = fmax(largest, f[m]);
  }
  if (largest - smallest <= 2 * sources->profile_error) return OK;
  if (memory_require(count, 3 * sizeof(double), "the ranks of scores by distance", error))
    return error->code;
  double *distance = memory_array(count, sizeof *distance, "distances", error);
  double *work = memory_array(2 * count, sizeof *work, "the ranks of scores by distance", error);
  if (distance && work) {
    for (size_t m = 0; m < count; m++)
      distance[m] = (double)m;
    *value = -gsl_stats_spearman(distance, 1, f, 1, count, work);
  }
  const int status = distance && work ? OK : ERROR_FAILED;
  free(work);
  free(distance);
  return status;
}

int metrics_fill(const struct metric_sources *sources, double value[METRICS], struct error *error) {
  const double rows = (double)sources->length, *f = sources->profile + sources->length - 1;
  if (!metrics_finite(sources)) {
    for (int metric = 0; metric <= METRIC_HALF_DISTANCE; metric++)
      value[metric] = NAN;
    return OK;
  }
  fill_energies(sources, value);
  value[METRIC_LOCALITY] = sources->weights.locality / rows;
  value[METRIC_MEAN_DISTANCE] = sources->weights.distance / rows;
  value[METRIC_ENTROPY] = sources->weights.entropy / rows;
  value[METRIC_HALF_DISTANCE] = half_distance(f, sources->length);
  return monotonicity(sources, f, &value[METRIC_MONOTONICITY], error);
}

struct metric_estimate metric_estimate(const double *value, size_t count) {
  struct metric_estimate estimate = {.mean = NAN, .standard_error = NAN};
  double sum = 0, square = 0;
  for (size_t b = 0; b < count; b++)
    if (!isnan(value[b])) {
      sum += value[b];
      estimate.draws++;
    }
  const double n = (double)estimate.draws;
  if (estimate.draws) estimate.mean = sum / n;
  if (estimate.draws < 2 || isinf(estimate.mean)) return estimate;
  for (size_t b = 0; b < count; b++)
    if (!isnan(value[b])) square += (value[b] - estimate.mean) * (value[b] - estimate.mean);
  estimate.standard_error = sqrt(square / (n - 1) / n);
  return estimate;
}

/* Scores over distance: their mean, and their quantiles over all draws. */
#include <float.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>

#include "lib/analysis/compare_parts.h"
#include "lib/base/memory.h"

enum { MEAN = 4, QUANTILE, LEVELS = 4 };
static const double levels[LEVELS] = {0.05, 0.25, 0.75, 0.95};

/* Scores that are kept and sorted, with the map of one draw: half a GiB at most. Where there are
   more, quantiles come from a histogram, of as many bins as fit into a quarter of a GiB. */
static const double most_kept = 0x1p26;
enum { FEWEST_BINS = 256, MOST_BINS = 16384, BINS_OF_ALL = 1 << 26 };

static const char what[] = "the scores by distance";

/* At distances 0 .. length − 1. */
struct curve {
  double *mean;     /* (distance) */
  double *quantile; /* (distance, level) */
  double error;     /* of a quantile */
};

static bool is_single(const struct comparison *work, const struct scorer *scorer) {
  return compare_arithmetic_of(work, scorer) == PRECISION_FP32;
}

/* What is no spread, but rounding of scores of which the largest is `largest`. */
static double rounding(const struct comparison *work, const struct scorer *scorer, double largest) {
  const double unit = precision_roundoff(compare_arithmetic_of(work, scorer));
  return 2 * (double)(work->dim + 24) * unit * largest;
}

static void set_quantiles(struct curve *curve, size_t distance, double value) {
  for (size_t q = 0; q < LEVELS; q++)
    curve->quantile[distance * LEVELS + q] = value;
}

/* ---- From all scores ---------------------------------------------------------------------------
 */

/* Where the scores of a distance begin; those of all draws lie behind one another. */
static size_t start_of(const struct comparison *work, size_t distance) {
  return work->draws *
         (distance * work->request->length - (distance ? distance * (distance - 1) / 2 : 0));
}

static double count_kept(const struct comparison *work) {
  const double length = (double)work->request->length;
  return (double)work->draws * length * (length + 1) / 2 + length * length;
}

/* The scores of a draw where query − key >= 0. */
static int keep_draw(const struct comparison *work, const struct compare_profile *profile,
                     size_t index, double *map, double *kept, struct error *error) {
  const size_t length = work->request->length;
  struct compare_draw draw = {.first = index, .draws = 1};
  struct score_batch batch = {
      .causal = true,
      .single = is_single(work, profile->scorer),
      .tiles = {.rows = length, .columns = length, .reduction = REDUCE_MEAN, .cells = map}};
  int status = compare_draw_create(work, profile->item, profile->scorer, &draw, error);
  if (!status) {
    scorer_batch(profile->scorer, &draw.vectors, &batch);
    status = backend_scores(work->backend, &batch, error);
  }
  compare_draw_release(&draw);
  for (size_t m = 0; !status && m < length; m++) {
    double *to = kept + start_of(work, m) + index * (length - m);
    for (size_t n = 0; n < length - m; n++)
      to[n] = map[(n + m) * length + n];
  }
  return status;
}

static int compare_reals(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void measure(double *score, size_t count, double noise, size_t distance,
                    struct curve *curve) {
  double sum = 0;
  for (size_t i = 0; i < count; i++)
    sum += score[i];
  const double mean = curve->mean[distance] = sum / (double)count;
  set_quantiles(curve, distance, mean);
  if (!isfinite(mean)) return set_quantiles(curve, distance, NAN);
  qsort(score, count, sizeof *score, compare_reals);
  if (score[count - 1] - score[0] <= noise) return;
  for (size_t q = 0; q < LEVELS; q++)
    curve->quantile[distance * LEVELS + q] =
        gsl_stats_quantile_from_sorted_data(score, 1, count, levels[q]);
}

static int sort_scores(const struct comparison *work, const struct compare_profile *profile,
                       struct curve *curve, struct error *error) {
  const size_t length = work->request->length, count = start_of(work, length);
  double *map = memory_array(length * length, sizeof *map, what, error);
  double *kept = map ? memory_array(count, sizeof *kept, what, error) : NULL;
  int status = kept ? OK : ERROR_FAILED;
  for (size_t b = 0; !status && b < work->draws; b++)
    status = keep_draw(work, profile, b, map, kept, error);
  double largest = 0;
  for (size_t i = 0; !status && i < count; i++)
    largest = fmax(largest, fabs(kept[i]));
  const double noise = rounding(work, profile->scorer, largest);
  for (size_t m = 0; !status && m < length; m++)
    measure(kept + start_of(work, m), work->draws * (length - m), noise, m, curve);
  curve->error = 0;
  free(kept);
  free(map);
  return status;
}

/* ---- From a histogram --------------------------------------------------------------------------
 */

/* Means, and quantiles. A quantile at p is no further from the mean than √(1/p − 1) standard
   deviations, √19 at 5 %: where that is less than a bin the mean is the better one, and equal
   scores keep no spread. */
static void take(const struct comparison *work, const struct score_profile *profile,
                 struct curve *curve) {
  const size_t length = work->request->length, distances = 2 * length - 1;
  for (size_t m = 0; m < length; m++) {
    double mean = 0, square = 0;
    for (size_t b = 0; b < work->draws; b++) {
      mean += profile->mean[b * distances + length - 1 + m] / (double)work->draws;
      square += profile->square[b * distances + length - 1 + m] / (double)work->draws;
    }
    curve->mean[m] = mean;
    set_quantiles(curve, m, isfinite(mean) ? mean : NAN);
    const double variance = square - mean * mean,
                 rounding = (double)(work->draws * (length - m)) * DBL_EPSILON * square,
                 least = fmax(rounding, curve->error * curve->error / 19);
    if (!isfinite(square) || variance <= least) continue;
    for (size_t q = 0; q < LEVELS; q++)
      curve->quantile[m * LEVELS + q] = profile->quantile[q * distances + length - 1 + m];
  }
}

/* All draws at once; the mask leaves keys behind the query out of the range of the bins too. */
static int count_scores(const struct comparison *work, const struct compare_profile *wanted,
                        struct curve *curve, struct error *error) {
  const size_t length = work->request->length, distances = 2 * length - 1,
               bins = BINS_OF_ALL / length;
  struct compare_draw draw = {.draws = work->draws};
  struct score_batch batch = {.causal = true, .single = is_single(work, wanted->scorer)};
  struct score_profile profile = {.bins = bins < FEWEST_BINS ? FEWEST_BINS
                                          : bins > MOST_BINS ? MOST_BINS
                                                             : bins,
                                  .levels = LEVELS,
                                  .level = levels,
                                  .bin_width = &curve->error};
  int status = memory_require(length, 4 * (work->draws + LEVELS) * sizeof(double), what, error)
                   ? error->code
                   : OK;
  if (!status) {
    profile.mean = memory_array(work->draws * distances, sizeof(double), what, error);
    profile.square = memory_array(work->draws * distances, sizeof(double), what, error);
    profile.quantile = memory_array(LEVELS * distances, sizeof(double), what, error);
    if (!profile.mean || !profile.square || !profile.quantile) status = ERROR_FAILED;
  }
  if (!status) status = compare_draw_create(work, wanted->item, wanted->scorer, &draw, error);
  if (!status) {
    scorer_batch(wanted->scorer, &draw.vectors, &batch);
    batch.profile = &profile;
    status = backend_scores(work->backend, &batch, error);
  }
  if (!status) take(work, &profile, curve);
  free(profile.mean);
  free(profile.square);
  free(profile.quantile);
  compare_draw_release(&draw);
  return status;
}

/* ---- The table ---------------------------------------------------------------------------------
 */

static int write_curve(const struct comparison *work, const struct compare_profile *profile,
                       const struct curve *curve, struct error *error) {
  const size_t length = work->request->length, first = table_rows(profile->table);
  const bool untrained = compare_is_untrained(work, profile->item, profile->scorer);
  int status = table_add_rows(profile->table, length, error);
  for (size_t m = 0; !status && m < length; m++) {
    status = compare_curves_label(profile->item, untrained, m, profile->table, first + m, error);
    table_set_real(profile->table, first + m, MEAN,
                   isfinite(curve->mean[m]) ? curve->mean[m] : NAN);
    for (size_t q = 0; q < LEVELS; q++)
      table_set_real(profile->table, first + m, QUANTILE + q, curve->quantile[m * LEVELS + q]);
  }
  return status;
}

int compare_profile_add(const struct comparison *work, const struct compare_profile *profile,
                        double *quantile_error, struct error *error) {
  const size_t length = work->request->length;
  struct curve curve = {.error = NAN};
  if (memory_require(length, (1 + LEVELS) * sizeof(double), what, error)) return error->code;
  curve.mean = memory_array(length, sizeof(double), what, error);
  curve.quantile = memory_array(length * LEVELS, sizeof(double), what, error);
  int status = curve.mean && curve.quantile ? OK : ERROR_FAILED;
  if (!status)
    status = count_kept(work) <= most_kept ? sort_scores(work, profile, &curve, error)
                                           : count_scores(work, profile, &curve, error);
  if (!status) status = write_curve(work, profile, &curve, error);
  *quantile_error = curve.error;
  free(curve.mean);
  free(curve.quantile);
  return status;
}

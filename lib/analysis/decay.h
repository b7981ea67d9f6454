/* The relative upper bound over distance, and what goes with it: RoFormer section 3.4.3. */
#ifndef ROPETOOL_ANALYSIS_DECAY_H
#define ROPETOOL_ANALYSIS_DECAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/backend.h"
#include "lib/analysis/content.h"
#include "lib/base/error.h"
#include "lib/io/table.h"
#include "lib/rope/spectrum.h"

enum normalisation {
  NORMALISE_MEAN, /* divided by the number of pairs: RoFormer's figure */
  NORMALISE_SUM,  /* Σ_j |S_j| itself */
  NORMALISE_UNIT, /* divided by its value at distance 0 */
};
const char *normalisation_name(enum normalisation normalisation); /* "mean", "sum", "unit" */
int normalisation_parse(const char *name, enum normalisation *normalisation, struct error *error);

/* Columns asked for beside bound and cosine_sum:
   - envelope: the largest bound at this distance or any later one listed;
   - limit: cosine_limit, (Ci(m) − Ci(m/base)) / ln base, 1 at distance 0: what cosine_sum / pairs
     tends to as dim grows; plain spectra only;
   - samples > 0: q05 q25 q50 q75 q95, quantiles of the scores of so many query and key vectors of
     `dim` dimensions, divided by dim;
   - cosine_mean: cosine_sum / pairs, 1 at distance 0, as cosine_limit is and as such scores are of
     vectors of ones. */
struct decay_request {
  const int64_t *distance; /* (distance) ascending, >= 0, at least one */
  size_t count;
  /* How they lie, for the meta data: "linear", `step` apart, or "log"; NULL: not said. */
  const char *spacing;
  int64_t step; /* of "linear" */
  bool single;  /* computed in float where it is faster: bound within 2e-6 of itself, cosine_sum
                   within 2e-6 of pairs; spectra in fp64 only */
  enum normalisation normalisation; /* of bound and envelope alone */
  bool envelope, limit, cosine_mean;
  size_t samples;
  struct content content; /* of the samples */
  uint64_t seed;
  int64_t attain; /* >= 0: also a query and key that attain the Abel bound there; < 0: none */
};

/* Distances first, first+step, ... up to last. ERROR_INPUT: a negative first, last < first, step <
   1; ERROR_FAILED: more than memory holds. *distance is to be released with free(). */
int decay_linear_distances(int64_t first, int64_t last, int64_t step, int64_t **distance,
                           size_t *count, struct error *error);
/* min(points, last − first + 1) distinct whole distances, ascending, first and last among them, as
   evenly spaced in the logarithm as whole numbers are; behind 0 comes 1. ERROR_INPUT: also fewer
   than 2 points. */
int decay_log_distances(int64_t first, int64_t last, size_t points, int64_t **distance,
                        size_t *count, struct error *error);

/* One row per series and distance: series,dim,base,scaling,distance,bound,cosine_sum and the
   columns asked for. None holds the attention factor. Names of series are distinct: the spec's
   label, else "d=128 b=10000" with what is not plain after it.

   meta: distances {first, last, spacing and step where known, count}, arithmetic ("fp64" or
   "fp32"), normalise, and what was asked for. meta.series: one object each, with "series", the
   resolved spectrum and, over the distances listed (null: none):
   - rises, first_rise: the steps between neighbours where the bound grows by more than its rounding
     error, and the distance that the first of them reaches;
   - minimum, minimum_distance: of the bound, as normalised;
   - first_negative, negative_count: of cosine_sum;
   - attain {distance, query, key, score, bound}: vectors in the spectrum's layout, the score of the
     query rotated to the distance and the key at 0, and what it equals,
     max_i |h_{i+1} − h_i| · Σ_j |S_j| (eq. 37). */
int decay_run(struct backend *backend, const struct decay_request *request,
              struct spectrum *const *series, size_t series_count, struct table **table,
              struct error *error);

#endif

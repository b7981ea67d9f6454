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

struct decay_request {
  const int64_t *distance; /* (distance) ascending, >= 0 */
  size_t count;
  enum normalisation normalisation;
  bool envelope;            /* column envelope: the largest bound at this distance or any later one listed */
  bool limit;               /* column cosine_limit: (Ci(m) − Ci(m/base)) / ln base, 1 at 0; plain spectra */
  size_t samples;           /* > 0: columns q05 .. q95 of the scores of so many query/key pairs / dim */
  struct content content;   /* of the samples */
  uint64_t seed;
  int64_t attain;           /* >= 0: a query and a key that attain the Abel bound at this distance */
};

/* Distances first, first+step, ... up to last. */
int decay_linear_distances(int64_t first, int64_t last, int64_t step, int64_t **distance, size_t *count,
                           struct error *error);
/* At most `points` distinct whole distances, evenly spaced in the logarithm (0 is kept when first is 0). */
int decay_log_distances(int64_t first, int64_t last, size_t points, int64_t **distance, size_t *count,
                        struct error *error);

/* One row per series and distance: series,dim,base,scaling,distance,bound,cosine_sum and the columns asked
   for. meta.series: one object each with the resolved spectrum and rises, first_rise, minimum,
   minimum_distance, first_negative, negative_count, attain. */
int decay_run(struct backend *backend, const struct decay_request *request,
              struct spectrum *const *series, size_t series_count, struct table **table,
              struct error *error);

#endif

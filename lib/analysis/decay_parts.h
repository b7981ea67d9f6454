/* The parts of a decay table; for lib/analysis/decay*.c alone. */
#ifndef ROPETOOL_ANALYSIS_DECAY_PARTS_H
#define ROPETOOL_ANALYSIS_DECAY_PARTS_H

#include "lib/analysis/decay.h"
#include "lib/io/meta.h"

/* (Ci(m) − Ci(m/base)) / ln base at each distance. ERROR_INPUT unless the spectrum is plain. */
int decay_limit(const struct spectrum *spectrum, const int64_t *distance, size_t count,
                double *limit, struct error *error);

/* rises, minimum and the rest into `meta`: `bound` as normalised, by the request. */
void decay_summarise(const struct decay_request *request, const double *bound,
                     const double *cosine_sum, struct meta *meta);

/* The object "attain" of `meta`. */
int decay_attain(struct backend *backend, const struct spectrum *spectrum, int64_t distance,
                 struct meta *meta, struct error *error);

/* Quantiles of scores / dim at the levels .05 .25 .5 .75 .95, (level, distance). */
enum { DECAY_LEVELS = 5 };
int decay_samples(struct backend *backend, const struct spectrum *spectrum,
                  const struct decay_request *request, double *quantile, struct error *error);

#endif

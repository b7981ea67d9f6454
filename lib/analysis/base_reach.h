/* The longest context that each of many bases is enough for: what is between a context's first and
   safe base. A scan, of the bases listed alone. */
#ifndef ROPETOOL_ANALYSIS_BASE_REACH_H
#define ROPETOOL_ANALYSIS_BASE_REACH_H

#include "lib/analysis/base.h"

/* The first distance below `distances` whose cosine sum is negative, of each base; −1: none. */
struct base_probe {
  int64_t dim;
  const double *base; /* (base) >= 1 */
  size_t count;
  int64_t distances;
};
int base_first_negative(struct backend *backend, const struct base_probe *probe, int64_t *first,
                        struct error *error);

/* One row for each dim and base: dim,base,reach. Bases are evenly spaced in the logarithm,
   request->points >= 2 of them for each dim, from half the first base of the shortest context (at
   least 1) to twice the safe base of the longest. reach: the longest context in which no sum is
   negative (L_θ + 1 with Men et al., eq. 10); at most twice the longest context, beyond which is
   not looked. request->lines is not used.

   meta: reach_limit, that bound. meta.answers: one object for each dim and context: dim, context,
   first_base, safe_base (null: no base has a negative sum), between, how many of the bases listed
   lie between the two, and enough, how many of these reach the context. */
int base_reach_run(struct backend *backend, const struct base_request *request,
                   struct table **table, struct error *error);

#endif

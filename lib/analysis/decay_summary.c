/* What a decay curve does, in numbers. */
#include <math.h>

#include "lib/analysis/decay_parts.h"

/* Twice the relative error of one bound (kernels/backend.h): a smaller step up may be rounding, as
   it is everywhere on the constant curve of base 1. */
static double rise_rounding(const struct decay_request *request) {
  return request->single ? 4e-6 : 2e-14;
}

static void set_distance(struct meta *meta, const char *name, const int64_t *distance, int found) {
  if (found)
    meta_set_integer(meta, name, *distance);
  else
    meta_set_real(meta, name, NAN);
}

void decay_summarise(const struct decay_request *request, const double *bound,
                     const double *cosine_sum, struct meta *meta) {
  const int64_t *distance = request->distance;
  const double rounding = rise_rounding(request);
  size_t rises = 0, first_rise = 0, minimum = 0, negative = 0, first_negative = 0;
  for (size_t i = 0; i < request->count; i++) {
    if (i && bound[i] - bound[i - 1] > rounding * bound[i] && rises++ == 0) first_rise = i;
    if (bound[i] < bound[minimum]) minimum = i;
    if (cosine_sum[i] < 0 && negative++ == 0) first_negative = i;
  }
  meta_set_integer(meta, "rises", (int64_t)rises);
  set_distance(meta, "first_rise", &distance[first_rise], rises > 0);
  meta_set_real(meta, "minimum", bound[minimum]);
  meta_set_integer(meta, "minimum_distance", distance[minimum]);
  set_distance(meta, "first_negative", &distance[first_negative], negative > 0);
  meta_set_integer(meta, "negative_count", (int64_t)negative);
}

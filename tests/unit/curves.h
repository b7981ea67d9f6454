/* Decay curves for tests. */
#ifndef ROPETOOL_TESTS_CURVES_H
#define ROPETOOL_TESTS_CURVES_H

#include "lib/analysis/decay.h"
#include "tests/unit/spectra.h"

/* A table over distances first .. last of one plain spectrum or more; `request` without distances.
 */
static inline struct table *run(struct backend *backend, struct decay_request request,
                                int64_t first, int64_t last, struct spectrum *const *series,
                                size_t count) {
  int64_t *distance;
  struct table *table = NULL;
  struct error error;
  if (decay_linear_distances(first, last, 1, &distance, &request.count, &error))
    fail_msg("%s", error.message);
  request.distance = distance;
  if (decay_run(backend, &request, series, count, &table, &error)) fail_msg("%s", error.message);
  free(distance);
  return table;
}

static const struct decay_request plain = {.attain = -1};

static inline double cell(const struct table *table, size_t row, const char *column) {
  const int index = table_find_column(table, column);
  assert_true(index >= 0);
  return table_real(table, row, (size_t)index);
}

static inline const struct meta *series_meta(const struct table *table, size_t index) {
  const struct meta *meta = meta_item(table_meta(table), "series", index);
  assert_non_null(meta);
  return meta;
}

#endif

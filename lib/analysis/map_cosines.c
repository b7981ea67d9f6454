/* Cosines of m·θ_i. */
#include <stdlib.h>

#include "lib/analysis/map_kind.h"

static int fill(struct backend *backend, const struct map_request *request,
                enum reduction reduction, struct matrix *matrix, struct error *error) {
  double *whole;
  const int status = map_phases_whole(backend, request, PHASE_COSINE, &whole, error);
  if (!status) map_reduce(matrix, whole, reduction, matrix->cells);
  free(whole);
  return status;
}

const struct map_kind map_cosines = {
    .name = "cosines",
    .positions = true,
    .phases = true,
    .reduction = REDUCE_MEAN,
    .range = MATRIX_DIVERGING,
    .bound = 1,
    .value_label = "cosine",
    .row_axis = {.label = "position", .column = "position"},
    .column_axis = {.label = "pair", .column = "pair"},
    .shape = map_phases_shape,
    .fill = fill,
};

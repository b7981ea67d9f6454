/* Scores q_m · k_n with positions applied. */
#include "lib/analysis/map_kind.h"

static int fill(struct backend *backend, const struct map_request *request,
                enum reduction reduction, struct matrix *matrix, struct error *error) {
  const int status = map_attention_fill(backend, request, reduction, false, matrix, error);
  if (status) return status;
  const struct matrix_span span = matrix_span(matrix);
  if (span.low < 0 && span.high > 0) matrix->range = MATRIX_DIVERGING;
  return OK;
}

const struct map_kind map_scores = {
    .name = "scores",
    .positions = true,
    .encoding = true,
    .attention = true,
    .reduction = REDUCE_MEAN,
    .range = MATRIX_SEQUENTIAL,
    .value_label = "score",
    .row_axis = {.label = "query position", .column = "query"},
    .column_axis = {.label = "key position", .column = "key"},
    .shape = map_attention_shape,
    .fill = fill,
};

/* Attention weights: the softmax over the keys. */
#include "lib/analysis/map_kind.h"

static int fill(struct backend *backend, const struct map_request *request,
                enum reduction reduction, struct matrix *matrix, struct error *error) {
  return map_attention_fill(backend, request, reduction, true, matrix, error);
}

/* The largest weight of a tile stays visible; a mean over 8 × 8 would hide a sharp diagonal. */
const struct map_kind map_softmax = {
    .name = "softmax",
    .positions = true,
    .encoding = true,
    .attention = true,
    .reduction = REDUCE_MAX,
    .range = MATRIX_SEQUENTIAL,
    .value_label = "attention weight",
    .row_axis = {.label = "query position", .column = "query"},
    .column_axis = {.label = "key position", .column = "key"},
    .shape = map_attention_shape,
    .fill = fill,
};

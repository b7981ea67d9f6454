/* The table that an additive encoding adds to the vectors. */
#include "lib/analysis/map_kind.h"

static int shape(const struct map_request *request, size_t *rows, size_t *columns,
                 struct error *error) {
  static const char *const does[] = {[ENCODING_NOTHING] = "adds nothing to the vectors",
                                     [ENCODING_ROTATES] = "rotates the vectors",
                                     [ENCODING_BIASES] = "adds to the scores"};
  if (request->encoding->kind != ENCODING_ADDS)
    return error_set(error, ERROR_INPUT,
                     "encoding '%s' has no table: it %s; encodings that add one are 'sinusoidal' "
                     "and 'learned'",
                     request->encoding->name, does[request->encoding->kind]);
  *rows = request->length;
  *columns = map_setting(request).width;
  return OK;
}

static int fill(struct backend *backend, const struct map_request *request,
                enum reduction reduction, struct matrix *matrix, struct error *error) {
  struct scorer scorer;
  const int status = map_make_scorer(backend, request, &scorer, matrix, error);
  if (!status) map_reduce(matrix, scorer.table, reduction, matrix->cells);
  scorer_release(&scorer);
  return status;
}

const struct map_kind map_table = {
    .name = "table",
    .positions = true,
    .encoding = true,
    .reduction = REDUCE_MEAN,
    .range = MATRIX_DIVERGING,
    .value_label = "table value",
    .row_axis = {.label = "position", .column = "position"},
    .column_axis = {.label = "dimension", .column = "dim"},
    .shape = shape,
    .fill = fill,
};

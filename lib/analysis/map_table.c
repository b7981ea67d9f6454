/* The table that an additive encoding adds to the vectors. */
#include <stdio.h>
#include <stdlib.h>

#include "lib/analysis/map_kind.h"
#include "lib/base/memory.h"

static int shape(const struct map_request *request, size_t *rows, size_t *columns,
                 struct error *error) {
  if (!request->encoding->table)
    return error_set(error, ERROR_INPUT,
                     "encoding '%s' has no table: it %s; an encoding that adds one is 'sinusoidal'",
                     request->encoding->name,
                     request->encoding->rotates ? "rotates the vectors" : "adds nothing to them");
  *rows = request->length;
  *columns = request->encoding->dim(request->spectrum);
  return OK;
}

static int fill(struct backend *backend, const struct map_request *request,
                enum reduction reduction, struct matrix *matrix, struct error *error) {
  const size_t length = matrix->row_axis.length, dim = matrix->column_axis.length;
  char what[80];
  snprintf(what, sizeof what, "the table of %zu positions and %zu dimensions", length, dim);
  /* The whole table, and half of it again while it is made. */
  if (memory_require(length, (dim + dim / 2 + 1) * sizeof(double), what, error))
    return ERROR_FAILED;
  double *whole = memory_array(length * dim, sizeof *whole, what, error);
  if (!whole) return ERROR_FAILED;
  const int status = request->encoding->table(backend, request->spectrum, 0, length, whole, error);
  if (!status) {
    map_reduce(matrix, whole, reduction, matrix->cells);
    meta_set_text(matrix->meta, "encoding", request->encoding->name);
  }
  free(whole);
  return status;
}

const struct map_kind map_table = {
    .name = "table",
    .positions = true,
    .reduction = REDUCE_MEAN,
    .range = MATRIX_DIVERGING,
    .value_label = "table value",
    .row_axis = {.label = "position", .column = "position"},
    .column_axis = {.label = "dimension", .column = "dim"},
    .shape = shape,
    .fill = fill,
};

/* The rotation matrix R_m of RoFormer eq. 15, in the spectrum's layout. */
#include <stdio.h>
#include <stdlib.h>

#include "lib/analysis/map_kind.h"
#include "lib/base/memory.h"
#include "lib/rope/phases.h"

static int shape(const struct map_request *request, size_t *rows, size_t *columns,
                 struct error *error) {
  (void)error;
  *rows = *columns = 2 * request->spectrum->pairs;
  return OK;
}

/* Rotating the unit vector of dimension c gives column c. */
static int rotate_units(struct backend *backend, const struct map_request *request, size_t dim,
                        double *units, struct error *error) {
  for (size_t c = 0; c < dim; c++)
    units[c * dim + c] = 1;
  const struct rotate_batch batch = {.phases = phases_of(request->spectrum),
                                     .layout = request->spectrum->spec.layout,
                                     .amplitude = 1,
                                     .batch = 1,
                                     .length = 1,
                                     .heads = dim,
                                     .dim = dim,
                                     .position = &request->position,
                                     .input = units,
                                     .output = units};
  return backend_rotate(backend, &batch, error);
}

static void transpose(double *square, size_t dim) {
  for (size_t r = 0; r < dim; r++)
    for (size_t c = 0; c < r; c++) {
      const double above = square[c * dim + r];
      square[c * dim + r] = square[r * dim + c];
      square[r * dim + c] = above;
    }
}

static int fill(struct backend *backend, const struct map_request *request,
                enum reduction reduction, struct matrix *matrix, struct error *error) {
  const size_t dim = matrix->row_axis.length;
  char what[80];
  snprintf(what, sizeof what, "the rotation matrix of %zu dimensions", dim);
  if (memory_require(dim, dim * sizeof(double), what, error)) return ERROR_FAILED;
  double *square = memory_array(dim * dim, sizeof *square, what, error);
  if (!square) return ERROR_FAILED;
  const int status = rotate_units(backend, request, dim, square, error);
  if (!status) {
    transpose(square, dim);
    map_reduce(matrix, square, reduction, matrix->cells);
    meta_set_integer(matrix->meta, "position", request->position);
  }
  free(square);
  return status;
}

const struct map_kind map_rotation = {
    .name = "rotation",
    .reduction = REDUCE_MEAN,
    .range = MATRIX_DIVERGING,
    .bound = 1,
    .value_label = "matrix element",
    .row_axis = {.label = "output dimension", .column = "row"},
    .column_axis = {.label = "input dimension", .column = "column"},
    .shape = shape,
    .fill = fill,
};

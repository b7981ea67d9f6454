/* Norms of the pairs of queries or keys, which rotations leave alone (arXiv:2410.06205). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/analysis/map_kind.h"
#include "lib/base/memory.h"

static const struct map_vectors *vectors_of(const struct map_request *request) {
  return request->query ? request->query : request->key;
}

static int shape(const struct map_request *request, size_t *rows, size_t *columns,
                 struct error *error) {
  if (!request->query == !request->key)
    return error_set(error, ERROR_INPUT, "norms are of the queries or of the keys: one of the two");
  const struct map_vectors *vectors = vectors_of(request);
  const size_t dim = map_vectors_extent(vectors, AXIS_DIM), pairs = request->spectrum->pairs;
  if (2 * pairs > dim)
    return error_set(error, ERROR_INPUT,
                     "%zu pairs are of %zu dimensions, and the vectors %s have '%zu': as many or "
                     "more",
                     pairs, 2 * pairs, tensor_shape(vectors->tensor).text, dim);
  *rows = map_vectors_extent(vectors, AXIS_HEAD);
  *columns = pairs;
  return OK;
}

/* Adds the norms of a head's `count` vectors up, and divides the sums. */
static void average(const struct spectrum *spectrum, const double *vector, size_t count, size_t dim,
                    double *mean) {
  for (size_t m = 0; m < count; m++, vector += dim)
    for (size_t i = 0; i < spectrum->pairs; i++)
      mean[i] += hypot(vector[layout_first(spectrum->spec.layout, i)],
                       vector[layout_second(spectrum->spec.layout, i, spectrum->pairs)]);
  for (size_t i = 0; i < spectrum->pairs; i++)
    mean[i] /= (double)count;
}

static int fill(struct backend *backend, const struct map_request *request,
                enum reduction reduction, struct matrix *matrix, struct error *error) {
  (void)backend;
  const struct map_vectors *vectors = vectors_of(request);
  const size_t heads = matrix->row_axis.length, pairs = matrix->column_axis.length,
               length = map_vectors_extent(vectors, AXIS_POSITION),
               dim = map_vectors_extent(vectors, AXIS_DIM),
               count = map_vectors_extent(vectors, AXIS_BATCH) * length;
  char what[80];
  snprintf(what, sizeof what, "a head's %zu vectors of %zu dimensions", count, dim);
  double *vector = memory_array(count * dim, sizeof *vector, what, error);
  double *whole = vector ? memory_array(heads * pairs, sizeof *whole, "the norms", error) : NULL;
  for (size_t h = 0; whole && h < heads; h++) {
    map_vectors_head(vectors, h, length, vector);
    average(request->spectrum, vector, count, dim, whole + h * pairs);
  }
  if (whole) {
    map_reduce(matrix, whole, reduction, matrix->cells);
    meta_set_text(matrix->meta, "of", request->query ? "queries" : "keys");
    meta_set_integer(matrix->meta, "heads", (int64_t)heads);
    meta_set_integer(matrix->meta, "vectors", (int64_t)count);
  }
  free(whole);
  free(vector);
  return whole ? OK : ERROR_FAILED;
}

const struct map_kind map_norms = {
    .name = "norms",
    .reduction = REDUCE_MEAN,
    .range = MATRIX_SEQUENTIAL,
    .value_label = "mean norm of the pair",
    .row_axis = {.label = "head", .column = "head"},
    .column_axis = {.label = "pair", .column = "pair"},
    .shape = shape,
    .fill = fill,
};

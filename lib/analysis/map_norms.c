/* Norms of the pairs of queries or keys, which rotations leave alone (arXiv:2410.06205). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/analysis/map_kind.h"
#include "lib/base/memory.h"

static const struct map_vectors *vectors_of(const struct map_request *request) {
  return request->query ? request->query : request->key;
}

static int check_rows(const struct map_request *request, struct error *error) {
  const struct map_vectors *vectors = vectors_of(request);
  const size_t heads = map_vectors_extent(vectors, AXIS_HEAD);
  if (request->rows == MAP_ROWS_HEADS)
    return map_vectors_check_layer(vectors, request->layer, error);
  if (request->rows == MAP_ROWS_LAYERS_OF_HEAD && request->head >= heads)
    return error_set(error, ERROR_INPUT, "there is no head '%zu' in %s, axes %s: 0 to %zu",
                     request->head, tensor_shape(vectors->tensor).text,
                     axes_list(&vectors->axes).text, heads - 1);
  return OK;
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
  *rows = map_vectors_extent(vectors, request->rows == MAP_ROWS_HEADS ? AXIS_HEAD : AXIS_LAYER);
  *columns = pairs;
  return check_rows(request, error);
}

/* hypot() of an infinity is infinite whatever the other number is, NaN too. */
static double norm(double a, double b) {
  return isnan(a) || isnan(b) ? NAN : hypot(a, b);
}

/* Adds the norms of the pairs of `count` vectors to `sum`. */
static void add(const struct spectrum *spectrum, const double *vector, size_t count, size_t dim,
                double *sum) {
  for (size_t m = 0; m < count; m++, vector += dim)
    for (size_t i = 0; i < spectrum->pairs; i++)
      sum[i] += norm(vector[layout_first(spectrum->spec.layout, i)],
                     vector[layout_second(spectrum->spec.layout, i, spectrum->pairs)]);
}

/* Heads first .. end − 1 of a layer. */
struct place {
  size_t layer, first_head, end_head;
};

static struct place place_of(const struct map_request *request, size_t row) {
  switch (request->rows) {
  case MAP_ROWS_LAYERS:
    return (struct place){row, 0, map_vectors_extent(vectors_of(request), AXIS_HEAD)};
  case MAP_ROWS_LAYERS_OF_HEAD:
    return (struct place){row, request->head, request->head + 1};
  default:
    return (struct place){request->layer, row, row + 1};
  }
}

static size_t vectors_of_head(const struct map_vectors *vectors) {
  return map_vectors_extent(vectors, AXIS_BATCH) * map_vectors_extent(vectors, AXIS_POSITION);
}

/* The means of one row; `vector` has room for a head's vectors. */
static void fill_row(const struct map_request *request, size_t row, double *vector, double *mean) {
  const struct map_vectors *vectors = vectors_of(request);
  const size_t dim = map_vectors_extent(vectors, AXIS_DIM), count = vectors_of_head(vectors),
               pairs = request->spectrum->pairs;
  const struct place place = place_of(request, row);
  for (size_t head = place.first_head; head < place.end_head; head++) {
    map_vectors_head(vectors, place.layer, head, map_vectors_extent(vectors, AXIS_POSITION),
                     vector);
    add(request->spectrum, vector, count, dim, mean);
  }
  for (size_t i = 0; i < pairs; i++)
    mean[i] /= (double)(count * (place.end_head - place.first_head));
}

static void describe(const struct map_request *request, struct matrix *matrix) {
  const struct map_vectors *vectors = vectors_of(request);
  struct meta *meta = matrix->meta;
  const struct place place = place_of(request, 0);
  meta_set_text(meta, "of", request->query ? "queries" : "keys");
  if (axes_have(&vectors->axes, AXIS_LAYER)) {
    meta_set_integer(meta, "layers", (int64_t)map_vectors_extent(vectors, AXIS_LAYER));
    if (request->rows == MAP_ROWS_HEADS) meta_set_integer(meta, "layer", (int64_t)request->layer);
  }
  meta_set_integer(meta, "heads", (int64_t)map_vectors_extent(vectors, AXIS_HEAD));
  if (request->rows == MAP_ROWS_LAYERS_OF_HEAD)
    meta_set_integer(meta, "head", (int64_t)request->head);
  meta_set_integer(meta, "vectors",
                   (int64_t)(vectors_of_head(vectors) * (place.end_head - place.first_head)));
  if (request->rows == MAP_ROWS_HEADS) return;
  strcpy(matrix->row_axis.label, "layer");
  strcpy(matrix->row_axis.column, "layer");
}

static int fill(struct backend *backend, const struct map_request *request,
                enum reduction reduction, struct matrix *matrix, struct error *error) {
  (void)backend;
  const struct map_vectors *vectors = vectors_of(request);
  const size_t rows = matrix->row_axis.length, pairs = matrix->column_axis.length,
               dim = map_vectors_extent(vectors, AXIS_DIM), count = vectors_of_head(vectors);
  char what[80];
  snprintf(what, sizeof what, "a head's %zu vectors of %zu dimensions", count, dim);
  double *vector = memory_array(count * dim, sizeof *vector, what, error);
  double *whole = vector ? memory_array(rows * pairs, sizeof *whole, "the norms", error) : NULL;
  for (size_t r = 0; whole && r < rows; r++)
    fill_row(request, r, vector, whole + r * pairs);
  if (whole) {
    map_reduce(matrix, whole, reduction, matrix->cells);
    describe(request, matrix);
  }
  free(whole);
  free(vector);
  return whole ? OK : ERROR_FAILED;
}

const struct map_kind map_norms = {
    .name = "norms",
    .reduction = REDUCE_MEAN,
    .range = MATRIX_SEQUENTIAL,
    .value_label = "mean norm",
    .row_axis = {.label = "head", .column = "head"},
    .column_axis = {.label = "pair", .column = "pair"},
    .shape = shape,
    .fill = fill,
};

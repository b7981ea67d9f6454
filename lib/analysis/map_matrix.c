/* A map of one's own, out of a tensor. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/analysis/map_kind.h"
#include "lib/base/memory.h"
#include "lib/base/storage.h"

enum { ROW_AXES = 2 };

static const char *name_of(const struct tensor *tensor) {
  return tensor->name ? tensor->name : "the tensor";
}

static int check_index(const struct map_slice *slice, size_t leading, struct error *error) {
  const struct tensor *tensor = slice->tensor;
  for (size_t a = 0; a < leading; a++)
    if (slice->index[a] != MAP_SLICE_MEAN && slice->index[a] >= (int64_t)tensor->shape[a])
      return error_set(error, ERROR_INPUT,
                       "there is no index '%lld' along axis %zu of '%s', %s: 0 to %zu",
                       (long long)slice->index[a], a, name_of(tensor), tensor_shape(tensor).text,
                       tensor->shape[a] - 1);
  return OK;
}

static int shape(const struct map_request *request, size_t *rows, size_t *columns,
                 struct error *error) {
  const struct map_slice *slice = &request->slice;
  const struct tensor *tensor = slice->tensor;
  if (!tensor) return error_set(error, ERROR_INPUT, "the tensor of the map is missing");
  const struct tensor_shape_text has = tensor_shape(tensor);
  if (tensor->rank < ROW_AXES || tensor->rank > ROW_AXES + MAP_SLICE_AXES)
    return error_set(error, ERROR_INPUT, "'%s' has %zu axes, %s: a map is of 2 to 4",
                     name_of(tensor), tensor->rank, has.text);
  if (!tensor->count)
    return error_set(error, ERROR_INPUT, "'%s' is empty, %s: 1 or more along each axis",
                     name_of(tensor), has.text);
  *rows = tensor->shape[tensor->rank - 2];
  *columns = tensor->shape[tensor->rank - 1];
  if (request->causal && *rows != *columns)
    return error_set(error, ERROR_INPUT,
                     "a causal mask goes with as many keys as queries: the map '%s' is '%zu x %zu'",
                     name_of(tensor), *rows, *columns);
  return check_index(slice, tensor->rank - ROW_AXES, error);
}

/* Whole rows that become one row of cells: sums of the values that are finite, and how many they
   are. */
struct strip {
  size_t first, rows, columns;
  double *sum, *values;
  uint32_t *heights;
};

static void add_plane(const struct tensor *tensor, size_t plane, struct strip *strip) {
  const size_t size = storage_size(tensor->storage), count = strip->rows * strip->columns;
  const size_t row = plane * tensor->shape[tensor->rank - ROW_AXES] + strip->first;
  storage_load(tensor->storage, (const char *)tensor->data + row * strip->columns * size, count,
               strip->values);
  for (size_t i = 0; i < count; i++) {
    if (!isfinite(strip->values[i])) continue;
    strip->sum[i] += strip->values[i];
    strip->heights[i]++;
  }
  tensor_forget(tensor, row * strip->columns, count);
}

static void range_of(const struct map_slice *slice, size_t axis, size_t *first, size_t *end) {
  const bool mean = slice->index[axis] == MAP_SLICE_MEAN;
  *first = mean ? 0 : (size_t)slice->index[axis];
  *end = mean ? slice->tensor->shape[axis] : *first + 1;
}

static void add_planes(const struct map_slice *slice, struct strip *strip) {
  const struct tensor *tensor = slice->tensor;
  const size_t leading = tensor->rank - ROW_AXES;
  size_t first[MAP_SLICE_AXES] = {0}, end[MAP_SLICE_AXES] = {1, 1};
  for (size_t a = 0; a < leading; a++)
    range_of(slice, a, &first[a], &end[a]);
  const size_t inner = leading > 1 ? tensor->shape[1] : 1;
  for (size_t i = first[0]; i < end[0]; i++)
    for (size_t j = first[1]; j < end[1]; j++)
      add_plane(tensor, i * inner + j, strip);
}

/* Makes means of the sums, NaN where there is none or a mask; returns how many had none. */
static size_t average(struct strip *strip, bool causal) {
  size_t empty = 0;
  double *mean = strip->sum;
  for (size_t r = 0; r < strip->rows; r++)
    for (size_t c = 0; c < strip->columns; c++, mean++) {
      const uint32_t height = strip->heights[r * strip->columns + c];
      empty += !height;
      *mean = causal && c > strip->first + r ? NAN : *mean / (double)height;
    }
  return empty;
}

/* Reads the strip of a row of cells, and makes the cells. */
static size_t fill_row(const struct map_request *request, enum reduction reduction, size_t row,
                       struct strip *strip, struct matrix *matrix) {
  const size_t length = matrix->row_axis.length;
  strip->first = matrix_first(row, length, matrix->rows);
  strip->rows = matrix_first(row + 1, length, matrix->rows) - strip->first;
  memset(strip->sum, 0, strip->rows * strip->columns * sizeof *strip->sum);
  memset(strip->heights, 0, strip->rows * strip->columns * sizeof *strip->heights);
  add_planes(&request->slice, strip);
  const size_t empty = average(strip, request->causal);
  struct matrix cells = {.rows = 1, .columns = matrix->columns};
  cells.row_axis.length = strip->rows;
  cells.column_axis.length = strip->columns;
  const struct matrix_band filled = matrix_stretch(matrix, row * matrix->columns, matrix->columns);
  map_reduce(&cells, strip->sum, reduction, matrix->cells + filled.first);
  matrix_leave(&filled);
  return empty;
}

static void describe(const struct map_request *request, size_t empty, struct meta *meta) {
  const struct tensor *tensor = request->slice.tensor;
  char text[64] = "";
  size_t used = 0;
  for (size_t a = 0; a + ROW_AXES < tensor->rank; a++) {
    const int64_t index = request->slice.index[a];
    const char *comma = a ? "," : "";
    used += (size_t)(index == MAP_SLICE_MEAN
                         ? snprintf(text + used, sizeof text - used, "%smean", comma)
                         : snprintf(text + used, sizeof text - used, "%s%lld", comma,
                                    (long long)index));
  }
  meta_set_text(meta, "matrix", tensor_short_name(name_of(tensor)));
  meta_set_text(meta, "shape", tensor_shape(tensor).text);
  meta_set_text(meta, "dtype", storage_name(tensor->storage));
  if (used) meta_set_text(meta, "index", text);
  meta_set_flag(meta, "causal", request->causal);
  meta_set_integer(meta, "empty_values", (int64_t)empty);
}

/* Room for the strips of the map, `most` rows. */
static int open_strip(const struct matrix *matrix, size_t most, struct strip *strip,
                      struct error *error) {
  *strip = (struct strip){.columns = matrix->column_axis.length};
  const size_t count = most * strip->columns;
  char what[80];
  snprintf(what, sizeof what, "%zu rows of the map of %zu columns", most, strip->columns);
  const int refused = memory_require(count, 2 * sizeof(double) + sizeof(uint32_t), what, error);
  if (refused) return refused;
  strip->sum = memory_array(count, sizeof *strip->sum, what, error);
  strip->values = memory_array(count, sizeof *strip->values, what, error);
  strip->heights = memory_array(count, sizeof *strip->heights, what, error);
  return strip->sum && strip->values && strip->heights ? OK : ERROR_FAILED;
}

static void close_strip(struct strip *strip) {
  free(strip->sum);
  free(strip->values);
  free(strip->heights);
}

/* All rows of cells; each thread has a strip, unless these are large. */
static int fill_rows(const struct map_request *request, enum reduction reduction,
                     struct matrix *matrix, size_t *empty, struct error *error) {
  static const size_t small = 1 << 20; /* values */
  const size_t most = matrix->row_axis.length / matrix->rows + 1;
  const bool together = matrix->rows > 1 && most * matrix->column_axis.length <= small;
  size_t found = 0;
  int status = OK;
#pragma omp parallel reduction(+ : found) if (together)
  {
    struct strip strip;
    struct error own = {0};
    const int opened = open_strip(matrix, most, &strip, &own);
#pragma omp for
    for (size_t r = 0; r < matrix->rows; r++)
      if (!opened) found += fill_row(request, reduction, r, &strip, matrix);
    close_strip(&strip);
#pragma omp critical
    if (opened) {
      *error = own;
      status = opened;
    }
  }
  *empty = found;
  return status;
}

static int fill(struct backend *backend, const struct map_request *request,
                enum reduction reduction, struct matrix *matrix, struct error *error) {
  (void)backend;
  size_t empty;
  const int status = fill_rows(request, reduction, matrix, &empty, error);
  if (status) return status;
  describe(request, empty, matrix->meta);
  if (matrix_span(matrix).low < 0) matrix->range = MATRIX_DIVERGING;
  return OK;
}

const struct map_kind map_matrix = {
    .name = "matrix",
    .plain = true,
    .reduction = REDUCE_MEAN,
    .range = MATRIX_SEQUENTIAL,
    .value_label = "value",
    .row_axis = {.label = "query position", .column = "query"},
    .column_axis = {.label = "key position", .column = "key"},
    .shape = shape,
    .fill = fill,
};

const struct map_kind *map_kind_of_matrix(void) {
  return &map_matrix;
}

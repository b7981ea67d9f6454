#include "lib/io/matrix.h"

#include <math.h>
#include <stdlib.h>

#include "lib/base/large.h"
#include "lib/base/memory.h"
#include "lib/base/vector.h"
#include "lib/io/document.h"
#include "lib/io/npy.h"

struct matrix *matrix_create(size_t rows, size_t columns, struct error *error) {
  size_t count;
  if (__builtin_mul_overflow(rows, columns, &count)) count = SIZE_MAX;
  struct matrix *matrix = memory_array(1, sizeof *matrix, "a matrix", error);
  if (!matrix) return NULL;
  matrix->rows = rows;
  matrix->columns = columns;
  matrix->row_axis = (struct matrix_axis){"row", "row", rows};
  matrix->column_axis = (struct matrix_axis){"column", "column", columns};
  matrix->cells = large_array(count, sizeof *matrix->cells, "the cells of the map", error);
  if (matrix->cells) {
    matrix->meta = meta_create();
    if (matrix->meta) return matrix;
    error_set(error, ERROR_FAILED, "out of memory: the meta data of a map");
  }
  matrix_destroy(matrix);
  return NULL;
}

void matrix_destroy(struct matrix *matrix) {
  if (!matrix) return;
  meta_destroy(matrix->meta);
  free(matrix->hatch.cell);
  large_release(matrix->cells);
  free(matrix);
}

size_t matrix_first(size_t index, size_t length, size_t cells) {
  return (size_t)((unsigned __int128)index * length / cells);
}

enum { BAND = 1 << 18 }; /* cells: two MiB of them */

size_t matrix_bands(const struct matrix *matrix) {
  return (matrix->rows * matrix->columns + BAND - 1) / BAND;
}

struct matrix_band matrix_stretch(const struct matrix *matrix, size_t first, size_t count) {
  return (struct matrix_band){matrix->cells + first, first, count};
}

struct matrix_band matrix_band(const struct matrix *matrix, size_t index) {
  const size_t first = index * BAND, left = matrix->rows * matrix->columns - first;
  return matrix_stretch(matrix, first, left < BAND ? left : BAND);
}

void matrix_leave(const struct matrix_band *band) {
  large_set_aside(band->cell, band->count * sizeof *band->cell);
}

VECTOR_CLONES
static struct matrix_span span_of(const struct matrix_band *band) {
  double low = INFINITY, high = -INFINITY, positive = INFINITY;
  size_t finite = 0;
#pragma omp simd reduction(min : low, positive) reduction(max : high) reduction(+ : finite)
  for (size_t i = 0; i < band->count; i++) {
    const double value = band->cell[i];
    const bool counts = fabs(value) < INFINITY;
    finite += counts;
    low = counts && value < low ? value : low;
    high = counts && value > high ? value : high;
    positive = value > 0 && value < positive ? value : positive;
  }
  return (struct matrix_span){finite, low, high, positive};
}

struct matrix_span matrix_span(const struct matrix *matrix) {
  const size_t bands = matrix_bands(matrix);
  double low = INFINITY, high = -INFINITY, positive = INFINITY;
  size_t finite = 0;
#pragma omp parallel for reduction(min : low, positive) reduction(max : high)                      \
    reduction(+ : finite) if (bands > 1)
  for (size_t b = 0; b < bands; b++) {
    const struct matrix_band band = matrix_band(matrix, b);
    const struct matrix_span span = span_of(&band);
    finite += span.finite;
    low = fmin(low, span.low);
    high = fmax(high, span.high);
    positive = fmin(positive, span.positive);
    matrix_leave(&band);
  }
  /* Which of 0 and −0 came first hangs on vectors and threads. */
  return (struct matrix_span){finite, low + 0.0, high + 0.0, positive};
}

void matrix_write_npy(const struct matrix *matrix, FILE *out) {
  npy_write_header(out, "'<f8'", (size_t[]){matrix->rows, matrix->columns}, 2);
  for (size_t b = 0; b < matrix_bands(matrix); b++) {
    const struct matrix_band band = matrix_band(matrix, b);
    npy_write_reals(out, band.cell, band.count);
    matrix_leave(&band);
  }
}

void matrix_write_csv(const struct matrix *matrix, char separator, FILE *out) {
  const bool *hatched = matrix->hatch.cell;
  fprintf(out, "%s%c%s%cvalue", matrix->row_axis.column, separator, matrix->column_axis.column,
          separator);
  if (hatched) fprintf(out, "%c%s", separator, matrix->hatch.column);
  fputc('\n', out);
  for (size_t r = 0; r < matrix->rows; r++) {
    const struct matrix_band row = matrix_stretch(matrix, r * matrix->columns, matrix->columns);
    for (size_t c = 0; c < matrix->columns; c++) {
      fprintf(out, "%zu%c%zu%c", matrix_first(r, matrix->row_axis.length, matrix->rows), separator,
              matrix_first(c, matrix->column_axis.length, matrix->columns), separator);
      if (!isnan(row.cell[c])) fprintf(out, "%.17g", row.cell[c]);
      if (hatched) fprintf(out, "%c%d", separator, hatched[row.first + c]);
      fputc('\n', out);
    }
    matrix_leave(&row);
  }
}

static void write_json_cells(const void *data, FILE *out) {
  const struct matrix *matrix = data;
  fputs(",\n\"table\": [", out);
  for (size_t r = 0; r < matrix->rows; r++) {
    const struct matrix_band row = matrix_stretch(matrix, r * matrix->columns, matrix->columns);
    for (size_t c = 0; c < matrix->columns; c++) {
      fprintf(out, "%s\n{\"%s\": %zu, \"%s\": %zu, \"value\": ", r || c ? "," : "",
              matrix->row_axis.column, matrix_first(r, matrix->row_axis.length, matrix->rows),
              matrix->column_axis.column,
              matrix_first(c, matrix->column_axis.length, matrix->columns));
      fprintf(out, isfinite(row.cell[c]) ? "%.17g" : "null", row.cell[c]);
      if (matrix->hatch.cell)
        fprintf(out, ", \"%s\": %d", matrix->hatch.column, matrix->hatch.cell[row.first + c]);
      fputc('}', out);
    }
    matrix_leave(&row);
  }
  fputs("\n]", out);
}

void matrix_write_json(const struct matrix *matrix, FILE *out) {
  document_write(matrix->meta, write_json_cells, matrix, out);
}

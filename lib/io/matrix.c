#include "lib/io/matrix.h"

#include <math.h>
#include <stdlib.h>

#include "lib/base/memory.h"
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
  matrix->cells = memory_array(count, sizeof *matrix->cells, "the cells of the map", error);
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
  free(matrix->cells);
  free(matrix);
}

size_t matrix_first(size_t index, size_t length, size_t cells) {
  return (size_t)((unsigned __int128)index * length / cells);
}

size_t matrix_extent(const struct matrix *matrix, double *smallest, double *largest) {
  size_t finite = 0;
  *smallest = INFINITY;
  *largest = -INFINITY;
  for (size_t i = 0; i < matrix->rows * matrix->columns; i++) {
    const double value = matrix->cells[i];
    if (!isfinite(value)) continue;
    finite++;
    if (value < *smallest) *smallest = value;
    if (value > *largest) *largest = value;
  }
  return finite;
}

void matrix_write_npy(const struct matrix *matrix, FILE *out) {
  npy_write_header(out, "'<f8'", (size_t[]){matrix->rows, matrix->columns}, 2);
  npy_write_reals(out, matrix->cells, matrix->rows * matrix->columns);
}

void matrix_write_csv(const struct matrix *matrix, char separator, FILE *out) {
  const bool *hatched = matrix->hatch.cell;
  fprintf(out, "%s%c%s%cvalue", matrix->row_axis.column, separator, matrix->column_axis.column,
          separator);
  if (hatched) fprintf(out, "%c%s", separator, matrix->hatch.column);
  fputc('\n', out);
  const double *cell = matrix->cells;
  for (size_t r = 0; r < matrix->rows; r++)
    for (size_t c = 0; c < matrix->columns; c++, cell++) {
      fprintf(out, "%zu%c%zu%c", matrix_first(r, matrix->row_axis.length, matrix->rows), separator,
              matrix_first(c, matrix->column_axis.length, matrix->columns), separator);
      if (!isnan(*cell)) fprintf(out, "%.17g", *cell);
      if (hatched) fprintf(out, "%c%d", separator, hatched[cell - matrix->cells]);
      fputc('\n', out);
    }
}

static void write_json_cells(const void *data, FILE *out) {
  const struct matrix *matrix = data;
  fputs(",\n\"table\": [", out);
  const double *cell = matrix->cells;
  for (size_t r = 0; r < matrix->rows; r++)
    for (size_t c = 0; c < matrix->columns; c++, cell++) {
      fprintf(out, "%s\n{\"%s\": %zu, \"%s\": %zu, \"value\": ", r || c ? "," : "",
              matrix->row_axis.column, matrix_first(r, matrix->row_axis.length, matrix->rows),
              matrix->column_axis.column,
              matrix_first(c, matrix->column_axis.length, matrix->columns));
      fprintf(out, isfinite(*cell) ? "%.17g" : "null", *cell);
      if (matrix->hatch.cell)
        fprintf(out, ", \"%s\": %d", matrix->hatch.column,
                matrix->hatch.cell[cell - matrix->cells]);
      fputc('}', out);
    }
  fputs("\n]", out);
}

void matrix_write_json(const struct matrix *matrix, FILE *out) {
  document_write(matrix->meta, write_json_cells, matrix, out);
}

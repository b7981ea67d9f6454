#include "lib/io/matrix.h"

#include <math.h>
#include <stdlib.h>

#include "lib/base/memory.h"
#include "lib/io/npy.h"

struct matrix *matrix_create(size_t rows, size_t columns, struct error *error) {
  struct matrix *matrix = memory_array(1, sizeof *matrix, "a matrix", error);
  if (!matrix) return NULL;
  matrix->rows = rows;
  matrix->columns = columns;
  matrix->meta = meta_create();
  size_t count;
  if (__builtin_mul_overflow(rows, columns, &count)) count = SIZE_MAX;
  matrix->cells = memory_array(count, sizeof *matrix->cells, "the cells of the map", error);
  if (matrix->cells && matrix->meta) return matrix;
  matrix_destroy(matrix);
  return NULL;
}

void matrix_destroy(struct matrix *matrix) {
  if (!matrix) return;
  meta_destroy(matrix->meta);
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

/* Calls `write` for every cell with the first position it covers on either axis. */
static void each_cell(const struct matrix *matrix, FILE *out,
                      void (*write)(const struct matrix *, size_t, size_t, double, FILE *)) {
  for (size_t r = 0; r < matrix->rows; r++)
    for (size_t c = 0; c < matrix->columns; c++)
      write(matrix, matrix_first(r, matrix->row_axis.length, matrix->rows),
            matrix_first(c, matrix->column_axis.length, matrix->columns),
            matrix->cells[r * matrix->columns + c], out);
}

static void write_comma_line(const struct matrix *matrix, size_t row, size_t column, double value,
                             FILE *out) {
  (void)matrix;
  fprintf(out, isnan(value) ? "%zu,%zu,\n" : "%zu,%zu,%.17g\n", row, column, value);
}

static void write_tab_line(const struct matrix *matrix, size_t row, size_t column, double value,
                           FILE *out) {
  (void)matrix;
  fprintf(out, isnan(value) ? "%zu\t%zu\t\n" : "%zu\t%zu\t%.17g\n", row, column, value);
}

static void write_object(const struct matrix *matrix, size_t row, size_t column, double value,
                         FILE *out) {
  fprintf(out, row || column ? ",\n" : "\n");
  fprintf(out, "{\"%s\": %zu, \"%s\": %zu, \"value\": ", matrix->row_axis.column, row,
          matrix->column_axis.column, column);
  fprintf(out, isfinite(value) ? "%.17g}" : "null}", value);
}

void matrix_write_csv(const struct matrix *matrix, char separator, FILE *out) {
  fprintf(out, "%s%c%s%cvalue\n", matrix->row_axis.column, separator, matrix->column_axis.column,
          separator);
  each_cell(matrix, out, separator == ',' ? write_comma_line : write_tab_line);
}

void matrix_write_json(const struct matrix *matrix, FILE *out) {
  char *meta = meta_to_json(matrix->meta, 2);
  fprintf(out, "{\"meta\": %s,\n\"table\": [", meta ? meta : "{}");
  each_cell(matrix, out, write_object);
  fputs("\n]}\n", out);
  free(meta);
}

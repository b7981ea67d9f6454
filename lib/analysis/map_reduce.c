/* The reduction of a map that is held whole. */
#include <math.h>

#include "lib/analysis/map_kind.h"

struct tile {
  size_t first_row, end_row, first_column, end_column;
};

static double reduce_tile(const double *whole, size_t stride, const struct tile *tile,
                          enum reduction reduction) {
  double sum = 0, largest = NAN;
  size_t count = 0;
  for (size_t r = tile->first_row; r < tile->end_row; r++)
    for (size_t c = tile->first_column; c < tile->end_column; c++) {
      const double value = whole[r * stride + c];
      if (isnan(value)) continue;
      sum += value;
      count++;
      const bool larger =
          reduction == REDUCE_ABSMAX ? fabs(value) > fabs(largest) : value > largest;
      if (isnan(largest) || larger) largest = value;
    }
  return reduction != REDUCE_MEAN ? largest : count ? sum / (double)count : NAN;
}

/* What reduce_tile() makes of tiles of one value each. */
static void copy_cells(const double *whole, size_t count, enum reduction reduction, double *cells) {
  for (size_t i = 0; i < count; i++)
    cells[i] = isnan(whole[i]) ? NAN : reduction == REDUCE_MEAN ? 0.0 + whole[i] : whole[i];
}

void map_reduce(const struct matrix *matrix, const double *whole, enum reduction reduction,
                double *cells) {
  if (!map_is_reduced(matrix)) {
    copy_cells(whole, matrix->rows * matrix->columns, reduction, cells);
    return;
  }
  const size_t length = matrix->row_axis.length, width = matrix->column_axis.length;
  for (size_t r = 0; r < matrix->rows; r++)
    for (size_t c = 0; c < matrix->columns; c++) {
      const struct tile tile = {.first_row = matrix_first(r, length, matrix->rows),
                                .end_row = matrix_first(r + 1, length, matrix->rows),
                                .first_column = matrix_first(c, width, matrix->columns),
                                .end_column = matrix_first(c + 1, width, matrix->columns)};
      cells[r * matrix->columns + c] = reduce_tile(whole, width, &tile, reduction);
    }
}

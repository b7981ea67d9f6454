#include "kernels/grid.h"

#include <math.h>
#include <stdlib.h>

#include "lib/base/memory.h"

/* ⌊tile·length/tiles⌋, without a product that could overflow. */
static size_t tile_edge(size_t tile, size_t length, size_t tiles) {
  return tile * (length / tiles) + tile * (length % tiles) / tiles;
}

int grid_open(struct grid *grid, const struct tiles *tiles, size_t length, struct error *error) {
  grid->rows = tiles->rows;
  grid->columns = tiles->columns;
  grid->row = memory_array(tiles->rows + tiles->columns + 2, sizeof *grid->row,
                           "the edges of the cells", error);
  if (!grid->row) return error->code;
  grid->column = grid->row + tiles->rows + 1;
  for (size_t r = 0; r <= tiles->rows; r++)
    grid->row[r] = tile_edge(r, length, tiles->rows);
  for (size_t c = 0; c <= tiles->columns; c++)
    grid->column[c] = tile_edge(c, length, tiles->columns);
  return OK;
}

void grid_close(struct grid *grid) {
  free(grid->row);
}

size_t grid_find(const size_t *edge, size_t count, size_t position) {
  size_t low = 0, high = count;
  while (high - low > 1) {
    const size_t middle = low + (high - low) / 2;
    if (edge[middle] <= position)
      low = middle;
    else
      high = middle;
  }
  return low;
}

uint64_t tile_unmasked(const struct tile *tile, bool causal) {
  const uint64_t width = tile->column_end - tile->column;
  if (!causal || tile->column_end <= tile->row + 1) return width * (tile->row_end - tile->row);
  if (tile->column >= tile->row_end) return 0;
  /* Rows first .. end − 1 see some keys, one more from row to row; those after them see all. */
  const uint64_t first = tile->row > tile->column ? tile->row : tile->column;
  const uint64_t end = tile->row_end < tile->column_end ? tile->row_end : tile->column_end;
  const uint64_t fewest = first + 1 - tile->column, most = end - tile->column;
  return (fewest + most) * (end - first) / 2 + (tile->row_end - end) * width;
}

uint64_t tile_unmasked_by(const struct tile *tile, bool causal, const double *bias, size_t length) {
  if (!bias) return tile_unmasked(tile, causal);
  const int64_t row = (int64_t)tile->row, row_end = (int64_t)tile->row_end,
                column = (int64_t)tile->column, column_end = (int64_t)tile->column_end;
  int64_t first = row - column_end + 1;
  if (causal && first < 0) first = 0;
  uint64_t count = 0;
  for (int64_t t = first; t < row_end - column; t++) {
    const int64_t low = row > column + t ? row : column + t,
                  high = row_end < column_end + t ? row_end : column_end + t; /* of the queries */
    if (bias[t + (int64_t)length - 1] != -INFINITY) count += (uint64_t)(high - low);
  }
  return count;
}

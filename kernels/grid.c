#include "kernels/grid.h"

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

uint64_t tile_unmasked(const struct tile *tile, bool causal) {
  const uint64_t width = tile->column_end - tile->column;
  if (!causal || tile->column_end <= tile->row + 1) return width * (tile->row_end - tile->row);
  uint64_t count = 0;
  for (size_t m = tile->row > tile->column ? tile->row : tile->column; m < tile->row_end; m++)
    count += m + 1 < tile->column_end ? m + 1 - tile->column : width;
  return count;
}

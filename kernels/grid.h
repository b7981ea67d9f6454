/* Where the tiles of a map lie: see struct tiles in kernels/backend.h. */
#ifndef ROPETOOL_KERNELS_GRID_H
#define ROPETOOL_KERNELS_GRID_H

#include "kernels/backend.h"

/* Tile row r holds queries row[r] .. row[r + 1] − 1; columns of keys likewise. */
struct grid {
  size_t rows, columns; /* of tiles */
  size_t *row;          /* (rows + 1) */
  size_t *column;       /* (columns + 1) */
};

int grid_open(struct grid *grid, const struct tiles *tiles, size_t length, struct error *error);
void grid_close(struct grid *grid);

/* The last of the tiles between `count` + 1 edges that starts at `position` or before it. */
size_t grid_find(const size_t *edge, size_t count, size_t position);

/* One tile of the map: queries row .. row_end − 1, keys column .. column_end − 1. */
struct tile {
  size_t row, row_end, column, column_end;
};

static inline struct tile grid_tile(const struct grid *grid, size_t row, size_t column) {
  return (struct tile){grid->row[row], grid->row[row + 1], grid->column[column],
                       grid->column[column + 1]};
}

/* How many scores of the tile are not masked. */
uint64_t tile_unmasked(const struct tile *tile, bool causal);

/* The same where a bias of −∞ masks besides: `bias` as in struct score_batch, NULL: none. */
uint64_t tile_unmasked_by(const struct tile *tile, bool causal, const double *bias, size_t length);

#endif

/* The tiles of a score pass: blocks of rows that suit them, and scores folded into cells. */
#ifndef ROPETOOL_KERNELS_SCORE_TILES_H
#define ROPETOOL_KERNELS_SCORE_TILES_H

#include "kernels/grid.h"
#include "kernels/reduction.h"
#include "kernels/score_part.h"

/* How the rows of a map are cut into blocks: each holds whole rows of tiles, or a part of one. */
struct row_blocks {
  const struct grid *grid;
  size_t together; /* rows of tiles in a block, */
  size_t parts;    /* or blocks in a row of tiles; the other one is 1 */
  size_t count;
};

struct row_blocks row_blocks_of(const struct grid *grid, size_t most_rows);

struct row_block {
  size_t tile, tile_end; /* the rows of tiles that it holds or is a part of */
  size_t row, row_end;   /* its queries */
};

struct row_block row_blocks_at(const struct row_blocks *blocks, size_t index);

/* Joins the scores of one block of rows to cells, a part at a time. */
struct tile_fold {
  const struct grid *grid;
  const struct reduction_rule *rule;
  struct row_block block;
  double *cells;          /* (row of tiles of the block, column) */
  double *value, *folded; /* room for PART_KEYS each */
};

/* Scores are multiplied by `factor` of their row, if it is not NULL; `stride` doubles from one row
   to the next. */
void tile_fold_add(const struct tile_fold *fold, const struct score_part *part,
                   const double *factor, size_t stride);

/* Divides the means of a row of the batch's tiles by the number of scores, and marks what is all
   masked. `bias`: that of the batch, NULL when it masks nothing. */
void tiles_finish(const struct grid *grid, const struct reduction_rule *rule,
                  const struct score_batch *batch, const double *bias, size_t tile_row);

#endif

#include "kernels/score_tiles.h"

#include <math.h>

struct row_blocks row_blocks_of(const struct grid *grid, size_t most_rows) {
  const size_t length = grid->row[grid->rows], tallest = (length + grid->rows - 1) / grid->rows;
  struct row_blocks blocks = {.grid = grid, .together = 1, .parts = 1};
  if (tallest <= most_rows)
    blocks.together = most_rows / tallest;
  else
    blocks.parts = (tallest + most_rows - 1) / most_rows;
  blocks.count = blocks.parts * ((grid->rows + blocks.together - 1) / blocks.together);
  return blocks;
}

struct row_block row_blocks_at(const struct row_blocks *blocks, size_t index) {
  const size_t tile = index / blocks->parts * blocks->together, part = index % blocks->parts;
  const size_t left = blocks->grid->rows - tile,
               end = tile + (left < blocks->together ? left : blocks->together);
  const size_t first = blocks->grid->row[tile], height = blocks->grid->row[end] - first;
  const size_t base = height / blocks->parts, rest = height % blocks->parts;
  const size_t row = first + part * base + (part < rest ? part : rest);
  return (struct row_block){
      .tile = tile, .tile_end = end, .row = row, .row_end = row + base + (part < rest)};
}

/* Down the rows first: that is most of the work, and a loop over neighbours. */
static void fold_rows(const struct tile_fold *fold, const struct score_part *part, size_t first,
                      size_t end, const double *factor, size_t stride) {
  for (size_t n = 0; n < part->key_end - part->key; n++)
    fold->folded[n] = fold->rule->identity;
  for (size_t m = first; m < end; m++) {
    const size_t visible = score_part_visible(part, m);
    if (!visible) continue;
    score_part_load(part, m, visible, factor ? factor[(m - part->row) * stride] : 1, fold->value);
    fold->rule->fold(fold->folded, fold->value, visible);
  }
}

/* Then along the keys. */
static void fold_columns(const struct tile_fold *fold, const struct score_part *part,
                         double *cells) {
  const size_t *edge = fold->grid->column;
  size_t key = part->key;
  for (size_t c = grid_find(edge, fold->grid->columns, key); key < part->key_end; c++) {
    const size_t end = edge[c + 1] < part->key_end ? edge[c + 1] : part->key_end;
    const double result = fold->rule->segment(fold->folded + (key - part->key), end - key);
    cells[c] = fold->rule->join(cells[c], result);
    key = end;
  }
}

void tile_fold_add(const struct tile_fold *fold, const struct score_part *part,
                   const double *factor, size_t stride) {
  const size_t *edge = fold->grid->row;
  for (size_t t = fold->block.tile; t < fold->block.tile_end; t++) {
    const size_t first = edge[t] > part->row ? edge[t] : part->row;
    const size_t end = edge[t + 1] < part->row_end ? edge[t + 1] : part->row_end;
    if (part->causal && end <= part->key) continue;
    fold_rows(fold, part, first, end, factor, stride);
    fold_columns(fold, part, fold->cells + (t - fold->block.tile) * fold->grid->columns);
  }
}

void tiles_finish(const struct grid *grid, const struct reduction_rule *rule,
                  const struct score_batch *batch, const double *bias, size_t tile_row) {
  double *cells = batch->tiles.cells + tile_row * grid->columns;
  for (size_t c = 0; c < grid->columns; c++) {
    const struct tile tile = grid_tile(grid, tile_row, c);
    const uint64_t unmasked = tile_unmasked_by(&tile, batch->causal, bias, batch->length);
    if (!unmasked)
      cells[c] = NAN;
    else if (rule->mean)
      cells[c] /= (double)unmasked;
  }
}

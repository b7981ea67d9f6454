/* One pass over all scores, a block of rows at a time. The scores of a block are computed for
   PART_KEYS keys at once and go into everything that is asked for while they are in the cache. */
#include <math.h>
#include <omp.h>
#include <stdlib.h>

#include "kernels/cpu.h"
#include "kernels/score_terms.h"
#include "lib/base/memory.h"
#include "lib/base/progress.h"

static void prepare_queries(const struct score_plan *plan, const struct row_block *block,
                            struct score_room *room) {
  const struct score_batch *batch = plan->batch;
  const size_t bytes = batch->dim * plan->arithmetic->size;
  for (size_t draw = 0; draw < batch->batch; draw++)
    for (size_t m = block->row; m < block->row_end; m++) {
      score_rows_query(plan->pass->rows, draw, m, room->vector);
      plan->arithmetic->store(room->vector, batch->dim,
                              room->query + (draw * plan->rows + m - block->row) * bytes);
    }
}

/* The keys that some query of the block may see: 0 .. result − 1. */
static size_t visible_end(const struct score_plan *plan, const struct row_block *block) {
  return plan->batch->causal ? block->row_end : plan->batch->length;
}

/* A part of the scores of one draw. */
static struct score_part part_at(const struct score_plan *plan, const struct row_block *block,
                                 size_t draw, size_t key, const struct score_room *room,
                                 char *score) {
  const struct score_bias *bias = &plan->bias;
  const size_t distance = plan->batch->length - 1 + key - block->row, /* key − query */
      size = plan->arithmetic->size;
  return (struct score_part){
      .arithmetic = plan->arithmetic,
      .causal = plan->batch->causal,
      .draw = draw,
      .row = block->row,
      .row_end = block->row_end,
      .key = key,
      .key_end = smaller(key + PART_KEYS, visible_end(plan, block)),
      .score = score + (plan->keep_rows ? key * size : 0),
      .stride = plan->stride,
      .bias = bias->add ? bias->add + distance : NULL,
      .masked = NAN, /* is left out by all that does not go by the distance */
      .exponent = plan->own_exponent ? room->exponent
                  : bias->exponent   ? (const char *)bias->exponent + distance * size
                                     : NULL,
      .exponent_stride = plan->own_exponent ? PART_KEYS : -1,
  };
}

/* The same, as what tiles are made of: their scores, or weights, to which nothing is added. */
static struct score_part tile_part_at(const struct score_plan *plan, const struct row_block *block,
                                      size_t draw, size_t key, const struct score_room *room,
                                      char *score) {
  const double *mask = plan->bias.mask;
  struct score_part part = part_at(plan, block, draw, key, room, score);
  if (plan->batch->softmax)
    part.bias = mask ? mask + plan->batch->length - 1 + key - block->row : NULL;
  part.masked = plan->rule->identity;
  return part;
}

/* The scores of a part, or `share` of them added to what is there. */
static void multiply(const struct score_plan *plan, const struct score_part *part,
                     const struct score_room *room, double share, bool add) {
  const size_t dim = plan->batch->dim, bytes = dim * plan->arithmetic->size;
  const struct score_product product = {
      .rows = part->row_end - part->row,
      .keys = part->key_end - part->key,
      .dim = dim,
      .share = share,
      .add = add,
      .query = room->query + part->draw * plan->rows * bytes,
      .key = (const char *)plan->key + (part->draw * plan->batch->length + part->key) * bytes,
      .score = part->score,
      .stride = part->stride,
  };
  plan->arithmetic->multiply(&product);
}

/* The scores of a part of one draw. */
static int make_scores(const struct score_plan *plan, const struct score_part *part,
                       struct score_room *room) {
  if (plan->batch->terms) room->status = score_terms_store(plan, part, room);
  if (!room->status) multiply(plan, part, room, 1, plan->batch->terms);
  return room->status;
}

/* Scores become exponentials. */
static void take_weights(const struct score_plan *plan, const struct score_part *part,
                         struct score_room *room) {
  struct row_weights *rows = room->row + part->draw * plan->rows;
  for (size_t m = part->row; m < part->row_end; m++) {
    const size_t r = m - part->row, visible = score_part_visible(part, m);
    if (!visible) continue;
    row_weights_add(rows + r, &plan->softmax, part, m, visible);
    if (plan->keep_rows) room->peak[r * plan->parts + part->key / PART_KEYS] = rows[r].peak;
  }
}

/* All that is wanted of each draw by itself; the scores are exponentials after it, if weights are
   wanted. */
static void use_scores(const struct score_plan *plan, const struct score_part *part,
                       struct score_room *room, struct score_range *range) {
  if (plan->pass->diagonals)
    diagonals_add(plan->pass->diagonals, part, room->value, room->diagonals);
  if (plan->pass->range) score_range_add(range, part, room->value);
  if (plan->pass->weights || plan->keep_rows) take_weights(plan, part, room);
}

/* Adds the share of one draw to the average, row by row. */
static void add_to_average(const struct score_plan *plan, const struct score_part *part,
                           const struct score_part *average, const double *factor) {
  for (size_t m = part->row; m < part->row_end; m++) {
    const size_t visible = score_part_visible(part, m);
    const double share = factor ? factor[(m - part->row) * plan->parts] : 1;
    if (visible)
      plan->arithmetic->average(score_part_row(part, m), visible,
                                share / (double)plan->batch->batch, part->draw > 0,
                                score_part_row(average, m));
  }
}

/* Tiles of scores, if any: a part is done with once all draws are in it. */
static void pass_scores(const struct score_plan *plan, const struct tile_fold *fold,
                        struct score_room *room, struct score_range *range) {
  const size_t draws = plan->batch->batch;
  const bool tiles = plan->pass->tiles, average = plan->by_draw && tiles && draws > 1;
  for (size_t key = 0; key < visible_end(plan, &fold->block); key += PART_KEYS) {
    const struct score_part mean =
        tile_part_at(plan, &fold->block, 0, key, room, average ? room->average : room->score);
    for (size_t draw = 0; draw < draws; draw++) {
      const struct score_part part = part_at(plan, &fold->block, draw, key, room, room->score);
      if (!plan->by_draw)
        multiply(plan, &part, room, 1 / (double)draws, draw);
      else if (make_scores(plan, &part, room))
        return;
      if (average) add_to_average(plan, &part, &mean, NULL);
      if (tiles && !average && draw + 1 == draws) tile_fold_add(fold, &mean, NULL, 0);
      if (plan->by_draw) use_scores(plan, &part, room, range);
    }
    if (average) tile_fold_add(fold, &mean, NULL, 0);
  }
}

/* Tiles of weights: a draw's rows are kept until their sums are known. */
static void pass_weights(const struct score_plan *plan, const struct tile_fold *fold,
                         struct score_room *room, struct score_range *range) {
  const size_t draws = plan->batch->batch, end = visible_end(plan, &fold->block);
  const size_t rows = fold->block.row_end - fold->block.row;
  for (size_t draw = 0; draw < draws; draw++) {
    for (size_t key = 0; key < end; key += PART_KEYS) {
      const struct score_part part = part_at(plan, &fold->block, draw, key, room, room->score);
      if (make_scores(plan, &part, room)) return;
      use_scores(plan, &part, room, range);
    }
    for (size_t r = 0; r < rows; r++)
      for (size_t p = 0; p * PART_KEYS < end; p++)
        room->peak[r * plan->parts + p] =
            row_weights_factor(room->row + draw * plan->rows + r, room->peak[r * plan->parts + p]);
    for (size_t key = 0; key < end; key += PART_KEYS) {
      const struct score_part part = tile_part_at(plan, &fold->block, draw, key, room, room->score);
      const double *factor = room->peak + key / PART_KEYS;
      if (draws == 1) {
        tile_fold_add(fold, &part, factor, plan->parts);
        continue;
      }
      const struct score_part mean =
          tile_part_at(plan, &fold->block, draw, key, room, room->average);
      add_to_average(plan, &part, &mean, factor);
      if (draw + 1 == draws) tile_fold_add(fold, &mean, NULL, 0);
    }
  }
}

static void finish_weights(const struct score_plan *plan, const struct row_block *block,
                           size_t index, const struct score_room *room) {
  for (size_t draw = 0; draw < plan->batch->batch; draw++) {
    struct weight_sums *sums = plan->weights + index * plan->batch->batch + draw;
    for (size_t r = 0; r < block->row_end - block->row; r++)
      row_weights_finish(room->row + draw * plan->rows + r, sums);
  }
}

/* Of rows of tiles, before any score is in them. */
static void start_cells(const struct score_plan *plan, size_t rows, double *cells) {
  for (size_t c = 0; c < rows * plan->pass->grid->columns; c++)
    cells[c] = plan->rule->identity;
}

/* Rows of tiles first .. end − 1, when all scores are in them. */
static void finish_tiles(const struct score_plan *plan, size_t first, size_t end) {
  const struct score_batch *batch = plan->batch;
  for (size_t t = first; t < end; t++)
    tiles_finish(plan->pass->grid, plan->rule, batch, plan->bias.mask ? batch->bias : NULL, t);
  tiles_leave(&batch->tiles, first, end);
}

/* All of a block that does not touch what threads share. */
static void run_block(const struct score_plan *plan, const struct tile_fold *fold, size_t index,
                      struct score_room *room, struct score_range *range) {
  const struct row_block *block = &fold->block;
  prepare_queries(plan, block, room);
  for (size_t r = 0; r < plan->batch->batch * plan->rows; r++)
    row_weights_start(room->row + r);
  if (plan->pass->diagonals)
    diagonals_start(plan->pass->diagonals, block->row_end - block->row, room->diagonals);
  if (plan->pass->tiles) start_cells(plan, block->tile_end - block->tile, fold->cells);
  if (plan->keep_rows)
    pass_weights(plan, fold, room, range);
  else
    pass_scores(plan, fold, room, range);
  if (plan->pass->weights) finish_weights(plan, block, index, room);
  if (plan->pass->tiles && plan->blocks.parts == 1)
    finish_tiles(plan, block->tile, block->tile_end);
}

/* A block's share in what threads share, one block after the other. */
static void join_block(const struct score_plan *plan, const struct row_block *block, bool whole,
                       const struct score_room *room) {
  const size_t columns = plan->pass->grid->columns, rows = block->row_end - block->row;
  if (plan->pass->diagonals)
    diagonals_join(plan->pass->diagonals, block->row_end, rows, room->diagonals);
  double *cells = plan->batch->tiles.cells + block->tile * columns;
  for (size_t c = 0; plan->pass->tiles && !whole && c < columns; c++)
    cells[c] = plan->rule->join(cells[c], room->cells[c]);
}

/* The last blocks come first: under a causal mask they are the longest. */
static int run_blocks(const struct score_plan *plan, char *memory, struct error *error) {
  const struct score_pass *pass = plan->pass;
  const size_t columns = pass->grid->columns, blocks = plan->blocks.count;
  const bool whole = plan->blocks.parts == 1;
  char *start = (char *)(((uintptr_t)memory + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE);
  uint64_t done = 0;
  int failed = OK;
#pragma omp parallel if (blocks > 1)
  {
    struct score_room room;
    struct score_range range = {INFINITY, -INFINITY};
    score_room_place(plan, &room, start + (size_t)omp_get_thread_num() * plan->room);
#pragma omp for ordered schedule(dynamic)
    for (size_t b = 0; b < blocks; b++) {
      const size_t index = blocks - 1 - b;
      const struct row_block block = row_blocks_at(&plan->blocks, index);
      if (block.row == block.row_end) continue;
      const struct tile_fold fold = {
          .grid = pass->grid,
          .rule = plan->rule,
          .block = block,
          .cells = whole ? plan->batch->tiles.cells + block.tile * columns : room.cells,
          .value = room.value,
          .folded = room.folded};
      int skip;
#pragma omp atomic read
      skip = failed;
      if (!skip) run_block(plan, &fold, index, &room, &range);
#pragma omp ordered
      {
        join_block(plan, &block, whole, &room);
        if (room.status && !failed) {
          *error = room.error;
#pragma omp atomic write
          failed = room.status;
        }
      }
      uint64_t now;
#pragma omp atomic capture
      now = done += block.row_end - block.row;
      progress_report(now, plan->batch->length);
    }
    if (pass->range) {
#pragma omp critical
      *pass->range = (struct score_range){fmin(pass->range->low, range.low),
                                          fmax(pass->range->high, range.high)};
    }
  }
  return failed;
}

static void finish_pass(const struct score_plan *plan) {
  const struct score_batch *batch = plan->batch;
  const struct score_pass *pass = plan->pass;
  const size_t parted = pass->tiles && plan->blocks.parts > 1 ? pass->grid->rows : 0;
#pragma omp parallel for schedule(static) if (parted > FEW_ROWS)
  for (size_t t = 0; t < parted; t++)
    finish_tiles(plan, t, t + 1);
  for (size_t draw = 0; pass->weights && draw < batch->batch; draw++) {
    struct weight_sums sums = {0, 0, 0};
    for (size_t b = 0; b < plan->blocks.count; b++) {
      const struct weight_sums *part = plan->weights + b * batch->batch + draw;
      sums.locality += part->locality;
      sums.distance += part->distance;
      sums.entropy += part->entropy;
    }
    batch->weights[draw] = sums;
  }
}

int scores_pass(const struct score_pass *pass, struct error *error) {
  struct score_plan plan;
  if (score_plan_open(&plan, pass, error)) return error->code;
  const size_t threads = (size_t)omp_get_max_threads();
  char *memory = memory_array(size_product(threads, plan.room) / CACHE_LINE + 1, CACHE_LINE,
                              "the scores of some rows", error);
  int status = memory ? OK : error->code;
  if (memory) {
    if (pass->tiles && plan.blocks.parts > 1)
      start_cells(&plan, pass->grid->rows, plan.batch->tiles.cells);
    status = run_blocks(&plan, memory, error);
    if (!status) finish_pass(&plan);
  }
  free(memory);
  score_plan_close(&plan);
  return status;
}

/* One pass over all scores, a block of rows at a time. The scores of a block are computed for
   PART_KEYS keys at once and go into everything that is asked for while they are in the cache. */
#include <math.h>
#include <omp.h>
#include <stdlib.h>

#include "kernels/cpu.h"
#include "kernels/score_tiles.h"
#include "kernels/score_weights.h"
#include "kernels/scores.h"
#include "lib/base/memory.h"
#include "lib/base/progress.h"

enum {
  KEPT_ROWS = 192,      /* at most: whole rows of scores that are kept, */
  MOST_BYTES = 1 << 25, /* and their bytes */
  LINE = 64,            /* bytes of a cache line */
  FEW_ROWS = 64         /* that are not worth a second thread */
};

static const double log2_e = 1.44269504088896340736;

/* What all threads share. */
struct plan {
  const struct score_pass *pass;
  const struct score_batch *batch;
  const struct score_arithmetic *arithmetic;
  const struct reduction_rule *rule;
  struct row_softmax softmax;
  struct row_blocks blocks;
  const void *key;             /* (draw, position, dim) as they enter the product */
  bool keep_rows;              /* tiles of weights need a row's sum before its first weight */
  bool by_draw;                /* something needs the scores of each draw by itself */
  size_t rows, stride, parts;  /* of a block: rows, scores in a row, parts in a row; at most */
  struct weight_sums *weights; /* (block, draw) */
};

/* What a thread works with. */
struct room {
  char *query;             /* (draw, row, dim) */
  char *score;             /* (row, stride) of one draw */
  char *average;           /* (row, stride) over the draws */
  double *vector;          /* (dim) */
  double *value, *folded;  /* (PART_KEYS) */
  double *cells;           /* (column) of a part of a row of tiles */
  double *peak;            /* (row, part) of the exponentials; then what makes them weights */
  struct row_weights *row; /* (draw, row) */
  double *diagonals;       /* of a block */
};

static size_t smaller(size_t a, size_t b) {
  return a < b ? a : b;
}

/* Bytes of arrays, each from a cache line on. */
static size_t padded(size_t count, size_t size) {
  const size_t bytes = size_product(count, size);
  return bytes > SIZE_MAX - LINE ? SIZE_MAX : (bytes + LINE - 1) / LINE * LINE;
}

/* Cuts the room of a thread out of `memory`; returns its size, also for NULL. */
static size_t room_place(const struct plan *plan, struct room *room, char *memory) {
  const struct score_batch *batch = plan->batch;
  const size_t size = plan->arithmetic->size, scores = size_product(plan->rows, plan->stride);
  const size_t queries = size_product(batch->batch, plan->rows);
  const bool tiles = plan->pass->tiles;
  void **const array[] = {(void **)&room->query,    (void **)&room->score, (void **)&room->average,
                          (void **)&room->vector,   (void **)&room->value, (void **)&room->folded,
                          (void **)&room->cells,    (void **)&room->peak,  (void **)&room->row,
                          (void **)&room->diagonals};
  const size_t bytes[] = {
      padded(size_product(queries, batch->dim), size),
      padded(scores, size),
      padded(tiles && plan->by_draw && batch->batch > 1 ? scores : 0, size),
      padded(batch->dim, sizeof *room->vector),
      padded(PART_KEYS, sizeof *room->value),
      padded(PART_KEYS, sizeof *room->folded),
      padded(tiles ? plan->pass->grid->columns : 0, sizeof *room->cells),
      padded(plan->keep_rows ? size_product(plan->rows, plan->parts) : 0, sizeof *room->peak),
      padded(queries, sizeof *room->row),
      padded(plan->pass->diagonals ? diagonals_room(batch, plan->rows) : 0,
             sizeof *room->diagonals)};
  size_t used = 0;
  for (size_t a = 0; a < sizeof array / sizeof *array; a++) {
    if (memory) *array[a] = memory + used;
    if (__builtin_add_overflow(used, bytes[a], &used)) return SIZE_MAX;
  }
  return used;
}

static void prepare_queries(const struct plan *plan, const struct row_block *block,
                            struct room *room) {
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
static size_t visible_end(const struct plan *plan, const struct row_block *block) {
  return plan->batch->causal ? block->row_end : plan->batch->length;
}

static struct score_part part_at(const struct plan *plan, const struct row_block *block,
                                 size_t draw, size_t key, char *score) {
  return (struct score_part){
      .arithmetic = plan->arithmetic,
      .causal = plan->batch->causal,
      .draw = draw,
      .row = block->row,
      .row_end = block->row_end,
      .key = key,
      .key_end = smaller(key + PART_KEYS, visible_end(plan, block)),
      .score = score + (plan->keep_rows ? key * plan->arithmetic->size : 0),
      .stride = plan->stride,
  };
}

/* The scores of a part, or `share` of them added to those of the draws before. */
static void multiply(const struct plan *plan, const struct score_part *part,
                     const struct room *room, double share, bool add) {
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

/* Scores become exponentials. */
static void take_weights(const struct plan *plan, const struct score_part *part,
                         struct room *room) {
  struct row_weights *rows = room->row + part->draw * plan->rows;
  for (size_t m = part->row; m < part->row_end; m++) {
    const size_t r = m - part->row, visible = score_part_visible(part, m);
    if (!visible) continue;
    row_weights_add(rows + r, &plan->softmax, m, part->key, score_part_row(part, m), visible);
    if (plan->keep_rows) room->peak[r * plan->parts + part->key / PART_KEYS] = rows[r].peak;
  }
}

/* All that is wanted of each draw by itself; the scores are exponentials after it, if weights are
   wanted. */
static void use_scores(const struct plan *plan, const struct score_part *part, struct room *room,
                       struct score_range *range) {
  if (plan->pass->diagonals)
    diagonals_add(plan->pass->diagonals, part, room->value, room->diagonals);
  if (plan->pass->range) score_range_add(range, part, room->value);
  if (plan->pass->weights || plan->keep_rows) take_weights(plan, part, room);
}

/* Adds the share of one draw to the average, row by row. */
static void add_to_average(const struct plan *plan, const struct score_part *part,
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
static void pass_scores(const struct plan *plan, const struct tile_fold *fold, struct room *room,
                        struct score_range *range) {
  const size_t draws = plan->batch->batch;
  const bool tiles = plan->pass->tiles, average = plan->by_draw && tiles && draws > 1;
  for (size_t key = 0; key < visible_end(plan, &fold->block); key += PART_KEYS) {
    const struct score_part mean =
        part_at(plan, &fold->block, 0, key, average ? room->average : room->score);
    for (size_t draw = 0; draw < draws; draw++) {
      const struct score_part part = part_at(plan, &fold->block, draw, key, room->score);
      const double share = plan->by_draw ? 1 : 1 / (double)draws;
      multiply(plan, &part, room, share, draw && !plan->by_draw);
      if (average) add_to_average(plan, &part, &mean, NULL);
      if (tiles && !average && draw + 1 == draws) tile_fold_add(fold, &mean, NULL, 0);
      if (plan->by_draw) use_scores(plan, &part, room, range);
    }
    if (average) tile_fold_add(fold, &mean, NULL, 0);
  }
}

/* Tiles of weights: a draw's rows are kept until their sums are known. */
static void pass_weights(const struct plan *plan, const struct tile_fold *fold, struct room *room,
                         struct score_range *range) {
  const size_t draws = plan->batch->batch, end = visible_end(plan, &fold->block);
  const size_t rows = fold->block.row_end - fold->block.row;
  for (size_t draw = 0; draw < draws; draw++) {
    for (size_t key = 0; key < end; key += PART_KEYS) {
      const struct score_part part = part_at(plan, &fold->block, draw, key, room->score);
      multiply(plan, &part, room, 1, false);
      use_scores(plan, &part, room, range);
    }
    for (size_t r = 0; r < rows; r++)
      for (size_t p = 0; p * PART_KEYS < end; p++)
        room->peak[r * plan->parts + p] =
            row_weights_factor(room->row + draw * plan->rows + r, room->peak[r * plan->parts + p]);
    for (size_t key = 0; key < end; key += PART_KEYS) {
      const struct score_part part = part_at(plan, &fold->block, draw, key, room->score);
      const double *factor = room->peak + key / PART_KEYS;
      if (draws == 1) {
        tile_fold_add(fold, &part, factor, plan->parts);
        continue;
      }
      const struct score_part mean = part_at(plan, &fold->block, draw, key, room->average);
      add_to_average(plan, &part, &mean, factor);
      if (draw + 1 == draws) tile_fold_add(fold, &mean, NULL, 0);
    }
  }
}

static void finish_weights(const struct plan *plan, const struct row_block *block, size_t index,
                           const struct room *room) {
  for (size_t draw = 0; draw < plan->batch->batch; draw++) {
    struct weight_sums *sums = plan->weights + index * plan->batch->batch + draw;
    for (size_t r = 0; r < block->row_end - block->row; r++)
      row_weights_finish(room->row + draw * plan->rows + r, sums);
  }
}

/* All of a block that does not touch what threads share. */
static void run_block(const struct plan *plan, const struct tile_fold *fold, size_t index,
                      struct room *room, struct score_range *range) {
  const struct row_block *block = &fold->block;
  prepare_queries(plan, block, room);
  for (size_t r = 0; r < plan->batch->batch * plan->rows; r++)
    row_weights_start(room->row + r);
  if (plan->pass->diagonals)
    diagonals_start(plan->pass->diagonals, block->row_end - block->row, room->diagonals);
  for (size_t c = 0; plan->pass->tiles && c < plan->pass->grid->columns; c++)
    room->cells[c] = plan->rule->identity;
  if (plan->keep_rows)
    pass_weights(plan, fold, room, range);
  else
    pass_scores(plan, fold, room, range);
  if (plan->pass->weights) finish_weights(plan, block, index, room);
}

/* A block's share in what threads share, one block after the other. */
static void join_block(const struct plan *plan, const struct row_block *block, bool whole,
                       const struct room *room) {
  const size_t columns = plan->pass->grid->columns, rows = block->row_end - block->row;
  if (plan->pass->diagonals)
    diagonals_join(plan->pass->diagonals, block->row_end, rows, room->diagonals);
  double *cells = plan->batch->tiles.cells + block->tile * columns;
  for (size_t c = 0; plan->pass->tiles && !whole && c < columns; c++)
    cells[c] = plan->rule->join(cells[c], room->cells[c]);
}

/* The last blocks come first: under a causal mask they are the longest. */
static void run_blocks(const struct plan *plan, char *memory, size_t bytes) {
  const struct score_pass *pass = plan->pass;
  const size_t columns = pass->grid->columns, blocks = plan->blocks.count;
  const bool whole = plan->blocks.parts == 1;
  char *start = (char *)(((uintptr_t)memory + LINE - 1) / LINE * LINE);
  uint64_t done = 0;
#pragma omp parallel if (blocks > 1)
  {
    struct room room;
    struct score_range range = {INFINITY, -INFINITY};
    room_place(plan, &room, start + (size_t)omp_get_thread_num() * bytes);
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
      run_block(plan, &fold, index, &room, &range);
#pragma omp ordered
      join_block(plan, &block, whole, &room);
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
}

static void finish_pass(const struct plan *plan) {
  const struct score_batch *batch = plan->batch;
  const struct score_pass *pass = plan->pass;
#pragma omp parallel for schedule(static) if (pass->tiles && pass->grid->rows > FEW_ROWS)
  for (size_t t = 0; t < (pass->tiles ? pass->grid->rows : 0); t++)
    tiles_finish(pass->grid, plan->rule, batch->causal, t,
                 batch->tiles.cells + t * pass->grid->columns);
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

/* The keys as they enter the product: the caller's own array where nothing is done to them. */
static const void *prepare_keys(const struct plan *plan, void **owned, struct error *error) {
  const struct score_batch *batch = plan->batch;
  const size_t size = plan->arithmetic->size, dim = batch->dim;
  *owned = NULL;
  if (batch->key && !batch->key_add && !batch->rotation && !batch->single) return batch->key;
  const size_t count = size_product(batch->batch, batch->length);
  const size_t threads = (size_t)omp_get_max_threads();
  char *key = memory_array(size_product(count, dim), size, "the rotated keys", error);
  double *vectors = key ? memory_array(size_product(threads, dim + LINE), sizeof *vectors,
                                       "a vector for each thread", error)
                        : NULL;
  if (!vectors) {
    free(key);
    return NULL;
  }
#pragma omp parallel for schedule(static) if (count > FEW_ROWS)
  for (size_t r = 0; r < count; r++) {
    double *vector = vectors + (size_t)omp_get_thread_num() * (dim + LINE);
    score_rows_key(plan->pass->rows, r / batch->length, r % batch->length, vector);
    plan->arithmetic->store(vector, dim, key + r * dim * size);
  }
  free(vectors);
  return *owned = key;
}

static struct plan plan_of(const struct score_pass *pass) {
  const struct score_batch *batch = pass->rows->batch;
  struct plan plan = {
      .pass = pass,
      .batch = batch,
      .arithmetic = batch->single ? &score_arithmetic_single : &score_arithmetic_double,
      .rule = reduction_rule(batch->tiles.reduction),
      .keep_rows = pass->tiles && batch->softmax,
      .rows = PART_ROWS,
      .stride = PART_KEYS,
      .parts = (batch->length + PART_KEYS - 1) / PART_KEYS,
  };
  plan.by_draw = plan.keep_rows || pass->diagonals || pass->weights || pass->range;
  plan.softmax = (struct row_softmax){plan.arithmetic, batch->scale * log2_e, pass->weights};
  if (plan.keep_rows) {
    /* Rows whose length is a power of two would fall on each other in the cache. */
    plan.stride = (batch->length + 31) / 16 * 16;
    const size_t fit = MOST_BYTES / (plan.stride * plan.arithmetic->size);
    plan.rows = fit < 1 ? 1 : smaller(fit, KEPT_ROWS);
  }
  plan.rows = smaller(plan.rows, batch->length);
  plan.blocks = row_blocks_of(pass->grid, plan.rows);
  return plan;
}

int scores_pass(const struct score_pass *pass, struct error *error) {
  struct plan plan = plan_of(pass);
  const struct score_batch *batch = plan.batch;
  struct room room;
  const size_t threads = (size_t)omp_get_max_threads(), bytes = room_place(&plan, &room, NULL);
  void *owned;
  plan.key = prepare_keys(&plan, &owned, error);
  char *memory = NULL;
  if (plan.key)
    memory = memory_array(size_product(threads, bytes) / LINE + 1, LINE, "the scores of some rows",
                          error);
  if (memory)
    plan.weights = memory_array(pass->weights ? size_product(plan.blocks.count, batch->batch) : 0,
                                sizeof *plan.weights, "the sums of the weights", error);
  const int status = plan.weights ? OK : error->code;
  if (!status) {
    const size_t cells = pass->tiles ? pass->grid->rows * pass->grid->columns : 0;
    for (size_t c = 0; c < cells; c++)
      batch->tiles.cells[c] = plan.rule->identity;
    run_blocks(&plan, memory, bytes);
    finish_pass(&plan);
  }
  free(plan.weights);
  free(memory);
  free(owned);
  return status;
}

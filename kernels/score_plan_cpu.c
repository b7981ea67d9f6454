#include "kernels/score_plan.h"

#include <omp.h>
#include <stdlib.h>

#include "kernels/cpu.h"
#include "lib/base/memory.h"

enum {
  KEPT_ROWS = 192,      /* at most: whole rows of scores that are kept, */
  MOST_BYTES = 1 << 25, /* and their bytes */
};

/* Bytes of arrays, each from a cache line on. */
static size_t padded(size_t count, size_t size) {
  const size_t bytes = size_product(count, size);
  return bytes > SIZE_MAX - CACHE_LINE ? SIZE_MAX
                                       : (bytes + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
}

size_t score_room_place(const struct score_plan *plan, struct score_room *room, char *memory) {
  room->status = OK;
  const struct score_batch *batch = plan->batch;
  const size_t size = plan->arithmetic->size, scores = size_product(plan->rows, plan->stride);
  const size_t queries = size_product(batch->batch, plan->rows);
  const bool tiles = plan->pass->tiles;
  void **const array[] = {
      (void **)&room->query,     (void **)&room->score, (void **)&room->average,
      (void **)&room->vector,    (void **)&room->value, (void **)&room->folded,
      (void **)&room->cells,     (void **)&room->peak,  (void **)&room->row,
      (void **)&room->diagonals, (void **)&room->terms, (void **)&room->exponent};
  const size_t part = size_product(plan->rows, PART_KEYS);
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
             sizeof *room->diagonals),
      padded(batch->terms ? part : 0, sizeof *room->terms),
      padded(plan->own_exponent ? part : 0, size)};
  size_t used = 0;
  for (size_t a = 0; a < sizeof array / sizeof *array; a++) {
    if (memory) *array[a] = memory + used;
    if (__builtin_add_overflow(used, bytes[a], &used)) return SIZE_MAX;
  }
  return used;
}

/* The keys as they enter the product: the caller's own array where nothing is done to them. */
static int prepare_keys(struct score_plan *plan, struct error *error) {
  const struct score_batch *batch = plan->batch;
  const size_t size = plan->arithmetic->size, dim = batch->dim;
  plan->key = batch->key;
  if (batch->key && !batch->key_add && !batch->rotation && !batch->single) return OK;
  const size_t count = size_product(batch->batch, batch->length);
  const size_t threads = (size_t)omp_get_max_threads();
  char *key = memory_array(size_product(count, dim), size, "the rotated keys", error);
  plan->key = plan->own_key = key;
  if (!key) return error->code;
  double *vectors = memory_array(size_product(threads, dim + CACHE_LINE), sizeof *vectors,
                                 "a vector for each thread", error);
  if (!vectors) return error->code;
#pragma omp parallel for schedule(static) if (count > FEW_ROWS)
  for (size_t r = 0; r < count; r++) {
    double *vector = vectors + (size_t)omp_get_thread_num() * (dim + CACHE_LINE);
    score_rows_key(plan->pass->rows, r / batch->length, r % batch->length, vector);
    plan->arithmetic->store(vector, dim, key + r * dim * size);
  }
  free(vectors);
  return OK;
}

static void choose_blocks(struct score_plan *plan) {
  const struct score_batch *batch = plan->batch;
  plan->rows = PART_ROWS;
  plan->stride = PART_KEYS;
  plan->parts = (batch->length + PART_KEYS - 1) / PART_KEYS;
  if (plan->keep_rows) {
    /* Rows whose length is a power of two would fall on each other in the cache. */
    plan->stride = (batch->length + 31) / 16 * 16;
    const size_t fit = MOST_BYTES / (plan->stride * plan->arithmetic->size);
    plan->rows = fit < 1 ? 1 : smaller(fit, KEPT_ROWS);
  }
  plan->rows = smaller(plan->rows, batch->length);
  plan->blocks = row_blocks_of(plan->pass->grid, plan->rows);
}

int score_plan_open(struct score_plan *plan, const struct score_pass *pass, struct error *error) {
  const struct score_batch *batch = pass->rows->batch;
  *plan = (struct score_plan){
      .pass = pass,
      .batch = batch,
      .arithmetic = batch->single ? &score_arithmetic_single : &score_arithmetic_double,
      .rule = reduction_rule(batch->tiles.reduction),
      .keep_rows = pass->tiles && batch->softmax,
  };
  plan->by_draw =
      plan->keep_rows || pass->diagonals || pass->weights || pass->range || batch->terms;
  plan->own_exponent =
      batch->terms && batch->terms->after_scale && (plan->keep_rows || pass->weights);
  plan->softmax = (struct row_softmax){plan->arithmetic, batch->scale * LOG2_E, pass->weights};
  choose_blocks(plan);
  struct score_room room;
  plan->room = score_room_place(plan, &room, NULL);
  int status = score_bias_open(&plan->bias, batch, plan->arithmetic, error);
  if (!status) status = prepare_keys(plan, error);
  if (!status) {
    const size_t sums = pass->weights ? size_product(plan->blocks.count, batch->batch) : 0;
    plan->weights = memory_array(sums, sizeof *plan->weights, "the sums of the weights", error);
    if (!plan->weights) status = error->code;
  }
  if (status) score_plan_close(plan);
  return status;
}

void score_plan_close(struct score_plan *plan) {
  free(plan->weights);
  free(plan->own_key);
  score_bias_close(&plan->bias);
}

/* Scores of queries and keys, averaged over the batch and reduced to tiles:

     S(m, n) = (1/B) Σ_b q_bm · k_bn,   or with softmax over the keys n' that query m may see
     S(m, n) = (1/B) Σ_b exp(scale·q_bm·k_bn) / Σ_n' exp(scale·q_bm·k_bn')

   One thread takes whole rows of tiles; of its rows it holds ROWS × length scores at a time. */
#include <cblas.h>
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/cpu.h"
#include "kernels/reduction.h"
#include "kernels/scores.h"
#include "lib/base/memory.h"
#include "lib/base/progress.h"

enum { MOST_ROWS = 64, MOST_SCORES = 1 << 22 }; /* of a block: 32 MiB */

struct pass {
  const struct score_rows *rows;
  const struct score_batch *batch;
  const struct reduction_rule *rule;
  const struct grid *grid;
  const double *key; /* (draw, position, dim) as they enter the product */
  size_t block;      /* rows of a block */
};

/* What a thread works with: (row of the block, ...). */
struct buffers {
  double *query; /* (row, dim) */
  double *score; /* (row, key) of one draw, or the sum over the draws */
  double
      *weight; /* (row, key) the average of softmax weights; the same as score for a single draw */
};

/* The keys that a query at position m may see: 0 .. result − 1. */
static size_t visible_keys(const struct score_batch *batch, size_t m) {
  return batch->causal ? m + 1 : batch->length;
}

/* The largest value is subtracted first: no exponential is over 1, and one of them is 1. */
static void softmax(double *score, size_t count, double scale) {
  double peak = -INFINITY, total = 0;
  for (size_t n = 0; n < count; n++) {
    score[n] *= scale;
    peak = score[n] > peak ? score[n] : peak;
  }
  for (size_t n = 0; n < count; n++) {
    score[n] = exp(score[n] - peak);
    total += score[n];
  }
  for (size_t n = 0; n < count; n++)
    score[n] /= total;
}

/* Softmax of each row of the block, and its share in the average over the draws. */
static void average_weights(const struct pass *pass, struct buffers *buffers, size_t first,
                            size_t rows, size_t draw) {
  const struct score_batch *batch = pass->batch;
  for (size_t r = 0; r < rows; r++) {
    double *score = buffers->score + r * batch->length,
           *weight = buffers->weight + r * batch->length;
    const size_t count = visible_keys(batch, first + r);
    softmax(score, count, batch->scale);
    if (weight == score) continue;
    for (size_t n = 0; n < count; n++)
      weight[n] = (draw ? weight[n] : 0) + score[n] / (double)batch->batch;
  }
}

/* The scores of `rows` queries from `first` on, averaged over the batch. */
static void score_block(const struct pass *pass, struct buffers *buffers, size_t first,
                        size_t rows) {
  const struct score_batch *batch = pass->batch;
  const size_t keys = visible_keys(batch, first + rows - 1), dim = batch->dim;
  for (size_t draw = 0; draw < batch->batch; draw++) {
    for (size_t r = 0; r < rows; r++)
      score_rows_query(pass->rows, draw, first + r, buffers->query + r * dim);
    const double share = batch->softmax ? 1 : 1 / (double)batch->batch;
    const double keep = batch->softmax || !draw ? 0 : 1;
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)rows, (int)keys, (int)dim, share,
                buffers->query, (int)dim, pass->key + draw * batch->length * dim, (int)dim, keep,
                buffers->score, (int)batch->length);
    if (batch->softmax) average_weights(pass, buffers, first, rows, draw);
  }
}

/* Adds the scores of query m to the cells of its row of tiles, which starts at query `row`. */
static void reduce_row(const struct pass *pass, const double *score, size_t m, size_t row,
                       double *cells) {
  const size_t visible = visible_keys(pass->batch, m), *edge = pass->grid->column;
  for (size_t c = 0; c < pass->batch->tiles.columns && edge[c] < visible; c++) {
    const size_t end = edge[c + 1] < visible ? edge[c + 1] : visible;
    const double part = pass->rule->segment(score + edge[c], end - edge[c]);
    const bool first = m == row || (pass->batch->causal && m == edge[c]); /* of this tile */
    cells[c] = first ? part : pass->rule->join(cells[c], part);
  }
}

/* Divides means by the number of scores, and marks tiles that are masked as a whole. */
static void finish_cells(const struct pass *pass, size_t tile_row, double *cells) {
  for (size_t c = 0; c < pass->batch->tiles.columns; c++) {
    const struct tile tile = grid_tile(pass->grid, tile_row, c);
    const uint64_t count = tile_unmasked(&tile, pass->batch->causal);
    if (!count)
      cells[c] = NAN;
    else if (pass->rule->mean)
      cells[c] /= (double)count;
  }
}

/* Rows of tiles first .. end − 1. */
static void reduce_tiles(const struct pass *pass, struct buffers *buffers, size_t first,
                         size_t end) {
  const struct score_batch *batch = pass->batch;
  const size_t columns = batch->tiles.columns, *edge = pass->grid->row, last = edge[end];
  const double *averaged = batch->softmax ? buffers->weight : buffers->score;
  size_t t = first, block_start = edge[first], block_end = edge[first];
  for (size_t m = edge[first]; m < last; m++) {
    if (m == block_end) {
      block_start = m;
      block_end = last - m < pass->block ? last : m + pass->block;
      score_block(pass, buffers, block_start, block_end - block_start);
    }
    if (m == edge[t + 1]) t++;
    reduce_row(pass, averaged + (m - block_start) * batch->length, m, edge[t],
               batch->tiles.cells + t * columns);
  }
  for (t = first; t < end; t++)
    finish_cells(pass, t, batch->tiles.cells + t * columns);
}

static int run_pass(const struct pass *pass, struct error *error) {
  const struct score_batch *batch = pass->batch;
  const size_t tile_rows = batch->tiles.rows;
  const bool average = batch->softmax && batch->batch > 1;
  const size_t scores = pass->block * batch->length, queries = pass->block * batch->dim;
  const size_t threads = (size_t)omp_get_max_threads();
  const size_t doubles = queries + scores * (average ? 2 : 1);
  double *memory = memory_array(size_product(threads, doubles), sizeof *memory,
                                "a block of scores for each thread", error);
  if (!memory) return error->code;
  const size_t unit = pass->block / (batch->length / tile_rows) + 1; /* tile rows of a block */
  uint64_t done = 0;
#pragma omp parallel for schedule(dynamic) if (tile_rows > unit)
  for (size_t first = 0; first < tile_rows; first += unit) {
    double *own = memory + (size_t)omp_get_thread_num() * doubles;
    struct buffers buffers = {own, own + queries, own + queries + (average ? scores : 0)};
    const size_t end = tile_rows - first < unit ? tile_rows : first + unit;
    reduce_tiles(pass, &buffers, first, end);
    uint64_t now;
#pragma omp atomic capture
    now = done += end - first;
    progress_report(now, tile_rows);
  }
  free(memory);
  return OK;
}

/* The keys as they enter the product: the caller's own array where nothing is done to them. */
static const double *prepare_keys(const struct score_rows *rows, double **owned,
                                  struct error *error) {
  const struct score_batch *batch = rows->batch;
  *owned = NULL;
  if (batch->key && !batch->key_add && !batch->rotation) return batch->key;
  const size_t count = size_product(batch->batch, batch->length);
  double *key =
      memory_array(size_product(count, batch->dim), sizeof *key, "the rotated keys", error);
  if (!key) return NULL;
#pragma omp parallel for schedule(static) if (count > MOST_ROWS)
  for (size_t r = 0; r < count; r++)
    score_rows_key(rows, r / batch->length, r % batch->length, key + r * batch->dim);
  return *owned = key;
}

int scores_exact(const struct score_rows *rows, const struct grid *grid, struct error *error) {
  const struct score_batch *batch = rows->batch;
  const size_t fit = MOST_SCORES / batch->length;
  double *owned;
  const double *key = prepare_keys(rows, &owned, error);
  if (!key) return error->code;
  const struct pass pass = {
      .rows = rows,
      .batch = batch,
      .rule = reduction_rule(batch->tiles.reduction),
      .grid = grid,
      .key = key,
      .block = fit < 1           ? 1
               : fit > MOST_ROWS ? MOST_ROWS
                                 : fit,
  };
  const int status = run_pass(&pass, error);
  free(owned);
  return status;
}

int scores_cpu(const struct score_batch *batch, struct error *error) {
  struct score_rows rows;
  struct grid grid;
  if (grid_open(&grid, &batch->tiles, batch->length, error)) return error->code;
  int status = score_rows_open(&rows, batch, error);
  if (!status) {
    const bool linear = batch->tiles.reduction == REDUCE_MEAN && !batch->softmax;
    status = linear ? scores_mean(&rows, &grid, error) : scores_exact(&rows, &grid, error);
    score_rows_close(&rows);
  }
  grid_close(&grid);
  return status;
}

/* Σ S(m, n)·S(n, m) without any score: with S = Q Kᵀ it is the trace of S S, and

     tr(Q Kᵀ Q Kᵀ) = tr(G G) = Σ_ij G_ij·G_ji,   G = Kᵀ Q   (dim, dim)

   in O(length · dim²) instead of O(length² · dim). A bias b adds, with A = Q Kᵀ and over distances
   t of n_t scores,

     2 Σ_mn A(m, n)·b(n − m) + Σ_t n_t·b(t)·b(−t) = Σ_t b(−t)·(2 Σ_{m−n=t} S(m, n) − n_t·b(t))

   which the sums along the diagonals hold already. Terms leave no such way: with them every score
   is made, a square of the map together with the one that mirrors it. */
#include <cblas.h>
#include <math.h>
#include <omp.h>
#include <stdlib.h>

#include "kernels/cpu.h"
#include "kernels/score_terms.h"
#include "kernels/scores.h"
#include "lib/base/memory.h"

enum { ROWS = 128 }; /* of a product, and of a square of the map */

/* `room`: (dim, dim) for G, and ROWS queries and keys. */
static double trace_of(const struct score_rows *rows, size_t draw, double *room) {
  const size_t dim = rows->batch->dim, length = rows->batch->length;
  double *product = room, *query = room + dim * dim, *key = query + ROWS * dim, sum = 0;
  for (size_t first = 0; first < length; first += ROWS) {
    const size_t count = length - first < ROWS ? length - first : ROWS;
    for (size_t m = 0; m < count; m++) {
      score_rows_query(rows, draw, first + m, query + m * dim);
      score_rows_key(rows, draw, first + m, key + m * dim);
    }
    cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (int)dim, (int)dim, (int)count, 1, key,
                (int)dim, query, (int)dim, first ? 1 : 0, product, (int)dim);
  }
  for (size_t i = 0; i < dim; i++)
    for (size_t j = 0; j < dim; j++)
      sum += product[i * dim + j] * product[j * dim + i];
  return sum;
}

/* What a thread takes squares of the map with. */
struct square_room {
  double *query, *key;      /* (ROWS, dim) */
  double *score, *mirrored; /* (ROWS, ROWS) */
};

static size_t square_room_place(size_t dim, struct square_room *room, double *memory) {
  if (memory)
    *room = (struct square_room){memory, memory + ROWS * dim, memory + 2 * ROWS * dim,
                                 memory + 2 * ROWS * dim + ROWS * ROWS};
  return size_product(2 * ROWS, dim + ROWS);
}

/* The scores (query, key) of one block. */
static int square_of(const struct score_rows *rows, const struct score_block *block,
                     const struct square_room *room, double *score, struct error *error) {
  const struct score_batch *batch = rows->batch;
  const size_t dim = batch->dim;
  if (score_terms_fill(batch, block, score, error)) return error->code;
  for (size_t m = 0; m < block->rows; m++)
    score_rows_query(rows, block->draw, block->row + m, room->query + m * dim);
  for (size_t n = 0; n < block->keys; n++)
    score_rows_key(rows, block->draw, block->key + n, room->key + n * dim);
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)block->rows, (int)block->keys, (int)dim,
              1, room->query, (int)dim, room->key, (int)dim, 1, score, (int)block->keys);
  for (size_t m = 0; batch->bias && m < block->rows; m++)
    for (size_t n = 0; n < block->keys; n++)
      score[m * block->keys + n] +=
          batch->bias[block->row + m + batch->length - 1 - block->key - n];
  return OK;
}

/* Σ S(m, n)·S(n, m) over queries of one block of rows and keys up to its end, those before the
   block twice. */
static int mirrored_sum(const struct score_rows *rows, size_t draw, size_t row,
                        const struct square_room *room, double *sum, struct error *error) {
  const size_t length = rows->batch->length, left = length - row, count = left < ROWS ? left : ROWS;
  *sum = 0;
  for (size_t key = 0; key <= row; key += ROWS) {
    const struct score_block block = {draw, row, count, key, key < row ? (size_t)ROWS : count};
    const struct score_block mirror = {draw, key, block.keys, row, count};
    const double *mirrored = key < row ? room->mirrored : room->score;
    if (square_of(rows, &block, room, room->score, error) ||
        (key < row && square_of(rows, &mirror, room, room->mirrored, error)))
      return error->code;
    double part = 0;
    for (size_t m = 0; m < block.rows; m++)
      for (size_t n = 0; n < block.keys; n++)
        part += room->score[m * block.keys + n] * mirrored[n * block.rows + m];
    *sum += key < row ? 2 * part : part;
  }
  return OK;
}

/* `part`: (draw, block of rows) room for the sums. */
static int run_squares(const struct score_rows *rows, double *part, double *memory,
                       struct error *error) {
  const struct score_batch *batch = rows->batch;
  const size_t blocks = (batch->length + ROWS - 1) / ROWS;
  int failed = OK;
#pragma omp parallel if (blocks * batch->batch > 1)
  {
    struct square_room room;
    const size_t doubles = square_room_place(batch->dim, &room, NULL);
    square_room_place(batch->dim, &room, memory + (size_t)omp_get_thread_num() * doubles);
#pragma omp for schedule(dynamic)
    for (size_t i = 0; i < blocks * batch->batch; i++) {
      struct error own;
      int skip;
#pragma omp atomic read
      skip = failed;
      if (skip || !mirrored_sum(rows, i / blocks, i % blocks * ROWS, &room, part + i, &own))
        continue;
#pragma omp critical
      {
        if (!failed) *error = own;
#pragma omp atomic write
        failed = own.code;
      }
    }
  }
  for (size_t i = 0; !failed && i < blocks * batch->batch; i++)
    batch->sums[i / blocks].symmetric =
        (i % blocks ? batch->sums[i / blocks].symmetric : 0) + part[i];
  return failed;
}

static int sum_squares(const struct score_rows *rows, struct error *error) {
  const struct score_batch *batch = rows->batch;
  struct square_room room;
  const size_t parts = size_product((batch->length + ROWS - 1) / ROWS, batch->batch),
               doubles = size_product((size_t)omp_get_max_threads(),
                                      square_room_place(batch->dim, &room, NULL));
  double *part = memory_array(parts, sizeof *part, "the sums of mirrored scores", error);
  double *memory = part ? memory_array(doubles, sizeof *memory, "squares of the map", error) : NULL;
  int status = ERROR_FAILED;
  if (memory) status = run_squares(rows, part, memory, error);
  free(memory);
  free(part);
  return status;
}

int scores_symmetric(const struct score_rows *rows, struct error *error) {
  const struct score_batch *batch = rows->batch;
  const bool masked = batch->causal || score_bias_masks(batch);
  for (size_t draw = 0; masked && draw < batch->batch; draw++)
    batch->sums[draw].symmetric = NAN;
  if (masked) return OK;
  if (batch->terms) return sum_squares(rows, error);
  const size_t threads = (size_t)omp_get_max_threads(), dim = batch->dim;
  const size_t doubles = size_product(dim, dim + 2 * ROWS);
  double *memory = memory_array(size_product(threads, doubles), sizeof *memory,
                                "the products of queries and keys", error);
  if (!memory) return error->code;
#pragma omp parallel for schedule(dynamic) if (batch->batch > 1)
  for (size_t draw = 0; draw < batch->batch; draw++)
    batch->sums[draw].symmetric +=
        trace_of(rows, draw, memory + (size_t)omp_get_thread_num() * doubles);
  free(memory);
  return OK;
}

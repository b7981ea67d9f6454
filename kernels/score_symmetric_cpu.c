/* Σ S(m, n)·S(n, m) without any score: with S = Q Kᵀ it is the trace of S S, and

     tr(Q Kᵀ Q Kᵀ) = tr(G G) = Σ_ij G_ij·G_ji,   G = Kᵀ Q   (dim, dim)

   in O(length · dim²) instead of O(length² · dim). A bias b adds, with A = Q Kᵀ and over distances
   t of n_t scores,

     2 Σ_mn A(m, n)·b(n − m) + Σ_t n_t·b(t)·b(−t) = Σ_t b(−t)·(2 Σ_{m−n=t} S(m, n) − n_t·b(t))

   which the sums along the diagonals hold already. */
#include <cblas.h>
#include <math.h>
#include <omp.h>
#include <stdlib.h>

#include "kernels/cpu.h"
#include "kernels/scores.h"
#include "lib/base/memory.h"

enum { ROWS = 128 }; /* of a product */

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

int scores_symmetric(const struct score_rows *rows, struct error *error) {
  const struct score_batch *batch = rows->batch;
  const bool masked = batch->causal || score_bias_masks(batch);
  for (size_t draw = 0; masked && draw < batch->batch; draw++)
    batch->sums[draw].symmetric = NAN;
  if (masked) return OK;
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

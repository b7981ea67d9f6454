/* What the CUDA files of the scores share: vectors as they enter the product, and how the axes of
   the map are cut for its reduction to cells. */
#ifndef ROPETOOL_KERNELS_CUDA_SCORES_H
#define ROPETOOL_KERNELS_CUDA_SCORES_H

#include "kernels/cuda_operations.h"
#include "kernels/cuda_phase.h"
#include "kernels/cuda_product.h"

extern "C" {
#include "kernels/grid.h"
#include "kernels/score_mask.h"
}

/* Queries and keys of a batch, rotated: (draw, depth, stride), positions fastest. */
template <class real> struct score_vectors {
  size_t draws, length, dim; /* as in the batch */
  size_t depth, stride;      /* dim and length, padded with zeros to whole tiles */
  real *query, *key;
};

/* Makes them (score_vectors_cuda.cu); for double and float. */
template <class real>
score_vectors<real> score_vectors_make(device_work &work, const struct score_batch *batch);

/* The bias of a batch, for all padded positions: of query m and key n at m − n + zero. */
template <class real> struct score_bias {
  size_t zero;
  const double *add;    /* NULL: none */
  const real *exponent; /* times log2(e), for the softmax */

  /* log2(e)·(scale·score + bias). */
  __device__ real exponent_of(real score, real scale, size_t m, size_t n) const {
    const real scaled = score * scale;
    if (!exponent) return scaled;
    const real bias = exponent[m + zero - n];
    return bias == (real)-INFINITY ? (real)-INFINITY : scaled + bias;
  }
};

/* Makes it (score_vectors_cuda.cu), for vectors of this stride; for double and float. */
template <class real>
score_bias<real> score_bias_make(device_work &work, const struct score_batch *batch, size_t stride);

/* Mean cells without softmax, from means of vectors (score_means_cuda.cu). */
void score_means(device_work &work, const struct score_batch *batch, const struct grid *grid);

/* Cells of every other kind, and sums of weights, from all scores (score_tiles_cuda.cu). */
template <class real>
void score_tiles(device_work &work, const struct score_batch *batch, const struct grid *grid);

/* The profile and the sums of scores of the batch (score_diagonals_cuda.cu). */
void score_diagonals_run(device_work &work, const struct score_batch *batch);

/* Cells from sums or largest values, as they come from the device: means are divided by the number
   of unmasked scores, and what is all masked is marked. */
void score_cells_finish(const struct score_batch *batch, const struct grid *grid);

#endif

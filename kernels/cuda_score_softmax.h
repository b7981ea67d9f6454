/* The softmax of rows of scores: what turns a score into a weight. */
#ifndef ROPETOOL_KERNELS_CUDA_SCORE_SOFTMAX_H
#define ROPETOOL_KERNELS_CUDA_SCORE_SOFTMAX_H

#include "kernels/cuda_scores.h"

/* The weight of a score of draw b and query m is 2^(score · scale + bias − peak) · factor, at b ·
   stride + m. */
template <class real> struct row_softmax {
  real scale; /* of the batch, times log2(e) */
  const real *peak, *factor;
};

__device__ static inline float power_of_two(float x) {
  return exp2f(x);
}
__device__ static inline double power_of_two(double x) {
  return exp2(x);
}

/* Goes over all scores once (score_softmax_cuda.cu); fills batch->weights if that is not NULL. */
template <class real>
row_softmax<real> row_softmax_make(device_work &work, const struct score_batch *batch,
                                   const score_vectors<real> &vectors,
                                   const score_bias<real> &bias);

#endif

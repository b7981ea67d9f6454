/* The operations of the CUDA plug-in, one file each; kernels/plugin_cuda.cu puts them into its
 * table. */
#ifndef ROPETOOL_KERNELS_CUDA_OPERATIONS_H
#define ROPETOOL_KERNELS_CUDA_OPERATIONS_H

#include "kernels/cuda_device.h"

int decay_bound_cuda(const struct decay_batch *batch, struct error *error);
int cosine_sum_cuda(const struct cosine_sum_batch *batch, struct error *error);
int phase_map_cuda(const struct phase_map_batch *batch, struct error *error);
int rotate_cuda(const struct rotate_batch *batch, struct error *error);
int gaussian_cuda(const struct gaussian_batch *batch, struct error *error);
int scores_cuda(const struct score_batch *batch, struct error *error);
int limit_cuda(const struct limit_batch *batch, struct error *error);

#endif

/* What the CPU and the GPU ask of scores before they choose a way, and the base they take powers
   of: softmax weights are powers of 2. */
#ifndef ROPETOOL_KERNELS_SCORE_MASK_H
#define ROPETOOL_KERNELS_SCORE_MASK_H

#include <math.h>

#include "kernels/backend.h"

#define LOG2_E 1.44269504088896340736

/* Whether the batch's bias masks a score that the causal mask does not. */
static inline bool score_bias_masks(const struct score_batch *batch) {
  const size_t distances = 2 * batch->length - 1, first = batch->causal ? batch->length - 1 : 0;
  for (size_t t = first; batch->bias && t < distances; t++)
    if (batch->bias[t] == -INFINITY) return true;
  return false;
}

/* Whether tiles are means that come from mean vectors: every score of a tile counts the same then.
 */
static inline bool score_tiles_linear(const struct score_batch *batch) {
  return batch->tiles.reduction == REDUCE_MEAN && !batch->softmax && !batch->terms &&
         !score_bias_masks(batch);
}

#endif

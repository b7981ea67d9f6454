#include "kernels/score_bias.h"

#include <math.h>
#include <stdlib.h>

#include "kernels/cpu.h"
#include "lib/base/memory.h"

int score_bias_open(struct score_bias *bias, const struct score_batch *batch,
                    const struct score_arithmetic *arithmetic, struct error *error) {
  *bias = (struct score_bias){NULL, NULL, NULL};
  if (!batch->bias) return OK;
  const size_t distances = 2 * batch->length - 1;
  const bool masks = score_bias_masks(batch);
  const char *what = "the bias of all distances";
  bias->add = memory_array(size_product(distances, masks ? 2 : 1), sizeof *bias->add, what, error);
  bias->exponent = bias->add ? memory_array(distances, arithmetic->size, what, error) : NULL;
  if (!bias->exponent) {
    score_bias_close(bias);
    return error->code;
  }
  for (size_t t = 0; t < distances; t++) {
    bias->add[t] = batch->bias[distances - 1 - t];
    const double exponent = LOG2_E * bias->add[t];
    arithmetic->store(&exponent, 1, (char *)bias->exponent + t * arithmetic->size);
  }
  if (!masks) return OK;
  bias->mask = bias->add + distances;
  for (size_t t = 0; t < distances; t++)
    bias->mask[t] = bias->add[t] == -INFINITY ? -INFINITY : 0;
  return OK;
}

void score_bias_close(struct score_bias *bias) {
  free(bias->add);
  free(bias->exponent);
  *bias = (struct score_bias){NULL, NULL, NULL};
}

VECTOR_CLONES
void score_bias_add(const double *restrict bias, size_t count, double masked,
                    double *restrict value) {
#pragma omp simd
  for (size_t n = 0; n < count; n++)
    value[n] = bias[n] == -INFINITY ? masked : value[n] + bias[n];
}

/* Angles m·θ_i, their cosines and sines: (row, pair). */
#include <omp.h>

#include "kernels/cpu.h"
#include "lib/base/phase.h"

static double frequency(const struct phases *phases, size_t pair) {
  return phases->inv_freq ? phases->inv_freq[pair] : 0;
}

static double quantity_of(const struct phase_map_batch *batch, size_t pair, int64_t position) {
  const struct phases *phases = &batch->phases;
  if (batch->quantity == PHASE_ANGLE)
    return phase_angle_rounded(phases->precision, phases->step[pair], frequency(phases, pair),
                               position);
  double cosine, sine;
  phase_cos_sin_rounded(phases->precision, phases->step[pair], frequency(phases, pair), position,
                        &cosine, &sine);
  return batch->quantity == PHASE_COSINE ? cosine : sine;
}

int phase_map_cpu(const struct phase_map_batch *batch, struct error *error) {
  (void)error;
  enum { FEW_ROWS = 64 }; /* that are not worth a second thread */
  const size_t pairs = batch->phases.pairs;
#pragma omp parallel for schedule(static) if (batch->rows > FEW_ROWS)
  for (size_t row = 0; row < batch->rows; row++)
    for (size_t i = 0; i < pairs; i++)
      batch->output[row * pairs + i] = quantity_of(batch, i, batch->position[row]);
  return OK;
}

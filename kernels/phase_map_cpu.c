/* Angles m·θ_i, their cosines and sines: (row, pair). */
#include <omp.h>

#include "kernels/cpu.h"
#include "lib/base/phase.h"

enum { CHUNK = 128 }; /* pairs whose other half, cosine or sine, is thrown away at a time */

static void angle_row(const struct phases *phases, int64_t position, double *output) {
  const double *inv_freq = phases->inv_freq;
  for (size_t i = 0; i < phases->pairs; i++)
    output[i] = phase_angle_rounded(phases->precision, phases->step[i], inv_freq ? inv_freq[i] : 0,
                                    position);
}

/* Cosines and sines come in twos; one of them is asked for. */
static void wave_row(const struct phase_map_batch *batch, int64_t position, double *output) {
  double other[CHUNK];
  for (size_t first = 0; first < batch->phases.pairs; first += CHUNK) {
    struct phases chunk = batch->phases;
    chunk.pairs = chunk.pairs - first < CHUNK ? chunk.pairs - first : CHUNK;
    chunk.step += first;
    if (chunk.inv_freq) chunk.inv_freq += first;
    double *wanted = output + first;
    if (batch->quantity == PHASE_COSINE)
      phase_row(&chunk, position, 1, wanted, other);
    else
      phase_row(&chunk, position, 1, other, wanted);
  }
}

int phase_map_cpu(const struct phase_map_batch *batch, struct error *error) {
  (void)error;
  enum { FEW_ROWS = 64 }; /* that are not worth a second thread */
  const size_t pairs = batch->phases.pairs;
#pragma omp parallel for schedule(static) if (batch->rows > FEW_ROWS)
  for (size_t row = 0; row < batch->rows; row++) {
    double *output = batch->output + row * pairs;
    if (batch->quantity == PHASE_ANGLE)
      angle_row(&batch->phases, batch->position[row], output);
    else
      wave_row(batch, batch->position[row], output);
  }
  return OK;
}

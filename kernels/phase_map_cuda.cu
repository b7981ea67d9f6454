/* Angles m·θ_i, their cosines and sines: the twin of phase_map_cpu.c. A thread per element:
   about 20 double and 50 other instructions for 8 bytes written. An H200 has 64 double units and
   issues 128 instructions a clock in each of 132 multiprocessors: 4e11 elements/s, 3.3 TB/s to its
   memory; the copy to the host, at some 5e10 bytes/s, is the limit. */
#include "kernels/cuda_operations.h"
#include "kernels/cuda_phase.h"

__global__ void phase_map_fill(device_phases phases, enum phase_quantity quantity, size_t rows,
                               const int64_t *position, double *output) {
  const size_t count = rows * phases.pairs, stride = (size_t)gridDim.x * blockDim.x;
  for (size_t e = (size_t)blockIdx.x * blockDim.x + threadIdx.x; e < count; e += stride) {
    const size_t pair = e % phases.pairs;
    const int64_t m = position[e / phases.pairs];
    double cosine, sine;
    if (quantity == PHASE_ANGLE) {
      output[e] = device_angle_rounded(phases.format, phases.step[pair],
                                       phases.inv_freq ? phases.inv_freq[pair] : 0, m);
    } else {
      phases.cos_sin(pair, m, &cosine, &sine);
      output[e] = quantity == PHASE_COSINE ? cosine : sine;
    }
  }
}

int phase_map_cuda(const struct phase_map_batch *batch, struct error *error) {
  device_work work("map phases", error);
  if (!batch->rows) return OK;
  const size_t pairs = batch->phases.pairs;
  const device_phases phases(work, batch->phases, 0, 1);
  const size_t piece =
      work.fit(batch->rows, pairs * sizeof(double) + sizeof(int64_t), "a row's angles");
  int64_t *position = work.array<int64_t>(piece, "the positions");
  double *output = work.array<double>(piece * pairs, "the angles");
  for (size_t done = 0; work.ok() && done < batch->rows; done += piece) {
    const size_t now = least(batch->rows - done, piece);
    work.send(position, batch->position + done, now);
    WORK_LAUNCH(work, phase_map_fill, work.blocks(now * pairs))
    (phases, batch->quantity, now, position, output);
    work.launched("phase_map_fill");
    work.fetch(batch->output + done * pairs, output, now * pairs);
  }
  return work.status;
}

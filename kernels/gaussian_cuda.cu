/* Normal numbers from a counter: the twin of gaussian_cpu.c. The integers are the same to the bit;
   the normals differ by what log() (1 unit in the last place), sqrt() (rounded) and sincospi() (2
   units) of the device differ from the processor's: 4 units.

   A pair of numbers is ten Philox rounds (60 integer instructions) and a logarithm, a square root,
   a sine and a cosine in double (about 50 on the double units) for 16 bytes. An H200 does 64 of
   either a clock in each of 132 multiprocessors: 3e11 pairs/s, which just fills its memory (4.8
   TB/s); the copy to the host, at some 5e10 bytes/s, is the limit. */
#include <Random123/philox.h>

#include "kernels/cuda_operations.h"
#include "kernels/cuda_phase.h"

/* Elements first .. first + count − 1 of the stream into output[0 ..]. */
__global__ void gaussian_draw(uint64_t seed, uint32_t stream, uint64_t first, size_t count,
                              double *output) {
  const uint64_t last = first + (count - 1), indices = last / 2 - first / 2 + 1;
  const uint64_t stride = (uint64_t)gridDim.x * blockDim.x;
  for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < indices; i += stride) {
    const uint64_t index = first / 2 + i;
    const philox4x32_ctr_t counter = {{(uint32_t)index, (uint32_t)(index >> 32), stream, 0}};
    const philox4x32_key_t key = {{(uint32_t)seed, (uint32_t)(seed >> 32)}};
    const philox4x32_ctr_t word = philox4x32_R(10, counter, key);
    const uint64_t u = (uint64_t)word.v[1] << 32 | word.v[0],
                   v = (uint64_t)word.v[3] << 32 | word.v[2];
    const double radius = sqrt(-2 * log((double)((u >> 11) + 1) * 0x1p-53));
    double cosine, sine;
    device_cos_sin(v, &cosine, &sine);
    if (2 * index >= first) output[2 * index - first] = radius * cosine;
    if (2 * index < last) output[2 * index + 1 - first] = radius * sine;
  }
}

int gaussian_cuda(const struct gaussian_batch *batch, struct error *error) {
  device_work work("draw normal numbers", error);
  if (!batch->count) return OK;
  const size_t piece = work.fit(batch->count, sizeof(double), "the numbers");
  double *numbers = work.array<double>(piece, "the numbers");
  for (size_t done = 0; work.ok() && done < batch->count; done += piece) {
    const size_t now = least(batch->count - done, piece);
    WORK_LAUNCH(work, gaussian_draw, work.blocks(now / 2 + 1))
    (batch->seed, batch->stream, batch->first + done, now, numbers);
    work.launched("gaussian_draw");
    work.fetch(batch->output + done, numbers, now);
  }
  return work.status;
}

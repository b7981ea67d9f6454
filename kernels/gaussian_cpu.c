/* Normal numbers from a counter (Salmon et al. 2011, "Parallel random numbers: as easy as 1, 2,
   3"): Philox4x32-10 of (element / 2, stream) under the key `seed` gives two 64-bit words u, v, and
   Box-Muller

     r = √(−2 ln U),  U = (⌊u / 2^11⌋ + 1) / 2^53 in (0, 1],   (r cos 2πv/2^64, r sin 2πv/2^64)

   two elements, the even one first. */
#include <math.h>
#include <Random123/philox.h>

#include "kernels/cpu.h"
#include "lib/base/phase.h"

static void draw_two(uint64_t seed, uint32_t stream, uint64_t index, double *even, double *odd) {
  const philox4x32_ctr_t counter = {{(uint32_t)index, (uint32_t)(index >> 32), stream, 0}};
  const philox4x32_key_t key = {{(uint32_t)seed, (uint32_t)(seed >> 32)}};
  const philox4x32_ctr_t word = philox4x32_R(10, counter, key);
  const uint64_t u = (uint64_t)word.v[1] << 32 | word.v[0],
                 v = (uint64_t)word.v[3] << 32 | word.v[2];
  const double uniform = (double)((u >> 11) + 1) * 0x1p-53, radius = sqrt(-2 * log(uniform));
  phase_cos_sin(v, even, odd);
  *even *= radius;
  *odd *= radius;
}

int gaussian_cpu(const struct gaussian_batch *batch, struct error *error) {
  (void)error;
  enum { FEW = 4096 }; /* numbers that are not worth a second thread */
  if (!batch->count) return OK;
  const uint64_t first = batch->first, last = first + (batch->count - 1);
#pragma omp parallel for schedule(static) if (batch->count > FEW)
  for (uint64_t index = first / 2; index <= last / 2; index++) {
    double even, odd;
    draw_two(batch->seed, batch->stream, index, &even, &odd);
    if (2 * index >= first) batch->output[2 * index - first] = even;
    if (2 * index < last) batch->output[2 * index + 1 - first] = odd;
  }
  return OK;
}

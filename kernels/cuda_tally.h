/* What is known of some sums (kernels/tally.h): found by a thread, a block, and the host after it.
 */
#ifndef ROPETOOL_KERNELS_CUDA_TALLY_H
#define ROPETOOL_KERNELS_CUDA_TALLY_H

#include <math.h>

#include "kernels/cuda_device.h"

extern "C" {
#include "kernels/tally.h"
}

/* Whether a value takes the place of the minimum: NaN does first, then the lower, then the earlier.
   It does not matter in which order values come. */
__host__ __device__ static inline bool is_lower(double value, size_t at, const tally &seen) {
  const bool nan = value != value, seen_nan = seen.minimum != seen.minimum;
  if (nan != seen_nan) return nan;
  if (!nan && value != seen.minimum) return value < seen.minimum;
  return at < seen.minimum_at;
}

__host__ __device__ static inline tally no_tally() {
  return {INFINITY, TALLY_NONE, TALLY_NONE};
}

__device__ static inline void tally_value(tally &seen, double value, size_t at) {
  if (is_lower(value, at, seen)) {
    seen.minimum = value;
    seen.minimum_at = at;
  }
  if (value < 0 && at < seen.first_negative) seen.first_negative = at;
}

/* The tally of the block into *result. */
__device__ static inline void tally_block(tally seen, tally *result) {
  __shared__ double minimum[THREADS];
  __shared__ size_t minimum_at[THREADS], first_negative[THREADS];
  minimum[threadIdx.x] = seen.minimum;
  minimum_at[threadIdx.x] = seen.minimum_at;
  first_negative[threadIdx.x] = seen.first_negative;
  for (unsigned half = THREADS / 2; half; half /= 2) {
    __syncthreads();
    if (threadIdx.x >= half) continue;
    const unsigned other = threadIdx.x + half;
    if (is_lower(minimum[other], minimum_at[other], seen)) {
      seen.minimum = minimum[threadIdx.x] = minimum[other];
      seen.minimum_at = minimum_at[threadIdx.x] = minimum_at[other];
    }
    if (first_negative[other] < seen.first_negative)
      seen.first_negative = first_negative[threadIdx.x] = first_negative[other];
  }
  if (threadIdx.x == 0) *result = seen;
}

static inline void tally_merge(tally &seen, const tally &other) {
  if (is_lower(other.minimum, other.minimum_at, seen)) {
    seen.minimum = other.minimum;
    seen.minimum_at = other.minimum_at;
  }
  if (other.first_negative < seen.first_negative) seen.first_negative = other.first_negative;
}

#endif

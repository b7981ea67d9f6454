/* Which positions a certificate samples. Powers of two alone would hide the rounding of the
   products, short ones the drift of the angles. */
#include <stdlib.h>

#include "lib/analysis/certificate_check.h"
#include "lib/analysis/decay.h"

static const int64_t fixed[] = {1, 2, 3, 7, 64, 4096,
                                /* the largest primes below 2^5, 2^8 + 2, 2^10, 2^12, ... */
                                31, 257, 1021, 4093, 16381, 65521, 262139, 1048573, 16777213,
                                268435399, 2147483647, 1099511627689, 9007199254740881};

/* Inserts in order, once. */
static void insert(int64_t position, int64_t *positions, size_t *count) {
  size_t at = *count;
  while (at > 0 && positions[at - 1] > position)
    at--;
  if (at > 0 && positions[at - 1] == position) return;
  for (size_t i = *count; i > at; i--)
    positions[i] = positions[i - 1];
  positions[at] = position;
  ++*count;
}

/* SplitMix64 (Steele, Lea and Flood 2014): the n-th number of a seed. */
static uint64_t draw(uint64_t seed, uint64_t n) {
  uint64_t z = seed + n * UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

size_t certificate_positions(int64_t max_position, uint64_t seed,
                             int64_t positions[CERTIFICATE_POSITIONS]) {
  size_t count = 0;
  if (max_position == 0) {
    insert(0, positions, &count);
    return count;
  }
  for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
    if (fixed[i] <= max_position) insert(fixed[i], positions, &count);
  const uint64_t range = (uint64_t)max_position; /* 1 .. max_position */
  insert(1 + (int64_t)(draw(seed, 1) % range), positions, &count);
  insert(1 + (int64_t)(draw(seed, 2) % range), positions, &count);
  insert(max_position, positions, &count);
  if (max_position > 1) insert(max_position - 1, positions, &count);
  if (max_position > 1) insert(max_position / 2, positions, &count);
  return count;
}

int certificate_add_samples(int64_t max_position, size_t samples,
                            int64_t positions[CERTIFICATE_POSITIONS], size_t *count,
                            struct error *error) {
  int64_t *more;
  size_t more_count;
  if (!samples || !max_position) return OK;
  const int code = decay_log_distances(1, max_position, samples, &more, &more_count, error);
  if (code) return code;
  for (size_t i = 0; i < more_count; i++)
    insert(more[i], positions, count);
  free(more);
  return OK;
}

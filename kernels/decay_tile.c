#include "kernels/decay_tile.h"

#include <math.h>
#include <stdbool.h>

#include "kernels/cpu.h"

enum { PART = 64, UNROLLED = 4 }; /* pairs between two looks at double; pairs of one sweep */

static void start(const struct decay_sums *sums, size_t count) {
  for (size_t a = 0; a < count; a++)
    sums->real[a] = sums->imaginary[a] = sums->magnitude[a] = 0;
}

VECTOR_CLONES
void decay_tile_sum(const struct decay_tile *tile, size_t count, const struct decay_sums *sums) {
  double *restrict real = sums->real, *restrict imaginary = sums->imaginary;
  double *restrict magnitude = sums->magnitude;
  start(sums, count);
  for (size_t i = 0; i < tile->pairs; i++) {
    const double cosine = tile->tile_cos[i], sine = tile->tile_sin[i];
    const double *restrict c = tile->lane_cos + i * tile->lanes;
    const double *restrict s = tile->lane_sin + i * tile->lanes;
#pragma omp simd
    for (size_t a = 0; a < count; a++) {
      const double x = real[a] + (cosine * c[a] - sine * s[a]);
      const double y = imaginary[a] + (cosine * s[a] + sine * c[a]);
      real[a] = x;
      imaginary[a] = y;
      magnitude[a] += sqrt(x * x + y * y);
    }
  }
}

/* What double knew before the part, and what the part adds to it. */
struct part {
  bool first; /* nothing is before it: that spares two sums a term, for 64 pairs or fewer all */
  float *before_real, *before_imaginary;
  float *real, *imaginary, *magnitude;
};

/* `n` pairs from `first` on, kept in registers: a root in single is so fast that loads and stores
   would count. n and part->first are constants wherever this is put. */
static inline __attribute__((always_inline)) void sweep(const struct decay_tile_single *tile,
                                                        size_t first, size_t n, size_t count,
                                                        const struct part *part) {
  const size_t lanes = tile->lanes;
  const float *restrict cosine = tile->tile_cos + first, *restrict sine = tile->tile_sin + first;
  const float *restrict c = tile->lane_cos + first * lanes;
  const float *restrict s = tile->lane_sin + first * lanes;
  const float *restrict before_real = part->before_real;
  const float *restrict before_imaginary = part->before_imaginary;
  float *restrict real = part->real, *restrict imaginary = part->imaginary;
  float *restrict magnitude = part->magnitude;
#pragma omp simd
  for (size_t a = 0; a < count; a++) {
    float x = real[a], y = imaginary[a], sum = magnitude[a];
#pragma GCC unroll 4
    for (size_t j = 0; j < n; j++) {
      x += cosine[j] * c[a + j * lanes] - sine[j] * s[a + j * lanes];
      y += cosine[j] * s[a + j * lanes] + sine[j] * c[a + j * lanes];
      const float whole_x = part->first ? x : before_real[a] + x;
      const float whole_y = part->first ? y : before_imaginary[a] + y;
      sum += sqrtf(whole_x * whole_x + whole_y * whole_y);
    }
    real[a] = x;
    imaginary[a] = y;
    magnitude[a] = sum;
  }
}

static inline __attribute__((always_inline)) void part_start(const struct part *part,
                                                             const struct decay_sums *sums,
                                                             size_t count) {
#pragma omp simd
  for (size_t a = 0; a < count; a++) {
    part->before_real[a] = (float)sums->real[a];
    part->before_imaginary[a] = (float)sums->imaginary[a];
    part->real[a] = part->imaginary[a] = part->magnitude[a] = 0;
  }
}

static inline __attribute__((always_inline)) void part_finish(const struct part *part,
                                                              const struct decay_sums *sums,
                                                              size_t count) {
#pragma omp simd
  for (size_t a = 0; a < count; a++) {
    sums->real[a] += (double)part->real[a];
    sums->imaginary[a] += (double)part->imaginary[a];
    sums->magnitude[a] += (double)part->magnitude[a];
  }
}

/* Pairs `i` .. `end − 1`. */
static inline __attribute__((always_inline)) void part_sum(const struct decay_tile_single *tile,
                                                           size_t i, size_t end, size_t count,
                                                           const struct part *part) {
  for (; i + UNROLLED <= end; i += UNROLLED)
    sweep(tile, i, UNROLLED, count, part);
  for (; i < end; i++)
    sweep(tile, i, 1, count, part);
}

VECTOR_CLONES
void decay_tile_sum_single(const struct decay_tile_single *tile, size_t count, float *room,
                           const struct decay_sums *sums) {
  const size_t lanes = tile->lanes;
  struct part part = {
      true, room, room + lanes, room + 2 * lanes, room + 3 * lanes, room + 4 * lanes};
  const size_t first = tile->pairs < PART ? tile->pairs : PART;
  start(sums, count);
  part_start(&part, sums, count);
  part_sum(tile, 0, first, count, &part);
  part_finish(&part, sums, count);
  part.first = false;
  for (size_t i = first; i < tile->pairs; i += PART) {
    part_start(&part, sums, count);
    part_sum(tile, i, tile->pairs - i < PART ? tile->pairs : i + PART, count, &part);
    part_finish(&part, sums, count);
  }
}

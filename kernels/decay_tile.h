/* The inner loops of the decay bound: S_j and Σ_j |S_j| at some neighbouring distances at once, the
   lanes of a tile. Pair i of lane a has the phase of the tile's first distance plus that of the
   lane, so that z_i = (tile_cos + i·tile_sin)(lane_cos + i·lane_sin): products, sums and a root. */
#ifndef ROPETOOL_KERNELS_DECAY_TILE_H
#define ROPETOOL_KERNELS_DECAY_TILE_H

#include <stddef.h>

/* (lane) each: Re S_pairs, Im S_pairs, Σ |S_j|. */
struct decay_sums {
  double *real, *imaginary, *magnitude;
};

struct decay_tile {
  size_t pairs, lanes;               /* lanes: the length of a table's row */
  const double *tile_cos, *tile_sin; /* (pair) */
  const double *lane_cos, *lane_sin; /* (pair, lane) */
};

/* The first `count` lanes. */
void decay_tile_sum(const struct decay_tile *tile, size_t count, const struct decay_sums *sums);

struct decay_tile_single {
  size_t pairs, lanes;
  const float *tile_cos, *tile_sin;
  const float *lane_cos, *lane_sin;
};

/* The same in float. So that errors do not grow with the pairs, double takes over every 64 of them.
   `room` is for DECAY_TILE_ROOM · lanes floats. */
enum { DECAY_TILE_ROOM = 5 };
void decay_tile_sum_single(const struct decay_tile_single *tile, size_t count, float *room,
                           const struct decay_sums *sums);

#endif

/* The CPU backend: its operations, one file each, and what they share. */
#ifndef ROPETOOL_KERNELS_CPU_H
#define ROPETOOL_KERNELS_CPU_H

#include "kernels/backend.h"
#include "kernels/size.h"
#include "lib/base/large.h"
#include "lib/base/vector.h"

int decay_bound_cpu(const struct decay_batch *batch, struct error *error);
int cosine_sum_cpu(const struct cosine_sum_batch *batch, struct error *error);
int cosine_range_cpu(const struct cosine_range_batch *batch, struct error *error);
int phase_map_cpu(const struct phase_map_batch *batch, struct error *error);
int rotate_cpu(const struct rotate_batch *batch, struct error *error);
int gaussian_cpu(const struct gaussian_batch *batch, struct error *error);
int scores_cpu(const struct score_batch *batch, struct error *error);
int profile_tiles_cpu(const struct profile_batch *batch, struct error *error);
int quantiles_cpu(const struct quantile_batch *batch, struct error *error);
int limit_cpu(const struct limit_batch *batch, struct error *error);

/* Lets go of the memory of rows of tiles first .. end − 1, whose cells are done: see large.h. */
static inline void tiles_leave(const struct tiles *tiles, size_t first, size_t end) {
  large_set_aside(tiles->cells + first * tiles->columns,
                  (end - first) * tiles->columns * sizeof *tiles->cells);
}

/* Rotates one vector of `2·pairs` rotated dimensions by the angles whose cos and sin are given; the
   amplitude is in them already. output == input is allowed; nothing else that overlaps. */
struct rotation {
  enum layout layout;
  size_t pairs;
};
void rotate_vector(struct rotation rotation, const double *cosine, const double *sine,
                   const double *input, double *output);

/* cos and sin of `pairs` pairs at one position, each times `amplitude`. */
void phase_row(const struct phases *phases, int64_t position, double amplitude, double *cosine,
               double *sine);

#endif

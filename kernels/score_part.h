/* A rectangle of scores of one draw, or of the mean over the draws, while it is in the cache. */
#ifndef ROPETOOL_KERNELS_SCORE_PART_H
#define ROPETOOL_KERNELS_SCORE_PART_H

#include "kernels/score_arithmetic.h"

enum { PART_ROWS = 256, PART_KEYS = 512 }; /* at most */

struct score_part {
  const struct score_arithmetic *arithmetic;
  bool causal;
  size_t draw;
  size_t row, row_end; /* queries row .. row_end − 1 */
  size_t key, key_end; /* keys key .. key_end − 1 */
  void *score;         /* (query, stride) */
  size_t stride;
};

/* How many of its keys query m may see: the first ones. */
static inline size_t score_part_visible(const struct score_part *part, size_t m) {
  const size_t end = part->causal && m + 1 < part->key_end ? m + 1 : part->key_end;
  return end > part->key ? end - part->key : 0;
}

static inline void *score_part_row(const struct score_part *part, size_t m) {
  return (char *)part->score + (m - part->row) * part->stride * part->arithmetic->size;
}

/* The first `count` scores of query m, times `factor`. */
static inline void score_part_load(const struct score_part *part, size_t m, size_t count,
                                   double factor, double *value) {
  part->arithmetic->load(score_part_row(part, m), count, factor, value);
}

#endif

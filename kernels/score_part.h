/* A rectangle of scores of one draw, or of the mean over the draws, while it is in the cache: as
   they come from the product. What is added to them is added on the way out. */
#ifndef ROPETOOL_KERNELS_SCORE_PART_H
#define ROPETOOL_KERNELS_SCORE_PART_H

#include "kernels/score_bias.h"

enum { PART_ROWS = 256, PART_KEYS = 512 }; /* at most */

struct score_part {
  const struct score_arithmetic *arithmetic;
  bool causal;
  size_t draw;
  size_t row, row_end; /* queries row .. row_end − 1 */
  size_t key, key_end; /* keys key .. key_end − 1 */
  void *score;         /* (query, stride) */
  size_t stride;

  /* Of its first row and key; NULL: nothing. */
  const double *bias; /* added to what is read; each row's is one before that of the row above it */
  double masked;      /* taken instead where the bias is −∞ */
  const void *exponent;      /* numbers, added to log2(e)·scale·score in the softmax */
  ptrdiff_t exponent_stride; /* from one row's to the next */
};

/* How many of its keys query m may see: the first ones. */
static inline size_t score_part_visible(const struct score_part *part, size_t m) {
  const size_t end = part->causal && m + 1 < part->key_end ? m + 1 : part->key_end;
  return end > part->key ? end - part->key : 0;
}

static inline void *score_part_row(const struct score_part *part, size_t m) {
  return (char *)part->score + (m - part->row) * part->stride * part->arithmetic->size;
}

/* The first `count` scores of query m: `factor` times what is stored, plus the bias. */
static inline void score_part_load(const struct score_part *part, size_t m, size_t count,
                                   double factor, double *value) {
  part->arithmetic->load(score_part_row(part, m), count, factor, value);
  if (part->bias) score_bias_add(part->bias - (m - part->row), count, part->masked, value);
}

static inline const void *score_part_exponent(const struct score_part *part, size_t m) {
  if (!part->exponent) return NULL;
  const ptrdiff_t numbers = (ptrdiff_t)(m - part->row) * part->exponent_stride;
  return (const char *)part->exponent + numbers * (ptrdiff_t)part->arithmetic->size;
}

#endif

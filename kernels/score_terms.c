#include "kernels/score_terms.h"

#include <float.h>
#include <math.h>

#include "kernels/cpu.h"

/* How many numbers are infinite. */
VECTOR_CLONES
static size_t count_infinite(const double *value, size_t count) {
  size_t infinite = 0;
#pragma omp simd reduction(+ : infinite)
  for (size_t i = 0; i < count; i++)
    infinite += fabs(value[i]) > DBL_MAX;
  return infinite;
}

int score_terms_fill(const struct score_batch *batch, const struct score_block *block,
                     double *terms, struct error *error) {
  const int status = batch->terms->fill(batch->terms->user, block, terms, error);
  for (size_t r = 0; !status && r < block->rows; r++) {
    const size_t m = block->row + r, seen = m + 1 > block->key ? m + 1 - block->key : 0,
                 count = batch->causal && seen < block->keys ? seen : block->keys;
    if (count_infinite(terms + r * block->keys, count))
      return error_set(error, ERROR_FAILED,
                       "cannot compute: a term of query %zu is infinite, numbers are needed", m);
  }
  return status;
}

/* Scores hold the terms already, S = q·k + terms, so what the softmax adds to scale·S is

     scale·q·k + terms + bias − scale·S = (1 − scale)·terms + bias */
VECTOR_CLONES
static void make_exponents(const double *restrict terms, const double *restrict bias, size_t count,
                           double scale, double *restrict exponent) {
  const double rest = 1 - scale;
  if (bias) {
#pragma omp simd
    for (size_t n = 0; n < count; n++)
      exponent[n] = bias[n] == -INFINITY ? -INFINITY : LOG2_E * (rest * terms[n] + bias[n]);
  } else {
#pragma omp simd
    for (size_t n = 0; n < count; n++)
      exponent[n] = LOG2_E * (rest * terms[n]);
  }
}

int score_terms_store(const struct score_plan *plan, const struct score_part *part,
                      struct score_room *room) {
  const struct score_batch *batch = plan->batch;
  const struct score_block block = {.draw = part->draw,
                                    .row = part->row,
                                    .rows = part->row_end - part->row,
                                    .key = part->key,
                                    .keys = part->key_end - part->key};
  if (score_terms_fill(batch, &block, room->terms, &room->error)) return room->error.code;
  for (size_t r = 0; r < block.rows; r++) {
    const double *terms = room->terms + r * block.keys;
    plan->arithmetic->store(terms, block.keys, score_part_row(part, part->row + r));
    if (!plan->own_exponent) continue;
    make_exponents(terms, part->bias ? part->bias - r : NULL, block.keys, batch->scale,
                   room->value);
    plan->arithmetic->store(room->value, block.keys,
                            room->exponent + r * PART_KEYS * plan->arithmetic->size);
  }
  return OK;
}

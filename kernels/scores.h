/* The ways of the CPU backend to the scores of a batch. */
#ifndef ROPETOOL_KERNELS_SCORES_H
#define ROPETOOL_KERNELS_SCORES_H

#include "kernels/grid.h"
#include "kernels/score_bias.h"
#include "kernels/score_diagonals.h"
#include "kernels/score_rows.h"

/* Every score, a block of rows at a time. (scores_pass_cpu.c) */
struct score_pass {
  const struct score_rows *rows;
  const struct grid *grid;
  bool tiles;                  /* whether the cells are to be filled */
  struct diagonals *diagonals; /* joined, not finished; NULL: none are wanted */
  bool weights;                /* whether batch->weights is to be filled */
  struct score_range *range;   /* widened; NULL: not wanted */
};
int scores_pass(const struct score_pass *pass, struct error *error);

/* Means of scores as products of means, never a single score: reduction mean, no softmax, no
   terms, no bias that masks. (scores_mean_cpu.c) */
int scores_mean(const struct score_rows *rows, const struct grid *grid, struct error *error);

/* Completes `symmetric` of the batch's sums, after diagonals_finish. (score_symmetric_cpu.c) */
int scores_symmetric(const struct score_rows *rows, struct error *error);

#endif

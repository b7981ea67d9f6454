/* The two ways of the CPU backend to the scores of a batch. */
#ifndef ROPETOOL_KERNELS_SCORES_H
#define ROPETOOL_KERNELS_SCORES_H

#include "kernels/grid.h"
#include "kernels/score_rows.h"

/* Every score, a block of rows at a time: for softmax, max and absmax. (scores_cpu.c) */
int scores_exact(const struct score_rows *rows, const struct grid *grid, struct error *error);

/* Means of scores as products of means, never a single score: reduction mean, no softmax.
   (scores_mean_cpu.c) */
int scores_mean(const struct score_rows *rows, const struct grid *grid, struct error *error);

#endif

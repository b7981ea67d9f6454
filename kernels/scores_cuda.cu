/* Scores of queries and keys, reduced to what is asked for: the twin of scores_cpu.c. Each of these
   goes over the scores by itself: cells, sums of weights, profiles with sums. */
#include "kernels/cuda_scores.h"

static int run(const struct score_batch *batch, const struct grid *grid, struct error *error) {
  device_work work("reduce scores", error);
  const bool cells = batch->tiles.cells, linear = cells && score_tiles_linear(batch);
  if (batch->profile || batch->sums) score_diagonals_run(work, batch);
  if (work.ok() && ((cells && !linear) || batch->weights)) {
    if (batch->single)
      score_tiles<float>(work, batch, grid);
    else
      score_tiles<double>(work, batch, grid);
  }
  if (work.ok() && linear) score_means(work, batch, grid);
  return work.status;
}

int scores_cuda(const struct score_batch *batch, struct error *error) {
  if (batch->terms) return OPERATION_DECLINED; /* the host makes them */
  const struct tiles none = {1, 1, REDUCE_MAX, nullptr};
  struct grid grid;
  if (grid_open(&grid, batch->tiles.cells ? &batch->tiles : &none, batch->length, error))
    return ERROR_FAILED;
  const int status = run(batch, &grid, error);
  grid_close(&grid);
  return status;
}

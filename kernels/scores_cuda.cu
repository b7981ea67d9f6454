/* Scores of queries and keys, reduced to cells and to sums of weights: the twin of scores_cpu.c.
   Profiles by distance and sums of scores are left to the CPU. */
#include "kernels/cuda_scores.h"

static void run(device_work &work, const struct score_batch *batch, const struct grid *grid) {
  const bool cells = batch->tiles.cells,
             linear = batch->tiles.reduction == REDUCE_MEAN && !batch->softmax;
  if (cells && linear) score_means(work, batch, grid);
  if (!((cells && !linear) || batch->weights)) return;
  if (batch->single)
    score_tiles<float>(work, batch, grid);
  else
    score_tiles<double>(work, batch, grid);
}

int scores_cuda(const struct score_batch *batch, struct error *error) {
  if (batch->profile || batch->sums) return OPERATION_DECLINED;
  const struct tiles none = {1, 1, REDUCE_MAX, nullptr};
  struct grid grid;
  if (grid_open(&grid, batch->tiles.cells ? &batch->tiles : &none, batch->length, error))
    return ERROR_FAILED;
  int status;
  {
    device_work work("reduce scores", error);
    run(work, batch, &grid);
    status = work.status;
  }
  grid_close(&grid);
  return status;
}

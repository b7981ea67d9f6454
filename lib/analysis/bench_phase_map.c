/* Cosines of every position and pair. Nothing is read, but what is written must pass the memory. */
#include <stdio.h>

#include "lib/analysis/bench_operation.h"

enum { DIM = 128, ROWS = 1 << 17, ROWS_QUICK = 1 << 10 };

static int prepare(struct bench_work *work, struct error *error) {
  const size_t rows = work->quick ? ROWS_QUICK : ROWS;
  struct phase_map_batch *batch = &work->batch.phase_map;
  if (bench_phases(work, DIM / 2, error)) return error->code;
  *batch = (struct phase_map_batch){
      .phases = work->phases,
      .quantity = PHASE_COSINE,
      .rows = rows,
      .position = bench_positions(work, rows, error),
      .output = bench_array(work, DIM / 2 * rows, sizeof *batch->output, error),
  };
  if (!batch->position || !batch->output) return error->code;
  snprintf(work->shape, sizeof work->shape, "positions=%zu dim=%d", rows, DIM);
  work->elements = DIM / 2 * rows;
  return bench_limit_copy(work, work->elements * sizeof *batch->output, error);
}

static int run(struct bench_work *work, struct error *error) {
  return backend_phase_map(work->backend, &work->batch.phase_map, error);
}

const struct bench_operation bench_phase_map = {
    .name = "phase_map",
    .precisions = BENCH_FP64,
    .prepare = prepare,
    .run = run,
};

/* A square root for each pair and distance is what the bound cannot do without. */
#include <stdio.h>

#include "lib/analysis/bench_operation.h"

enum { DIM = 128, DISTANCES = 1 << 20, DISTANCES_QUICK = 1 << 12 };

static int prepare(struct bench_work *work, struct error *error) {
  const size_t count = work->quick ? DISTANCES_QUICK : DISTANCES;
  struct decay_batch *batch = &work->batch.decay_bound;
  if (bench_phases(work, DIM / 2, error)) return error->code;
  *batch = (struct decay_batch){
      .phases = work->phases,
      .count = count,
      .distance = bench_positions(work, count, error),
      .single = work->precision == PRECISION_FP32,
      .bound = bench_array(work, count, sizeof *batch->bound, error),
  };
  if (!batch->distance || !batch->bound) return error->code;
  snprintf(work->shape, sizeof work->shape, "distances=%zu dim=%d", count, DIM);
  work->elements = DIM / 2 * count;
  bench_limit_roots(work, work->elements);
  return OK;
}

static int run(struct bench_work *work, struct error *error) {
  return backend_decay_bound(work->backend, &work->batch.decay_bound, error);
}

const struct bench_operation bench_decay_bound = {
    .name = "decay_bound",
    .precisions = BENCH_FP64 | BENCH_FP32,
    .prepare = prepare,
    .run = run,
};

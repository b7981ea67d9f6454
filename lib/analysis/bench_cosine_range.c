/* Bounds of cosine sums over boxes, as the base search asks for them: every pair of a box takes a
   cosine, a sine and two short polynomials, some 30 multiply-adds. */
#include <math.h>
#include <stdio.h>

#include "lib/analysis/bench_operation.h"

enum { DIM = 128, COUNT = 1 << 18, COUNT_QUICK = 1 << 10, MULTIPLY_ADDS = 30 };

static int prepare(struct bench_work *work, struct error *error) {
  const size_t count = work->quick ? COUNT_QUICK : COUNT;
  struct cosine_range_batch *batch = &work->batch.cosine_range;
  if (bench_phases(work, DIM / 2, error)) return error->code;
  double *inv_freq = bench_array(work, DIM, sizeof *inv_freq, error);
  int64_t *last = inv_freq ? bench_array(work, count, sizeof *last, error) : NULL;
  *batch = (struct cosine_range_batch){
      .phases = work->phases,
      .count = count,
      .first = last ? bench_positions(work, count, error) : NULL,
      .last = last,
  };
  if (batch->first) batch->low = bench_array(work, count, sizeof *batch->low, error);
  if (!batch->low) return error->code;
  double *spread = inv_freq + DIM / 2;
  batch->phases.inv_freq = inv_freq;
  batch->spread = spread;
  for (size_t i = 0; i < DIM / 2; i++) {
    inv_freq[i] = pow(10000, -2. * (double)i / DIM);
    spread[i] = 1e-6 * (double)i;
  }
  for (size_t n = 0; n < count; n++)
    last[n] = (int64_t)n + 8;
  snprintf(work->shape, sizeof work->shape, "boxes=%zu dim=%d", count, DIM);
  work->elements = DIM / 2 * count;
  bench_limit_multiply_add(work, MULTIPLY_ADDS * work->elements);
  return OK;
}

static int run(struct bench_work *work, struct error *error) {
  return backend_cosine_range(work->backend, &work->batch.cosine_range, error);
}

const struct bench_operation bench_cosine_range = {
    .name = "cosine_range",
    .precisions = BENCH_FP64,
    .prepare = prepare,
    .run = run,
};

/* The product alone that the sums factorise into, of as square a shape as it can have. */
#include <stdio.h>

#include "lib/analysis/bench_operation.h"

enum { DIM = 128, SIDE = 1 << 10, SIDE_QUICK = 1 << 6 };

static int prepare(struct bench_work *work, struct error *error) {
  const size_t side = work->quick ? SIDE_QUICK : SIDE, count = side * side;
  struct cosine_sum_batch *batch = &work->batch.cosine_sum;
  if (bench_phases(work, DIM / 2, error)) return error->code;
  *batch = (struct cosine_sum_batch){
      .phases = work->phases,
      .step = 1,
      .count = count,
      .single = work->precision == PRECISION_FP32,
      .sum = bench_array(work, count, sizeof *batch->sum, error),
  };
  if (!batch->sum) return error->code;
  snprintf(work->shape, sizeof work->shape, "distances=%zu dim=%d", count, DIM);
  work->elements = DIM / 2 * count;
  const struct limit_batch product = {.count = 1, .rows = side, .columns = side, .inner = DIM};
  return bench_limit_product(work, &product, error);
}

static int run(struct bench_work *work, struct error *error) {
  return backend_cosine_sum(work->backend, &work->batch.cosine_sum, error);
}

const struct bench_operation bench_cosine_sum = {
    .name = "cosine_sum",
    .precisions = BENCH_FP64 | BENCH_FP32,
    .prepare = prepare,
    .run = run,
};

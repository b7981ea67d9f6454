/* Box and Muller's method takes half a root a number, a logarithm, and a cosine or a sine; as many
   roots show how dear the rest is. */
#include <stdio.h>

#include "lib/analysis/bench_operation.h"

enum { COUNT = 1 << 22, COUNT_QUICK = 1 << 14 };

static int prepare(struct bench_work *work, struct error *error) {
  const size_t count = work->quick ? COUNT_QUICK : COUNT;
  double *output = bench_array(work, count, sizeof *output, error);
  if (!output) return error->code;
  work->batch.gaussian = (struct gaussian_batch){.seed = 1, .count = count, .output = output};
  snprintf(work->shape, sizeof work->shape, "count=%zu", count);
  work->elements = count;
  bench_limit_roots(work, count);
  return OK;
}

static int run(struct bench_work *work, struct error *error) {
  return backend_gaussian(work->backend, &work->batch.gaussian, error);
}

const struct bench_operation bench_gaussian = {
    .name = "gaussian",
    .precisions = BENCH_FP64,
    .prepare = prepare,
    .run = run,
};

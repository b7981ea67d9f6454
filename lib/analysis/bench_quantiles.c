/* Quantiles of the scores of samples at many distances: the scores alone are one product. */
#include <stdio.h>

#include "lib/analysis/bench_operation.h"

enum { DIM = 128, LEVELS = 5 };

static const double levels[LEVELS] = {0.05, 0.25, 0.5, 0.75, 0.95};

static int prepare(struct bench_work *work, struct error *error) {
  const size_t samples = work->quick ? 128 : 4096, count = work->quick ? 64 : 512;
  struct quantile_batch *batch = &work->batch.quantiles;
  if (bench_phases(work, DIM / 2, error)) return error->code;
  *batch = (struct quantile_batch){
      .phases = work->phases,
      .samples = samples,
      .query = bench_normals(work, STORAGE_F64, samples * DIM, error),
      .key = bench_normals(work, STORAGE_F64, samples * DIM, error),
      .count = count,
      .distance = bench_positions(work, count, error),
      .levels = LEVELS,
      .level = levels,
      .quantile = bench_array(work, LEVELS * count, sizeof *batch->quantile, error),
  };
  if (!batch->query || !batch->key || !batch->distance || !batch->quantile) return error->code;
  snprintf(work->shape, sizeof work->shape, "samples=%zu distances=%zu dim=%d", samples, count,
           DIM);
  work->elements = samples * count;
  const struct limit_batch product = {.count = 1, .rows = count, .columns = samples, .inner = DIM};
  return bench_limit_product(work, &product, error);
}

static int run(struct bench_work *work, struct error *error) {
  return backend_quantiles(work->backend, &work->batch.quantiles, error);
}

const struct bench_operation bench_quantiles = {
    .name = "quantiles",
    .precisions = BENCH_FP64,
    .prepare = prepare,
    .run = run,
};

/* Tiles of scores that depend on the distance alone: each row of the map joins one window to each
   tile; a multiply-add stands for that. */
#include <stdio.h>

#include "lib/analysis/bench_operation.h"

static int prepare(struct bench_work *work, struct error *error) {
  const size_t length = work->quick ? 2048 : 131072, cells = work->quick ? 128 : 1024;
  struct profile_batch *batch = &work->batch.profile_tiles;
  *batch = (struct profile_batch){
      .length = length,
      .profile = bench_normals(work, STORAGE_F64, 2 * length - 1, error),
      .scale = 1,
      .tiles = {.rows = cells,
                .columns = cells,
                .reduction = REDUCE_MAX,
                .cells = bench_array(work, cells * cells, sizeof(double), error)},
  };
  if (!batch->profile || !batch->tiles.cells) return error->code;
  snprintf(work->shape, sizeof work->shape, "length=%zu cells=%zu", length, cells);
  work->elements = length * cells;
  bench_limit_multiply_add(work, work->elements);
  return OK;
}

static int run(struct bench_work *work, struct error *error) {
  return backend_profile_tiles(work->backend, &work->batch.profile_tiles, error);
}

const struct bench_operation bench_profile_tiles = {
    .name = "profile_tiles",
    .precisions = BENCH_FP64,
    .prepare = prepare,
    .run = run,
};

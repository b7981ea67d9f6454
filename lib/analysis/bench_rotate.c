/* A tensor that is read and written once: a copy of the same arrays is the limit. Tables are made
   anew each time. */
#include <stdio.h>

#include "lib/analysis/bench_operation.h"

enum { BATCH = 4, LENGTH = 1024, LENGTH_QUICK = 64, HEADS = 32, DIM = 128 };

static const enum storage storages[PRECISION_COUNT] = {
    [PRECISION_FP64] = STORAGE_F64,
    [PRECISION_FP32] = STORAGE_F32,
    [PRECISION_BF16] = STORAGE_BF16,
    [PRECISION_FP16] = STORAGE_F16,
};

static int prepare(struct bench_work *work, enum layout layout, struct error *error) {
  const size_t length = work->quick ? LENGTH_QUICK : LENGTH;
  const size_t count = BATCH * length * HEADS * DIM;
  const enum storage storage = storages[work->precision];
  struct rotate_batch *batch = &work->batch.rotate;
  if (bench_phases(work, DIM / 2, error)) return error->code;
  *batch = (struct rotate_batch){
      .phases = work->phases,
      .layout = layout,
      .amplitude = 1,
      .storage = storage,
      .batch = BATCH,
      .length = length,
      .heads = HEADS,
      .dim = DIM,
      .position = bench_positions(work, length, error),
      .input = bench_normals(work, storage, count, error),
      .output = bench_array(work, count, storage_size(storage), error),
  };
  if (!batch->position || !batch->input || !batch->output) return error->code;
  snprintf(work->shape, sizeof work->shape, "batch=%d length=%zu heads=%d dim=%d", BATCH, length,
           HEADS, DIM);
  work->elements = count;
  work->limit = (struct limit_batch){.limit = LIMIT_COPY,
                                     .count = count * storage_size(storage),
                                     .left = batch->input,
                                     .output = batch->output};
  work->limited = true;
  return OK;
}

static int prepare_interleaved(struct bench_work *work, struct error *error) {
  return prepare(work, LAYOUT_INTERLEAVED, error);
}

static int prepare_halves(struct bench_work *work, struct error *error) {
  return prepare(work, LAYOUT_HALVES, error);
}

static int run(struct bench_work *work, struct error *error) {
  return backend_rotate(work->backend, &work->batch.rotate, error);
}

const struct bench_operation bench_rotate_interleaved = {
    .name = "rotate_interleaved",
    .precisions = BENCH_FP64 | BENCH_FP32 | BENCH_BF16 | BENCH_FP16,
    .prepare = prepare_interleaved,
    .run = run,
};

const struct bench_operation bench_rotate_halves = {
    .name = "rotate_halves",
    .precisions = BENCH_FP64 | BENCH_FP32 | BENCH_BF16 | BENCH_FP16,
    .prepare = prepare_halves,
    .run = run,
};

/* The limits themselves, so that a table says what the machine can do; a product is held against
   multiply-adds. */
#include <stdio.h>

#include "lib/analysis/bench_operation.h"

static int take(struct bench_work *work, uint64_t elements) {
  work->batch.limit = work->limit;
  work->limited = false;
  work->elements = elements;
  return OK;
}

static int prepare_multiply_add(struct bench_work *work, struct error *error) {
  (void)error;
  const size_t count = work->quick ? (size_t)1 << 20 : (size_t)1 << 31;
  snprintf(work->shape, sizeof work->shape, "count=%zu", count);
  bench_limit_multiply_add(work, count);
  return take(work, count);
}

static int prepare_roots(struct bench_work *work, struct error *error) {
  (void)error;
  const size_t count = work->quick ? (size_t)1 << 18 : (size_t)1 << 27;
  snprintf(work->shape, sizeof work->shape, "count=%zu", count);
  bench_limit_roots(work, count);
  return take(work, count);
}

static int prepare_copy(struct bench_work *work, struct error *error) {
  const size_t bytes = work->quick ? (size_t)1 << 20 : (size_t)1 << 28;
  snprintf(work->shape, sizeof work->shape, "bytes=%zu", bytes);
  if (bench_limit_copy(work, bytes, error)) return error->code;
  return take(work, bytes);
}

static int prepare_product(struct bench_work *work, struct error *error) {
  const size_t side = work->quick ? 128 : 4096, inner = work->quick ? 64 : 512;
  const struct limit_batch product = {.count = 1, .rows = side, .columns = side, .inner = inner};
  snprintf(work->shape, sizeof work->shape, "rows=%zu columns=%zu inner=%zu", side, side, inner);
  if (bench_limit_product(work, &product, error)) return error->code;
  take(work, side * side * inner);
  bench_limit_multiply_add(work, work->elements);
  return OK;
}

static int run(struct bench_work *work, struct error *error) {
  return bench_limit_run(work, &work->batch.limit, error);
}

const struct bench_operation bench_multiply_add = {
    .name = "multiply_add",
    .precisions = BENCH_FP64 | BENCH_FP32,
    .is_limit = true,
    .prepare = prepare_multiply_add,
    .run = run,
};

const struct bench_operation bench_roots = {
    .name = "roots",
    .precisions = BENCH_FP64 | BENCH_FP32,
    .is_limit = true,
    .prepare = prepare_roots,
    .run = run,
};

const struct bench_operation bench_copy = {
    .name = "copy",
    .precisions = 0,
    .is_limit = true,
    .prepare = prepare_copy,
    .run = run,
};

const struct bench_operation bench_product = {
    .name = "product",
    .precisions = BENCH_FP64 | BENCH_FP32,
    .is_limit = true,
    .prepare = prepare_product,
    .run = run,
};

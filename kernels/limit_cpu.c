/* What the processor can do at most: loops of one thing. Each thread takes a share; at one thread a
   copy is one memcpy, and a product one call of the BLAS. */
#include <cblas.h>
#include <math.h>
#include <omp.h>
#include <string.h>

#include "kernels/cpu.h"

enum {
  LINE = 64,     /* bytes: of a cache line, and of the widest vector */
  CACHED = 1024, /* roots of a block */
  CHAINS = 10,   /* multiply-adds side by side, in vectors of LINE */
  STEPS = 256,   /* of each chain in a block */
};

/* These loops alone may fuse products and sums: that is what they measure. */
#if defined(__GNUC__) && !defined(__clang__)
#define CONTRACTED VECTOR_CLONES __attribute__((optimize("fp-contract=fast")))
#else
#define CONTRACTED
#endif

#define NUMBER     double
#define ROOT       sqrt
#define GEMM       cblas_dgemm
#define NAME(name) name##_double
#include "kernels/limit_loops_of.h"
#undef NUMBER
#undef ROOT
#undef GEMM
#undef NAME

#define NUMBER     float
#define ROOT       sqrtf
#define GEMM       cblas_sgemm
#define NAME(name) name##_single
#include "kernels/limit_loops_of.h"

/* Share `index` of `count` things that `of` threads divide: where it starts. */
static size_t share_start(size_t count, size_t index, size_t of) {
  return count / of * index + (index < count % of ? index : count % of);
}

static size_t blocks_of(size_t count, size_t block) {
  return count / block + (count % block > 0);
}

static void run_arithmetic(const struct limit_batch *batch, size_t block,
                           double (*take)(size_t blocks)) {
  const size_t threads = (size_t)omp_get_max_threads(), blocks = blocks_of(batch->count, block);
  double total = 0;
#pragma omp parallel for schedule(static) reduction(+ : total)
  for (size_t t = 0; t < threads; t++) {
    const size_t own = share_start(blocks, t + 1, threads) - share_start(blocks, t, threads);
    total += take(own) * (double)own;
  }
  *batch->result = blocks ? total / (double)blocks : 0;
}

static void run_multiply_add(const struct limit_batch *batch) {
  const size_t width = LINE / (batch->single ? sizeof(float) : sizeof(double));
  run_arithmetic(batch, CHAINS * STEPS * width,
                 batch->single ? take_steps_single : take_steps_double);
}

static void run_root(const struct limit_batch *batch) {
  run_arithmetic(batch, CACHED, batch->single ? take_roots_single : take_roots_double);
}

static void run_copy(const struct limit_batch *batch) {
  const size_t threads = (size_t)omp_get_max_threads();
#pragma omp parallel for schedule(static)
  for (size_t t = 0; t < threads; t++) {
    const size_t first = share_start(batch->count, t, threads);
    memcpy((char *)batch->output + first, (const char *)batch->left + first,
           share_start(batch->count, t + 1, threads) - first);
  }
}

static void run_product(const struct limit_batch *batch) {
  const size_t threads = (size_t)omp_get_max_threads();
#pragma omp parallel for schedule(static)
  for (size_t t = 0; t < threads; t++) {
    const size_t row = share_start(batch->rows, t, threads);
    const size_t rows = share_start(batch->rows, t + 1, threads) - row;
    for (size_t product = 0; product < batch->count && rows; product++)
      (batch->single ? multiply_single : multiply_double)(batch, row, rows, product);
  }
}

int limit_cpu(const struct limit_batch *batch, struct error *error) {
  static void (*const run[])(const struct limit_batch *batch) = {
      [LIMIT_MULTIPLY_ADD] = run_multiply_add,
      [LIMIT_ROOT] = run_root,
      [LIMIT_COPY] = run_copy,
      [LIMIT_PRODUCT] = run_product,
  };
  (void)error;
  run[batch->limit](batch);
  return OK;
}

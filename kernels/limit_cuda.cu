/* What the device can do at most: the twin of limit_cpu.c.

   Arithmetic takes BLOCKS_EACH blocks of every multiprocessor: 8 warps for each of its 4
   schedulers, with CHAINS multiply-adds or ROOTS roots side by side in a thread, are enough to hide
   one another's latency, and every device from compute capability 7.5 on holds as many at a time.
   An H200 (132 multiprocessors at 1.98 GHz, each with 128 FP32 and 64 FP64 units) can do 3.3e13
   multiply-adds/s in float, 1.67e13 in double. A copy is the driver's from device memory to device
   memory: an H200 reads and writes 4.8e12 bytes/s in all, so it copies at most 2.4e12. A product is
   cuBLAS's where that is found, else the plug-in's own (cuda_product.h), as in the cosine sums. */
#include "kernels/cuda_blas.h"
#include "kernels/cuda_operations.h"
#include "kernels/cuda_product.h"

enum {
  CHAINS = 8,
  ROOTS = 4,
  CACHED = ROOTS * THREADS, /* numbers of a block that roots are taken of */
  STEPS = 64,               /* of a block, before there is another */
  BLOCKS_EACH = 4,          /* of a multiprocessor, at most */
};

/* A root as the other kernels take it: in float from its reciprocal, which the device has, to 3
   units in the last place. */
__device__ static inline float root(float x) {
  return x * rsqrtf(x);
}
__device__ static inline double root(double x) {
  return sqrt(x);
}

/* Steps of this block, when all together do `steps`. */
__device__ static inline size_t steps_of_block(size_t steps) {
  return steps / gridDim.x + (blockIdx.x < steps % gridDim.x);
}

/* The sum of what the threads of the block have, into *total. */
__device__ static inline void sum_block(double own, double *total) {
  __shared__ double sum[THREADS];
  sum[threadIdx.x] = own;
  for (unsigned half = THREADS / 2; half; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) sum[threadIdx.x] += sum[threadIdx.x + half];
  }
  if (threadIdx.x == 0) *total = sum[0];
}

/* Steps of CHAINS · THREADS multiply-adds: chains of x/2 + 1. `half` is an argument so that the
   compiler does not know where they lead. total (block): the mean of its chains, times its steps.
 */
template <class real> __global__ void limit_steps(size_t steps, real half, double *total) {
  const unsigned own = (unsigned)steps_of_block(steps);
  const real one = 1;
  real x[CHAINS] = {};
#pragma unroll 8
  for (unsigned step = 0; step < own; step++)
#pragma unroll
    for (int c = 0; c < CHAINS; c++)
      x[c] = multiply_add(x[c], half, one);
  double sum = 0;
#pragma unroll
  for (int c = 0; c < CHAINS; c++)
    sum += (double)x[c];
  sum_block(sum / (CHAINS * THREADS) * own, &total[blockIdx.x]);
}

/* Steps of CACHED roots. Volatile, so that they are taken anew each time. Sums start anew often
   enough for floats. total (block): the sum of its roots, divided by CACHED. */
template <class real> __global__ void limit_roots(size_t steps, double *total) {
  enum { ANEW = 256 };
  __shared__ volatile real value[CACHED];
  const unsigned own = (unsigned)steps_of_block(steps);
  for (unsigned i = threadIdx.x; i < CACHED; i += THREADS)
    value[i] = (real)i + (real)1.5;
  double sum = 0;
  for (unsigned first = 0; first < own; first += ANEW) {
    const unsigned end = own - first < ANEW ? own : first + ANEW;
    real part[ROOTS] = {};
    for (unsigned step = first; step < end; step++)
#pragma unroll
      for (int i = 0; i < ROOTS; i++)
        part[i] += root((real)value[i * THREADS + threadIdx.x]);
#pragma unroll
    for (int i = 0; i < ROOTS; i++)
      sum += (double)part[i];
  }
  sum_block(sum / CACHED, &total[blockIdx.x]);
}

/* Turns `matrix` (entry, inner) into `table` (depth, padded): k slowest, zeros around. */
template <class real>
__global__ void limit_turn(const real *matrix, size_t entries, size_t inner, size_t padded,
                           size_t depth, real *table) {
  for (size_t e = (size_t)blockIdx.x * blockDim.x + threadIdx.x; e < depth * padded;
       e += (size_t)gridDim.x * blockDim.x) {
    const size_t entry = e % padded, k = e / padded;
    table[e] = entry < entries && k < inner ? matrix[entry * inner + k] : 0;
  }
}

/* c(row, column) = Σ_k a(k, row) · b(k, column), all padded to whole tiles. */
template <class real>
__global__ void __launch_bounds__(THREADS, 2)
    limit_multiply(cuda_blas_shape shape, const real *a, const real *b, real *c) {
  typedef product_tile<real> tile;
  __shared__ typename tile::buffers buffers;
  const size_t across = shape.columns / tile::COLUMNS, tiles = shape.rows / tile::ROWS * across;
  for (size_t t = blockIdx.x; t < tiles; t += gridDim.x) {
    const size_t row = t / across * tile::ROWS, column = t % across * tile::COLUMNS;
    real element[tile::EACH_ROW][tile::EACH_COLUMN] = {};
    tile::add(buffers, a + row, shape.rows, b + column, shape.columns, shape.depth, element);
#pragma unroll
    for (int i = 0; i < tile::EACH_ROW; i++)
#pragma unroll
      for (int j = 0; j < tile::EACH_COLUMN; j++)
        c[(row + tile::row(i)) * shape.columns + column + tile::column(j)] = element[i][j];
  }
}

/* ---- The host's side ---- */

/* The device's own clock: what it does between start() and stop() is added to *seconds. A launch
   that finds it idle counts with the 2 to 4 microseconds until it has begun. */
struct device_clock {
  device_clock(device_work &work, double *seconds)
      : work(work), seconds(seconds), from(nullptr), to(nullptr) {
    if (!seconds) return;
    *seconds = 0;
    work.check(cudaEventCreate(&from), "making a clock");
    if (work.ok()) work.check(cudaEventCreate(&to), "making a clock");
  }
  ~device_clock() {
    if (from && cudaEventDestroy(from) != cudaSuccess) (void)cudaGetLastError();
    if (to && cudaEventDestroy(to) != cudaSuccess) (void)cudaGetLastError();
  }
  device_clock(const device_clock &) = delete;
  device_clock &operator=(const device_clock &) = delete;

  void start() {
    if (seconds && work.ok()) work.check(cudaEventRecord(from), "starting a clock");
  }

  /* Waits for what was launched. */
  void stop() {
    float milliseconds = 0;
    if (seconds && work.ok()) work.check(cudaEventRecord(to), "stopping a clock");
    if (seconds && work.ok()) work.check(cudaEventSynchronize(to), "waiting for a limit");
    if (seconds && work.ok())
      work.check(cudaEventElapsedTime(&milliseconds, from, to), "reading a clock");
    if (seconds) *seconds += 1e-3 * (double)milliseconds;
  }

private:
  device_work &work;
  double *seconds;
  cudaEvent_t from, to;
};

/* Blocks that share so many steps of arithmetic: at least STEPS each, where there are as many. */
static unsigned arithmetic_blocks(device_work &work, size_t steps) {
  int device = 0, multiprocessors = 0;
  work.check(cudaGetDevice(&device), "asking for the device");
  work.check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device),
             "asking for the multiprocessors");
  const size_t most = least((size_t)multiprocessors * BLOCKS_EACH, work.most_blocks());
  return (unsigned)least(steps < STEPS ? 1 : steps / STEPS, most);
}

static void launch_steps(device_work &work, bool single, unsigned blocks, size_t steps,
                         double *total) {
  if (single)
    WORK_LAUNCH(work, limit_steps<float>, blocks)(steps, 0.5f, total);
  else
    WORK_LAUNCH(work, limit_steps<double>, blocks)(steps, 0.5, total);
  work.launched("limit_steps");
}

static void launch_roots(device_work &work, bool single, unsigned blocks, size_t steps,
                         double *total) {
  if (single)
    WORK_LAUNCH(work, limit_roots<float>, blocks)(steps, total);
  else
    WORK_LAUNCH(work, limit_roots<double>, blocks)(steps, total);
  work.launched("limit_roots");
}

static void run_arithmetic(device_work &work, device_clock &clock,
                           const struct limit_batch *batch) {
  const bool roots = batch->limit == LIMIT_ROOT;
  const size_t steps = device_ceil(batch->count, roots ? CACHED : CHAINS * THREADS);
  *batch->result = 0;
  if (!steps) return;
  const unsigned blocks = arithmetic_blocks(work, steps);
  double *total = work.array<double>(blocks, "the results");
  double *total_host = work.host<double>(blocks, "the results");
  clock.start();
  (roots ? launch_roots : launch_steps)(work, batch->single, blocks, steps, total);
  clock.stop();
  work.fetch(total_host, total, blocks);
  double sum = 0;
  for (unsigned b = 0; work.ok() && b < blocks; b++)
    sum += total_host[b];
  *batch->result = sum / (double)steps;
}

static void run_copy(device_work &work, device_clock &clock, const struct limit_batch *batch) {
  const char *left = (const char *)batch->left;
  char *output = (char *)batch->output;
  if (!batch->count) return;
  const size_t piece = work.fit(batch->count, 2, "two bytes");
  char *from = work.array<char>(piece, "the bytes"), *to = work.array<char>(piece, "the bytes");
  for (size_t done = 0; work.ok() && done < batch->count; done += piece) {
    const size_t now = least(batch->count - done, piece);
    work.send(from, left + done, now);
    clock.start();
    if (work.ok())
      work.check(cudaMemcpy(to, from, now, cudaMemcpyDeviceToDevice), "copying on the device");
    clock.stop();
    work.fetch(output + done, to, now);
  }
}

/* A product on the device: rows and columns as they are, or padded to tiles. */
template <class real> struct limit_matrices {
  bool blas;
  cuda_blas_shape shape;
  real *matrix; /* as it comes from the host */
  real *a, *b, *c;

  limit_matrices(device_work &work, const struct limit_batch *batch)
      : blas(cuda_blas_available()), shape{batch->rows, batch->columns, batch->inner} {
    typedef product_tile<real> tile;
    if (!blas)
      shape = {device_ceil(batch->rows, tile::ROWS) * tile::ROWS,
               device_ceil(batch->columns, tile::COLUMNS) * tile::COLUMNS,
               device_ceil(batch->inner, tile::DEPTH) * tile::DEPTH};
    const size_t entries = batch->rows > batch->columns ? batch->rows : batch->columns;
    const size_t count = entries * batch->inner + (shape.rows + shape.columns) * shape.depth +
                         shape.rows * shape.columns;
    if (work.room() / sizeof(real) < count)
      work.refuse(count * sizeof(real), "the matrices of a product");
    matrix = work.array<real>(entries * batch->inner, "a matrix");
    a = work.array<real>(shape.rows * shape.depth, "a matrix");
    b = work.array<real>(shape.columns * shape.depth, "a matrix");
    c = work.array<real>(shape.rows * shape.columns, "the product");
  }

  void bring(device_work &work, const real *from, size_t entries, size_t inner, size_t padded,
             real *table) {
    work.send(matrix, from, entries * inner);
    WORK_LAUNCH(work, limit_turn<real>, work.blocks(padded * shape.depth))
    (matrix, entries, inner, padded, shape.depth, table);
    work.launched("limit_turn");
  }

  void multiply(device_work &work) {
    typedef product_tile<real> tile;
    if (blas) {
      if (work.ok())
        work.check_blas(cuda_blas_product(shape, a, b, c),
                        sizeof(real) == sizeof(float) ? "cublasSgemm" : "cublasDgemm");
      return;
    }
    const size_t tiles = shape.rows / tile::ROWS * (shape.columns / tile::COLUMNS);
    WORK_LAUNCH(work, limit_multiply<real>, (unsigned)least(tiles, work.most_blocks()))
    (shape, a, b, c);
    work.launched("limit_multiply");
  }
};

template <class real>
static void run_product(device_work &work, device_clock &clock, const struct limit_batch *batch) {
  if (!batch->count) return;
  const size_t rows = batch->rows, columns = batch->columns, inner = batch->inner;
  limit_matrices<real> matrices(work, batch);
  for (size_t p = 0; work.ok() && p < batch->count; p++) {
    matrices.bring(work, (const real *)batch->left + p * rows * inner, rows, inner,
                   matrices.shape.rows, matrices.a);
    matrices.bring(work, (const real *)batch->right + p * columns * inner, columns, inner,
                   matrices.shape.columns, matrices.b);
    clock.start();
    matrices.multiply(work);
    clock.stop();
  }
  if (work.ok())
    work.check(cudaMemcpy2D(batch->output, columns * sizeof(real), matrices.c,
                            matrices.shape.columns * sizeof(real), columns * sizeof(real), rows,
                            cudaMemcpyDeviceToHost),
               "copying from the device");
}

int limit_cuda(const struct limit_batch *batch, struct error *error) {
  device_work work("measure a limit", error);
  device_clock clock(work, batch->seconds);
  if (batch->limit == LIMIT_COPY)
    run_copy(work, clock, batch);
  else if (batch->limit != LIMIT_PRODUCT)
    run_arithmetic(work, clock, batch);
  else if (batch->single)
    run_product<float>(work, clock, batch);
  else
    run_product<double>(work, clock, batch);
  return work.status;
}

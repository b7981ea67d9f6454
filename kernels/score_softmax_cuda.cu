/* Rows of exp(scale · score + bias): the largest, the sum, and the sums that locality, distance and
   entropy of the weights need. The twin of score_weights.c: exponents in powers of two, taken
   against the largest of a thread's own so far (Milakov and Gimelshein, arXiv:1805.02867); threads,
   then blocks, are joined in one order.

   A block makes the scores of a tile's rows with a stretch of keys, tile by tile; a thread keeps
   its rows' sums in registers. For every score one fused product for each dimension and a MUFU.EX2
   (16 a clock and multiprocessor on an H200, where 128 products are made), and for each 4 or 2
   scores of a row one addition in double: for 64 dimensions or more the products are the limit. */
#include <math.h>

#include "kernels/cuda_score_softmax.h"

/* Exponentials of a row against 2^peak; `exponent`: Σ e·log2 e. MOMENTS: more than the total is
 * wanted. */
struct row_moments {
  double exponent, distance, locality;
};
template <class real, bool MOMENTS> struct row_sums {
  real peak;
  double total;
  row_moments moments;
};
template <class real> struct row_sums<real, false> {
  real peak;
  double total;
};

template <class real, bool MOMENTS> __device__ static inline row_sums<real, MOMENTS> no_sums() {
  row_sums<real, MOMENTS> row = {};
  row.peak = -INFINITY;
  return row;
}

/* Takes the sums against a higher peak. */
template <class real, bool MOMENTS>
__device__ static inline void raise_peak(row_sums<real, MOMENTS> &row, real peak) {
  if (row.total != 0) {
    const double change = (double)row.peak - (double)peak, factor = exp2(change);
    if constexpr (MOMENTS) {
      row.moments.exponent = factor * fma(change, row.total, row.moments.exponent);
      row.moments.distance *= factor;
      row.moments.locality *= factor;
    }
    row.total *= factor;
  }
  row.peak = peak;
}

template <class real, bool MOMENTS>
__device__ static inline void join_sums(row_sums<real, MOMENTS> &row,
                                        row_sums<real, MOMENTS> other) {
  if (other.peak > row.peak) raise_peak(row, other.peak);
  if (row.peak > other.peak) raise_peak(other, row.peak);
  row.total += other.total;
  if constexpr (MOMENTS) {
    row.moments.exponent += other.moments.exponent;
    row.moments.distance += other.moments.distance;
    row.moments.locality += other.moments.locality;
  }
}

template <class real, bool MOMENTS> struct softmax_job {
  score_vectors<real> vectors;
  bool causal;
  real scale;
  score_bias<real> bias;
  uint32_t row_tiles, chunk, chunks; /* chunk: keys that a block goes over */
  row_sums<real, MOMENTS> *sums;     /* (draw, chunk, stride) out */
};

/* A score that the thread's row sees, as its exponential against the row's peak. */
template <class real, bool MOMENTS>
__device__ static inline void add_score(row_sums<real, MOMENTS> &row, real exponent, uint32_t m,
                                        uint32_t n) {
  const double e = (double)power_of_two(exponent);
  row.total += e;
  if constexpr (MOMENTS) {
    const double apart = n > m ? (double)(n - m) : (double)(m - n);
    if (e != 0) row.moments.exponent = fma(e, (double)exponent, row.moments.exponent);
    row.moments.distance = fma(e, apart, row.moments.distance);
    if (apart < 128) row.moments.locality = fma(e, exp2(-apart), row.moments.locality);
  }
}

/* One tile's scores into the sums of the thread's rows. */
template <class real, bool MOMENTS>
__device__ static inline void add_tile(
    const softmax_job<real, MOMENTS> &job, size_t row, size_t column,
    const real (&element)[product_tile<real, 1>::EACH_ROW][product_tile<real, 1>::EACH_COLUMN],
    row_sums<real, MOMENTS> (&sums)[product_tile<real, 1>::EACH_ROW]) {
  typedef product_tile<real, 1> product;
#pragma unroll
  for (int i = 0; i < product::EACH_ROW; i++) {
    const uint32_t m = row + product::row(i), length = (uint32_t)job.vectors.length,
                   end = job.causal && m + 1 < length ? m + 1 : length;
    real peak = sums[i].peak;
#pragma unroll
    for (int j = 0; j < product::EACH_COLUMN; j++)
      if (column + product::column(j) < end)
        peak = fmax(peak,
                    job.bias.exponent_of(element[i][j], job.scale, m, column + product::column(j)));
    if (peak > sums[i].peak) raise_peak(sums[i], peak);
#pragma unroll
    for (int j = 0; j < product::EACH_COLUMN; j++) {
      const uint32_t n = column + product::column(j);
      if (n >= end) continue;
      const real exponent = job.bias.exponent_of(element[i][j], job.scale, m, n);
      if (job.bias.exponent && exponent == (real)-INFINITY) continue; /* there may be no peak yet */
      add_score(sums[i], exponent - peak, m, n);
    }
  }
}

/* A row's sums from another lane of the warp. */
template <class real, bool MOMENTS>
__device__ static inline row_sums<real, MOMENTS> from_lane(const row_sums<real, MOMENTS> &row,
                                                           int lanes) {
  constexpr unsigned ALL = 0xffffffff;
  row_sums<real, MOMENTS> other;
  other.peak = __shfl_xor_sync(ALL, row.peak, lanes);
  other.total = __shfl_xor_sync(ALL, row.total, lanes);
  if constexpr (MOMENTS)
    other.moments = {__shfl_xor_sync(ALL, row.moments.exponent, lanes),
                     __shfl_xor_sync(ALL, row.moments.distance, lanes),
                     __shfl_xor_sync(ALL, row.moments.locality, lanes)};
  return other;
}

/* The sums of a row are spread over two warps, 8 lanes of each; lane 0 of each gathers its 8. */
template <class real, bool MOMENTS>
__device__ static inline void gather_rows(
    row_sums<real, MOMENTS> *output,
    row_sums<real, MOMENTS> (&sums)[product_tile<real, 1>::EACH_ROW]) {
  typedef product_tile<real, 1> product;
  __shared__ row_sums<real, MOMENTS> side[product::ROWS][2];
#pragma unroll
  for (int i = 0; i < product::EACH_ROW; i++) {
#pragma unroll
    for (int lanes = 1; lanes < 8; lanes *= 2)
      join_sums(sums[i], from_lane(sums[i], lanes));
    if (product::thread_column() % 8 == 0)
      side[product::row(i)][product::thread_column() / 8] = sums[i];
  }
  __syncthreads();
  for (int row = (int)threadIdx.x; row < product::ROWS; row += THREADS) {
    row_sums<real, MOMENTS> joined = side[row][0];
    join_sums(joined, side[row][1]);
    output[row] = joined;
  }
}

/* Block x: row of tiles, chunk of keys, draw, the first fastest. */
template <class real, bool MOMENTS>
__global__ void __launch_bounds__(THREADS, MOMENTS ? 1 : 2)
    score_softmax(softmax_job<real, MOMENTS> job) {
  typedef product_tile<real, 1> product;
  __shared__ typename product::buffers buffers;
  const score_vectors<real> &vectors = job.vectors;
  /* Positions are below 2^31. */
  const uint32_t row = blockIdx.x % job.row_tiles * product::ROWS,
                 chunk = blockIdx.x / job.row_tiles % job.chunks,
                 draw = blockIdx.x / job.row_tiles / job.chunks;
  const size_t at = draw * vectors.depth * vectors.stride;
  uint32_t end = (uint32_t)least((size_t)(chunk + 1) * job.chunk, vectors.length);
  if (job.causal && row + product::ROWS < end) end = row + product::ROWS;
  row_sums<real, MOMENTS> sums[product::EACH_ROW];
#pragma unroll
  for (int i = 0; i < product::EACH_ROW; i++)
    sums[i] = no_sums<real, MOMENTS>();
  for (uint32_t column = chunk * job.chunk; column < end; column += product::COLUMNS) {
    real element[product::EACH_ROW][product::EACH_COLUMN] = {};
    product::add(buffers, vectors.query + at + row, vectors.stride, vectors.key + at + column,
                 vectors.stride, vectors.depth, element);
    add_tile(job, row, column, element, sums);
  }
  gather_rows(job.sums + (draw * job.chunks + chunk) * vectors.stride + row, sums);
}

/* A thread per draw and query: joins its chunks. With MOMENTS, weights (draw, 3, length): locality,
   distance and entropy of the row. */
template <class real, bool MOMENTS>
__global__ void score_rows_join(softmax_job<real, MOMENTS> job, real *peak, real *factor,
                                double *weights) {
  const score_vectors<real> &vectors = job.vectors;
  const size_t count = vectors.draws * vectors.stride;
  for (size_t e = (size_t)blockIdx.x * blockDim.x + threadIdx.x; e < count;
       e += (size_t)gridDim.x * blockDim.x) {
    const size_t draw = e / vectors.stride, m = e % vectors.stride;
    row_sums<real, MOMENTS> row = no_sums<real, MOMENTS>();
    for (uint32_t c = 0; c < job.chunks && (!job.causal || c * job.chunk <= m); c++)
      join_sums(row, job.sums[(draw * job.chunks + c) * vectors.stride + m]);
    peak[e] = row.peak;
    factor[e] = (real)(1 / row.total);
    if constexpr (MOMENTS) {
      if (m >= vectors.length) continue;
      double *own = weights + draw * 3 * vectors.length + m;
      own[0] = row.moments.locality / row.total;
      own[vectors.length] = row.moments.distance / row.total;
      own[2 * vectors.length] =
          log(row.total) - 0.693147180559945309 * row.moments.exponent / row.total;
    }
  }
}

/* Block x sums row x of (row, count), in one order. */
__global__ void score_sum_rows(size_t count, const double *value, double *sum) {
  __shared__ double part[THREADS];
  value += blockIdx.x * count;
  double total = 0;
  for (size_t i = threadIdx.x; i < count; i += THREADS)
    total += value[i];
  part[threadIdx.x] = total;
  for (unsigned half = THREADS / 2; half; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
  }
  if (threadIdx.x == 0) sum[blockIdx.x] = part[0];
}

/* ---- The host's side ---- */

static void fetch_weights(device_work &work, const struct score_batch *batch,
                          const double *weights) {
  const size_t draws = batch->batch;
  double *sum = work.array<double>(3 * draws, "the sums of weights"),
         *sums = work.host<double>(3 * draws, "the sums of weights");
  WORK_LAUNCH(work, score_sum_rows, (unsigned)(3 * draws))(batch->length, weights, sum);
  work.launched("score_sum_rows");
  work.fetch(sums, sum, 3 * draws);
  for (size_t d = 0; work.ok() && d < draws; d++)
    batch->weights[d] = {sums[3 * d], sums[3 * d + 1], sums[3 * d + 2]};
}

template <class real, bool MOMENTS>
static row_softmax<real> make(device_work &work, const struct score_batch *batch,
                              const score_vectors<real> &vectors, const score_bias<real> &bias) {
  typedef product_tile<real, 1> product;
  enum { MOST_CHUNKS = 16, SHORTEST_CHUNK = 1024 }; /* enough blocks for a device, little to join */
  const char *what = "the sums of rows";
  softmax_job<real, MOMENTS> job = {};
  job.vectors = vectors;
  job.causal = batch->causal;
  job.scale = (real)(batch->scale * 1.44269504088896340736);
  job.bias = bias;
  job.row_tiles = (uint32_t)device_ceil(batch->length, product::ROWS);
  job.chunk = (uint32_t)(device_ceil(batch->length, MOST_CHUNKS * SHORTEST_CHUNK) * SHORTEST_CHUNK);
  job.chunks = (uint32_t)device_ceil(batch->length, job.chunk);
  const size_t rows = vectors.draws * vectors.stride,
               blocks = (size_t)job.row_tiles * job.chunks * vectors.draws;
  job.sums = work.array<row_sums<real, MOMENTS>>(rows * job.chunks, what);
  real *peak = work.array<real>(rows, what), *factor = work.array<real>(rows, what);
  double *weights =
      MOMENTS ? work.array<double>(vectors.draws * 3 * vectors.length, what) : nullptr;
  WORK_LAUNCH(work, (score_softmax<real, MOMENTS>), (unsigned)blocks)(job);
  work.launched("score_softmax");
  WORK_LAUNCH(work, (score_rows_join<real, MOMENTS>), work.blocks(rows))
  (job, peak, factor, weights);
  work.launched("score_rows_join");
  if (MOMENTS) fetch_weights(work, batch, weights);
  work.release(job.sums);
  return {job.scale, peak, factor};
}

template <class real>
row_softmax<real> row_softmax_make(device_work &work, const struct score_batch *batch,
                                   const score_vectors<real> &vectors,
                                   const score_bias<real> &bias) {
  return batch->weights ? make<real, true>(work, batch, vectors, bias)
                        : make<real, false>(work, batch, vectors, bias);
}

template row_softmax<double> row_softmax_make(device_work &, const struct score_batch *,
                                              const score_vectors<double> &,
                                              const score_bias<double> &);
template row_softmax<float> row_softmax_make(device_work &, const struct score_batch *,
                                             const score_vectors<float> &,
                                             const score_bias<float> &);

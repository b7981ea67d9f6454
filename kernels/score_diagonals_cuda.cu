/* Scores by distance query − key: sums, sums of squares, a histogram of each distance, and the
   smallest and the largest score. The twin of score_diagonals_cpu.c and score_symmetric_cpu.c.

   A block makes a tile of scores of one draw and puts it into shared memory; a thread sums a
   diagonal of the tile, in double. A second kernel adds the tiles' sums to those of the distances,
   in one order. Histograms are counted by atomic additions of integers, whose order does not
   matter.

   length² · dim fused products a draw at 16 896 a clock in float, 8 448 in double, on an H200 (half
   of it under a mask), and for each score a conversion (16 a clock and multiprocessor), an addition
   and a fused product in double (64): 1/8 of the products of 64 dimensions. A histogram adds an
   atomic for each score, which the L2 cache takes at about one a clock for each of its slices: it
   is the limit then. */
#include <float.h>
#include <math.h>

#include "kernels/cuda_scores.h"

typedef unsigned long long word; /* what atomics take */

template <class real> struct diagonal_tile {
  typedef product_tile<real, 1> product;
  static constexpr int ROWS = product::ROWS, COLUMNS = product::COLUMNS;
  static constexpr int DIAGONALS = ROWS + COLUMNS - 1;
  static_assert(DIAGONALS <= THREADS, "a thread for each diagonal");
};

/* Where a histogram puts a score. */
struct score_bins {
  uint32_t *count; /* (distance − masked, bin); NULL: none */
  size_t bins, masked;
  double low, per_width;
};

template <class real> struct diagonal_job {
  score_vectors<real> vectors;
  size_t draw;
  bool causal;
  const double *bias; /* (2·length − 1), distance −(length − 1) first; NULL: none */
  size_t column_tiles, first_tile; /* first_tile: of rows, of this launch */
  double *partial;                 /* (tile, 2, DIAGONALS) Σ S and Σ S² out; NULL: not wanted */
  score_bins bins;
  word *
      range; /* (2) the smallest and the largest finite score, as ordered words; NULL: not wanted */
};

/* Words in the order of the numbers. */
__device__ static inline word ordered_word(double value) {
  const word bits = (word)__double_as_longlong(value);
  return bits >> 63 ? ~bits : bits | 1ull << 63;
}
static double number_of(word ordered) {
  const word bits = ordered >> 63 ? ordered & ~(1ull << 63) : ~ordered;
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

__device__ static inline void count_score(const score_bins &bins, size_t distance, double score) {
  double bin = (score - bins.low) * bins.per_width;
  bin = bin > 0 ? bin : 0; /* NaN too */
  const double last = (double)(bins.bins - 1);
  atomicAdd(&bins.count[(distance - bins.masked) * bins.bins + (size_t)(bin < last ? bin : last)],
            1u);
}

/* Widens the range by what the block has seen. */
__device__ static inline void widen_range(word *range, double low, double high) {
  __shared__ word lowest[THREADS], highest[THREADS];
  lowest[threadIdx.x] = low <= high ? ordered_word(low) : UINT64_MAX;
  highest[threadIdx.x] = low <= high ? ordered_word(high) : 0;
  for (unsigned half = THREADS / 2; half; half /= 2) {
    __syncthreads();
    if (threadIdx.x >= half) continue;
    const word l = lowest[threadIdx.x + half], h = highest[threadIdx.x + half];
    if (l < lowest[threadIdx.x]) lowest[threadIdx.x] = l;
    if (h > highest[threadIdx.x]) highest[threadIdx.x] = h;
  }
  if (threadIdx.x == 0) {
    atomicMin(&range[0], lowest[0]);
    atomicMax(&range[1], highest[0]);
  }
}

/* What the thread's diagonal of the tile holds, row − column = threadIdx.x − (COLUMNS − 1). */
template <class real>
__device__ static inline void add_diagonal(
    const diagonal_job<real> &job, size_t row, size_t column,
    const real (&score)[diagonal_tile<real>::ROWS][diagonal_tile<real>::COLUMNS + 1]) {
  typedef diagonal_tile<real> tile;
  const int apart = (int)threadIdx.x - (tile::COLUMNS - 1), length = (int)job.vectors.length;
  const int distance = (int)row - (int)column + apart;
  int first = apart < 0 ? -apart : 0, end = tile::COLUMNS; /* columns of the diagonal */
  if (end > tile::ROWS - apart) end = tile::ROWS - apart;
  if (end > length - (int)column) end = length - (int)column;
  if (end > length - (int)row - apart) end = length - (int)row - apart;
  if ((int)threadIdx.x >= tile::DIAGONALS || (job.causal && distance < 0)) end = first;
  const double bias = job.bias && first < end ? job.bias[distance + length - 1] : 0;
  if (bias == -INFINITY) end = first;
  double sum = 0, square = 0, low = DBL_MAX, high = -DBL_MAX;
  for (int c = first; c < end; c++) {
    const double value = (double)score[c + apart][c] + bias;
    sum += value;
    square = fma(value, value, square);
    if (job.bins.count) count_score(job.bins, (size_t)(distance + length - 1), value);
    if (fabs(value) <= DBL_MAX) {
      low = value < low ? value : low;
      high = value > high ? value : high;
    }
  }
  if (job.range) widen_range(job.range, low, high);
  if (!job.partial || (int)threadIdx.x >= tile::DIAGONALS) return;
  double *own = job.partial + (size_t)blockIdx.x * 2 * tile::DIAGONALS + threadIdx.x;
  own[0] = sum;
  own[tile::DIAGONALS] = square;
}

template <class real>
__global__ void __launch_bounds__(THREADS, 2) score_diagonals(diagonal_job<real> job) {
  typedef diagonal_tile<real> tile;
  typedef typename tile::product product;
  __shared__ union {
    typename product::buffers buffers;
    real score[tile::ROWS][tile::COLUMNS + 1];
  } shared;
  const size_t row = (job.first_tile + blockIdx.x / job.column_tiles) * tile::ROWS,
               column = blockIdx.x % job.column_tiles * tile::COLUMNS;
  if (job.causal && column >= row + tile::ROWS) return;
  const score_vectors<real> &vectors = job.vectors;
  const size_t at = job.draw * vectors.depth * vectors.stride;
  real element[product::EACH_ROW][product::EACH_COLUMN] = {};
  product::add(shared.buffers, vectors.query + at + row, vectors.stride, vectors.key + at + column,
               vectors.stride, vectors.depth, element);
#pragma unroll
  for (int i = 0; i < product::EACH_ROW; i++)
#pragma unroll
    for (int j = 0; j < product::EACH_COLUMN; j++)
      shared.score[product::row(i)][product::column(j)] = element[i][j];
  __syncthreads();
  add_diagonal(job, row, column, shared.score);
}

/* A thread per distance: adds what the tiles of rows first .. end − 1 hold of it, row by row. */
template <class real>
__global__ void score_diagonals_join(diagonal_job<real> job, size_t end, double *sum,
                                     double *square) {
  typedef diagonal_tile<real> tile;
  const long long length = (long long)job.vectors.length;
  for (long long t = (long long)blockIdx.x * THREADS + threadIdx.x; t < 2 * length - 1;
       t += (long long)gridDim.x * THREADS) {
    const long long distance = t - (length - 1);
    double s = sum[t], q = square[t];
    for (size_t r = job.first_tile; r < end; r++) {
      const long long row = (long long)(r * tile::ROWS);
      const long long from = row - distance, to = from + tile::ROWS - 1; /* keys of the rows */
      if (to < 0) continue;
      for (long long c = from > 0 ? from / tile::COLUMNS : 0;
           c <= to / tile::COLUMNS && c < (long long)job.column_tiles; c++) {
        const long long column = c * tile::COLUMNS;
        if (job.causal && column >= row + tile::ROWS) break; /* was left out */
        const double *own =
            job.partial +
            ((r - job.first_tile) * job.column_tiles + (size_t)c) * 2 * tile::DIAGONALS +
            (distance - row + column + tile::COLUMNS - 1);
        s += own[0];
        q += own[tile::DIAGONALS];
      }
    }
    sum[t] = s;
    square[t] = q;
  }
}

/* ---- Σ S(m, n)·S(n, m) = tr(G G), G = Kᵀ Q: see score_symmetric_cpu.c ---- */

enum { GRAM = 16 }; /* rows and columns of G in a block of THREADS */

/* Block (x, y): G[i][j] for i of x, j of y, one draw. */
__global__ void score_gram(score_vectors<double> vectors, size_t draw, double *gram) {
  __shared__ double key[GRAM][GRAM + 1], query[GRAM][GRAM + 1];
  const size_t x = threadIdx.x % GRAM, y = threadIdx.x / GRAM, dim = vectors.dim;
  const size_t i = blockIdx.x * GRAM + y, j = blockIdx.y * GRAM + y;
  const size_t at = draw * vectors.depth * vectors.stride;
  double sum = 0;
  for (size_t m = 0; m < vectors.stride; m += GRAM) {
    key[y][x] = i < dim ? vectors.key[at + i * vectors.stride + m + x] : 0;
    query[y][x] = j < dim ? vectors.query[at + j * vectors.stride + m + x] : 0;
    __syncthreads();
    for (int k = 0; k < GRAM; k++)
      sum = fma(key[y][k], query[x][k], sum);
    __syncthreads();
  }
  if (i < dim && blockIdx.y * GRAM + x < dim) gram[i * dim + blockIdx.y * GRAM + x] = sum;
}

/* One block: Σ_ij G_ij·G_ji, in one order. */
__global__ void score_trace(size_t dim, const double *gram, double *trace) {
  __shared__ double part[THREADS];
  double sum = 0;
  for (size_t e = threadIdx.x; e < dim * dim; e += THREADS)
    sum = fma(gram[e], gram[e % dim * dim + e / dim], sum);
  part[threadIdx.x] = sum;
  for (unsigned half = THREADS / 2; half; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
  }
  if (threadIdx.x == 0) *trace = part[0];
}

static void fill_symmetric(device_work &work, const struct score_batch *batch) {
  const bool masked = batch->causal || score_bias_masks(batch);
  for (size_t d = 0; masked && d < batch->batch; d++)
    batch->sums[d].symmetric = NAN;
  if (masked) return;
  const score_vectors<double> vectors = score_vectors_make<double>(work, batch);
  double *gram = work.array<double>(batch->dim * batch->dim, "the products of queries and keys"),
         *trace = work.array<double>(1, "a sum");
  const unsigned blocks = (unsigned)device_ceil(batch->dim, GRAM);
  for (size_t d = 0; work.ok() && d < batch->batch; d++) {
    WORK_LAUNCH(work, score_gram, dim3(blocks, blocks))(vectors, d, gram);
    work.launched("score_gram");
    WORK_LAUNCH(work, score_trace, 1)(batch->dim, gram, trace);
    work.launched("score_trace");
    double sum = 0;
    work.fetch(&sum, trace, 1);
    batch->sums[d].symmetric += sum;
  }
  work.release(vectors.query);
  work.release(vectors.key);
}

/* ---- The host's side ---- */

/* Goes over all scores of one draw, as many rows of tiles at a time as there is room for. */
template <class real>
static void run_draw(device_work &work, diagonal_job<real> job, size_t band, double *sum,
                     double *square) {
  typedef diagonal_tile<real> tile;
  const size_t tiles = device_ceil(job.vectors.length, tile::ROWS);
  for (size_t first = 0; work.ok() && first < tiles; first += band) {
    const size_t now = least(tiles - first, band);
    job.first_tile = first;
    WORK_LAUNCH(work, score_diagonals<real>, (unsigned)(now * job.column_tiles))(job);
    work.launched("score_diagonals");
    if (!job.partial) continue;
    WORK_LAUNCH(work, score_diagonals_join<real>, work.blocks(2 * job.vectors.length - 1))
    (job, first + now, sum, square);
    work.launched("score_diagonals_join");
  }
}

/* Sums of the batch on the host. */
struct diagonal_sums {
  const struct score_batch *batch;
  size_t distances;
  double *sum, *square; /* (draw, distance) */
  double low, high;     /* of the histogram */
  size_t bins, masked;
  uint32_t *count; /* (distance − masked, bin) */
};

/* From the smallest score to the largest, or as given. */
template <class real>
static void find_range(device_work &work, diagonal_job<real> job, size_t band,
                       const struct score_profile *profile, diagonal_sums &sums) {
  sums.low = profile->low;
  sums.high = profile->high;
  if (sums.low < sums.high) return;
  const word none[2] = {UINT64_MAX, 0};
  word range[2] = {0, 0};
  job.range = work.upload(none, 2, "the range of the scores");
  for (job.draw = 0; job.draw < job.vectors.draws; job.draw++)
    run_draw(work, job, band, nullptr, nullptr);
  work.fetch(range, job.range, 2);
  const bool any = range[0] <= range[1];
  sums.low = any ? number_of(range[0]) : 0;
  sums.high = any ? number_of(range[1]) : 0;
}

static score_bins open_bins(device_work &work, const diagonal_sums &sums) {
  const size_t counts = (sums.distances - sums.masked) * sums.bins;
  const double width = (sums.high - sums.low) / (double)sums.bins;
  score_bins bins = {work.array<uint32_t>(counts, "the histograms of all distances"), sums.bins,
                     sums.masked, sums.low, width > 0 ? 1 / width : 0};
  work.clear(bins.count, counts);
  return bins;
}

/* Scores of one draw at a distance that are not masked. */
static double count_at(const diagonal_sums &sums, size_t distance) {
  const size_t zero = sums.batch->length - 1;
  if (sums.batch->causal && distance < zero) return 0;
  if (sums.batch->bias && sums.batch->bias[distance] == -INFINITY) return 0;
  return (double)(distance < zero ? distance + 1 : sums.distances - distance);
}

static void finish_draw(const diagonal_sums &sums, size_t draw) {
  const struct score_batch *batch = sums.batch;
  const struct score_profile *profile = batch->profile;
  const double *sum = sums.sum + draw * sums.distances,
               *square = sums.square + draw * sums.distances;
  const double *bias = batch->bias;
  double total = 0, energy = 0, toeplitz = 0, mirrored = 0;
  for (size_t t = 0; t < sums.distances; t++) {
    const double count = count_at(sums, t);
    const size_t at = draw * sums.distances + t;
    if (profile && profile->mean) profile->mean[at] = count > 0 ? sum[t] / count : NAN;
    if (profile && profile->square) profile->square[at] = count > 0 ? square[t] / count : NAN;
    if (!(count > 0)) continue;
    total += sum[t];
    energy += square[t];
    toeplitz += sum[t] * (sum[t] / count);
    if (bias) mirrored += bias[sums.distances - 1 - t] * (2 * sum[t] - count * bias[t]);
  }
  if (!batch->sums) return;
  batch->sums[draw].sum = total;
  batch->sums[draw].square = energy;
  batch->sums[draw].toeplitz = toeplitz;
  batch->sums[draw].symmetric = mirrored; /* see score_symmetric_cpu.c */
}

/* Where the score of this rank (0 is the smallest) is, as if a bin's scores were spread evenly. */
static double score_of_rank(const diagonal_sums &sums, const uint32_t *count, uint64_t rank) {
  const double width = (sums.high - sums.low) / (double)sums.bins;
  uint64_t below = 0;
  size_t bin = 0;
  while (bin + 1 < sums.bins && below + count[bin] <= rank)
    below += count[bin++];
  const double share = ((double)(rank - below) + 0.5) / (double)count[bin];
  return sums.low + ((double)bin + share) * width;
}

static double quantile_at(const diagonal_sums &sums, size_t distance, double level) {
  const double scores = (double)sums.batch->batch * count_at(sums, distance);
  bool countable = scores > 0; /* a sum that is NaN had a NaN in it */
  for (size_t draw = 0; draw < sums.batch->batch; draw++)
    countable = countable && !isnan(sums.sum[draw * sums.distances + distance]);
  if (!countable) return NAN;
  const uint32_t *count = sums.count + (distance - sums.masked) * sums.bins;
  const double rank = level * (scores - 1), below = floor(rank);
  const double a = score_of_rank(sums, count, (uint64_t)below);
  if (rank == below) return a;
  const double b = score_of_rank(sums, count, (uint64_t)below + 1);
  return a + (b - a) * (rank - below);
}

static void finish(const diagonal_sums &sums) {
  const struct score_profile *profile = sums.batch->profile;
  for (size_t draw = 0; draw < sums.batch->batch; draw++)
    finish_draw(sums, draw);
  if (!sums.count) return;
  *profile->bin_width = (sums.high - sums.low) / (double)sums.bins;
  for (size_t t = 0; t < sums.distances; t++)
    for (size_t l = 0; l < profile->levels; l++)
      profile->quantile[l * sums.distances + t] = quantile_at(sums, t, profile->level[l]);
}

template <class real> static void run_all(device_work &work, const struct score_batch *batch) {
  typedef diagonal_tile<real> tile;
  const struct score_profile *profile = batch->profile;
  diagonal_sums sums = {};
  sums.batch = batch;
  sums.distances = 2 * batch->length - 1;
  sums.bins = profile ? profile->bins : 0;
  sums.masked = batch->causal ? batch->length - 1 : 0;
  const size_t entries = batch->batch * sums.distances,
               counts = (sums.distances - sums.masked) * sums.bins;
  sums.sum = work.host<double>(2 * entries, "the sums of all distances");
  sums.square = sums.sum ? sums.sum + entries : nullptr;
  if (sums.bins) sums.count = work.host<uint32_t>(counts, "the histograms of all distances");
  diagonal_job<real> job = {};
  job.vectors = score_vectors_make<real>(work, batch);
  job.causal = batch->causal;
  if (batch->bias) job.bias = work.upload(batch->bias, sums.distances, "the bias of all distances");
  job.column_tiles = device_ceil(batch->length, tile::COLUMNS);
  double *sum = work.array<double>(2 * entries, "the sums of all distances");
  work.clear(sum, 2 * entries);
  const size_t launch = work.most_blocks() / job.column_tiles,
               all = device_ceil(batch->length, tile::ROWS);
  if (sums.bins) {
    find_range(work, job, least(all, launch ? launch : 1), profile, sums);
    job.bins = open_bins(work, sums);
  }
  const size_t bytes = job.column_tiles * 2 * tile::DIAGONALS * sizeof(double);
  const size_t band = least(work.fit(all, bytes, "a row of tiles"), launch ? launch : 1);
  job.partial = work.array<double>(band * job.column_tiles * 2 * tile::DIAGONALS, "the diagonals");
  for (job.draw = 0; work.ok() && job.draw < batch->batch; job.draw++)
    run_draw(work, job, band, sum + job.draw * sums.distances,
             sum + entries + job.draw * sums.distances);
  work.fetch(sums.sum, sum, 2 * entries);
  if (sums.bins) work.fetch(sums.count, job.bins.count, counts);
  if (work.ok()) finish(sums);
  work.release(job.vectors.query);
  work.release(job.vectors.key);
}

void score_diagonals_run(device_work &work, const struct score_batch *batch) {
  if (batch->single)
    run_all<float>(work, batch);
  else
    run_all<double>(work, batch);
  if (work.ok() && batch->sums) fill_symmetric(work, batch);
}

/* The decay bound: the twin of decay_bound_cpu.c.

     S_j(m) = Σ_{i<j} exp(i·m·θ_i),   bound = Σ_j |S_j|,   cosine_sum = Re S_pairs

   Distances m0 + step·(a + LANES·c) of a run of equal steps are the product of two tables made from
   exact phases, exp(i·step·a·θ) and exp(i·(m0 + step·LANES·c)·θ). A thread keeps the three sums of
   TILES such distances (one a, TILES consecutive c) in registers and goes over the pairs; it reads
   the first factor once for all of them, the block shares the second through shared memory. Other
   distances take their phases one by one.

   A term (one pair of one distance) is four products with sums, a square and a sum, a square root,
   and a sum. In single: 4 + 2 FFMA or FMUL, FMNMX, MUFU.RSQ, FFMA and 5/8 of a load: 9.6
   instructions. An H200 has 16 MUFU lanes and issues 128 instructions a clock in each of 132
   multiprocessors (1.98 GHz): the reciprocal square root allows 4.18e12 terms/s, the
   instructions 3.5e12. In double: 7 operations and about 9 in the square root at 64 a
   clock: 1.05e12 terms/s. The tables are one sine and cosine in double for every 1/128 + 128/count
   of a distance; 16 bytes of results for `pairs` terms. */
#include "kernels/cuda_operations.h"
#include "kernels/cuda_phase.h"

enum {
  LANES = 128, /* distances that share a factor of the second table */
  GROUPS = THREADS / LANES,
  TILES = 8, /* distances of a thread */
  BLOCK_TILES = GROUPS * TILES,
  BLOCK = BLOCK_TILES * LANES,
  CHUNK = 32,         /* pairs in shared memory at a time */
  SHORTEST_RUN = 256, /* below it the tables are no gain */
  MOST_PAIRS = 512,   /* of sums in float: more would lose digits */
};

/* cos and sin in the precision of the sums. */
template <class real> struct wave;
template <> struct wave<double> {
  typedef double2 type;
  __device__ static double2 make(double cosine, double sine) {
    return make_double2(cosine, sine);
  }
};
template <> struct wave<float> {
  typedef float2 type;
  __device__ static float2 make(double cosine, double sine) {
    return make_float2((float)cosine, (float)sine);
  }
};

__device__ static inline double magnitude(double x, double y) {
  return sqrt(fma(x, x, y * y));
}

/* x · 1/√x: 3 units in the last place, NaN stays NaN, and 0 is kept from 0 · ∞. */
__device__ static inline float magnitude(float x, float y) {
  const float square = fmaf(x, x, y * y);
  return square * rsqrtf(fmaxf(square, 1e-37f));
}

/* entry (series, pair, e) of a table: exp(i·(first + stride·e)·θ), `entries` for each pair. */
template <class real>
__global__ void decay_tabulate(size_t rows, const uint64_t *step, uint64_t first, uint64_t stride,
                               size_t entries, typename wave<real>::type *table) {
  const size_t count = rows * entries, jump = (size_t)gridDim.x * blockDim.x;
  for (size_t e = (size_t)blockIdx.x * blockDim.x + threadIdx.x; e < count; e += jump) {
    double cosine, sine;
    device_cos_sin(step[e / entries] * (first + stride * (e % entries)), &cosine, &sine);
    table[e] = wave<real>::make(cosine, sine);
  }
}

struct decay_run {
  size_t pairs, count;        /* distances */
  size_t tiles;               /* of LANES distances, a multiple of BLOCK_TILES */
  double *bound, *cosine_sum; /* (series, distance), or NULL */
};

/* Block (x, y): BLOCK_TILES tiles from x · BLOCK_TILES on, of series y. */
template <class real>
__global__ void __launch_bounds__(THREADS)
    decay_sum(decay_run run, const typename wave<real>::type *lane_table,
              const typename wave<real>::type *tile_table) {
  typedef typename wave<real>::type pair_type;
  __shared__ pair_type factor[CHUNK * BLOCK_TILES];
  const unsigned lane = threadIdx.x % LANES, group = threadIdx.x / LANES;
  const size_t series = blockIdx.y, first_tile = (size_t)blockIdx.x * BLOCK_TILES;
  lane_table += series * run.pairs * LANES + lane;
  tile_table += series * run.pairs * run.tiles + first_tile;
  real x[TILES], y[TILES], sum[TILES];
#pragma unroll
  for (int t = 0; t < TILES; t++)
    x[t] = y[t] = sum[t] = 0;
  for (size_t chunk = 0; chunk < run.pairs; chunk += CHUNK) {
    const unsigned here = (unsigned)least(run.pairs - chunk, CHUNK);
    __syncthreads();
    for (unsigned e = threadIdx.x; e < here * BLOCK_TILES; e += THREADS)
      factor[e] = tile_table[(chunk + e / BLOCK_TILES) * run.tiles + e % BLOCK_TILES];
    __syncthreads();
    for (unsigned i = 0; i < here; i++) {
      const pair_type a = lane_table[(chunk + i) * LANES];
#pragma unroll
      for (int t = 0; t < TILES; t++) {
        const pair_type b = factor[i * BLOCK_TILES + group * TILES + t];
        x[t] += a.x * b.x - a.y * b.y;
        y[t] += a.x * b.y + a.y * b.x;
        sum[t] += magnitude(x[t], y[t]);
      }
    }
  }
#pragma unroll
  for (int t = 0; t < TILES; t++) {
    const size_t at = (first_tile + group * TILES + t) * LANES + lane;
    if (at >= run.count) continue;
    if (run.bound) run.bound[series * run.count + at] = (double)sum[t];
    if (run.cosine_sum) run.cosine_sum[series * run.count + at] = (double)x[t];
  }
}

/* A thread per distance, phases one by one: for irregular distances and for rounded precisions. */
__global__ void decay_direct(device_phases phases, size_t count, const int64_t *distance,
                             double *bound, double *cosine_sum) {
  const size_t jump = (size_t)gridDim.x * blockDim.x, series = blockIdx.y;
  for (size_t at = (size_t)blockIdx.x * blockDim.x + threadIdx.x; at < count; at += jump) {
    double x = 0, y = 0, sum = 0;
    for (size_t i = 0; i < phases.pairs; i++) {
      double cosine, sine;
      phases.cos_sin(series * phases.pairs + i, distance[at], &cosine, &sine);
      x += cosine;
      y += sine;
      sum += magnitude(x, y);
    }
    if (bound) bound[series * count + at] = sum;
    if (cosine_sum) cosine_sum[series * count + at] = x;
  }
}

/* Some series of a batch on the device, with room for `piece` distances of each. */
struct decay_room {
  size_t first, series; /* of the batch */
  size_t piece;
  device_phases phases;
  double *bound, *cosine_sum;    /* (series, piece); NULL where not wanted */
  int64_t *distance;             /* (piece) */
  void *lane_table, *tile_table; /* NULL: the batch is none for tables */
};

/* Distances at .. at + count − 1, at most a piece, to where the caller wants them. */
static void fetch_sums(device_work &work, const struct decay_batch *batch, const decay_room &room,
                       size_t at, size_t count) {
  for (size_t s = 0; s < room.series; s++) {
    const size_t to = (room.first + s) * batch->count + at;
    if (batch->bound) work.fetch(batch->bound + to, room.bound + s * count, count);
    if (batch->cosine_sum) work.fetch(batch->cosine_sum + to, room.cosine_sum + s * count, count);
  }
}

static void sum_directly(device_work &work, const struct decay_batch *batch, const decay_room &room,
                         size_t at, size_t count) {
  work.send(room.distance, batch->distance + at, count);
  WORK_LAUNCH(work, decay_direct, dim3(work.blocks(count), (unsigned)room.series))
  (room.phases, count, room.distance, room.bound, room.cosine_sum);
  work.launched("decay_direct");
  fetch_sums(work, batch, room, at, count);
}

/* A run of distances `step` apart, by tables. */
template <class real>
static void sum_run(device_work &work, const struct decay_batch *batch, const decay_room &room,
                    size_t at, size_t count, uint64_t step) {
  typedef typename wave<real>::type pair_type;
  const size_t blocks = device_ceil(count, BLOCK), rows = room.series * room.phases.pairs;
  const decay_run run = {room.phases.pairs, count, blocks * BLOCK_TILES, room.bound,
                         room.cosine_sum};
  pair_type *lanes = (pair_type *)room.lane_table, *tiles = (pair_type *)room.tile_table;
  WORK_LAUNCH(work, decay_tabulate<real>, work.blocks(rows * LANES))
  (rows, room.phases.step, (uint64_t)0, step, (size_t)LANES, lanes);
  work.launched("decay_tabulate");
  WORK_LAUNCH(work, decay_tabulate<real>, work.blocks(rows * run.tiles))
  (rows, room.phases.step, (uint64_t)batch->distance[at], step * LANES, run.tiles, tiles);
  work.launched("decay_tabulate");
  WORK_LAUNCH(work, decay_sum<real>, dim3((unsigned)blocks, (unsigned)room.series))
  (run, lanes, tiles);
  work.launched("decay_sum");
  fetch_sums(work, batch, room, at, count);
}

static bool in_float(const struct decay_batch *batch) {
  return batch->single && batch->phases.pairs <= MOST_PAIRS;
}

/* The length, at most `most`, of the run of equal steps that starts at `distance`; its step. Steps
   are taken modulo 2^64, as phases are. */
static size_t run_length(const int64_t *distance, size_t most, uint64_t *step) {
  *step = most > 1 ? (uint64_t)distance[1] - (uint64_t)distance[0] : 0;
  size_t length = most > 1 ? 2 : most;
  while (length < most && (uint64_t)distance[length] - (uint64_t)distance[length - 1] == *step)
    length++;
  return length;
}

/* Cuts the distances into long runs, what lies between them, and pieces that fit. */
static void sum_series(device_work &work, const struct decay_batch *batch, const decay_room &room) {
  size_t at = 0, end = 0; /* of distances that are no long run */
  while (work.ok() && end < batch->count) {
    const size_t left = batch->count - end, most = left < room.piece ? left : room.piece;
    uint64_t step;
    const size_t length = run_length(batch->distance + end, most, &step);
    const bool run = room.lane_table && length >= SHORTEST_RUN;
    if (!run && end + length - at <= room.piece) {
      end += length;
      if (end < batch->count) continue;
    }
    if (end > at) sum_directly(work, batch, room, at, end - at);
    if (run) {
      if (in_float(batch))
        sum_run<float>(work, batch, room, end, length, step);
      else
        sum_run<double>(work, batch, room, end, length, step);
      end += length;
    }
    at = end;
  }
}

/* How many bytes a series takes, and those of its distances, BLOCK of them at a time. */
struct decay_bytes {
  size_t wave, series, block;
};

static decay_bytes bytes_of(const struct decay_batch *batch, bool tables) {
  const size_t wave = in_float(batch) ? sizeof(float2) : sizeof(double2),
               pairs = batch->phases.pairs;
  const size_t outputs = (batch->bound != nullptr) + (batch->cosine_sum != nullptr);
  return {wave, pairs * ((tables ? LANES * wave : 0) + 2 * sizeof(double)),
          BLOCK * (outputs + 1) * sizeof(double) + (tables ? pairs * BLOCK_TILES * wave : 0)};
}

/* As many series from `first` on as fit with all their distances, or else one with some of them at
   a time; returns how many, and 0 with the error filled. */
static size_t sum_batch(const struct decay_batch *batch, size_t first, struct error *error) {
  enum { MOST_SERIES = 32768 }; /* of a grid's second extent */
  device_work work("sum the decay bound", error);
  const size_t pairs = batch->phases.pairs, left = batch->phases.series - first;
  const bool tables = batch->phases.precision == PRECISION_FP64 && batch->count >= SHORTEST_RUN;
  const decay_bytes bytes = bytes_of(batch, tables);
  const size_t room = work.room(), spare = room > bytes.series ? room - bytes.series : 0;
  const size_t all = device_ceil(batch->count, BLOCK),
               blocks = least(least(all, work.most_blocks()), spare / bytes.block);
  if (!blocks) work.refuse(bytes.series + bytes.block, "the sums of a series");
  size_t series = 1;
  if (work.ok() && blocks == all)
    series = least(least(left, MOST_SERIES), room / (bytes.series + blocks * bytes.block));
  const size_t piece = blocks * BLOCK, results = series * piece;
  const decay_room here = {
      first,
      series,
      piece,
      device_phases(work, batch->phases, first, series),
      batch->bound ? work.array<double>(results, "the bounds") : nullptr,
      batch->cosine_sum ? work.array<double>(results, "the cosine sums") : nullptr,
      work.array<int64_t>(piece, "the distances"),
      tables ? work.array<char>(series * pairs * LANES * bytes.wave, "the tables") : nullptr,
      tables ? work.array<char>(series * pairs * blocks * BLOCK_TILES * bytes.wave, "the tables")
             : nullptr,
  };
  sum_series(work, batch, here);
  return work.ok() ? series : 0;
}

int decay_bound_cuda(const struct decay_batch *batch, struct error *error) {
  if (!batch->count || (!batch->bound && !batch->cosine_sum)) return OK;
  for (size_t first = 0, done; first < batch->phases.series; first += done) {
    done = sum_batch(batch, first, error);
    if (!done) return ERROR_FAILED;
  }
  return OK;
}

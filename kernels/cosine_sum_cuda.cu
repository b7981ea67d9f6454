/* Σ_i w_i cos(mθ_i) at equally spaced distances: the twin of cosine_sum_cpu.c, and as there a
   product of matrices. With rows of `lanes` distances, m = first + step·(a + lanes·c) and φ =
   (first + step·lanes·c)·θ,

     cos(mθ) = cos φ · cos(step·a·θ) + sin φ · (−sin(step·a·θ))

   so that the inner index runs over cos and sin of every pair. Tables come from exact phases, in
   double.

   A term (one pair of one distance) is two fused products: an H200 makes 1.67e13 terms/s in float,
   8.4e12 in double (kernels/cuda_product.h). The tables are a sine and a cosine in double, about 60
   instructions, for every `lanes`-th distance and pair: 6 % of the work in float with 512 lanes.

   Where only the minimum and the first negative sum are wanted, they are found while the sums are
   in registers, and the FP units are the limit. Sums that are stored are limited by the way to the
   host: 8 bytes for `pairs` terms, so 1e10 to 5e10 bytes/s of a bus are 8e10 to 4e11 terms/s with
   64 pairs. The products are a plain matrix then, and cuBLAS's where that is found
   (kernels/cuda_blas.h): it can use the matrix units in double, 1.67e13 terms/s. A second kernel
   reads them for their minima. With stop_at_negative that does not pay, for little is made. */
#include <math.h>

#include "kernels/cuda_blas.h"
#include "kernels/cuda_operations.h"
#include "kernels/cuda_phase.h"
#include "kernels/cuda_product.h"
#include "kernels/cuda_tally.h"

enum {
  MOST_LANES = 512,
  FEWEST_LANES = 128, /* a multiple of every product_tile's columns */
  BLAS_ROWS = 4096,   /* of a product by cuBLAS: 16 MiB of sums, 128 tiles of 128 × 128 */
  MOST_PAIRS = 256,   /* of sums in float: more would lose digits, and are summed in double */
};

/* What the kernels must know of a piece: rows first_row .. first_row + rows − 1 of some series. */
struct cosine_piece {
  size_t pairs, depth;        /* depth: 2·pairs, padded */
  size_t lanes;               /* of a row */
  size_t first_row, rows;     /* rows: a multiple of a tile's */
  size_t count;               /* distances of the whole sequence */
  uint64_t first, step;       /* distance n is first + step·n */
  const uint64_t *phase_step; /* (series, pair) */
  const double *weight;       /* (pair) or NULL */
  double scale;               /* a power of 2: weights divided by it fit into float */
  const uint32_t *series;     /* (blockIdx.y): which of the series; NULL: that one */
  const size_t *end;          /* (series) distances from here on do not count; NULL: count */
  double *sum;                /* (series, rows·lanes) out, or NULL */
  tally *tallies;             /* (blockIdx.y, blockIdx.x) out */
};

__device__ static inline uint64_t piece_position(const cosine_piece &piece, uint64_t n) {
  return piece.first + piece.step * n;
}

/* A table (series, depth, entries): rows 2i and 2i + 1 are w cos, ±w sin of pair i at the distances
   `start` + stride·e; zeros beyond the pairs. */
template <class real>
__global__ void cosine_tabulate(cosine_piece piece, size_t series, uint64_t start, uint64_t stride,
                                size_t entries, bool of_rows, real *table) {
  const size_t pairs = piece.depth / 2, count = series * pairs * entries;
  for (size_t e = (size_t)blockIdx.x * blockDim.x + threadIdx.x; e < count;
       e += (size_t)gridDim.x * blockDim.x) {
    const size_t entry = e % entries, pair = e / entries % pairs, s = e / entries / pairs;
    double cosine = 0, sine = 0;
    if (pair < piece.pairs) {
      const double weight = of_rows && piece.weight ? piece.weight[pair] / piece.scale : 1;
      device_cos_sin(piece.phase_step[s * piece.pairs + pair] * (start + stride * entry), &cosine,
                     &sine);
      cosine *= weight;
      sine *= of_rows ? weight : -1;
    }
    table[(s * piece.depth + 2 * pair) * entries + entry] = (real)cosine;
    table[(s * piece.depth + 2 * pair + 1) * entries + entry] = (real)sine;
  }
}

__device__ static inline void piece_store(const cosine_piece &piece, size_t series, size_t end,
                                          size_t n, double value, tally &seen) {
  if (n >= piece.count) return;
  if (piece.sum)
    piece.sum[series * piece.rows * piece.lanes + (n - piece.first_row * piece.lanes)] = value;
  if (n < end) tally_value(seen, value, n);
}

/* Block (x, y): tile x of the piece's rows × lanes, of series y. */
template <class real>
__global__ void __launch_bounds__(THREADS, 2)
    cosine_multiply(cosine_piece piece, const real *row_table, const real *lane_table) {
  typedef product_tile<real> tile;
  __shared__ typename tile::buffers buffers;
  const size_t series = piece.series ? piece.series[blockIdx.y] : blockIdx.y;
  const size_t across = piece.lanes / tile::COLUMNS, row = blockIdx.x / across * tile::ROWS,
               lane = blockIdx.x % across * tile::COLUMNS;
  real element[tile::EACH_ROW][tile::EACH_COLUMN] = {};
  tile::add(buffers, row_table + series * piece.depth * piece.rows + row, piece.rows,
            lane_table + series * piece.depth * piece.lanes + lane, piece.lanes, piece.depth,
            element);
  tally seen = no_tally();
  const size_t end = piece.end ? piece.end[series] : piece.count;
#pragma unroll
  for (int i = 0; i < tile::EACH_ROW; i++)
#pragma unroll
    for (int j = 0; j < tile::EACH_COLUMN; j++)
      piece_store(piece, series, end,
                  (piece.first_row + row + tile::row(i)) * piece.lanes + lane + tile::column(j),
                  piece.scale * (double)element[i][j], seen);
  tally_block(seen, &piece.tallies[(size_t)blockIdx.y * gridDim.x + blockIdx.x]);
}

/* Sums of products that cuBLAS has made, (series, rows, lanes), `product` piece.sum itself or
   apart: block (x, y) has an equal part of series y. */
template <class real> __global__ void cosine_finish(cosine_piece piece, const real *product) {
  const size_t elements = piece.rows * piece.lanes, part = elements / gridDim.x,
               from = blockIdx.x * part;
  product += blockIdx.y * elements;
  tally seen = no_tally();
  for (size_t e = from + threadIdx.x; e < from + part; e += THREADS)
    piece_store(piece, blockIdx.y, piece.count, piece.first_row * piece.lanes + e,
                piece.scale * (double)product[e], seen);
  tally_block(seen, &piece.tallies[(size_t)blockIdx.y * gridDim.x + blockIdx.x]);
}

/* The same below fp64, where every angle is rounded by itself: a thread per distance. */
__global__ void cosine_direct(cosine_piece piece, device_phases phases) {
  const size_t series = piece.series ? piece.series[blockIdx.y] : blockIdx.y;
  const size_t last = (piece.first_row + piece.rows) * piece.lanes;
  const size_t end = piece.end ? piece.end[series] : piece.count;
  tally seen = no_tally();
  for (size_t n = piece.first_row * piece.lanes + (size_t)blockIdx.x * THREADS + threadIdx.x;
       n < last && n < piece.count; n += (size_t)gridDim.x * THREADS) {
    double sum = 0;
    for (size_t i = 0; i < piece.pairs; i++) {
      double cosine, sine;
      phases.cos_sin(series * piece.pairs + i, (long long)piece_position(piece, n), &cosine, &sine);
      sum += piece.weight ? piece.weight[i] * cosine : cosine;
    }
    piece_store(piece, series, end, n, piece.scale * sum, seen);
  }
  tally_block(seen, &piece.tallies[(size_t)blockIdx.y * gridDim.x + blockIdx.x]);
}

/* ---- The host's side ---- */

/* What a batch comes to: a function of the batch alone, and of whether there is a cuBLAS. */
struct cosine_plan {
  const struct cosine_sum_batch *batch;
  bool direct, single, blas; /* how it is done */
  size_t side;               /* rows of a tile */
  size_t lanes, depth, real_bytes;
  size_t rows;       /* of the whole sequence, a multiple of side */
  size_t piece_rows; /* of a piece, at most */
  double scale;      /* see struct cosine_piece */
};

static cosine_plan plan_of(const struct cosine_sum_batch *batch) {
  const struct phases *phases = &batch->phases;
  cosine_plan plan = {};
  plan.batch = batch;
  plan.direct = phases->precision != PRECISION_FP64;
  plan.single = batch->single && !plan.direct && phases->pairs <= MOST_PAIRS;
  plan.side = plan.single ? product_tile<float>::ROWS : product_tile<double>::ROWS;
  plan.lanes = FEWEST_LANES;
  while (plan.lanes < MOST_LANES && plan.lanes * plan.lanes < batch->count)
    plan.lanes *= 2;
  plan.depth =
      device_ceil(2 * phases->pairs, product_tile<double>::DEPTH) * product_tile<double>::DEPTH;
  plan.real_bytes = plan.direct ? 0 : plan.single ? sizeof(float) : sizeof(double);
  plan.rows = device_ceil(device_ceil(batch->count, plan.lanes), plan.side) * plan.side;
  plan.blas = batch->sum && !batch->stop_at_negative && !plan.direct && cuda_blas_available();
  plan.piece_rows = plan.blas ? least(plan.rows, BLAS_ROWS) : plan.rows;
  plan.scale = 1;
  if (plan.single && batch->weight) {
    double largest = 0;
    for (size_t i = 0; i < phases->pairs; i++)
      largest = fmax(largest, fabs(batch->weight[i]));
    int exponent = 1;
    if (largest > 0 && largest < INFINITY) frexp(largest, &exponent);
    plan.scale = ldexp(1, exponent - 1);
  }
  return plan;
}

static cosine_plan without_blas(cosine_plan plan) {
  plan.blas = false;
  plan.piece_rows = plan.rows;
  return plan;
}

/* Some series on the device, and what is known of each. */
struct cosine_room {
  size_t first, series; /* of the batch */
  size_t rows;          /* of a piece, at most */
  cosine_piece piece;
  device_phases phases;
  char *row_table, *lane_table;
  float *product;  /* of cuBLAS in float; in double they are the sums */
  uint32_t *which; /* of the series are active */
  size_t *end;
  tally *block_tally, *block_tally_host; /* of every block of a launch */
  tally *fresh;                          /* (series) on the host: of the last launch */

  cosine_room(size_t first, size_t series, size_t rows, const device_phases &phases)
      : first(first), series(series), rows(rows), piece(), phases(phases), product(nullptr) {}
};

static size_t piece_blocks(const cosine_plan &plan, size_t rows) {
  return rows / plan.side * (plan.lanes / plan.side);
}

template <class real>
static void launch_products(device_work &work, const cosine_room &room, dim3 grid) {
  WORK_LAUNCH(work, cosine_multiply<real>, grid)
  (room.piece, (const real *)room.row_table, (const real *)room.lane_table);
}

/* The same by cuBLAS. */
template <class real>
static void blas_products(device_work &work, const cosine_plan &plan, const cosine_room &room,
                          real *product, dim3 grid) {
  cosine_piece piece = room.piece;
  const real *row_table = (const real *)room.row_table, *lane_table = (const real *)room.lane_table;
  for (size_t s = 0; work.ok() && s < grid.y; s++)
    work.check_blas(cuda_blas_product({piece.rows, piece.lanes, piece.depth},
                                      row_table + s * piece.depth * piece.rows,
                                      lane_table + s * piece.depth * piece.lanes,
                                      product + s * piece.rows * piece.lanes),
                    plan.single ? "cublasSgemm" : "cublasDgemm");
  if ((const void *)product == piece.sum) piece.sum = nullptr; /* they are there */
  WORK_LAUNCH(work, cosine_finish<real>, grid)(piece, product);
}

/* Makes the piece's sums of the `active` series that `which` lists; their tallies into room.fresh.
 */
static void run_piece(device_work &work, const cosine_plan &plan, cosine_room &room,
                      const uint32_t *which, size_t active) {
  const size_t blocks = piece_blocks(plan, room.piece.rows);
  const dim3 grid((unsigned)blocks, (unsigned)active);
  work.send(room.which, which, active);
  if (plan.direct) {
    WORK_LAUNCH(work, cosine_direct, grid)(room.piece, room.phases);
  } else if (plan.blas && plan.single) {
    blas_products(work, plan, room, room.product, grid);
  } else if (plan.blas) {
    blas_products(work, plan, room, room.piece.sum, grid);
  } else if (plan.single) {
    launch_products<float>(work, room, grid);
  } else {
    launch_products<double>(work, room, grid);
  }
  work.launched(plan.direct ? "cosine_direct" : plan.blas ? "cosine_finish" : "cosine_multiply");
  work.fetch(room.block_tally_host, room.block_tally, active * blocks);
  for (size_t s = 0; work.ok() && s < active; s++) {
    room.fresh[which[s]] = no_tally();
    for (size_t b = 0; b < blocks; b++)
      tally_merge(room.fresh[which[s]], room.block_tally_host[s * blocks + b]);
  }
}

/* One table: of the rows of the piece, or of the lanes, which serve for all pieces. */
static void fill_table(device_work &work, const cosine_plan &plan, const cosine_room &room,
                       bool of_rows) {
  const cosine_piece &piece = room.piece;
  const size_t entries = of_rows ? piece.rows : plan.lanes;
  const uint64_t lanes = plan.lanes,
                 start = of_rows ? piece.first + piece.step * lanes * piece.first_row : 0,
                 stride = of_rows ? piece.step * lanes : piece.step;
  char *table = of_rows ? room.row_table : room.lane_table;
  const unsigned blocks = work.blocks(room.series * (plan.depth / 2) * entries);
  if (plan.direct) return;
  if (plan.single) {
    WORK_LAUNCH(work, cosine_tabulate<float>, blocks)
    (piece, room.series, start, stride, entries, of_rows, (float *)table);
  } else {
    WORK_LAUNCH(work, cosine_tabulate<double>, blocks)
    (piece, room.series, start, stride, entries, of_rows, (double *)table);
  }
  work.launched("cosine_tabulate");
}

static void fetch_sums(device_work &work, const cosine_plan &plan, const cosine_room &room,
                       const uint32_t *which, size_t active) {
  const cosine_piece &piece = room.piece;
  const size_t at = piece.first_row * plan.lanes, count = plan.batch->count;
  if (!piece.sum || at >= count) return;
  const size_t here = least(piece.rows * plan.lanes, count - at);
  for (size_t s = 0; s < active; s++)
    work.fetch(plan.batch->sum + (room.first + which[s]) * count + at,
               piece.sum + which[s] * piece.rows * plan.lanes, here);
}

/* Series whose first negative sum the piece holds are over: what lies before it is tallied again
   without what lies behind. Returns how many are left in `which`. */
static size_t stop_series(device_work &work, const cosine_plan &plan, cosine_room &room,
                          uint32_t *which, size_t active, tally *seen, size_t *end) {
  size_t left = 0, over = 0;
  for (size_t s = 0; s < active; s++) { /* those that are over move behind */
    const uint32_t series = which[s];
    if (room.fresh[series].first_negative == TALLY_NONE) {
      tally_merge(seen[series], room.fresh[series]);
      which[s] = which[left];
      which[left++] = series;
    } else {
      end[series] = room.fresh[series].first_negative + 1;
      over++;
    }
  }
  if (!over) return left;
  work.send(room.end, end, room.series);
  room.piece.end = room.end;
  run_piece(work, plan, room, which + left, over);
  room.piece.end = nullptr;
  for (size_t s = left; work.ok() && s < active; s++)
    tally_merge(seen[which[s]], room.fresh[which[s]]);
  return left;
}

/* All pieces of the series in the room, until none is active. With stop_at_negative the first
   pieces are small, for the first negative sum is often near. */
static void run_series(device_work &work, const cosine_plan &plan, cosine_room &room, tally *seen) {
  const bool stop = plan.batch->stop_at_negative;
  uint32_t *which = work.host<uint32_t>(room.series, "the list of series");
  size_t *end = work.host<size_t>(room.series, "the list of series");
  size_t active = room.series, rows = stop ? plan.side : room.rows;
  for (size_t s = 0; work.ok() && s < active; s++)
    which[s] = (uint32_t)s;
  fill_table(work, plan, room, false);
  for (size_t row = 0; work.ok() && active && row < plan.rows; row += room.piece.rows) {
    room.piece.first_row = row;
    room.piece.rows = least(least(rows, room.rows), plan.rows - row);
    fill_table(work, plan, room, true);
    run_piece(work, plan, room, which, active);
    fetch_sums(work, plan, room, which, active);
    if (stop)
      active = stop_series(work, plan, room, which, active, seen, end);
    else
      for (size_t s = 0; s < active; s++)
        tally_merge(seen[s], room.fresh[s]);
    rows *= 2;
  }
}

static void store_results(const struct cosine_sum_batch *batch, size_t series, const tally &seen) {
  const bool any = seen.minimum_at != TALLY_NONE, negative = seen.first_negative != TALLY_NONE;
  const int64_t first = batch->first, step = batch->step;
  if (batch->minimum) batch->minimum[series] = any ? seen.minimum : NAN;
  if (batch->minimum_distance)
    batch->minimum_distance[series] = any ? first + step * (int64_t)seen.minimum_at : -1;
  if (batch->first_negative)
    batch->first_negative[series] = negative ? first + step * (int64_t)seen.first_negative : -1;
  if (!batch->sum || !batch->stop_at_negative || !negative) return;
  for (size_t n = seen.first_negative + 1; n < batch->count; n++)
    batch->sum[series * batch->count + n] = NAN;
}

/* How many bytes a series takes, and every `side` rows of it. */
struct cosine_bytes {
  size_t series, rows;
};

static cosine_bytes bytes_of(const cosine_plan &plan) {
  const size_t table = plan.depth * plan.real_bytes;
  const size_t sum = sizeof(double) + (plan.blas && plan.single ? sizeof(float) : 0);
  return {plan.lanes * table + plan.batch->phases.pairs * 2 * sizeof(double) + 64,
          plan.side * table + (plan.batch->sum ? plan.side * plan.lanes * sum : 0) +
              piece_blocks(plan, plan.side) * sizeof(tally)};
}

/* As many series from `first` on as fit with all their rows, or else one with some of them at a
   time; returns how many, and 0 with the error filled. cuBLAS makes the same bits of the same
   shapes only, so that it gets all rows of a piece; on a device too small for that it does not come
   in. */
static size_t sum_batch(const cosine_plan &plan, size_t first, struct error *error) {
  enum { MOST_SERIES = 32768 }; /* of a grid's second extent */
  const struct cosine_sum_batch *batch = plan.batch;
  const size_t pairs = batch->phases.pairs, left = batch->phases.series - first;
  device_work work("sum cosines", error);
  const cosine_bytes bytes = bytes_of(plan);
  const size_t room_bytes = work.room(),
               spare = room_bytes > bytes.series ? room_bytes - bytes.series : 0;
  const size_t all = plan.rows / plan.side, fit = least(all, spare / bytes.rows);
  const size_t launch = work.most_blocks() / piece_blocks(plan, plan.side); /* in a grid's extent */
  const size_t most = least(least(fit, launch ? launch : 1), plan.piece_rows / plan.side);
  if (plan.blas && most < plan.piece_rows / plan.side)
    return work.ok() ? sum_batch(without_blas(plan), first, error) : 0;
  if (!fit) work.refuse(bytes.series + bytes.rows, "the sums of a series");
  size_t series = 1;
  if (work.ok() && fit == all && plan.piece_rows == plan.rows)
    series = least(least(left, MOST_SERIES), room_bytes / (bytes.series + most * bytes.rows));
  const size_t rows = most * plan.side, blocks = piece_blocks(plan, rows),
               table = plan.depth * plan.real_bytes;
  cosine_room room(first, series, rows, device_phases(work, batch->phases, first, series));
  room.row_table = work.array<char>(series * rows * table, "the tables");
  room.lane_table = work.array<char>(series * plan.lanes * table, "the tables");
  if (plan.blas && plan.single)
    room.product = work.array<float>(series * rows * plan.lanes, "the sums");
  room.which = work.array<uint32_t>(series, "the list of series");
  room.end = work.array<size_t>(series, "the list of series");
  room.block_tally = work.array<tally>(series * blocks, "the minima");
  room.block_tally_host = work.host<tally>(series * blocks, "the minima");
  room.fresh = work.host<tally>(series, "the minima");
  tally *seen = work.host<tally>(series, "the minima");
  cosine_piece &piece = room.piece;
  piece.pairs = pairs;
  piece.depth = plan.depth;
  piece.lanes = plan.lanes;
  piece.count = batch->count;
  piece.first = (uint64_t)batch->first;
  piece.step = (uint64_t)batch->step;
  piece.phase_step = room.phases.step;
  piece.weight = batch->weight ? work.upload(batch->weight, pairs, "the weights") : nullptr;
  piece.scale = plan.scale;
  piece.series = room.which;
  piece.sum = batch->sum ? work.array<double>(series * rows * plan.lanes, "the sums") : nullptr;
  piece.tallies = room.block_tally;
  for (size_t s = 0; work.ok() && s < series; s++)
    seen[s] = no_tally();
  run_series(work, plan, room, seen);
  for (size_t s = 0; work.ok() && s < series; s++)
    store_results(batch, first + s, seen[s]);
  return work.ok() ? series : 0;
}

int cosine_sum_cuda(const struct cosine_sum_batch *batch, struct error *error) {
  for (size_t s = 0; !batch->count && s < batch->phases.series; s++)
    store_results(batch, s, no_tally());
  if (!batch->count) return OK;
  const cosine_plan plan = plan_of(batch);
  for (size_t first = 0, done; first < batch->phases.series; first += done) {
    done = sum_batch(plan, first, error);
    if (!done) return ERROR_FAILED;
  }
  return OK;
}

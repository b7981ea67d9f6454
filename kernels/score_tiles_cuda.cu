/* Scores, or weights of a softmax, reduced to cells: every score is made, and none is stored. The
   twin of scores_pass_cpu.c.

     S(m, n) = (1/B) Σ_b q_bm · k_bn + bias(m − n)
     P(m, n) = (1/B) Σ_b exp(x_bmn) / Σ_n' exp(x_bmn'),   x_bmn = scale·q_bm·k_bn + bias(m − n)

   A block makes a tile of scores of all draws, in registers; tiles that the causal mask hides are
   left out. The tile then goes through shared memory: threads fold strips of columns, then of rows,
   and give one number for every part of a cell in the tile (kernels/cuda_axis.h); a second kernel
   joins these in one order, so that the result is the same bits always. For weights the tiles are
   made twice: the first time each row's largest score and sum of exponentials
   (score_softmax_cuda.cu).

   length² · dim · B fused products (half of it under a mask; twice with softmax) at 16 896 a clock
   in float, 8 448 in double, on an H200; folding takes some 6 instructions a score, against dim ·
   B; the exponential one MUFU.EX2 of 16 a clock and multiprocessor. The vectors are read
   length/ROWS times, from its L2 cache. */
#include <math.h>

#include "kernels/cuda_axis.h"
#include "kernels/cuda_score_softmax.h"

/* ---- Reductions: the twins of reduction.c ---- */

template <class number> __device__ static inline number reduction_start(enum reduction reduction) {
  return reduction == REDUCE_MAX ? (number)-INFINITY : 0;
}

/* Of equal magnitudes the positive one; NaN stays. */
template <class number>
__device__ static inline number reduction_join(enum reduction reduction, number a, number b) {
  if (reduction == REDUCE_MEAN) return a + b;
  if (a != a || b != b) return (number)NAN;
  if (reduction == REDUCE_MAX) return a > b ? a : b;
  const number x = fabs(a), y = fabs(b);
  return x != y ? (x > y ? a : b) : (a > b ? a : b);
}

/* ---- Cells in a tile ---- */

template <class real> struct tile_job {
  score_vectors<real> vectors;
  bool causal, softmax;
  enum reduction reduction;
  real share;             /* 1 / draws */
  row_softmax<real> rows; /* with softmax */
  score_bias<real> bias;
  device_axis row, column;
  size_t first_tile, first_segment; /* of rows, of this launch */
  double *partial;                  /* (segment of rows, segment of columns) out */
};

template <class real> struct tile_shape {
  typedef product_tile<real, 1> product;
  static constexpr int ROWS = product::ROWS, COLUMNS = product::COLUMNS;
  static constexpr int ROW_STRIPS = THREADS / COLUMNS, COLUMN_STRIPS = 4;
  static constexpr int ROW_STRIP = ROWS / ROW_STRIPS, COLUMN_STRIP = COLUMNS / COLUMN_STRIPS;
  typedef real scores[ROWS][COLUMNS + 1];
};

/* Folds `count` numbers `stride` apart; sums are made in double. */
template <class real>
__device__ static inline real fold(enum reduction reduction, const real *value, int count,
                                   int stride) {
  if (reduction == REDUCE_MEAN) {
    double sum = 0;
    for (int i = 0; i < count; i++)
      sum += (double)value[i * stride];
    return (real)sum;
  }
  real result = reduction_start<real>(reduction);
  for (int i = 0; i < count; i++)
    result = reduction_join(reduction, result, value[i * stride]);
  return result;
}

/* A thread per column and strip: each piece of rows becomes one number, in its first row. */
template <class real>
__device__ static inline void fold_rows(const tile_job<real> &job, size_t tile_row,
                                        size_t tile_column,
                                        typename tile_shape<real>::scores &score) {
  typedef tile_shape<real> shape;
  const int column = (int)threadIdx.x % shape::COLUMNS, strip = (int)threadIdx.x / shape::COLUMNS;
  const size_t row = tile_row * shape::ROWS, key = tile_column * shape::COLUMNS + column;
  const uint32_t *first = job.row.strip_piece + tile_row * shape::ROW_STRIPS + strip;
  for (uint32_t p = first[0]; p < first[1]; p++) {
    const size_t start = job.row.piece[p], end = job.row.piece[p + 1];
    const size_t from = job.causal && key > start ? key : start; /* earlier queries do not see it */
    const real result = fold(job.reduction, &score[from < end ? from - row : 0][column],
                             from < end ? (int)(end - from) : 0, shape::COLUMNS + 1);
    score[start - row][column] = result;
  }
}

/* A thread per piece of rows and piece of columns. */
template <class real>
__device__ static inline void fold_columns(const tile_job<real> &job, size_t tile_row,
                                           size_t tile_column,
                                           typename tile_shape<real>::scores &score) {
  typedef tile_shape<real> shape;
  const size_t row = tile_row * shape::ROWS, column = tile_column * shape::COLUMNS;
  const uint32_t *row_strip = job.row.strip_piece + tile_row * shape::ROW_STRIPS,
                 *column_strip = job.column.strip_piece + tile_column * shape::COLUMN_STRIPS;
  const uint32_t rows = row_strip[shape::ROW_STRIPS] - row_strip[0],
                 columns = column_strip[shape::COLUMN_STRIPS] - column_strip[0];
  for (uint32_t e = threadIdx.x; e < rows * columns; e += THREADS) {
    const size_t start = job.row.piece[row_strip[0] + e / columns] - row;
    const uint32_t *piece = job.column.piece + column_strip[0] + e % columns;
    real *value = &score[start][piece[0] - column];
    *value = fold(job.reduction, value, (int)(piece[1] - piece[0]), 1);
  }
}

/* A thread per segment of rows and segment of columns: its pieces in order. */
template <class real>
__device__ static inline void join_pieces(const tile_job<real> &job, size_t tile_row,
                                          size_t tile_column,
                                          const typename tile_shape<real>::scores &score) {
  typedef tile_shape<real> shape;
  const size_t row = tile_row * shape::ROWS, column = tile_column * shape::COLUMNS;
  const uint32_t first_row = job.row.tile_segment[tile_row],
                 first_column = job.column.tile_segment[tile_column];
  const uint32_t rows = job.row.tile_segment[tile_row + 1] - first_row,
                 columns = job.column.tile_segment[tile_column + 1] - first_column;
  for (uint32_t e = threadIdx.x; e < rows * columns; e += THREADS) {
    const uint32_t r = first_row + e / columns, c = first_column + e % columns;
    double result = reduction_start<double>(job.reduction);
    for (uint32_t p = job.row.segment[r]; p < job.row.segment[r + 1]; p++)
      for (uint32_t q = job.column.segment[c]; q < job.column.segment[c + 1]; q++)
        result =
            reduction_join(job.reduction, result,
                           (double)score[job.row.piece[p] - row][job.column.piece[q] - column]);
    job.partial[(r - job.first_segment) * job.column.segments + c] = result;
  }
}

/* Adds the weights, or scores, of one draw to those of the draws before. */
template <class real>
__device__ static inline void add_draw(
    const tile_job<real> &job, size_t draw, size_t row, size_t column,
    const real (&element)[product_tile<real, 1>::EACH_ROW][product_tile<real, 1>::EACH_COLUMN],
    real (&total)[product_tile<real, 1>::EACH_ROW][product_tile<real, 1>::EACH_COLUMN]) {
  typedef product_tile<real, 1> product;
#pragma unroll
  for (int i = 0; i < product::EACH_ROW; i++) {
    const size_t at = draw * job.vectors.stride + row + product::row(i);
    const real peak = job.softmax ? job.rows.peak[at] : 0,
               factor = job.softmax ? job.rows.factor[at] : 0;
#pragma unroll
    for (int j = 0; j < product::EACH_COLUMN; j++)
      total[i][j] += job.softmax ? power_of_two(job.bias.exponent_of(element[i][j], job.rows.scale,
                                                                     row + product::row(i),
                                                                     column + product::column(j)) -
                                                peak) *
                                       factor
                                 : element[i][j];
  }
}

/* A mean over the draws as it counts in the tile: scores get their bias, and what is masked joins
   without changing anything. */
template <class real>
__device__ static inline real add_bias(const tile_job<real> &job, real value, size_t m, size_t n) {
  if (!job.bias.add) return value;
  const double bias = job.bias.add[m + job.bias.zero - n];
  if (bias == -INFINITY) return reduction_start<real>(job.reduction);
  return job.softmax ? value : (real)((double)value + bias);
}

template <class real>
__global__ void __launch_bounds__(THREADS, 2) score_reduce(tile_job<real> job) {
  typedef tile_shape<real> shape;
  typedef typename shape::product product;
  __shared__ union {
    typename product::buffers buffers;
    typename shape::scores score;
  } shared;
  const size_t tile_row = job.first_tile + blockIdx.x / job.column.tiles,
               tile_column = blockIdx.x % job.column.tiles;
  const size_t row = tile_row * shape::ROWS, column = tile_column * shape::COLUMNS;
  if (job.causal && column >= row + shape::ROWS) return;
  const score_vectors<real> &vectors = job.vectors;
  real total[product::EACH_ROW][product::EACH_COLUMN] = {};
  for (size_t draw = 0; draw < vectors.draws; draw++) {
    const size_t at = draw * vectors.depth * vectors.stride;
    real element[product::EACH_ROW][product::EACH_COLUMN] = {};
    product::add(shared.buffers, vectors.query + at + row, vectors.stride,
                 vectors.key + at + column, vectors.stride, vectors.depth, element);
    add_draw(job, draw, row, column, element, total);
  }
#pragma unroll
  for (int i = 0; i < product::EACH_ROW; i++)
#pragma unroll
    for (int j = 0; j < product::EACH_COLUMN; j++)
      shared.score[product::row(i)][product::column(j)] = add_bias(
          job, total[i][j] * job.share, row + product::row(i), column + product::column(j));
  __syncthreads();
  fold_rows(job, tile_row, tile_column, shared.score);
  __syncthreads();
  fold_columns(job, tile_row, tile_column, shared.score);
  __syncthreads();
  join_pieces(job, tile_row, tile_column, shared.score);
}

/* A thread per cell: joins what lies in segments of rows first .. end − 1 to it, row by row. */
__global__ void score_join(device_axis row, device_axis column, bool causal,
                           enum reduction reduction, size_t first, size_t end,
                           const double *partial, double *cells) {
  const size_t count = row.cells * column.cells;
  for (size_t e = (size_t)blockIdx.x * blockDim.x + threadIdx.x; e < count;
       e += (size_t)gridDim.x * blockDim.x) {
    const size_t r = e / column.cells, c = e % column.cells;
    size_t from = row.cell_segment[r], to = row.cell_segment[r + 1];
    if (from >= end || to <= first) continue;
    double result = from >= first ? reduction_start<double>(reduction) : cells[e];
    from = from > first ? from : first;
    to = to < end ? to : end;
    for (size_t s = from; s < to; s++)
      for (size_t t = column.cell_segment[c]; t < column.cell_segment[c + 1]; t++) {
        const uint32_t key = column.piece[column.segment[t]], last = row.piece[row.segment[s + 1]];
        if (causal && key >= last) break; /* all masked; its tile may have been left out */
        result = reduction_join(reduction, result, partial[(s - first) * column.segments + t]);
      }
    cells[e] = result;
  }
}

/* ---- The host's side ---- */

/* Runs the job over bands of rows of tiles, as many at a time as there is room for. */
template <class real>
static void reduce_bands(device_work &work, tile_job<real> &job, const axis_cut &row,
                         double *cells) {
  const size_t tiles = job.row.tiles;
  size_t most = 1; /* segments of a row of tiles */
  for (size_t t = 0; t < tiles; t++)
    if (row.tile_segment[t + 1] - row.tile_segment[t] > most)
      most = row.tile_segment[t + 1] - row.tile_segment[t];
  const size_t fit = work.fit(tiles, most * job.column.segments * sizeof(double), "a row of tiles");
  const size_t launch = work.most_blocks() / job.column.tiles,
               band = least(fit, launch ? launch : 1);
  job.partial = work.array<double>(band * most * job.column.segments, "the parts of the cells");
  for (size_t first = 0; work.ok() && first < tiles; first += band) {
    const size_t now = least(tiles - first, band);
    job.first_tile = first;
    job.first_segment = row.tile_segment[first];
    WORK_LAUNCH(work, score_reduce<real>, (unsigned)(now * job.column.tiles))(job);
    work.launched("score_reduce");
    WORK_LAUNCH(work, score_join, work.blocks(job.row.cells * job.column.cells))
    (job.row, job.column, job.causal, job.reduction, job.first_segment,
     row.tile_segment[first + now], job.partial, cells);
    work.launched("score_join");
  }
}

/* Makes the cells of the job. */
template <class real>
static void reduce_tiles(device_work &work, tile_job<real> &job, const struct score_batch *batch,
                         const struct grid *grid) {
  typedef tile_shape<real> shape;
  const axis_cut row = axis_make(work, grid->row, grid->rows, shape::ROWS, shape::ROW_STRIP),
                 column = axis_make(work, grid->column, grid->columns, shape::COLUMNS,
                                    shape::COLUMN_STRIP);
  job.row = row.axis;
  job.column = column.axis;
  const size_t count = grid->rows * grid->columns;
  double *cells = work.array<double>(count, "the cells");
  if (work.ok()) reduce_bands(work, job, row, cells);
  work.fetch(batch->tiles.cells, cells, count);
  if (work.ok()) score_cells_finish(batch, grid);
}

template <class real>
void score_tiles(device_work &work, const struct score_batch *batch, const struct grid *grid) {
  const bool tiles = batch->tiles.cells && !score_tiles_linear(batch);
  tile_job<real> job = {};
  job.vectors = score_vectors_make<real>(work, batch);
  job.bias = score_bias_make<real>(work, batch, job.vectors.stride);
  job.causal = batch->causal;
  job.softmax = batch->softmax;
  job.reduction = batch->tiles.reduction;
  job.share = (real)(1 / (double)batch->batch);
  if ((tiles && batch->softmax) || batch->weights)
    job.rows = row_softmax_make(work, batch, job.vectors, job.bias);
  if (tiles) reduce_tiles(work, job, batch, grid);
  work.release(job.vectors.query);
  work.release(job.vectors.key);
}

template void score_tiles<double>(device_work &, const struct score_batch *, const struct grid *);
template void score_tiles<float>(device_work &, const struct score_batch *, const struct grid *);

void score_cells_finish(const struct score_batch *batch, const struct grid *grid) {
  const double *bias = score_bias_masks(batch) ? batch->bias : nullptr;
  for (size_t r = 0; r < grid->rows; r++)
    for (size_t c = 0; c < grid->columns; c++) {
      const struct tile tile = grid_tile(grid, r, c);
      double *cell = batch->tiles.cells + r * grid->columns + c;
      const uint64_t unmasked = tile_unmasked_by(&tile, batch->causal, bias, batch->length);
      if (!unmasked)
        *cell = NAN;
      else if (batch->tiles.reduction == REDUCE_MEAN)
        *cell /= (double)unmasked;
    }
}

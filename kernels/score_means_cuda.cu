/* Mean scores of tiles: the twin of scores_mean_cpu.c, in double. The mean over a tile R × C is the
   product of two means, mean_R q · mean_C k; where the causal diagonal crosses a tile, a running
   sum of the keys seen so far takes the place of the second.

   2 · length · dim additions for the means and rows · columns · dim fused products, never one for
   every score: an H200 is bound by reading the vectors once, 16 · length · dim bytes a draw at 4.8
   TB/s, and by its FP64 units for pictures of many cells. */
#include <math.h>

#include "kernels/cuda_scores.h"

typedef product_tile<double, 1> product;

/* Means of `cells` stretches of positions: (draw·depth, stride) into (draw·depth, mean_stride). */
__global__ void score_mean_vectors(size_t vectors, const double *vector, size_t stride,
                                   const size_t *edge, size_t cells, double *mean,
                                   size_t mean_stride) {
  const size_t count = vectors * cells;
  for (size_t e = (size_t)blockIdx.x * blockDim.x + threadIdx.x; e < count;
       e += (size_t)gridDim.x * blockDim.x) {
    const size_t cell = e % cells, row = e / cells, first = edge[cell], end = edge[cell + 1];
    double sum = 0;
    for (size_t m = first; m < end; m++)
      sum += vector[row * stride + m];
    mean[row * mean_stride + cell] = sum / (double)(end - first);
  }
}

/* cells[r][c] = share · Σ over draws and dimensions of the two means; rows and columns of tiles
   from tile_row on. */
__global__ void __launch_bounds__(THREADS, 2)
    score_mean_product(size_t depth, const double *query, size_t query_stride, const double *key,
                       size_t key_stride, double share, size_t first_row, size_t rows,
                       size_t columns, double *cells) {
  __shared__ product::buffers buffers;
  const size_t across = key_stride / product::COLUMNS;
  const size_t row = first_row + blockIdx.x / across * product::ROWS,
               column = blockIdx.x % across * product::COLUMNS;
  double element[product::EACH_ROW][product::EACH_COLUMN] = {};
  product::add(buffers, query + row, query_stride, key + column, key_stride, depth, element);
#pragma unroll
  for (int i = 0; i < product::EACH_ROW; i++)
#pragma unroll
    for (int j = 0; j < product::EACH_COLUMN; j++) {
      const size_t r = row + product::row(i), c = column + product::column(j);
      if (r < rows && c < columns) cells[(r - first_row) * columns + c] = share * element[i][j];
    }
}

/* A block for each tile that the diagonal crosses: Σ over draws, dimensions and queries of the
   query times the sum of the keys that it sees. A thread has every THREADS-th dimension. */
__global__ void __launch_bounds__(THREADS)
    score_mean_diagonal(score_vectors<double> vectors, size_t count, const struct tile *crossed,
                        double *sum) {
  __shared__ double part[THREADS];
  for (size_t t = blockIdx.x; t < count; t += gridDim.x) {
    const size_t row_end = crossed[t].row_end, column = crossed[t].column,
                 column_end = crossed[t].column_end;
    double total = 0;
    for (size_t e = threadIdx.x; e < vectors.draws * vectors.dim; e += THREADS) {
      const size_t at = (e / vectors.dim * vectors.depth + e % vectors.dim) * vectors.stride;
      const double *query = vectors.query + at, *key = vectors.key + at;
      size_t n = column;
      double seen = 0;
      for (size_t m = crossed[t].row > n ? crossed[t].row : n; m < row_end; m++) {
        for (; n <= m && n < column_end; n++)
          seen += key[n];
        total = fma(query[m], seen, total);
      }
    }
    part[threadIdx.x] = total;
    for (unsigned half = THREADS / 2; half; half /= 2) {
      __syncthreads();
      if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    }
    if (threadIdx.x == 0) sum[t] = part[0];
    __syncthreads();
  }
}

/* A thread per cell: the mean bias of the scores that the causal mask leaves, 0 where it leaves
   none. Rows and columns of tiles lie between edges; cells (rows, columns). */
__global__ void score_mean_bias(const size_t *row, size_t rows, const size_t *column,
                                size_t columns, bool causal, score_bias<double> bias,
                                double *cells) {
  for (size_t e = (size_t)blockIdx.x * blockDim.x + threadIdx.x; e < rows * columns;
       e += (size_t)gridDim.x * blockDim.x) {
    const long long row_first = (long long)row[e / columns],
                    row_end = (long long)row[e / columns + 1],
                    first = (long long)column[e % columns],
                    end = (long long)column[e % columns + 1];
    long long distance = row_first - end + 1, count = 0;
    if (causal && distance < 0) distance = 0;
    double sum = 0;
    for (; distance < row_end - first; distance++) {
      const long long low = row_first > first + distance ? row_first : first + distance,
                      high = row_end < end + distance ? row_end : end + distance;
      sum = fma((double)(high - low), bias.add[(long long)bias.zero + distance], sum);
      count += high - low;
    }
    cells[e] = count ? sum / (double)count : 0;
  }
}

/* The means of one axis on the device. */
struct axis_means {
  size_t stride;
  double *mean;
};

static axis_means make_means(device_work &work, const score_vectors<double> &vectors,
                             const double *vector, const size_t *edges, size_t cells,
                             size_t multiple) {
  const size_t rows = vectors.draws * vectors.depth;
  axis_means means = {device_ceil(cells, multiple) * multiple, nullptr};
  const size_t *edge = work.upload(edges, cells + 1, "the edges of the cells");
  means.mean = work.array<double>(rows * means.stride, "the means");
  work.clear(means.mean, rows * means.stride);
  WORK_LAUNCH(work, score_mean_vectors, work.blocks(rows * cells))
  (rows, vector, vectors.stride, edge, cells, means.mean, means.stride);
  work.launched("score_mean_vectors");
  return means;
}

/* All cells as if nothing were masked, some rows of tiles at a time. */
static void multiply_means(device_work &work, const struct score_batch *batch, size_t depth,
                           const axis_means &query, const axis_means &key) {
  const struct tiles *cells = &batch->tiles;
  const size_t across = key.stride / product::COLUMNS, bands = query.stride / product::ROWS;
  const size_t fit = work.fit(bands, product::ROWS * cells->columns * sizeof(double), "the cells");
  const size_t launch = work.most_blocks() / across, band = least(fit, launch ? launch : 1);
  double *room = work.array<double>(band * product::ROWS * cells->columns, "the cells");
  for (size_t first = 0; work.ok() && first < bands; first += band) {
    const size_t now = least(bands - first, band), row = first * product::ROWS;
    WORK_LAUNCH(work, score_mean_product, (unsigned)(now * across))
    (depth, query.mean, query.stride, key.mean, key.stride, 1 / (double)batch->batch, row,
     cells->rows, cells->columns, room);
    work.launched("score_mean_product");
    work.fetch(cells->cells + row * cells->columns, room,
               least(now * product::ROWS, cells->rows - row) * cells->columns);
  }
  work.release(room);
}

/* Lists the tiles that the diagonal crosses, and marks those above it. `crossed` NULL: counts them.
 */
static size_t find_crossed(const struct score_batch *batch, const struct grid *grid,
                           struct tile *crossed) {
  size_t count = 0;
  for (size_t r = 0; r < grid->rows; r++)
    for (size_t c = 0; c < grid->columns; c++) {
      const struct tile here = grid_tile(grid, r, c);
      if (here.column >= here.row_end)
        batch->tiles.cells[r * grid->columns + c] = NAN;
      else if (here.column_end > here.row + 1 && crossed)
        crossed[count++] = here;
      else if (here.column_end > here.row + 1)
        count++;
    }
  return count;
}

static void mask_cells(device_work &work, const struct score_batch *batch, const struct grid *grid,
                       const score_vectors<double> &vectors) {
  const size_t count = find_crossed(batch, grid, nullptr);
  if (!count) return;
  struct tile *crossed = work.host<struct tile>(count, "the tiles on the diagonal");
  double *sums = work.host<double>(count, "the tiles on the diagonal");
  if (!work.ok()) return;
  find_crossed(batch, grid, crossed);
  const struct tile *list = work.upload(crossed, count, "the tiles on the diagonal");
  double *sum = work.array<double>(count, "the tiles on the diagonal");
  WORK_LAUNCH(work, score_mean_diagonal, (unsigned)least(count, work.most_blocks()))
  (vectors, count, list, sum);
  work.launched("score_mean_diagonal");
  work.fetch(sums, sum, count);
  size_t next = 0;
  for (size_t r = 0; work.ok() && r < grid->rows; r++)
    for (size_t c = 0; c < grid->columns && next < count; c++)
      if (crossed[next].row == grid->row[r] && crossed[next].column == grid->column[c]) {
        const double unmasked = (double)tile_unmasked(&crossed[next], true);
        batch->tiles.cells[r * grid->columns + c] =
            sums[next++] / (unmasked * (double)batch->batch);
      }
}

/* Adds the mean bias of every tile, some rows of tiles at a time. */
static void add_bias(device_work &work, const struct score_batch *batch, const struct grid *grid,
                     size_t stride) {
  const size_t columns = grid->columns;
  if (!batch->bias) return;
  const score_bias<double> bias = score_bias_make<double>(work, batch, stride);
  const size_t *row = work.upload(grid->row, grid->rows + 1, "the edges of the cells"),
               *column = work.upload(grid->column, columns + 1, "the edges of the cells");
  const size_t band = work.fit(grid->rows, columns * sizeof(double), "the cells");
  double *cells = work.array<double>(band * columns, "the cells"),
         *mean = work.host<double>(band * columns, "the cells");
  for (size_t first = 0; work.ok() && first < grid->rows; first += band) {
    const size_t now = least(grid->rows - first, band);
    WORK_LAUNCH(work, score_mean_bias, work.blocks(now * columns))
    (row + first, now, column, columns, batch->causal, bias, cells);
    work.launched("score_mean_bias");
    work.fetch(mean, cells, now * columns);
    for (size_t c = 0; work.ok() && c < now * columns; c++)
      batch->tiles.cells[first * columns + c] += mean[c];
  }
}

void score_means(device_work &work, const struct score_batch *batch, const struct grid *grid) {
  const score_vectors<double> vectors = score_vectors_make<double>(work, batch);
  const axis_means query =
      make_means(work, vectors, vectors.query, grid->row, grid->rows, product::ROWS);
  const axis_means key =
      make_means(work, vectors, vectors.key, grid->column, grid->columns, product::COLUMNS);
  multiply_means(work, batch, vectors.draws * vectors.depth, query, key);
  if (work.ok() && batch->causal) mask_cells(work, batch, grid, vectors);
  if (work.ok()) add_bias(work, batch, grid, vectors.stride);
}

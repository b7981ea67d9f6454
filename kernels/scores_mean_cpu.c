/* Mean scores of tiles. The score is linear in the query and in the key, hence for a tile R × C

     mean_{m∈R, n∈C} q_m · k_n = (mean_R q) · (mean_C k)

   one product of the size of the picture, whatever the length.

   Under a causal mask the tiles below the diagonal are such products. One that the diagonal crosses
   falls into three parts: rows that see all of its keys, keys that all of its rows see, and a
   triangle between them,

     (Σ_{m >= end of C} q_m) · (Σ_C k_n)   +   Σ_m q_m · Σ_{n∈C, n <= m} k_n

   where the inner sum runs along with m, from the keys before R on. Triangles meet at their
   corners, so all of them together have as many rows as the map.

   A bias depends on the distance alone: profile_tiles_cpu.c has its means. */
#include <cblas.h>
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/cpu.h"
#include "kernels/reduction.h"
#include "kernels/scores.h"
#include "lib/base/large.h"
#include "lib/base/memory.h"
#include "lib/base/progress.h"

enum { MOST_TILES = 64 }; /* rows of tiles that a thread takes at a time */

/* What all threads share; all vectors are of one draw. */
struct sums {
  const struct score_rows *rows;
  const struct grid *grid;
  double *mean_key;   /* (column, dim) */
  double *key_before; /* (row, dim) Σ of the keys of its column that come before the row of tiles */
  double *query_after; /* (column, dim) Σ of the queries of its row that come after the column */
  double *diagonal;    /* (row + column) sums over the draws, of tiles that the diagonal crosses */
};

static void add(const double *vector, size_t dim, double *sum) {
#pragma omp simd
  for (size_t i = 0; i < dim; i++)
    sum[i] += vector[i];
}

static double dot(const double *a, const double *b, size_t count) {
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (size_t i = 0; i < count; i++)
    sum += a[i] * b[i];
  return sum;
}

static void divide(double *vector, size_t dim, size_t count) {
  for (size_t i = 0; i < dim; i++)
    vector[i] /= (double)count;
}

/* One column of tiles: its mean key, and the sums so far at the edges of rows. */
static void sum_keys(const struct sums *sums, size_t draw, size_t column, double *vector) {
  const struct grid *grid = sums->grid;
  const size_t dim = sums->rows->batch->dim, first = grid->column[column],
               end = grid->column[column + 1];
  double *sum = sums->mean_key + column * dim;
  size_t t = grid_find(grid->row, grid->rows, first);
  if (grid->row[t] < first) t++;
  memset(sum, 0, dim * sizeof *sum);
  for (size_t n = first; n < end; n++) {
    if (t < grid->rows && grid->row[t] == n)
      memcpy(sums->key_before + t++ * dim, sum, dim * sizeof *sum);
    score_rows_key(sums->rows, draw, n, vector);
    add(vector, dim, sum);
  }
  divide(sum, dim, end - first);
}

/* One row of tiles: its mean query, and the sums from its end down to the edges of columns. */
static void sum_queries(const struct sums *sums, size_t draw, size_t row, double *mean,
                        double *vector) {
  const struct grid *grid = sums->grid;
  const size_t dim = sums->rows->batch->dim, first = grid->row[row], end = grid->row[row + 1];
  size_t c = grid_find(grid->column, grid->columns, end - 1); /* starts at the edge that is next */
  memset(mean, 0, dim * sizeof *mean);
  for (size_t m = end; m-- > first;) {
    score_rows_query(sums->rows, draw, m, vector);
    add(vector, dim, mean);
    if (c && grid->column[c] == m) memcpy(sums->query_after + --c * dim, mean, dim * sizeof *mean);
  }
  divide(mean, dim, end - first);
}

/* Σ over the unmasked scores of a tile that the diagonal crosses; `room`: two vectors. */
static double diagonal_sum(const struct sums *sums, size_t draw, size_t row, size_t column,
                           double *room) {
  const struct tile tile = grid_tile(sums->grid, row, column);
  const size_t dim = sums->rows->batch->dim;
  const size_t first = tile.row > tile.column ? tile.row : tile.column;
  const size_t end = tile.row_end < tile.column_end ? tile.row_end : tile.column_end;
  double *seen = room, *vector = room + dim, sum = 0;
  if (tile.column < tile.row)
    memcpy(seen, sums->key_before + row * dim, dim * sizeof *seen);
  else
    memset(seen, 0, dim * sizeof *seen);
  for (size_t m = first; m < end; m++) {
    score_rows_key(sums->rows, draw, m, vector);
    add(vector, dim, seen);
    score_rows_query(sums->rows, draw, m, vector);
    sum += dot(vector, seen, dim);
  }
  if (tile.row_end > tile.column_end)
    sum += dot(sums->query_after + column * dim, sums->mean_key + column * dim, dim) *
           (double)(tile.column_end - tile.column);
  return sum;
}

/* Cells of one row of tiles that the mask touches: those that the diagonal crosses get their sums,
   and in the last draw their mean; those above it are NaN. */
static void mask_cells(const struct sums *sums, size_t draw, size_t row, double *room) {
  const struct score_batch *batch = sums->rows->batch;
  const struct grid *grid = sums->grid;
  double *cells = batch->tiles.cells + row * grid->columns;
  for (size_t c = grid_find(grid->column, grid->columns, grid->row[row]); c < grid->columns; c++) {
    const struct tile tile = grid_tile(grid, row, c);
    if (tile.column >= tile.row_end) {
      cells[c] = NAN;
    } else if (tile.column_end > tile.row + 1) {
      /* Tiles along the diagonal lie right of or below one another: no two have the same sum of
         indices. */
      double *sum = sums->diagonal + row + c;
      *sum += diagonal_sum(sums, draw, row, c, room);
      cells[c] = *sum / ((double)tile_unmasked(&tile, true) * (double)batch->batch);
    }
  }
}

/* Adds the share of one draw to the cells of rows of tiles first .. end − 1. */
static void multiply_means(const struct sums *sums, size_t draw, size_t first, size_t end,
                           double *room) {
  const struct score_batch *batch = sums->rows->batch;
  const struct grid *grid = sums->grid;
  const size_t dim = batch->dim;
  double *query = room, *vector = room + (end - first) * dim;
  for (size_t t = first; t < end; t++)
    sum_queries(sums, draw, t, query + (t - first) * dim, vector);
  size_t columns = grid->columns;
  while (batch->causal && grid->column[columns - 1] >= grid->row[end])
    columns--;
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)(end - first), (int)columns, (int)dim,
              1 / (double)batch->batch, query, (int)dim, sums->mean_key, (int)dim, draw ? 1 : 0,
              batch->tiles.cells + first * grid->columns, (int)grid->columns);
}

static void run_draw(const struct sums *sums, size_t draw, double *room) {
  const struct grid *grid = sums->grid;
#pragma omp for schedule(static)
  for (size_t c = 0; c < grid->columns; c++)
    sum_keys(sums, draw, c, room);
#pragma omp for schedule(dynamic)
  for (size_t first = 0; first < grid->rows; first += MOST_TILES) {
    const size_t end = grid->rows - first < MOST_TILES ? grid->rows : first + MOST_TILES;
    multiply_means(sums, draw, first, end, room);
    for (size_t t = first; sums->rows->batch->causal && t < end; t++)
      mask_cells(sums, draw, t, room);
    tiles_leave(&sums->rows->batch->tiles, first, end);
  }
}

/* The mean bias of every tile. */
static int add_bias(const struct score_batch *batch, struct error *error) {
  if (!batch->bias) return OK;
  const size_t rows = batch->tiles.rows, columns = batch->tiles.columns;
  struct profile_batch profile = {.length = batch->length,
                                  .profile = batch->bias,
                                  .causal = batch->causal,
                                  .tiles = batch->tiles};
  profile.tiles.cells = large_array(size_product(rows, columns), sizeof *profile.tiles.cells,
                                    "the mean bias of the tiles", error);
  if (!profile.tiles.cells) return error->code;
  const int status = profile_tiles_cpu(&profile, error);
  for (size_t r = 0; !status && r < rows; r++) {
    double *cells = batch->tiles.cells + r * columns;
    const double *bias = profile.tiles.cells + r * columns;
    for (size_t c = 0; c < columns; c++)
      cells[c] += bias[c];
    tiles_leave(&batch->tiles, r, r + 1);
    tiles_leave(&profile.tiles, r, r + 1);
  }
  large_release(profile.tiles.cells);
  return status;
}

int scores_mean(const struct score_rows *rows, const struct grid *grid, struct error *error) {
  const struct score_batch *batch = rows->batch;
  const size_t threads = (size_t)omp_get_max_threads(), dim = batch->dim;
  const size_t room = (MOST_TILES + 2) * dim, tiles = grid->rows + grid->columns;
  double *shared = memory_array(size_product(tiles + grid->columns, dim + 1), sizeof *shared,
                                "the mean keys", error);
  if (!shared) return error->code;
  double *memory =
      memory_array(size_product(threads, room), sizeof *memory, "the mean queries", error);
  const struct sums sums = {.rows = rows,
                            .grid = grid,
                            .mean_key = shared,
                            .query_after = shared + grid->columns * dim,
                            .key_before = shared + 2 * grid->columns * dim,
                            .diagonal = shared + (tiles + grid->columns) * dim};
  for (size_t draw = 0; memory && draw < batch->batch; draw++) {
#pragma omp parallel if (batch->length > MOST_TILES)
    run_draw(&sums, draw, memory + (size_t)omp_get_thread_num() * room);
    progress_report(draw + 1, batch->batch);
  }
  int status = memory ? OK : error->code;
  free(memory);
  free(shared);
  if (!status) status = add_bias(batch, error);
  return status;
}

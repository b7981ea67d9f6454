/* Mean scores of tiles. The score is linear in the query and in the key, hence for a tile R × C

     mean_{m∈R, n∈C} q_m · k_n = (mean_R q) · (mean_C k)

   one product of the size of the picture, whatever the length. Under a causal mask the tiles below
   the diagonal are such products; in one that the diagonal crosses, a running sum of the keys seen
   so far takes the place of the mean: Σ_m q_m · Σ_{n∈C, n<=m} k_n. */
#include <cblas.h>
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/cpu.h"
#include "kernels/reduction.h"
#include "kernels/scores.h"
#include "lib/base/memory.h"
#include "lib/base/progress.h"

enum { MOST_TILES = 64 }; /* rows of tiles that a thread takes at a time */

typedef void row_function(const struct score_rows *rows, size_t draw, size_t position,
                          double *output);

/* The mean of the vectors at positions first .. end − 1; `vector` is room for one. */
static void mean_vector(const struct score_rows *rows, row_function *row, size_t draw, size_t first,
                        size_t end, double *mean, double *vector) {
  const size_t dim = rows->batch->dim;
  memset(mean, 0, dim * sizeof *mean);
  for (size_t m = first; m < end; m++) {
    row(rows, draw, m, vector);
    for (size_t i = 0; i < dim; i++)
      mean[i] += vector[i];
  }
  for (size_t i = 0; i < dim; i++)
    mean[i] /= (double)(end - first);
}

static double dot(const double *a, const double *b, size_t count) {
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (size_t i = 0; i < count; i++)
    sum += a[i] * b[i];
  return sum;
}

/* The mean over the unmasked scores of a tile that the diagonal crosses; `room`: two vectors. */
static double diagonal_mean(const struct score_rows *rows, const struct tile *tile, double *room) {
  const struct score_batch *batch = rows->batch;
  double *seen = room, *vector = room + batch->dim, sum = 0;
  for (size_t draw = 0; draw < batch->batch; draw++) {
    memset(seen, 0, batch->dim * sizeof *seen);
    size_t n = tile->column;
    for (size_t m = tile->row > n ? tile->row : n; m < tile->row_end; m++) {
      for (; n <= m && n < tile->column_end; n++) {
        score_rows_key(rows, draw, n, vector);
        for (size_t i = 0; i < batch->dim; i++)
          seen[i] += vector[i];
      }
      score_rows_query(rows, draw, m, vector);
      sum += dot(vector, seen, batch->dim);
    }
  }
  return sum / ((double)tile_unmasked(tile, true) * (double)batch->batch);
}

/* Cells of one row of tiles that the mask touches: exact where the diagonal crosses, NaN above. */
static void mask_cells(const struct score_rows *rows, const struct grid *grid, size_t tile_row,
                       double *room) {
  const struct tiles *tiles = &rows->batch->tiles;
  double *cells = tiles->cells + tile_row * tiles->columns;
  for (size_t c = 0; c < tiles->columns; c++) {
    const struct tile tile = grid_tile(grid, tile_row, c);
    if (tile.column >= tile.row_end)
      cells[c] = NAN;
    else if (tile.column_end > tile.row + 1)
      cells[c] = diagonal_mean(rows, &tile, room);
  }
}

/* Adds the share of one draw to the cells of rows of tiles first .. end − 1. */
static void multiply_means(const struct score_rows *rows, const struct grid *grid, size_t draw,
                           const double *key, size_t first, size_t end, double *room) {
  const struct score_batch *batch = rows->batch;
  const struct tiles *tiles = &batch->tiles;
  const size_t dim = batch->dim;
  double *query = room, *vector = room + (end - first) * dim;
  for (size_t t = first; t < end; t++)
    mean_vector(rows, score_rows_query, draw, grid->row[t], grid->row[t + 1],
                query + (t - first) * dim, vector);
  size_t columns = tiles->columns;
  while (batch->causal && grid->column[columns - 1] >= grid->row[end])
    columns--;
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)(end - first), (int)columns, (int)dim,
              1 / (double)batch->batch, query, (int)dim, key, (int)dim, draw ? 1 : 0,
              tiles->cells + first * tiles->columns, (int)tiles->columns);
}

static void run_draw(const struct score_rows *rows, const struct grid *grid, size_t draw,
                     double *key, double *own) {
  const struct score_batch *batch = rows->batch;
  const struct tiles *tiles = &batch->tiles;
#pragma omp for schedule(static)
  for (size_t c = 0; c < tiles->columns; c++)
    mean_vector(rows, score_rows_key, draw, grid->column[c], grid->column[c + 1],
                key + c * batch->dim, own);
#pragma omp for schedule(dynamic)
  for (size_t first = 0; first < tiles->rows; first += MOST_TILES) {
    const size_t end = tiles->rows - first < MOST_TILES ? tiles->rows : first + MOST_TILES;
    multiply_means(rows, grid, draw, key, first, end, own);
    if (batch->causal && draw + 1 == batch->batch)
      for (size_t t = first; t < end; t++)
        mask_cells(rows, grid, t, own);
  }
}

int scores_mean(const struct score_rows *rows, const struct grid *grid, struct error *error) {
  const struct score_batch *batch = rows->batch;
  const size_t threads = (size_t)omp_get_max_threads();
  const size_t room = (MOST_TILES + 1) * batch->dim;
  double *key = memory_array(size_product(batch->tiles.columns, batch->dim), sizeof *key,
                             "the mean keys", error);
  if (!key) return error->code;
  double *memory =
      memory_array(size_product(threads, room), sizeof *memory, "the mean queries", error);
  for (size_t draw = 0; memory && draw < batch->batch; draw++) {
#pragma omp parallel if (batch->length > MOST_TILES)
    run_draw(rows, grid, draw, key, memory + (size_t)omp_get_thread_num() * room);
    progress_report(draw + 1, batch->batch);
  }
  const int status = memory ? OK : error->code;
  free(memory);
  free(key);
  return status;
}

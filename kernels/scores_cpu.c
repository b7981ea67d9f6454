/* Scores of queries and keys, reduced to what is asked for:

     S(m, n) = (1/B) Σ_b (q_bm · k_bn + terms_b(m, n)) + bias(m − n),   or with softmax over the
   keys n' that query m may see (terms are before or behind the scale, see backend.h)

     P(m, n) = (1/B) Σ_b exp(x_bmn) / Σ_n' exp(x_bmn'),   x_bmn = scale·q_bm·k_bn + bias(m − n) */
#include <math.h>

#include "kernels/cpu.h"
#include "kernels/scores.h"

static bool has_histogram(const struct score_batch *batch) {
  return batch->profile && batch->profile->bins;
}

/* What the histogram covers: as given, or from the smallest to the largest score. */
static int find_range(const struct score_rows *rows, const struct grid *grid,
                      struct score_range *range, struct error *error) {
  const struct score_profile *profile = rows->batch->profile;
  *range = (struct score_range){profile->low, profile->high};
  if (profile->low < profile->high) return OK;
  *range = (struct score_range){INFINITY, -INFINITY};
  const struct score_pass pass = {.rows = rows, .grid = grid, .range = range};
  const int status = scores_pass(&pass, error);
  if (range->low > range->high) *range = (struct score_range){0, 0};
  return status;
}

/* Everything that needs single scores, in one pass over them. */
static int run_pass(const struct score_rows *rows, const struct grid *grid, bool tiles,
                    struct error *error) {
  const struct score_batch *batch = rows->batch;
  struct score_pass pass = {.rows = rows, .grid = grid, .tiles = tiles, .weights = batch->weights};
  struct score_range range = {0, 0};
  if (has_histogram(batch) && find_range(rows, grid, &range, error)) return error->code;
  if (batch->profile || batch->sums) {
    pass.diagonals = diagonals_open(batch, range, error);
    if (!pass.diagonals) return error->code;
  }
  const int status = scores_pass(&pass, error);
  if (!status && pass.diagonals) diagonals_finish(pass.diagonals);
  diagonals_close(pass.diagonals);
  return status;
}

static int run(const struct score_rows *rows, const struct grid *grid, struct error *error) {
  const struct score_batch *batch = rows->batch;
  const bool tiles = batch->tiles.cells, linear = tiles && score_tiles_linear(batch);
  int status = OK;
  if (linear) status = scores_mean(rows, grid, error);
  if (!status && ((tiles && !linear) || batch->profile || batch->sums || batch->weights))
    status = run_pass(rows, grid, tiles && !linear, error);
  if (!status && batch->sums) status = scores_symmetric(rows, error);
  return status;
}

int scores_cpu(const struct score_batch *batch, struct error *error) {
  const struct tiles none = {1, 1, REDUCE_MAX, NULL};
  struct score_rows rows;
  struct grid grid;
  if (grid_open(&grid, batch->tiles.cells ? &batch->tiles : &none, batch->length, error))
    return error->code;
  int status = score_rows_open(&rows, batch, error);
  if (!status) {
    status = run(&rows, &grid, error);
    score_rows_close(&rows);
  }
  grid_close(&grid);
  return status;
}

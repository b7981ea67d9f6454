/* Scores with rotation and reduction, against the product alone that they come from. Tiles without
   softmax average the draws, so that all of them are one product; whatever needs the scores of each
   draw takes one a draw. Under a causal mask the limit is still the full product. */
#include <math.h>
#include <stdio.h>

#include "lib/analysis/bench_operation.h"

enum { DIM = 128, BINS = 256, LEVELS = 3 };

static const double levels[LEVELS] = {0.05, 0.5, 0.95};

/* The batch, without anything to reduce it to. */
static int prepare(struct bench_work *work, struct error *error) {
  struct score_batch *batch = &work->batch.scores;
  const size_t draws = work->quick ? 2 : 4, length = work->quick ? 256 : 4096;
  const size_t cells = length / 4;
  if (bench_phases(work, DIM / 2, error)) return error->code;
  *batch = (struct score_batch){
      .batch = draws,
      .length = length,
      .dim = DIM,
      .query = bench_normals(work, STORAGE_F64, draws * length * DIM, error),
      .key = bench_normals(work, STORAGE_F64, draws * length * DIM, error),
      .rotation = &work->phases,
      .amplitude = 1,
      .single = work->precision == PRECISION_FP32,
      .scale = 1 / sqrt(DIM),
      .tiles = {.rows = cells, .columns = cells, .reduction = REDUCE_MAX},
  };
  if (!batch->query || !batch->key) return error->code;
  snprintf(work->shape, sizeof work->shape, "batch=%zu length=%zu dim=%d", draws, length, DIM);
  work->elements = draws * length * length;
  return OK;
}

static int limit_to_products(struct bench_work *work, size_t count, struct error *error) {
  const struct score_batch *batch = &work->batch.scores;
  const struct limit_batch product = {.count = count,
                                      .rows = batch->length,
                                      .columns = batch->length,
                                      .inner = batch->batch / count * batch->dim};
  return bench_limit_product(work, &product, error);
}

static int prepare_tiles(struct bench_work *work, struct error *error) {
  if (prepare(work, error)) return error->code;
  struct tiles *tiles = &work->batch.scores.tiles;
  tiles->cells = bench_array(work, tiles->rows * tiles->columns, sizeof *tiles->cells, error);
  return tiles->cells ? OK : error->code;
}

static int prepare_max(struct bench_work *work, struct error *error) {
  if (prepare_tiles(work, error)) return error->code;
  return limit_to_products(work, 1, error);
}

static int prepare_causal_softmax(struct bench_work *work, struct error *error) {
  if (prepare_tiles(work, error)) return error->code;
  work->batch.scores.causal = work->batch.scores.softmax = true;
  return limit_to_products(work, work->batch.scores.batch, error);
}

/* Linear: the queries and keys are read once. */
static int prepare_mean(struct bench_work *work, struct error *error) {
  if (prepare_tiles(work, error)) return error->code;
  const struct score_batch *batch = &work->batch.scores;
  work->batch.scores.tiles.reduction = REDUCE_MEAN;
  return bench_limit_copy(
      work, 2 * batch->batch * batch->length * batch->dim * sizeof *batch->query, error);
}

static int prepare_profile(struct bench_work *work, struct error *error) {
  if (prepare(work, error)) return error->code;
  const size_t distances = 2 * work->batch.scores.length - 1;
  const size_t count = distances * work->batch.scores.batch;
  const double reach = 8 * sqrt(DIM); /* standard deviations of a score */
  struct score_profile *profile = &work->profile;
  *profile = (struct score_profile){
      .mean = bench_array(work, count, sizeof *profile->mean, error),
      .square = bench_array(work, count, sizeof *profile->square, error),
      .bins = BINS,
      .low = -reach,
      .high = reach,
      .levels = LEVELS,
      .level = levels,
      .quantile = bench_array(work, LEVELS * distances, sizeof *profile->quantile, error),
      .bin_width = &work->result,
  };
  if (!profile->mean || !profile->square || !profile->quantile) return error->code;
  work->batch.scores.profile = profile;
  return limit_to_products(work, work->batch.scores.batch, error);
}

static int prepare_sums(struct bench_work *work, struct error *error) {
  if (prepare(work, error)) return error->code;
  struct score_batch *batch = &work->batch.scores;
  batch->sums = bench_array(work, batch->batch, sizeof *batch->sums, error);
  batch->weights = bench_array(work, batch->batch, sizeof *batch->weights, error);
  if (!batch->sums || !batch->weights) return error->code;
  return limit_to_products(work, batch->batch, error);
}

static int run(struct bench_work *work, struct error *error) {
  return backend_scores(work->backend, &work->batch.scores, error);
}

const struct bench_operation bench_scores_max = {
    .name = "scores_max",
    .precisions = BENCH_FP64 | BENCH_FP32,
    .prepare = prepare_max,
    .run = run,
};

const struct bench_operation bench_scores_causal_softmax = {
    .name = "scores_causal_softmax",
    .precisions = BENCH_FP64 | BENCH_FP32,
    .prepare = prepare_causal_softmax,
    .run = run,
};

const struct bench_operation bench_scores_mean = {
    .name = "scores_mean",
    .precisions = BENCH_FP64,
    .prepare = prepare_mean,
    .run = run,
};

const struct bench_operation bench_scores_profile = {
    .name = "scores_profile",
    .precisions = BENCH_FP64 | BENCH_FP32,
    .prepare = prepare_profile,
    .run = run,
};

const struct bench_operation bench_scores_sums = {
    .name = "scores_sums",
    .precisions = BENCH_FP64 | BENCH_FP32,
    .prepare = prepare_sums,
    .run = run,
};

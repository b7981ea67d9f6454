/* Linear attention of a draw. S are the numerators, (R_m φ(q_m))ᵀ(R_n φ(k_n)). */
#include <math.h>
#include <stdlib.h>

#include "lib/analysis/compare_parts.h"
#include "lib/analysis/linear_attention.h"
#include "lib/analysis/token_geometry.h"
#include "lib/base/memory.h"
#include "lib/rope/phases.h"

/* Values that the running state is checked with: so many columns, of a stream of their own. */
enum { VALUES = 4, STREAM_VALUES = 0xfa72 };

int compare_linear_check(const struct compare_item *item, const struct scorer *scorer,
                         struct error *error) {
  const char *what = scorer->bias || scorer->terms.fill         ? "adds to the scores"
                     : scorer->query_scale || scorer->key_scale ? "multiplies vectors"
                                                                : NULL;
  if (!what) return OK;
  return error_set(error, ERROR_INPUT,
                   "encoding '%s' %s, and linear attention has features in their place: rope, "
                   "sinusoidal, learned or none",
                   item->encoding->name, what);
}

/* A draw under linear attention. */
struct linear_draw {
  const struct comparison *work;
  const struct scorer *scorer;
  struct feature_map map;
  struct spectrum *of_features; /* the rotation of features, where their number is not dim */
  double *query, *key;          /* (position, feature) φ */
  double *rotated[2];           /* R φ; the same arrays where nothing rotates them */
  double *value, *output[2];    /* (position, VALUES) */
};

static void release(struct linear_draw *draw) {
  if (draw->rotated[0] != draw->query) free(draw->rotated[0]);
  if (draw->rotated[1] != draw->key) free(draw->rotated[1]);
  free(draw->query);
  free(draw->key);
  free(draw->value);
  free(draw->output[0]);
  free(draw->output[1]);
  feature_map_release(&draw->map);
  spectrum_destroy(draw->of_features);
}

static double *rows(const struct linear_draw *draw, size_t columns, struct error *error) {
  const size_t length = draw->work->request->length;
  if (memory_require(length, columns * sizeof(double), "the features of tokens", error))
    return NULL;
  return memory_array(length * columns, sizeof(double), "the features of tokens", error);
}

/* Vectors with a position each, of `dim` dimensions. */
static int place(const struct linear_draw *draw, const struct scorer *scorer, size_t dim,
                 const double *const vector[2], double *const placed[2], struct error *error) {
  const struct token_rows tokens = {
      .rows = draw->work->request->length, .dim = dim, .query = vector[0], .key = vector[1]};
  return token_geometry_place(draw->work->backend, scorer, &tokens, placed[0], placed[1], error);
}

/* φ of the content with its table, rotated before where that is asked for. */
static int fill_features(struct linear_draw *draw, const struct scorer_vectors *vectors,
                         struct error *error) {
  const size_t length = draw->work->request->length, dim = draw->work->dim;
  struct scorer scorer = *draw->scorer;
  if (!draw->work->request->rotate_first) scorer.rotation = NULL;
  if (vectors->projected) scorer.query_table = scorer.key_table = false;
  double *zeros = vectors->query ? NULL : rows(draw, dim, error);
  double *placed[2] = {rows(draw, dim, error), rows(draw, dim, error)};
  const double *const vector[2] = {vectors->query ? vectors->query : zeros,
                                   vectors->key ? vectors->key : zeros};
  int status = vector[0] && vector[1] && placed[0] && placed[1] ? OK : ERROR_FAILED;
  if (!status) status = place(draw, &scorer, dim, vector, placed, error);
  draw->query = status ? NULL : rows(draw, draw->map.count, error);
  draw->key = draw->query ? rows(draw, draw->map.count, error) : NULL;
  if (!draw->key) status = ERROR_FAILED;
  if (!status) status = feature_map_apply(&draw->map, false, length, placed[0], draw->query, error);
  if (!status) status = feature_map_apply(&draw->map, true, length, placed[1], draw->key, error);
  free(placed[1]);
  free(placed[0]);
  free(zeros);
  return status;
}

/* R φ, with a rotation of as many dimensions as there are features. */
static int rotate_features(struct linear_draw *draw, struct error *error) {
  struct scorer turn = {.rotation = draw->scorer->rotation};
  draw->rotated[0] = draw->query;
  draw->rotated[1] = draw->key;
  if (!turn.rotation || draw->work->request->rotate_first) return OK;
  if (draw->map.count != draw->work->dim) {
    struct rope_spec spec = turn.rotation->spec;
    spec.head_dim = spec.rotary_dim = draw->map.count;
    if (spectrum_create(&spec, &draw->of_features, error))
      return error_prefix(error, "the rotation of %zu features", draw->map.count);
    turn.rotation = draw->of_features;
  }
  const double *const feature[2] = {draw->query, draw->key};
  draw->rotated[0] = rows(draw, draw->map.count, error);
  draw->rotated[1] = rows(draw, draw->map.count, error);
  if (!draw->rotated[0] || !draw->rotated[1]) return ERROR_FAILED;
  return place(draw, &turn, draw->map.count, feature, draw->rotated, error);
}

static int fill_values(struct linear_draw *draw, struct error *error) {
  const struct compare_request *request = draw->work->request;
  draw->value = rows(draw, VALUES, error);
  draw->output[0] = rows(draw, VALUES, error);
  draw->output[1] = rows(draw, VALUES, error);
  if (!draw->value || !draw->output[0] || !draw->output[1]) return ERROR_FAILED;
  const struct gaussian_batch batch = {.seed = request->seed,
                                       .stream = STREAM_VALUES,
                                       .count = request->length * VALUES,
                                       .output = draw->value};
  return backend_gaussian(draw->work->backend, &batch, error);
}

/* Metrics of the numerators, as of scores; `tiles` of them unless the panel has weights. */
static int score(const struct linear_draw *draw, const struct tiles *tiles, double value[METRICS],
                 struct item_result *result, struct error *error) {
  const struct comparison *work = draw->work;
  struct metric_sources sources = {0};
  double *profile = NULL;
  struct score_batch batch = {.batch = 1,
                              .length = work->request->length,
                              .dim = draw->map.count,
                              .query = draw->rotated[0],
                              .key = draw->rotated[1],
                              .causal = work->request->causal};
  if (!work->request->weights) batch.tiles = *tiles;
  int status = compare_score_batch(work, draw->scorer, &batch, &sources, &profile, error);
  if (!status) status = metrics_fill(&sources, value, error);
  result->error_bound = fmax(result->error_bound, sources.score_error);
  result->overflown |= !metrics_finite(&sources);
  free(profile);
  return status;
}

static int weigh(const struct linear_draw *draw, const struct tiles *tiles, double value[METRICS],
                 struct item_result *result, struct error *error) {
  const struct compare_request *request = draw->work->request;
  const struct linear_attention attention = {.length = request->length,
                                             .features = draw->map.count,
                                             .query = draw->query,
                                             .key = draw->key,
                                             .rotated_query = draw->rotated[0],
                                             .rotated_key = draw->rotated[1],
                                             .causal = request->causal,
                                             .columns = VALUES,
                                             .value = draw->value};
  const double n = (double)request->length;
  struct linear_sums sums = {0};
  int status = linear_attention_matrix(&attention, &sums, draw->output[0],
                                       request->weights ? tiles : NULL, error);
  if (!status) status = linear_attention_state(&attention, draw->output[1], error);
  if (status) return status;
  const double difference =
      linear_attention_difference(&attention, draw->output[0], draw->output[1]);
  if (!(difference <= result->linear_difference)) result->linear_difference = difference;
  value[METRIC_LOCALITY] = sums.locality / n;
  value[METRIC_MEAN_DISTANCE] = sums.distance / n;
  value[METRIC_ENTROPY] = sums.entropy / n;
  value[METRIC_NEGATIVE_SHARE] = sums.negative / (request->causal ? n * (n + 1) / 2 : n * n);
  return OK;
}

int compare_linear(const struct comparison *work, struct scorer *scorer,
                   const struct compare_draw *draw, struct item_result *result,
                   double value[METRICS], struct error *error) {
  struct linear_draw own = {.work = work,
                            .scorer = scorer,
                            .map = {.favor = work->request->attention == COMPARE_LINEAR_FAVOR,
                                    .dim = work->dim,
                                    .count = work->features}};
  struct tiles tiles = {.rows = result->tiles,
                        .columns = result->tiles,
                        .reduction = work->request->weights ? REDUCE_MAX : REDUCE_MEAN};
  int status = OK;
  if (result->cells) {
    tiles.cells =
        memory_array(tiles.rows * tiles.columns, sizeof(double), "the cells of a panel", error);
    if (!tiles.cells) status = ERROR_FAILED;
  }
  if (!status) status = feature_map_make(work->backend, &own.map, work->request->seed, error);
  if (!status) status = fill_features(&own, &draw->vectors, error);
  if (!status) status = rotate_features(&own, error);
  if (!status) status = fill_values(&own, error);
  if (!status) status = score(&own, &tiles, value, result, error);
  if (!status) status = weigh(&own, &tiles, value, result, error);
  if (!status && tiles.cells) compare_add_cells(work, tiles.cells, result);
  release(&own);
  free(tiles.cells);
  return status;
}

/* What scores and softmax weights share: both are filled by the backend, tile by tile. */
#include <stdio.h>
#include <stdlib.h>

#include "lib/analysis/map_kind.h"
#include "lib/base/memory.h"

static int check_vectors(const struct map_request *request, struct error *error) {
  const struct map_vectors *query = request->query, *key = request->key;
  if (!query || !key)
    return error_set(error, ERROR_INPUT, "scores are of queries and keys: the %s are missing",
                     query ? "keys" : "queries");
  if (map_vectors_match(query, key, request->head, error)) return error->code;
  if (map_vectors_check_layer(query, request->layer, error)) return error->code;
  const size_t length = map_vectors_extent(query, AXIS_POSITION);
  if (request->length > length)
    return error_set(error, ERROR_INPUT,
                     "the length is '%zu', and the queries %s have %zu positions: at most as many",
                     request->length, tensor_shape(query->tensor).text, length);
  return OK;
}

int map_attention_shape(const struct map_request *request, size_t *rows, size_t *columns,
                        struct error *error) {
  const struct encoding *encoding = request->encoding;
  *rows = *columns = request->length;
  if (request->query || request->key) return check_vectors(request, error);
  if (request->content.kind == CONTENT_ZERO && !encoding->alone)
    return error_set(
        error, ERROR_INPUT,
        "content 'zero' leaves nothing to show for encoding '%s', which has no term of "
        "positions alone: ones, gaussian or aligned[:RHO]",
        encoding->name);
  return OK;
}

/* A map under way. */
struct attention {
  struct backend *backend;
  const struct map_request *request;
  struct matrix *matrix;
  enum reduction reduction;
  bool softmax;
};

static struct tiles tiles_of(const struct attention *map) {
  return (struct tiles){.rows = map->matrix->rows,
                        .columns = map->matrix->columns,
                        .reduction = map->reduction,
                        .cells = map->matrix->cells};
}

static void describe(const struct attention *map, bool by_distance, bool single) {
  meta_set_text(map->matrix->meta, "method", by_distance ? "by distance" : "one by one");
  meta_set_text(map->matrix->meta, "arithmetic",
                precision_name(single ? PRECISION_FP32 : PRECISION_FP64));
}

/* Whether all vectors are the same. */
static bool is_constant(const struct map_request *request) {
  return !request->query && content_is_constant(&request->content);
}

/* Rounded angles, cosines and sines no longer depend on the distance alone. */
static bool is_stationary(const struct map_request *request,
                          const struct encoding_setting *setting) {
  return is_constant(request) && request->spectrum->spec.precision == PRECISION_FP64 &&
         request->encoding->stationary &&
         request->encoding->stationary(setting, content_value(&request->content));
}

/* Scores at the distances, −(length − 1) first, to be released with free(). */
static double *create_profile(const struct map_request *request, struct error *error) {
  const size_t length = request->length;
  char what[80];
  snprintf(what, sizeof what, "the scores at the distances of %zu positions", length);
  /* Distances, their scores, and the profile of both signs. */
  if (memory_require(length, 4 * sizeof(double), what, error)) return NULL;
  return memory_array(2 * length - 1, sizeof(double), what, error);
}

static int fill_profile(const struct attention *map, const double *profile, double scale,
                        struct error *error) {
  const struct profile_batch batch = {.length = map->request->length,
                                      .profile = profile,
                                      .causal = map->request->causal,
                                      .softmax = map->softmax,
                                      .scale = scale,
                                      .tiles = tiles_of(map)};
  describe(map, true, false);
  return backend_profile_tiles(map->backend, &batch, error);
}

/* Of an encoding that knows its products without being made. */
static int fill_by_distance(const struct attention *map, const struct encoding_setting *setting,
                            struct error *error) {
  const struct encoding *encoding = map->request->encoding;
  const size_t length = setting->length;
  int status = encoding_describe(encoding, map->backend, setting, map->matrix->meta, error);
  double *profile = status ? NULL : create_profile(map->request, error);
  double *score = profile ? memory_array(length, sizeof *score, "scores by distance", error) : NULL;
  if (!status && !score) status = ERROR_FAILED;
  if (!status)
    status = encoding->profile(map->backend, setting, content_value(&map->request->content), length,
                               score, error);
  for (size_t m = 0; !status && m < length; m++)
    profile[length - 1 + m] = profile[length - 1 - m] = score[m];
  free(score);
  if (!status) status = fill_profile(map, profile, encoding_scale(encoding, setting), error);
  free(profile);
  return status;
}

/* Of equal vectors whose product no position changes: the bias is all that does. */
static int fill_by_bias(const struct attention *map, const struct scorer *scorer,
                        struct error *error) {
  const double value = content_value(&map->request->content);
  const double product = value * value * (double)scorer->dim * (map->softmax ? scorer->scale : 1);
  double *profile = create_profile(map->request, error);
  if (!profile) return error->code;
  for (size_t t = 0; t < 2 * scorer->length - 1; t++)
    profile[t] = product + (scorer->bias ? scorer->bias[t] : 0);
  const int status = fill_profile(map, profile, 1, error);
  free(profile);
  return status;
}

/* The queries' head; without an axis of heads `head` is of the encoding alone. */
static size_t own_head(const struct map_request *request) {
  return axes_have(&request->query->axes, AXIS_HEAD) ? request->head : 0;
}

static int create_content(const struct attention *map, size_t dim, struct scorer_vectors *vectors,
                          struct error *error) {
  const struct map_request *request = map->request;
  vectors->draws = is_constant(request) ? 1 : map_draws(request);
  if (!request->query && request->content.kind == CONTENT_ZERO) return OK;
  char what[96];
  snprintf(what, sizeof what, "the vectors of %zu positions in %zu %s", request->length,
           vectors->draws, request->query ? "sequences" : "draws");
  uint64_t rows;
  if (__builtin_mul_overflow(vectors->draws, request->length, &rows)) rows = UINT64_MAX;
  if (memory_require(rows, 2 * dim * sizeof(double), what, error)) return error->code;
  vectors->query = memory_array(rows * dim, sizeof(double), "the queries", error);
  vectors->key = memory_array(rows * dim, sizeof(double), "the keys", error);
  if (!vectors->query || !vectors->key) return ERROR_FAILED;
  if (request->query) {
    map_vectors_head(request->query, request->layer, own_head(request), request->length,
                     vectors->query);
    map_vectors_head(request->key, request->layer,
                     map_vectors_key_head(request->query, request->key, own_head(request)),
                     request->length, vectors->key);
    return OK;
  }
  const struct content_batch batch = {.content = request->content,
                                      .seed = request->seed,
                                      .rows = rows,
                                      .dim = dim,
                                      .query = vectors->query,
                                      .key = vectors->key};
  return content_fill(map->backend, &batch, error);
}

static int fill_one_by_one(const struct attention *map, struct scorer *scorer,
                           struct error *error) {
  const bool single = map->request->single && !scorer_needs_double(scorer);
  struct scorer_vectors vectors = {0};
  struct score_batch batch = {.causal = map->request->causal,
                              .single = single,
                              .softmax = map->softmax,
                              .tiles = tiles_of(map)};
  describe(map, false, single && !map_is_linear(map->request));
  int status = create_content(map, scorer->dim, &vectors, error);
  if (!status) {
    scorer_batch(scorer, &vectors, &batch);
    status = backend_scores(map->backend, &batch, error);
  }
  free(vectors.query);
  free(vectors.key);
  return status;
}

int map_attention_fill(struct backend *backend, const struct map_request *request,
                       enum reduction reduction, bool softmax, struct matrix *matrix,
                       struct error *error) {
  const struct attention map = {.backend = backend,
                                .request = request,
                                .matrix = matrix,
                                .reduction = reduction,
                                .softmax = softmax};
  const struct encoding_setting setting = map_setting(request);
  if (is_stationary(request, &setting)) return fill_by_distance(&map, &setting, error);
  struct scorer scorer;
  int status = map_make_scorer(backend, request, &scorer, matrix, error);
  const bool by_bias =
      is_constant(request) && !scorer.table && !scorer.rotation && !scorer.terms.fill;
  if (!status)
    status = by_bias ? fill_by_bias(&map, &scorer, error) : fill_one_by_one(&map, &scorer, error);
  scorer_release(&scorer);
  return status;
}

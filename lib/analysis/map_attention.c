/* What scores and softmax weights share: both are filled by the backend, tile by tile. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/analysis/map_kind.h"
#include "lib/base/memory.h"
#include "lib/rope/phases.h"

int map_attention_shape(const struct map_request *request, size_t *rows, size_t *columns,
                        struct error *error) {
  const struct encoding *encoding = request->encoding;
  *rows = *columns = request->length;
  if (request->content.kind == CONTENT_ZERO && !encoding->table)
    return error_set(
        error, ERROR_INPUT,
        "content 'zero' leaves nothing to show for encoding '%s', which adds nothing to "
        "the vectors: ones, gaussian or aligned[:RHO]",
        encoding->name);
  return OK;
}

/* Rounded angles, cosines and sines no longer depend on the distance alone. */
static bool is_stationary(const struct map_request *request) {
  return content_is_constant(&request->content) &&
         request->spectrum->spec.precision == PRECISION_FP64 &&
         request->encoding->stationary(content_value(&request->content));
}

static double softmax_scale(const struct map_request *request) {
  const double dim = (double)request->encoding->dim(request->spectrum);
  return request->spectrum->softmax_factor / sqrt(dim);
}

static int fill_by_distance(struct backend *backend, const struct map_request *request,
                            const struct tiles *tiles, bool softmax, struct error *error) {
  const size_t length = request->length;
  char what[80];
  snprintf(what, sizeof what, "the scores at the distances of %zu positions", length);
  /* Distances, their scores, and the profile of both signs. */
  int status = memory_require(length, 4 * sizeof(double), what, error);
  if (status) return status;
  double *profile = memory_array(2 * length - 1, sizeof *profile, what, error);
  double *score = profile ? memory_array(length, sizeof *score, what, error) : NULL;
  if (!score) status = ERROR_FAILED;
  if (!status)
    status = request->encoding->profile(backend, request->spectrum,
                                        content_value(&request->content), length, score, error);
  for (size_t m = 0; !status && m < length; m++)
    profile[length - 1 + m] = profile[length - 1 - m] = score[m];
  free(score);
  const struct profile_batch batch = {.length = length,
                                      .profile = profile,
                                      .causal = request->causal,
                                      .softmax = softmax,
                                      .scale = softmax_scale(request),
                                      .tiles = *tiles};
  if (!status) status = backend_profile_tiles(backend, &batch, error);
  free(profile);
  return status;
}

/* The vectors of a batch, before positions: content of every draw, and what the encoding adds. */
struct vectors {
  size_t draws, dim;
  double *query, *key; /* (draw, position, dim), NULL: zeros */
  double *table;       /* (position, dim), NULL: nothing */
};

static void release_vectors(struct vectors *vectors) {
  free(vectors->query);
  free(vectors->key);
  free(vectors->table);
}

static int require_vectors(const struct vectors *vectors, const struct map_request *request,
                           bool content, struct error *error) {
  const size_t sets = (content ? 2 * vectors->draws : 0) + (request->encoding->table != NULL);
  uint64_t count;
  if (__builtin_mul_overflow(sets, request->length, &count)) count = UINT64_MAX;
  char what[96];
  snprintf(what, sizeof what, "the vectors of %zu positions in %zu draws", request->length,
           vectors->draws);
  return memory_require(count, vectors->dim * sizeof(double), what, error);
}

static int create_vectors(struct backend *backend, const struct map_request *request,
                          struct vectors *vectors, struct error *error) {
  const bool content = request->content.kind != CONTENT_ZERO;
  const size_t length = request->length;
  vectors->dim = request->encoding->dim(request->spectrum);
  vectors->draws = content_is_constant(&request->content) ? 1 : request->batch;
  int status = vectors->draws > SIZE_MAX / 4 ? memory_require(UINT64_MAX, 8, "so many draws", error)
                                             : require_vectors(vectors, request, content, error);
  if (status) return status;
  const size_t rows = vectors->draws * length;
  if (content) {
    vectors->query = memory_array(rows * vectors->dim, sizeof(double), "the queries", error);
    vectors->key = memory_array(rows * vectors->dim, sizeof(double), "the keys", error);
    if (!vectors->query || !vectors->key) return ERROR_FAILED;
    const struct content_batch batch = {.content = request->content,
                                        .seed = request->seed,
                                        .rows = rows,
                                        .dim = vectors->dim,
                                        .query = vectors->query,
                                        .key = vectors->key};
    status = content_fill(backend, &batch, error);
  }
  if (status || !request->encoding->table) return status;
  vectors->table = memory_array(length * vectors->dim, sizeof(double), "the positions", error);
  if (!vectors->table) return ERROR_FAILED;
  return request->encoding->table(backend, request->spectrum, 0, length, vectors->table, error);
}

static int fill_one_by_one(struct backend *backend, const struct map_request *request,
                           const struct tiles *tiles, bool softmax, struct error *error) {
  struct vectors vectors = {0};
  int status = create_vectors(backend, request, &vectors, error);
  const struct phases phases = phases_of(request->spectrum);
  const struct score_batch batch = {
      .batch = vectors.draws,
      .length = request->length,
      .dim = vectors.dim,
      .query = vectors.query,
      .key = vectors.key,
      .rotation = request->encoding->rotates ? &phases : NULL,
      .layout = request->spectrum->spec.layout,
      .amplitude = request->spectrum->attention_factor,
      .query_add = vectors.table,
      .key_add = vectors.table,
      .causal = request->causal,
      .single = request->single,
      .softmax = softmax,
      .scale = softmax_scale(request),
      .tiles = *tiles,
  };
  if (!status) status = backend_scores(backend, &batch, error);
  release_vectors(&vectors);
  return status;
}

int map_attention_fill(struct backend *backend, const struct map_request *request,
                       enum reduction reduction, bool softmax, struct matrix *matrix,
                       struct error *error) {
  const struct tiles tiles = {.rows = matrix->rows,
                              .columns = matrix->columns,
                              .reduction = reduction,
                              .cells = matrix->cells};
  const bool by_distance = is_stationary(request);
  const bool single = request->single && !by_distance && !map_is_linear(request);
  meta_set_text(matrix->meta, "method", by_distance ? "by distance" : "one by one");
  meta_set_text(matrix->meta, "arithmetic",
                precision_name(single ? PRECISION_FP32 : PRECISION_FP64));
  return by_distance ? fill_by_distance(backend, request, &tiles, softmax, error)
                     : fill_one_by_one(backend, request, &tiles, softmax, error);
}

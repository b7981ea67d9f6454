/* Tokens, queries and keys of a comparison, and what positions do to them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/analysis/compare_parts.h"
#include "lib/analysis/token_geometry.h"
#include "lib/base/memory.h"

/* Rows that are worked on at once. */
enum { BLOCK = 512 };

int compare_make_scorer(const struct comparison *work, const struct compare_item *item,
                        struct scorer *scorer, struct error *error) {
  const struct compare_request *request = work->request;
  const size_t heads = item->projection ? item->projection->heads : request->heads;
  const bool of_width = item->encoding->frequencies == FREQUENCIES_OF_WIDTH;
  const struct encoding_setting setting = {.spectrum = of_width && work->waves ? work->waves
                                                                               : request->spectrum,
                                           .length = request->length,
                                           .width = request->width,
                                           .dim = work->dim,
                                           .heads = heads ? heads : ENCODING_HEADS,
                                           .head = item->head,
                                           .causal = request->causal,
                                           .terms = item->terms,
                                           .values = request->values,
                                           .learned = request->learned,
                                           .beyond = request->beyond};
  return encoding_make(item->encoding, work->backend, &setting, scorer, error);
}

enum precision compare_arithmetic_of(const struct comparison *work, const struct scorer *scorer) {
  return work->single && !scorer_needs_double(scorer) ? PRECISION_FP32 : PRECISION_FP64;
}

void compare_draw_release(struct compare_draw *draw) {
  if (draw->vectors.query != draw->query_token) free(draw->vectors.query);
  if (draw->vectors.key != draw->key_token) free(draw->vectors.key);
  free(draw->query_token);
  free(draw->key_token);
  *draw = (struct compare_draw){0};
}

static double *vectors(const struct comparison *work, size_t draws, size_t dim, const char *what,
                       struct error *error) {
  uint64_t rows;
  if (__builtin_mul_overflow((uint64_t)draws, work->request->length, &rows)) rows = UINT64_MAX;
  if (memory_require(rows, dim * sizeof(double), what, error)) return NULL;
  return memory_array(rows * dim, sizeof(double), what, error);
}

static int fill_tokens(const struct comparison *work, struct compare_draw *draw,
                       struct error *error) {
  const struct compare_request *request = work->request;
  char what[96];
  snprintf(what, sizeof what, "the tokens of %zu positions in %zu draws", request->length,
           draw->draws);
  draw->query_token = vectors(work, draw->draws, request->width, what, error);
  draw->key_token =
      draw->query_token ? vectors(work, draw->draws, request->width, what, error) : NULL;
  if (!draw->key_token) return error->code;
  const struct content_batch batch = {.content = request->content,
                                      .seed = request->seed,
                                      .first_row = draw->first * request->length,
                                      .rows = draw->draws * request->length,
                                      .dim = request->width,
                                      .query = draw->query_token,
                                      .key = draw->key_token};
  return content_fill(work->backend, &batch, error);
}

static int project_draw(const struct comparison *work, const struct compare_item *item,
                        const struct scorer *scorer, struct compare_draw *draw,
                        struct error *error) {
  const size_t rows = draw->draws * work->request->length;
  double *const query = draw->vectors.query =
      vectors(work, draw->draws, work->dim, "the queries", error);
  double *const key = draw->vectors.key =
      query ? vectors(work, draw->draws, work->dim, "the keys", error) : NULL;
  if (!key) return error->code;
  draw->vectors.projected = true;
  struct compare_side side = {.projection = item->projection,
                              .length = work->request->length,
                              .rows = rows,
                              .token = draw->query_token,
                              .table = scorer->query_table ? scorer->table : NULL};
  const bool apart = scorer->table && item->terms != TERMS_ALL;
  if (apart) side.table = scorer->table;
  side.part = scorer->query_content ? PART_CONTENT : PART_POSITION;
  int status =
      apart ? compare_project_part(&side, query, error) : compare_project(&side, query, error);
  if (status) return status;
  side.key = true;
  side.token = draw->key_token;
  if (!apart) side.table = scorer->key_table ? scorer->table : NULL;
  side.part = scorer->key_content ? PART_CONTENT : PART_POSITION;
  return apart ? compare_project_part(&side, key, error) : compare_project(&side, key, error);
}

int compare_draw_create(const struct comparison *work, const struct compare_item *item,
                        const struct scorer *scorer, struct compare_draw *draw,
                        struct error *error) {
  draw->vectors = (struct scorer_vectors){.draws = draw->draws};
  if (work->request->content.kind == CONTENT_ZERO && !item->projection) return OK;
  if (fill_tokens(work, draw, error)) return error->code;
  if (item->projection) return project_draw(work, item, scorer, draw, error);
  draw->vectors.query = draw->query_token;
  draw->vectors.key = draw->key_token;
  return OK;
}

static double mean_norm(const double *vector, size_t rows, size_t dim) {
  double sum = 0;
  for (size_t m = 0; m < rows; m++) {
    double square = 0;
    for (size_t i = 0; i < dim; i++)
      square += vector[m * dim + i] * vector[m * dim + i];
    sum += sqrt(square) / (double)rows;
  }
  return sum;
}

void compare_measure_table(const struct comparison *work, const struct scorer *scorer,
                           const struct compare_draw *draw, struct item_result *result) {
  const size_t length = work->request->length, width = work->request->width;
  if (!scorer->table || draw->vectors.projected || !draw->query_token) return;
  const size_t rows = scorer->positions < (double)length ? (size_t)scorer->positions : length;
  result->table_norm = mean_norm(scorer->table, rows, width);
  result->token_norm = mean_norm(draw->query_token, length, width);
}

/* NaN: of none; infinite: no number that double has. */
static double mean_of(double sum, size_t count) {
  if (!count) return NAN;
  return isfinite(sum) ? sum / (double)count : INFINITY;
}

int compare_drift(const struct comparison *work, const struct scorer *scorer,
                  const struct compare_draw *draw, double value[METRICS], struct error *error) {
  const size_t length = work->request->length;
  const size_t dim = scorer->table ? scorer->width : scorer->dim;
  const double *query = scorer->table ? draw->query_token : draw->vectors.query,
               *key = scorer->table ? draw->key_token : draw->vectors.key;
  struct token_drift drift = {0};
  int status = OK;
  for (size_t first = 0; query && key && !status && first < length; first += BLOCK) {
    const struct token_rows rows = {.first = first,
                                    .rows = length - first < BLOCK ? length - first : BLOCK,
                                    .dim = dim,
                                    .query = query + first * dim,
                                    .key = key + first * dim};
    status = token_geometry_add(work->backend, scorer, &rows, &drift, error);
  }
  value[METRIC_NORM_DRIFT] = mean_of(drift.norm, drift.norms);
  value[METRIC_ANGLE_DRIFT] = mean_of(drift.angle, drift.angles);
  return status;
}

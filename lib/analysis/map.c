#include "lib/analysis/map.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/analysis/map_kind.h"

static const struct map_kind *const kinds[] = {&map_scores,  &map_softmax,  &map_angles,
                                               &map_cosines, &map_rotation, &map_table,
                                               &map_norms,   &map_axes};
enum { KINDS = sizeof kinds / sizeof *kinds };

static const char *const reduction_names[] = {
    [REDUCE_MEAN] = "mean",
    [REDUCE_MAX] = "max",
    [REDUCE_ABSMAX] = "absmax",
};

const struct map_kind *map_kind_at(size_t index) {
  return index < KINDS ? kinds[index] : NULL;
}

const char *map_kind_name(const struct map_kind *kind) {
  return kind->name;
}

bool map_kind_is_attention(const struct map_kind *kind) {
  return kind->attention;
}

bool map_kind_has_positions(const struct map_kind *kind) {
  return kind->positions;
}

bool map_kind_has_phases(const struct map_kind *kind) {
  return kind->phases;
}

bool map_kind_has_encoding(const struct map_kind *kind) {
  return kind->encoding;
}

static enum reduction reduction_of(const struct map_request *request) {
  return request->reduction < 0 ? request->kind->reduction : (enum reduction)request->reduction;
}

bool map_is_linear(const struct map_request *request) {
  return request->kind == &map_scores && reduction_of(request) == REDUCE_MEAN;
}

int map_kind_find(const char *name, const struct map_kind **kind, struct error *error) {
  char known[256] = "";
  size_t used = 0;
  for (size_t i = 0; i < KINDS; i++) {
    if (!strcmp(name, kinds[i]->name)) {
      *kind = kinds[i];
      return OK;
    }
    used +=
        (size_t)snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "", kinds[i]->name);
  }
  return error_set(error, ERROR_INPUT, "unknown map '%s': one of %s", name, known);
}

const char *map_reduction_name(enum reduction reduction) {
  return reduction_names[reduction];
}

int map_reduction_parse(const char *name, int *reduction, struct error *error) {
  for (int i = REDUCE_MEAN; i <= REDUCE_ABSMAX; i++)
    if (!strcmp(name, reduction_names[i])) {
      *reduction = i;
      return OK;
    }
  return error_set(error, ERROR_INPUT, "unknown reduction '%s': mean, max or absmax", name);
}

static int check_request(const struct map_request *request, struct error *error) {
  const struct map_kind *kind = request->kind;
  const char *empty = kind->positions && !request->length      ? "length"
                      : kind->attention && !map_draws(request) ? "batch"
                      : !request->cells                        ? "number of cells"
                                                               : NULL;
  if (empty) return error_set(error, ERROR_INPUT, "the %s of a map is '0': 1 or more", empty);
  if (request->trained && !kind->phases)
    return error_set(error, ERROR_INPUT,
                     "what training showed can be told of angles and cosines, "
                     "not of '%s'",
                     kind->name);
  if (request->trained && request->trained >= request->length)
    return error_set(error, ERROR_INPUT,
                     "the context trained for is '%zu', and the map ends at %zu positions: nothing "
                     "there is beyond training",
                     request->trained, request->length);
  return OK;
}

static void set_axis(struct matrix_axis *axis, const struct matrix_axis *kind, size_t length) {
  *axis = *kind;
  axis->length = length;
}

bool map_is_reduced(const struct matrix *matrix) {
  return matrix->rows < matrix->row_axis.length || matrix->columns < matrix->column_axis.length;
}

static const char *statistic_name(const struct map_kind *kind, enum reduction reduction) {
  return reduction == REDUCE_MEAN && kind->mean_name ? kind->mean_name
                                                     : map_reduction_name(reduction);
}

/* "8192 -> 1024 by max", or "4096 x 2048 -> 1024 x 1024 by mean" where the axes differ. */
static void describe_reduction(const struct matrix *matrix, const char *statistic) {
  const size_t rows = matrix->row_axis.length, columns = matrix->column_axis.length;
  char text[160];
  if (rows == columns || columns == matrix->columns)
    snprintf(text, sizeof text, "%zu -> %zu by %s", rows, matrix->rows, statistic);
  else
    snprintf(text, sizeof text, "%zu x %zu -> %zu x %zu by %s", rows, columns, matrix->rows,
             matrix->columns, statistic);
  meta_set_text(matrix->meta, "reduced", text);
}

size_t map_draws(const struct map_request *request) {
  return request->query ? map_vectors_extent(request->query, AXIS_BATCH) : request->batch;
}

static void describe_vectors(const struct map_vectors *vectors, const char *side,
                             struct meta *meta) {
  if (!vectors) return;
  const struct tensor *tensor = vectors->tensor;
  struct meta *object = meta_object(meta, side);
  meta_set_text(object, "tensor", tensor->name ? tensor_short_name(tensor->name) : NULL);
  meta_set_text(object, "dtype", storage_name(tensor->storage));
  meta_set_text(object, "shape", tensor_shape(tensor).text);
  meta_set_text(object, "axes", axes_list(&vectors->axes).text);
}

static void describe_own(const struct map_request *request, struct meta *meta) {
  const struct map_vectors *query = request->query, *key = request->key;
  meta_set_integer(meta, "batch", (int64_t)map_draws(request));
  meta_set_flag(meta, "causal", request->causal);
  if (axes_have(&query->axes, AXIS_LAYER)) {
    meta_set_integer(meta, "layers", (int64_t)map_vectors_extent(query, AXIS_LAYER));
    meta_set_integer(meta, "layer", (int64_t)request->layer);
  }
  if (!axes_have(&query->axes, AXIS_HEAD)) return;
  meta_set_integer(meta, "heads", (int64_t)map_vectors_extent(query, AXIS_HEAD));
  meta_set_integer(meta, "head", (int64_t)request->head);
  meta_set_integer(meta, "kv_heads", (int64_t)map_vectors_extent(key, AXIS_HEAD));
  meta_set_integer(meta, "key_head", (int64_t)map_vectors_key_head(query, key, request->head));
}

static void describe_attention(const struct map_request *request, struct meta *meta) {
  if (request->query) {
    describe_own(request, meta);
    return;
  }
  char content[64];
  content_describe(&request->content, content, sizeof content);
  meta_set_text(meta, "content", content);
  meta_set_integer(meta, "batch", (int64_t)request->batch);
  if (!content_is_constant(&request->content))
    meta_set_integer(meta, "seed", (int64_t)request->seed);
  meta_set_flag(meta, "causal", request->causal);
}

/* Vectors that no frequency turns say nothing of the spectrum, nor do learned frequencies. */
static bool describes_spectrum(const struct map_request *request) {
  if (request->mixed && !request->mixed->untrained) return false;
  return !request->kind->plain && !(request->kind->attention && request->query &&
                                    request->encoding->frequencies == FREQUENCIES_NONE);
}

static void describe(const struct map_request *request, enum reduction reduction,
                     struct matrix *matrix) {
  const struct map_kind *kind = request->kind;
  struct meta *meta = matrix->meta;
  const bool reduced = map_is_reduced(matrix);
  const char *by = statistic_name(kind, reduction);
  meta_set_text(meta, "what", kind->name);
  if (describes_spectrum(request)) spectrum_describe(request->spectrum, meta);
  describe_vectors(request->query, "query", meta);
  describe_vectors(request->key, "key", meta);
  if (kind->positions) meta_set_integer(meta, "length", (int64_t)request->length);
  if (kind->encoding) meta_set_text(meta, "encoding", request->encoding->name);
  if (kind->attention) describe_attention(request, meta);
  meta_set_integer(meta, "cells", (int64_t)request->cells);
  meta_set_text(meta, "reduce", map_reduction_name(reduction));
  if (reduced) describe_reduction(matrix, by);
  char statistic[160];
  size_t used = (size_t)snprintf(statistic, sizeof statistic, "%s", kind->value_label);
  if (kind->attention && map_draws(request) > 1)
    used += (size_t)snprintf(statistic + used, sizeof statistic - used, ", mean of %zu %s",
                             map_draws(request), request->query ? "sequences" : "draws");
  if (reduced) snprintf(statistic + used, sizeof statistic - used, ", %s of each cell", by);
  meta_set_text(meta, "statistic", statistic);
}

static size_t smaller(size_t a, size_t b) {
  return a < b ? a : b;
}

int map_run(struct backend *backend, const struct map_request *request, struct matrix **result,
            struct error *error) {
  *result = NULL;
  const struct map_kind *kind = request->kind;
  const enum reduction reduction = reduction_of(request);
  size_t rows, columns;
  int status = check_request(request, error);
  if (!status) status = kind->shape(request, &rows, &columns, error);
  if (status) return status;
  struct matrix *matrix =
      matrix_create(smaller(rows, request->cells), smaller(columns, request->cells), error);
  if (!matrix) return ERROR_FAILED;
  set_axis(&matrix->row_axis, &kind->row_axis, rows);
  set_axis(&matrix->column_axis, &kind->column_axis, columns);
  snprintf(matrix->value_label, sizeof matrix->value_label, "%s", kind->value_label);
  matrix->range = kind->range;
  matrix->bound = kind->bound;
  describe(request, reduction, matrix);
  status = kind->fill(backend, request, reduction, matrix, error);
  if (!status && request->trained) status = map_mark_unseen(request, matrix, error);
  if (status)
    matrix_destroy(matrix);
  else
    *result = matrix;
  return status;
}

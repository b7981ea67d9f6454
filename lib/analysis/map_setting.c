/* What a map's encoding is made for. */
#include <stdio.h>
#include <string.h>

#include "lib/analysis/map_kind.h"

struct encoding_setting map_setting(const struct map_request *request) {
  const struct map_vectors *query = request->query;
  const size_t width = query
                           ? map_vectors_extent(query, AXIS_DIM)
                           : encoding_width(request->encoding, request->spectrum, request->learned);
  const bool has_heads = query && axes_have(&query->axes, AXIS_HEAD);
  const size_t heads = has_heads ? map_vectors_extent(query, AXIS_HEAD) : request->heads;
  return (struct encoding_setting){.spectrum = request->spectrum,
                                   .length = request->length,
                                   .width = width,
                                   .dim = width,
                                   .heads = heads ? heads : ENCODING_HEADS,
                                   .head = request->head,
                                   .causal = request->causal,
                                   .values = request->values,
                                   .learned = request->learned,
                                   .beyond = request->beyond};
}

int map_make_scorer(struct backend *backend, const struct map_request *request,
                    struct scorer *scorer, struct matrix *matrix, struct error *error) {
  const struct encoding_setting setting = map_setting(request);
  struct meta *meta = matrix->meta;
  const int status = encoding_make(request->encoding, backend, &setting, scorer, error);
  if (status) return status;
  if (request->encoding->by_head) {
    meta_set_integer(meta, "heads", (int64_t)setting.heads);
    meta_set_integer(meta, "head", (int64_t)setting.head);
  }
  if (scorer->untrained) {
    meta_set_flag(meta, "untrained", true);
    const size_t used = strlen(matrix->value_label);
    snprintf(matrix->value_label + used, sizeof matrix->value_label - used, " (untrained)");
  }
  return encoding_describe(request->encoding, backend, &setting, meta, error);
}

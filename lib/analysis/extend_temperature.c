/* By what methods multiply scores, over the context that they are set up for. */
#include <stdlib.h>

#include "lib/analysis/decay.h"
#include "lib/analysis/extend_parts.h"

enum { METHOD, CONTEXT, SCORE_FACTOR };
enum { POINTS = 64 };

/* cos and sin are multiplied by the attention factor, so scores by its square. */
static double score_factor(const struct spectrum *spectrum) {
  return spectrum->attention_factor * spectrum->attention_factor * spectrum->softmax_factor;
}

static int add_context(const struct extend_work *work, const char *method, int64_t context,
                       struct error *error) {
  struct rope_spec spec;
  struct spectrum *spectrum;
  const size_t row = table_rows(work->table);
  int status = extend_method_for(work->request, method, context, &spec, error);
  if (status) return status;
  if (spectrum_create(&spec, &spectrum, error)) return error_prefix(error, "method '%s'", method);
  status = table_add_rows(work->table, 1, error);
  if (!status) status = table_set_text(work->table, row, METHOD, method, error);
  if (!status) {
    table_set_integer(work->table, row, CONTEXT, context);
    table_set_real(work->table, row, SCORE_FACTOR, score_factor(spectrum));
  }
  spectrum_destroy(spectrum);
  return status;
}

static int add_method(const struct extend_work *work, const struct extend_item *item,
                      struct error *error) {
  const struct extend_request *request = work->request;
  int64_t *context = NULL;
  size_t count;
  int status =
      decay_log_distances(request->original, request->target, POINTS, &context, &count, error);
  for (size_t i = 0; !status && i < count; i++)
    status = add_context(work, item->method, context[i], error);
  free(context);
  if (!status) meta_set_real(item->meta, "score_factor", score_factor(item->spectrum));
  return status;
}

const struct extend_view extend_temperature = {
    .name = "temperature",
    .methods = "none,yarn",
    .columns = {{"method", COLUMN_TEXT},
                {"context", COLUMN_INTEGER},
                {"score_factor", COLUMN_REAL}},
    .add_method = add_method,
};

#include "lib/analysis/content.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/number.h"

/* Streams of random numbers: the same draw whatever else is drawn. The part of an aligned key that
   its query does not explain is the key of gaussian content. */
enum { STREAM_QUERY = 0, STREAM_KEY = 1 };

static const char *const names[] = {
    [CONTENT_ONES] = "ones",
    [CONTENT_ZERO] = "zero",
    [CONTENT_GAUSSIAN] = "gaussian",
    [CONTENT_ALIGNED] = "aligned",
};

static int parse_rho(const char *text, double *rho, struct error *error) {
  const int status = number_real(text, "the RHO of content 'aligned'", rho, error);
  if (status) return status;
  if (fabs(*rho) > 1)
    return error_set(error, ERROR_INPUT, "the RHO of content 'aligned' is %g: -1 to 1", *rho);
  return OK;
}

const char *content_name_at(size_t index) {
  return index < sizeof names / sizeof *names ? names[index] : NULL;
}

int content_parse(const char *text, struct content *content, struct error *error) {
  const char *colon = strchr(text, ':');
  const size_t length = colon ? (size_t)(colon - text) : strlen(text);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (strlen(names[i]) != length || strncmp(text, names[i], length)) continue;
    if (colon && i != CONTENT_ALIGNED) break;
    *content = (struct content){.kind = (enum content_kind)i, .rho = i == CONTENT_ALIGNED};
    return colon ? parse_rho(colon + 1, &content->rho, error) : OK;
  }
  return error_set(error, ERROR_INPUT,
                   "unknown content '%s': ones, zero, gaussian or aligned[:RHO]", text);
}

void content_describe(const struct content *content, char *text, size_t size) {
  if (content->kind == CONTENT_ALIGNED)
    snprintf(text, size, "%s:%.15g", names[content->kind], content->rho);
  else
    snprintf(text, size, "%s", names[content->kind]);
}

int content_is_constant(const struct content *content) {
  return content->kind == CONTENT_ONES || content->kind == CONTENT_ZERO;
}

double content_value(const struct content *content) {
  return content->kind == CONTENT_ONES ? 1 : 0;
}

static int fill_gaussian(struct backend *backend, const struct content_batch *batch,
                         uint32_t stream, double *output, struct error *error) {
  const struct gaussian_batch gaussian = {.seed = batch->seed,
                                          .stream = stream,
                                          .first = batch->first_row * batch->dim,
                                          .count = batch->rows * batch->dim,
                                          .output = output};
  return backend_gaussian(backend, &gaussian, error);
}

int content_fill(struct backend *backend, const struct content_batch *batch, struct error *error) {
  const struct content *content = &batch->content;
  const size_t count = batch->rows * batch->dim;
  double *query = batch->query, *key = batch->key;
  if (content_is_constant(content)) {
    for (size_t i = 0; i < count; i++)
      query[i] = key[i] = content_value(content);
    return OK;
  }
  int status = fill_gaussian(backend, batch, STREAM_QUERY, query, error);
  if (!status) status = fill_gaussian(backend, batch, STREAM_KEY, key, error);
  if (status || content->kind == CONTENT_GAUSSIAN) return status;
  const double rest = sqrt((1 - content->rho) * (1 + content->rho));
  for (size_t i = 0; i < count; i++)
    key[i] = content->rho * query[i] + rest * key[i];
  return OK;
}

/* Quantiles of the scores of real vectors, beside the bound. */
#include <stdlib.h>

#include "lib/analysis/decay_parts.h"
#include "lib/base/memory.h"
#include "lib/rope/phases.h"

static const double levels[DECAY_LEVELS] = {0.05, 0.25, 0.5, 0.75, 0.95};

int decay_samples(struct backend *backend, const struct spectrum *spectrum,
                  const struct decay_request *request, double *quantile, struct error *error) {
  const size_t dim = 2 * spectrum->pairs, samples = request->samples;
  int status = memory_require(samples, 2 * dim * sizeof(double), "the sampled vectors", error);
  if (status) return status;
  double *query = memory_array(samples * dim, sizeof *query, "the sampled queries", error);
  double *key = memory_array(samples * dim, sizeof *key, "the sampled keys", error);
  if (!query || !key) status = ERROR_FAILED;
  const struct content_batch vectors = {.content = request->content,
                                        .seed = request->seed,
                                        .rows = samples,
                                        .dim = dim,
                                        .query = query,
                                        .key = key};
  if (!status) status = content_fill(backend, &vectors, error);
  const struct quantile_batch batch = {
      .phases = phases_of(spectrum),
      .samples = samples,
      .query = query,
      .key = key,
      .count = request->count,
      .distance = request->distance,
      .levels = DECAY_LEVELS,
      .level = levels,
      .quantile = quantile,
  };
  if (!status) status = backend_quantiles(backend, &batch, error);
  for (size_t i = 0; !status && i < DECAY_LEVELS * request->count; i++)
    quantile[i] /= (double)dim;
  free(key);
  free(query);
  return status;
}

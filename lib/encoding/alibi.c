/* Attention with linear biases: every head has its slope. */
#include <math.h>
#include <stdlib.h>

#include "lib/encoding/list.h"

/* Heads that are a power of two have the powers of 2^(−8/heads). Other numbers take those of the
   power of two below, then every second of those of the power of two above. */
static double slope_of(size_t head, size_t heads) {
  size_t below = 1;
  while (2 * below <= heads)
    below *= 2;
  if (head < below) return exp2(-8.0 * (double)(head + 1) / (double)below);
  return exp2(-8.0 * (double)(2 * (head - below) + 1) / (double)(2 * below));
}

static int make(struct backend *backend, const struct encoding_setting *setting,
                struct scorer *scorer, struct error *error) {
  (void)backend;
  const double slope = slope_of(setting->head, setting->heads);
  const size_t middle = setting->length - 1;
  scorer->bias = encoding_bias(setting, error);
  if (!scorer->bias) return error->code;
  for (size_t m = 0; m <= middle; m++)
    scorer->bias[middle + m] = scorer->bias[middle - m] = -slope * (double)m;
  return OK;
}

static int show(struct backend *backend, const struct encoding_setting *setting,
                const struct encoding_sink *sink, struct error *error) {
  (void)backend;
  for (size_t head = 0; head < setting->heads; head++)
    if (sink->add(sink->to, "slope", (int64_t)head, slope_of(head, setting->heads), error))
      return error->code;
  return OK;
}

const struct encoding encoding_alibi = {
    .name = "alibi",
    .title = "ALiBi",
    .formula = "softmax of q^T k / sqrt(d) - slope_head |m - n|",
    .source = "Press et al., Train Short, Test Long, arXiv:2108.12409",
    .beyond = "extrapolated",
    .kind = ENCODING_BIASES,
    .by_head = true,
    .alone = true,
    .make = make,
    .show = show,
};

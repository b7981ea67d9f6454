/* A divisor for each pair, as GGUF files hold them in the tensor rope_freqs.weight. */
#include <math.h>

#include "lib/rope/scaling.h"

static int apply(const struct rope_spec *spec, struct scaling_result *result, struct error *error) {
  const double *factor;
  const int failed = scaling_list(spec, "freq_factors", result, &factor, error);
  if (failed) return failed;
  result->full_factor = factor[0];
  for (size_t i = 0; i < result->pairs; i++) {
    result->inv_freq[i] =
        scaling_round(result, result->inv_freq[i] / scaling_round(result, factor[i]));
    result->full_factor = fmax(result->full_factor, factor[i]);
  }
  return OK;
}

const struct scaling_rule scaling_factors = {
    .name = "factors",
    .summary = "each frequency divided by a number of its own, from a model's file",
    .source = "ggml, ggml_rope_ext (freq_factors); GGUF, rope_freqs.weight",
    .lists = {"freq_factors"},
    .unnamed = true,
    .foreign = true,
    .hides_original = true,
    .apply = apply,
};

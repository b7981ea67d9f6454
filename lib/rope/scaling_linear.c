/* Position interpolation: every frequency divided by one factor, as if positions were. */
#include "lib/rope/scaling.h"

static int apply(const struct rope_spec *spec, struct scaling_result *result, struct error *error) {
  (void)error;
  result->full_factor = spec_parameter(spec, "factor");
  const long double factor = scaling_round(result, result->full_factor);
  for (size_t i = 0; i < result->pairs; i++)
    result->inv_freq[i] = scaling_round(result, result->inv_freq[i] / factor);
  return OK;
}

const struct scaling_rule scaling_linear = {
    .name = "linear",
    .summary = "position interpolation: frequencies divided by factor",
    .source = "Chen et al. 2023, arXiv:2306.15595",
    .keys = {{.name = "factor", .required = true, .kind = SCALING_POSITIVE}},
    .hides_original = true,
    .alike = true,
    .apply = apply,
};

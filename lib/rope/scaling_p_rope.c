/* p-RoPE: the lowest 1 − p of the frequencies become 0, the others stay: of d/2 pairs the first
   ⌊p·d/2⌋ rotate, as in the paper's listing. Exponents are over all of d. */
#include <math.h>

#include "lib/rope/scaling.h"

static int apply(const struct rope_spec *spec, struct scaling_result *result, struct error *error) {
  const double p = spec_parameter(spec, "p");
  if (p > 1)
    return error_set(error, ERROR_INPUT, "the scaling parameter 'p' is %.10g: it must be at most 1",
                     p);
  const size_t kept = (size_t)floor(p * (double)spec->rotary_dim / 2);
  for (size_t i = kept; i < result->pairs; i++)
    result->inv_freq[i] = 0;
  result->full_factor = 1;
  return OK;
}

const struct scaling_rule scaling_p_rope = {
    .name = "p-rope",
    .summary = "p-RoPE: the highest share p of the frequencies kept, the others 0",
    .source = "Barbero et al. 2024, arXiv:2410.06205",
    .keys = {{.name = "p", .required = true, .kind = SCALING_POSITIVE}},
    .foreign = true,
    .apply = apply,
};

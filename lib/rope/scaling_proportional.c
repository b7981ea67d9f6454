/* Proportional RoPE (Gemma 4's global layers): the fast pairs of the whole head rotate, the others
   do not. Partial rotation of a head rotates fewer dimensions among themselves, with exponents over
   those; here the exponents are over the whole head. */
#include <math.h>

#include "lib/rope/scaling.h"

static int apply(const struct rope_spec *spec, struct scaling_result *result, struct error *error) {
  const double share = scaling_number(spec, "partial_rotary_factor", 1);
  if (share > 1)
    return error_set(error, ERROR_INPUT,
                     "the scaling parameter 'partial_rotary_factor' is %.10g: it must be at most 1",
                     share);
  if (spec->rotary_dim != spec->head_dim)
    return error_set(error, ERROR_INPUT,
                     "the rotary dimension %zu is not the head dimension %zu: the scaling type "
                     "'proportional' is of the whole head",
                     spec->rotary_dim, spec->head_dim);
  const size_t rotating = (size_t)floor(share * (double)spec->head_dim / 2);
  result->full_factor = scaling_number(spec, "factor", 1);
  const long double factor = scaling_round(result, result->full_factor);
  for (size_t i = 0; i < result->pairs; i++)
    result->inv_freq[i] = i < rotating ? scaling_round(result, result->inv_freq[i] / factor) : 0;
  return OK;
}

const struct scaling_rule scaling_proportional = {
    .name = "proportional",
    .summary =
        "the first partial_rotary_factor of the whole head's pairs rotate, divided by factor",
    .source = "Gemma 4; Hugging Face transformers, rope_type \"proportional\"",
    .keys = {{.name = "partial_rotary_factor", .kind = SCALING_POSITIVE},
             {.name = "factor", .kind = SCALING_POSITIVE}},
    .apply = apply,
};

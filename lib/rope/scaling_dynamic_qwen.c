/* Dynamic NTK as the first Qwen has it: the base grows with the sequence in powers of two.

   With s the length of the sequence (spec.context) and M the model's context (seq_length there):
   alpha = 2^⌈log2(s/M) + 1⌉ − 1 where s > M, else 1, and b' = b · alpha^(d/(d−2)). At 3000 tokens
   for M = 2048 alpha is 3, where Hugging Face's rule with factor 2 has 1.93. */
#include <math.h>

#include "lib/rope/scaling.h"

static int apply(const struct rope_spec *spec, struct scaling_result *result, struct error *error) {
  const double limit = scaling_limit(spec);
  if (isnan(limit))
    return error_set(error, ERROR_INPUT,
                     "the scaling type 'dynamic-qwen' needs the parameter "
                     "'max_position_embeddings', or a model that has a context");
  const double ratio = fmax((double)spec->context / limit, 1);
  return scaling_grow(spec, exp2(ceil(log2(ratio) + 1)) - 1, result, error);
}

const struct scaling_rule scaling_dynamic_qwen = {
    .name = "dynamic-qwen",
    .summary = "dynamic NTK of the first Qwen: the base grows in powers of two beyond the model's "
               "context",
    .source = "Qwen-7B, modeling_qwen.py, get_ntk_alpha (use_dynamic_ntk)",
    .keys = {{.name = "max_position_embeddings", .kind = SCALING_POSITIVE}},
    .foreign = true,
    .apply = apply,
};

/* LongRoPE (Phi-3): each pair has a divisor of its own, one list for sequences up to the original
   context and one for longer ones. vLLM chooses once, by the longest sequence it is set up for. */
#include <math.h>

#include "lib/rope/scaling.h"

/* sqrt(1 + ln factor / ln L) for factor > 1. */
static int find_attention(const struct rope_spec *spec, double original, double *attention,
                          struct error *error) {
  double factor;
  *attention = spec_parameter(spec, "attention_factor");
  if (!isnan(*attention)) return OK;
  const int failed = scaling_factor(spec, &factor, error);
  if (failed) return failed;
  if (factor > 1 && !(original > 1))
    return error_set(error, ERROR_INPUT,
                     "original_max_position_embeddings is %.10g: the scaling type 'longrope' needs "
                     "more than 1",
                     original);
  *attention = scaling_long_attention(factor, original);
  return OK;
}

static int apply(const struct rope_spec *spec, struct scaling_result *result, struct error *error) {
  const double original = scaling_original(spec), *short_factor, *long_factor;
  if (isnan(original))
    return error_set(error, ERROR_INPUT,
                     "the scaling type 'longrope' needs the parameter "
                     "'original_max_position_embeddings', or a model that has a context");
  int failed = scaling_list(spec, "short_factor", result, &short_factor, error);
  if (!failed) failed = scaling_list(spec, "long_factor", result, &long_factor, error);
  if (!failed) failed = find_attention(spec, original, &result->attention_factor, error);
  if (failed) return failed;
  const double *factor = (double)spec->context > original ? long_factor : short_factor;
  for (size_t i = 0; i < result->pairs; i++) {
    const long double power = scaling_power(result, spec->base, i, spec->rotary_dim);
    const long double scaled = scaling_round(result, scaling_round(result, factor[i]) * power);
    result->inv_freq[i] = scaling_round(result, 1 / scaled);
  }
  return OK;
}

static const char of_vllm[] = "vLLM multiplies cos and sin by it";

const struct scaling_rule scaling_longrope = {
    .name = "longrope",
    .summary = "LongRoPE: a divisor for each pair, chosen by whether the context is beyond the "
               "original one",
    .source = "Ding et al. 2024, arXiv:2402.13753; Hugging Face transformers, rope_type "
              "\"longrope\"",
    .keys = {{.name = "factor", .kind = SCALING_POSITIVE},
             {.name = "original_max_position_embeddings", .kind = SCALING_POSITIVE},
             {.name = "attention_factor", .kind = SCALING_POSITIVE},
             {.name = "short_mscale", .kind = SCALING_REAL, .ignored = of_vllm},
             {.name = "long_mscale", .kind = SCALING_REAL, .ignored = of_vllm}},
    .lists = {"short_factor", "long_factor"},
    .apply = apply,
    .warn = scaling_warn_ratio,
};

/* Dynamic NTK, as Hugging Face has it: the base grows with the sequence.

   With s the length of the sequence (spec.context) and M the model's context,
   b' = b · (factor·s/M − (factor − 1))^(d/(d−2)) where s > M, and b at all lengths up to M. That is
   not the max(1, s/M) of YaRN's paper, except at factor 1, nor vLLM's rule of this name, which
   takes s = factor·M at every length, nor Qwen's powers of two: scaling_dynamic_qwen.c.

   With `alpha`, the field of HunYuan's configs: b' = b · alpha^(d/(d−2)) at every length. */
#include <math.h>

#include "lib/rope/scaling.h"

static int find_growth(const struct rope_spec *spec, double *growth, struct error *error) {
  *growth = spec_parameter(spec, "alpha");
  if (!isnan(*growth)) return OK;
  const double factor = spec_parameter(spec, "factor"), limit = scaling_limit(spec);
  if (isnan(factor))
    return error_set(error, ERROR_INPUT,
                     "the scaling type 'dynamic' needs the parameter 'factor' or 'alpha'");
  if (isnan(limit))
    return error_set(error, ERROR_INPUT,
                     "the scaling type 'dynamic' needs the parameter 'max_position_embeddings', or "
                     "a model that has a context");
  const double length = fmax((double)spec->context, limit);
  *growth = length > limit ? factor * length / limit - (factor - 1) : 1;
  return OK;
}

static int apply(const struct rope_spec *spec, struct scaling_result *result, struct error *error) {
  double growth;
  const int failed = find_growth(spec, &growth, error);
  return failed ? failed : scaling_grow(spec, growth, result, error);
}

static void warn(const struct rope_spec *spec, struct meta *meta) {
  const double factor = scaling_number(spec, "factor", 1), alpha = spec_parameter(spec, "alpha");
  if (!isnan(alpha) && factor != 1)
    spec_warn(spec, meta, "the alpha %.10g of the dynamic scaling is used, not its factor %.10g",
              alpha, factor);
}

static const char unread[] = "HunYuan's configs hold it, for a rule of the type yarn";

const struct scaling_rule scaling_dynamic = {
    .name = "dynamic",
    .summary = "dynamic NTK of Hugging Face: the base grows with the sequence beyond the model's "
               "context",
    .source = "Hugging Face transformers, rope_type \"dynamic\"; alpha: HunYuan, vLLM",
    .keys = {{.name = "factor", .kind = SCALING_POSITIVE},
             {.name = "alpha", .kind = SCALING_POSITIVE},
             {.name = "max_position_embeddings", .kind = SCALING_POSITIVE},
             {.name = "original_max_position_embeddings",
              .kind = SCALING_POSITIVE,
              .ignored = "Hugging Face and vLLM take max_position_embeddings"},
             {.name = "beta_fast", .kind = SCALING_REAL, .ignored = unread},
             {.name = "beta_slow", .kind = SCALING_REAL, .ignored = unread},
             {.name = "mscale", .kind = SCALING_REAL, .ignored = unread},
             {.name = "mscale_all_dim", .kind = SCALING_REAL, .ignored = unread}},
    .apply = apply,
    .warn = warn,
};

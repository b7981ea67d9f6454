/* Llama 3.1: long wavelengths are interpolated, short ones kept, those between blended. */
#include "lib/rope/scaling.h"

/* With w = 2π/θ and L the original context: θ/factor where w > L/low_freq_factor, θ where
   w < L/high_freq_factor, and (1 − s)·θ/factor + s·θ between, s = (L/w − low)/(high − low). The
   first condition wins where the two overlap (high < low). */
static int apply(const struct rope_spec *spec, struct scaling_result *result, struct error *error) {
  (void)error;
  const long double two_pi = 6.28318530717958647692528676655900577L;
  const long double factor = spec_parameter(spec, "factor");
  const long double low = spec_parameter(spec, "low_freq_factor");
  const long double high = spec_parameter(spec, "high_freq_factor");
  const long double original = spec_parameter(spec, "original_max_position_embeddings");
  for (size_t i = 0; i < result->pairs; i++) {
    const long double turns = original * result->inv_freq[i] / two_pi; /* L/w */
    if (turns > high && turns >= low) continue;
    /* At turns == low == high there is nothing to blend over: that pair is divided. */
    const long double kept = turns < low || high <= low ? 0 : (turns - low) / (high - low);
    result->inv_freq[i] = (1 - kept) * result->inv_freq[i] / factor + kept * result->inv_freq[i];
  }
  return OK;
}

static void warn(const struct rope_spec *spec, struct meta *meta) {
  const double low = spec_parameter(spec, "low_freq_factor");
  const double high = spec_parameter(spec, "high_freq_factor");
  if (high <= low)
    spec_warn(spec, meta,
              "high_freq_factor %.10g is not above low_freq_factor %.10g: no pair is blended", high,
              low);
}

const struct scaling_rule scaling_llama3 = {
    .name = "llama3",
    .summary = "Llama 3.1: long wavelengths divided by factor, short ones kept, a blend between",
    .source = "Llama 3.1 reference code; Hugging Face transformers, rope_type \"llama3\"",
    .keys = {{"factor", true, SCALING_POSITIVE, false},
             {"low_freq_factor", true, SCALING_POSITIVE, false},
             {"high_freq_factor", true, SCALING_POSITIVE, false},
             {"original_max_position_embeddings", true, SCALING_POSITIVE, false}},
    .apply = apply,
    .warn = warn,
};

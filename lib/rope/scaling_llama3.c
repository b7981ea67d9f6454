/* Llama 3.1: long wavelengths are interpolated, short ones kept, those between blended. */
#include "lib/rope/scaling.h"

/* With w = 2π/θ and L the original context: θ/factor where w > L/low_freq_factor, θ where
   w < L/high_freq_factor, and (1 − s)·θ/factor + s·θ between, s = (L/w − low)/(high − low). The
   first condition wins where the two overlap (high < low). */
static int apply(const struct rope_spec *spec, struct scaling_result *result, struct error *error) {
  (void)error;
  const long double two_pi = scaling_round(result, 6.28318530717958647692528676655900577L);
  const double low = spec_parameter(spec, "low_freq_factor");
  const double high = spec_parameter(spec, "high_freq_factor");
  const double original = spec_parameter(spec, "original_max_position_embeddings");
  const long double longest = scaling_round(result, (long double)original / low);
  const long double shortest = scaling_round(result, (long double)original / high);
  result->full_factor = spec_parameter(spec, "factor");
  const long double factor = scaling_round(result, result->full_factor);
  const long double range = scaling_round(result, (long double)high - low);
  for (size_t i = 0; i < result->pairs; i++) {
    const long double inv_freq = result->inv_freq[i];
    const long double wavelength = scaling_round(result, two_pi / inv_freq);
    if (wavelength < shortest && wavelength <= longest) continue;
    /* At equal factors there is nothing to blend over: the pair on the boundary is divided. */
    long double kept = 0;
    if (wavelength <= longest && range > 0) {
      const long double turns = scaling_round(result, (long double)original / wavelength);
      kept =
          scaling_round(result, scaling_round(result, turns - scaling_round(result, low)) / range);
    }
    const long double share = scaling_round(result, scaling_round(result, 1 - kept) * inv_freq);
    const long double divided = scaling_round(result, share / factor);
    result->inv_freq[i] = scaling_round(result, divided + scaling_round(result, kept * inv_freq));
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
    .keys = {{.name = "factor", .required = true, .kind = SCALING_POSITIVE},
             {.name = "low_freq_factor", .required = true, .kind = SCALING_POSITIVE},
             {.name = "high_freq_factor", .required = true, .kind = SCALING_POSITIVE},
             {.name = "original_max_position_embeddings",
              .required = true,
              .kind = SCALING_POSITIVE}},
    .apply = apply,
    .warn = warn,
};

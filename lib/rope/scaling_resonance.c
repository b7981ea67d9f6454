/* Resonance RoPE: wavelengths become whole numbers of tokens, so that a pair repeats exactly. */
#include <math.h>

#include "lib/rope/scaling.h"

/* λ' = λ rounded to the nearest whole number, halves to the even one; θ' = 2π/λ'. */
static int apply(const struct rope_spec *spec, struct scaling_result *result, struct error *error) {
  const long double two_pi = scaling_round(result, 6.28318530717958647692528676655900577L);
  for (size_t i = 0; i < result->pairs; i++) {
    const long double wavelength = scaling_round(result, two_pi / result->inv_freq[i]);
    const long double whole = wavelength - remainderl(wavelength, 1);
    if (!(whole >= 1))
      return error_set(error, ERROR_INPUT,
                       "pair %zu of the base %.10g has the wavelength %.10Lg: the scaling type "
                       "'resonance' needs at least 1 token",
                       i, spec->base, wavelength);
    result->inv_freq[i] = scaling_round(result, two_pi / whole);
  }
  return OK;
}

const struct scaling_rule scaling_resonance = {
    .name = "resonance",
    .summary = "Resonance RoPE: wavelengths rounded to whole tokens",
    .source = "Wang et al. 2024, arXiv:2403.00071",
    .foreign = true,
    .apply = apply,
};

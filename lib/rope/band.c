#include "lib/rope/band.h"

#include <math.h>

static const char kept[] = "kept", divided[] = "divided", blended[] = "blended", zero[] = "zero";

const char *band_name(enum band band) {
  static const char *const names[] = {kept, divided, blended, zero};
  return names[band];
}

const char *const *band_names(void) {
  static const char *const names[] = {kept, blended, divided, zero, NULL};
  return names;
}

double spectrum_factor(const struct spectrum *spectrum, size_t pair) {
  return spectrum->inv_freq_double[pair] > 0 ? spectrum->factor[pair] : INFINITY;
}

enum band spectrum_band(const struct spectrum *spectrum, size_t pair) {
  const double tolerance = spectrum->roundoff;
  const double factor = spectrum_factor(spectrum, pair), full = spectrum->full_factor;
  if (isinf(factor)) return BAND_ZERO;
  if (fabs(factor - 1) <= tolerance) return BAND_KEPT;
  return fabs(factor - full) <= tolerance * full ? BAND_DIVIDED : BAND_BLENDED;
}

size_t spectrum_critical_dim(const struct spectrum *spectrum, double context) {
  const double two_pi = 6.28318530717958647692528676655900577;
  size_t dim = 0;
  for (size_t i = 0; i < spectrum->pairs; i++)
    if (spectrum->inv_freq[i] > 0 && context * spectrum->plain[i] > two_pi) dim += 2;
  return dim;
}

#include "lib/analysis/certificate_bound.h"

#include <math.h>

double bound_entry(enum precision precision) {
  if (precision == PRECISION_FP64) return BOUND_DOUBLE;
  return precision_roundoff(precision) / 2 + BOUND_DOUBLE;
}

double bound_defect(enum precision precision) {
  const double t = bound_entry(precision);
  return 2 * BOUND_SQRT2 * t + 2 * t * t;
}

/* h */
static const double half_smallest[PRECISION_COUNT] = {
    [PRECISION_FP64] = 0, /* below the smallest double */
    [PRECISION_FP32] = 0x1p-150, [PRECISION_TF32] = 0x1p-137,
    [PRECISION_BF16] = 0x1p-134, [PRECISION_FP16] = 0x1p-25,
};

double bound_rounding(const struct spectrum *spectrum, enum precision precision, size_t pair,
                      int64_t position) {
  if (precision == PRECISION_FP64) return 2 * BOUND_DOUBLE;
  const double frequency = precision_round(precision, spectrum->inv_freq_double[pair]);
  const double rounded = precision_round(precision, (double)position);
  const double product = fabs(frequency * rounded);
  return fabs(rounded - (double)position) * frequency +
         fmax(precision_roundoff(precision) * product, product > 0 ? half_smallest[precision] : 0);
}

double bound_frequency(const struct spectrum *spectrum, enum precision precision, size_t pair,
                       int64_t position) {
  const double frequency = spectrum->inv_freq_double[pair], distance = fabs((double)position);
  if (frequency == 0) return 0;
  if (precision == PRECISION_FP64) return distance * (0x1.921fb54442d19p-63 + frequency * 0x1p-63);
  const double roundoff = precision_roundoff(precision) + BOUND_DOUBLE;
  return distance * fmax(roundoff * frequency, half_smallest[precision]);
}

double bound_consistent(const struct spectrum *spectrum, enum precision precision, size_t pair,
                        int64_t position) {
  const double angle = bound_rounding(spectrum, precision, pair, position);
  return BOUND_SQRT2 * bound_entry(precision) + fmin(angle, 2);
}

double bound_absolute(const struct spectrum *spectrum, enum precision precision, size_t pair,
                      int64_t position) {
  const double angle = bound_rounding(spectrum, precision, pair, position) +
                       bound_frequency(spectrum, precision, pair, position);
  return BOUND_SQRT2 * bound_entry(precision) + fmin(angle, 2);
}

bool bound_holds(const struct spectrum *spectrum, enum precision precision, int64_t position) {
  if (precision == PRECISION_FP64) return true;
  const double rounded = precision_round(precision, (double)position);
  if (!isfinite(rounded)) return false;
  for (size_t i = 0; i < spectrum->pairs; i++) {
    const double frequency = precision_round(precision, spectrum->inv_freq_double[i]);
    if (!isfinite(precision_round(precision, frequency * rounded))) return false;
  }
  return true;
}

long double bound_true_angle(const struct spectrum *spectrum, size_t pair, int64_t position) {
  /* 2π as a long double and what is missing from it; the product likewise. */
  const long double turn = 0xc.90fdaa22168c235p-1L, turn_rest = -0x1.d9cceba3f91f1976p-64L;
  const long double m = (long double)position, frequency = spectrum->inv_freq[pair];
  const long double product = m * frequency, product_rest = fmal(m, frequency, -product);
  const long double turns = rintl(product / turn);
  return fmal(-turns, turn, product) - turns * turn_rest + product_rest;
}

double bound_reach(const struct spectrum *spectrum, int64_t position) {
  double reach = 0;
  for (size_t i = 0; i < spectrum->pairs; i++)
    reach = fmax(reach, 2 * fabs(sin((double)bound_true_angle(spectrum, i, position) / 2)));
  return reach;
}

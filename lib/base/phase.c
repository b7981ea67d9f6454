#include "lib/base/phase.h"

#include <math.h>

static const long double two_pi = 6.28318530717958647692528676655900577L;

uint64_t phase_step(long double inv_freq) {
  const long double turns = inv_freq / two_pi, fraction = turns - floorl(turns);
  const long double units = roundl(ldexpl(fraction, 64));
  return units >= 18446744073709551616.0L ? 0 : (uint64_t)units;
}

void phase_cos_sin(uint64_t phase, double *cosine, double *sine) {
  /* The nearest quarter turn, and what is left of it: at most an eighth of a turn either way. */
  const unsigned quarter = (unsigned)((phase + (UINT64_C(1) << 61)) >> 62) & 3;
  const int64_t rest = (int64_t)(phase - ((uint64_t)quarter << 62));
  const double angle = (double)rest * 3.40612158008655459e-19; /* 2π / 2^64 */
  const double c = cos(angle), s = sin(angle);
  *cosine = quarter == 0 ? c : quarter == 1 ? -s : quarter == 2 ? -c : s;
  *sine = quarter == 0 ? s : quarter == 1 ? c : quarter == 2 ? -s : -c;
}

double phase_angle(uint64_t phase) {
  const double angle = (double)phase * 3.40612158008655459e-19;
  return angle < (double)two_pi ? angle : 0;
}

static double rounded_product(enum precision precision, double inv_freq, int64_t position) {
  const double frequency = precision_round(precision, inv_freq);
  return precision_round(precision, frequency * precision_round(precision, (double)position));
}

void phase_cos_sin_rounded(enum precision precision, uint64_t step, double inv_freq,
                           int64_t position, double *cosine, double *sine) {
  if (precision == PRECISION_FP64) {
    phase_cos_sin(phase_at(step, position), cosine, sine);
    return;
  }
  const double angle = rounded_product(precision, inv_freq, position);
  *cosine = precision_round(precision, cos(angle));
  *sine = precision_round(precision, sin(angle));
}

double phase_angle_rounded(enum precision precision, uint64_t step, double inv_freq,
                           int64_t position) {
  if (precision == PRECISION_FP64) return phase_angle(phase_at(step, position));
  /* Many turns are taken off: 2π must be better than double for what is left to be right. */
  const long double rest = fmodl(rounded_product(precision, inv_freq, position), two_pi);
  const double angle = (double)(rest < 0 ? rest + two_pi : rest);
  return angle >= (double)two_pi ? 0 : angle;
}

/* Phases: angles reduced exactly before any sine is taken.

   The angle of a pair at an integer position is kept as a fraction of a turn in fixed point: 2^64
   units make one turn, so that position × step wraps by itself and never drifts. A step is rounded
   once, to 2^-65 turns: at position 2^31 the angle is off by less than 4e-10 radians. */
#ifndef ROPETOOL_BASE_PHASE_H
#define ROPETOOL_BASE_PHASE_H

#include <stdint.h>

#include "lib/base/precision.h"

/* Largest inverse frequency for which a step is exact enough to be of use, radians per token. */
#define PHASE_MAXIMUM 1048576.0

/* Turns per token × 2^64 of an inverse frequency in [0, PHASE_MAXIMUM] radians per token. */
uint64_t phase_step(long double inv_freq);

/* The phase of a signed position. */
static inline uint64_t phase_at(uint64_t step, int64_t position) {
  return step * (uint64_t)position;
}

/* cos and sin of a phase; each is within 1.5 units of 2^-53 of the truth. */
void phase_cos_sin(uint64_t phase, double *cosine, double *sine);

/* The phase as an angle in [0, 2π) radians. */
double phase_angle(uint64_t phase);

/* cos and sin as an implementation in `precision` has them: inverse frequency, position, their
   product and both results each rounded to the format. PRECISION_FP64 takes the exact phase
   instead. */
void phase_cos_sin_rounded(enum precision precision, uint64_t step, double inv_freq,
                           int64_t position, double *cosine, double *sine);

/* The angle that such an implementation takes, modulo 2π, in [0, 2π) radians. */
double phase_angle_rounded(enum precision precision, uint64_t step, double inv_freq,
                           int64_t position);

#endif

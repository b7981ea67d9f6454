/* Error bounds of a rotation in a number format: where a certificate's tolerances come from.

   u is the unit roundoff of the format (2^-53, 2^-24, 2^-11, 2^-8), h half of its smallest number
   (the error of one rounding below the normal range), and e = 2^-53 the unit roundoff of the double
   arithmetic that the checks use themselves.

   Entries, t. Below 1 a number is rounded by at most u/2, and 1 is a number of every format; the
   mathematical library is off by less than e. So a cosine or sine is within t = u/2 + e of that of
   the angle taken (fp64: t = e), and as a point of the plane, z = c + is is within √2·t of the unit
   circle: | |z| − 1 | <= √2·t, |c² + s² − 1| <= 2√2·t + 2t².

   Angles, a = r + f. The angle taken for m·θ is round(round(θ)·round(m)).
   - r, "rounding": from m·round(θ) it is off by |round(m) − m|·round(θ) (nothing where the format
     holds m) and by the rounding of the product, max(u·round(θ)·|round(m)|, h). In fp64 the phase
   is exact; an eighth of a turn at most is rounded twice and multiplied by a rounded 2π: 1.9e < 2e.
   - f, "frequency": |m|·max((u + e)·θ, h) from rounding θ. In fp64 a step is within 2^-65 turns,
   its own computation within θ/2π·2^-63: |m|·(2π·2^-65 + θ·2^-63). Checks that compare rotations
   with one another (R_m·R_n with R_{m+n}) share round(θ): only r counts.

   Rotations, √2·t + a: the distance of z from exp(i·m·θ); a chord is no longer than its arc and no
   longer than 2. */
#ifndef ROPETOOL_ANALYSIS_CERTIFICATE_BOUND_H
#define ROPETOOL_ANALYSIS_CERTIFICATE_BOUND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/precision.h"
#include "lib/rope/spectrum.h"

#define BOUND_DOUBLE 0x1p-53           /* e */
#define BOUND_SQRT2  1.414213562373096 /* √2, rounded up */

/* t of the format. */
double bound_entry(enum precision precision);

/* |c² + s² − 1| of a pair: 2√2·t + 2t². */
double bound_defect(enum precision precision);

/* r and f of pair `pair` at a position of either sign, radians. */
double bound_rounding(const struct spectrum *spectrum, enum precision precision, size_t pair,
                      int64_t position);
double bound_frequency(const struct spectrum *spectrum, enum precision precision, size_t pair,
                       int64_t position);

/* √2·t + r, and √2·t + r + f: distances in the plane of a pair. */
double bound_consistent(const struct spectrum *spectrum, enum precision precision, size_t pair,
                        int64_t position);
double bound_absolute(const struct spectrum *spectrum, enum precision precision, size_t pair,
                      int64_t position);

/* Whether the format holds the position and all its angles, as finite numbers. */
bool bound_holds(const struct spectrum *spectrum, enum precision precision, int64_t position);

/* m·θ of a pair, reduced to [−π, π] in extended precision: a road of its own, without the
   fixed-point steps that the rotation itself uses. Within 1e-18 radians where |m·θ| < 2^60. */
long double bound_true_angle(const struct spectrum *spectrum, size_t pair, int64_t position);

/* ‖R_m − I‖₂ = 2·max_i |sin(m·θ_i / 2)|: what a rotation that does not rotate is off by. */
double bound_reach(const struct spectrum *spectrum, int64_t position);

#endif

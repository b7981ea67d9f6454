/* The rotation as a matrix: R_m, dim × dim, as RoFormer writes it (arXiv:2104.09864 eq. 15). */
#ifndef ROPETOOL_ROPE_ROTATION_H
#define ROPETOOL_ROPE_ROTATION_H

#include <stdint.h>

#include "lib/base/layout.h"
#include "lib/base/precision.h"
#include "lib/rope/spectrum.h"

/* Fills `matrix`, (row, column) of head_dim each, with R_m at m = `position` (of either sign). The
   dimensions a, b of pair i, by `layout`, hold

     (R_aa  R_ab)   (cos m·θ_i  −sin m·θ_i)
     (R_ba  R_bb) = (sin m·θ_i   cos m·θ_i)

   dimensions from 2·pairs on the identity, all else zeros. Angles and entries are those of an
   implementation in `precision` (lib/base/phase.h); layout, precision and attention factor of the
   spectrum play no part. */
void rotation_matrix(const struct spectrum *spectrum, enum layout layout, enum precision precision,
                     int64_t position, double *matrix);

#endif

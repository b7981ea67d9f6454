/* Certificates: lists of checks with value, tolerance and status.

   The rotation of a spectrum is proved on real dim × dim matrices, at positions sampled up to the
   end of the context and in several number formats. Nothing is taken from the closed form of the
   rotation but the tolerances. */
#ifndef ROPETOOL_ANALYSIS_CERTIFICATE_H
#define ROPETOOL_ANALYSIS_CERTIFICATE_H

#include <stddef.h>
#include <stdint.h>

#include "kernels/backend.h"
#include "lib/base/error.h"
#include "lib/io/table.h"
#include "lib/rope/spectrum.h"

/* Dense proofs cost O(dim³) a position; heads are 64 to 512 wide. */
#define CERTIFICATE_DIM_MAXIMUM      1024
#define CERTIFICATE_POSITION_MAXIMUM (INT64_C(1) << 53)
#define CERTIFICATE_SAMPLES_MAXIMUM  1000

/* A maker of the matrix under proof: lib/rope/rotation.h says what is expected of it. It is called
   from several threads. */
typedef void certificate_matrix(const struct spectrum *spectrum, enum layout layout,
                                enum precision precision, int64_t position, double *matrix);

struct certificate_request {
  const struct spectrum *spectrum;
  int64_t max_position;             /* positions are sampled in 0 .. max_position */
  size_t samples;                   /* so many more, evenly spaced in the logarithm; 0, or 2 and
                                       more: a curve that a figure draws needs them */
  const enum precision *precisions; /* (precision) the formats to certify */
  size_t precision_count;
  uint64_t seed;              /* of the vectors and of two of the positions */
  certificate_matrix *matrix; /* what is proved; NULL: rotation_matrix */
};

/* Columns check,position,value,tolerance,unit,status,detail; one row for each check, precision and
   position, in this order (position is a real column: empty in notes). `detail` starts with the
   precision's name and says how the tolerance comes from unit roundoff, dimension and position.

   status  pass     value <= tolerance
           fail     not so (a NaN too)
           vacuous  value <= tolerance, but so would be the value of a rotation with a plain fault:
                    the check proves nothing there
           note     a fact to know, nothing was checked

   meta: the resolved spectrum (precision: null when there are several); max_position, samples,
   positions, dense_positions (of the two costliest checks), precisions, vectors, seed; the counts
   passed, failed, vacuous, notes; reading (how to read it). Failed checks are rows, not errors.
   ERROR_INPUT: a head wider than CERTIFICATE_DIM_MAXIMUM, a max_position outside 0 ..
   CERTIFICATE_POSITION_MAXIMUM, one sample or more than CERTIFICATE_SAMPLES_MAXIMUM, no precision.
 */
int certificate_run(struct backend *backend, const struct certificate_request *request,
                    struct table **table, struct error *error);

const char *certificate_check_name(size_t index); /* NULL past the end */

/* The index of the check that is called so. ERROR_INPUT: there is none, or it has no curves. */
int certificate_find_curves(const char *name, size_t *check, struct error *error);
const char *certificate_quantity(size_t check); /* for an axis: "|det R − 1|"; NULL: no curves */

/* One check of a certificate as curves over position. `curves` has the columns
   precision,position,value,unproved,tolerance: of rows that prove nothing the value is in
   `unproved`, beside those that lead there. `failed` has position,value of the rows that fail; NULL
   when none does. Both are the caller's. */
int certificate_curves(const struct table *certificate, size_t check, struct table **curves,
                       struct table **failed, struct error *error);

#endif

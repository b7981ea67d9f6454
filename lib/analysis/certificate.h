/* Certificates: lists of checks with value, tolerance and status. */
#ifndef ROPETOOL_ANALYSIS_CERTIFICATE_H
#define ROPETOOL_ANALYSIS_CERTIFICATE_H

#include <stddef.h>
#include <stdint.h>

#include "kernels/backend.h"
#include "lib/base/error.h"
#include "lib/io/table.h"
#include "lib/rope/spectrum.h"

struct certificate_request {
  const struct spectrum *spectrum;
  int64_t max_position;             /* positions are sampled in 0 .. max_position */
  const enum precision *precisions; /* (precision) the formats to certify */
  size_t precision_count;
  uint64_t seed; /* of the vectors */
};

/* Columns check,position,value,tolerance,unit,status,detail; status pass, fail, vacuous or note.
   meta: positions sampled, counts of each status under "passed", "failed", "vacuous". Tolerances
   follow from the unit roundoff, the dimension and the position; "detail" says how. */
int certificate_run(struct backend *backend, const struct certificate_request *request,
                    struct table **table, struct error *error);

#endif

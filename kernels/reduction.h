/* How many scores become one cell: see enum reduction in kernels/backend.h. NaN stays NaN. */
#ifndef ROPETOOL_KERNELS_REDUCTION_H
#define ROPETOOL_KERNELS_REDUCTION_H

#include "kernels/backend.h"

struct reduction_rule {
  double identity;                                      /* joins without changing anything */
  double (*segment)(const double *value, size_t count); /* of neighbours, at least one */
  double (*join)(double a, double b);                   /* of two partial results */
  void (*fold)(double *result, const double *value, size_t count); /* joins element by element */
  bool mean; /* divide the end result by the number of values */
};

const struct reduction_rule *reduction_rule(enum reduction reduction);

#endif

/* How many scores become one cell: see enum reduction in kernels/backend.h. NaN stays NaN. */
#ifndef ROPETOOL_KERNELS_REDUCTION_H
#define ROPETOOL_KERNELS_REDUCTION_H

#include "kernels/backend.h"

struct reduction_rule {
  double (*segment)(const double *value, size_t count); /* of count >= 1 neighbours */
  double (*join)(double a, double b);                   /* of two partial results */
  bool mean; /* divide the end result by the number of values */
};

const struct reduction_rule *reduction_rule(enum reduction reduction);

#endif

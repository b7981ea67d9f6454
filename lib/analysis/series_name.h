/* Names of series: what a table, a legend and the meta data call each. */
#ifndef ROPETOOL_ANALYSIS_SERIES_NAME_H
#define ROPETOOL_ANALYSIS_SERIES_NAME_H

#include <stddef.h>

#include "lib/rope/spectrum.h"

enum { SERIES_NAME = SPEC_LABEL + 320 };

/* The name of series `index` of `count`: its label, with what tells it from others of that label
   (layer type, dimensions, base, scaling, precision); without a label, "d=128 b=10000" with what is
   not plain after it. Names are distinct: "(2)" follows the second of two that are the same. */
void series_name(struct spectrum *const *series, size_t count, size_t index,
                 char name[SERIES_NAME]);

#endif

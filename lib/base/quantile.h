/* Quantiles of numbers in memory. */
#ifndef ROPETOOL_BASE_QUANTILE_H
#define ROPETOOL_BASE_QUANTILE_H

#include <stddef.h>

/* The quantile `level`, 0..1, of `count` > 0 values, none of them NaN, whose order is changed:
   between the sorted values ⌊h⌋ and ⌊h⌋ + 1 for h = level · (count − 1), NumPy's default rule. */
double quantile_select(double *value, size_t count, double level);

/* What it takes between two neighbours: `share`, 0..1, of the way from one to the other. */
double quantile_between(double below, double above, double share);

#endif

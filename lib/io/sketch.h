/* A few numbers by which results can be compared that differ in their last digits: another
   processor, OpenBLAS or libm has others. */
#ifndef ROPETOOL_IO_SKETCH_H
#define ROPETOOL_IO_SKETCH_H

#include <stdbool.h>

#include "lib/base/error.h"
#include "lib/io/matrix.h"
#include "lib/io/meta.h"
#include "lib/io/table.h"

/* Fills `sketch` with

   sums          at most 64 sums with random weights, 3/4 to 5/4 of either sign: Σ ±w·x / (largest
                 |x| of the column or map) over a run of successive numbers, divided by the root of
                 how many the run has;
   largest_log2  of each column of reals, or of the map: log2 of the largest finite |x|;
   exact         SHA-256 of all else: names, texts, whole numbers, and what is not finite.

   Numbers that are off by ε times the largest change a sum by about ε in the root mean square, so
   that what is small beside the largest counts little. ERROR_FAILED: memory is out. */
int sketch_table(const struct table *table, struct meta *sketch, struct error *error);
int sketch_matrix(const struct matrix *matrix, struct meta *sketch, struct error *error);

/* How far sums and logarithms may differ: float arithmetic stays below. */
#define SKETCH_TOLERANCE 2e-5

/* False where there is none (NULL). */
bool sketch_agree(const struct meta *a, const struct meta *b);

#endif

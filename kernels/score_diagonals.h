/* Scores by distance query − key: sums, sums of squares, and a histogram of each distance.

   Threads work on blocks of rows. Each sums the diagonals of its block in room of its own; blocks
   are then joined in one order, so the result is the same for any number of threads. The histogram
   counts: its order does not matter, and threads share it. */
#ifndef ROPETOOL_KERNELS_SCORE_DIAGONALS_H
#define ROPETOOL_KERNELS_SCORE_DIAGONALS_H

#include "kernels/backend.h"
#include "kernels/score_part.h"

struct diagonals;

/* The smallest and the largest finite score. */
struct score_range {
  double low, high;
};

/* For the profile and the sums of `batch`; `range`: of the histogram, if one is wanted. NULL with
   the error filled when memory is out. */
struct diagonals *diagonals_open(const struct score_batch *batch, struct score_range range,
                                 struct error *error);
void diagonals_close(struct diagonals *diagonals);

/* Doubles that a thread needs for blocks of at most `rows` rows. */
size_t diagonals_room(const struct score_batch *batch, size_t rows);

/* `room` belongs to one block of rows from start to join; `value` is room for PART_KEYS. */
void diagonals_start(const struct diagonals *diagonals, size_t rows, double *room);
void diagonals_add(struct diagonals *diagonals, const struct score_part *part, double *value,
                   double *room);
void diagonals_join(struct diagonals *diagonals, size_t row_end, size_t rows, const double *room);

/* Fills what the batch asks for, but of `symmetric` of the sums only what the bias makes of it: see
   score_symmetric_cpu.c. */
void diagonals_finish(const struct diagonals *diagonals);

/* Widens the range by the finite scores of a part. */
void score_range_add(struct score_range *range, const struct score_part *part, double *value);

#endif

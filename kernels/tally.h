/* The minimum and the first negative one of a sequence of sums that is seen piece by piece. */
#ifndef ROPETOOL_KERNELS_TALLY_H
#define ROPETOOL_KERNELS_TALLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TALLY_NONE SIZE_MAX

/* Indices count from the start of the sequence. */
struct tally {
  double minimum;        /* NaN as soon as there is one; INFINITY before the first */
  size_t minimum_at;     /* the first that is as low, or the first NaN; TALLY_NONE before */
  size_t first_negative; /* TALLY_NONE: none */
};

struct tally tally_start(void);

/* Takes the `count` values that start at index `at`, which follow those seen so far. With `stop`
   nothing behind the first negative one is taken, now or later. */
void tally_add(struct tally *tally, const double *value, size_t at, size_t count, bool stop);

/* Takes the tally of what follows, started by itself. */
void tally_join(struct tally *tally, const struct tally *next, bool stop);

#endif

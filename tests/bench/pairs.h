/* What the benches of the engine share: work timed beside its limit, in turn, so that both see the
   same machine; in processor time, so that other programs disturb little. */
#ifndef ROPETOOL_TESTS_BENCH_PAIRS_H
#define ROPETOOL_TESTS_BENCH_PAIRS_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { PAIRS_REPEATS = 15 };

/* Processor time of all threads. */
static inline double pairs_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static inline int pairs_ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* A function that does the work once, and its argument. */
struct bench_work {
  const char *name;
  void (*run)(void *argument);
  void *argument;
};

/* Prints a line each for the limit and the work: terms a second, by the median time; and the median
   of the ratios with their range. The first of the runs only warms up. */
static inline void pairs_time(const struct bench_work *limit, const struct bench_work *work,
                              double terms) {
  double limits[PAIRS_REPEATS], works[PAIRS_REPEATS], ratios[PAIRS_REPEATS];
  for (int r = -1; r < PAIRS_REPEATS; r++) {
    const int at = r < 0 ? 0 : r;
    double start = pairs_seconds();
    limit->run(limit->argument);
    limits[at] = pairs_seconds() - start;
    start = pairs_seconds();
    work->run(work->argument);
    works[at] = pairs_seconds() - start;
    ratios[at] = limits[at] / works[at];
  }
  qsort(limits, PAIRS_REPEATS, sizeof *limits, pairs_ascending);
  qsort(works, PAIRS_REPEATS, sizeof *works, pairs_ascending);
  qsort(ratios, PAIRS_REPEATS, sizeof *ratios, pairs_ascending);
  const int middle = PAIRS_REPEATS / 2;
  printf("%-28s %10.4g terms/s\n", limit->name, terms / limits[middle]);
  printf("%-28s %10.4g terms/s  %.3f of it (%.3f to %.3f)\n", work->name, terms / works[middle],
         ratios[middle], ratios[0], ratios[PAIRS_REPEATS - 1]);
}

#endif

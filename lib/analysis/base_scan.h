/* Inside of the base search: where in an interval of bases no distance has a negative cosine sum,
   proved by branch and bound. Works in t = ln base. */
#ifndef ROPETOOL_ANALYSIS_BASE_SCAN_H
#define ROPETOOL_ANALYSIS_BASE_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/analysis/base_window.h"
#include "lib/base/error.h"

/* Distances first .. last, both included; none when last < first. */
struct distances {
  int64_t first, last;
};

/* A part of the interval that is still open: nothing there is proved to be negative. */
struct base_gap {
  double low, high;
  struct base_root root; /* that ends at `low` what is negative before it; distance 0: none does */
};

/* What a scan found, and its memory, for one thread. */
struct base_scan {
  struct base_window window, probe;
  bool last; /* looks for the last base at which a sum is negative, else for all of them */
  size_t gaps, gap_room;
  struct base_gap *gap; /* (gap) ascending */
  /* Places where a sum may be negative, or may not: the bounds do not tell. */
  size_t doubts, doubt_room;
  struct base_doubt {
    double low, high;
  } * doubt; /* (doubt) in no order */
  struct base_boxes {
    size_t count, room;
    struct distances *box;
  } kept, /* what is not settled, of the windows around the present one and then of itself */
      todo;
  struct base_batch *batch;
};

/* ERROR_FAILED: memory. */
int base_scan_create(struct backend *backend, size_t pairs, struct base_scan *scan,
                     struct error *error);
void base_scan_release(struct base_scan *scan);

/* Opens [low, high], at most 1 wide, and closes what is negative for one of the distances: all such
   parts, or with `last` everything before the end of the last of them. What stays open and is not
   in doubt is proved to be negative for none. */
int base_scan_run(struct base_scan *scan, double low, double high, bool last,
                  struct distances distances, struct error *error);

/* The end of the doubts that begin at t or before it, as far as they hang together; with `last`, of
   all that are after t. */
double base_scan_sure(const struct base_scan *scan, double t);

#endif

/* How fast the operations of kernels/backend.h are, and how near to what the machine can do: each
   is measured beside a limit (struct limit_batch) in the same run.

   A run of the operation and one of its limit follow each other, again and again, so that both see
   the same machine; `share` is the median over these pairs of the limit's time divided by the
   operation's. Columns:

     operation, precision, shape, device, threads, runs
     seconds_median, seconds_min, seconds_max  of the operation: on one thread of the CPU the
                         processor's time, which other programs disturb little; else the clock's
     elements            what is counted, see docs/commands.md
     elements_per_second by the median
     limit               roots, copy, product, multiply_add: loops of nothing else, for as many
                         elements; "one thread": the operation itself; empty: none
     limit_per_second    elements, by the limit's median; of a GPU by the device's own clock,
                         without the way of arrays to it and back, which operations are timed
                         with: meta.limits is "the device alone" then
     share               of the limit; against one thread: how many times as fast
     working_memory      bytes that a run holds at most beside its input and output arrays; empty
                         where the system does not say */
#ifndef ROPETOOL_ANALYSIS_BENCH_H
#define ROPETOOL_ANALYSIS_BENCH_H

#include "kernels/backend.h"
#include "lib/io/table.h"

struct bench_request {
  struct backend *backend;
  const char *operations; /* comma list of names, or of their first words; NULL: all */
  bool quick;             /* small shapes: shows that it works, not how fast */
  int threads;            /* of operations and limits; more than one: rows against one, too */
  size_t runs;            /* pairs that are timed, at least 1; one more comes before them */
};

/* ERROR_INPUT: an unknown operation. Leaves `threads` threads in use. */
int bench_run(const struct bench_request *request, struct table **result, struct error *error);

/* What may be asked for: the operations, then the limits; NULL past the end. */
const char *bench_name_at(size_t index);

#endif

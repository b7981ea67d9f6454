/* The memory that a run holds at most, as Linux counts it. */
#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/analysis/bench_operation.h"

/* A line of /proc/self/status in bytes; NaN when it is not there. */
static double read_status(const char *name) {
  FILE *file = fopen("/proc/self/status", "re");
  const size_t length = strlen(name);
  char line[256];
  double value = NAN;
  unsigned long kib;
  while (file && isnan(value) && fgets(line, sizeof line, file))
    if (!strncmp(line, name, length) && sscanf(line + length, ": %lu kB", &kib) == 1)
      value = 1024.0 * (double)kib;
  if (file) fclose(file);
  return value;
}

double bench_memory_start(void) {
  malloc_trim(0); /* what was released before must not serve this run unseen */
  FILE *file = fopen("/proc/self/clear_refs", "we");
  if (!file) return NAN;
  const int written = fputc('5', file);
  const int closed = fclose(file);
  return written == '5' && !closed ? read_status("VmRSS") : NAN;
}

double bench_memory_peak(double start) {
  return fmax(read_status("VmHWM") - start, start - start); /* NaN stays NaN */
}

/* The rate of the decay bound against its limit: a vectorised loop of as many square roots and
   nothing else.

     bench_decay [DIM [DISTANCES]]        default 128 1048576; one thread, best of 5

   prints a line each: what, terms per second, ratio to the roots. A term is one |S_j(m)|. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "kernels/backend.h"
#include "kernels/cpu.h"
#include "lib/base/memory.h"
#include "lib/base/phase.h"
#include "lib/base/thread.h"

enum { REPEATS = 5, CACHED = 1024 };

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Adds the roots of CACHED numbers to `sum`, which the compiler cannot leave out. */
VECTOR_CLONES
static void add_roots(const double *restrict value, double *restrict sum) {
#pragma omp simd
  for (size_t i = 0; i < CACHED; i++)
    sum[i] += sqrt(value[i]);
}

static double time_roots(size_t terms, double *checksum) {
  static _Alignas(64) double value[CACHED], sum[CACHED];
  for (size_t i = 0; i < CACHED; i++)
    value[i] = (double)i + 1.5;
  double best = INFINITY;
  for (int r = 0; r < REPEATS; r++) {
    const double start = seconds();
    for (size_t done = 0; done < terms; done += CACHED)
      add_roots(value, sum);
    best = fmin(best, seconds() - start);
  }
  *checksum = sum[CACHED - 1];
  return best;
}

static double time_decay(struct backend *backend, size_t pairs, size_t count, double *checksum) {
  struct error error = {OK, ""};
  uint64_t *step = memory_array(pairs, sizeof *step, "steps", &error);
  int64_t *distance = memory_array(count, sizeof *distance, "distances", &error);
  double *bound = memory_array(count, sizeof *bound, "bounds", &error), best = INFINITY;
  for (size_t i = 0; step && i < pairs; i++)
    step[i] = phase_step(powl(10000, -(long double)i / (long double)pairs));
  for (size_t d = 0; distance && d < count; d++)
    distance[d] = (int64_t)d;
  const struct decay_batch batch = {
      .phases = {.series = 1, .pairs = pairs, .step = step, .precision = PRECISION_FP64},
      .count = count,
      .distance = distance,
      .bound = bound,
  };
  for (int r = 0; r < REPEATS && bound; r++) {
    const double start = seconds();
    if (backend_decay_bound(backend, &batch, &error)) break;
    best = fmin(best, seconds() - start);
  }
  if (error.code) fprintf(stderr, "bench_decay: %s\n", error.message);
  *checksum = bound && !error.code ? bound[count - 1] : NAN;
  free(step);
  free(distance);
  free(bound);
  return best;
}

int main(int argc, char **argv) {
  const size_t pairs = (argc > 1 ? strtoul(argv[1], NULL, 10) : 128) / 2;
  const size_t count = argc > 2 ? strtoul(argv[2], NULL, 10) : 1048576;
  struct error error;
  struct backend *backend;
  thread_use(1);
  if (!pairs || !count || backend_open("cpu", &backend, &error)) return 1;
  const double terms = (double)pairs * (double)count;
  double roots_sum, decay_sum;
  const double roots = time_roots(pairs * count, &roots_sum);
  const double decay = time_decay(backend, pairs, count, &decay_sum);
  backend_close(backend);
  printf("square roots  %.4g terms/s  1 (checksum %.17g)\n", terms / roots, roots_sum);
  printf("decay bound   %.4g terms/s  %.3f (checksum %.17g)\n", terms / decay, roots / decay,
         decay_sum);
  return isnan(decay_sum);
}

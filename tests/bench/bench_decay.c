/* The rate of the decay bound against its limit: a vectorised loop of as many square roots in the
   same precision, and nothing else.

     bench_decay [DIM [DISTANCES]]        default 128 1048576; one thread

   prints terms a second and ratios for double and for single. A term is one |S_j(m)|. */
#include "kernels/backend.h"
#include "kernels/cpu.h"
#include "lib/base/memory.h"
#include "lib/base/phase.h"
#include "lib/base/thread.h"
#include "tests/bench/pairs.h"

enum { CACHED = 1024 };

struct roots {
  size_t terms;
  double value[CACHED], sum[CACHED];
  float value_single[CACHED], sum_single[CACHED];
};

/* Adds the roots of CACHED numbers to sums that are printed: the compiler cannot leave them out. */
VECTOR_CLONES
static void add_roots(const double *restrict value, double *restrict sum) {
#pragma omp simd
  for (size_t i = 0; i < CACHED; i++)
    sum[i] += sqrt(value[i]);
}

VECTOR_CLONES
static void add_roots_single(const float *restrict value, float *restrict sum) {
#pragma omp simd
  for (size_t i = 0; i < CACHED; i++)
    sum[i] += sqrtf(value[i]);
}

static void run_roots(void *argument) {
  struct roots *roots = argument;
  for (size_t done = 0; done < roots->terms; done += CACHED)
    add_roots(roots->value, roots->sum);
}

static void run_roots_single(void *argument) {
  struct roots *roots = argument;
  for (size_t done = 0; done < roots->terms; done += CACHED)
    add_roots_single(roots->value_single, roots->sum_single);
}

struct decay {
  struct backend *backend;
  struct decay_batch batch;
  struct error error;
};

static void run_decay(void *argument) {
  struct decay *decay = argument;
  backend_decay_bound(decay->backend, &decay->batch, &decay->error);
}

static void time_precision(struct roots *roots, struct decay *decay, bool single) {
  const struct bench_work limit = {single ? "square roots, single" : "square roots, double",
                                   single ? run_roots_single : run_roots, roots};
  const struct bench_work work = {single ? "decay bound, single" : "decay bound, double", run_decay,
                                  decay};
  decay->batch.single = single;
  pairs_time(&limit, &work, (double)roots->terms);
}

int main(int argc, char **argv) {
  const size_t pairs = (argc > 1 ? strtoul(argv[1], NULL, 10) : 128) / 2;
  const size_t count = argc > 2 ? strtoul(argv[2], NULL, 10) : 1048576;
  static _Alignas(64) struct roots roots;
  struct decay decay = {0};
  struct error *error = &decay.error;
  thread_use(1);
  if (!pairs || !count || backend_open("cpu", &decay.backend, error)) return 1;
  uint64_t *step = memory_array(pairs, sizeof *step, "steps", error);
  int64_t *distance = memory_array(count, sizeof *distance, "distances", error);
  double *bound = memory_array(count, sizeof *bound, "bounds", error);
  for (size_t i = 0; step && i < pairs; i++)
    step[i] = phase_step(powl(10000, -(long double)i / (long double)pairs));
  for (size_t d = 0; distance && d < count; d++)
    distance[d] = (int64_t)d;
  for (size_t i = 0; i < CACHED; i++)
    roots.value_single[i] = (float)(roots.value[i] = (double)i + 1.5);
  roots.terms = pairs * count;
  decay.batch = (struct decay_batch){
      .phases = {.series = 1, .pairs = pairs, .step = step, .precision = PRECISION_FP64},
      .count = count,
      .distance = distance,
      .bound = bound,
  };
  for (int single = 0; !error->code && single <= 1; single++)
    time_precision(&roots, &decay, single);
  if (error->code)
    fprintf(stderr, "bench_decay: %s\n", error->message);
  else
    printf("(checksums %g %g %.9g)\n", roots.sum[CACHED - 1], (double)roots.sum_single[CACHED - 1],
           bound[count - 1]);
  backend_close(decay.backend);
  free(step);
  free(distance);
  free(bound);
  return (int)error->code;
}

/* The rate of scores, with rotation, tables and reduction, against the bare matrix product of the
   same shape.

     bench_scores [LENGTH [DIM [BATCH]]]        default 4096 128 4

   prints a line each: what, milliseconds on one core, ratio to the bare product in the same
   precision (its time divided by ours). The best of several runs, in time of the processor, so that
   other programs disturb little; two cores against one in time of the clock. */
#include <cblas.h>
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "kernels/backend.h"
#include "lib/base/memory.h"
#include "lib/base/phase.h"
#include "lib/base/thread.h"

enum { REPEATS = 5, CELLS = 1024, BINS = 256 };

struct setting {
  size_t length, dim, batch, cells;
  double *query, *key, *cell, *mean, *square, *quantile;
  struct score_sums *sums;
  struct weight_sums *weights;
  struct phases phases;
};

static double seconds(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The product of every draw into one map. */
static double time_product(const struct setting *setting, bool single) {
  struct error error = {OK, ""};
  const size_t size = single ? sizeof(float) : sizeof(double);
  const int length = (int)setting->length, dim = (int)setting->dim;
  const size_t rows = setting->batch * setting->length, elements = rows * setting->dim;
  void *query = memory_array(elements, size, "queries", &error);
  void *key = memory_array(elements, size, "keys", &error);
  void *map = memory_array(setting->length * setting->length, size, "the map", &error);
  double best = INFINITY;
  for (int r = 0; r <= REPEATS && query && key && map; r++) {
    for (size_t i = 0; i < elements && !r; i++) {
      if (single) {
        ((float *)query)[i] = (float)setting->query[i];
        ((float *)key)[i] = (float)setting->key[i];
      } else {
        ((double *)query)[i] = setting->query[i];
        ((double *)key)[i] = setting->key[i];
      }
    }
    const double start = seconds(CLOCK_PROCESS_CPUTIME_ID);
    for (size_t draw = 0; draw < setting->batch; draw++) {
      const size_t at = draw * setting->length * setting->dim;
      if (single)
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, length, length, dim, 1,
                    (float *)query + at, dim, (float *)key + at, dim, 0, map, length);
      else
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, length, length, dim, 1,
                    (double *)query + at, dim, (double *)key + at, dim, 0, map, length);
    }
    if (r) best = fmin(best, seconds(CLOCK_PROCESS_CPUTIME_ID) - start); /* the first warms up */
  }
  free(query);
  free(key);
  free(map);
  return best;
}

enum output { TILES = 1, PROFILE = 2, HISTOGRAM = 4, SUMS = 8, WEIGHTS = 16 };

struct row {
  const char *name;
  bool single, causal, softmax;
  int outputs;
};

static double time_scores(struct backend *backend, const struct setting *setting,
                          const struct row *row, clockid_t clock) {
  static const double levels[3] = {0.05, 0.5, 0.95};
  struct error error = {OK, ""};
  double bin_width, best = INFINITY;
  const struct score_profile profile = {
      .mean = setting->mean,
      .square = setting->square,
      .bins = row->outputs & HISTOGRAM ? BINS : 0,
      .low = -8 * sqrt((double)setting->dim),
      .high = 8 * sqrt((double)setting->dim),
      .levels = 3,
      .level = levels,
      .quantile = setting->quantile,
      .bin_width = &bin_width,
  };
  const struct score_batch batch = {
      .batch = setting->batch,
      .length = setting->length,
      .dim = setting->dim,
      .query = setting->query,
      .key = setting->key,
      .rotation = &setting->phases,
      .amplitude = 1,
      .causal = row->causal,
      .single = row->single,
      .softmax = row->softmax,
      .scale = 1 / sqrt((double)setting->dim),
      .tiles = {setting->cells, setting->cells, REDUCE_MAX,
                row->outputs & TILES ? setting->cell : NULL},
      .profile = row->outputs & (PROFILE | HISTOGRAM) ? &profile : NULL,
      .sums = row->outputs & SUMS ? setting->sums : NULL,
      .weights = row->outputs & WEIGHTS ? setting->weights : NULL,
  };
  for (int r = 0; r <= REPEATS; r++) {
    const double start = seconds(clock);
    if (backend_scores(backend, &batch, &error)) {
      fprintf(stderr, "bench_scores: %s\n", error.message);
      return NAN;
    }
    if (r) best = fmin(best, seconds(clock) - start);
  }
  return best;
}

static bool fill(struct backend *backend, struct setting *setting) {
  struct error error = {OK, ""};
  const size_t elements = setting->batch * setting->length * setting->dim, pairs = setting->dim / 2,
               distances = 2 * setting->length - 1;
  setting->query = memory_array(elements, sizeof(double), "queries", &error);
  setting->key = memory_array(elements, sizeof(double), "keys", &error);
  setting->cell = memory_array(setting->cells * setting->cells, sizeof(double), "cells", &error);
  setting->mean = memory_array(setting->batch * distances, sizeof(double), "means", &error);
  setting->square = memory_array(setting->batch * distances, sizeof(double), "squares", &error);
  setting->quantile = memory_array(3 * distances, sizeof(double), "quantiles", &error);
  setting->sums = memory_array(setting->batch, sizeof *setting->sums, "sums", &error);
  setting->weights = memory_array(setting->batch, sizeof *setting->weights, "sums", &error);
  uint64_t *step = memory_array(pairs, sizeof *step, "steps", &error);
  for (size_t i = 0; step && i < pairs; i++)
    step[i] = phase_step(powl(10000, -(long double)i / (long double)pairs));
  setting->phases =
      (struct phases){.series = 1, .pairs = pairs, .step = step, .precision = PRECISION_FP64};
  if (error.code) return false;
  const struct gaussian_batch query = {.seed = 1, .count = elements, .output = setting->query};
  const struct gaussian_batch key = {
      .seed = 1, .stream = 1, .count = elements, .output = setting->key};
  return !backend_gaussian(backend, &query, &error) && !backend_gaussian(backend, &key, &error);
}

static void release(struct setting *setting) {
  free(setting->query);
  free(setting->key);
  free(setting->cell);
  free(setting->mean);
  free(setting->square);
  free(setting->quantile);
  free(setting->sums);
  free(setting->weights);
  free((void *)setting->phases.step);
}

static void measure(struct backend *backend, const struct setting *setting) {
  static const struct row rows[] = {
      {"single, max", true, false, false, TILES},
      {"single, causal softmax, max", true, true, true, TILES},
      {"single, softmax, max", true, false, true, TILES},
      {"single, profile", true, false, false, PROFILE},
      {"single, profile with quantiles", true, false, false, HISTOGRAM},
      {"single, sums", true, false, false, SUMS},
      {"single, weight sums", true, false, false, WEIGHTS},
      {"single, all of a comparison", true, false, false, TILES | HISTOGRAM | SUMS | WEIGHTS},
      {"double, max", false, false, false, TILES},
      {"double, causal softmax, max", false, true, true, TILES},
      {"double, softmax, max", false, false, true, TILES},
      {"double, all of a comparison", false, false, false, TILES | HISTOGRAM | SUMS | WEIGHTS},
  };
  thread_use(1);
  const double bare[2] = {time_product(setting, false), time_product(setting, true)};
  printf("%-36s %9.1f ms  1\n", "bare product, single", 1e3 * bare[1]);
  printf("%-36s %9.1f ms  1\n", "bare product, double", 1e3 * bare[0]);
  for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
    const double time = time_scores(backend, setting, rows + r, CLOCK_PROCESS_CPUTIME_ID);
    printf("%-36s %9.1f ms  %.3f\n", rows[r].name, 1e3 * time, bare[rows[r].single] / time);
  }
  for (size_t r = 0; r < 2; r++) {
    thread_use(1);
    const double one = time_scores(backend, setting, rows + r, CLOCK_MONOTONIC);
    thread_use(2);
    const double two = time_scores(backend, setting, rows + r, CLOCK_MONOTONIC);
    printf("%-36s %9.1f ms  %.3f of one core's rate\n",
           r ? "the second on two cores" : "the first on two cores", 1e3 * two, one / two);
  }
}

int main(int argc, char **argv) {
  struct setting setting = {.length = argc > 1 ? strtoul(argv[1], NULL, 10) : 4096,
                            .dim = argc > 2 ? strtoul(argv[2], NULL, 10) : 128,
                            .batch = argc > 3 ? strtoul(argv[3], NULL, 10) : 4};
  setting.cells = setting.length < CELLS ? setting.length : CELLS;
  struct error error;
  struct backend *backend;
  if (!setting.length || setting.dim < 2 || !setting.batch || backend_open("cpu", &backend, &error))
    return 1;
  const bool ready = fill(backend, &setting);
  if (ready) measure(backend, &setting);
  release(&setting);
  backend_close(backend);
  return !ready;
}

/* Quantiles of scores over random queries and keys. With h_i = q_i · conj(k_i),

     score(s, m) = Σ_i Re[h_si exp(i·m·θ_i)] = Σ_i (Re h_si cos mθ_i − Im h_si sin mθ_i)

   a matrix product: (distance, 2·pairs) of cos and sin by (sample, 2·pairs) of Re h and −Im h. */
#include <cblas.h>
#include <math.h>
#include <omp.h>
#include <stdlib.h>

#include "kernels/cpu.h"
#include "lib/base/memory.h"
#include "lib/base/phase.h"
#include "lib/base/progress.h"
#include "lib/base/quantile.h"

enum { MOST_DISTANCES = 64, MOST_SCORES = 1 << 21 }; /* of a block: 16 MiB */

/* (sample, 2·pairs): Re h first, then −Im h. */
static void fill_coefficients(const struct quantile_batch *batch, double *coefficient) {
  const size_t pairs = batch->phases.pairs;
#pragma omp parallel for schedule(static) if (batch->samples > MOST_DISTANCES)
  for (size_t s = 0; s < batch->samples; s++) {
    const double *q = batch->query + s * 2 * pairs, *k = batch->key + s * 2 * pairs;
    double *real = coefficient + s * 2 * pairs, *minus_imaginary = real + pairs;
    for (size_t i = 0; i < pairs; i++) {
      real[i] = q[2 * i] * k[2 * i] + q[2 * i + 1] * k[2 * i + 1];
      minus_imaginary[i] = q[2 * i] * k[2 * i + 1] - q[2 * i + 1] * k[2 * i];
    }
  }
}

static int any_nan(const double *value, size_t count) {
  int nan = 0;
  for (size_t i = 0; i < count; i++)
    nan |= value[i] != value[i];
  return nan;
}

/* What a thread works with. */
struct room {
  double *table; /* (distance, 2·pairs) cos, then sin */
  double *score; /* (distance, sample) */
};

static void quantile_block(const struct quantile_batch *batch, const double *coefficient,
                           struct room room, size_t first, size_t distances) {
  const size_t pairs = batch->phases.pairs, width = 2 * pairs, samples = batch->samples;
  for (size_t d = 0; d < distances; d++)
    phase_row(&batch->phases, batch->distance[first + d], 1, room.table + d * width,
              room.table + d * width + pairs);
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)distances, (int)samples, (int)width, 1,
              room.table, (int)width, coefficient, (int)width, 0, room.score, (int)samples);
  for (size_t d = 0; d < distances; d++) {
    double *score = room.score + d * samples;
    const int nan = any_nan(score, samples); /* has no rank: then no quantile is known */
    for (size_t l = 0; l < batch->levels; l++)
      batch->quantile[l * batch->count + first + d] =
          nan ? NAN : quantile_select(score, samples, batch->level[l]);
  }
}

int quantiles_cpu(const struct quantile_batch *batch, struct error *error) {
  const size_t width = 2 * batch->phases.pairs, samples = batch->samples,
               fit = MOST_SCORES / samples;
  const size_t block = fit < 1 ? 1 : fit > MOST_DISTANCES ? MOST_DISTANCES : fit;
  const size_t threads = (size_t)omp_get_max_threads(), doubles = block * (width + samples);
  double *coefficient = memory_array(size_product(samples, width), sizeof *coefficient,
                                     "the products of queries and keys", error);
  double *memory = coefficient ? memory_array(size_product(threads, doubles), sizeof *memory,
                                              "the scores of the samples", error)
                               : NULL;
  if (!memory) {
    free(coefficient);
    return error->code;
  }
  fill_coefficients(batch, coefficient);
  uint64_t done = 0;
#pragma omp parallel for schedule(static) if (batch->count > block)
  for (size_t first = 0; first < batch->count; first += block) {
    double *own = memory + (size_t)omp_get_thread_num() * doubles;
    const size_t left = batch->count - first, distances = left < block ? left : block;
    quantile_block(batch, coefficient, (struct room){own, own + block * width}, first, distances);
    uint64_t now;
#pragma omp atomic capture
    now = done += distances;
    progress_report(now, batch->count);
  }
  free(memory);
  free(coefficient);
  return OK;
}

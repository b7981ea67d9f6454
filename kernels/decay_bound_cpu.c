/* The relative upper bound of RoFormer 3.4.3 (arXiv:2104.09864, eq. 37), before the division by
   pairs:

     z_i(m)  = exp(i·m·θ_i),   S_j(m) = Σ_{i<j} z_i(m)
     bound(m) = Σ_{j=1..pairs} |S_j(m)|,   cosine_sum(m) = Re S_pairs(m)

   Distances of equal step factorise. With m = first + step·(a + lanes·c),

     z_i(m) = exp(i·first·θ_i) · exp(i·step·lanes·c·θ_i) · exp(i·step·a·θ_i)

   where each factor comes from a phase reduced exactly, and only the last differs between
   neighbours: a tile of `lanes` distances is one sweep over the pairs, with nothing but products,
   sums and a root. */
#include <math.h>
#include <omp.h>
#include <stdlib.h>

#include "kernels/cpu.h"
#include "lib/base/memory.h"
#include "lib/base/phase.h"

enum {
  MOST_LANES = 256,        /* distances of a tile: its three sums stay in the first-level cache */
  TABLE_ENTRIES = 1 << 16, /* of the lane table, 1 MiB: it stays in the second-level cache */
  STRIDES = 16,            /* tiles of a block: what one thread takes at a time */
  SHORTEST_RUN = 8,        /* shorter runs of equal step are not worth a table */
};

/* The running sums of a tile's distances, (lane) each. */
struct sums {
  double *real, *imaginary; /* of S_j */
  double *magnitude;        /* Σ |S_j| */
};

/* What a thread works with. The tables serve as long as series and step stay the same. */
struct workspace {
  size_t pairs, lanes;
  size_t series, filled;           /* the series and the number of lanes of the tables; none: 0 */
  uint64_t stride;                 /* and their step, in tokens modulo 2^64 */
  double *lane_cos, *lane_sin;     /* (pair, lane)   of step·a·θ */
  double *stride_cos, *stride_sin; /* (stride, pair) of step·lanes·c·θ */
  double *start_cos, *start_sin;   /* (pair) of first·θ */
  double *tile_cos, *tile_sin;     /* (pair) of a tile's first distance */
  struct sums sums;
};

/* Fewer lanes for very many pairs; a function of the batch alone, never of the machine or the
 * threads. */
static size_t lane_count(size_t pairs) {
  size_t lanes = MOST_LANES;
  while (lanes > SHORTEST_RUN && size_product(lanes, pairs) > TABLE_ENTRIES)
    lanes /= 2;
  return lanes;
}

static size_t workspace_doubles(size_t pairs, size_t lanes) {
  const size_t padded = pairs + 8;
  return size_product(padded, 2 * lanes + 2 * STRIDES + 4) < SIZE_MAX - 3 * lanes - 8
             ? padded * (2 * lanes + 2 * STRIDES + 4) + 3 * lanes + 8
             : SIZE_MAX;
}

/* Cuts a workspace out of `memory`, every array on a boundary of a cache line: rows that straddle
   two lines cost a third of the speed. */
static void workspace_place(struct workspace *work, size_t pairs, size_t lanes, double *memory) {
  const size_t padded = (pairs + 7) / 8 * 8;
  double *next = (double *)(((uintptr_t)memory + 63) / 64 * 64);
  *work = (struct workspace){.pairs = pairs, .lanes = lanes};
  double **const tables[] = {&work->lane_cos, &work->lane_sin};
  for (size_t t = 0; t < 2; t++, next += padded * lanes)
    *tables[t] = next;
  double **const strides[] = {&work->stride_cos, &work->stride_sin};
  for (size_t t = 0; t < 2; t++, next += padded * STRIDES)
    *strides[t] = next;
  double **const rows[] = {&work->start_cos, &work->start_sin, &work->tile_cos, &work->tile_sin};
  for (size_t t = 0; t < 4; t++, next += padded)
    *rows[t] = next;
  double **const sums[] = {&work->sums.real, &work->sums.imaginary, &work->sums.magnitude};
  for (size_t t = 0; t < 3; t++, next += lanes)
    *sums[t] = next;
}

/* S_j and Σ |S_j| of the first `count` lanes, over all pairs in order. */
VECTOR_CLONES
static void sum_tile(const struct workspace *work, size_t count) {
  double *restrict real = work->sums.real, *restrict imaginary = work->sums.imaginary;
  double *restrict magnitude = work->sums.magnitude;
  for (size_t a = 0; a < count; a++)
    real[a] = imaginary[a] = magnitude[a] = 0;
  for (size_t i = 0; i < work->pairs; i++) {
    const double cosine = work->tile_cos[i], sine = work->tile_sin[i];
    const double *restrict c = work->lane_cos + i * work->lanes;
    const double *restrict s = work->lane_sin + i * work->lanes;
#pragma omp simd
    for (size_t a = 0; a < count; a++) {
      const double x = real[a] + (cosine * c[a] - sine * s[a]);
      const double y = imaginary[a] + (cosine * s[a] + sine * c[a]);
      real[a] = x;
      imaginary[a] = y;
      magnitude[a] += sqrt(x * x + y * y);
    }
  }
}

static const uint64_t *series_steps(const struct decay_batch *batch, size_t series) {
  return batch->phases.step + series * batch->phases.pairs;
}

/* Fills the tables of `series` for distances `step` apart, at least `lanes` of them. */
static void fill_tables(struct workspace *work, const struct decay_batch *batch, size_t series,
                        uint64_t step, size_t lanes) {
  if (work->filled >= lanes && work->series == series && work->stride == step) return;
  const uint64_t *steps = series_steps(batch, series);
  for (size_t i = 0; i < work->pairs; i++) {
    for (size_t a = 0; a < lanes; a++)
      phase_cos_sin(steps[i] * step * a, work->lane_cos + i * work->lanes + a,
                    work->lane_sin + i * work->lanes + a);
    for (size_t c = 0; c < STRIDES; c++)
      phase_cos_sin(steps[i] * step * work->lanes * c, work->stride_cos + c * work->pairs + i,
                    work->stride_sin + c * work->pairs + i);
  }
  work->series = series;
  work->stride = step;
  work->filled = lanes;
}

static void store(const struct decay_batch *batch, const struct sums *sums, size_t at,
                  size_t count) {
  for (size_t a = 0; a < count; a++) {
    if (batch->bound) batch->bound[at + a] = sums->magnitude[a];
    if (batch->cosine_sum) batch->cosine_sum[at + a] = sums->real[a];
  }
}

/* Distances `at` .. `at + count − 1`, `step` apart, of one series. */
static void sum_run(struct workspace *work, const struct decay_batch *batch, size_t series,
                    size_t at, size_t count, uint64_t step) {
  const size_t pairs = work->pairs, lanes = work->lanes;
  fill_tables(work, batch, series, step, count < lanes ? count : lanes);
  for (size_t i = 0; i < pairs; i++)
    phase_cos_sin(phase_at(series_steps(batch, series)[i], batch->distance[at]),
                  work->start_cos + i, work->start_sin + i);
  for (size_t tile = 0; tile * lanes < count; tile++) {
    const double *c = work->stride_cos + tile * pairs, *s = work->stride_sin + tile * pairs;
    for (size_t i = 0; i < pairs; i++) {
      work->tile_cos[i] = work->start_cos[i] * c[i] - work->start_sin[i] * s[i];
      work->tile_sin[i] = work->start_cos[i] * s[i] + work->start_sin[i] * c[i];
    }
    const size_t done = tile * lanes, left = count - done, now = left < lanes ? left : lanes;
    sum_tile(work, now);
    store(batch, &work->sums, series * batch->count + at + done, now);
  }
}

/* One distance by itself, from the definition. */
static void sum_single(const struct decay_batch *batch, size_t series, size_t at) {
  const struct phases *phases = &batch->phases;
  double real = 0, imaginary = 0, magnitude = 0;
  for (size_t i = 0; i < phases->pairs; i++) {
    const size_t pair = series * phases->pairs + i;
    double cosine, sine;
    phase_cos_sin_rounded(phases->precision, phases->step[pair],
                          phases->inv_freq ? phases->inv_freq[pair] : 0, batch->distance[at],
                          &cosine, &sine);
    real += cosine;
    imaginary += sine;
    magnitude += sqrt(real * real + imaginary * imaginary);
  }
  store(batch, &(struct sums){&real, &imaginary, &magnitude}, series * batch->count + at, 1);
}

/* The length, at most `most`, of the run of equal steps that starts at `distance`; its step. Steps
   are taken modulo 2^64, as phases are. */
static size_t run_length(const int64_t *distance, size_t most, uint64_t *step) {
  *step = most > 1 ? (uint64_t)distance[1] - (uint64_t)distance[0] : 0;
  size_t length = most > 1 ? 2 : most;
  while (length < most && (uint64_t)distance[length] - (uint64_t)distance[length - 1] == *step)
    length++;
  return length;
}

static void sum_block(struct workspace *work, const struct decay_batch *batch, size_t series,
                      size_t first, size_t end) {
  for (size_t at = first; at < end;) {
    uint64_t step;
    const size_t length = run_length(batch->distance + at, end - at, &step);
    if (batch->phases.precision == PRECISION_FP64 && length >= SHORTEST_RUN)
      sum_run(work, batch, series, at, length, step);
    else
      for (size_t d = at; d < at + length; d++)
        sum_single(batch, series, d);
    at += length;
  }
}

int decay_bound_cpu(const struct decay_batch *batch, struct error *error) {
  const size_t pairs = batch->phases.pairs, lanes = lane_count(pairs), block = lanes * STRIDES;
  const size_t threads = (size_t)omp_get_max_threads(), doubles = workspace_doubles(pairs, lanes);
  double *memory = memory_array(size_product(threads, doubles), sizeof *memory,
                                "the tables of the decay bound", error);
  if (!memory) return error->code;
#pragma omp parallel if (batch->phases.series > 1 || batch->count > block)
  {
    struct workspace work;
    workspace_place(&work, pairs, lanes, memory + (size_t)omp_get_thread_num() * doubles);
#pragma omp for collapse(2) schedule(static)
    for (size_t series = 0; series < batch->phases.series; series++)
      for (size_t first = 0; first < batch->count; first += block)
        sum_block(&work, batch, series, first,
                  batch->count - first < block ? batch->count : first + block);
  }
  free(memory);
  return OK;
}

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
#include <string.h>

#include "kernels/cpu.h"
#include "kernels/decay_tile.h"
#include "kernels/phase_table.h"
#include "lib/base/memory.h"
#include "lib/base/phase.h"

enum {
  MOST_LANES = 256,        /* distances of a tile: its sums stay in the first-level cache */
  TABLE_ENTRIES = 1 << 16, /* of the lane table, 1 MiB: it stays in the second-level cache */
  STRIDES = 16,            /* tiles of a block: what one thread takes at a time */
  SHORTEST_RUN = 8,        /* shorter runs of equal step are not worth a table */
  LOOK = 64,               /* distances looked at together */
  MOST_SINGLE = 512,       /* pairs: the rounding errors of more add up to too much in float */
};

/* What a thread works with. The tables serve as long as series and step stay the same. */
struct workspace {
  size_t pairs, lanes;
  bool single;                     /* the lane table and the sums over it are in float */
  size_t series, filled;           /* the series and the number of lanes of the tables; none: 0 */
  uint64_t stride;                 /* and their step, in tokens modulo 2^64 */
  void *lane_cos, *lane_sin;       /* (pair, lane)   of step·a·θ: double, or float if single */
  double *stride_cos, *stride_sin; /* (stride, pair) of step·lanes·c·θ */
  double *start_cos, *start_sin;   /* (pair) of first·θ */
  double *tile_cos, *tile_sin;     /* (pair) of a tile's first distance */
  struct decay_sums sums;
  /* If single: */
  double *wave_cos, *wave_sin;    /* (lane) a row on its way into the lane table */
  float *narrow_cos, *narrow_sin; /* (pair) the tile's first distance once more */
  float *room;                    /* of decay_tile_sum_single() */
};

/* Fewer lanes for very many pairs; a function of the batch alone, never of the machine or the
 * threads. */
static size_t lane_count(size_t pairs) {
  size_t lanes = MOST_LANES;
  while (lanes > SHORTEST_RUN && size_product(lanes, pairs) > TABLE_ENTRIES)
    lanes /= 2;
  return lanes;
}

/* Arrays over the pairs and over the lanes that a workspace has, in doubles. */
static size_t workspace_doubles(size_t pairs, size_t lanes) {
  const size_t over_pairs = size_product(pairs + 8, 2 * lanes + 2 * STRIDES + 6);
  const size_t over_lanes = (5 + DECAY_TILE_ROOM) * lanes;
  return over_pairs < SIZE_MAX - over_lanes - 8 ? over_pairs + over_lanes + 8 : SIZE_MAX;
}

/* The next `count` doubles of a workspace's memory, up to the end of a cache line: rows that
   straddle two lines cost a third of the speed. */
static void *cut(double **memory, size_t count) {
  double *array = *memory;
  *memory += (count + 7) / 8 * 8;
  return array;
}

static void workspace_place(struct workspace *work, const struct decay_batch *batch, size_t lanes,
                            double *memory) {
  const size_t pairs = batch->phases.pairs;
  double *next = (double *)(((uintptr_t)memory + 63) / 64 * 64);
  *work = (struct workspace){
      .pairs = pairs, .lanes = lanes, .single = batch->single && pairs <= MOST_SINGLE};
  work->lane_cos = cut(&next, pairs * lanes);
  work->lane_sin = cut(&next, pairs * lanes);
  work->stride_cos = cut(&next, pairs * STRIDES);
  work->stride_sin = cut(&next, pairs * STRIDES);
  double **const rows[] = {&work->start_cos, &work->start_sin, &work->tile_cos, &work->tile_sin};
  for (size_t t = 0; t < 4; t++)
    *rows[t] = cut(&next, pairs);
  work->narrow_cos = cut(&next, pairs);
  work->narrow_sin = cut(&next, pairs);
  double **const lane_rows[] = {&work->sums.real, &work->sums.imaginary, &work->sums.magnitude,
                                &work->wave_cos, &work->wave_sin};
  for (size_t t = 0; t < 5; t++)
    *lane_rows[t] = cut(&next, lanes);
  work->room = cut(&next, DECAY_TILE_ROOM * lanes);
}

VECTOR_CLONES
static void narrow(const double *restrict value, size_t count, float *restrict output) {
#pragma omp simd
  for (size_t i = 0; i < count; i++)
    output[i] = (float)value[i];
}

static const uint64_t *series_steps(const struct decay_batch *batch, size_t series) {
  return batch->phases.step + series * batch->phases.pairs;
}

/* One row of the lane table. */
static void fill_lanes(struct workspace *work, size_t pair, uint64_t phase, size_t lanes) {
  const size_t at = pair * work->lanes;
  if (!work->single) {
    phase_table_run(0, phase, lanes, (double *)work->lane_cos + at, (double *)work->lane_sin + at);
    return;
  }
  phase_table_run(0, phase, lanes, work->wave_cos, work->wave_sin);
  narrow(work->wave_cos, lanes, (float *)work->lane_cos + at);
  narrow(work->wave_sin, lanes, (float *)work->lane_sin + at);
}

/* Fills the tables of `series` for distances `step` apart, at least `lanes` of them. */
static void fill_tables(struct workspace *work, const struct decay_batch *batch, size_t series,
                        uint64_t step, size_t lanes) {
  if (work->filled >= lanes && work->series == series && work->stride == step) return;
  const uint64_t *steps = series_steps(batch, series);
  const size_t pairs = work->pairs;
  for (size_t i = 0; i < pairs; i++)
    fill_lanes(work, i, steps[i] * step, lanes);
  for (size_t c = 0; c < STRIDES; c++)
    phase_table_pairs(steps, pairs, (int64_t)(step * work->lanes * c), work->stride_cos + c * pairs,
                      work->stride_sin + c * pairs);
  work->series = series;
  work->stride = step;
  work->filled = lanes;
}

/* The sums of `count` lanes from the workspace's tile on. */
static void sum_tile(struct workspace *work, size_t count) {
  const size_t pairs = work->pairs, lanes = work->lanes;
  if (!work->single) {
    const struct decay_tile tile = {pairs,          lanes,          work->tile_cos,
                                    work->tile_sin, work->lane_cos, work->lane_sin};
    decay_tile_sum(&tile, count, &work->sums);
    return;
  }
  narrow(work->tile_cos, pairs, work->narrow_cos);
  narrow(work->tile_sin, pairs, work->narrow_sin);
  const struct decay_tile_single tile = {
      pairs, lanes, work->narrow_cos, work->narrow_sin, work->lane_cos, work->lane_sin};
  decay_tile_sum_single(&tile, count, work->room, &work->sums);
}

static void store(const struct decay_batch *batch, const struct decay_sums *sums, size_t at,
                  size_t count) {
  const size_t bytes = count * sizeof(double);
  if (batch->bound) memcpy(batch->bound + at, sums->magnitude, bytes);
  if (batch->cosine_sum) memcpy(batch->cosine_sum + at, sums->real, bytes);
}

/* The phases of a tile's first distance: those of the run's turned by those of the stride. */
VECTOR_CLONES
static void turn_tile(struct workspace *work, size_t tile) {
  const double *restrict a = work->start_cos, *restrict b = work->start_sin;
  const double *restrict c = work->stride_cos + tile * work->pairs;
  const double *restrict s = work->stride_sin + tile * work->pairs;
  double *restrict cosine = work->tile_cos, *restrict sine = work->tile_sin;
#pragma omp simd
  for (size_t i = 0; i < work->pairs; i++) {
    cosine[i] = a[i] * c[i] - b[i] * s[i];
    sine[i] = a[i] * s[i] + b[i] * c[i];
  }
}

/* Distances `at` .. `at + count − 1`, `step` apart, of one series. */
static void sum_run(struct workspace *work, const struct decay_batch *batch, size_t series,
                    size_t at, size_t count, uint64_t step) {
  const size_t pairs = work->pairs, lanes = work->lanes;
  fill_tables(work, batch, series, step, count < lanes ? count : lanes);
  phase_table_pairs(series_steps(batch, series), pairs, batch->distance[at], work->start_cos,
                    work->start_sin);
  for (size_t tile = 0; tile * lanes < count; tile++) {
    turn_tile(work, tile);
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
  store(batch, &(struct decay_sums){&real, &imaginary, &magnitude}, series * batch->count + at, 1);
}

/* Whether LOOK distances from `distance` on all follow at `step`. */
VECTOR_CLONES
static bool all_follow(const int64_t *distance, uint64_t step) {
  uint64_t differences = 0;
#pragma omp simd reduction(| : differences)
  for (size_t i = 0; i < LOOK; i++)
    differences |= ((uint64_t)distance[i] - (uint64_t)distance[i - 1]) ^ step;
  return !differences;
}

/* The length, at most `most`, of the run of equal steps that starts at `distance`; its step. Steps
   are taken modulo 2^64, as phases are. */
static size_t run_length(const int64_t *distance, size_t most, uint64_t *step) {
  *step = most > 1 ? (uint64_t)distance[1] - (uint64_t)distance[0] : 0;
  size_t length = most > 1 ? 2 : most;
  while (most - length >= LOOK && all_follow(distance + length, *step))
    length += LOOK;
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
    workspace_place(&work, batch, lanes, memory + (size_t)omp_get_thread_num() * doubles);
#pragma omp for collapse(2) schedule(dynamic)
    for (size_t series = 0; series < batch->phases.series; series++)
      for (size_t first = 0; first < batch->count; first += block)
        sum_block(&work, batch, series, first,
                  batch->count - first < block ? batch->count : first + block);
  }
  free(memory);
  return OK;
}

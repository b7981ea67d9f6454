/* Σ_i w_i cos(mθ_i) at equally spaced distances, as products of matrices. With rows of K lanes,
   m = first + step·(a + K·c) and φ = (first + step·K·c)·θ,

     cos(mθ) = cos φ · cos(−step·a·θ) + sin φ · sin(−step·a·θ)

   so that a block of rows is one product

     (row, 2·pairs) of w cos φ, w sin φ   ×   (lane, 2·pairs)ᵀ of cos, sin(−step·a·θ)

   and a million distances take some thousand sines a pair, each of an exact phase. */
#include <cblas.h>
#include <math.h>
#include <omp.h>
#include <stdlib.h>

#include "kernels/cpu.h"
#include "kernels/phase_table.h"
#include "kernels/tally.h"
#include "lib/base/memory.h"
#include "lib/base/phase.h"
#include "lib/base/progress.h"

enum {
  MOST_LANES = 512,  /* distances of a row */
  MOST_ROWS = 128,   /* of a block, what a thread takes at a time: 512 KiB of sums */
  FIRST_ROWS = 8,    /* of the first block when the first negative sum ends the work */
  MOST_PAIRS = 256,  /* of the tables; what more pairs come to is added up in double */
  GROUP = 64,        /* pairs of a product: equal terms in a row round the same way each time, so */
  GROUP_SINGLE = 32, /* that errors grow with the length of a sum; products are added up, too */
};

/* What there is to do: a function of the batch alone, never of the machine or the threads. */
struct plan {
  const struct cosine_sum_batch *batch;
  size_t lanes;        /* of a row */
  size_t blocks;       /* of a series; the last ones may be empty */
  double scale;        /* a power of 2: weights divided by it fit into float */
  struct tally *tally; /* (series, block) out */
  size_t *last;        /* (series) the block behind which nothing is wanted */
};

/* What a thread works with. The tables hold float for a single batch, else double. */
struct workspace {
  size_t series;  /* whose lane table it is; SIZE_MAX: nobody's */
  void *lane;     /* (group, lane, 2·pairs of the group) */
  void *row;      /* (row, 2·pairs) of a group */
  double *wave;   /* (2·pairs) a row on its way to float */
  float *product; /* (row, lane) for a single batch */
  double *sum;    /* (row, lane) when the caller wants no sums */
};

/* Pairs that go into one product. */
struct group {
  const uint64_t *step; /* (pair) */
  const double *weight; /* (pair) or NULL */
  size_t pairs;
  void *lane; /* (lane, 2·pairs) its lane table */
};

/* Equally spaced; modulo 2^64, as phases are. */
struct positions {
  uint64_t first, step;
  size_t count;
};

/* Some of the sums of a block: the first `lanes` of some rows. */
struct extent {
  size_t first, rows, lanes;
};

static size_t smaller(size_t a, size_t b) {
  return a < b ? a : b;
}

static size_t lane_count(size_t count) {
  size_t lanes = 16;
  while (lanes < MOST_LANES && lanes * lanes < count)
    lanes *= 2;
  return lanes;
}

/* How many distances come before a block. The first negative sum is often near: when it ends the
   work, blocks are small at first. */
static size_t block_edge(const struct plan *plan, size_t block) {
  size_t rows = size_product(block, MOST_ROWS);
  if (plan->batch->stop_at_negative)
    rows = block == 0   ? 0
           : block == 1 ? FIRST_ROWS
           : block == 2 ? 4 * FIRST_ROWS
                        : size_product(block - 2, MOST_ROWS);
  return smaller(size_product(rows, plan->lanes), plan->batch->count);
}

static double weight_scale(const struct cosine_sum_batch *batch) {
  double largest = 0;
  for (size_t i = 0; batch->weight && i < batch->phases.pairs; i++)
    largest = fmax(largest, fabs(batch->weight[i]));
  int exponent = 1;
  if (largest > 0) frexp(largest, &exponent);
  return ldexp(1, exponent - 1);
}

static struct group group_at(const struct plan *plan, const struct workspace *work, size_t series,
                             size_t pair) {
  const struct cosine_sum_batch *batch = plan->batch;
  const struct phases *phases = &batch->phases;
  const size_t before = pair % MOST_PAIRS * 2 * plan->lanes;
  return (struct group){
      .step = phases->step + series * phases->pairs + pair,
      .weight = batch->weight ? batch->weight + pair : NULL,
      .pairs = smaller(phases->pairs - pair, batch->single ? GROUP_SINGLE : GROUP),
      .lane = batch->single ? (void *)((float *)work->lane + before)
                            : (void *)((double *)work->lane + before),
  };
}

VECTOR_CLONES
static void narrow(const double *restrict value, size_t count, float *restrict output) {
#pragma omp simd
  for (size_t i = 0; i < count; i++)
    output[i] = (float)value[i];
}

VECTOR_CLONES
static void widen(const float *restrict value, double scale, bool add, size_t count,
                  double *restrict output) {
#pragma omp simd
  for (size_t i = 0; i < count; i++)
    output[i] = (add ? output[i] : 0) + scale * (double)value[i];
}

/* A row of cosines, then sines, for each position, times weight / scale as far as given. */
static void fill_table(const struct plan *plan, const struct group *group,
                       struct positions positions, double *wave, void *table) {
  const size_t pairs = group->pairs, width = 2 * pairs;
  for (size_t r = 0; r < positions.count; r++) {
    double *row = plan->batch->single ? wave : (double *)table + r * width;
    phase_table_pairs(group->step, pairs, (int64_t)(positions.first + r * positions.step), row,
                      row + pairs);
    for (size_t i = 0; group->weight && i < pairs; i++) {
      row[i] *= group->weight[i] / plan->scale;
      row[pairs + i] *= group->weight[i] / plan->scale;
    }
    if (plan->batch->single) narrow(row, width, (float *)table + r * width);
  }
}

/* Adds rows first .. first + rows − 1 of the row table times the first `lanes` of the lane table to
   what the groups before have left (`more`), in the type of the tables. */
static void multiply(const struct plan *plan, const struct workspace *work,
                     const struct group *group, bool more, struct extent extent, double *sum) {
  const int m = (int)extent.rows, n = (int)extent.lanes, k = (int)(2 * group->pairs);
  const size_t row = extent.first * 2 * group->pairs, at = extent.first * plan->lanes;
  if (!m || !n) return;
  if (plan->batch->single)
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, m, n, k, 1, (const float *)work->row + row,
                k, group->lane, k, more ? 1 : 0, work->product + at, n);
  else
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, m, n, k, 1,
                (const double *)work->row + row, k, group->lane, k, more ? 1 : 0, sum + at, n);
}

/* `count` sums from the distance with index `at` on, the first of a row. */
static void sum_products(const struct plan *plan, struct workspace *work, size_t series, size_t at,
                         size_t count, double *sum) {
  const struct cosine_sum_batch *batch = plan->batch;
  const size_t lanes = plan->lanes, all = batch->phases.pairs;
  const size_t rows = count / lanes, rest = count % lanes;
  const uint64_t step = (uint64_t)batch->step;
  const struct positions of_lanes = {0, -step, smaller(lanes, batch->count)};
  const struct positions of_rows = {(uint64_t)batch->first + step * at, step * lanes,
                                    rows + (rest > 0)};
  for (size_t pair = 0, next; pair < all; pair = next) {
    const struct group group = group_at(plan, work, series, pair);
    const bool more = batch->single ? pair % MOST_PAIRS > 0 : pair > 0;
    next = pair + group.pairs;
    if (work->series != series) {
      const struct group bare = {.step = group.step, .pairs = group.pairs};
      fill_table(plan, &bare, of_lanes, work->wave, group.lane);
    }
    fill_table(plan, &group, of_rows, work->wave, work->row);
    multiply(plan, work, &group, more, (struct extent){0, rows, lanes}, sum);
    multiply(plan, work, &group, more, (struct extent){rows, 1, rest}, sum);
    if (batch->single && (next % MOST_PAIRS == 0 || next == all))
      widen(work->product, plan->scale, pair >= MOST_PAIRS, count, sum);
  }
  if (all <= MOST_PAIRS) work->series = series;
}

/* The same below fp64, where every angle is rounded by itself: from the definition. */
static void sum_singly(const struct plan *plan, size_t series, size_t at, size_t count,
                       double *sum) {
  const struct cosine_sum_batch *batch = plan->batch;
  const struct phases *phases = &batch->phases;
  for (size_t n = 0; n < count; n++) {
    const int64_t distance = batch->first + batch->step * (int64_t)(at + n);
    sum[n] = 0;
    for (size_t i = 0; i < phases->pairs; i++) {
      const size_t pair = series * phases->pairs + i;
      double cosine, sine;
      phase_cos_sin_rounded(phases->precision, phases->step[pair], phases->inv_freq[pair], distance,
                            &cosine, &sine);
      sum[n] += batch->weight ? batch->weight[i] * cosine : cosine;
    }
  }
}

static void sum_block(const struct plan *plan, struct workspace *work, size_t series,
                      size_t block) {
  const struct cosine_sum_batch *batch = plan->batch;
  const size_t at = block_edge(plan, block), count = block_edge(plan, block + 1) - at;
  struct tally *tally = &plan->tally[series * plan->blocks + block];
  double *sum = batch->sum ? batch->sum + series * batch->count + at : work->sum;
  *tally = tally_start();
  if (!count) return;
  if (batch->phases.precision == PRECISION_FP64)
    sum_products(plan, work, series, at, count, sum);
  else
    sum_singly(plan, series, at, count, sum);
  tally_add(tally, sum, at, count, batch->stop_at_negative);
  if (!batch->stop_at_negative || tally->first_negative == TALLY_NONE) return;
#pragma omp critical(cosine_sum_last)
  if (block < plan->last[series]) {
#pragma omp atomic write
    plan->last[series] = block;
  }
}

static bool is_wanted(const struct plan *plan, size_t series, size_t block) {
  size_t last;
#pragma omp atomic read
  last = plan->last[series];
  return block <= last;
}

/* The results of a series from those of its blocks; one behind the last may be there or not. */
static void finish_series(const struct plan *plan, size_t series) {
  const struct cosine_sum_batch *batch = plan->batch;
  const bool stop = batch->stop_at_negative;
  struct tally tally = tally_start();
  for (size_t block = 0; block < plan->blocks && block <= plan->last[series]; block++)
    tally_join(&tally, &plan->tally[series * plan->blocks + block], stop);
  const bool any = tally.minimum_at != TALLY_NONE, negative = tally.first_negative != TALLY_NONE;
  if (batch->minimum) batch->minimum[series] = any ? tally.minimum : NAN;
  if (batch->minimum_distance)
    batch->minimum_distance[series] =
        any ? batch->first + batch->step * (int64_t)tally.minimum_at : -1;
  if (batch->first_negative)
    batch->first_negative[series] =
        negative ? batch->first + batch->step * (int64_t)tally.first_negative : -1;
  if (!stop || !negative || !batch->sum) return;
  for (size_t n = tally.first_negative + 1; n < batch->count; n++)
    batch->sum[series * batch->count + n] = NAN;
}

/* The arrays of a workspace in doubles, each a multiple of a cache line. */
struct sizes {
  size_t lane, row, wave, product, sum;
};

static struct sizes workspace_sizes(const struct plan *plan) {
  const struct cosine_sum_batch *batch = plan->batch;
  const size_t pairs = smaller(batch->phases.pairs, MOST_PAIRS), width = 2 * smaller(pairs, GROUP);
  const size_t block = plan->lanes * MOST_ROWS;
  return (struct sizes){
      .lane = plan->lanes * 2 * pairs,
      .row = MOST_ROWS * width,
      .wave = (width + 7) / 8 * 8,
      .product = batch->single ? block / 2 : 0,
      .sum = batch->sum ? 0 : block,
  };
}

static size_t sizes_total(const struct sizes *sizes) {
  return sizes->lane + sizes->row + sizes->wave + sizes->product + sizes->sum;
}

static void run_plan(const struct plan *plan, double *memory) {
  const size_t series_count = plan->batch->phases.series;
  const struct sizes sizes = workspace_sizes(plan);
  uint64_t done = 0;
#pragma omp parallel if (series_count > 1 || plan->blocks > 1)
  {
    double *own = memory + (size_t)omp_get_thread_num() * sizes_total(&sizes);
    struct workspace work = {.series = SIZE_MAX, .lane = own};
    work.row = own += sizes.lane;
    work.wave = own += sizes.row;
    work.product = (float *)(own += sizes.wave);
    work.sum = own + sizes.product;
#pragma omp for collapse(2) schedule(dynamic)
    for (size_t series = 0; series < series_count; series++)
      for (size_t block = 0; block < plan->blocks; block++) {
        if (is_wanted(plan, series, block)) sum_block(plan, &work, series, block);
        uint64_t now;
#pragma omp atomic capture
        now = ++done;
        progress_report(now, series_count * plan->blocks);
      }
  }
  for (size_t series = 0; series < series_count; series++)
    finish_series(plan, series);
}

int cosine_sum_cpu(const struct cosine_sum_batch *batch, struct error *error) {
  const size_t series = batch->phases.series;
  struct plan plan = {.batch = batch, .lanes = lane_count(batch->count), .scale = 1};
  if (batch->single) plan.scale = weight_scale(batch);
  const size_t block = plan.lanes * MOST_ROWS;
  plan.blocks = batch->count / block + (batch->count % block > 0);
  if (batch->stop_at_negative) plan.blocks += 2;
  const struct sizes sizes = workspace_sizes(&plan);
  const size_t threads = (size_t)omp_get_max_threads();
  const char *what = "the blocks of cosine sums";
  plan.tally = memory_array(size_product(series, plan.blocks), sizeof *plan.tally, what, error);
  plan.last = plan.tally ? memory_array(series, sizeof *plan.last, what, error) : NULL;
  double *memory = plan.last ? memory_array(size_product(threads, sizes_total(&sizes)) + 8,
                                            sizeof *memory, "the tables of cosine sums", error)
                             : NULL;
  for (size_t s = 0; memory && s < series; s++)
    plan.last[s] = SIZE_MAX;
  if (memory) run_plan(&plan, (double *)(((uintptr_t)memory + 63) / 64 * 64));
  const int status = memory ? OK : ERROR_FAILED;
  free(memory);
  free(plan.last);
  free(plan.tally);
  return status;
}

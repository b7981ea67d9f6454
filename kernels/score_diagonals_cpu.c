#include <float.h>
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/cpu.h"
#include "kernels/score_diagonals.h"
#include "lib/base/memory.h"

enum { STRIPE = 1024 }; /* distances under one lock; a part reaches over two stripes at most */

struct diagonals {
  const struct score_batch *batch;
  size_t distances; /* 2·length − 1 */
  double *sum;      /* (draw, distance) Σ S, and then as many Σ S² */
  double *square;
  struct score_range range;
  double per_width;    /* bins per unit of score; 0 where all scores are the same */
  size_t bins, masked; /* distances that have no bins: they come first */
  uint32_t *count;     /* (distance − masked, bin) */
  omp_lock_t *lock;    /* (stripe) */
};

static size_t stripes_of(const struct diagonals *diagonals) {
  return diagonals->distances / STRIPE + 1;
}

static int open_histogram(struct diagonals *diagonals, struct error *error) {
  const struct score_batch *batch = diagonals->batch;
  const struct score_range *range = &diagonals->range;
  diagonals->bins = batch->profile->bins;
  diagonals->masked = batch->causal ? batch->length - 1 : 0;
  const double width = (range->high - range->low) / (double)diagonals->bins;
  diagonals->per_width = width > 0 ? 1 / width : 0;
  diagonals->count =
      memory_array(size_product(diagonals->distances - diagonals->masked, diagonals->bins),
                   sizeof *diagonals->count, "the histograms of all distances", error);
  if (!diagonals->count) return error->code;
  diagonals->lock =
      memory_array(stripes_of(diagonals), sizeof *diagonals->lock, "locks of distances", error);
  if (!diagonals->lock) return error->code;
  for (size_t s = 0; s < stripes_of(diagonals); s++)
    omp_init_lock(diagonals->lock + s);
  return OK;
}

struct diagonals *diagonals_open(const struct score_batch *batch, struct score_range range,
                                 struct error *error) {
  struct diagonals *diagonals = memory_array(1, sizeof *diagonals, "sums of diagonals", error);
  if (!diagonals) return NULL;
  *diagonals =
      (struct diagonals){.batch = batch, .distances = 2 * batch->length - 1, .range = range};
  const size_t entries = size_product(batch->batch, diagonals->distances);
  diagonals->sum = memory_array(size_product(entries, 2), sizeof *diagonals->sum,
                                "the sums of all distances", error);
  diagonals->square = diagonals->sum ? diagonals->sum + entries : NULL;
  if (!diagonals->sum ||
      (batch->profile && batch->profile->bins && open_histogram(diagonals, error))) {
    diagonals_close(diagonals);
    return NULL;
  }
  return diagonals;
}

void diagonals_close(struct diagonals *diagonals) {
  if (!diagonals) return;
  for (size_t s = 0; diagonals->lock && s < stripes_of(diagonals); s++)
    omp_destroy_lock(diagonals->lock + s);
  free(diagonals->lock);
  free(diagonals->count);
  free(diagonals->sum);
  free(diagonals);
}

/* A block's own sums lie in the order of the keys: of query m and key n at n − m + row_end − 1. */
static size_t block_width(const struct score_batch *batch, size_t rows) {
  return batch->length + rows - 1;
}

size_t diagonals_room(const struct score_batch *batch, size_t rows) {
  return size_product(size_product(batch->batch, block_width(batch, rows)), 2);
}

void diagonals_start(const struct diagonals *diagonals, size_t rows, double *room) {
  memset(room, 0, diagonals_room(diagonals->batch, rows) * sizeof *room);
}

VECTOR_CLONES
static void add_row(const double *restrict value, size_t count, double *restrict sum,
                    double *restrict square) {
#pragma omp simd
  for (size_t n = 0; n < count; n++) {
    sum[n] += value[n];
    square[n] += value[n] * value[n];
  }
}

/* Replaces scores by their bins; NaN, which has none, goes to the first. */
VECTOR_CLONES
static void find_bins(double *restrict value, size_t count, double low, double per_width,
                      double last) {
#pragma omp simd
  for (size_t n = 0; n < count; n++) {
    double bin = (value[n] - low) * per_width;
    bin = bin > 0 ? bin : 0;
    value[n] = bin < last ? bin : last;
  }
}

/* One row: the distance falls as the key rises. */
static void count_row(struct diagonals *diagonals, size_t distance, double *value, size_t count) {
  find_bins(value, count, diagonals->range.low, diagonals->per_width,
            (double)(diagonals->bins - 1));
  const size_t first = distance - diagonals->masked, bins = diagonals->bins;
  for (size_t n = 0; n < count; n++)
    diagonals->count[(first - n) * bins + (size_t)(int64_t)value[n]]++;
}

/* Stripes are locked from the lowest on, so nobody waits in a circle. */
static void lock_stripes(struct diagonals *diagonals, const struct score_part *part, bool lock) {
  const size_t zero = diagonals->batch->length - 1;
  const size_t first = (part->row + zero + 1 - part->key_end) / STRIPE,
               last = (part->row_end - 1 + zero - part->key) / STRIPE;
  for (size_t s = first; s <= last; s++)
    if (lock)
      omp_set_lock(diagonals->lock + s);
    else
      omp_unset_lock(diagonals->lock + s);
}

void diagonals_add(struct diagonals *diagonals, const struct score_part *part, double *value,
                   double *room) {
  const struct score_batch *batch = diagonals->batch;
  const size_t width = block_width(batch, part->row_end - part->row);
  double *sum = room + 2 * part->draw * width, *square = sum + width;
  if (diagonals->count) lock_stripes(diagonals, part, true);
  for (size_t m = part->row; m < part->row_end; m++) {
    const size_t count = score_part_visible(part, m), first = part->key + part->row_end - 1 - m;
    if (!count) continue;
    score_part_load(part, m, count, 1, value);
    add_row(value, count, sum + first, square + first);
    if (diagonals->count) count_row(diagonals, m + batch->length - 1 - part->key, value, count);
  }
  if (diagonals->count) lock_stripes(diagonals, part, false);
}

void diagonals_join(struct diagonals *diagonals, size_t row_end, size_t rows, const double *room) {
  const struct score_batch *batch = diagonals->batch;
  const size_t width = block_width(batch, rows), last = row_end - 1 + batch->length - 1;
  for (size_t draw = 0; draw < batch->batch; draw++) {
    double *sum = diagonals->sum + draw * diagonals->distances,
           *square = diagonals->square + draw * diagonals->distances;
    const double *own = room + 2 * draw * width;
    for (size_t i = 0; i < width; i++) {
      sum[last - i] += own[i];
      square[last - i] += own[width + i];
    }
  }
}

/* Scores of one draw at a distance that are not masked. */
static double count_at(const struct diagonals *diagonals, size_t distance) {
  const size_t length = diagonals->batch->length, zero = length - 1;
  if (diagonals->batch->causal && distance < zero) return 0;
  if (diagonals->batch->bias && diagonals->batch->bias[distance] == -INFINITY) return 0;
  return (double)(distance < zero ? distance + 1 : diagonals->distances - distance);
}

static void finish_draw(const struct diagonals *diagonals, size_t draw) {
  const struct score_batch *batch = diagonals->batch;
  const double *sum = diagonals->sum + draw * diagonals->distances,
               *square = diagonals->square + draw * diagonals->distances;
  const double *bias = batch->bias;
  double total = 0, energy = 0, toeplitz = 0, mirrored = 0;
  for (size_t t = 0; t < diagonals->distances; t++) {
    const double count = count_at(diagonals, t);
    const size_t at = draw * diagonals->distances + t;
    if (batch->profile && batch->profile->mean)
      batch->profile->mean[at] = count > 0 ? sum[t] / count : NAN;
    if (batch->profile && batch->profile->square)
      batch->profile->square[at] = count > 0 ? square[t] / count : NAN;
    if (!(count > 0)) continue;
    total += sum[t];
    energy += square[t];
    toeplitz += sum[t] * (sum[t] / count);
    if (bias) mirrored += bias[diagonals->distances - 1 - t] * (2 * sum[t] - count * bias[t]);
  }
  if (!batch->sums) return;
  batch->sums[draw].sum = total;
  batch->sums[draw].square = energy;
  batch->sums[draw].toeplitz = toeplitz;
  batch->sums[draw].symmetric = mirrored;
}

/* Where the score of this rank (0 is the smallest) is, as if a bin's scores were spread evenly. */
static double score_of_rank(const struct diagonals *diagonals, const uint32_t *count,
                            uint64_t rank) {
  const double width = (diagonals->range.high - diagonals->range.low) / (double)diagonals->bins;
  uint64_t below = 0;
  size_t bin = 0;
  while (bin + 1 < diagonals->bins && below + count[bin] <= rank)
    below += count[bin++];
  const double share = ((double)(rank - below) + 0.5) / (double)count[bin];
  return diagonals->range.low + ((double)bin + share) * width;
}

/* A sum that is NaN had a NaN in it, or infinities of both signs: then there are no quantiles. */
static bool is_countable(const struct diagonals *diagonals, size_t distance) {
  for (size_t draw = 0; draw < diagonals->batch->batch; draw++)
    if (isnan(diagonals->sum[draw * diagonals->distances + distance])) return false;
  return true;
}

static double quantile_at(const struct diagonals *diagonals, size_t distance, double level) {
  const double scores = (double)diagonals->batch->batch * count_at(diagonals, distance);
  if (!(scores > 0) || !is_countable(diagonals, distance)) return NAN;
  const uint32_t *count = diagonals->count + (distance - diagonals->masked) * diagonals->bins;
  const double rank = level * (scores - 1), below = floor(rank);
  const double a = score_of_rank(diagonals, count, (uint64_t)below);
  if (rank == below) return a;
  const double b = score_of_rank(diagonals, count, (uint64_t)below + 1);
  return a + (b - a) * (rank - below);
}

void diagonals_finish(const struct diagonals *diagonals) {
  const struct score_batch *batch = diagonals->batch;
#pragma omp parallel for schedule(static) if (batch->batch > 1)
  for (size_t draw = 0; draw < batch->batch; draw++)
    finish_draw(diagonals, draw);
  if (!diagonals->count) return;
  const struct score_profile *profile = batch->profile;
  *profile->bin_width = (diagonals->range.high - diagonals->range.low) / (double)diagonals->bins;
#pragma omp parallel for schedule(static) if (diagonals->distances > STRIPE)
  for (size_t t = 0; t < diagonals->distances; t++)
    for (size_t l = 0; l < profile->levels; l++)
      profile->quantile[l * diagonals->distances + t] =
          quantile_at(diagonals, t, profile->level[l]);
}

/* Smallest and largest finite value side by side, so that the loop vectorises. */
VECTOR_CLONES
static void widen(const double *restrict value, size_t count, double *restrict low,
                  double *restrict high) {
  enum { LANES = 16 };
  double least[LANES], most[LANES];
  for (size_t l = 0; l < LANES; l++) {
    least[l] = *low;
    most[l] = *high;
  }
  for (size_t n = 0; n < count; n += LANES) {
    const size_t lanes = count - n < LANES ? count - n : LANES;
#pragma omp simd
    for (size_t l = 0; l < lanes; l++) {
      const double v = value[n + l];
      least[l] = ((v < least[l]) & (v >= -DBL_MAX)) ? v : least[l];
      most[l] = ((v > most[l]) & (v <= DBL_MAX)) ? v : most[l];
    }
  }
  for (size_t l = 0; l < LANES; l++) {
    *low = least[l] < *low ? least[l] : *low;
    *high = most[l] > *high ? most[l] : *high;
  }
}

void score_range_add(struct score_range *range, const struct score_part *part, double *value) {
  for (size_t m = part->row; m < part->row_end; m++) {
    const size_t count = score_part_visible(part, m);
    if (!count) continue;
    score_part_load(part, m, count, 1, value);
    widen(value, count, &range->low, &range->high);
  }
}

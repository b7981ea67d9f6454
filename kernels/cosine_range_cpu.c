/* Bounds of Σ_i cos(mθ_i) over boxes of distances and frequencies.

   Within a box the angle of a pair stays within ρ of that of the box's middle, φ, reduced to
   [−π, π]. The least cosine of such an arc is cos(|φ| + ρ) where that stays below half a turn, else
   −1; the greatest is cos(|φ| − ρ) where the arc leaves out 0, else 1. Both are written with the
   cosine and the sine of φ and bounds of those of ρ, so that no further sines are needed. */
#include "kernels/cpu.h"
#include "kernels/phase_table.h"

enum { PIECE = 256, LANES = 8 }; /* pairs at a time, and sums that run side by side */

/* Some of the pairs in a box. */
struct box {
  int64_t middle;
  double reach, radius; /* largest distance, and how far distances are from the middle */
  size_t pairs;
  const double *inv_freq, *spread, *rate; /* (pair) */
  double cosine[PIECE], sine[PIECE];      /* (pair) of the middle */
};

static const double inflation = 1 + 0x1p-48; /* for what products of a few doubles round */

static inline double lesser(double a, double b) {
  return a < b ? a : b;
}

static inline double greater(double a, double b) {
  return a > b ? a : b;
}

/* Taylor polynomials, for 0 <= ρ <= π: z = ρ². */
static inline double cosine_above(double z) {
  return 1 - z * (1. / 2 - z * (1. / 24));
}

static inline double cosine_below(double z) {
  return 1 - z * (1. / 2 - z * (1. / 24 - z * (1. / 720)));
}

static inline double sine_above(double arc, double z) {
  return arc * (1 - z * (1. / 6 - z * (1. / 120)));
}

/* How far the angle of a pair goes from that of the middle, at most half a turn. */
static inline double arc_of(double radius, double reach, double inv_freq, double spread) {
  return lesser((radius + reach * spread) * inv_freq * inflation, 3.1415926535897936);
}

/* In the same order on every processor. */
VECTOR_CLONES
static double total(const double *term, size_t count) {
  double part[LANES] = {0}, sum = 0;
  size_t i = 0;
  for (; i + LANES <= count; i += LANES) {
#pragma omp simd
    for (size_t j = 0; j < LANES; j++)
      part[j] += term[i + j];
  }
  for (; i < count; i++)
    sum += term[i];
  for (size_t j = 0; j < LANES; j++)
    sum += part[j];
  return sum;
}

VECTOR_CLONES
static double sum_low(const struct box *box) {
  const double *restrict inv_freq = box->inv_freq, *restrict spread = box->spread;
  const double radius = box->radius, reach = box->reach;
  double term[PIECE];
#pragma omp simd
  for (size_t i = 0; i < box->pairs; i++) {
    const double arc = arc_of(radius, reach, inv_freq[i], spread[i]), z = arc * arc;
    const double c = box->cosine[i], s = box->sine[i] < 0 ? -box->sine[i] : box->sine[i];
    const double below = cosine_below(z);
    const double least = c * (c > 0 ? below : cosine_above(z)) - s * sine_above(arc, z);
    term[i] = c + below > 0 ? greater(least, -1) : -1;
  }
  return total(term, box->pairs);
}

VECTOR_CLONES
static double sum_high(const struct box *box) {
  const double *restrict inv_freq = box->inv_freq, *restrict spread = box->spread;
  const double radius = box->radius, reach = box->reach;
  double term[PIECE];
#pragma omp simd
  for (size_t i = 0; i < box->pairs; i++) {
    const double arc = arc_of(radius, reach, inv_freq[i], spread[i]), z = arc * arc;
    const double c = box->cosine[i], s = box->sine[i] < 0 ? -box->sine[i] : box->sine[i];
    const double below = cosine_below(z);
    const double greatest = c * (c > 0 ? cosine_above(z) : below) + s * sine_above(arc, z);
    term[i] = c < below ? lesser(greatest, 1) : 1;
  }
  return total(term, box->pairs);
}

/* Adds to the slope of the middle, and to how far others are from it: u sin u at the angle u = mθ
   is off by at most ρ |sin u + u cos u| + ρ²/2 · (2 + u + ρ) within ρ of u. */
VECTOR_CLONES
static void sum_slope(const struct box *box, double *slope, double *around) {
  const double *restrict inv_freq = box->inv_freq, *restrict spread = box->spread,
                         *restrict rate = box->rate;
  const double radius = box->radius, reach = box->reach, distance = (double)box->middle;
  double term[PIECE], off[PIECE];
#pragma omp simd
  for (size_t i = 0; i < box->pairs; i++) {
    const double arc = (radius + reach * spread[i]) * inv_freq[i] * inflation;
    const double u = distance * inv_freq[i], bent = box->sine[i] + u * box->cosine[i];
    const double far = arc * (bent < 0 ? -bent : bent) + arc * arc / 2 * (2 + u + arc);
    term[i] = rate[i] * u * box->sine[i];
    off[i] = rate[i] * (far + 0x1p-50 * (u + arc));
  }
  *slope += total(term, box->pairs);
  *around += total(off, box->pairs);
}

static void bound_range(const struct cosine_range_batch *batch, size_t range) {
  const struct phases *phases = &batch->phases;
  const int64_t first = batch->first[range], last = batch->last[range],
                middle = first + (last - first) / 2;
  /* What adding up rounds: no partial sum is more than the number of pairs. */
  const double pairs = (double)phases->pairs, rounding = pairs * (pairs + 16) * 0x1p-53;
  double low = -rounding, high = rounding, slope = 0, around = 0;
  for (size_t i = 0; i < phases->pairs; i += PIECE) {
    struct box box;
    box.middle = middle;
    box.reach = (double)last;
    box.radius = (double)(last - middle);
    box.pairs = phases->pairs - i < PIECE ? phases->pairs - i : PIECE;
    box.inv_freq = phases->inv_freq + i;
    box.spread = batch->spread + i;
    box.rate = batch->rate ? batch->rate + i : NULL;
    phase_table_pairs(phases->step + i, box.pairs, middle, box.cosine, box.sine);
    if (batch->low) low += sum_low(&box);
    if (batch->high) high += sum_high(&box);
    if (batch->slope_low) sum_slope(&box, &slope, &around);
  }
  around *= 1 + pairs * 0x1p-50;
  if (batch->low) batch->low[range] = low;
  if (batch->high) batch->high[range] = high;
  if (!batch->slope_low) return;
  batch->slope_low[range] = slope - around;
  batch->slope_high[range] = slope + around;
}

int cosine_range_cpu(const struct cosine_range_batch *batch, struct error *error) {
  (void)error;
  for (size_t range = 0; range < batch->count; range++)
    bound_range(batch, range);
  return OK;
}

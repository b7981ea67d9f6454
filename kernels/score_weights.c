#include "kernels/score_weights.h"

#include <math.h>
#include <stdint.h>

enum { NEAR = 128 }; /* beyond, 2^−|m − n| no longer counts */

static const double ln_2 = 0.693147180559945309417;

void row_weights_start(struct row_weights *row) {
  *row = (struct row_weights){.peak = -INFINITY};
}

/* Scales what was summed against the old peak. */
static void raise_peak(struct row_weights *row, double peak) {
  const double change = row->peak - peak, power = exp2(change);
  if (row->sums.total != 0) {
    row->sums.exponent = power * (row->sums.exponent + change * row->sums.total);
    row->sums.total *= power;
    row->sums.distance *= power;
    row->locality *= power;
  }
  row->peak = peak;
}

/* Σ e·2^−|m − n| over the keys near the query. */
static double near_sum(const struct score_arithmetic *arithmetic, size_t m, size_t key,
                       const void *exponential, size_t count) {
  double value[2 * NEAR + 1], sum = 0;
  const size_t lowest = m < NEAR ? 0 : m - NEAR, highest = m + NEAR + 1;
  const size_t first = key > lowest ? key : lowest,
               end = key + count < highest ? key + count : highest;
  if (first >= end) return 0;
  arithmetic->load((const char *)exponential + (first - key) * arithmetic->size, end - first, 1,
                   value);
  double power = ldexp(1, first < m ? -(int)(m - first) : -(int)(first - m));
  for (size_t n = first; n < end; n++) {
    sum += value[n - first] * power;
    power *= n < m ? 2 : 0.5;
  }
  return sum;
}

void row_weights_add(struct row_weights *row, const struct row_softmax *softmax,
                     const struct score_part *part, size_t m, size_t count) {
  const struct score_arithmetic *arithmetic = softmax->arithmetic;
  void *score = score_part_row(part, m);
  const void *bias = score_part_exponent(part, m);
  const double peak = arithmetic->peak(score, bias, count, softmax->scale);
  if (peak > row->peak) raise_peak(row, peak);
  /* As long as all is masked there is no peak, and −∞ less −∞ would be NaN. */
  const double top = bias && row->peak == -INFINITY ? 0 : row->peak;
  if (!softmax->sums) {
    row->sums.total += arithmetic->exponentials(score, bias, count, softmax->scale, top);
    return;
  }
  const struct exponential_sums sums =
      arithmetic->moments(score, bias, count, softmax->scale, top, (double)part->key - (double)m);
  row->sums.total += sums.total;
  row->sums.exponent += sums.exponent;
  row->sums.distance += sums.distance;
  row->locality += near_sum(arithmetic, m, part->key, score, count);
}

double row_weights_factor(const struct row_weights *row, double peak) {
  return exp2(peak - row->peak) / row->sums.total;
}

/* −Σ P ln P with P = e / total and ln e = ln 2 · exponent. */
void row_weights_finish(const struct row_weights *row, struct weight_sums *sums) {
  const double total = row->sums.total;
  sums->locality += row->locality / total;
  sums->distance += row->sums.distance / total;
  sums->entropy += log(total) - ln_2 * row->sums.exponent / total;
}

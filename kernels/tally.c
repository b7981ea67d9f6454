#include "kernels/tally.h"

#include <math.h>

#include "kernels/cpu.h"

enum { PIECE = 512 }; /* values looked at together */

struct tally tally_start(void) {
  return (struct tally){INFINITY, TALLY_NONE, TALLY_NONE};
}

/* The lowest of the values that are numbers; whether any is none. */
VECTOR_CLONES
static double lowest(const double *value, size_t count, bool *nan) {
  double low = INFINITY;
  unsigned long nans = 0;
#pragma omp simd reduction(min : low) reduction(+ : nans)
  for (size_t i = 0; i < count; i++) {
    low = value[i] < low ? value[i] : low;
    nans += value[i] != value[i];
  }
  *nan = nans > 0;
  return low;
}

/* Whether a value takes the place of the minimum; NaN does once, and stays. */
static bool is_lower(double value, const struct tally *tally) {
  return !isnan(tally->minimum) &&
         (isnan(value) || value < tally->minimum || tally->minimum_at == TALLY_NONE);
}

static bool is_over(const struct tally *tally, bool stop) {
  return stop && tally->first_negative != TALLY_NONE;
}

static void add_one(struct tally *tally, double value, size_t at) {
  if (is_lower(value, tally)) {
    tally->minimum = value;
    tally->minimum_at = at;
  }
  if (value < 0 && tally->first_negative == TALLY_NONE) tally->first_negative = at;
}

/* A piece is looked at value by value only if it changes anything: few do. */
void tally_add(struct tally *tally, const double *value, size_t at, size_t count, bool stop) {
  for (size_t first = 0; first < count && !is_over(tally, stop); first += PIECE) {
    const size_t length = count - first < PIECE ? count - first : PIECE;
    bool nan;
    const double low = lowest(value + first, length, &nan);
    const bool negative = low < 0 && tally->first_negative == TALLY_NONE;
    if (!nan && !negative && !is_lower(low, tally)) continue;
    for (size_t i = first; i < first + length && !is_over(tally, stop); i++)
      add_one(tally, value[i], at + i);
  }
}

void tally_join(struct tally *tally, const struct tally *next, bool stop) {
  if (is_over(tally, stop)) return;
  if (next->minimum_at != TALLY_NONE && is_lower(next->minimum, tally)) {
    tally->minimum = next->minimum;
    tally->minimum_at = next->minimum_at;
  }
  if (tally->first_negative == TALLY_NONE) tally->first_negative = next->first_negative;
}

#include "lib/base/quantile.h"

#include <math.h>

static void swap(double *a, double *b) {
  const double old = *a;
  *a = *b;
  *b = old;
}

/* Puts value[k] where sorting would, nothing larger before it, nothing smaller behind (Hoare's
   Find); the pivot is the median of three, for runs that are sorted already. */
static void select_rank(double *value, size_t count, size_t rank) {
  ptrdiff_t low = 0, high = (ptrdiff_t)count - 1;
  const ptrdiff_t k = (ptrdiff_t)rank;
  while (low < high) {
    const double a = value[low], b = value[low + (high - low) / 2], c = value[high];
    const double pivot = fmax(fmin(a, b), fmin(fmax(a, b), c));
    ptrdiff_t i = low, j = high;
    while (i <= j) {
      while (value[i] < pivot)
        i++;
      while (value[j] > pivot)
        j--;
      if (i <= j) swap(value + i++, value + j--);
    }
    if (k > j && k < i) return;
    if (k <= j)
      high = j;
    else
      low = i;
  }
}

double quantile_between(double below, double above, double share) {
  return share < 0.5 ? below + (above - below) * share : above - (above - below) * (1 - share);
}

double quantile_select(double *value, size_t count, double level) {
  const double rank = level * (double)(count - 1);
  const size_t below = (size_t)rank;
  const double share = rank - (double)below;
  select_rank(value, count, below);
  const double a = value[below];
  if (share == 0 || below + 1 == count) return a;
  double b = value[below + 1];
  for (size_t i = below + 2; i < count; i++)
    b = value[i] < b ? value[i] : b;
  return quantile_between(a, b, share);
}

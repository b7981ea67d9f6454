/* What a colour scale makes of the cells of a map: how many lie beyond it, how many of its colours
   they use. */
#include <math.h>

#include "lib/base/quantile.h"
#include "lib/figure/colour_scale.h"

struct colour_beyond colour_count_beyond(const struct colour_scale *scale,
                                         const struct matrix *const *matrix, size_t count) {
  size_t below = 0, above = 0;
  for (size_t m = 0; m < count; m++) {
    const size_t bands = matrix_bands(matrix[m]);
#pragma omp parallel for reduction(+ : below, above) if (bands > 1)
    for (size_t b = 0; b < bands; b++) {
      const struct matrix_band band = matrix_band(matrix[m], b);
      for (size_t i = 0; i < band.count; i++) {
        below += band.cell[i] < scale->low && colour_shows(scale, band.cell[i]);
        above += band.cell[i] > scale->high;
      }
      matrix_leave(&band);
    }
  }
  return (struct colour_beyond){below, above};
}

/* Of each colour the finite cells other than 0 that have it; and the cells beyond the scale. */
struct census {
  struct colour_beyond beyond;
  size_t count[PALETTE_SIZE];
  double least[PALETTE_SIZE], largest[PALETTE_SIZE];
};

static void census_add(struct census *census, int index, size_t count, double least,
                       double largest) {
  census->count[index] += count;
  if (least < census->least[index]) census->least[index] = least;
  if (largest > census->largest[index]) census->largest[index] = largest;
}

static void census_clear(struct census *census) {
  census->beyond = (struct colour_beyond){0};
  for (int i = 0; i < PALETTE_SIZE; i++) {
    census->count[i] = 0;
    census->least[i] = INFINITY;
    census->largest[i] = -INFINITY;
  }
}

static void census_take(struct census *census, const struct colour_scale *scale,
                        const struct matrix *matrix) {
  enum { PIECE = 1024 };
  const size_t bands = matrix_bands(matrix);
  census_clear(census);
#pragma omp parallel if (bands > 1)
  {
    struct census part;
    int16_t index[PIECE];
    census_clear(&part);
#pragma omp for
    for (size_t b = 0; b < bands; b++) {
      const struct matrix_band band = matrix_band(matrix, b);
      for (size_t i = 0, piece; i < band.count; i += piece) {
        piece = band.count - i < PIECE ? band.count - i : PIECE;
        colour_indices(scale, band.cell + i, piece, index);
        for (size_t k = 0; k < piece; k++) {
          const double value = band.cell[i + k];
          part.beyond.below += index[k] >= 0 && value < scale->low;
          part.beyond.above += value > scale->high;
          if (index[k] >= 0 && isfinite(value) && value != 0)
            census_add(&part, index[k], 1, value, value);
        }
      }
      matrix_leave(&band);
    }
#pragma omp critical
    {
      census->beyond.below += part.beyond.below;
      census->beyond.above += part.beyond.above;
      for (int i = 0; i < PALETTE_SIZE; i++)
        census_add(census, i, part.count[i], part.least[i], part.largest[i]);
    }
  }
}

/* The colour of a quantile of them, as quantile_select() has it: colours rise with the values, so
   that only between two colours the values are asked for. */
static int census_quantile(const struct census *census, const struct colour_scale *scale,
                           size_t count, double level) {
  const double rank = level * (double)(count - 1);
  const size_t below = (size_t)rank;
  const double share = rank - (double)below;
  int index = 0;
  size_t end = census->count[0]; /* of the ranks that have this colour, or one before it */
  while (end <= below)
    end += census->count[++index];
  if (share == 0 || below + 1 < end || end == count) return index;
  int next = index + 1;
  while (!census->count[next])
    next++;
  return colour_index(scale, quantile_between(census->largest[index], census->least[next], share));
}

size_t colour_count_used(const struct colour_scale *scale, const struct matrix *matrix,
                         struct colour_beyond *beyond) {
  struct census census;
  size_t count = 0;
  census_take(&census, scale, matrix);
  *beyond = census.beyond;
  for (int i = 0; i < PALETTE_SIZE; i++)
    count += census.count[i];
  if (!count) return 0;
  const int low = census_quantile(&census, scale, count, 0.01),
            high = census_quantile(&census, scale, count, 0.99);
  if (low == high && !(census.least[low] < census.largest[low])) return 0;
  return (size_t)(high - low) + 1;
}

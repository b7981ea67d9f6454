/* How values become colours: the ends of a scale and the law between them. */
#ifndef ROPETOOL_FIGURE_COLOUR_SCALE_H
#define ROPETOOL_FIGURE_COLOUR_SCALE_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/error.h"
#include "lib/figure/palette.h"
#include "lib/io/matrix.h"

/* A value v between the ends has its colour at the part f(v) of the way from f(low) to f(high). */
enum colour_law {
  COLOUR_LINEAR, /* f(v) = v */
  COLOUR_LOG,    /* f(v) = ln v; 0 and below have no colour */
  /* For signed values, low = −high and t = high/1000: f(v) = v/t within ±t and
     sign(v)·(1 + log10 |v|/t) beyond. The linear part on either side of 0 is as high as each of the
     COLOUR_DECADES decades. */
  COLOUR_SIGNED_LOG,
};
enum { COLOUR_DECADES = 3 };

struct colour_scale {
  double low, high; /* low < high */
  enum colour_law law;
};

/* An end that is asked for: a value, or the percentile 0..100 of the cells that have a colour, with
   the two nearest ranks interpolated. */
struct colour_end {
  double value;
  bool percentile;
};

/* What is asked of a scale; all 0: linear, and as far as the values go. */
struct colour_wish {
  bool logarithmic, ranged; /* `ranged`: `low` and `high` are given */
  struct colour_end low, high;
  const char *text; /* of the range, for messages */
};

/* "LOW:HIGH", numbers or percentiles with '%': "-2:2", "1%:99%", "0:99%". `text` must stay.
 * ERROR_INPUT.
 */
int colour_range_parse(const char *text, struct colour_wish *wish, struct error *error);

/* The scale of some matrices together, as one of the kind `range`: their finite extent or what is
   asked for; for diverging ones symmetric about 0, as far as the end of larger size or the bound of
   their cells where there is one and no range is asked for; 0..2π for
   cyclic ones; widened a little where all cells are equal. A logarithmic scale of diverging ones is
   COLOUR_SIGNED_LOG. ERROR_FAILED when no cell is finite. ERROR_INPUT: none is > 0 where the
   scale is logarithmic, not signed; a range for angles, one that is empty, or not above 0 where it
   is to be. */
int colour_scale_fit(const struct matrix *const *matrix, size_t count, enum matrix_range range,
                     const struct colour_wish *wish, struct colour_scale *scale,
                     struct error *error);

/* The kind of range that they share: diverging where one is, else the first one's. */
enum matrix_range colour_common_range(const struct matrix *const *matrix, size_t count);

/* Whether a value has a colour: NaN has none, on a COLOUR_LOG scale neither 0 nor what is below. */
static inline bool colour_shows(const struct colour_scale *scale, double value) {
  return !isnan(value) && !(scale->law == COLOUR_LOG && value <= 0);
}

/* Where a finite value that has a colour lies between the ends: 0..1 within. */
double colour_part(const struct colour_scale *scale, double value);

/* Index 0..255 of a value, clamped; −1 when it has no colour. Infinities take the end they point
   to. */
int colour_index(const struct colour_scale *scale, double value);

/* The same of `count` values: one at a time takes far longer on a logarithmic scale. */
void colour_indices(const struct colour_scale *scale, const double *value, size_t count,
                    int16_t *index);

/* Of a signed logarithmic scale: it is linear between minus and plus that. */
double colour_linear_within(const struct colour_scale *scale);

/* The value in the middle of the colour's interval: colour_index gives `index` back. */
double colour_value(const struct colour_scale *scale, int index);

/* Cells that have a colour and lie beyond the ends, which are drawn in the colours of these. */
struct colour_beyond {
  size_t below, above;
};
struct colour_beyond colour_count_beyond(const struct colour_scale *scale,
                                         const struct matrix *const *matrix, size_t count);

/* How many neighbouring colours the middle 98 % of the finite cells of a matrix have that have a
   colour and are not 0; 0 where there are none, or only equal ones in a single colour. `beyond`, on
   the way: as of colour_count_beyond(). */
size_t colour_count_used(const struct colour_scale *scale, const struct matrix *matrix,
                         struct colour_beyond *beyond);

#endif

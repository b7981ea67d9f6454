#include "lib/figure/colour_scale.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/memory.h"
#include "lib/base/number.h"
#include "lib/base/quantile.h"
#include "lib/base/vector.h"

static int parse_end(const char *text, size_t size, struct colour_end *end, struct error *error) {
  char number[64];
  end->percentile = size > 0 && text[size - 1] == '%';
  const size_t digits = size - end->percentile;
  if (digits >= sizeof number)
    return error_set(error, ERROR_INPUT, "--range '%.*s' is no number", (int)size, text);
  snprintf(number, sizeof number, "%.*s", (int)digits, text);
  if (number_real(number, "--range", &end->value, error)) return error->code;
  if (!end->percentile || (end->value >= 0 && end->value <= 100)) return OK;
  return error_set(error, ERROR_INPUT, "--range '%.*s' is no percentile; from 0%% to 100%%",
                   (int)size, text);
}

int colour_range_parse(const char *text, struct colour_wish *wish, struct error *error) {
  const char *colon = strchr(text, ':');
  if (!colon || strchr(colon + 1, ':'))
    return error_set(error, ERROR_INPUT,
                     "--range '%s' is not LOW:HIGH, two numbers or percentiles (1%%:99%%)", text);
  if (parse_end(text, (size_t)(colon - text), &wish->low, error)) return error->code;
  if (parse_end(colon + 1, strlen(colon + 1), &wish->high, error)) return error->code;
  wish->ranged = true;
  wish->text = text;
  if (wish->low.percentile != wish->high.percentile || wish->low.value < wish->high.value)
    return OK;
  return error_set(error, ERROR_INPUT, "--range '%s' is empty: its low end must be below the high",
                   text);
}

/* ---- Ends --------------------------------------------------------------------------------------
 */

static struct matrix_span find_span(const struct matrix *const *matrix, size_t count) {
  struct matrix_span all = {0, INFINITY, -INFINITY, INFINITY};
  for (size_t m = 0; m < count; m++) {
    const struct matrix_span span = matrix_span(matrix[m]);
    all.finite += span.finite;
    all.low = fmin(all.low, span.low);
    all.high = fmax(all.high, span.high);
    all.positive = fmin(all.positive, span.positive);
  }
  return all;
}

/* The finite cells of all that have a colour, to be released with free(). */
static double *collect(const struct matrix *const *matrix, size_t count,
                       const struct colour_scale *scale, size_t *found, struct error *error) {
  size_t cells = 0;
  for (size_t m = 0; m < count; m++)
    cells += matrix[m]->rows * matrix[m]->columns;
  double *value = memory_array(cells, sizeof *value, "the cells of a colour scale", error);
  *found = 0;
  for (size_t m = 0; m < count && value; m++)
    for (size_t b = 0; b < matrix_bands(matrix[m]); b++) {
      const struct matrix_band band = matrix_band(matrix[m], b);
      for (size_t i = 0; i < band.count; i++)
        if (isfinite(band.cell[i]) && colour_shows(scale, band.cell[i]))
          value[(*found)++] = band.cell[i];
      matrix_leave(&band);
    }
  return value;
}

/* The ends that are asked for, percentiles of the cells that have a colour. */
static int find_asked(const struct matrix *const *matrix, size_t count,
                      const struct colour_wish *wish, struct colour_scale *scale,
                      struct error *error) {
  size_t found;
  scale->low = wish->low.value;
  scale->high = wish->high.value;
  if (!wish->low.percentile && !wish->high.percentile) return OK;
  double *value = collect(matrix, count, scale, &found, error);
  if (!value) return ERROR_FAILED;
  if (wish->low.percentile) scale->low = quantile_select(value, found, wish->low.value / 100);
  if (wish->high.percentile) scale->high = quantile_select(value, found, wish->high.value / 100);
  free(value);
  return OK;
}

/* Puts the ends that were asked for in place of those of the cells, which `scale` has. */
static int set_asked(const struct matrix *const *matrix, size_t count,
                     const struct colour_wish *wish, struct colour_scale *scale,
                     struct error *error) {
  const bool equal = scale->low == scale->high;
  const int code = find_asked(matrix, count, wish, scale, error);
  if (code) return code;
  if (scale->law == COLOUR_LOG && scale->low <= 0)
    return error_set(error, ERROR_INPUT,
                     "--range '%s' begins at %.12g; a logarithmic colour scale begins above 0",
                     wish->text, scale->low);
  if (scale->low < scale->high || (equal && scale->low == scale->high)) return OK;
  return error_set(
      error, ERROR_INPUT,
      "--range '%s' is empty for these cells: its low end is %.12g, its high end %.12g", wish->text,
      scale->low, scale->high);
}

/* Where cells of a diverging matrix may lie the scale reaches, whatever they are. */
static void reach_bounds(const struct matrix *const *matrix, size_t count,
                         struct colour_scale *scale) {
  for (size_t m = 0; m < count; m++)
    if (matrix[m]->range == MATRIX_DIVERGING) scale->high = fmax(scale->high, matrix[m]->bound);
}

/* Makes the ends those of the law, apart from each other. */
static void widen(enum matrix_range range, struct colour_scale *scale) {
  if (scale->law == COLOUR_LOG) {
    /* 256 colours must be tellable apart after rounding. */
    if (scale->high / scale->low < 1 + 1e-9) scale->low /= 1.1, scale->high *= 1.1;
    return;
  }
  if (range == MATRIX_DIVERGING) {
    scale->high = fmax(fabs(scale->low), fabs(scale->high));
    scale->low = -scale->high;
  }
  const double size = fmax(fabs(scale->low), fabs(scale->high));
  if (scale->high - scale->low > 1e-9 * size && size > 0) return;
  const double margin = size > 0 ? 0.05 * size : 1;
  scale->low -= margin;
  scale->high += margin;
}

enum matrix_range colour_common_range(const struct matrix *const *matrix, size_t count) {
  for (size_t m = 0; m < count; m++)
    if (matrix[m]->range == MATRIX_DIVERGING) return MATRIX_DIVERGING;
  return matrix[0]->range;
}

int colour_scale_fit(const struct matrix *const *matrix, size_t count, enum matrix_range range,
                     const struct colour_wish *wish, struct colour_scale *scale,
                     struct error *error) {
  *scale = (struct colour_scale){.law = !wish->logarithmic          ? COLOUR_LINEAR
                                        : range == MATRIX_DIVERGING ? COLOUR_SIGNED_LOG
                                                                    : COLOUR_LOG};
  if (wish->ranged && range == MATRIX_CYCLIC)
    return error_set(error, ERROR_INPUT, "--range does not go with angles, which turn");
  const struct matrix_span span = find_span(matrix, count);
  if (!span.finite)
    return error_set(error, ERROR_FAILED,
                     "nothing to draw: no cell of the map holds a finite number");
  scale->low = scale->law == COLOUR_LOG ? span.positive : span.low;
  scale->high = span.high;
  if (scale->low > scale->high)
    return error_set(error, ERROR_INPUT,
                     "--log 'c' has nothing to show: no cell of the map is greater than 0, and the "
                     "map is not signed");
  int code = OK;
  if (wish->ranged)
    code = set_asked(matrix, count, wish, scale, error);
  else if (range == MATRIX_DIVERGING)
    reach_bounds(matrix, count, scale);
  if (code) return code;
  if (range == MATRIX_CYCLIC && scale->law == COLOUR_LINEAR)
    scale->low = 0, scale->high = 2 * M_PI;
  else
    widen(range, scale);
  if (!(fmax(fabs(scale->low), fabs(scale->high)) < 1e300 && scale->high - scale->low > 1e-300))
    return error_set(error, ERROR_FAILED,
                     "values from %g to %g cannot be drawn; the scale ends at 1e300 and 1e-300",
                     scale->low, scale->high);
  return OK;
}

/* ---- Colours -----------------------------------------------------------------------------------
 */

double colour_linear_within(const struct colour_scale *scale) {
  return scale->high * pow(10, -COLOUR_DECADES);
}

/* Of a signed logarithmic scale, 0..1 from 0 to its end: the linear part, and equal decades. */
static double signed_part(double size, double end) {
  const double times = size / end * pow(10, COLOUR_DECADES);
  return (times < 1 ? times : 1 + log10(times)) / (1 + COLOUR_DECADES);
}

/* `decades`: ln high/low of a logarithmic scale. */
static inline double part_of(const struct colour_scale *scale, double decades, double value) {
  switch (scale->law) {
  case COLOUR_LOG:
    return log(value / scale->low) / decades;
  case COLOUR_SIGNED_LOG:
    return 0.5 + copysign(0.5 * signed_part(fabs(value), scale->high), value);
  default:
    return (value - scale->low) / (scale->high - scale->low);
  }
}

static double decades_of(const struct colour_scale *scale) {
  return scale->law == COLOUR_LOG ? log(scale->high / scale->low) : 0;
}

double colour_part(const struct colour_scale *scale, double value) {
  return part_of(scale, decades_of(scale), value);
}

static inline int index_of(const struct colour_scale *scale, double decades, double value) {
  if (!colour_shows(scale, value)) return -1;
  if (value <= scale->low) return 0;
  if (value >= scale->high) return PALETTE_SIZE - 1;
  const int index = (int)(part_of(scale, decades, value) * PALETTE_SIZE);
  return index < PALETTE_SIZE ? index : PALETTE_SIZE - 1;
}

int colour_index(const struct colour_scale *scale, double value) {
  return index_of(scale, decades_of(scale), value);
}

/* index_of() of a linear scale, the same bits, without branches. */
VECTOR_CLONES
static void linear_indices(const struct colour_scale *scale, const double *value, size_t count,
                           int16_t *index) {
  const double low = scale->low, high = scale->high, width = high - low;
#pragma omp simd
  for (size_t i = 0; i < count; i++) {
    const double within = value[i] > low ? value[i] < high ? value[i] : high : low;
    const int part = (int)((within - low) / width * PALETTE_SIZE);
    const int clamped = part < PALETTE_SIZE ? part : PALETTE_SIZE - 1;
    index[i] = (int16_t)(isnan(value[i]) ? -1 : clamped);
  }
}

void colour_indices(const struct colour_scale *scale, const double *value, size_t count,
                    int16_t *index) {
  if (scale->law == COLOUR_LINEAR) {
    linear_indices(scale, value, count, index);
    return;
  }
  const double decades = decades_of(scale);
  for (size_t i = 0; i < count; i++)
    index[i] = (int16_t)index_of(scale, decades, value[i]);
}

double colour_value(const struct colour_scale *scale, int index) {
  const double part = (index + 0.5) / PALETTE_SIZE;
  if (scale->law == COLOUR_LOG) return scale->low * pow(scale->high / scale->low, part);
  if (scale->law == COLOUR_LINEAR) return scale->low + part * (scale->high - scale->low);
  const double steps = fabs(2 * part - 1) * (1 + COLOUR_DECADES);
  const double times = steps < 1 ? steps : pow(10, steps - 1);
  return copysign(scale->high * times / pow(10, COLOUR_DECADES), part - 0.5);
}

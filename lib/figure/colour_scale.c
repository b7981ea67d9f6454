#include "lib/figure/colour_scale.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/memory.h"
#include "lib/base/number.h"
#include "lib/base/quantile.h"

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

/* Smallest and largest of the finite cells that have a colour on a scale of this law; false when
   there is none. */
static bool find_extent(const struct matrix *const *matrix, size_t count,
                        const struct colour_scale *like, double *low, double *high) {
  *low = INFINITY;
  *high = -INFINITY;
  for (size_t m = 0; m < count; m++)
    for (size_t i = 0; i < matrix[m]->rows * matrix[m]->columns; i++) {
      const double value = matrix[m]->cells[i];
      if (!isfinite(value) || !colour_shows(like, value)) continue;
      if (value < *low) *low = value;
      if (value > *high) *high = value;
    }
  return *low <= *high;
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
    for (size_t i = 0; i < matrix[m]->rows * matrix[m]->columns; i++) {
      const double cell = matrix[m]->cells[i];
      if (isfinite(cell) && colour_shows(scale, cell)) value[(*found)++] = cell;
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
  double low, high;
  if (!find_extent(matrix, count, &(struct colour_scale){.law = COLOUR_LINEAR}, &low, &high))
    return error_set(error, ERROR_FAILED,
                     "nothing to draw: no cell of the map holds a finite number");
  if (!find_extent(matrix, count, scale, &scale->low, &scale->high))
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

bool colour_shows(const struct colour_scale *scale, double value) {
  return !isnan(value) && !(scale->law == COLOUR_LOG && value <= 0);
}

double colour_linear_within(const struct colour_scale *scale) {
  return scale->high * pow(10, -COLOUR_DECADES);
}

/* Of a signed logarithmic scale, 0..1 from 0 to its end: the linear part, and equal decades. */
static double signed_part(double size, double end) {
  const double times = size / end * pow(10, COLOUR_DECADES);
  return (times < 1 ? times : 1 + log10(times)) / (1 + COLOUR_DECADES);
}

double colour_part(const struct colour_scale *scale, double value) {
  switch (scale->law) {
  case COLOUR_LOG:
    return log(value / scale->low) / log(scale->high / scale->low);
  case COLOUR_SIGNED_LOG:
    return 0.5 + copysign(0.5 * signed_part(fabs(value), scale->high), value);
  default:
    return (value - scale->low) / (scale->high - scale->low);
  }
}

int colour_index(const struct colour_scale *scale, double value) {
  if (!colour_shows(scale, value)) return -1;
  if (value <= scale->low) return 0;
  if (value >= scale->high) return PALETTE_SIZE - 1;
  const int index = (int)(colour_part(scale, value) * PALETTE_SIZE);
  return index < PALETTE_SIZE ? index : PALETTE_SIZE - 1;
}

double colour_value(const struct colour_scale *scale, int index) {
  const double part = (index + 0.5) / PALETTE_SIZE;
  if (scale->law == COLOUR_LOG) return scale->low * pow(scale->high / scale->low, part);
  if (scale->law == COLOUR_LINEAR) return scale->low + part * (scale->high - scale->low);
  const double steps = fabs(2 * part - 1) * (1 + COLOUR_DECADES);
  const double times = steps < 1 ? steps : pow(10, steps - 1);
  return copysign(scale->high * times / pow(10, COLOUR_DECADES), part - 0.5);
}

struct colour_beyond colour_count_beyond(const struct colour_scale *scale,
                                         const struct matrix *const *matrix, size_t count) {
  struct colour_beyond beyond = {0};
  for (size_t m = 0; m < count; m++)
    for (size_t i = 0; i < matrix[m]->rows * matrix[m]->columns; i++) {
      const double value = matrix[m]->cells[i];
      if (!colour_shows(scale, value)) continue;
      beyond.below += value < scale->low;
      beyond.above += value > scale->high;
    }
  return beyond;
}

int colour_count_used(const struct colour_scale *scale, const struct matrix *matrix, size_t *used,
                      struct error *error) {
  size_t found, kept = 0;
  double *value = collect(&matrix, 1, scale, &found, error);
  *used = 0;
  if (!value) return ERROR_FAILED;
  for (size_t i = 0; i < found; i++)
    if (value[i] != 0) value[kept++] = value[i];
  if (kept) {
    const double low = quantile_select(value, kept, 0.01),
                 high = quantile_select(value, kept, 0.99);
    if (low < high) *used = (size_t)(colour_index(scale, high) - colour_index(scale, low)) + 1;
  }
  free(value);
  return OK;
}

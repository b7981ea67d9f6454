/* How far the pairs turn at the target, against what training showed. */
#include <float.h>
#include <math.h>

#include "lib/analysis/extend_parts.h"

enum { METHOD, PAIR, TRAINED, ANGLE, REACH, GAP };

static double trained_angle(const struct extend_work *work, size_t pair) {
  return (double)work->request->original * work->trained->inv_freq_double[pair];
}

static double reached_angle(const struct extend_work *work, const struct spectrum *spectrum,
                            size_t pair) {
  return (double)work->request->target * spectrum->inv_freq_double[pair];
}

bool extend_turns(const struct extend_work *work, size_t pair) {
  return trained_angle(work, pair) >= 2 * M_PI;
}

/* A method that ends exactly where training did is off by what the factor and the steps of its rule
   are rounded by: a few units of double or float, of which 16 are let pass, and below float by what
   both frequencies are rounded to. */
static double slack(const struct spectrum *spectrum) {
  const enum precision precision = spectrum->spec.precision;
  return precision == PRECISION_FP64   ? 16 * DBL_EPSILON
         : precision == PRECISION_FP32 ? 16 * FLT_EPSILON
                                       : 3 * precision_roundoff(precision);
}

double extend_gap(const struct extend_work *work, const struct spectrum *spectrum, size_t pair) {
  if (extend_turns(work, pair)) return NAN;
  const double known = trained_angle(work, pair), reached = reached_angle(work, spectrum, pair);
  return reached - known <= slack(spectrum) * known ? 0 : reached - known;
}

size_t extend_count_gaps(const struct extend_work *work, const struct spectrum *spectrum,
                         double *largest) {
  size_t count = 0;
  *largest = 0;
  for (size_t i = 0; i < spectrum->pairs; i++) {
    const double gap = extend_gap(work, spectrum, i);
    count += gap > 0;
    *largest = fmax(*largest, gap); /* passes over NaN */
  }
  return count;
}

static int add_method(const struct extend_work *work, const struct extend_item *item,
                      struct error *error) {
  const struct spectrum *spectrum = item->spectrum;
  const size_t first = table_rows(work->table);
  double largest;
  int status = table_add_rows(work->table, spectrum->pairs, error);
  for (size_t i = 0; !status && i < spectrum->pairs; i++) {
    const double known = trained_angle(work, i), reached = reached_angle(work, spectrum, i);
    status = table_set_text(work->table, first + i, METHOD, item->method, error);
    if (status) break;
    table_set_integer(work->table, first + i, PAIR, (int64_t)i);
    table_set_real(work->table, first + i, TRAINED, known);
    table_set_real(work->table, first + i, ANGLE, reached);
    table_set_real(work->table, first + i, REACH, known > 0 ? reached / known : NAN);
    table_set_real(work->table, first + i, GAP, extend_gap(work, spectrum, i));
  }
  if (status) return status;
  meta_set_integer(item->meta, "untrained_pairs",
                   (int64_t)extend_count_gaps(work, spectrum, &largest));
  meta_set_real(item->meta, "max_angle_gap", largest);
  return OK;
}

const struct extend_view extend_reach = {
    .name = "reach",
    .methods = EXTEND_USUAL_METHODS,
    .columns = {{"method", COLUMN_TEXT},
                {"pair", COLUMN_INTEGER},
                {"trained_angle", COLUMN_REAL},
                {"angle", COLUMN_REAL},
                {"reach", COLUMN_REAL},
                {"gap", COLUMN_REAL}},
    .add_method = add_method,
};

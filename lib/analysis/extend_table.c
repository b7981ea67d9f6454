/* The methods, a row each. */
#include <math.h>
#include <string.h>

#include "lib/analysis/extend_parts.h"
#include "lib/rope/phases.h"

enum { METHOD, FACTOR, BASE, ATTENTION_FACTOR, FIRST_NEGATIVE, UNTRAINED, GAP };

static int find_negative(const struct extend_work *work, const struct spectrum *spectrum,
                         double *first_negative, struct error *error) {
  int64_t first;
  const struct cosine_sum_batch batch = {.phases = phases_of(spectrum),
                                         .step = 1,
                                         .count = (size_t)work->request->target + 1,
                                         .stop_at_negative = true,
                                         .first_negative = &first};
  const int status = backend_cosine_sum(work->backend, &batch, error);
  if (!status) *first_negative = first < 0 ? NAN : (double)first;
  return status;
}

/* The factor by which a method was asked to stretch, NaN where it has none. */
static double factor_of(const struct extend_work *work, const struct extend_item *item) {
  if (!strcmp(item->method, "base"))
    return (double)work->request->target / (double)work->request->original;
  return spec_parameter(&item->spectrum->spec, "factor");
}

static int add_method(const struct extend_work *work, const struct extend_item *item,
                      struct error *error) {
  const size_t row = table_rows(work->table);
  double gap, first_negative = NAN;
  const size_t untrained = extend_count_gaps(work, item->spectrum, &gap);
  int status = find_negative(work, item->spectrum, &first_negative, error);
  if (!status) status = table_add_rows(work->table, 1, error);
  if (!status) status = table_set_text(work->table, row, METHOD, item->method, error);
  if (status) return status;
  table_set_real(work->table, row, FACTOR, factor_of(work, item));
  table_set_real(work->table, row, BASE, item->spectrum->spec.base);
  table_set_real(work->table, row, ATTENTION_FACTOR, item->spectrum->attention_factor);
  table_set_real(work->table, row, FIRST_NEGATIVE, first_negative);
  table_set_integer(work->table, row, UNTRAINED, (int64_t)untrained);
  table_set_real(work->table, row, GAP, gap);
  return OK;
}

const struct extend_view extend_table = {
    .name = "table",
    .methods = EXTEND_USUAL_METHODS,
    .columns = {{"method", COLUMN_TEXT},
                {"factor", COLUMN_REAL},
                {"base", COLUMN_REAL},
                {"attention_factor", COLUMN_REAL},
                {"first_negative_distance", COLUMN_REAL}, /* may be empty */
                {"untrained_pairs", COLUMN_INTEGER},
                {"max_angle_gap", COLUMN_REAL}},
    .add_method = add_method,
};

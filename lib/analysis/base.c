#include "lib/analysis/base.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/analysis/base_lines.h"
#include "lib/analysis/base_reach.h"
#include "lib/base/memory.h"
#include "lib/base/progress.h"

enum { DIM, CONTEXT, FIRST_BASE, FIRST_WITNESS, SAFE_BASE, SAFE_WITNESS, CERTIFIED, COLUMNS };
static const struct {
  const char *name;
  enum column_kind kind;
} columns[COLUMNS] = {
    {"dim", COLUMN_INTEGER},        {"context", COLUMN_INTEGER},   {"first_base", COLUMN_REAL},
    {"first_witness", COLUMN_REAL}, /* witnesses may be empty */
    {"safe_base", COLUMN_REAL},     {"safe_witness", COLUMN_REAL}, {"certified", COLUMN_TEXT},
};

/* To twelve digits, away from what lies between the bounds: the last ones would depend on the
   processor, whose logarithms say where the search cuts its boxes. */
static double outward(double bound, bool up) {
  if (!isfinite(bound)) return bound;
  char text[32];
  const double digit = pow(10, floor(log10(bound)) - 11);
  snprintf(text, sizeof text, "%.11e", bound);
  const double near = strtod(text, NULL);
  if (up ? near >= bound : near <= bound) return near;
  snprintf(text, sizeof text, "%.11e", up ? near + digit : near - digit);
  return strtod(text, NULL);
}

static void describe_limit(const struct base_limit *limit, const char *at_least,
                           const char *at_most, struct meta *meta) {
  const bool none = isnan(limit->base) && limit->certified;
  meta_set_real(meta, at_least, none ? NAN : outward(limit->below, false));
  meta_set_real(meta, at_most, none ? NAN : outward(limit->above, true));
}

/* Why a row is not certified. */
static void explain(const struct base_answer *answer, struct meta *meta) {
  const struct base_limit *first = &answer->first, *safe = &answer->safe;
  char why[256] = "rounding hides the signs of the sums:";
  size_t used = strlen(why);
  if (first->certified && safe->certified) return;
  if (!first->certified)
    used +=
        (size_t)snprintf(why + used, sizeof why - used, " the first base is from %.9g to %.9g%s",
                         first->below, first->above, safe->certified ? "" : ",");
  if (!safe->certified)
    snprintf(why + used, sizeof why - used, " the safe base is from %.9g to %.9g", safe->below,
             safe->above);
  meta_set_text(meta, "why", why);
}

static int describe(struct backend *backend, int64_t dim, int64_t context,
                    const struct base_answer *answer, struct meta *meta, struct error *error) {
  meta_set_integer(meta, "dim", dim);
  meta_set_integer(meta, "context", context);
  describe_limit(&answer->first, "first_at_least", "first_at_most", meta);
  describe_limit(&answer->safe, "safe_at_least", "safe_at_most", meta);
  explain(answer, meta);
  char text[32];
  int64_t negative = -1;
  snprintf(text, sizeof text, "%.1e", answer->first.base);
  const double rounded = strtod(text, NULL);
  const struct base_probe probe = {dim, &rounded, 1, context};
  if (rounded >= 1 && base_first_negative(backend, &probe, &negative, error)) return error->code;
  meta_set_real(meta, "rounded_base", rounded);
  if (negative < 0)
    meta_set_text(meta, "rounded_first_negative", NULL);
  else
    meta_set_integer(meta, "rounded_first_negative", negative);
  return OK;
}

static int fill_row(size_t row, int64_t dim, int64_t context, const struct base_answer *answer,
                    struct table *table, struct error *error) {
  const struct base_limit *first = &answer->first, *safe = &answer->safe;
  table_set_integer(table, row, DIM, dim);
  table_set_integer(table, row, CONTEXT, context);
  table_set_real(table, row, FIRST_BASE, first->base);
  table_set_real(table, row, FIRST_WITNESS, first->witness ? (double)first->witness : NAN);
  table_set_real(table, row, SAFE_BASE, safe->base);
  table_set_real(table, row, SAFE_WITNESS, safe->witness ? (double)safe->witness : NAN);
  return table_set_text(table, row, CERTIFIED, first->certified && safe->certified ? "yes" : "no",
                        error);
}

static int run_dim(struct backend *backend, const struct base_request *request, size_t index,
                   struct table *table, struct error *error) {
  const int64_t dim = request->dim[index];
  struct base_answer *answer =
      memory_array(request->contexts, sizeof *answer, "the bases of the contexts", error);
  if (!answer) return ERROR_FAILED;
  const size_t part = 3 * request->contexts * index, parts = 3 * request->contexts * request->dims;
  const struct base_problem problem = {.dim = (size_t)dim,
                                       .context = request->context,
                                       .contexts = request->contexts,
                                       .part = part,
                                       .parts = parts};
  int status = base_search(backend, &problem, answer, error);
  for (size_t c = 0; c < request->contexts && !status; c++) {
    struct meta *meta = meta_append_object(table_meta(table), "answers");
    progress_part(part + 2 * request->contexts + c, parts);
    status = describe(backend, dim, request->context[c], &answer[c], meta, error);
    if (!status)
      status = fill_row(index * request->contexts + c, dim, request->context[c], &answer[c], table,
                        error);
  }
  free(answer);
  return status;
}

static int fill_table(struct backend *backend, const struct base_request *request,
                      struct table *table, struct error *error) {
  for (size_t c = 0; c < COLUMNS; c++)
    if (table_add_column(table, columns[c].name, columns[c].kind, error) < 0) return ERROR_FAILED;
  for (size_t l = 0; l < request->lines; l++)
    if (table_add_column(table, base_line_column(request->line[l]), COLUMN_REAL, error) < 0)
      return ERROR_FAILED;
  if (table_add_rows(table, request->dims * request->contexts, error)) return error->code;
  meta_set_real(table_meta(table), "tolerance", BASE_TOLERANCE);
  int status = OK;
  for (size_t d = 0; d < request->dims && !status; d++)
    status = run_dim(backend, request, d, table, error);
  progress_part(1, 1);
  if (status) return status;
  base_lines_fill(request, COLUMNS, table);
  return OK;
}

int base_check(const struct base_request *request, struct error *error) {
  for (size_t d = 0; d < request->dims; d++)
    if (request->dim[d] < BASE_DIM_LEAST || request->dim[d] > BASE_DIM_MOST || request->dim[d] % 2)
      return error_set(error, ERROR_INPUT,
                       "%lld dimensions are not an even number from %d to %d: with 2 there is one "
                       "pair, whose angle does not depend on the base",
                       (long long)request->dim[d], BASE_DIM_LEAST, BASE_DIM_MOST);
  for (size_t c = 0; c < request->contexts; c++)
    if (request->context[c] < 1 || request->context[c] > BASE_CONTEXT_MOST ||
        (c && request->context[c] <= request->context[c - 1]))
      return error_set(error, ERROR_INPUT,
                       "context %lld is not one of ascending ones from 1 to %lld",
                       (long long)request->context[c], (long long)BASE_CONTEXT_MOST);
  return OK;
}

int base_run(struct backend *backend, const struct base_request *request, struct table **table,
             struct error *error) {
  *table = NULL;
  if (base_check(request, error)) return error->code;
  struct table *made = table_create(error);
  if (!made) return ERROR_FAILED;
  const int status = fill_table(backend, request, made, error);
  if (status)
    table_destroy(made);
  else
    *table = made;
  return status;
}

/* Scores over distance, and of near tokens across the end of the learned table. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/analysis/compare_parts.h"
#include "lib/analysis/token_geometry.h"
#include "lib/base/memory.h"

enum { SERIES, ENCODING, HEAD, AT, MEAN, SPREAD, RELATIVE };

int compare_curves_create(const struct comparison *work, struct table **table,
                          struct error *error) {
  static const char *const profile[] = {"series", "encoding", "head", "distance", "mean",
                                        "q05",    "q25",      "q75",  "q95",      NULL},
                           *const edge[] = {"series", "encoding", "head",     "position",
                                            "change", "stderr",   "relative", NULL};
  const char *const *names = work->request->view == COMPARE_EDGE ? edge : profile;
  *table = table_create(error);
  if (!*table) return ERROR_FAILED;
  for (size_t i = 0; names[i]; i++) {
    const enum column_kind kind = i <= ENCODING ? COLUMN_TEXT
                                  : i == AT     ? COLUMN_INTEGER
                                                : COLUMN_REAL;
    if (table_add_column(*table, names[i], kind, error) < 0) return ERROR_FAILED;
  }
  return OK;
}

int compare_curves_label(const struct compare_item *item, bool untrained, size_t at,
                         struct table *table, size_t row, struct error *error) {
  char series[128];
  snprintf(series, sizeof series, "%s%s", item->title, untrained ? " (untrained)" : "");
  table_set_real(table, row, HEAD, item->has_head ? (double)item->head : NAN);
  table_set_integer(table, row, AT, (int64_t)at);
  const int status = table_set_text(table, row, SERIES, series, error);
  return status ? status : table_set_text(table, row, ENCODING, item->name, error);
}

/* ---- Across the end of the table ---------------------------------------------------------------
 */

/* Queries first .. end − 1 and the NEAR keys before each. */
enum { NEAR = 16, REACH = 128 };
struct edge {
  size_t first, end;
  double *change; /* (draw, query) */
};

static double dot(const double *a, const double *b, size_t dim) {
  double sum = 0;
  for (size_t i = 0; i < dim; i++)
    sum += a[i] * b[i];
  return sum;
}

/* The root mean square over near keys of what positions change: scores less those of contents
   alone. */
static int measure_row(const struct scorer *scorer, const struct scorer_vectors *content,
                       const struct token_rows *placed, size_t query, double *change,
                       struct error *error) {
  const size_t dim = placed->dim, near = query < NEAR ? query : NEAR, row = query - placed->first;
  const struct score_block block = {.row = query, .rows = 1, .key = query - near, .keys = near};
  double terms[NEAR] = {0};
  double square = 0;
  if (scorer->terms.fill && scorer->terms.fill(scorer->terms.user, &block, terms, error))
    return error->code;
  for (size_t t = 1; t <= near; t++) {
    const double score = dot(placed->query + row * dim, placed->key + (row - t) * dim, dim) +
                         terms[near - t] +
                         (scorer->bias ? scorer->bias[scorer->length - 1 + t] : 0);
    const double plain =
        content->query ? dot(content->query + query * dim, content->key + (query - t) * dim, dim)
                       : 0;
    square += (score - plain) * (score - plain);
  }
  *change = sqrt(square / (double)near);
  return OK;
}

static int measure_draw(const struct comparison *work, const struct compare_item *item,
                        struct scorer *scorer, size_t index, const struct edge *edge,
                        struct error *error) {
  struct scorer plain = *scorer;
  plain.query_table = plain.key_table = false;
  struct compare_draw draw = {.first = index, .draws = 1}, content = draw;
  const size_t dim = work->dim, start = edge->first < NEAR ? 0 : edge->first - NEAR,
               rows = edge->end - start;
  double *placed = memory_array(3 * rows * dim, sizeof *placed, "vectors with positions", error);
  int status = placed ? OK : ERROR_FAILED;
  if (!status) status = compare_draw_create(work, item, scorer, &draw, error);
  if (!status) status = compare_draw_create(work, item, &plain, &content, error);
  if (!status && scorer->bind) scorer->bind(scorer, draw.vectors.query, draw.vectors.key);
  if (!status) {
    const double *zeros = placed + 2 * rows * dim;
    const bool any = draw.vectors.query;
    struct token_rows tokens = {.first = start,
                                .rows = rows,
                                .dim = dim,
                                .query = any ? draw.vectors.query + start * dim : zeros,
                                .key = any ? draw.vectors.key + start * dim : zeros};
    status = token_geometry_place(work->backend, draw.vectors.projected ? &plain : scorer, &tokens,
                                  placed, placed + rows * dim, error);
    tokens.query = placed;
    tokens.key = placed + rows * dim;
    for (size_t m = edge->first; !status && m < edge->end; m++)
      status =
          measure_row(scorer, &content.vectors, &tokens, m,
                      &edge->change[index * (edge->end - edge->first) + m - edge->first], error);
  }
  free(placed);
  compare_draw_release(&content);
  compare_draw_release(&draw);
  return status;
}

/* Means over the draws; `relative` to what they are before the table's end on average. */
static int write_edge(const struct comparison *work, const struct compare_item *item,
                      bool untrained, const struct edge *edge, struct table *table,
                      struct error *error) {
  const size_t count = edge->end - edge->first, row = table_rows(table),
               inside = work->request->learned->positions - edge->first;
  double *value = memory_array(work->draws, sizeof *value, "the scores of draws", error), level = 0;
  int status = value ? table_add_rows(table, count, error) : ERROR_FAILED;
  for (size_t m = 0; !status && m < count; m++) {
    for (size_t b = 0; b < work->draws; b++)
      value[b] = edge->change[b * count + m];
    const struct metric_estimate estimate = metric_estimate(value, work->draws);
    status = compare_curves_label(item, untrained, edge->first + m, table, row + m, error);
    table_set_real(table, row + m, MEAN, estimate.mean);
    table_set_real(table, row + m, SPREAD, estimate.standard_error);
    if (m < inside) level += estimate.mean / (double)inside;
  }
  for (size_t m = 0; !status && m < count; m++)
    table_set_real(table, row + m, RELATIVE,
                   level > 0 ? table_real(table, row + m, MEAN) / level : NAN);
  free(value);
  return status;
}

static int add_edge(const struct comparison *work, const struct compare_item *item,
                    struct scorer *scorer, struct table *table, struct error *error) {
  const size_t positions = work->request->learned->positions, length = work->request->length;
  struct edge edge = {.first = positions > REACH + 1 ? positions - REACH : 1,
                      .end = positions + REACH < length ? positions + REACH : length};
  if (edge.end <= edge.first)
    return error_set(error, ERROR_INPUT,
                     "the length '%zu' does not reach the end of the learned table at %zu", length,
                     positions);
  edge.change = memory_array(work->draws * (edge.end - edge.first), sizeof *edge.change,
                             "the scores of draws", error);
  int status = edge.change ? OK : ERROR_FAILED;
  for (size_t b = 0; !status && b < work->draws; b++)
    status = measure_draw(work, item, scorer, b, &edge, error);
  const bool untrained = compare_is_untrained(work, item, scorer);
  if (!status) status = write_edge(work, item, untrained, &edge, table, error);
  free(edge.change);
  return status;
}

int compare_curves_add(const struct comparison *work, const struct compare_item *item,
                       struct item_result *result, struct table *table, struct error *error) {
  struct scorer scorer = {0};
  int status = compare_make_scorer(work, item, &scorer, error);
  const struct compare_profile profile = {.item = item, .scorer = &scorer, .table = table};
  if (!status)
    status = work->request->view == COMPARE_EDGE
                 ? add_edge(work, item, &scorer, table, error)
                 : compare_profile_add(work, &profile, &result->quantile_error, error);
  scorer_release(&scorer);
  return status;
}

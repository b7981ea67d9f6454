/* The table of metrics, and the meta data. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/analysis/compare_parts.h"
#include "lib/base/precision.h"

enum { ENCODING, HEAD, LENGTH, METRIC, VALUE, STDERR, DETAIL, COLUMNS };
enum { DETAIL_SIZE = 96 };
static const char untrained[] = "untrained"; /* in every detail of such an encoding */

int compare_table_create(struct table **table, struct error *error) {
  static const struct {
    const char *name;
    enum column_kind kind;
  } columns[COLUMNS] = {{"encoding", COLUMN_TEXT},  {"head", COLUMN_REAL},
                        {"length", COLUMN_INTEGER}, {"metric", COLUMN_TEXT},
                        {"value", COLUMN_REAL},     {"stderr", COLUMN_REAL},
                        {"detail", COLUMN_TEXT}};
  *table = table_create(error);
  if (!*table) return ERROR_FAILED;
  for (size_t i = 0; i < COLUMNS; i++)
    if (table_add_column(*table, columns[i].name, columns[i].kind, error) < 0) return ERROR_FAILED;
  return OK;
}

static bool is_linear(const struct comparison *work) {
  return work->request->attention != COMPARE_SOFTMAX;
}

/* Why a value is empty, or what it is the mean of; NULL where there is nothing to say. */
static const char *explain(const struct comparison *work, const struct compare_item *item,
                           const struct item_result *result, enum metric metric, size_t draws) {
  const bool drifts = metric == METRIC_NORM_DRIFT || metric == METRIC_ANGLE_DRIFT;
  if (metric == METRIC_SYMMETRY && work->request->causal) return "masked";
  if (metric == METRIC_NEGATIVE_SHARE && !is_linear(work)) return "softmax";
  if (drifts && item->terms != TERMS_ALL) return "of the whole alone";
  if (draws < work->draws && result->overflown) return "not finite";
  if (metric == METRIC_TRANSLATION_INVARIANCE && !content_is_constant(&work->request->content))
    return "tokens differ by position";
  if (draws) return NULL;
  if (drifts) return "no content";
  if (metric == METRIC_MONOTONICITY)
    return work->request->length < 2 ? "one distance" : "the same at all distances";
  if (metric == METRIC_ENTROPY && is_linear(work)) return "negative weights";
  return NULL;
}

/* Of draws that have none there is no half distance to be averaged: the mean of the others is too
   small. */
static void drop_partial(const struct comparison *work, enum metric metric, bool overflown,
                         struct metric_estimate *estimate) {
  if (estimate->draws < work->draws && (overflown || metric == METRIC_HALF_DISTANCE))
    estimate->mean = estimate->standard_error = NAN;
}

static void set_detail(const struct comparison *work, const struct compare_item *item,
                       const struct item_result *result, enum metric metric, size_t draws,
                       char text[DETAIL_SIZE]) {
  const char *why = explain(work, item, result, metric, draws);
  *text = 0;
  if (why)
    snprintf(text, DETAIL_SIZE, "%s", why);
  else if (draws < work->draws)
    snprintf(text, DETAIL_SIZE, "%zu of %zu draws", draws, work->draws);
}

static void append(char text[DETAIL_SIZE], const char *more) {
  const size_t used = strlen(text);
  snprintf(text + used, DETAIL_SIZE - used, "%s%s", used ? ", " : "", more);
}

static int fill_row(const struct comparison *work, const struct compare_item *item,
                    const struct item_result *result, enum metric metric, struct table *table,
                    struct error *error) {
  const size_t row = table_rows(table) - METRICS + metric;
  char detail[DETAIL_SIZE];
  struct metric_estimate estimate =
      metric_estimate(result->value + metric * work->draws, work->draws);
  if (metric == METRIC_BEYOND_TABLE) {
    estimate = (struct metric_estimate){.mean = result->positions, .standard_error = NAN};
    snprintf(detail, sizeof detail, "%s", item->encoding->beyond);
  } else {
    if (content_is_constant(&work->request->content) && estimate.draws) estimate.standard_error = 0;
    drop_partial(work, metric, result->overflown, &estimate);
    set_detail(work, item, result, metric, estimate.draws, detail);
  }
  if (result->untrained) append(detail, untrained);
  table_set_real(table, row, HEAD, item->has_head ? (double)item->head : NAN);
  table_set_integer(table, row, LENGTH, (int64_t)work->request->length);
  table_set_real(table, row, VALUE, estimate.mean);
  table_set_real(table, row, STDERR, estimate.standard_error);
  if (table_set_text(table, row, ENCODING, item->name, error) ||
      table_set_text(table, row, METRIC, metric_name(metric), error))
    return ERROR_FAILED;
  return table_set_text(table, row, DETAIL, detail, error);
}

int compare_table_add(const struct comparison *work, const struct compare_item *item,
                      const struct item_result *result, struct table *table, struct error *error) {
  int status = table_add_rows(table, METRICS, error);
  for (int metric = 0; !status && metric < METRICS; metric++)
    status = fill_row(work, item, result, (enum metric)metric, table, error);
  return status;
}

static void describe_learned(const struct position_table *learned, struct meta *meta) {
  struct meta *table = meta_object(meta, "learned");
  meta_set_text(table, "name", learned->name);
  meta_set_integer(table, "positions", (int64_t)learned->positions);
  meta_set_integer(table, "width", (int64_t)learned->width);
  if (learned->skipped) meta_set_integer(table, "reserved_rows", (int64_t)learned->skipped);
  if (learned->untrained) meta_set_flag(table, "untrained", true);
}

static void describe_projection(const struct compare_request *request, struct meta *meta) {
  const struct projection *projection = request->projection;
  if (!request->projections) {
    meta_set_text(meta, "projections", "identity");
    return;
  }
  struct meta *object = meta_object(meta, "projections");
  meta_set_text(object, "name", projection->name);
  if (request->untrained)
    meta_set_flag(object, "untrained", true);
  else
    meta_set_integer(object, "layer", (int64_t)projection->layer);
  meta_set_integer(object, "heads", (int64_t)projection->heads);
  meta_set_flag(object, "norm", projection->gain != NULL);
}

static void describe_attention(const struct comparison *work, struct meta *meta) {
  static const char *const names[] = {[COMPARE_SOFTMAX] = "softmax",
                                      [COMPARE_LINEAR_ELU] = "linear:elu",
                                      [COMPARE_LINEAR_FAVOR] = "linear:favor"};
  meta_set_text(meta, "attention", names[work->request->attention]);
  if (!is_linear(work)) return;
  meta_set_integer(meta, "features", (int64_t)work->features);
  meta_set_text(meta, "rotation",
                work->request->rotate_first ? "before the feature map"
                                            : "after the feature map, in the numerator alone");
}

void compare_describe(const struct comparison *work, struct meta *meta) {
  const struct compare_request *request = work->request;
  char content[64];
  content_describe(&request->content, content, sizeof content);
  spectrum_describe(request->spectrum, meta);
  meta_set_integer(meta, "length", (int64_t)request->length);
  meta_set_integer(meta, "width", (int64_t)request->width);
  meta_set_integer(meta, "dim", (int64_t)work->dim);
  meta_set_text(meta, "content", content);
  meta_set_integer(meta, "batch", (int64_t)work->draws);
  if (!content_is_constant(&request->content))
    meta_set_integer(meta, "seed", (int64_t)request->seed);
  meta_set_flag(meta, "causal", request->causal);
  describe_attention(work, meta);
  meta_set_text(meta, "arithmetic", precision_name(work->single ? PRECISION_FP32 : PRECISION_FP64));
  describe_projection(request, meta);
  if (request->learned) describe_learned(request->learned, meta);
  if (request->reference) meta_set_text(meta, "reference", request->reference->name);
}

/* Of numbers beyond the arithmetic, and of a table that is lost beside the tokens. */
static void warn(const struct compare_item *item, const struct item_result *result,
                 struct meta *meta) {
  static const double small = 0.1;
  char warning[256];
  if (result->overflown) {
    snprintf(warning, sizeof warning, "%s: some scores or their squares are beyond %s", item->title,
             precision_name(result->arithmetic));
    meta_append_text(meta, "warnings", warning);
  }
  if (result->table_norm < small * result->token_norm) {
    snprintf(warning, sizeof warning,
             "%s: rows of mean norm %.3g are added to tokens of mean norm %.3g, which is why they "
             "change little; --content zero shows them alone",
             item->title, result->table_norm, result->token_norm);
    meta_append_text(meta, "warnings", warning);
  }
}

void compare_describe_item(const struct comparison *work, const struct compare_item *item,
                           const struct item_result *result, struct meta *meta) {
  struct meta *object = meta_append_object(meta, "encodings");
  meta_set_text(object, "name", item->name);
  meta_set_text(object, "title", item->title);
  if (item->has_head) meta_set_integer(object, "head", (int64_t)item->head);
  if (item->terms == TERMS_ALL) meta_set_text(object, "source", item->encoding->source);
  if (result->untrained) {
    meta_set_flag(object, "untrained", true);
    meta_set_flag(meta, "untrained", true);
  }
  meta_set_text(object, "arithmetic", precision_name(result->arithmetic));
  meta_set_real(object, "score_error_bound", result->error_bound);
  warn(item, result, meta);
  if (work->request->view == COMPARE_PROFILE)
    meta_set_real(object, "quantile_error", result->quantile_error);
  if (is_linear(work)) meta_set_real(object, "linear_form_difference", result->linear_difference);
}

/* ---- The grid ----------------------------------------------------------------------------------
 */

/* Whether any encoding has it. */
static bool is_drawn(const struct table *metrics, enum metric metric) {
  for (size_t row = metric; metric != METRIC_BEYOND_TABLE && row < table_rows(metrics);
       row += METRICS)
    if (isfinite(table_real(metrics, row, VALUE))) return true;
  return false;
}

static int add_to_grid(const struct table *metrics, size_t row, struct table *grid,
                       struct error *error) {
  static const char *const names[METRICS] = {[METRIC_TRANSLATION_INVARIANCE] = "invariance",
                                             [METRIC_SYMMETRY] = "symmetry",
                                             [METRIC_MONOTONICITY] = "monotonic",
                                             [METRIC_LOCALITY] = "locality",
                                             [METRIC_MEAN_DISTANCE] = "distance",
                                             [METRIC_ENTROPY] = "entropy",
                                             [METRIC_HALF_DISTANCE] = "half at",
                                             [METRIC_NORM_DRIFT] = "norm drift",
                                             [METRIC_ANGLE_DRIFT] = "angle drift",
                                             [METRIC_NEGATIVE_SHARE] = "negative"};
  enum { GRID_ENCODING, GRID_METRIC, GRID_VALUE, GRID_ERROR };
  const size_t to = table_rows(grid);
  const double head = table_real(metrics, row, HEAD);
  const char *note = strstr(table_text(metrics, row, DETAIL), untrained) ? " (untrained)" : "";
  char title[sizeof((struct compare_item *)0)->title], text[sizeof title + 48];
  compare_title(table_text(metrics, row, ENCODING), title, sizeof title);
  if (isnan(head))
    snprintf(text, sizeof text, "%s%s", title, note);
  else
    snprintf(text, sizeof text, "%s, head %.0f%s", title, head, note);
  if (table_add_rows(grid, 1, error)) return ERROR_FAILED;
  table_set_real(grid, to, GRID_VALUE, table_real(metrics, row, VALUE));
  table_set_real(grid, to, GRID_ERROR, table_real(metrics, row, STDERR));
  const int status = table_set_text(grid, to, GRID_ENCODING, text, error);
  return status ? status : table_set_text(grid, to, GRID_METRIC, names[row % METRICS], error);
}

int compare_grid(const struct table *metrics, struct table **grid, struct error *error) {
  *grid = table_create(error);
  int status = *grid ? OK : ERROR_FAILED;
  if (!status && (table_add_column(*grid, "encoding", COLUMN_TEXT, error) < 0 ||
                  table_add_column(*grid, "metric", COLUMN_TEXT, error) < 0 ||
                  table_add_column(*grid, "value", COLUMN_REAL, error) < 0 ||
                  table_add_column(*grid, "stderr", COLUMN_REAL, error) < 0))
    status = ERROR_FAILED;
  for (size_t row = 0; !status && row < table_rows(metrics); row++)
    if (is_drawn(metrics, (enum metric)(row % METRICS)))
      status = add_to_grid(metrics, row, *grid, error);
  if (status) {
    table_destroy(*grid);
    *grid = NULL;
  }
  return status;
}

/* Maps of a comparison: one for each encoding, all of the same shape. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/analysis/compare_parts.h"
#include "lib/base/memory.h"

static void set_axis(struct matrix_axis *axis, const char *label, const char *column,
                     size_t length) {
  snprintf(axis->label, sizeof axis->label, "%s", label);
  snprintf(axis->column, sizeof axis->column, "%s", column);
  axis->length = length;
}

static void label_values(const struct compare_request *request, struct matrix *panel) {
  if (request->reference)
    snprintf(panel->value_label, sizeof panel->value_label, "%sdifference from %s",
             request->weights ? "weight " : "", request->reference->title);
  else
    snprintf(panel->value_label, sizeof panel->value_label, "%s",
             request->weights ? "attention weight" : "score");
}

int compare_panels_add(const struct comparison *work, const struct compare_item *item,
                       const struct item_result *item_result, struct compare_result *result,
                       struct error *error) {
  const struct compare_request *request = work->request;
  const size_t tiles = item_result->tiles;
  struct matrix *panel = matrix_create(tiles, tiles, error);
  if (!panel) return ERROR_FAILED;
  result->panel[result->panels] = panel;
  char title[128];
  snprintf(title, sizeof title, "%s%s", item->title, item_result->untrained ? " (untrained)" : "");
  result->title[result->panels] = memory_text(title, error);
  if (!result->title[result->panels++]) return ERROR_FAILED;
  memcpy(panel->cells, item_result->cells, tiles * tiles * sizeof *panel->cells);
  set_axis(&panel->row_axis, "query position", "query", request->length);
  set_axis(&panel->column_axis, "key position", "key", request->length);
  label_values(request, panel);
  const struct matrix_span span = matrix_span(panel);
  if (span.low < 0 && span.high > 0) panel->range = MATRIX_DIVERGING;
  return OK;
}

/* Which panel an item is compared with: the whole of the reference, of the same head where both
   have heads. */
static size_t reference_of(const struct comparison *work, size_t item) {
  for (size_t i = 0; i < work->items; i++) {
    const struct compare_item *other = &work->item[i];
    if (other->encoding != work->request->reference || other->terms != TERMS_ALL) continue;
    if (!other->has_head || !work->item[item].has_head || other->head == work->item[item].head)
      return i;
  }
  return work->items;
}

/* ---- Differences to a reference -----------------------------------------------------------------
 */

static bool is_reference(const struct comparison *work, size_t item) {
  return work->item[item].encoding == work->request->reference &&
         work->item[item].terms == TERMS_ALL;
}

static int subtract_reference(const struct comparison *work, struct compare_result *result,
                              struct error *error) {
  const size_t count = result->panels;
  if (count < 2)
    return error_set(error, ERROR_INPUT,
                     "--reference '%s' has nothing to be compared with: two encodings or more",
                     work->request->reference->name);
  double **cells = memory_array(count, sizeof *cells, "the differences", error);
  int status = cells ? OK : ERROR_FAILED;
  for (size_t i = 0; !status && i < count; i++) {
    const struct matrix *own = result->panel[i], *other = result->panel[reference_of(work, i)];
    const size_t size = own->rows * own->columns;
    cells[i] = memory_array(size, sizeof **cells, "the differences", error);
    if (!cells[i]) status = ERROR_FAILED;
    for (size_t c = 0; !status && c < size; c++)
      cells[i][c] = own->cells[c] - other->cells[c];
  }
  for (size_t i = 0; !status && i < count; i++) {
    struct matrix *panel = result->panel[i];
    memcpy(panel->cells, cells[i], panel->rows * panel->columns * sizeof **cells);
    panel->range = MATRIX_DIVERGING;
  }
  for (size_t i = 0; cells && i < count; i++)
    free(cells[i]);
  free(cells);
  return status;
}

static void drop(struct compare_result *result, size_t panel) {
  matrix_destroy(result->panel[panel]);
  free(result->title[panel]);
  result->panels--;
  for (size_t i = panel; i < result->panels; i++) {
    result->panel[i] = result->panel[i + 1];
    result->title[i] = result->title[i + 1];
  }
}

/* ---- Cells as a table ---------------------------------------------------------------------------
 */

enum { ENCODING, HEAD, QUERY, KEY, VALUE };

static int add_cells(const struct compare_item *item, const struct matrix *panel,
                     struct table *table, struct error *error) {
  const size_t first = table_rows(table), count = panel->rows * panel->columns;
  int status = table_add_rows(table, count, error);
  for (size_t c = 0; !status && c < count; c++) {
    const size_t query = c / panel->columns, key = c % panel->columns;
    status = table_set_text(table, first + c, ENCODING, item->name, error);
    table_set_real(table, first + c, HEAD, item->has_head ? (double)item->head : NAN);
    table_set_integer(table, first + c, QUERY,
                      (int64_t)matrix_first(query, panel->row_axis.length, panel->rows));
    table_set_integer(table, first + c, KEY,
                      (int64_t)matrix_first(key, panel->column_axis.length, panel->columns));
    table_set_real(table, first + c, VALUE, panel->cells[c]);
  }
  return status;
}

static int make_maps(const struct comparison *work, struct compare_result *result,
                     struct error *error) {
  static const char *const names[] = {[ENCODING] = "encoding",
                                      [HEAD] = "head",
                                      [QUERY] = "query",
                                      [KEY] = "key",
                                      [VALUE] = "value"};
  result->maps = table_create(error);
  if (!result->maps) return ERROR_FAILED;
  for (int i = ENCODING; i <= VALUE; i++) {
    const enum column_kind kind = i == ENCODING            ? COLUMN_TEXT
                                  : i == QUERY || i == KEY ? COLUMN_INTEGER
                                                           : COLUMN_REAL;
    if (table_add_column(result->maps, names[i], kind, error) < 0) return ERROR_FAILED;
  }
  int status = OK;
  for (size_t i = 0; !status && i < work->items; i++)
    if (!is_reference(work, i))
      status = add_cells(&work->item[i], result->panel[i], result->maps, error);
  return status;
}

int compare_panels_finish(const struct comparison *work, struct compare_result *result,
                          struct error *error) {
  if (!result->panels) return OK;
  int status = work->request->reference ? subtract_reference(work, result, error) : OK;
  if (!status && work->request->maps) status = make_maps(work, result, error);
  /* The reference's difference to itself is 0 everywhere. */
  for (size_t i = work->items; !status && i-- > 0;)
    if (is_reference(work, i)) drop(result, i);
  return status;
}

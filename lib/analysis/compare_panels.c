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
  double low, high;
  if (matrix_extent(panel, &low, &high) && low < 0 && high > 0) panel->range = MATRIX_DIVERGING;
  return OK;
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

int compare_panels_finish(const struct comparison *work, struct compare_result *result,
                          struct error *error) {
  if (!work->request->reference || !result->panels) return OK;
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
  /* Its own difference is 0 everywhere. */
  for (size_t i = count; !status && i-- > 0;)
    if (work->item[i].encoding == work->request->reference && work->item[i].terms == TERMS_ALL)
      drop(result, i);
  for (size_t i = 0; cells && i < count; i++)
    free(cells[i]);
  free(cells);
  return status;
}

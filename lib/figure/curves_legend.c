/* The legend of curves: what it lists, and where the curves end that it names. */
#include <math.h>

#include "lib/figure/curves.h"

static int add_entry(struct curves *curves, struct legend_entry entry, struct error *error) {
  struct legend *legend = &curves->legend;
  if (legend->count == LEGEND_MOST)
    return error_set(error, ERROR_INPUT,
                     "legend of more than %d entries does not fit; ask for none", LEGEND_MOST);
  legend->entry[legend->count++] = entry;
  return OK;
}

/* Whether the figure shows a trace of this kind and column. */
static bool is_shown(const struct curves *curves, enum trace_kind kind, size_t column) {
  for (size_t i = 0; i < curves->traces.count; i++)
    if (curves->traces.item[i].kind == kind && curves->traces.item[i].column == column) return true;
  return false;
}

int curves_list_entries(struct curves *curves, const struct curve_plot *plot, struct error *error) {
  const size_t series = curves->traces.series_count;
  const bool bands = is_shown(curves, TRACE_BAND, 0) || is_shown(curves, TRACE_BAND, 1);
  const bool several =
      plot->lines[0] && (plot->lines[1] || bands || (plot->overlay && series == 1));
  int code = OK;
  for (size_t s = 0; s < series && series > 1 && !code; s++) {
    const struct legend_entry entry = {.kind = TRACE_LINE,
                                       .colour = (int)s + 1,
                                       .dash = 1,
                                       .text = curves->traces.label[s],
                                       .marker = curves_shape(curves, 0, s + 1)};
    code = add_entry(curves, entry, error);
  }
  curves->legend.series = curves->legend.count;
  for (size_t l = 0; l < 4 && plot->lines[l] && several && !code; l++) {
    const char *label = plot->line_labels[l];
    const size_t colour = curves->by_series ? 1 : l + 1; /* of a single series */
    const struct legend_entry entry = {
        .kind = TRACE_LINE,
        .colour = series > 1 || plot->look[l] == CURVE_COMMON ? 0 : (int)colour,
        .dash = (int)l + 1,
        .text = label && *label ? label : plot->lines[l],
        .marker = series > 1 || plot->look[l] != CURVE_SIGNED ? 0 : curves_shape(curves, l, colour),
        .over = plot->look[l] == CURVE_OVER};
    if (is_shown(curves, TRACE_LINE, l)) code = add_entry(curves, entry, error);
  }
  for (size_t b = 0; b < 2 && plot->low[b] && !code; b++) {
    const struct legend_entry entry = {.kind = TRACE_BAND,
                                       .colour = series > 1          ? 0
                                                 : curves->by_series ? 1
                                                                     : (int)b + 1,
                                       .dash = (int)b + 1,
                                       .text = plot->band_labels[b]};
    if (entry.text && is_shown(curves, TRACE_BAND, b)) code = add_entry(curves, entry, error);
  }
  const struct legend_entry points = {.kind = TRACE_POINTS, .dash = 1, .text = plot->overlay_label};
  if (!code && points.text && is_shown(curves, TRACE_POINTS, 0))
    code = add_entry(curves, points, error);
  return code;
}

/* Height of the last shown point of a trace, dots from the top of the sheet; NAN where the trace
   does not reach the right end of the panel and `reach` wants it to. */
static double end_of(const struct curves *curves, const struct trace *trace, bool reach) {
  const struct canvas *canvas = &curves->canvas;
  const struct extent *view = &curves->view;
  const size_t last = trace->count - 1;
  const double x = axis_position(trace->x[last], view->left, view->right, curves->log_x);
  if (reach && x < 0.98) return NAN;
  const double y = (trace->low[last] + trace->high[last]) / 2;
  return canvas->top +
         canvas->panel_height * (1 - axis_position(y, view->low, view->high, curves->log_y));
}

/* The one trace that an entry is of; NULL when there are more. */
static const struct trace *trace_of(const struct curves *curves, const struct legend_entry *entry) {
  const struct trace *found = NULL;
  for (size_t i = 0; i < curves->traces.count; i++) {
    const struct trace *trace = &curves->traces.item[i];
    if (trace->kind != entry->kind || (int)curves_colour(curves, trace) != entry->colour) continue;
    if (!entry->colour && (int)trace->column + 1 != entry->dash) continue;
    if (found) return NULL;
    found = trace;
  }
  return found;
}

bool curves_find_ends(struct curves *curves, bool apart) {
  struct legend *legend = &curves->legend;
  const double line = canvas_line(&curves->canvas, curves->canvas.style.tick_size);
  for (size_t i = 0; i < legend->count; i++) {
    const struct trace *trace = trace_of(curves, &legend->entry[i]);
    if (!trace) return false;
    const double end = end_of(curves, trace, apart);
    if (isnan(end)) return false;
    legend->entry[i].end = end;
    for (size_t j = 0; j < i && apart; j++)
      if (fabs(legend->entry[j].end - end) < line) return false;
  }
  return true;
}

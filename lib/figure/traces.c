#include "lib/figure/traces.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/memory.h"
#include "lib/figure/series_label.h"

/* The rows of a table, sorted by series. */
struct grouping {
  size_t *row;   /* all rows: those of series 0 first */
  size_t *start; /* (series + 1) where a series begins in `row` */
};

enum { LINES_MOST = 4, BANDS_MOST = 2, SERIES_MOST = 256 };

static int find_column(const struct table *table, const char *name, struct error *error) {
  const int column = table_find_column(table, name);
  if (column < 0) error_set(error, ERROR_INPUT, "column '%s' is not in the table", name);
  return column;
}

int find_numbers(const struct table *table, const char *name, struct error *error) {
  const int column = find_column(table, name, error);
  if (column < 0 || table_column_kind(table, (size_t)column) != COLUMN_TEXT) return column;
  error_set(error, ERROR_INPUT, "column '%s' holds text; numbers can be drawn", name);
  return -1;
}

/* The series that `text` names, added when it is new. */
static int series_of(struct traces *traces, const char *text, size_t guess, size_t *series,
                     struct error *error) {
  *series = guess;
  if (guess < traces->series_count && !strcmp(traces->label[guess], text)) return OK;
  for (*series = 0; *series < traces->series_count; ++*series)
    if (!strcmp(traces->label[*series], text)) return OK;
  if (*series == SERIES_MOST)
    return error_set(error, ERROR_INPUT, "more than %d series cannot be told apart in one figure",
                     SERIES_MOST);
  traces->label[*series] = memory_text(text, error);
  if (!traces->label[*series]) return ERROR_FAILED;
  traces->series_count++;
  return OK;
}

/* Finds the series, in order of appearance, and sorts the rows by them, keeping their order. */
static int group_rows(const struct table *table, const struct curve_plot *plot,
                      struct traces *traces, struct grouping *grouping, struct error *error) {
  const char *group = plot->group, *label = plot->group_label ? plot->group_label : "";
  const size_t rows = table_rows(table);
  const int column = group ? find_column(table, group, error) : -1;
  if (group && column < 0) return ERROR_INPUT;
  size_t *of = memory_array(rows, sizeof *of, "the series of the rows", error);
  int code = of ? OK : ERROR_FAILED;
  for (size_t r = 0; r < rows && !code; r++) {
    char number[64];
    const char *text = "";
    if (group && table_column_kind(table, (size_t)column) == COLUMN_TEXT)
      text = table_text(table, r, (size_t)column);
    else if (group && snprintf(number, sizeof number, "%.31s%g", label,
                               table_real(table, r, (size_t)column)) > 0)
      text = number;
    code = series_of(traces, text, r ? of[r - 1] : 0, &of[r], error);
    if (!code) grouping->start[of[r] + 1]++;
  }
  for (size_t s = 0; s < traces->series_count; s++)
    grouping->start[s + 1] += grouping->start[s];
  size_t next[SERIES_MOST];
  memcpy(next, grouping->start, sizeof next);
  for (size_t r = 0; r < rows && !code; r++)
    grouping->row[next[of[r]]++] = r;
  free(of);
  return code;
}

static int trace_allocate(struct trace *trace, size_t count, struct error *error) {
  trace->x = memory_array(3 * count, sizeof *trace->x, "the points of a curve", error);
  if (!trace->x) return ERROR_FAILED;
  trace->low = trace->x + count;
  trace->high = trace->low + count;
  return OK;
}

static void trace_add(struct trace *trace, double x, double low, double high) {
  trace->x[trace->count] = x;
  trace->low[trace->count] = low;
  trace->high[trace->count++] = high;
}

bool point_shows(const struct point *point, bool log_x, bool log_y) {
  return isfinite(point->x) && isfinite(point->low) && isfinite(point->high) &&
         !(log_x && point->x <= 0) && !(log_y && (point->low <= 0 || point->high <= 0));
}

/* Adds a point, or a gap where there is none and the last one was not. */
static void trace_add_checked(struct trace *trace, const struct point *point, bool shown) {
  if (shown)
    trace_add(trace, point->x, point->low, point->high);
  else if (trace->count && !isnan(trace->low[trace->count - 1]))
    trace_add(trace, point->x, NAN, NAN);
}

/* Where the numbers of traces stand: columns of x, low and high. */
struct source {
  const struct table *table;
  int columns[3];
  bool log_x, log_y;
};

/* A band that is nowhere wider than rounding makes it does not show. */
static bool has_width(const struct trace *trace) {
  double size = 0, width = 0;
  for (size_t p = 0; p < trace->count; p++) { /* fmax() passes over the gaps, which are NaN */
    size = fmax(size, fmax(fabs(trace->low[p]), fabs(trace->high[p])));
    width = fmax(width, fabs(trace->high[p] - trace->low[p]));
  }
  return width > 1e-9 * size;
}

/* One trace from the given rows; `rows` NULL: all rows. Drops what does not show. */
static int collect(struct traces *traces, struct trace trace, const struct source *source,
                   const size_t *rows, size_t count, struct error *error) {
  int code = trace_allocate(&trace, count, error);
  if (code) return code;
  for (size_t i = 0; i < count; i++) {
    const size_t r = rows ? rows[i] : i;
    const struct point point = {table_real(source->table, r, (size_t)source->columns[0]),
                                table_real(source->table, r, (size_t)source->columns[1]),
                                table_real(source->table, r, (size_t)source->columns[2])};
    trace_add_checked(&trace, &point, point_shows(&point, source->log_x, source->log_y));
  }
  if (trace.count && isnan(trace.low[trace.count - 1])) trace.count--;
  if (trace.count && (trace.kind != TRACE_BAND || has_width(&trace)))
    traces->item[traces->count++] = trace;
  else
    free(trace.x);
  return OK;
}

/* The same columns of every series. */
static int collect_series(struct traces *traces, struct trace trace, const struct source *source,
                          const struct grouping *grouping, struct error *error) {
  const size_t series = trace.look == CURVE_COMMON ? 1 : traces->series_count;
  for (size_t s = 0; s < series; s++) {
    const size_t first = grouping->start[s];
    trace.series = s;
    const int code = collect(traces, trace, source, grouping->row + first,
                             grouping->start[s + 1] - first, error);
    if (code) return code;
  }
  return OK;
}

/* The lines that lie over the others, or these. */
static int collect_lines(struct traces *traces, const struct curve_plot *plot, bool over,
                         struct source source, const struct grouping *grouping,
                         struct error *error) {
  int code = OK, *columns = source.columns;
  for (size_t l = 0; l < LINES_MOST && plot->lines[l] && !code; l++) {
    const struct trace line = {.kind = TRACE_LINE, .column = l, .look = plot->look[l]};
    if ((line.look == CURVE_OVER) != over) continue;
    columns[1] = columns[2] = find_numbers(source.table, plot->lines[l], error);
    if (columns[1] < 0) return ERROR_INPUT;
    code = collect_series(traces, line, &source, grouping, error);
  }
  return code;
}

static int collect_bands_and_lines(struct traces *traces, const struct curve_plot *plot,
                                   struct source source, const struct grouping *grouping,
                                   struct error *error) {
  int code = OK, *columns = source.columns;
  columns[0] = find_numbers(source.table, plot->x, error);
  if (columns[0] < 0) return ERROR_INPUT;
  for (size_t b = 0; b < BANDS_MOST && plot->low[b] && !code; b++) {
    columns[1] = find_numbers(source.table, plot->low[b], error);
    columns[2] = columns[1] < 0 ? -1 : find_numbers(source.table, plot->high[b], error);
    if (columns[2] < 0) return ERROR_INPUT;
    code = collect_series(traces, (struct trace){.kind = TRACE_BAND, .column = b}, &source,
                          grouping, error);
  }
  if (!code) code = collect_lines(traces, plot, false, source, grouping, error);
  return code ? code : collect_lines(traces, plot, true, source, grouping, error);
}

static int collect_overlay(struct traces *traces, const struct curve_plot *plot,
                           struct source source, struct error *error) {
  if (!plot->overlay) return OK;
  source.table = plot->overlay;
  source.columns[0] = find_numbers(plot->overlay, plot->overlay_x, error);
  if (source.columns[0] < 0) return ERROR_INPUT;
  source.columns[1] = source.columns[2] = find_numbers(plot->overlay, plot->overlay_y, error);
  if (source.columns[1] < 0) return ERROR_INPUT;
  return collect(traces, (struct trace){.kind = TRACE_POINTS}, &source, NULL,
                 table_rows(plot->overlay), error);
}

int traces_collect(const struct table *table, const struct curve_plot *plot, bool log_x, bool log_y,
                   struct traces *traces, struct error *error) {
  const struct source source = {.table = table, .log_x = log_x, .log_y = log_y};
  struct grouping grouping = {
      .row = memory_array(table_rows(table), sizeof *grouping.row, "the rows of a table", error),
      .start =
          memory_array(SERIES_MOST + 1, sizeof *grouping.start, "the series of a table", error)};
  *traces = (struct traces){
      .item = memory_array((BANDS_MOST + LINES_MOST) * SERIES_MOST + 1, sizeof *traces->item,
                           "the curves of a figure", error),
      .label = memory_array(SERIES_MOST, sizeof *traces->label, "the series of a table", error)};
  int code = grouping.row && grouping.start && traces->item && traces->label ? OK : ERROR_FAILED;
  if (!code) code = group_rows(table, plot, traces, &grouping, error);
  if (!code) series_labels_shorten(traces->label, traces->series_count);
  if (!code) code = collect_bands_and_lines(traces, plot, source, &grouping, error);
  if (!code) code = collect_overlay(traces, plot, source, error);
  if (!code && !traces->count)
    code = error_set(error, ERROR_FAILED, "nothing to draw: no point of the table is %s",
                     log_x || log_y ? "finite and positive on the logarithmic axis" : "finite");
  free(grouping.row);
  free(grouping.start);
  if (code) traces_release(traces);
  return code;
}

void traces_release(struct traces *traces) {
  for (size_t i = 0; i < traces->count; i++)
    free(traces->item[i].x);
  for (size_t s = 0; s < traces->series_count; s++)
    free(traces->label[s]);
  free(traces->item);
  free(traces->label);
  *traces = (struct traces){0};
}

struct extent traces_extent(const struct traces *traces) {
  struct extent e = {INFINITY, -INFINITY, INFINITY, -INFINITY};
  for (size_t i = 0; i < traces->count; i++) {
    const struct trace *trace = &traces->item[i];
    for (size_t p = 0; p < trace->count; p++) {
      if (isnan(trace->low[p])) continue;
      e.left = fmin(e.left, trace->x[p]);
      e.right = fmax(e.right, trace->x[p]);
      e.low = fmin(e.low, fmin(trace->low[p], trace->high[p]));
      e.high = fmax(e.high, fmax(trace->low[p], trace->high[p]));
    }
  }
  return e;
}

size_t traces_values(const struct traces *traces, double *value, size_t most) {
  size_t count = 0;
  for (size_t i = 0; i < traces->count; i++) {
    const struct trace *trace = &traces->item[i];
    for (size_t p = 0; p < trace->count; p++) {
      size_t at = 0;
      while (at < count && value[at] < trace->x[p])
        at++;
      if (at < count && value[at] == trace->x[p]) continue;
      if (count == most) return 0;
      memmove(value + at + 1, value + at, (count++ - at) * sizeof *value);
      value[at] = trace->x[p];
    }
  }
  return count;
}

double axis_position(double value, double low, double high, bool logarithmic) {
  if (logarithmic) return log(value / low) / log(high / low);
  return (value - low) / (high - low);
}

/* Points that share a column of dots: indices of those that show. */
struct run {
  size_t first, lowest, highest, last;
  double column;
  bool gap; /* nothing is to be drawn behind it */
};

/* Adds the points of a run, which move down in place: `trace->count` is never beyond `first`. */
static void keep_run(struct trace *trace, const struct run *run) {
  const size_t kept[] = {run->first, run->lowest < run->highest ? run->lowest : run->highest,
                         run->lowest < run->highest ? run->highest : run->lowest, run->last};
  for (size_t k = 0; k < 4; k++)
    if (k == 0 || kept[k] > kept[k - 1])
      trace_add(trace, trace->x[kept[k]], trace->low[kept[k]], trace->high[kept[k]]);
  if (run->gap) trace_add(trace, trace->x[run->last], NAN, NAN);
}

static void extend_run(struct run *run, const struct trace *trace, size_t point) {
  if (trace->low[point] < trace->low[run->lowest]) run->lowest = point;
  if (trace->high[point] > trace->high[run->highest]) run->highest = point;
  run->last = point;
  run->gap = false; /* a gap within a column of dots does not show */
}

void traces_thin(struct traces *traces, bool log_x, double dots) {
  const struct extent e = traces_extent(traces);
  const double left = log_x ? log(e.left) : e.left, width = (log_x ? log(e.right) : e.right) - left;
  for (size_t i = 0; i < traces->count; i++) {
    struct trace *trace = &traces->item[i];
    const size_t count = trace->count;
    if ((double)count <= 4 * dots || !(width > 0)) continue;
    struct run run = {.column = NAN};
    trace->count = 0;
    for (size_t p = 0; p < count; p++) {
      if (isnan(trace->low[p])) {
        run.gap = true;
        continue;
      }
      const double x = log_x ? log(trace->x[p]) : trace->x[p];
      const double column = floor((x - left) / width * dots);
      if (column == run.column) {
        extend_run(&run, trace, p);
        continue;
      }
      if (!isnan(run.column)) keep_run(trace, &run);
      run = (struct run){p, p, p, p, column, false};
    }
    run.gap = false;
    keep_run(trace, &run);
  }
}

/* Tables as curves. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/memory.h"
#include "lib/figure/backdrop.h"
#include "lib/figure/canvas.h"
#include "lib/figure/cover.h"
#include "lib/figure/legend.h"
#include "lib/figure/palette.h"
#include "lib/figure/traces.h"

/* A figure of curves while it is made. */
struct curves {
  struct canvas canvas;
  struct traces traces;
  struct extent view; /* ends of the axes */
  double high;        /* the upper end before the spans' labels got their room above it */
  bool log_x, log_y;
  bool whole_x; /* x holds whole numbers */
  bool markers;
  struct backdrop backdrop;
  struct tics x_tics, y_tics;
  struct cover cover;
  struct legend legend;
  const char *place; /* of the legend */
};

/* With one series the columns have the colours, else the series; the dashes tell the columns apart.
 */
static size_t colour_of(const struct curves *curves, const struct trace *trace) {
  if (trace->kind == TRACE_POINTS) return 0;
  return 1 + (curves->traces.series_count > 1 ? trace->series : trace->column);
}

/* Shape of the markers of a column and colour, from 1; 0: none. Solid lines alone have some: they
   would hide the dashes of others. */
static int marker_of(const struct curves *curves, size_t column, size_t colour) {
  enum { SHAPES = 6 };
  return curves->markers && column == 0 ? 1 + (int)((colour - 1) % SHAPES) : 0;
}

/* The ends of the axes: x as it is; y with some room, down to 0 where that is near. */
static void set_view(struct curves *curves) {
  struct extent *view = &curves->view;
  *view = traces_extent(&curves->traces);
  backdrop_extend(&curves->backdrop, view);
  if (view->left == view->right) {
    if (curves->log_x)
      view->left /= 2, view->right *= 2;
    else
      view->left -= 1, view->right += 1;
  }
  if (curves->log_y) {
    const double margin = fmax(pow(view->high / view->low, 0.05), 1.05);
    view->low /= margin;
    view->high *= margin;
    return;
  }
  const double size = fmax(fabs(view->low), fabs(view->high));
  double span = view->high - view->low;
  if (span <= 1e-9 * size || size == 0) span = size > 0 ? size : 1;
  if (view->low >= 0 && view->low < 0.3 * view->high)
    view->low = 0;
  else
    view->low -= 0.05 * span;
  view->high += 0.05 * span;
}

/* Neither end of an axis is larger, and the span between them no smaller than its inverse. */
static const double axis_end = 1e300;

static int check_view(const struct curves *curves, struct error *error) {
  const struct extent *v = &curves->view;
  const double size = fmax(fmax(fabs(v->left), fabs(v->right)), fmax(fabs(v->low), fabs(v->high)));
  if (size < axis_end && v->right - v->left > 1 / axis_end && v->high - v->low > 1 / axis_end)
    return OK;
  return error_set(error, ERROR_FAILED,
                   "values from %g to %g cannot be drawn; axes end at 1e300 and 1e-300",
                   fmin(v->left, v->low), fmax(v->right, v->high));
}

static void set_y_tics(struct curves *curves, double height) {
  const struct extent *view = &curves->view;
  for (size_t most = CANVAS_TICS_MOST; most >= 2; most--) {
    if (curves->log_y)
      tics_logarithmic(view->low, view->high, most, &curves->y_tics);
    else
      tics_linear(view->low, view->high, most, false, &curves->y_tics);
    if (canvas_tics_fit_down(&curves->canvas, &curves->y_tics, height)) break;
  }
}

static void set_x_tics(struct curves *curves, double width) {
  const struct extent *view = &curves->view;
  for (size_t most = CANVAS_TICS_MOST; most >= 2; most--) {
    if (curves->log_x)
      tics_logarithmic(view->left, view->right, most, &curves->x_tics);
    else
      tics_linear(view->left, view->right, most, curves->whole_x, &curves->x_tics);
    if (canvas_tics_fit_across(&curves->canvas, &curves->x_tics, width)) break;
  }
}

static int set_panel(struct curves *curves, double legend_height, struct error *error) {
  struct canvas *canvas = &curves->canvas;
  const int code = canvas_set_margins(canvas, tics_width(&curves->y_tics),
                                      tics_width(&curves->x_tics), 0, legend_height, error);
  return code ? code : canvas_set_panel(canvas, error);
}

/* Markers closer than this run into a thick line: they are left out. */
static const double least_apart = 2.4; /* points */

static bool markers_stand_apart(const struct curves *curves) {
  size_t most = 1;
  for (size_t i = 0; i < curves->traces.count; i++)
    if (curves->traces.item[i].kind == TRACE_LINE && curves->traces.item[i].count > most)
      most = curves->traces.item[i].count;
  return curves->canvas.panel_width >= (double)most * canvas_points(&curves->canvas, least_apart);
}

/* Raises the upper end of the axis so that the labels of spans lie above the curves, and finds
   places for those of the marks. */
static void name_backdrop(struct curves *curves) {
  struct extent *view = &curves->view;
  const struct canvas *canvas = &curves->canvas;
  backdrop_name_spans(&curves->backdrop, canvas, view, curves->log_x);
  const double share = fmin(0.5, curves->backdrop.strip / canvas->panel_height);
  const double part = share / (1 - share);
  view->high = fmin(axis_end, curves->log_y ? curves->high * pow(curves->high / view->low, part)
                                            : curves->high + part * (curves->high - view->low));
  cover_traces(&curves->cover, &curves->traces, view, curves->log_x, curves->log_y);
  backdrop_name_marks(&curves->backdrop, canvas, view, curves->log_y, &curves->cover);
  curves->legend.inset = curves->backdrop.strip;
}

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

/* An entry for each series when there are several, for each line, band and the points when they
   have a label; none at all when that would be one curve. */
static int list_entries(struct curves *curves, const struct curve_plot *plot, struct error *error) {
  const size_t series = curves->traces.series_count;
  const bool several = plot->lines[0] && (plot->lines[1] || plot->low[0] || plot->overlay);
  int code = OK;
  for (size_t s = 0; s < series && series > 1 && !code; s++)
    code = add_entry(curves,
                     (struct legend_entry){TRACE_LINE, (int)s + 1, 1, curves->traces.label[s],
                                           marker_of(curves, 0, s + 1)},
                     error);
  for (size_t l = 0; l < 4 && plot->lines[l] && several && !code; l++) {
    const char *label = plot->line_labels[l];
    if (!label || !*label) label = plot->lines[l];
    if (is_shown(curves, TRACE_LINE, l))
      code = add_entry(curves,
                       (struct legend_entry){TRACE_LINE, series > 1 ? 0 : (int)l + 1, (int)l + 1,
                                             label, series > 1 ? 0 : marker_of(curves, l, l + 1)},
                       error);
  }
  for (size_t b = 0; b < 2 && plot->low[b] && !code; b++)
    if (plot->band_labels[b] && is_shown(curves, TRACE_BAND, b))
      code = add_entry(curves,
                       (struct legend_entry){TRACE_BAND, series > 1 ? 0 : (int)b + 1, 1,
                                             plot->band_labels[b], 0},
                       error);
  if (!code && plot->overlay_label && is_shown(curves, TRACE_POINTS, 0))
    code =
        add_entry(curves, (struct legend_entry){TRACE_POINTS, 0, 1, plot->overlay_label, 0}, error);
  return code;
}

/* Decides where everything goes. A legend that finds no free corner goes above the panel; the sheet
   grows by it unless its height was asked for. */
static int lay_out(struct curves *curves, const struct curve_plot *plot, struct error *error) {
  struct canvas *canvas = &curves->canvas;
  const bool free_height = canvas->height == 0;
  if (free_height) canvas->height = canvas->width * canvas->style.height_ratio;
  set_y_tics(curves, 0.75 * canvas->height * canvas->dpi);
  set_x_tics(curves, 0.75 * canvas->width * canvas->dpi);
  int code = set_panel(curves, 0, error);
  curves->markers = plot->markers && !code && markers_stand_apart(curves);
  if (!code && strcmp(curves->place, "none")) code = list_entries(curves, plot, error);
  if (code) return code;
  traces_thin(&curves->traces, curves->log_x, canvas->panel_width);
  name_backdrop(curves);
  if (curves->legend.count &&
      !legend_place_inside(canvas, curves->place, &curves->cover, &curves->legend)) {
    const double height = legend_height_above(canvas, &curves->legend);
    if (free_height) canvas->height += height / canvas->dpi;
    code = set_panel(curves, height, error);
    if (code) return code;
    name_backdrop(curves);
    legend_place_above(canvas, &curves->legend);
  }
  set_y_tics(curves, canvas->panel_height);
  set_x_tics(curves, canvas->panel_width);
  return OK;
}

/* As many colours as are needed: the categories, or evenly out of a palette, without its pale end.
 */
static int assign_colours(struct curves *curves, const char *palette_name, struct error *error) {
  size_t count = 1;
  for (size_t i = 0; i < curves->traces.count; i++)
    if (colour_of(curves, &curves->traces.item[i]) > count)
      count = colour_of(curves, &curves->traces.item[i]);
  struct palette palette;
  const bool sampled = palette_name || count > PALETTE_CATEGORIES;
  if (sampled) {
    const int code = palette_find(palette_name ? palette_name : palette_default(MATRIX_SEQUENTIAL),
                                  &palette, error);
    if (code) return code;
  }
  fprintf(curves->canvas.script, "array colour[%zu] = [", count);
  for (size_t i = 0; i < count; i++) {
    const double part = count > 1 ? (double)i / (double)(count - 1) : 0;
    const uint32_t rgb = sampled ? palette_legible(&palette, part, curves->canvas.dark)
                                 : palette_category(i, curves->canvas.dark);
    fprintf(curves->canvas.script, "%s0x%06x", i ? ", " : "", rgb);
  }
  fputs("]\n", curves->canvas.script);
  return OK;
}

static int assign_axes(struct curves *curves, struct error *error) {
  FILE *script = curves->canvas.script;
  const struct extent *v = &curves->view;
  if (curves->log_x) fputs("set logscale x\n", script);
  if (curves->log_y) fputs("set logscale y\n", script);
  fprintf(script, "set xrange [%.17g:%.17g]\nset yrange [%.17g:%.17g]\n", v->left, v->right, v->low,
          v->high);
  canvas_assign(&curves->canvas, "zero_line", !curves->log_y && v->low < 0 && v->high > 0);
  const int code = canvas_assign_tics(&curves->canvas, 'x', &curves->x_tics, error);
  return code ? code : canvas_assign_tics(&curves->canvas, 'y', &curves->y_tics, error);
}

/* What the template draws of each block of the data, in their order. */
static void assign_traces(struct curves *curves) {
  FILE *script = curves->canvas.script;
  const struct traces *traces = &curves->traces;
  size_t count[3] = {0};
  for (size_t i = 0; i < traces->count; i++)
    count[traces->item[i].kind]++;
  fprintf(script, "bands = %zu\nlines = %zu\npoints = %zu\n", count[TRACE_BAND], count[TRACE_LINE],
          count[TRACE_POINTS]);
  fprintf(script, "array trace_colour[%zu] = [", traces->count);
  for (size_t i = 0; i < traces->count; i++)
    fprintf(script, "%s%zu", i ? ", " : "", colour_of(curves, &traces->item[i]));
  fprintf(script, "]\narray trace_dash[%zu] = [", traces->count);
  for (size_t i = 0; i < traces->count; i++)
    fprintf(script, "%s%zu", i ? ", " : "", traces->item[i].column + 1);
  fprintf(script, "]\narray trace_marker[%zu] = [", traces->count);
  for (size_t i = 0; i < traces->count; i++)
    fprintf(script, "%s%d", i ? ", " : "",
            marker_of(curves, traces->item[i].column, colour_of(curves, &traces->item[i])));
  /* Lines of the first column come before those of others. */
  size_t marked = 0;
  for (size_t i = 0; i < traces->count && curves->markers; i++)
    marked += traces->item[i].kind == TRACE_LINE && traces->item[i].column == 0;
  fprintf(script, "]\nmarked = %zu\n", marked);
}

/* The points as text: two empty lines between traces, one where a trace has a gap. */
static int write_data(const struct traces *traces, struct blob *data, struct error *error) {
  FILE *out = open_memstream(&data->data, &data->size);
  if (!out) return error_set(error, ERROR_FAILED, "no memory for the points of a figure");
  for (size_t i = 0; i < traces->count; i++) {
    const struct trace *trace = &traces->item[i];
    if (i) fputs("\n\n", out);
    for (size_t p = 0; p < trace->count; p++) {
      if (isnan(trace->low[p]))
        fputc('\n', out);
      else if (trace->kind == TRACE_BAND)
        fprintf(out, "%.17g %.17g %.17g\n", trace->x[p], trace->low[p], trace->high[p]);
      else
        fprintf(out, "%.17g %.17g\n", trace->x[p], trace->low[p]);
    }
  }
  if (fclose(out) == 0) return OK;
  free(data->data);
  return error_set(error, ERROR_FAILED, "no memory for the points of a figure");
}

static int draw(struct curves *curves, const struct curve_plot *plot,
                const struct figure_options *options, struct figure *figure, struct error *error) {
  struct blob data;
  set_view(curves);
  curves->high = curves->view.high;
  int code = check_view(curves, error);
  if (!code) code = lay_out(curves, plot, error);
  if (!code) code = assign_colours(curves, options->palette, error);
  if (!code) code = assign_axes(curves, error);
  if (!code) code = backdrop_assign(&curves->canvas, &curves->backdrop, error);
  if (!code) code = legend_assign(&curves->canvas, &curves->legend, error);
  if (code) return code;
  assign_traces(curves);
  code = write_data(&curves->traces, &data, error);
  return code ? code : canvas_draw(&curves->canvas, "curves", data, figure, error);
}

int figure_draw_table(const struct table *table, const struct curve_plot *plot,
                      const struct figure_options *options, enum figure_format format,
                      const char *name, struct figure *figure, struct error *error) {
  *figure = (struct figure){0};
  struct curves *curves = memory_array(1, sizeof *curves, "a figure", error);
  if (!curves) return ERROR_FAILED;
  curves->log_x = options->log_x || plot->log_x;
  curves->log_y = options->log_y || plot->log_y;
  curves->place = options->legend ? options->legend : "auto";
  int code = legend_check(curves->place, error);
  if (!code)
    code = canvas_open(options, format, name,
                       &(struct canvas_labels){plot->title, plot->xlabel, plot->ylabel},
                       &curves->canvas, error);
  if (!code)
    code = traces_collect(table, plot, curves->log_x, curves->log_y, &curves->traces, error);
  if (!code) {
    curves->whole_x =
        table_column_kind(table, (size_t)table_find_column(table, plot->x)) == COLUMN_INTEGER;
    code = backdrop_collect(table, plot, curves->traces.series_count == 1, curves->log_x,
                            curves->log_y, &curves->backdrop, error);
  }
  if (!code) code = draw(curves, plot, options, figure, error);
  traces_release(&curves->traces);
  canvas_release(&curves->canvas);
  free(curves);
  return code;
}

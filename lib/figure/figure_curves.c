/* Tables as curves. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/memory.h"
#include "lib/figure/curves.h"
#include "lib/figure/palette.h"

/* The ends of the axes: x as it is; y with some room, down to 0 where that is near or asked for. */
static void set_view(struct curves *curves, bool from_zero) {
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
  if (view->low >= 0 && (from_zero || view->low < 0.3 * view->high))
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

/* A logarithmic axis of a few values has these. */
static bool set_value_tics(struct curves *curves, double width) {
  double value[TICS_VALUES];
  const size_t count = traces_values(&curves->traces, value, TICS_VALUES);
  for (int thousands = 0; thousands < 2; thousands++)
    if (tics_values(value, count, thousands, &curves->x_tics) &&
        canvas_tics_fit_across(&curves->canvas, &curves->x_tics, width))
      return true;
  return false;
}

static void set_x_tics(struct curves *curves, double width) {
  const struct extent *view = &curves->view;
  if (curves->log_x && set_value_tics(curves, width)) return;
  for (size_t most = CANVAS_TICS_MOST; most >= 2; most--) {
    if (curves->log_x)
      tics_logarithmic(view->left, view->right, most, &curves->x_tics);
    else
      tics_linear(view->left, view->right, most, curves->whole_x, &curves->x_tics);
    if (canvas_tics_fit_across(&curves->canvas, &curves->x_tics, width)) break;
  }
}

static int set_panel(struct curves *curves, double beside, double above, struct error *error) {
  struct canvas *canvas = &curves->canvas;
  const int code = canvas_set_margins(canvas, tics_width(&curves->y_tics),
                                      tics_width(&curves->x_tics), beside, above, error);
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
  backdrop_name_marks(&curves->backdrop, canvas, view, (const bool[]){curves->log_x, curves->log_y},
                      &curves->cover);
  curves->legend.inset = curves->backdrop.strip;
}

/* Puts the names of the curves at their ends, right of the panel: where that was asked for, or
   where the ends stand apart. The panel becomes narrower; false when the names are no such ones. */
static bool name_at_ends(struct curves *curves, struct error *error) {
  struct canvas *canvas = &curves->canvas;
  struct legend *legend = &curves->legend;
  const bool asked = !strcmp(curves->place, "direct");
  if (!asked && (strcmp(curves->place, "auto") || legend->count > 4)) return false;
  if (!curves_find_ends(curves, !asked)) return false;
  const double width = legend_width_beside(canvas, legend);
  if (width > 0.4 * canvas->width * canvas->dpi) return false;
  if (set_panel(curves, width, 0, error)) return false;
  name_backdrop(curves);
  curves_find_ends(curves, false);
  return legend_place_beside(canvas, legend);
}

/* Puts the legend above the panel. On a sheet that grows by it the label of the y axis may need
   fewer lines, so that the panel has room for more entries side by side, in fewer rows. */
static int place_above(struct curves *curves, bool free_height, struct error *error) {
  enum { ROUNDS = 3 };
  struct canvas *canvas = &curves->canvas;
  const double plain = canvas->height;
  double height = 0, needed = legend_height_above(canvas, &curves->legend);
  for (int round = 0; round < ROUNDS && needed != height; round++) {
    height = needed;
    if (free_height) canvas->height = plain + height / canvas->dpi;
    const int code = set_panel(curves, 0, height, error);
    if (code) return code;
    needed = legend_height_above(canvas, &curves->legend);
  }
  name_backdrop(curves);
  legend_place_above(canvas, &curves->legend);
  return OK;
}

/* Decides where everything goes. A legend that finds no free corner, and whose entries do not stand
   at the ends of the curves, goes above the panel; the sheet grows by it unless its height was
   asked for. */
static int lay_out(struct curves *curves, const struct curve_plot *plot, struct error *error) {
  struct canvas *canvas = &curves->canvas;
  const bool free_height = canvas->height == 0;
  if (free_height) canvas->height = canvas->width * canvas->style.height_ratio;
  set_y_tics(curves, 0.75 * canvas->height * canvas->dpi);
  set_x_tics(curves, 0.75 * canvas->width * canvas->dpi);
  int code = set_panel(curves, 0, 0, error);
  curves->markers = !code && markers_stand_apart(curves) ? plot->markers : 0;
  if (!code && strcmp(curves->place, "none")) code = curves_list_entries(curves, plot, error);
  if (code) return code;
  traces_thin(&curves->traces, curves->log_x, canvas->panel_width);
  name_backdrop(curves);
  /* Labels at the top make the axis longer, and its numbers may be wider there. */
  set_y_tics(curves, 0.75 * canvas->height * canvas->dpi);
  code = set_panel(curves, 0, 0, error);
  if (code) return code;
  name_backdrop(curves);
  if (curves->legend.count &&
      !legend_place_inside(canvas, curves->place, &curves->cover, &curves->legend) &&
      !name_at_ends(curves, error)) {
    code = place_above(curves, free_height, error);
    if (code) return code;
  }
  set_y_tics(curves, canvas->panel_height);
  set_x_tics(curves, canvas->panel_width);
  return OK;
}

/* Which category the colour of a series is. Bands of several lie on each other and have no signs:
   the third has the green of the sixth, not a lighter shade of the first's blue. */
static size_t category_of(const struct curves *curves, size_t index) {
  enum { LIKE_FIRST = 2, UNLIKE = 5 };
  bool bands = false;
  for (size_t i = 0; i < curves->traces.count && !bands; i++)
    bands = curves->traces.item[i].kind == TRACE_BAND;
  if (!bands || curves->traces.series_count < 2) return index;
  return index == LIKE_FIRST ? UNLIKE : index == UNLIKE ? LIKE_FIRST : index;
}

/* Half of the way from a colour to the one of the text. */
static uint32_t shade_of(uint32_t rgb, bool dark) {
  const uint32_t half = (rgb >> 1) & 0x7f7f7f;
  return dark ? half + 0x808080 : half;
}

/* As many colours as are needed: the categories, or evenly out of what is legible of a palette; and
   the darker shades of them, which on a dark ground are lighter. */
static int assign_colours(struct curves *curves, const char *palette_name, struct error *error) {
  size_t count = 1;
  for (size_t i = 0; i < curves->traces.count; i++)
    if (curves_colour(curves, &curves->traces.item[i]) > count)
      count = curves_colour(curves, &curves->traces.item[i]);
  struct palette palette;
  const bool sampled = palette_name || count > PALETTE_CATEGORIES;
  if (sampled) {
    const int code = palette_find(palette_name ? palette_name : palette_default(MATRIX_SEQUENTIAL),
                                  &palette, error);
    if (code) return code;
    palette_legible(&palette, curves->canvas.dark, &palette);
  }
  fprintf(curves->canvas.script, "array colour[%zu]\narray shade[%zu]\n", count, count);
  for (size_t i = 0; i < count; i++) {
    const double part = count > 1 ? (double)i / (double)(count - 1) : 0;
    const uint32_t rgb = sampled ? palette_colour(&palette, part)
                                 : palette_category(category_of(curves, i), curves->canvas.dark);
    fprintf(curves->canvas.script, "colour[%zu] = 0x%06x; shade[%zu] = 0x%06x\n", i + 1, rgb, i + 1,
            shade_of(rgb, curves->canvas.dark));
  }
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

/* Lines of many points that go up and down are thinner: they hide each other, their signs, and how
   far they go. */
static void thin_lines(struct curves *curves) {
  const double points = curves->canvas.panel_width / canvas_points(&curves->canvas, 1);
  size_t most = 0;
  for (size_t i = 0; i < curves->traces.count; i++)
    if (curves->traces.item[i].kind == TRACE_LINE && curves->traces.item[i].count > most)
      most = curves->traces.item[i].count;
  if ((double)most > 1.5 * points) curves->canvas.style.line_width *= 0.6;
}

static int draw(struct curves *curves, const struct curve_plot *plot,
                const struct figure_options *options, struct figure *figure, struct error *error) {
  struct blob data;
  set_view(curves, plot->from_zero);
  curves->high = curves->view.high;
  int code = check_view(curves, error);
  if (!code) code = lay_out(curves, plot, error);
  if (!code) code = assign_colours(curves, options->palette, error);
  if (!code) code = assign_axes(curves, error);
  if (!code) code = backdrop_assign(&curves->canvas, &curves->backdrop, error);
  if (!code) code = legend_assign(&curves->canvas, &curves->legend, error);
  if (!code) code = curves_place_signs(curves, error);
  if (code) return code;
  canvas_assign(&curves->canvas, "over_width", curves->canvas.style.line_width);
  thin_lines(curves);
  curves_assign_traces(curves);
  code = curves_write_data(curves, &data, error);
  if (!code) code = canvas_draw(&curves->canvas, "curves", data, figure, error);
  const struct legend *legend = &curves->legend;
  figure->legend_moved = !strcmp(curves->place, "direct") && legend->count && !legend->beside;
  return code;
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
    curves->by_series = plot->one_colour || curves->traces.series_count > 1;
    curves->whole_x =
        table_column_kind(table, (size_t)table_find_column(table, plot->x)) == COLUMN_INTEGER;
    code = backdrop_collect(table, plot, curves->traces.series_count == 1, curves->log_x,
                            curves->log_y, &curves->backdrop, error);
  }
  if (!code) code = draw(curves, plot, options, figure, error);
  curves_release_signs(curves);
  traces_release(&curves->traces);
  canvas_release(&curves->canvas);
  free(curves);
  return code;
}

/* The curves of a figure as gnuplot gets them: what each block of the data is, and the blocks. */
#include <math.h>
#include <stdlib.h>

#include "lib/base/memory.h"
#include "lib/figure/curves.h"

size_t curves_colour(const struct curves *curves, const struct trace *trace) {
  if (trace->kind == TRACE_POINTS || trace->look == CURVE_COMMON) return 0;
  return 1 + (curves->by_series ? trace->series : trace->column);
}

/* Several series have signs on all lines, a single one on those with a sign at every point. */
int curves_shape(const struct curves *curves, size_t column, size_t colour) {
  enum { SHAPES = 8 };
  const bool several = curves->traces.series_count > 1;
  return several || column < curves->markers ? 1 + (int)((colour - 1) % SHAPES) : 0;
}

/* Signs of one line, where several series have some. */
enum { SIGNS_EACH = 8 };

/* The shown point of a trace that is nearest to `x`, a part of the panel's width, and at most half
   of the way to the next sign away; `count` when there is none. */
static size_t nearest_point(const struct curves *curves, const struct trace *trace, double x) {
  double best = 0.5 / SIGNS_EACH;
  size_t found = trace->count;
  for (size_t p = 0; p < trace->count; p++) {
    if (isnan(trace->low[p])) continue;
    const double at =
        axis_position(trace->x[p], curves->view.left, curves->view.right, curves->log_x);
    if (fabs(at - x) < best) best = fabs(at - x), found = p;
  }
  return found;
}

static void place_all(const struct trace *trace, struct signs *signs) {
  for (size_t p = 0; p < trace->count; p++)
    if (!isnan(trace->low[p])) signs->point[signs->count++] = p;
}

/* Each series begins a little further to the right. */
static void place_some(const struct curves *curves, const struct trace *trace,
                       struct signs *signs) {
  const double shift = ((double)trace->series + 0.5) / (double)curves->traces.series_count;
  for (int i = 0; i < SIGNS_EACH; i++) {
    const size_t point = nearest_point(curves, trace, (i + shift) / SIGNS_EACH);
    if (point < trace->count && (!signs->count || signs->point[signs->count - 1] != point))
      signs->point[signs->count++] = point;
  }
}

int curves_place_signs(struct curves *curves, struct error *error) {
  const struct traces *traces = &curves->traces;
  curves->signs = memory_array(traces->count, sizeof *curves->signs, "the signs of curves", error);
  if (!curves->signs) return ERROR_FAILED;
  for (size_t i = 0; i < traces->count; i++) {
    const struct trace *trace = &traces->item[i];
    if (trace->kind != TRACE_LINE || trace->look != CURVE_SIGNED ||
        !curves_shape(curves, trace->column, curves_colour(curves, trace)))
      continue;
    struct signs *signs = &curves->signs[curves->sign_count];
    const bool all = trace->column < curves->markers;
    signs->trace = i;
    signs->point = memory_array(all ? trace->count : SIGNS_EACH, sizeof *signs->point,
                                "the signs of a curve", error);
    if (!signs->point) return ERROR_FAILED;
    curves->sign_count++;
    if (all)
      place_all(trace, signs);
    else
      place_some(curves, trace, signs);
    if (signs->count) continue;
    free(signs->point);
    curves->sign_count--;
  }
  return OK;
}

void curves_release_signs(struct curves *curves) {
  for (size_t i = 0; i < curves->sign_count; i++)
    free(curves->signs[i].point);
  free(curves->signs);
}

void curves_assign_traces(struct curves *curves) {
  FILE *script = curves->canvas.script;
  const struct traces *traces = &curves->traces;
  size_t count[3] = {0}, over = 0;
  for (size_t i = 0; i < traces->count; i++) {
    count[traces->item[i].kind]++;
    over += traces->item[i].look == CURVE_OVER;
  }
  fprintf(script, "edges = %d\nbands = %zu\nlines = %zu\npoints = %zu\nmarked = %zu\nover = %zu\n",
          traces->series_count > 1, count[TRACE_BAND], count[TRACE_LINE], count[TRACE_POINTS],
          curves->sign_count, over);
  fprintf(script, "array trace_colour[%zu] = [", traces->count);
  for (size_t i = 0; i < traces->count; i++)
    fprintf(script, "%s%zu", i ? ", " : "", curves_colour(curves, &traces->item[i]));
  fprintf(script, "]\narray trace_dash[%zu] = [", traces->count);
  for (size_t i = 0; i < traces->count; i++)
    fprintf(script, "%s%zu", i ? ", " : "", traces->item[i].column + 1);
  fputs("]\n", script);
  if (!curves->sign_count) return;
  fprintf(script, "array sign_trace[%zu] = [", curves->sign_count);
  for (size_t i = 0; i < curves->sign_count; i++)
    fprintf(script, "%s%zu", i ? ", " : "", curves->signs[i].trace + 1);
  fprintf(script, "]\narray sign_shape[%zu] = [", curves->sign_count);
  for (size_t i = 0; i < curves->sign_count; i++) {
    const struct trace *trace = &traces->item[curves->signs[i].trace];
    fprintf(script, "%s%d", i ? ", " : "",
            curves_shape(curves, trace->column, curves_colour(curves, trace)));
  }
  fputs("]\n", script);
}

static void write_trace(const struct trace *trace, FILE *out) {
  for (size_t p = 0; p < trace->count; p++) {
    if (isnan(trace->low[p]))
      fputc('\n', out);
    else if (trace->kind == TRACE_BAND)
      fprintf(out, "%.17g %.17g %.17g\n", trace->x[p], trace->low[p], trace->high[p]);
    else
      fprintf(out, "%.17g %.17g\n", trace->x[p], trace->low[p]);
  }
}

int curves_write_data(const struct curves *curves, struct blob *data, struct error *error) {
  const struct traces *traces = &curves->traces;
  FILE *out = open_memstream(&data->data, &data->size);
  if (!out) return error_set(error, ERROR_FAILED, "no memory for the points of a figure");
  for (size_t i = 0; i < traces->count; i++) {
    if (i) fputs("\n\n", out);
    write_trace(&traces->item[i], out);
  }
  for (size_t i = 0; i < curves->sign_count; i++) {
    const struct signs *signs = &curves->signs[i];
    const struct trace *trace = &traces->item[signs->trace];
    fputs("\n\n", out);
    for (size_t p = 0; p < signs->count; p++)
      fprintf(out, "%.17g %.17g\n", trace->x[signs->point[p]], trace->low[signs->point[p]]);
  }
  if (fclose(out) == 0) return OK;
  free(data->data);
  return error_set(error, ERROR_FAILED, "no memory for the points of a figure");
}

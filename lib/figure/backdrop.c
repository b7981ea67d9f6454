#include "lib/figure/backdrop.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/memory.h"

/* Lines of labels above spans that are too narrow for one. */
enum { ROWS_MOST = 3 };

/* Fills behind black and behind white curves. Neighbours differ in lightness, so that they do in
   grey. */
enum { FILLS = 4 };
static const unsigned fills[2][FILLS] = {{0xf0f4f9, 0xeed8b8, 0xdcebe3, 0xd3cddd},
                                         {0x1d222b, 0x40382c, 0x273430, 0x423b50}};

/* A row of the table that has a place on the axis. */
struct place {
  double x;
  size_t row;
};

static int compare_places(const void *left, const void *right) {
  const struct place *a = left, *b = right;
  if (a->x != b->x) return a->x < b->x ? -1 : 1;
  return a->row < b->row ? -1 : 1;
}

static double middle(double a, double b, bool logarithmic) {
  return logarithmic ? sqrt(a) * sqrt(b) : a / 2 + b / 2;
}

/* What lies as far beyond `a` as `inner` lies within. */
static double mirrored(double a, double inner, bool logarithmic) {
  return logarithmic ? a / inner * a : a + (a - inner);
}

/* The colour of a label: that of its place among the names, or of the span before that has it, or
   the next one. */
static size_t value_of(const struct backdrop *backdrop, const char *const *names,
                       const char *label) {
  size_t value = 0;
  for (; names && names[value]; value++)
    if (!strcmp(names[value], label)) return value;
  for (size_t s = 0; s < backdrop->span_count; s++) {
    const struct span *other = &backdrop->span[s];
    if (!strcmp(other->label, label)) return other->value;
    if (other->value >= value) value = other->value + 1;
  }
  return value;
}

static int add_span(struct backdrop *backdrop, const char *const *names, const char *label,
                    double left, double right, struct error *error) {
  if (!*label) return OK;
  if (backdrop->span_count == SPANS_MOST)
    return error_set(error, ERROR_INPUT, "more than %d spans cannot be shaded in one figure",
                     SPANS_MOST);
  const size_t value = value_of(backdrop, names, label);
  backdrop->span[backdrop->span_count++] =
      (struct span){.left = left, .right = right, .label = label, .value = value};
  return OK;
}

/* Spans meet halfway between places of different text; the outer ones reach as far beyond their
   last place. */
static int find_spans(struct backdrop *backdrop, const struct table *table,
                      const struct curve_plot *plot, const struct place *place, size_t count,
                      bool log_x, struct error *error) {
  const size_t column = (size_t)table_find_column(table, plot->spans);
  int code = OK;
  double left =
      count > 1 ? mirrored(place[0].x, middle(place[0].x, place[1].x, log_x), log_x) : place[0].x;
  for (size_t p = 0; p < count && !code; p++) {
    const char *label = table_text(table, place[p].row, column);
    const bool last = p + 1 == count;
    if (!last && !strcmp(label, table_text(table, place[p + 1].row, column))) continue;
    const double before = p ? middle(place[p - 1].x, place[p].x, log_x) : place[p].x;
    const double right =
        last ? mirrored(place[p].x, before, log_x) : middle(place[p].x, place[p + 1].x, log_x);
    code = add_span(backdrop, plot->span_names, label, left, right, error);
    left = right;
  }
  return code;
}

static int collect_spans(const struct table *table, const struct curve_plot *plot, bool log_x,
                         struct backdrop *backdrop, struct error *error) {
  const int column = table_find_column(table, plot->spans);
  if (column < 0)
    return error_set(error, ERROR_INPUT, "column '%s' is not in the table", plot->spans);
  if (table_column_kind(table, (size_t)column) != COLUMN_TEXT)
    return error_set(error, ERROR_INPUT, "column '%s' holds numbers; spans are named by text",
                     plot->spans);
  const size_t rows = table_rows(table), x = (size_t)table_find_column(table, plot->x);
  struct place *place = memory_array(rows, sizeof *place, "the spans of a figure", error);
  if (!place) return ERROR_FAILED;
  size_t count = 0;
  for (size_t r = 0; r < rows; r++) {
    const double at = table_real(table, r, x);
    if (isfinite(at) && !(log_x && at <= 0)) place[count++] = (struct place){at, r};
  }
  qsort(place, count, sizeof *place, compare_places);
  const int code = count ? find_spans(backdrop, table, plot, place, count, log_x, error) : OK;
  free(place);
  return code;
}

int backdrop_collect(const struct table *table, const struct curve_plot *plot, bool one_series,
                     bool log_x, bool log_y, struct backdrop *backdrop, struct error *error) {
  *backdrop = (struct backdrop){0};
  for (size_t m = 0; m < CURVE_MARKS && plot->marks[m].label; m++) {
    const double value = plot->marks[m].value;
    if (isfinite(value) && !(log_y && value <= 0))
      backdrop->mark[backdrop->mark_count++] =
          (struct mark){.value = value, .label = plot->marks[m].label};
  }
  const struct curve_mark *upright = &plot->x_mark;
  if (upright->label && isfinite(upright->value) && !(log_x && upright->value <= 0))
    backdrop->upright = (struct mark){.value = upright->value, .label = upright->label};
  return plot->spans && one_series ? collect_spans(table, plot, log_x, backdrop, error) : OK;
}

void backdrop_extend(const struct backdrop *backdrop, struct extent *view) {
  for (size_t s = 0; s < backdrop->span_count; s++) {
    view->left = fmin(view->left, backdrop->span[s].left);
    view->right = fmax(view->right, backdrop->span[s].right);
  }
  for (size_t m = 0; m < backdrop->mark_count; m++) {
    view->low = fmin(view->low, backdrop->mark[m].value);
    view->high = fmax(view->high, backdrop->mark[m].value);
  }
  if (backdrop->upright.label) {
    view->left = fmin(view->left, backdrop->upright.value);
    view->right = fmax(view->right, backdrop->upright.value);
  }
}

/* The label stands right of its line, or left of it; where there is no room on either side, above
   the line, which ends below it. */
static void name_upright(struct backdrop *backdrop, const struct canvas *canvas,
                         const struct extent *view, bool log_x, size_t row) {
  struct mark *upright = &backdrop->upright;
  const double points = canvas->style.tick_size, gap = canvas_points(canvas, 0.4 * points);
  const double line = canvas_line(canvas, points), panel = canvas->panel_width;
  const double width = canvas_text_width(canvas, upright->label, points) + gap;
  const double x = panel * axis_position(upright->value, view->left, view->right, log_x);
  const bool right = x + width <= panel, left = x - width >= 0;
  const double end = left ? x - gap : fmin(panel, fmax(x + width / 2, width));
  backdrop->upright_starts = right;
  upright->right = canvas->left + (right ? x + gap : end);
  upright->middle = canvas->top + line * ((double)row - 0.3);
  backdrop->upright_top = canvas->top + (right || left ? 0 : line * ((double)row + 0.3));
}

/* A label that reaches into other spans has the colour of its own about it, from there on. */
static void set_tag(const struct canvas *canvas, const struct extent *view, bool log_x, double half,
                    struct span *span) {
  const double line = canvas_line(canvas, canvas->style.tick_size);
  const double width =
      canvas->panel_width * (axis_position(span->right, view->left, view->right, log_x) -
                             axis_position(span->left, view->left, view->right, log_x));
  span->tag = (struct box){0};
  if (width < 2 * half)
    span->tag = (struct box){span->x - half, canvas->top + line * ((double)span->row - 0.8),
                             2 * half, line};
}

void backdrop_name_spans(struct backdrop *backdrop, const struct canvas *canvas,
                         const struct extent *view, bool log_x) {
  const double points = canvas->style.tick_size, gap = canvas_points(canvas, 0.7 * points);
  const double right = canvas->left + canvas->panel_width;
  double used[ROWS_MOST]; /* right ends of the labels in each line */
  size_t rows = 0;
  for (size_t r = 0; r < ROWS_MOST; r++)
    used[r] = canvas->left;
  for (size_t s = 0; s < backdrop->span_count; s++) {
    struct span *span = &backdrop->span[s];
    /* A single place has no halves of distances about it: the axis is its span. */
    if (span->left == span->right) span->left = view->left, span->right = view->right;
    const double half =
        fmin(canvas_text_width(canvas, span->label, points) + gap, canvas->panel_width) / 2;
    const double part =
        axis_position(middle(span->left, span->right, log_x), view->left, view->right, log_x);
    span->x = canvas->left + part * canvas->panel_width;
    span->x = fmax(canvas->left + half, fmin(right - half, span->x));
    span->row = 0;
    for (size_t r = 0; r < ROWS_MOST && !span->row; r++)
      if (span->x - half >= used[r] - 1e-6) span->row = r + 1;
    if (!span->row) continue;
    used[span->row - 1] = span->x + half;
    set_tag(canvas, view, log_x, half - gap / 4, span);
    if (span->row > rows) rows = span->row;
  }
  if (backdrop->upright.label) name_upright(backdrop, canvas, view, log_x, ++rows);
  backdrop->strip = rows ? canvas_line(canvas, points) * ((double)rows + 0.3) : 0;
}

/* Dots of a value from the top of the sheet. */
static double value_y(const struct canvas *canvas, const struct extent *view, double value,
                      bool log_y) {
  const double part = axis_position(value, view->low, view->high, log_y);
  return canvas->top + (1 - part) * canvas->panel_height;
}

/* How much a label would hide in this box: cells of the grid that curves and other labels hold, and
   lines of marks, which count as a row of cells each. */
static size_t hidden_by(const struct backdrop *backdrop, const struct canvas *canvas,
                        const struct extent *view, bool log_y, const struct cover *cover,
                        const struct box *box) {
  size_t hidden = cover_count(canvas, cover, box);
  for (size_t m = 0; m < backdrop->mark_count; m++) {
    const double y = value_y(canvas, view, backdrop->mark[m].value, log_y);
    if (y > box->y && y < box->y + box->height) hidden += COVER_SIDE;
  }
  return hidden;
}

/* The width of a label in so many lines, which are not much longer than others. */
static double label_width(const struct canvas *canvas, const char *label, size_t lines) {
  const double points = canvas->style.tick_size;
  double width = canvas_text_width(canvas, label, points) / (double)lines;
  while (lines > 1 && canvas_count_lines(canvas, label, width, points, lines + 1) > lines)
    width += canvas_points(canvas, 0.5 * points);
  return width;
}

/* The place at a line, above it or below, where a label of so many lines hides the least: of equal
   ones the rightmost. Returns how much. */
static size_t find_place(const struct backdrop *backdrop, const struct canvas *canvas,
                         const struct extent *view, bool log_y, const struct cover *cover,
                         struct mark *mark, size_t lines) {
  enum { STEPS = 64 };
  const double points = canvas->style.tick_size;
  const double line = canvas_line(canvas, points), high = (double)lines * line, away = 0.05 * line;
  const double top = canvas->top + backdrop->strip, below = canvas->top + canvas->panel_height;
  const double right = canvas->left + canvas->panel_width - canvas_points(canvas, 0.4 * points);
  const double y = value_y(canvas, view, mark->value, log_y);
  const double width = fmin(label_width(canvas, mark->label, lines), right - canvas->left);
  struct box best = {right - width, fmax(top, y - high - away), width, high};
  size_t least = SIZE_MAX;
  for (int step = 0; step < STEPS && least > 0; step++)
    for (int side = 0; side < 2 && least > 0; side++) {
      const struct box box = {right - width - canvas->panel_width * step / STEPS,
                              side ? y + away : y - high - away, width, high};
      if (box.x < canvas->left || box.y < top || box.y + high > below) continue;
      const size_t hidden = hidden_by(backdrop, canvas, view, log_y, cover, &box);
      if (hidden < least) least = hidden, best = box;
    }
  mark->box = best;
  mark->lines = lines;
  return least;
}

static void hold_upright(const struct backdrop *backdrop, const struct canvas *canvas,
                         const struct extent *view, bool log_x, struct cover *cover) {
  if (!backdrop->upright.label) return;
  const double part = axis_position(backdrop->upright.value, view->left, view->right, log_x);
  cover_hold(canvas, cover,
             &(struct box){canvas->left + part * canvas->panel_width, canvas->top, 0,
                           canvas->panel_height});
}

void backdrop_name_marks(struct backdrop *backdrop, const struct canvas *canvas,
                         const struct extent *view, const bool logarithmic[2],
                         struct cover *cover) {
  const bool log_y = logarithmic[1];
  hold_upright(backdrop, canvas, view, logarithmic[0], cover);
  for (size_t m = 0; m < backdrop->mark_count; m++) {
    struct mark *mark = &backdrop->mark[m], broken = *mark;
    const size_t hidden = find_place(backdrop, canvas, view, log_y, cover, mark, 1);
    if (hidden && strchr(mark->label, ' ') &&
        find_place(backdrop, canvas, view, log_y, cover, &broken, 2) < hidden)
      *mark = broken;
    mark->right = mark->box.x + mark->box.width;
    mark->middle = mark->box.y + mark->box.height / (double)(2 * mark->lines);
    cover_hold(canvas, cover, &mark->box);
  }
  for (size_t m = 0; m < backdrop->mark_count; m++)
    cover_hold(canvas, cover,
               &(struct box){canvas->left, value_y(canvas, view, backdrop->mark[m].value, log_y),
                             canvas->panel_width, 0});
  if (backdrop->strip > 0)
    cover_hold(canvas, cover,
               &(struct box){canvas->left, canvas->top, canvas->panel_width, backdrop->strip});
}

static int assign_spans(struct canvas *canvas, const struct backdrop *backdrop,
                        struct error *error) {
  const size_t count = backdrop->span_count;
  const double line = canvas_line(canvas, canvas->style.tick_size);
  int code = OK;
  fprintf(canvas->script, "spans = %zu\n", count);
  if (count)
    fprintf(canvas->script,
            "array span_left[%zu]\narray span_right[%zu]\narray span_rgb[%zu]\narray "
            "span_x[%zu]\narray span_y[%zu]\narray span_text[%zu]\narray tag_left[%zu]\narray "
            "tag_right[%zu]\narray tag_bottom[%zu]\narray tag_top[%zu]\n",
            count, count, count, count, count, count, count, count, count, count);
  for (size_t s = 0; s < count && !code; s++) {
    const struct span *span = &backdrop->span[s];
    const double y = canvas->top + line * ((double)span->row - 0.3);
    char variable[48];
    fprintf(canvas->script,
            "span_left[%zu] = %.17g; span_right[%zu] = %.17g; span_rgb[%zu] = 0x%06x\n", s + 1,
            span->left, s + 1, span->right, s + 1, fills[canvas->dark][span->value % FILLS]);
    fprintf(canvas->script, "span_x[%zu] = %.6g; span_y[%zu] = %.6g\n", s + 1,
            canvas_x(canvas, span->x), s + 1, canvas_y(canvas, y));
    canvas_assign_box(canvas, "tag", s + 1, &span->tag);
    snprintf(variable, sizeof variable, "span_text[%zu]", s + 1);
    code =
        canvas_assign_text(canvas, variable,
                           &(struct canvas_text){"span", span->row ? span->label : "",
                                                 canvas->style.tick_size, canvas->panel_width, 1},
                           error);
  }
  return code;
}

static int assign_upright(struct canvas *canvas, const struct backdrop *backdrop,
                          struct error *error) {
  const struct mark *upright = &backdrop->upright;
  canvas_assign(canvas, "upright", upright->label != NULL);
  if (!upright->label) return OK;
  canvas_assign(canvas, "upright_value", upright->value);
  canvas_assign(canvas, "upright_top", canvas_y(canvas, backdrop->upright_top));
  canvas_assign(canvas, "upright_starts", backdrop->upright_starts);
  canvas_assign(canvas, "upright_x", canvas_x(canvas, upright->right));
  canvas_assign(canvas, "upright_y", canvas_y(canvas, upright->middle));
  return canvas_assign_text(canvas, "upright_text",
                            &(struct canvas_text){"mark", upright->label, canvas->style.tick_size,
                                                  0.98 * canvas->panel_width, 1},
                            error);
}

int backdrop_assign(struct canvas *canvas, const struct backdrop *backdrop, struct error *error) {
  const size_t count = backdrop->mark_count;
  int code = assign_spans(canvas, backdrop, error);
  if (!code) code = assign_upright(canvas, backdrop, error);
  fprintf(canvas->script, "marks = %zu\n", count);
  if (count)
    fprintf(canvas->script,
            "array mark_value[%zu]\narray mark_x[%zu]\narray mark_y[%zu]\narray mark_text[%zu]\n",
            count, count, count, count);
  for (size_t m = 0; m < count && !code; m++) {
    const struct mark *mark = &backdrop->mark[m];
    char variable[48];
    fprintf(canvas->script, "mark_value[%zu] = %.17g; mark_x[%zu] = %.6g; mark_y[%zu] = %.6g\n",
            m + 1, mark->value, m + 1, canvas_x(canvas, mark->right), m + 1,
            canvas_y(canvas, mark->middle));
    snprintf(variable, sizeof variable, "mark_text[%zu]", m + 1);
    code = canvas_assign_text(
        canvas, variable,
        &(struct canvas_text){"mark", mark->label, canvas->style.tick_size,
                              fmin(mark->box.width * (1 + 1e-9), 0.98 * canvas->panel_width),
                              mark->lines},
        error);
  }
  return code;
}

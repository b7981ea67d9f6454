#include "lib/figure/map_hatch.h"

#include <math.h>
#include <stdlib.h>

#include "lib/base/memory.h"

static const double apart = 5; /* strokes, points */

bool map_is_hatched(const struct map_panels *panels) {
  for (size_t i = 0; i < panels->count; i++)
    if (panels->matrix[i]->hatch.cell) return true;
  return false;
}

/* Where the line lies, a part of the panel's height from the top. */
static double line_part(const struct matrix *matrix) {
  return (double)matrix->hatch.row / map_axis_length(&matrix->row_axis, matrix->rows);
}

static bool has_line(const struct matrix *matrix) {
  return matrix->hatch.row && line_part(matrix) < 1;
}

bool map_has_line(const struct map_panels *panels) {
  for (size_t i = 0; i < panels->count; i++)
    if (has_line(panels->matrix[i])) return true;
  return false;
}

/* A place in the panel, dots from its left upper corner. */
struct spot {
  double x, y;
};

static int add_stroke(const struct map_panels *panels, const struct matrix *matrix,
                      const struct spot *from, const struct spot *to, struct map_strokes *strokes,
                      struct error *error) {
  const double across = map_axis_length(&matrix->column_axis, matrix->columns) / panels->width,
               down = map_axis_length(&matrix->row_axis, matrix->rows) / panels->height;
  if (strokes->count == strokes->room) {
    strokes->room = 2 * strokes->room + 64;
    double *larger = realloc(strokes->number, strokes->room * 4 * sizeof *larger);
    if (!larger) return error_set(error, ERROR_FAILED, "out of memory: the hatching of a map");
    strokes->number = larger;
  }
  double *number = strokes->number + 4 * strokes->count++;
  number[0] = from->x * across - 0.5;
  number[1] = from->y * down - 0.5;
  number[2] = (to->x - from->x) * across;
  number[3] = (to->y - from->y) * down;
  return OK;
}

static bool is_hatched(const struct map_panels *panels, const struct matrix *matrix,
                       const struct spot *spot) {
  const size_t column = (size_t)(spot->x / panels->width * (double)matrix->columns),
               row = (size_t)(spot->y / panels->height * (double)matrix->rows);
  return column < matrix->columns && row < matrix->rows &&
         matrix->hatch.cell[row * matrix->columns + column];
}

/* The runs of hatched cells along the line x + y = `sum`, dot by dot. */
static int hatch_line(const struct map_panels *panels, const struct matrix *matrix, double sum,
                      struct map_strokes *strokes, struct error *error) {
  const double left = fmax(0, sum - panels->height), right = fmin(panels->width, sum);
  const size_t steps = (size_t)ceil(right - left);
  struct spot start = {0};
  bool inside = false;
  int code = OK;
  for (size_t i = 0; i <= steps && !code; i++) {
    const double x = fmin(right, left + (double)i), middle = x + 0.5;
    const bool hatched =
        middle < right && is_hatched(panels, matrix, &(struct spot){middle, sum - middle});
    const struct spot here = {x, sum - x};
    if (hatched && !inside) start = here;
    if (!hatched && inside) code = add_stroke(panels, matrix, &start, &here, strokes, error);
    inside = hatched;
  }
  return code;
}

int map_hatch(const struct canvas *canvas, const struct map_panels *panels,
              struct map_strokes *strokes, struct error *error) {
  const double step = M_SQRT2 * canvas_points(canvas, apart);
  int code = OK;
  *strokes = (struct map_strokes){0};
  for (size_t i = 0; i < panels->count && !code; i++) {
    const struct matrix *matrix = panels->matrix[i];
    strokes->first[i] = strokes->count;
    if (!matrix->hatch.cell) continue;
    const size_t lines = (size_t)((panels->width + panels->height) / step + 0.5);
    for (size_t l = 0; l < lines && !code; l++)
      code = hatch_line(panels, matrix, ((double)l + 0.5) * step, strokes, error);
  }
  return code;
}

/* The line before the row, and its label along the right side of the last panel of a row, where it
   hides no cells: the number of the row alone where it were longer than the panel. */
static int assign_line(struct canvas *canvas, const struct map_panels *panels, size_t index,
                       struct error *error) {
  const struct matrix *matrix = panels->matrix[index];
  const struct box box = map_panels_box(canvas, panels, index);
  const double points = canvas->style.tick_size, tick = canvas_points(canvas, points);
  const bool last = (index + 1) % panels->across == 0 || index + 1 == panels->count;
  const bool shown = has_line(matrix);
  const double y = box.y + line_part(matrix) * box.height, right = box.x + box.width;
  const char *label = shown && last ? matrix->hatch.row_label : "";
  char number[24];
  snprintf(number, sizeof number, "%zu", matrix->hatch.row);
  if (canvas_text_width(canvas, label, points) > box.height) label = number;
  const double half = fmin(canvas_text_width(canvas, label, points), box.height) / 2;
  const double middle = fmin(fmax(y, box.y + half), box.y + box.height - half);
  canvas_assign_element(canvas, "line", "shown", index + 1, shown);
  canvas_assign_element(canvas, "line", "at", index + 1, canvas_y(canvas, y));
  canvas_assign_element(canvas, "ground", "left", index + 1,
                        canvas_x(canvas, box.x + canvas_points(canvas, 1)));
  canvas_assign_element(canvas, "ground", "right", index + 1,
                        canvas_x(canvas, right - canvas_points(canvas, 1)));
  canvas_assign_element(canvas, "line", "right", index + 1,
                        canvas_x(canvas, right + (last ? 0.3 * tick : 0)));
  canvas_assign_element(canvas, "line", "x", index + 1,
                        canvas_x(canvas, right + 0.45 * tick + canvas_line(canvas, points) / 2));
  canvas_assign_element(canvas, "line", "y", index + 1, canvas_y(canvas, middle));
  char variable[32];
  snprintf(variable, sizeof variable, "line_text[%zu]", index + 1);
  return canvas_assign_text(canvas, variable,
                            &(struct canvas_text){"row", label, points, box.height + 0.1 * tick, 1},
                            error);
}

int map_hatch_assign(struct canvas *canvas, const struct map_panels *panels,
                     const struct map_strokes *strokes, size_t skip, struct error *error) {
  static const char *const arrays[] = {"strokes_count", "strokes_skip", "line_shown", "line_at",
                                       "line_right",    "line_x",       "line_y",     "line_text",
                                       "ground_left",   "ground_right"};
  int code = OK;
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    fprintf(canvas->script, "array %s[%zu]\n", arrays[i], panels->count);
  for (size_t i = 0; i < panels->count && !code; i++) {
    const size_t end = i + 1 < panels->count ? strokes->first[i + 1] : strokes->count;
    canvas_assign_element(canvas, "strokes", "count", i + 1, (double)(end - strokes->first[i]));
    canvas_assign_element(canvas, "strokes", "skip", i + 1,
                          (double)(skip + strokes->first[i] * 4 * sizeof(double)));
    code = assign_line(canvas, panels, i, error);
  }
  return code;
}

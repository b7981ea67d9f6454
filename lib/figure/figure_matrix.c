/* Maps as figures. Cells become colours here, so that a picture shows exactly the palette's;
   gnuplot gets for each the value in the middle of its colour's interval. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/memory.h"
#include "lib/figure/canvas.h"
#include "lib/figure/colour_bar.h"
#include "lib/figure/map_hatch.h"
#include "lib/figure/map_panel.h"
#include "lib/figure/palette.h"

/* More cells take gnuplot seconds and gigabytes. */
static const size_t most_cells = 2048;

static int check_matrix(const struct matrix *matrix, struct error *error) {
  if (!matrix->rows || !matrix->columns)
    return error_set(error, ERROR_FAILED, "nothing to draw: a map of %zu x %zu cells", matrix->rows,
                     matrix->columns);
  if (matrix->rows <= most_cells && matrix->columns <= most_cells) return OK;
  return error_set(
      error, ERROR_INPUT,
      "map of %zu x %zu cells is too large for a figure; reduce it to at most %zu cells a side",
      matrix->rows, matrix->columns, most_cells);
}

/* What the panels have in common; `range` is the kind of their scale. */
static int check_panels(const struct panel_set *set, enum matrix_range *range,
                        struct error *error) {
  if (set->count < 1 || set->count > PANELS_MOST)
    return error_set(error, ERROR_INPUT, "figure of %zu panels is not possible; from 1 to %d",
                     set->count, PANELS_MOST);
  const struct matrix *first = set->matrix[0];
  *range = colour_common_range(set->matrix, set->count);
  for (size_t i = 0; i < set->count; i++) {
    const struct matrix *matrix = set->matrix[i];
    const int code = check_matrix(matrix, error);
    if (code) return code;
    if (matrix->rows != first->rows || matrix->columns != first->columns ||
        matrix->row_axis.length != first->row_axis.length ||
        matrix->column_axis.length != first->column_axis.length)
      return error_set(error, ERROR_INPUT,
                       "panel %zu of %zu x %zu cells does not fit the first, of %zu x %zu; panels "
                       "share their axes",
                       i + 1, matrix->rows, matrix->columns, first->rows, first->columns);
    if ((matrix->range == MATRIX_CYCLIC) != (first->range == MATRIX_CYCLIC))
      return error_set(error, ERROR_INPUT,
                       "panel %zu and the first cannot share a colour scale: one shows angles",
                       i + 1);
  }
  return OK;
}

/* The titles with their letters. */
static int write_titles(const struct panel_set *set, struct map_panels *panels,
                        struct error *error) {
  for (size_t i = 0; i < set->count; i++) {
    const char *title = set->titles && set->titles[i] ? set->titles[i] : "";
    const int size = set->letters ? asprintf(&panels->title[i], "(%c)%s%s", 'a' + (int)i,
                                             *title ? " " : "", title)
                                  : asprintf(&panels->title[i], "%s", title);
    if (size < 0) {
      panels->title[i] = NULL;
      return error_set(error, ERROR_FAILED, "no memory for a title");
    }
  }
  return OK;
}

/* Where each panel, its frame and its title are, and which of the axes it shows: those at the edge
   of the grid. */
static int assign_panels(struct canvas *canvas, const struct map_panels *panels,
                         struct error *error) {
  static const char *const arrays[] = {"cells_left", "cells_right", "cells_bottom", "cells_top",
                                       "frame_left", "frame_right", "frame_bottom", "frame_top",
                                       "show_x",     "show_y",      "panel_title",  "panel_x",
                                       "panel_y"};
  fprintf(canvas->script, "panels = %zu\n", panels->count);
  for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
    fprintf(canvas->script, "array %s[%zu]\n", arrays[i], panels->count);
  int code = OK;
  for (size_t i = 0; i < panels->count && !code; i++) {
    const struct box box = map_panels_box(canvas, panels, i);
    char variable[48];
    canvas_assign_box(canvas, "cells", i + 1, &box);
    frame_assign(canvas, "frame", i + 1, &box);
    canvas_assign_element(canvas, "show", "x", i + 1, i + panels->across >= panels->count);
    canvas_assign_element(canvas, "show", "y", i + 1, i % panels->across == 0);
    canvas_assign_element(canvas, "panel", "x", i + 1, canvas_x(canvas, box.x + box.width / 2));
    canvas_assign_element(canvas, "panel", "y", i + 1,
                          canvas_y(canvas, map_panels_title_y(canvas, panels, i)));
    snprintf(variable, sizeof variable, "panel_title[%zu]", i + 1);
    code = canvas_assign_text(
        canvas, variable,
        &(struct canvas_text){"title of a panel", panels->title[i], canvas->style.tick_size,
                              map_panels_title_room(canvas, panels), panels->title_lines},
        error);
  }
  return code;
}

/* Axes count positions, also where a cell stands for several. */
static int assign_axes(struct canvas *canvas, const struct map_panels *panels,
                       struct error *error) {
  const struct matrix *matrix = panels->matrix[0];
  const size_t columns = matrix->columns * panels->repeat_across;
  const size_t rows = matrix->rows * panels->repeat_down;
  const double across = map_axis_length(&matrix->column_axis, matrix->columns);
  const double down = map_axis_length(&matrix->row_axis, matrix->rows);
  const double step_x = across / (double)columns, step_y = down / (double)rows;
  struct tics tics;
  fprintf(canvas->script, "columns = %zu\nrows = %zu\n", columns, rows);
  canvas_assign(canvas, "step_x", step_x);
  canvas_assign(canvas, "step_y", step_y);
  canvas_assign(canvas, "first_x", (step_x - 1) / 2);
  canvas_assign(canvas, "first_y", (step_y - 1) / 2);
  fprintf(canvas->script, "set xrange [-0.5:%.17g]\nset yrange [%.17g:-0.5]\n", across - 0.5,
          down - 0.5);
  for (size_t most = CANVAS_TICS_MOST; most >= 2; most--) {
    tics_linear(-0.5, across - 0.5, most, true, &tics);
    if (canvas_tics_fit_across(canvas, &tics, panels->width)) break;
  }
  int code = canvas_assign_tics_array(canvas, 'x', &tics, canvas->panel_width, error);
  if (code) return code;
  for (size_t most = CANVAS_TICS_MOST; most >= 2; most--) {
    tics_linear(-0.5, down - 0.5, most, true, &tics);
    if (canvas_tics_fit_down(canvas, &tics, panels->height)) break;
  }
  return canvas_assign_tics_array(canvas, 'y', &tics, canvas->panel_width, error);
}

/* The cells of a map, each repeated as the panels need it; returns where the next ones go. */
static double *write_cells(const struct matrix *matrix, const struct colour_scale *scale,
                           const struct map_panels *panels, const double *values, double *next) {
  const bool *hatched = matrix->hatch.cell;
  const size_t columns = matrix->columns * panels->repeat_across;
  for (size_t r = 0; r < matrix->rows; r++) {
    const double *row = next;
    for (size_t c = 0; c < matrix->columns; c++) {
      const size_t at = r * matrix->columns + c;
      const int index = colour_index(scale, matrix->cells[at]);
      const double value = index < 0 ? NAN : values[index] + (hatched && hatched[at]);
      for (size_t i = 0; i < panels->repeat_across; i++)
        *next++ = value;
    }
    for (size_t i = 1; i < panels->repeat_down; i++)
      next = mempcpy(next, row, columns * sizeof *row);
  }
  return next;
}

/* The cells of all maps, and behind them the colour bar: all colours, twice; then the strokes. */
static int write_data(const struct map_panels *panels, const struct colour_bar *bar,
                      const struct map_strokes *strokes, struct blob *data, struct error *error) {
  const struct matrix *first = panels->matrix[0];
  const size_t cells = first->columns * panels->repeat_across * first->rows * panels->repeat_down;
  const size_t all = panels->count * cells + 2 * PALETTE_SIZE + 4 * strokes->count;
  double values[PALETTE_SIZE];
  double *start = memory_array(all, sizeof *start, "the coloured cells", error), *next = start;
  if (!start) return ERROR_FAILED;
  for (int i = 0; i < PALETTE_SIZE; i++)
    values[i] = colour_bar_value(bar, i);
  for (size_t m = 0; m < panels->count; m++)
    next = write_cells(panels->matrix[m], &bar->scale, panels, values, next);
  for (int i = 0; i < 2 * PALETTE_SIZE; i++)
    *next++ = values[i / 2];
  if (strokes->count) memcpy(next, strokes->number, 4 * strokes->count * sizeof *next);
  *data = (struct blob){(char *)start, all * sizeof *start};
  return OK;
}

/* Bytes before the strokes in the data. */
static size_t count_bytes(const struct map_panels *panels) {
  const struct matrix *first = panels->matrix[0];
  return sizeof(double) * (panels->count * first->columns * panels->repeat_across * first->rows *
                               panels->repeat_down +
                           2 * PALETTE_SIZE);
}

/* The data with their strokes, and what the template needs to find them. */
static int write_strokes(struct canvas *canvas, const struct map_panels *panels,
                         const struct colour_bar *bar, struct blob *data, struct error *error) {
  struct map_strokes strokes;
  int code = map_hatch(canvas, panels, &strokes, error);
  if (!code) code = map_hatch_assign(canvas, panels, &strokes, count_bytes(panels), error);
  if (!code) code = write_data(panels, bar, &strokes, data, error);
  free(strokes.number);
  return code;
}

static int draw(struct canvas *canvas, struct map_panels *panels, const struct palette *palette,
                struct colour_bar *bar, struct figure *figure, struct error *error) {
  struct blob data = {0};
  const struct matrix *first = panels->matrix[0];
  int code = map_panels_lay_out(canvas, bar, panels, error);
  if (code) return code;
  canvas->keep_edges =
      (double)first->columns < panels->width && (double)first->rows < panels->height;
  palette_assign(canvas, palette, bar->pale);
  code = assign_panels(canvas, panels, error);
  if (!code) code = assign_axes(canvas, panels, error);
  if (!code) code = colour_bar_assign(canvas, bar, error);
  if (!code) code = write_strokes(canvas, panels, bar, &data, error);
  if (code) return code;
  fprintf(canvas->script,
          "bar_data = sprintf(\"binary skip=%%d array=(2,256) format='%%%%float64' using 1\", "
          "8*columns*rows*panels)\n");
  return canvas_draw(canvas, "matrix bar", data, figure, error);
}

int figure_draw_matrix(const struct matrix *matrix, const struct figure_options *options,
                       enum figure_format format, const char *name, struct figure *figure,
                       struct error *error) {
  return figure_draw_panels(&(struct panel_set){.matrix = &matrix, .count = 1}, options, format,
                            name, figure, error);
}

int figure_draw_panels(const struct panel_set *panels, const struct figure_options *options,
                       enum figure_format format, const char *name, struct figure *figure,
                       struct error *error) {
  struct palette palette;
  struct canvas canvas;
  struct colour_bar bar = {0};
  struct map_panels grid = {.matrix = panels->matrix, .count = panels->count};
  *figure = (struct figure){0};
  int code = check_panels(panels, &bar.range, error);
  if (!code && options->letter && panels->letters)
    code = error_set(error, ERROR_INPUT,
                     "letter '%s' goes with a single panel; these have letters of their own",
                     options->letter);
  if (code) return code;
  const struct matrix *first = panels->matrix[0];
  char label[sizeof first->value_label + sizeof first->hatch.label + 16];
  bar.pale = map_is_hatched(&grid);
  bar.apart = map_has_line(&grid);
  snprintf(label, sizeof label, bar.pale ? "%s; hatched: %s" : "%s", first->value_label,
           first->hatch.label);
  bar.label = label;
  code = palette_find(options->palette ? options->palette : palette_default(bar.range), &palette,
                      error);
  if (!code)
    code = colour_scale_fit(panels->matrix, panels->count, bar.range, &options->colours, &bar.scale,
                            error);
  if (code) return code;
  bar.beyond = colour_count_beyond(&bar.scale, panels->matrix, panels->count);
  code = canvas_open(options, format, name,
                     &(struct canvas_labels){NULL, first->column_axis.label, first->row_axis.label},
                     &canvas, error);
  if (code) return code;
  code = write_titles(panels, &grid, error);
  if (!code) code = draw(&canvas, &grid, &palette, &bar, figure, error);
  for (size_t i = 0; i < panels->count; i++)
    free(grid.title[i]);
  canvas_release(&canvas);
  return code;
}

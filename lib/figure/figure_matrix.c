/* Maps as figures. Cells become colours here, so that a picture shows exactly the palette's;
   gnuplot gets for each the value in the middle of its colour's interval. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/memory.h"
#include "lib/figure/canvas.h"
#include "lib/figure/colour_bar.h"
#include "lib/figure/map_panel.h"
#include "lib/figure/palette.h"

/* More cells take gnuplot seconds and gigabytes. */
static const size_t most_cells = 2048;

static int check_matrix(const struct matrix *matrix, struct error *error) {
  if (!matrix->rows || !matrix->columns)
    return error_set(error, ERROR_FAILED, "nothing to draw: a map of %zu × %zu cells", matrix->rows,
                     matrix->columns);
  if (matrix->rows <= most_cells && matrix->columns <= most_cells) return OK;
  return error_set(
      error, ERROR_INPUT,
      "map of %zu × %zu cells is too large for a figure; reduce it to at most %zu cells a side",
      matrix->rows, matrix->columns, most_cells);
}

static void write_palette(struct canvas *canvas, const struct palette *palette) {
  fprintf(canvas->script, "set palette maxcolors %d defined (", PALETTE_SIZE);
  for (int i = 0; i < PALETTE_SIZE; i++)
    fprintf(canvas->script, "%s%d '#%02x%02x%02x'",
            i == 0  ? ""
            : i % 6 ? ", "
                    : ", \\\n  ",
            i, palette->rgb[i][0], palette->rgb[i][1], palette->rgb[i][2]);
  fputs(")\n", canvas->script);
}

/* The line round the panel lies outside of it: it hides no cell. Lines of an odd number of pixels
   are sharp, because gnuplot puts them on the middle of a pixel. */
static void assign_frame(struct canvas *canvas) {
  const double thin = canvas_points(canvas, 0.5);
  const double width = canvas->format == FIGURE_PNG ? 2 * floor(thin / 2) + 1 : thin;
  const double right = canvas->left + canvas->panel_width,
               below = canvas->top + canvas->panel_height;
  canvas_assign(canvas, "frame_width", width * 72 / canvas->dpi);
  canvas_assign(canvas, "frame_x", canvas_x(canvas, width / 2) - canvas_x(canvas, 0));
  canvas_assign(canvas, "frame_left", canvas_x(canvas, canvas->left - width / 2));
  canvas_assign(canvas, "frame_right", canvas_x(canvas, right + width / 2));
  canvas_assign(canvas, "frame_top", canvas_y(canvas, canvas->top - width / 2));
  canvas_assign(canvas, "frame_bottom", canvas_y(canvas, below + width / 2));
}

/* Axes count positions, also where a cell stands for several. */
static int assign_axes(struct canvas *canvas, const struct matrix *matrix,
                       const struct map_panel *panel, struct error *error) {
  const size_t columns = matrix->columns * panel->repeat_across;
  const size_t rows = matrix->rows * panel->repeat_down;
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
    if (canvas_tics_fit_across(canvas, &tics, canvas->panel_width)) break;
  }
  int code = canvas_assign_tics(canvas, 'x', &tics, error);
  if (code) return code;
  for (size_t most = CANVAS_TICS_MOST; most >= 2; most--) {
    tics_linear(-0.5, down - 0.5, most, true, &tics);
    if (canvas_tics_fit_down(canvas, &tics, canvas->panel_height)) break;
  }
  return canvas_assign_tics(canvas, 'y', &tics, error);
}

/* The cells, each repeated as the panel needs it, and behind them the colour bar: all colours,
 * twice. */
static int write_data(const struct matrix *matrix, const struct colour_scale *scale,
                      const struct map_panel *panel, struct blob *data, struct error *error) {
  const size_t columns = matrix->columns * panel->repeat_across;
  const size_t count = columns * matrix->rows * panel->repeat_down, all = count + 2 * PALETTE_SIZE;
  double values[PALETTE_SIZE];
  double *cells = memory_array(all, sizeof *cells, "the coloured cells", error), *next = cells;
  if (!cells) return ERROR_FAILED;
  for (int i = 0; i < PALETTE_SIZE; i++)
    values[i] = colour_value(scale, i);
  for (size_t r = 0; r < matrix->rows; r++) {
    const double *row = next;
    for (size_t c = 0; c < matrix->columns; c++) {
      const int index = colour_index(scale, matrix->cells[r * matrix->columns + c]);
      for (size_t i = 0; i < panel->repeat_across; i++)
        *next++ = index < 0 ? NAN : values[index];
    }
    for (size_t i = 1; i < panel->repeat_down; i++)
      next = mempcpy(next, row, columns * sizeof *row);
  }
  for (int i = 0; i < 2 * PALETTE_SIZE; i++)
    *next++ = values[i / 2];
  *data = (struct blob){(char *)cells, all * sizeof *cells};
  return OK;
}

static int draw(struct canvas *canvas, const struct matrix *matrix, const struct palette *palette,
                struct colour_bar *bar, struct figure *figure, struct error *error) {
  struct blob data = {0};
  struct map_panel panel;
  int code = map_panel_lay_out(canvas, matrix, bar, &panel, error);
  if (code) return code;
  canvas->keep_edges =
      (double)matrix->columns < canvas->panel_width && (double)matrix->rows < canvas->panel_height;
  write_palette(canvas, palette);
  assign_frame(canvas);
  code = assign_axes(canvas, matrix, &panel, error);
  if (!code) code = colour_bar_assign(canvas, matrix, bar, error);
  if (!code) code = write_data(matrix, &bar->scale, &panel, &data, error);
  return code ? code : canvas_draw(canvas, "matrix", data, figure, error);
}

int figure_draw_matrix(const struct matrix *matrix, const struct figure_options *options,
                       enum figure_format format, const char *name, struct figure *figure,
                       struct error *error) {
  struct palette palette;
  struct canvas canvas;
  struct colour_bar bar;
  *figure = (struct figure){0};
  int code = check_matrix(matrix, error);
  if (!code)
    code = palette_find(options->palette ? options->palette : palette_default(matrix->range),
                        &palette, error);
  if (!code) code = colour_scale_fit(matrix, options->log_c, &bar.scale, error);
  if (!code)
    code = canvas_open(
        options, format, name,
        &(struct canvas_labels){NULL, matrix->column_axis.label, matrix->row_axis.label}, &canvas,
        error);
  if (code) return code;
  code = draw(&canvas, matrix, &palette, &bar, figure, error);
  canvas_release(&canvas);
  return code;
}

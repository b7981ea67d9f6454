/* Maps as figures. Cells become colours here, so that a picture shows exactly the palette's;
   gnuplot gets for each the value in the middle of its colour's interval. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/memory.h"
#include "lib/figure/canvas.h"
#include "lib/figure/lettering.h"
#include "lib/figure/palette.h"

/* More cells take gnuplot seconds and gigabytes. */
static const size_t most_cells = 2048;

/* A panel that whole cells fill to less than this share gets a higher resolution instead. */
static const double least_filled = 0.8;

/* The colour bar beside the panel. */
struct bar {
  struct colour_scale scale;
  struct tics tics;
  double gap, width, right_margin; /* dots */
};

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

static void set_bar(const struct canvas *canvas, const struct matrix *matrix, struct bar *bar) {
  const double tick = canvas_points(canvas, canvas->style.tick_size);
  if (matrix->range == MATRIX_CYCLIC && !bar->scale.logarithmic)
    tics_angles(&bar->tics);
  else if (bar->scale.logarithmic)
    tics_logarithmic(bar->scale.low, bar->scale.high, 6, &bar->tics);
  else
    tics_linear(bar->scale.low, bar->scale.high, 6, false, &bar->tics);
  bar->gap = round(0.8 * tick);
  bar->width = round(1.2 * tick);
  bar->right_margin =
      bar->gap + bar->width + tick * (1.4 + tics_width(&bar->tics)) +
      (*matrix->value_label ? 1.15 * canvas_line(canvas, canvas->style.font_size) : 0);
}

/* Ems of the numbers along an axis: those of its last position, at least. */
static double axis_ems(const struct matrix_axis *axis) {
  struct tics tics;
  tics_linear(-0.5, (double)axis->length - 0.5, 8, true, &tics);
  return tics_width(&tics);
}

/* Height of the panel for its width: cells are square unless the panel would be a strip. */
static double panel_aspect(const struct matrix *matrix) {
  const double aspect = (double)matrix->rows / (double)matrix->columns;
  return aspect > 1.25 ? 1 : aspect < 0.4 ? 0.4 : aspect;
}

static bool has_square_cells(const struct matrix *matrix) {
  return fabs(panel_aspect(matrix) * (double)matrix->columns - (double)matrix->rows) < 1e-6;
}

/* Makes the panel smaller, in the middle of the width and at the top. */
static void shrink_panel(struct canvas *canvas, double width, double height) {
  const double spare = floor((canvas->panel_width - width) / 2),
               below = canvas->panel_height - height;
  canvas->left += spare;
  canvas->spare_left += spare;
  canvas->bottom += below;
  canvas->spare_bottom += below;
  canvas->panel_width = width;
  canvas->panel_height = height;
}

static int set_panel(struct canvas *canvas, const struct matrix *matrix, const struct bar *bar,
                     struct error *error) {
  const double title_room = 0.4 * canvas_points(canvas, canvas->style.tick_size);
  int code = canvas_set_margins(canvas, axis_ems(&matrix->row_axis), axis_ems(&matrix->column_axis),
                                bar->right_margin, title_room, error);
  if (code) return code;
  const bool free_height = canvas->height == 0;
  if (free_height) {
    const double width = canvas->width * canvas->dpi - canvas->left - canvas->right;
    canvas->height =
        (canvas->top + canvas->bottom + fmax(0, width) * panel_aspect(matrix)) / canvas->dpi;
  }
  code = canvas_set_panel(canvas, error);
  if (!code && !free_height && has_square_cells(matrix)) {
    const double aspect = panel_aspect(matrix);
    const double width = fmin(canvas->panel_width, canvas->panel_height / aspect);
    shrink_panel(canvas, width, width * aspect);
  }
  return code;
}

/* Dots of one cell along an axis, whole and at least one; 0 where the cells are more than the dots.
 */
static double cell_dots(double panel, size_t cells) {
  return floor((panel + 1e-6) / (double)cells);
}

/* The resolution at which whole cells fill an axis well: `dpi` itself when they do already. */
static double filled_dpi(double dpi, double panel, size_t cells) {
  const double dots = cell_dots(panel, cells);
  if (dots > 0 && dots * (double)cells >= least_filled * panel) return dpi;
  return dpi * (dots + 1) * (double)cells / panel;
}

static double wanted_dpi(const struct canvas *canvas, const struct matrix *matrix) {
  const double across = filled_dpi(canvas->dpi, canvas->panel_width, matrix->columns);
  const double down = filled_dpi(canvas->dpi, canvas->panel_height, matrix->rows);
  return ceil(fmax(across, down));
}

/* Makes the panel a whole number of dots per cell, and the sheet as high as that needs. */
static int snap_panel(struct canvas *canvas, const struct matrix *matrix, bool free_height,
                      struct error *error) {
  double across = cell_dots(canvas->panel_width, matrix->columns);
  double down = cell_dots(canvas->panel_height, matrix->rows);
  if (across < 1 || down < 1)
    return error_set(
        error, ERROR_INPUT,
        "panel of %.0f × %.0f pixels cannot show %zu × %zu cells at %g dpi; raise it to %.0f dpi "
        "or reduce the map to fewer cells",
        floor(canvas->panel_width), floor(canvas->panel_height), matrix->columns, matrix->rows,
        canvas->dpi, wanted_dpi(canvas, matrix));
  if (has_square_cells(matrix)) across = down = fmin(across, down);
  shrink_panel(canvas, across * (double)matrix->columns, down * (double)matrix->rows);
  if (free_height) {
    canvas->bottom -= canvas->spare_bottom;
    canvas->spare_bottom = 0;
    canvas->height = (canvas->top + canvas->panel_height + canvas->bottom) / canvas->dpi;
  }
  return OK;
}

/* Decides sizes. PNG files have a dot for every cell: the resolution is raised when that takes more
   dots than there are, unless it was asked for. */
static int lay_out(struct canvas *canvas, const struct matrix *matrix, struct bar *bar,
                   struct error *error) {
  const bool free_height = canvas->height == 0;
  set_bar(canvas, matrix, bar);
  int code = set_panel(canvas, matrix, bar, error);
  if (code || canvas->format != FIGURE_PNG) return code;
  /* Margins are whole dots, so that one step may be a dot short. */
  for (int steps = 0; steps < 8 && !code && !canvas->fixed_dpi; steps++) {
    const double dpi = wanted_dpi(canvas, matrix);
    if (dpi <= canvas->dpi) break;
    canvas->dpi = dpi;
    if (free_height) canvas->height = 0;
    set_bar(canvas, matrix, bar);
    code = set_panel(canvas, matrix, bar, error);
  }
  return code ? code : snap_panel(canvas, matrix, free_height, error);
}

static int assign_bar(struct canvas *canvas, const struct matrix *matrix, const struct bar *bar,
                      struct error *error) {
  const double left = canvas->left + canvas->panel_width + bar->gap;
  const double value_x =
      left - bar->gap + bar->right_margin - 0.55 * canvas_line(canvas, canvas->style.font_size);
  canvas_assign(canvas, "bar_left", canvas_x(canvas, left));
  canvas_assign(canvas, "bar_right", canvas_x(canvas, left + bar->width));
  canvas_assign(canvas, "value_x", canvas_x(canvas, value_x));
  canvas_assign(canvas, "colour_low", bar->scale.low);
  canvas_assign(canvas, "colour_high", bar->scale.high);
  if (bar->scale.logarithmic) fputs("set logscale cb\n", canvas->script);
  int code = canvas_assign_tics(canvas, 'c', &bar->tics, error);
  if (!code)
    code = canvas_assign_text(canvas, "value_label", "value label", matrix->value_label,
                              canvas->style.font_size, canvas->height * canvas->dpi, 1, error);
  return code;
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
static int assign_axes(struct canvas *canvas, const struct matrix *matrix, struct error *error) {
  const double across = (double)matrix->column_axis.length, down = (double)matrix->row_axis.length;
  const double step_x = across / (double)matrix->columns, step_y = down / (double)matrix->rows;
  struct tics tics;
  fprintf(canvas->script, "columns = %zu\nrows = %zu\n", matrix->columns, matrix->rows);
  canvas_assign(canvas, "step_x", step_x);
  canvas_assign(canvas, "step_y", step_y);
  canvas_assign(canvas, "first_x", (step_x - 1) / 2);
  canvas_assign(canvas, "first_y", (step_y - 1) / 2);
  fprintf(canvas->script, "set xrange [-0.5:%.17g]\nset yrange [%.17g:-0.5]\n", across - 0.5,
          down - 0.5);
  tics_linear(-0.5, across - 0.5, canvas_tics_across(canvas, canvas->panel_width), true, &tics);
  int code = canvas_assign_tics(canvas, 'x', &tics, error);
  if (code) return code;
  tics_linear(-0.5, down - 0.5, canvas_tics_down(canvas, canvas->panel_height), true, &tics);
  return canvas_assign_tics(canvas, 'y', &tics, error);
}

static int colour_cells(const struct matrix *matrix, const struct colour_scale *scale,
                        struct blob *data, struct error *error) {
  const size_t count = matrix->rows * matrix->columns;
  double values[PALETTE_SIZE],
      *cells = memory_array(count, sizeof *cells, "the coloured cells", error);
  if (!cells) return ERROR_FAILED;
  for (int i = 0; i < PALETTE_SIZE; i++)
    values[i] = colour_value(scale, i);
  for (size_t i = 0; i < count; i++) {
    const int index = colour_index(scale, matrix->cells[i]);
    cells[i] = index < 0 ? NAN : values[index];
  }
  *data = (struct blob){(char *)cells, count * sizeof *cells};
  return OK;
}

static int draw(struct canvas *canvas, const struct matrix *matrix, const struct palette *palette,
                struct bar *bar, struct figure *figure, struct error *error) {
  struct blob data = {0};
  int code = lay_out(canvas, matrix, bar, error);
  if (code) return code;
  write_palette(canvas, palette);
  assign_frame(canvas);
  code = assign_axes(canvas, matrix, error);
  if (!code) code = assign_bar(canvas, matrix, bar, error);
  if (!code) code = colour_cells(matrix, &bar->scale, &data, error);
  return code ? code : canvas_draw(canvas, "matrix", data, figure, error);
}

int figure_draw_matrix(const struct matrix *matrix, const struct figure_options *options,
                       enum figure_format format, const char *name, struct figure *figure,
                       struct error *error) {
  struct palette palette;
  struct canvas canvas;
  struct bar bar;
  *figure = (struct figure){0};
  int code = check_matrix(matrix, error);
  if (!code)
    code = palette_find(options->palette ? options->palette : palette_default(matrix->range),
                        &palette, error);
  if (!code) code = colour_scale_fit(matrix, options->log_c, &bar.scale, error);
  if (!code)
    code = canvas_open(options, format, name, NULL, matrix->column_axis.label,
                       matrix->row_axis.label, &canvas, error);
  if (code) return code;
  code = draw(&canvas, matrix, &palette, &bar, figure, error);
  canvas_release(&canvas);
  return code;
}

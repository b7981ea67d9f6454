#include "lib/figure/map_panel.h"

#include <math.h>

/* A panel that whole cells fill to less than this share gets a higher resolution instead. */
static const double least_filled = 0.8;

/* Positions along an axis: as many as cells where nothing was reduced. */
double map_axis_length(const struct matrix_axis *axis, size_t cells) {
  return (double)(axis->length ? axis->length : cells);
}

/* Ems of the numbers along an axis: those of its last position, at least. */
static double axis_ems(const struct matrix_axis *axis, size_t cells) {
  struct tics tics;
  tics_linear(-0.5, map_axis_length(axis, cells) - 0.5, 8, true, &tics);
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

static int set_panel(struct canvas *canvas, const struct matrix *matrix,
                     const struct colour_bar *bar, struct error *error) {
  const double title_room = 0.4 * canvas_points(canvas, canvas->style.tick_size);
  int code = canvas_set_margins(canvas, axis_ems(&matrix->row_axis, matrix->rows),
                                axis_ems(&matrix->column_axis, matrix->columns), bar->right_margin,
                                title_room, error);
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

/* Divides a cell of `*dots` dots so that pieces are no larger than cairo stretches a raster of this
   panel exactly (it has 16 bits for the fraction of a cell); makes `*dots` a multiple of the
   pieces. */
static size_t divide_cell(double *dots, size_t cells) {
  const double largest = fmax(1, floor(65536 / (4 * *dots * (double)cells)));
  if (*dots <= largest) return 1;
  double best = 1;
  for (int less = 0; less < largest / 2; less++) {
    const double piece = largest - less;
    if (floor(*dots / piece) * piece > floor(*dots / best) * best || best == 1) best = piece;
  }
  const double pieces = floor(*dots / best);
  *dots = pieces * best;
  return (size_t)pieces;
}

/* Makes the panel a whole number of dots per cell, and the sheet as high as that needs. */
static int snap_panel(struct canvas *canvas, const struct matrix *matrix, bool free_height,
                      struct map_panel *panel, struct error *error) {
  double across = cell_dots(canvas->panel_width, matrix->columns);
  double down = cell_dots(canvas->panel_height, matrix->rows);
  if (across < 1 || down < 1)
    return error_set(
        error, ERROR_INPUT,
        "panel of %.0f × %.0f pixels cannot show %zu × %zu cells at %g dpi; raise it to %.0f dpi "
        "or reduce the map to fewer cells",
        floor(canvas->panel_width), floor(canvas->panel_height), matrix->columns, matrix->rows,
        canvas->dpi, wanted_dpi(canvas, matrix));
  if (has_square_cells(matrix)) {
    across = fmin(across, down);
    panel->repeat_across = panel->repeat_down =
        divide_cell(&across, matrix->columns > matrix->rows ? matrix->columns : matrix->rows);
    down = across;
  } else {
    panel->repeat_across = divide_cell(&across, matrix->columns);
    panel->repeat_down = divide_cell(&down, matrix->rows);
  }
  if (matrix->columns * panel->repeat_across == 1) panel->repeat_across = 2;
  if (matrix->rows * panel->repeat_down == 1) panel->repeat_down = 2;
  shrink_panel(canvas, across * (double)matrix->columns, down * (double)matrix->rows);
  if (free_height) {
    canvas->bottom -= canvas->spare_bottom;
    canvas->spare_bottom = 0;
    canvas->height = (canvas->top + canvas->panel_height + canvas->bottom) / canvas->dpi;
  }
  return OK;
}

int map_panel_lay_out(struct canvas *canvas, const struct matrix *matrix, struct colour_bar *bar,
                      struct map_panel *panel, struct error *error) {
  const bool free_height = canvas->height == 0;
  *panel = (struct map_panel){matrix->columns == 1 ? 2 : 1, matrix->rows == 1 ? 2 : 1};
  colour_bar_measure(canvas, matrix, bar);
  int code = set_panel(canvas, matrix, bar, error);
  if (code || canvas->format != FIGURE_PNG) return code;
  /* Margins are whole dots, so that one step may be a dot short. */
  for (int steps = 0; steps < 8 && !code && !canvas->fixed_dpi; steps++) {
    const double dpi = wanted_dpi(canvas, matrix);
    if (dpi <= canvas->dpi) break;
    canvas->dpi = dpi;
    if (free_height) canvas->height = 0;
    colour_bar_measure(canvas, matrix, bar);
    code = set_panel(canvas, matrix, bar, error);
  }
  return code ? code : snap_panel(canvas, matrix, free_height, panel, error);
}

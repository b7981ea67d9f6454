#include "lib/figure/map_panel.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A panel that whole cells fill to less than this share gets a higher resolution instead. */
static const double least_filled = 0.8;

double map_axis_length(const struct matrix_axis *axis, size_t cells) {
  return (double)(axis->length ? axis->length : cells);
}

static size_t panels_down(const struct map_panels *panels) {
  return (panels->count + panels->across - 1) / panels->across;
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

/* Sizes of the panels that the panel of the canvas has room for. */
static void measure_panels(const struct canvas *canvas, struct map_panels *panels) {
  const double across = (double)panels->across, down = (double)panels_down(panels);
  panels->width = (canvas->panel_width - (across - 1) * panels->gap_across) / across;
  panels->height = (canvas->panel_height - (down - 1) * panels->gap_down) / down;
}

/* Makes panels and grid smaller, in the middle of the width and at the top. */
static void shrink_panels(struct canvas *canvas, struct map_panels *panels, double width,
                          double height) {
  const double across = (double)panels->across, down = (double)panels_down(panels);
  const double grid_width = across * width + (across - 1) * panels->gap_across;
  const double grid_height = down * height + (down - 1) * panels->gap_down;
  const double spare = floor((canvas->panel_width - grid_width) / 2),
               below = canvas->panel_height - grid_height;
  canvas->left += spare;
  canvas->spare_left += spare;
  canvas->bottom += below;
  canvas->spare_bottom += below;
  canvas->panel_width = grid_width;
  canvas->panel_height = grid_height;
  panels->width = width;
  panels->height = height;
}

/* Room for the titles above a panel, dots. */
static double title_height(const struct canvas *canvas, const struct map_panels *panels) {
  return canvas_line(canvas, canvas->style.tick_size) * (double)panels->title_lines;
}

double map_panels_title_room(const struct canvas *canvas, const struct map_panels *panels) {
  return panels->width +
         fmax(0, panels->gap_across - canvas_points(canvas, 0.8 * canvas->style.tick_size));
}

/* How many lines a title takes above a panel. */
static size_t count_lines(const struct canvas *canvas, const struct map_panels *panels,
                          const char *title) {
  return title ? canvas_count_lines(canvas, title, map_panels_title_room(canvas, panels),
                                    canvas->style.tick_size, MAP_TITLE_LINES)
               : 0;
}

static size_t count_title_lines(const struct canvas *canvas, const struct map_panels *panels) {
  size_t most = 0;
  for (size_t i = 0; i < panels->count; i++) {
    const size_t lines = count_lines(canvas, panels, panels->title[i]);
    if (lines > most) most = lines;
  }
  return most;
}

/* Numbers below neighbours stay apart, and so do a panel and the title below it. */
static void set_gaps(const struct canvas *canvas, struct map_panels *panels) {
  const struct matrix *matrix = panels->matrix[0];
  const double tick = canvas_points(canvas, canvas->style.tick_size);
  panels->gap_across = ceil(tick * (0.5 * axis_ems(&matrix->column_axis, matrix->columns) + 0.8));
  panels->gap_down = ceil(title_height(canvas, panels) + tick * (panels->title_lines ? 0.6 : 0.8));
}

/* How many panels stand side by side: those of the fewest empty places, then those that
   are largest in this width and height. */
static size_t choose_across(const struct canvas *canvas, const struct map_panels *panels,
                            double width, double height) {
  const double aspect = panel_aspect(panels->matrix[0]);
  const double legible = canvas_points(canvas, 8 * canvas->style.font_size);
  size_t best = 1;
  double best_score = -INFINITY;
  for (size_t across = 1; across <= panels->count; across++) {
    const size_t down = (panels->count + across - 1) / across;
    const double size = (width - (double)(across - 1) * panels->gap_across) / (double)across;
    const double fitting = (height - (double)(down - 1) * panels->gap_down) / (double)down / aspect;
    const double shown = fmin(size, fitting);
    /* Panels too small to read lose against any that are not. */
    const double score = shown < legible
                             ? shown / legible - 1e3
                             : shown / legible - 10 * (double)(across * down - panels->count);
    if (score > best_score) best = across, best_score = score;
  }
  return best;
}

/* Above an empty place in the last column the numbers of an axis stand beside the bar. */
static void widen_bar_gap(const struct map_panels *panels, struct colour_bar *bar) {
  bar->gap += panels->gap_across / 2;
  bar->right_margin += panels->gap_across / 2;
}

/* The grid in the width of a sheet, or in width and height where these are decided. */
static int set_panels(struct canvas *canvas, struct map_panels *panels, struct colour_bar *bar,
                      struct error *error) {
  const struct matrix *matrix = panels->matrix[0];
  const double aspect = panel_aspect(matrix);
  const double title_room = 0.4 * canvas_points(canvas, canvas->style.tick_size);
  const bool free_height = canvas->height == 0;
  int code = OK;
  panels->across = 1;
  /* The second time with the room that titles and numbers turned out to need. */
  for (int pass = 0; pass < 2 && !code; pass++) {
    set_gaps(canvas, panels);
    code = canvas_set_margins(canvas, axis_ems(&matrix->row_axis, matrix->rows),
                              axis_ems(&matrix->column_axis, matrix->columns), bar->right_margin,
                              title_room + title_height(canvas, panels), error);
    if (code) return code;
    const double width = fmax(0, canvas->width * canvas->dpi - canvas->left - canvas->right);
    const double height =
        free_height ? 0.85 * width : canvas->height * canvas->dpi - canvas->top - canvas->bottom;
    panels->across = choose_across(canvas, panels, width, height);
    canvas->panel_width = width;
    canvas->panel_height = height;
    measure_panels(canvas, panels);
    if (pass) break;
    const size_t lines = count_title_lines(canvas, panels);
    if (lines > panels->title_lines) panels->title_lines = lines;
    if (panels->count % panels->across) widen_bar_gap(panels, bar);
  }
  if (free_height) {
    const double down = (double)panels_down(panels);
    canvas->height = (canvas->top + canvas->bottom + down * panels->width * aspect +
                      (down - 1) * panels->gap_down) /
                     canvas->dpi;
  }
  code = canvas_set_panel(canvas, error);
  if (code) return code;
  measure_panels(canvas, panels);
  if (!(fmin(panels->width, panels->height) >= canvas_points(canvas, 2 * canvas->style.font_size)))
    return error_set(error, ERROR_INPUT, "figure of %.2f x %.2f in is too small for %zu panels",
                     canvas->width, canvas->height, panels->count);
  if (!free_height && has_square_cells(matrix)) {
    const double width = fmin(panels->width, panels->height / aspect);
    shrink_panels(canvas, panels, width, width * aspect);
  }
  return OK;
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

static double wanted_dpi(const struct canvas *canvas, const struct map_panels *panels) {
  const double across = filled_dpi(canvas->dpi, panels->width, panels->matrix[0]->columns);
  const double down = filled_dpi(canvas->dpi, panels->height, panels->matrix[0]->rows);
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

static void divide_cells(const struct matrix *matrix, double *across, double *down,
                         struct map_panels *panels) {
  if (has_square_cells(matrix)) {
    *across = fmin(*across, *down);
    panels->repeat_across = panels->repeat_down =
        divide_cell(across, matrix->columns > matrix->rows ? matrix->columns : matrix->rows);
    *down = *across;
  } else {
    panels->repeat_across = divide_cell(across, matrix->columns);
    panels->repeat_down = divide_cell(down, matrix->rows);
  }
  if (matrix->columns * panels->repeat_across == 1) panels->repeat_across = 2;
  if (matrix->rows * panels->repeat_down == 1) panels->repeat_down = 2;
}

/* Makes the panels a whole number of dots per cell, and the sheet as high as that needs. */
static int snap_panels(struct canvas *canvas, bool free_height, struct map_panels *panels,
                       struct error *error) {
  const struct matrix *matrix = panels->matrix[0];
  double across = cell_dots(panels->width, matrix->columns);
  double down = cell_dots(panels->height, matrix->rows);
  if (across < 1 || down < 1)
    return error_set(
        error, ERROR_INPUT,
        "panel of %.0f x %.0f pixels cannot show %zu x %zu cells at %g dpi; raise it to %.0f dpi "
        "or reduce the map to fewer cells",
        floor(panels->width), floor(panels->height), matrix->columns, matrix->rows, canvas->dpi,
        wanted_dpi(canvas, panels));
  divide_cells(matrix, &across, &down, panels);
  shrink_panels(canvas, panels, across * (double)matrix->columns, down * (double)matrix->rows);
  if (free_height) {
    canvas->bottom -= canvas->spare_bottom;
    canvas->spare_bottom = 0;
    canvas->height = (canvas->top + canvas->panel_height + canvas->bottom) / canvas->dpi;
  }
  return OK;
}

/* A viewer smooths the image of an SVG that has more cells than dots in one direction. In the other
   the edges of its few cells stay, since each is several then. */
static void divide_few_cells(struct map_panels *panels) {
  const double finer = 4; /* than a dot */
  const struct matrix *matrix = panels->matrix[0];
  const double across = (double)matrix->columns, down = (double)matrix->rows;
  if ((across < panels->width) == (down < panels->height)) return;
  if (across < panels->width)
    panels->repeat_across = (size_t)ceil(finer * panels->width / across);
  else
    panels->repeat_down = (size_t)ceil(finer * panels->height / down);
}

/* With room for as many lines of titles and of the bar's label as are set. */
static int lay_out(struct canvas *canvas, struct colour_bar *bar, struct map_panels *panels,
                   struct error *error) {
  const bool free_height = canvas->height == 0;
  panels->repeat_across = panels->matrix[0]->columns == 1 ? 2 : 1;
  panels->repeat_down = panels->matrix[0]->rows == 1 ? 2 : 1;
  colour_bar_measure(canvas, bar);
  int code = set_panels(canvas, panels, bar, error);
  if (!code && canvas->format == FIGURE_SVG) divide_few_cells(panels);
  if (code || canvas->format != FIGURE_PNG) return code;
  /* Margins are whole dots, so that one step may be a dot short. */
  for (int steps = 0; steps < 8 && !code && !canvas->fixed_dpi; steps++) {
    const double dpi = wanted_dpi(canvas, panels);
    if (dpi <= canvas->dpi) break;
    canvas->dpi = dpi;
    if (free_height) canvas->height = 0;
    colour_bar_measure(canvas, bar);
    code = set_panels(canvas, panels, bar, error);
  }
  return code ? code : snap_panels(canvas, free_height, panels, error);
}

static bool title_fits(const struct canvas *canvas, const struct map_panels *panels,
                       const char *title) {
  return canvas_count_lines(canvas, title, map_panels_title_room(canvas, panels),
                            canvas->style.tick_size, MAP_TITLE_LINES + 1) <= MAP_TITLE_LINES;
}

/* Takes characters away before the last comma of a title, or its last bracket: what tells panels
   apart stands behind. A title whose end alone is too long stays. */
static int shorten_title(const struct canvas *canvas, const struct map_panels *panels, char **title,
                         struct error *error) {
  enum { LETTERED = 5 }; /* bytes of "(a) X" */
  const char *tail = strrchr(*title, ',');
  if (!tail) tail = strrchr(*title, '(');
  for (size_t kept = tail ? (size_t)(tail - *title) : 0; kept > LETTERED;) {
    char *shorter;
    do
      kept--;
    while (((unsigned char)(*title)[kept] & 0xc0) == 0x80);
    if (asprintf(&shorter, "%.*s…%s", (int)kept, *title, tail) < 0)
      return error_set(error, ERROR_FAILED, "no memory for a title");
    if (title_fits(canvas, panels, shorter)) {
      free(*title);
      *title = shorter;
      return OK;
    }
    free(shorter);
  }
  return OK;
}

static int shorten_titles(const struct canvas *canvas, struct map_panels *panels,
                          struct error *error) {
  int code = OK;
  for (size_t i = 0; i < panels->count && !code; i++)
    if (panels->title[i] && !title_fits(canvas, panels, panels->title[i]))
      code = shorten_title(canvas, panels, &panels->title[i], error);
  return code;
}

int map_panels_lay_out(struct canvas *canvas, struct colour_bar *bar, struct map_panels *panels,
                       struct error *error) {
  const bool free_height = canvas->height == 0;
  panels->title_lines = 0;
  /* Texts may need more lines than the panels seemed to have: those are narrower then, and so on.
   */
  for (;;) {
    const int code = lay_out(canvas, bar, panels, error);
    if (code) return code;
    const size_t titles = count_title_lines(canvas, panels),
                 label = colour_bar_count_lines(canvas, bar);
    if (titles <= panels->title_lines && label <= bar->label_lines)
      return shorten_titles(canvas, panels, error);
    if (titles > panels->title_lines) panels->title_lines = titles;
    if (label > bar->label_lines) bar->label_lines = label;
    if (free_height) canvas->height = 0;
  }
}

struct box map_panels_box(const struct canvas *canvas, const struct map_panels *panels,
                          size_t index) {
  const size_t above = index / panels->across;
  const double column = (double)(index % panels->across), row = (double)above;
  return (struct box){canvas->left + column * (panels->width + panels->gap_across),
                      canvas->top + row * (panels->height + panels->gap_down), panels->width,
                      panels->height};
}

double map_panels_title_y(const struct canvas *canvas, const struct map_panels *panels,
                          size_t index) {
  const double tick = canvas_points(canvas, canvas->style.tick_size);
  const size_t lines = count_lines(canvas, panels, panels->title[index]);
  return map_panels_box(canvas, panels, index).y - 0.25 * tick -
         canvas_line(canvas, canvas->style.tick_size) * ((double)lines - 0.5);
}

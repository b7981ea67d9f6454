/* Values as a table on paper: shaded cells with numbers in them, between three rules. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/memory.h"
#include "lib/figure/grid.h"

/* Lines of the names of rows and columns at most. */
enum { NAME_LINES = 3 };

static double text_width(const struct grid *grid, const char *text) {
  return canvas_text_width(&grid->canvas, text, grid->canvas.style.tick_size);
}

/* Width of the widest word of a text. */
static double widest_word(const struct grid *grid, const char *text) {
  double widest = 0;
  while (*text) {
    char word[128];
    const size_t size = strcspn(text, " ");
    snprintf(word, sizeof word, "%.*s", (int)size, text);
    widest = fmax(widest, text_width(grid, word));
    text += size;
    text += strspn(text, " ");
  }
  return widest;
}

/* Width of the widest number, whole and in two lines. */
static void measure_cells(const struct grid *grid, double *whole, double *broken) {
  *whole = *broken = 0;
  for (size_t r = 0; r < grid->rows; r++)
    for (size_t c = 0; c < grid->columns; c++) {
      *whole = fmax(*whole, text_width(grid, grid->text[r][c]));
      *broken = fmax(*broken, widest_word(grid, grid->text[r][c]));
    }
}

static size_t count_lines(const struct grid *grid, const char *text, double width) {
  return canvas_count_lines(&grid->canvas, text, width, grid->canvas.style.tick_size, NAME_LINES);
}

/* Ems between a number and the sides of its cell. */
static const double pad = 0.4;

/* Widths: the names of the rows as wide as they are, up to a third of the sheet, or less where the
   numbers need it; the columns share the rest, but are no wider than looks well. Where their words
   then have no room they stand on end. */
static int set_widths(struct grid *grid, double room, struct error *error) {
  const double em = canvas_points(&grid->canvas, grid->canvas.style.tick_size);
  double whole, broken, head = text_width(grid, grid->row_name);
  measure_cells(grid, &whole, &broken);
  for (size_t r = 0; r < grid->rows; r++)
    head = fmax(head, text_width(grid, grid->row[r]));
  double word = 0;
  for (size_t c = 0; c < grid->columns; c++)
    word = fmax(word, widest_word(grid, grid->column[c]));
  const double names = fmin(head, room / 3) + em, columns = (double)grid->columns;
  grid->upright = columns * (word + 0.5 * em) + names > room;
  const double least = grid->upright ? broken : fmax(broken, word);
  const double left = room - columns * (least + 2 * pad * em) - em;
  grid->head_width = ceil(fmin(head, fmax(6 * em, fmin(room / 3, left))) + em);
  grid->width = floor(fmin((room - grid->head_width) / (double)grid->columns, 14 * em));
  grid->lines = whole + 2 * pad * em <= grid->width ? 1 : 2;
  grid->upright = grid->upright || word > grid->width - 0.1 * em;
  grid->name_lines = 1;
  for (size_t r = 0; r < grid->rows; r++) {
    const size_t lines = count_lines(grid, grid->row[r], grid->head_width - 0.6 * em);
    if (lines > grid->name_lines) grid->name_lines = lines;
  }
  if (broken + 2 * pad * em <= grid->width) return OK;
  return error_set(
      error, ERROR_INPUT, "figure of %.2f in is too narrow for %zu columns; at least %.2f in",
      grid->canvas.width, grid->columns,
      grid->canvas.width +
          ((broken + 2 * pad * em - grid->width) * (double)grid->columns + 1) / grid->canvas.dpi);
}

/* Height of the names of the columns: in up to three lines, or the longest when they stand on end,
   of which no more than half of the sheet's width shows. */
static void set_head_height(struct grid *grid, double line) {
  size_t most = 1;
  double longest = 0;
  for (size_t c = 0; c < grid->columns; c++) {
    const size_t lines = count_lines(grid, grid->column[c], grid->width - 0.08 * line);
    if (lines > most) most = lines;
    longest = fmax(longest, text_width(grid, grid->column[c]));
  }
  const double room = grid->canvas.width * grid->canvas.dpi / 2;
  grid->head_height =
      ceil(grid->upright ? fmin(longest, room) + 0.6 * line : line * ((double)most + 0.5));
}

static int lay_out(struct grid *grid, struct error *error) {
  struct canvas *canvas = &grid->canvas;
  const double line = canvas_line(canvas, canvas->style.tick_size);
  const bool free_height = canvas->height == 0;
  int code = canvas_set_margins(canvas, 0, 0, 0, 0, error);
  if (code) return code;
  canvas->left = canvas->right = canvas->bottom = ceil(canvas_edge(canvas));
  const double room = canvas->width * canvas->dpi - canvas->left - canvas->right;
  code = set_widths(grid, room, error);
  /* A table that is too wide may be high instead: that of few rows and many columns. */
  struct error unused;
  if (code && grid->rows < grid->columns) {
    grid_turn(grid);
    if (!set_widths(grid, room, &unused)) code = OK;
  }
  if (code) return code;
  set_head_height(grid, line);
  const size_t lines = grid->name_lines > grid->lines ? grid->name_lines : grid->lines;
  grid->height = ceil(line * ((double)lines + 0.45));
  const double least = grid->head_height + grid->height * (double)grid->rows;
  if (free_height) canvas->height = (canvas->top + canvas->bottom + least) / canvas->dpi;
  code = canvas_set_panel(canvas, error);
  if (code) return code;
  if (canvas->panel_height < least - 1)
    return error_set(error, ERROR_INPUT,
                     "figure of %.2f in is too low for %zu rows; at least %.2f in", canvas->height,
                     grid->rows, (canvas->top + canvas->bottom + least) / canvas->dpi);
  grid->height =
      floor(fmax(grid->height, (canvas->panel_height - grid->head_height) / (double)grid->rows));
  const double used = grid->head_width + grid->width * (double)grid->columns;
  canvas->left += floor((canvas->panel_width - used) / 2);
  canvas->panel_width = used;
  return OK;
}

/* Middle of a text of so many lines whose middle is at `y`: gnuplot wants that of the first line.
 */
static double first_line(const struct grid *grid, double y, size_t lines) {
  return y -
         canvas_line(&grid->canvas, grid->canvas.style.tick_size) * ((double)lines - 1) / 2 * 0.92;
}

static int assign_text(struct grid *grid, size_t index, const char *text, const struct box *box,
                       size_t lines, struct error *error) {
  struct canvas *canvas = &grid->canvas;
  char variable[48];
  const size_t used = count_lines(grid, text, box->width);
  const double y = first_line(grid, box->y + box->height / 2, used < lines ? used : lines);
  canvas_assign_element(canvas, "cell", "x", index, canvas_x(canvas, box->x));
  canvas_assign_element(canvas, "cell", "y", index, canvas_y(canvas, y));
  snprintf(variable, sizeof variable, "cell_text[%zu]", index);
  return canvas_assign_text(
      canvas, variable,
      &(struct canvas_text){"cell", text, canvas->style.tick_size, box->width, lines}, error);
}

/* Names of columns that stand on end, from the rule below them up. */
static int assign_upright(struct grid *grid, size_t *index, struct error *error) {
  struct canvas *canvas = &grid->canvas;
  const double points = canvas->style.tick_size, em = canvas_points(canvas, points);
  int code = OK;
  for (size_t c = 0; c < grid->columns && !code; c++) {
    char variable[48];
    const double x = canvas->left + grid->head_width + grid->width * ((double)c + 0.5);
    canvas_assign_element(canvas, "cell", "x", *index, canvas_x(canvas, x));
    canvas_assign_element(canvas, "cell", "y", *index,
                          canvas_y(canvas, canvas->top + grid->head_height - 0.35 * em));
    snprintf(variable, sizeof variable, "cell_text[%zu]", (*index)++);
    code = canvas_assign_text(
        canvas, variable,
        &(struct canvas_text){"cell", grid->column[c], points, grid->head_height - 0.5 * em, 1},
        error);
  }
  return code;
}

/* Names of the rows first, which stand on the left, then those of the columns and the cells, whose
   places are their middles. */
static int assign_texts(struct grid *grid, struct error *error) {
  struct canvas *canvas = &grid->canvas;
  const size_t names = grid->rows + 1, all = names + grid->columns * (grid->rows + 1);
  const double em = canvas_points(canvas, canvas->style.tick_size);
  fprintf(canvas->script,
          "names = %zu\nheads = %zu\ntexts = %zu\narray cell_text[%zu]\narray cell_x[%zu]\narray "
          "cell_y[%zu]\n",
          names, grid->upright ? grid->columns : 0, all, all, all, all);
  size_t index = 1;
  int code = OK;
  for (size_t r = 0; r <= grid->rows && !code; r++) {
    const double y = canvas->top + (r ? grid->head_height + grid->height * (double)(r - 1) : 0);
    const struct box box = {canvas->left + 0.3 * em, y, grid->head_width - 0.6 * em,
                            r ? grid->height : grid->head_height};
    code = assign_text(grid, index++, r ? grid->row[r - 1] : grid->row_name, &box,
                       r ? NAME_LINES : 1, error);
  }
  if (grid->upright && !code) code = assign_upright(grid, &index, error);
  for (size_t r = grid->upright; r <= grid->rows && !code; r++)
    for (size_t c = 0; c < grid->columns && !code; c++) {
      const double y = canvas->top + (r ? grid->head_height + grid->height * (double)(r - 1) : 0);
      const double x = canvas->left + grid->head_width + grid->width * ((double)c + 0.5);
      /* Of two lines each number has both: no more room than its wider part. */
      const double number = grid->lines == 1
                                ? grid->width
                                : widest_word(grid, grid->text[r ? r - 1 : 0][c]) + 0.05 * em;
      const struct box box = {x, y, r ? number : grid->width - 0.1 * em,
                              r ? grid->height : grid->head_height};
      code = assign_text(grid, index++, r ? grid->text[r - 1][c] : grid->column[c], &box,
                         r ? grid->lines : NAME_LINES, error);
    }
  return code;
}

/* The colour of a cell: from that of the paper to a quiet one for the largest of the column. */
static unsigned shade(const struct grid *grid, size_t row, size_t column) {
  static const unsigned ends[2][2] = {{0xf7fafc, 0xa6c8e0}, {0x1c1f25, 0x3a5f7d}};
  const double part = grid_part(grid, row, column);
  unsigned rgb = 0;
  for (int shift = 16; shift >= 0; shift -= 8) {
    const double from = ends[grid->canvas.dark][0] >> shift & 0xff,
                 to = ends[grid->canvas.dark][1] >> shift & 0xff;
    rgb |= (unsigned)lround(from + part * (to - from)) << shift;
  }
  return rgb;
}

/* The tiles behind the numbers, a little apart, and three rules. Heights are counted from the
   bottom. */
static int write_data(const struct grid *grid, struct blob *data, struct error *error) {
  const struct canvas *canvas = &grid->canvas;
  const double sheet = round(canvas->height * canvas->dpi);
  const double gap = ceil(canvas_points(canvas, 0.5));
  FILE *out = open_memstream(&data->data, &data->size);
  if (!out) return error_set(error, ERROR_FAILED, "no memory for the cells of a table");
  for (size_t r = 0; r < grid->rows; r++)
    for (size_t c = 0; c < grid->columns; c++) {
      if (!grid->held[r][c] || isnan(grid->value[r][c])) continue;
      const double left = canvas->left + grid->head_width + grid->width * (double)c + gap;
      const double top = canvas->top + grid->head_height + grid->height * (double)r + gap;
      const double right = left + grid->width - 2 * gap, below = top + grid->height - 2 * gap;
      fprintf(out, "%.9g %.9g %.9g %.9g %.9g %.9g %u\n", (left + right) / 2,
              sheet - (top + below) / 2, left, right, sheet - below, sheet - top,
              shade(grid, r, c));
    }
  fputs("\n\n", out);
  const double rules[] = {0, grid->head_height,
                          grid->head_height + grid->height * (double)grid->rows};
  for (int i = 0; i < 3; i++)
    fprintf(out, "%.9g %.9g %.9g 0\n", canvas->left, sheet - canvas->top - rules[i],
            canvas->panel_width);
  if (fclose(out) == 0) return OK;
  free(data->data);
  return error_set(error, ERROR_FAILED, "no memory for the cells of a table");
}

static int draw(struct grid *grid, struct figure *figure, struct error *error) {
  struct canvas *canvas = &grid->canvas;
  struct blob data;
  int code = lay_out(grid, error);
  if (code) return code;
  canvas_assign_sheet(canvas);
  code = assign_texts(grid, error);
  if (!code) code = write_data(grid, &data, error);
  return code ? code : canvas_draw(canvas, "sheet grid", data, figure, error);
}

int figure_draw_grid(const struct table *table, const struct grid_plot *plot,
                     const struct figure_options *options, enum figure_format format,
                     const char *name, struct figure *figure, struct error *error) {
  *figure = (struct figure){0};
  struct grid *grid = memory_array(1, sizeof *grid, "a figure", error);
  if (!grid) return ERROR_FAILED;
  int code = canvas_open(options, format, name, &(struct canvas_labels){plot->title, NULL, NULL},
                         &grid->canvas, error);
  grid->canvas.xlabel = grid->canvas.ylabel = ""; /* there are no axes */
  if (!code) code = grid_collect(grid, table, plot, error);
  if (!code) code = draw(grid, figure, error);
  canvas_release(&grid->canvas);
  free(grid);
  return code;
}

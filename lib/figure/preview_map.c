/* Maps in the terminal. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/text.h"
#include "lib/figure/colour_scale.h"
#include "lib/figure/palette.h"
#include "lib/figure/preview_sheet.h"

/* From the lowest value to the highest, for terminals without colours. */
static const char shades[] = ".:-=+*#%@";

/* Characters: of the colour scale, of a map at most and at least, between two maps. */
enum {
  SCALE_WIDTH = 16,
  MAP_WIDTH = 64,
  MAP_ROWS = 32,
  PANEL_WIDTH = 10,
  GAP = 2,
  ALL_WIDTH = 120
};

/* How maps are shown; all of one figure in the same colours. */
struct look {
  const struct preview_terminal *terminal;
  struct palette palette;
  struct colour_scale scale;
  struct colour_beyond beyond;
  size_t across, down; /* cells of a preview */
};

/* The cell that stands for rows × columns of them: what a reader looks for, the largest value (of
   signed ones the largest size); of angles the first. NaN when none has a colour. */
static double representative(const struct matrix *matrix, const struct colour_scale *scale,
                             size_t row, size_t row_end, size_t column, size_t column_end) {
  double best = NAN;
  for (size_t r = row; r < row_end; r++)
    for (size_t c = column; c < column_end; c++) {
      const double value = matrix->cells[r * matrix->columns + c];
      if (!colour_shows(scale, value)) continue;
      if (isnan(best) || (matrix->range == MATRIX_SEQUENTIAL && value > best) ||
          (matrix->range == MATRIX_DIVERGING && fabs(value) > fabs(best)))
        best = value;
    }
  return best;
}

/* Colour index of a cell of the preview, which has `down` rows; −1 for nothing. */
static int cell_index(const struct matrix *matrix, const struct look *look, size_t row, size_t down,
                      size_t column) {
  if (row >= down) return -1;
  return colour_index(&look->scale,
                      representative(matrix, &look->scale, matrix_first(row, matrix->rows, down),
                                     matrix_first(row + 1, matrix->rows, down),
                                     matrix_first(column, matrix->columns, look->across),
                                     matrix_first(column + 1, matrix->columns, look->across)));
}

/* Whether most cells of these rows of the preview, one of its cells wide, are set apart. */
static bool is_apart(const struct matrix *matrix, const struct look *look, size_t row,
                     size_t row_end, size_t column) {
  const size_t start = matrix_first(row, matrix->rows, look->down),
               end = matrix_first(row_end < look->down ? row_end : look->down, matrix->rows,
                                  look->down),
               left = matrix_first(column, matrix->columns, look->across),
               right = matrix_first(column + 1, matrix->columns, look->across);
  size_t apart = 0;
  for (size_t r = start; matrix->hatch.cell && r < end; r++)
    for (size_t c = left; c < right; c++)
      apart += matrix->hatch.cell[r * matrix->columns + c];
  return 2 * apart > (end - start) * (right - left);
}

/* Two cells, one above the other, in one character. */
static void print_pair(const struct look *look, int upper, int lower, FILE *out) {
  if (upper < 0 && lower < 0) {
    fputc(' ', out);
    return;
  }
  preview_start_colour(look->terminal, PREVIEW_SIGN,
                       palette_entry(&look->palette, upper >= 0 ? upper : lower), out);
  if (upper >= 0 && lower >= 0)
    preview_start_colour(look->terminal, PREVIEW_GROUND, palette_entry(&look->palette, lower), out);
  fputs(upper >= 0 ? "▀" : "▄", out);
  preview_end_colour(look->terminal, out);
}

/* Black on light colours, white on dark ones. */
static uint32_t ink_of(const struct look *look, int index) {
  const uint8_t *rgb = look->palette.rgb[index];
  return 2126 * rgb[0] + 7152 * rgb[1] + 722 * rgb[2] > 10000 * 110 ? 0x000000 : 0xffffff;
}

/* A stroke across the colour of a cell. */
static void print_stroke(const struct look *look, int index, FILE *out) {
  if (index >= 0) {
    preview_start_colour(look->terminal, PREVIEW_SIGN, ink_of(look, index), out);
    preview_start_colour(look->terminal, PREVIEW_GROUND, palette_entry(&look->palette, index), out);
  }
  fputs("╱", out);
  if (index >= 0) preview_end_colour(look->terminal, out);
}

static void print_shade(FILE *out, int index) {
  fputc(index < 0 ? ' ' : shades[index * (int)(sizeof shades - 1) / PALETTE_SIZE], out);
}

static bool in_blocks(const struct look *look) {
  return look->terminal->blocks && look->terminal->colour != PREVIEW_PLAIN;
}

/* Whether a text of so many bytes may stand in a line of the terminal. */
static bool may_stand(const struct look *look, const char *text) {
  if (text_has_control(text)) return false;
  for (; *text && !look->terminal->blocks; text++)
    if ((unsigned char)*text >= 0x80) return false;
  return true;
}

/* A text in `room` bytes with a blank before it; false where it does not fit. */
static bool print_text(const struct look *look, const char *text, size_t room, FILE *out) {
  if (!*text || 1 + strlen(text) > room || !may_stand(look, text)) return false;
  fprintf(out, " %s", text);
  return true;
}

/* What the colours mean, and the strokes where there is room for both. */
static void print_label(const struct look *look, const struct matrix *matrix, size_t room,
                        FILE *out) {
  const char *label = matrix->value_label;
  const struct matrix_hatch *hatch = &matrix->hatch;
  char both[sizeof matrix->value_label + sizeof hatch->label + 16];
  snprintf(both, sizeof both, "%s%s%s %s", label, *label ? ", " : "", in_blocks(look) ? "╱" : "/",
           hatch->label);
  if (hatch->cell && print_text(look, both, room, out)) return;
  print_text(look, label, room, out);
}

static void print_scale(const struct look *look, const struct matrix *matrix, size_t columns,
                        FILE *out) {
  char low[32], high[32];
  const int size = snprintf(low, sizeof low, "%.3g", look->scale.low) +
                   snprintf(high, sizeof high, "%.3g", look->scale.high) + SCALE_WIDTH + 2 +
                   (look->beyond.below > 0) + (look->beyond.above > 0);
  if (size > (int)columns) return;
  fprintf(out, "%s%s ", look->beyond.below ? "<" : "", low);
  for (int i = 0; i < SCALE_WIDTH; i++) {
    const int index = i * PALETTE_SIZE / SCALE_WIDTH;
    if (in_blocks(look))
      print_pair(look, index, index, out);
    else
      print_shade(out, index);
  }
  fprintf(out, " %s%s", look->beyond.above ? ">" : "", high);
  print_label(look, matrix, columns - (size_t)size, out);
  fputc('\n', out);
}

/* As many cells as there are of a map, or as fit `across` × `down` squares. */
static void fit_cells(const struct matrix *matrix, double across, double down, struct look *look) {
  const double aspect = fmin(fmax((double)matrix->rows / (double)matrix->columns, 0.25), 1);
  if (aspect * across > down)
    across = fmax(2, down / aspect);
  else
    down = fmax(2, aspect * across);
  look->across = across > (double)matrix->columns ? matrix->columns : (size_t)across;
  look->down = down > (double)matrix->rows ? matrix->rows : (size_t)down;
}

/* Lines of characters that hold all cells: two cells a line. */
static size_t count_lines(const struct look *look) {
  return (look->down + 1) / 2;
}

/* Every second character of those set apart has a stroke, so that these join to hatching, and the
   others still show two cells. */
static void print_line(const struct matrix *matrix, const struct look *look, size_t line,
                       FILE *out) {
  const size_t lines = count_lines(look);
  for (size_t column = 0; column < look->across; column++) {
    const bool stroke =
        (line + column) % 2 == 0 && is_apart(matrix, look, 2 * line, 2 * line + 2, column);
    const int upper = cell_index(matrix, look, 2 * line, look->down, column);
    if (!in_blocks(look) && stroke)
      fputc('/', out);
    else if (!in_blocks(look))
      print_shade(out, cell_index(matrix, look, line, lines, column));
    else if (stroke)
      print_stroke(look, upper, out);
    else
      print_pair(look, upper, cell_index(matrix, look, 2 * line + 1, look->down, column), out);
  }
}

/* As many cells as fit `columns` × `rows` characters of dots; returns the dots of a side of one. */
static size_t fit_dots(const struct matrix *matrix, const struct preview_sheet *sheet,
                       size_t columns, size_t rows, struct look *look) {
  const size_t width = columns * sheet->wide, height = rows * sheet->high;
  fit_cells(matrix, (double)width, (double)height, look);
  const size_t by_width = width / look->across, by_height = height / look->down;
  return by_width < by_height ? by_width : by_height;
}

/* Dots from one stroke to the next, and the colours of a sheet: those of the map, and two inks. */
enum { STROKES_APART = 8, MAP_COLOURS = 253, BLACK = MAP_COLOURS + 1, WHITE };

static unsigned char sheet_colour(int index) {
  return (unsigned char)(1 + index * (MAP_COLOURS - 1) / (PALETTE_SIZE - 1));
}

/* Each cell as a square of dots, from a column of dots on. */
static void draw_dots(const struct matrix *matrix, const struct look *look, size_t size,
                      size_t left, struct preview_sheet *sheet) {
  const size_t width = preview_sheet_width(sheet);
  for (int i = 0; i < PALETTE_SIZE; i++)
    sheet->colour[sheet_colour(i)] = palette_entry(&look->palette, i);
  sheet->colour[BLACK] = 0x000000;
  sheet->colour[WHITE] = 0xffffff;
  for (size_t r = 0; r < look->down; r++)
    for (size_t c = 0; c < look->across; c++) {
      const int index = cell_index(matrix, look, r, look->down, c);
      if (index < 0) continue;
      const bool apart = is_apart(matrix, look, r, r + 1, c);
      const unsigned char ground = sheet_colour(index),
                          stroke = ink_of(look, index) ? WHITE : BLACK;
      for (size_t y = r * size; y < (r + 1) * size; y++)
        for (size_t x = c * size; x < (c + 1) * size; x++)
          sheet->dot[y * width + left + x] =
              apart && (x + y) % STROKES_APART == 0 ? stroke : ground;
    }
}

/* Maps beside each other as one picture of dots, each in so many characters. */
static void print_dots(const struct matrix *const *matrix, size_t count, size_t columns,
                       size_t rows, struct look *look, FILE *out) {
  struct preview_sheet sheet;
  if (preview_sheet_open(look->terminal, count * (columns + GAP) - GAP, rows, &sheet)) return;
  const size_t size = fit_dots(matrix[0], &sheet, columns, rows, look);
  for (size_t i = 0; i < count; i++)
    draw_dots(matrix[i], look, size, i * (columns + GAP) * sheet.wide, &sheet);
  sheet.down = (look->down * size + sheet.high - 1) / sheet.high;
  preview_sheet_print_sixel(&sheet, out);
  free(sheet.dot);
}

static bool set_look(const struct matrix *const *matrix, size_t count, enum matrix_range range,
                     const struct figure_options *options, struct look *look) {
  if (palette_find(options->palette ? options->palette : palette_default(range), &look->palette,
                   NULL) ||
      colour_scale_fit(matrix, count, range, &options->colours, &look->scale, NULL))
    return false;
  look->beyond = colour_count_beyond(&look->scale, matrix, count);
  return true;
}

static size_t least(size_t a, size_t b) {
  return a < b ? a : b;
}

void preview_matrix(const struct matrix *matrix, const struct figure_options *options,
                    const struct preview_terminal *terminal, FILE *out) {
  struct look look = {.terminal = terminal};
  const size_t columns = least(terminal->columns, MAP_WIDTH),
               rows = least(terminal->rows, MAP_ROWS);
  if (terminal->off || columns < 2 || rows < 2 || !matrix->rows || !matrix->columns ||
      !set_look(&matrix, 1, matrix->range, options, &look))
    return;
  /* A character is twice as high as wide. The last line is the scale's. */
  fit_cells(matrix, (double)columns, 2 * (double)(rows - 1), &look);
  if (terminal->sixel) {
    print_dots(&matrix, 1, columns, rows - 1, &look, out);
  } else {
    for (size_t line = 0; line < count_lines(&look); line++) {
      print_line(matrix, &look, line, out);
      fputc('\n', out);
    }
  }
  print_scale(&look, matrix, columns, out);
}

/* A title in `width` characters, cut where it is longer; returns how many it has. */
static size_t print_title(const struct panel_set *panels, size_t index, const struct look *look,
                          size_t width, FILE *out) {
  const char *title = panels->titles && panels->titles[index] ? panels->titles[index] : "";
  size_t used = 0;
  if (panels->letters && width >= 4) {
    fprintf(out, "(%c) ", 'a' + (int)index);
    used = 4;
  }
  for (const char *c = may_stand(look, title) ? title : ""; *c; c++) {
    const bool starts = ((unsigned char)*c & 0xc0) != 0x80;
    if (starts && used++ == width) break;
    fputc(*c, out);
  }
  return least(used, width);
}

static void print_titles(const struct panel_set *panels, size_t start, size_t end,
                         const struct look *look, size_t width, FILE *out) {
  for (size_t i = start; i < end; i++) {
    const size_t used = print_title(panels, i, look, width, out);
    if (i + 1 < end) fprintf(out, "%*s", (int)(width + GAP - used), "");
  }
  fputc('\n', out);
}

/* The cells of panels side by side. */
static void print_beside(const struct panel_set *panels, size_t start, size_t end,
                         const struct look *look, size_t width, FILE *out) {
  for (size_t line = 0; line < count_lines(look); line++) {
    for (size_t i = start; i < end; i++) {
      print_line(panels->matrix[i], look, line, out);
      if (i + 1 < end) fprintf(out, "%*s", (int)(width + GAP - look->across), "");
    }
    fputc('\n', out);
  }
}

void preview_panels(const struct panel_set *panels, const struct figure_options *options,
                    const struct preview_terminal *terminal, FILE *out) {
  struct look look = {.terminal = terminal};
  const size_t columns = least(terminal->columns, ALL_WIDTH), count = panels->count;
  if (terminal->off || !count || columns < PANEL_WIDTH || terminal->rows < 4) return;
  const struct matrix *first = panels->matrix[0];
  const enum matrix_range range = colour_common_range(panels->matrix, count);
  for (size_t i = 0; i < count; i++) {
    const struct matrix *matrix = panels->matrix[i];
    if (matrix->rows != first->rows || matrix->columns != first->columns) return;
  }
  if (!first->rows || !first->columns || !set_look(panels->matrix, count, range, options, &look))
    return;
  const size_t beside = least(count, (columns + GAP) / (PANEL_WIDTH + GAP));
  const size_t width = least((columns + GAP) / beside - GAP, MAP_WIDTH);
  const size_t rows = least(terminal->rows, MAP_ROWS) - 2;
  fit_cells(first, (double)width, 2 * (double)rows, &look);
  for (size_t start = 0; start < count; start += beside) {
    const size_t end = least(start + beside, count);
    print_titles(panels, start, end, &look, width, out);
    if (terminal->sixel)
      print_dots(panels->matrix + start, end - start, width, rows, &look, out);
    else
      print_beside(panels, start, end, &look, width, out);
  }
  print_scale(&look, first, columns, out);
}

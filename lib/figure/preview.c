#include "lib/figure/preview.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/memory.h"
#include "lib/base/text.h"
#include "lib/figure/palette.h"
#include "lib/figure/traces.h"

/* From the lowest value to the highest, for terminals without colours. */
static const char shades[] = ".:-=+*#%@";

enum { SCALE_WIDTH = 16 }; /* characters of the colour scale */

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

/* Colour index of a cell of the preview, whose grid is `down` × `across`; −1 for nothing. */
static int cell_index(const struct matrix *matrix, const struct colour_scale *scale, size_t row,
                      size_t down, size_t column, size_t across) {
  if (row >= down) return -1;
  return colour_index(scale, representative(matrix, scale, matrix_first(row, matrix->rows, down),
                                            matrix_first(row + 1, matrix->rows, down),
                                            matrix_first(column, matrix->columns, across),
                                            matrix_first(column + 1, matrix->columns, across)));
}

static void print_colour(FILE *out, int layer, const struct palette *palette, int index) {
  fprintf(out, "\033[%d;2;%d;%d;%dm", layer, palette->rgb[index][0], palette->rgb[index][1],
          palette->rgb[index][2]);
}

/* Two cells, one above the other, in one character. */
static void print_pair(FILE *out, const struct palette *palette, int upper, int lower) {
  if (upper < 0 && lower < 0) {
    fputc(' ', out);
    return;
  }
  print_colour(out, 38, palette, upper >= 0 ? upper : lower);
  if (upper >= 0 && lower >= 0) print_colour(out, 48, palette, lower);
  fputs(upper >= 0 ? "▀" : "▄", out);
  fputs("\033[0m", out);
}

static void print_shade(FILE *out, int index) {
  fputc(index < 0 ? ' ' : shades[index * (int)(sizeof shades - 1) / PALETTE_SIZE], out);
}

static void print_scale(const struct matrix *matrix, const struct palette *palette,
                        const struct colour_scale *scale, unsigned columns, bool colour,
                        FILE *out) {
  char low[32], high[32];
  const int size = snprintf(low, sizeof low, "%.3g", scale->low) +
                   snprintf(high, sizeof high, "%.3g", scale->high) + SCALE_WIDTH + 2;
  if (size > (int)columns) return;
  fprintf(out, "%s ", low);
  for (int i = 0; i < SCALE_WIDTH; i++) {
    const int index = i * PALETTE_SIZE / SCALE_WIDTH;
    if (colour)
      print_pair(out, palette, index, index);
    else
      print_shade(out, index);
  }
  fprintf(out, " %s", high);
  if (size + 1 + (int)strlen(matrix->value_label) <= (int)columns &&
      !text_has_control(matrix->value_label))
    fprintf(out, " %s", matrix->value_label);
  fputc('\n', out);
}

void preview_matrix(const struct matrix *matrix, const struct figure_options *options,
                    unsigned columns, unsigned rows, bool colour, FILE *out) {
  struct palette palette;
  struct colour_scale scale;
  if (columns < 2 || rows < 2 || !matrix->rows || !matrix->columns ||
      palette_find(options->palette ? options->palette : palette_default(matrix->range), &palette,
                   NULL) ||
      colour_scale_fit(matrix, options->log_c, &scale, NULL))
    return;
  /* A character is twice as high as wide: the grid has two rows a line. The last line is the
   * scale's. */
  size_t across = columns, down = 2 * (size_t)(rows - 1);
  const double aspect = fmin(fmax((double)matrix->rows / (double)matrix->columns, 0.25), 1);
  if (aspect * (double)across > (double)down)
    across = (size_t)fmax(2, (double)down / aspect);
  else
    down = (size_t)fmax(2, aspect * (double)across);
  if (across > matrix->columns) across = matrix->columns;
  if (down > matrix->rows) down = matrix->rows;
  const size_t lines = (down + 1) / 2;
  for (size_t line = 0; line < lines; line++) {
    for (size_t column = 0; column < across; column++)
      if (colour)
        print_pair(out, &palette, cell_index(matrix, &scale, 2 * line, down, column, across),
                   cell_index(matrix, &scale, 2 * line + 1, down, column, across));
      else
        print_shade(out, cell_index(matrix, &scale, line, lines, column, across));
    fputc('\n', out);
  }
  print_scale(matrix, &palette, &scale, columns, colour, out);
}

/* A sheet of braille characters, 2 × 4 dots each, and the colour of each (from 1; 0: none). */
struct sheet {
  size_t across, down; /* characters */
  unsigned char *dots, *colour;
};

/* Sets the dot at (x, y) from the left lower corner, both 0..1. */
static void set_dot(struct sheet *sheet, double x, double y, size_t colour) {
  static const unsigned char bits[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
  const size_t column = (size_t)(x * (double)(2 * sheet->across - 1) + 0.5);
  const size_t row = (size_t)((1 - y) * (double)(4 * sheet->down - 1) + 0.5);
  const size_t at = row / 4 * sheet->across + column / 2;
  sheet->dots[at] |= bits[row % 4][column % 2];
  sheet->colour[at] = (unsigned char)(1 + colour % PALETTE_CATEGORIES);
}

static void draw_trace(struct sheet *sheet, const struct trace *trace, const struct extent *view,
                       const struct curve_plot *plot, size_t colour) {
  double last_x = NAN, last_y = NAN;
  for (size_t p = 0; p < trace->count; p++) {
    const double x = axis_position(trace->x[p], view->left, view->right, plot->log_x);
    const double y = axis_position(trace->low[p], view->low, view->high, plot->log_y);
    const double reach = fmax(fabs(x - last_x) * 2 * (double)sheet->across,
                              fabs(y - last_y) * 4 * (double)sheet->down);
    const int steps = trace->kind == TRACE_LINE && reach > 1 ? (int)reach : 0;
    for (int s = 1; s < steps && !isnan(y) && !isnan(last_y); s++)
      set_dot(sheet, last_x + s * (x - last_x) / steps, last_y + s * (y - last_y) / steps, colour);
    if (!isnan(y)) set_dot(sheet, x, y, colour);
    last_x = x;
    last_y = y;
  }
}

static void print_category(FILE *out, size_t colour) {
  const unsigned rgb = palette_category(colour, 1);
  fprintf(out, "\033[38;2;%u;%u;%um", rgb >> 16, rgb >> 8 & 0xff, rgb & 0xff);
}

static void print_sheet(const struct sheet *sheet, const struct extent *view, int margin,
                        bool colour, FILE *out) {
  for (size_t row = 0; row < sheet->down; row++) {
    if (row == 0 || row + 1 == sheet->down)
      fprintf(out, "%*.4g ", margin - 1, row ? view->low : view->high);
    else
      fprintf(out, "%*s", margin, "");
    for (size_t column = 0; column < sheet->across; column++) {
      const size_t at = row * sheet->across + column;
      const unsigned dots = sheet->dots[at];
      if (colour && dots) print_category(out, sheet->colour[at] - 1U);
      if (dots)
        fprintf(out, "\xe2%c%c", (char)(0xa0 + (dots >> 6)), (char)(0x80 + (dots & 0x3f)));
      else
        fputc(' ', out);
      if (colour && dots) fputs("\033[0m", out);
    }
    fputc('\n', out);
  }
  char left[32], right[32];
  const int used = snprintf(left, sizeof left, "%.6g", view->left);
  snprintf(right, sizeof right, "%.6g", view->right);
  fprintf(out, "%*s%s%*s\n", margin, "", left, (int)sheet->across - used, right);
}

/* The names of the series in their colours, as many as fit. */
static void print_names(const struct traces *traces, unsigned columns, FILE *out) {
  size_t used = 0;
  for (size_t s = 0; s < traces->series_count; s++) {
    used += strlen(traces->label[s]) + 3;
    if (used > columns || text_has_control(traces->label[s])) break;
    print_category(out, s);
    fprintf(out, "%s━\033[0m %s", s ? " " : "", traces->label[s]);
  }
  fputc('\n', out);
}

void preview_table(const struct table *table, const struct curve_plot *plot, unsigned columns,
                   unsigned rows, bool colour, FILE *out) {
  enum { MARGIN = 10, LEAST = 4 };
  struct traces traces;
  if (columns < MARGIN + 4 * LEAST || rows < 2 + LEAST) return;
  if (traces_collect(table, plot, plot->log_x, plot->log_y, &traces, NULL)) return;
  struct extent view = traces_extent(&traces);
  if (view.left == view.right) view.right += 1;
  if (view.low == view.high) view.high += 1;
  const bool named = colour && traces.series_count > 1;
  struct sheet sheet = {.across = columns - MARGIN, .down = rows - 1 - named};
  sheet.dots = memory_array(sheet.across * sheet.down, 2, "a preview", NULL);
  if (sheet.dots && isfinite(view.right - view.left) && isfinite(view.high - view.low)) {
    sheet.colour = sheet.dots + sheet.across * sheet.down;
    for (size_t i = 0; i < traces.count; i++)
      if (traces.item[i].kind != TRACE_BAND)
        draw_trace(&sheet, &traces.item[i], &view, plot,
                   traces.series_count > 1 ? traces.item[i].series : traces.item[i].column);
    print_sheet(&sheet, &view, MARGIN, colour, out);
    if (named) print_names(&traces, columns, out);
  }
  free(sheet.dots);
  traces_release(&traces);
}

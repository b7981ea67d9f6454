/* Curves and dials in the terminal. */
#include "lib/figure/preview.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/text.h"
#include "lib/figure/palette.h"
#include "lib/figure/preview_sheet.h"
#include "lib/figure/traces.h"

/* Behind those of the curves. */
enum { MARK_COLOUR = 1 + PALETTE_CATEGORIES };

/* Told apart without colours. */
static const char marks[] = "*+xo#%@&";

/* Characters: beside curves for their numbers, of curves at most and at least. */
enum { MARGIN = 10, CURVES_ROWS = 16, LEAST = 4 };
/* Curves that are told apart, and lines of their names. */
enum { NAMES_MOST = sizeof marks - 1, NAME_LINES = 3, LINES_MOST = 4 };

static size_t least(size_t a, size_t b) {
  return a < b ? a : b;
}

struct curve_sheet {
  struct preview_sheet sheet;
  struct extent view;
  bool log_x, log_y;
};

/* The dot of a point of a curve. */
static struct preview_point place(const struct curve_sheet *curves, double x, double y) {
  const struct extent *view = &curves->view;
  const double across = axis_position(x, view->left, view->right, curves->log_x);
  const double up = axis_position(y, view->low, view->high, curves->log_y);
  return (struct preview_point){across * (double)(preview_sheet_width(&curves->sheet) - 1),
                                (1 - up) * (double)(preview_sheet_height(&curves->sheet) - 1)};
}

/* Dashes of the columns behind the first, dots. */
static unsigned dash_of(const struct curve_sheet *curves, const struct trace *trace) {
  return trace->column ? 1 + (unsigned)curves->sheet.wide : 0;
}

static void draw_trace(struct curve_sheet *curves, const struct trace *trace, unsigned colour) {
  for (size_t p = 0; p < trace->count; p++) {
    if (isnan(trace->low[p])) continue;
    const struct preview_point at = place(curves, trace->x[p], trace->low[p]);
    const bool joined = trace->kind == TRACE_LINE && p > 0 && !isnan(trace->low[p - 1]);
    preview_sheet_line(&curves->sheet,
                       joined ? place(curves, trace->x[p - 1], trace->low[p - 1]) : at, at, colour,
                       joined ? dash_of(curves, trace) : 0);
  }
}

/* What curves are read against, where they reach it. */
static void draw_marks(struct curve_sheet *curves, const struct curve_plot *plot) {
  const struct extent *view = &curves->view;
  const double upright = plot->x_mark.label ? plot->x_mark.value : NAN;
  curves->sheet.colour[MARK_COLOUR] = 0x808080;
  curves->sheet.mark[MARK_COLOUR] = '.';
  for (size_t m = 0; m < CURVE_MARKS && plot->marks[m].label; m++) {
    const double value = plot->marks[m].value;
    if (value > view->low && value < view->high)
      preview_sheet_line(&curves->sheet, place(curves, view->left, value),
                         place(curves, view->right, value), MARK_COLOUR, 1);
  }
  if (upright > view->left && upright < view->right)
    preview_sheet_line(&curves->sheet, place(curves, upright, view->low),
                       place(curves, upright, view->high), MARK_COLOUR, 1);
}

/* The numbers at the ends of the x axis, below a sheet that begins behind `margin` characters. */
static void print_ends(const struct curve_sheet *curves, int margin, FILE *out) {
  char left[32], right[32];
  const int used = snprintf(left, sizeof left, "%.6g", curves->view.left);
  snprintf(right, sizeof right, "%.6g", curves->view.right);
  fprintf(out, "%*s%s%*s\n", margin, "", left, (int)curves->sheet.across - used, right);
}

static void print_curves(const struct curve_sheet *curves, FILE *out) {
  const struct preview_sheet *sheet = &curves->sheet;
  if (sheet->terminal->sixel) {
    fprintf(out, "%.4g\n", curves->view.high);
    preview_sheet_print_sixel(sheet, out);
    fprintf(out, "%.4g\n", curves->view.low);
    print_ends(curves, 0, out);
    return;
  }
  for (size_t row = 0; row < sheet->down; row++) {
    if (row == 0 || row + 1 == sheet->down)
      fprintf(out, "%*.4g ", MARGIN - 1, row ? curves->view.low : curves->view.high);
    else
      fprintf(out, "%*s", MARGIN, "");
    preview_sheet_print(sheet, row, out);
    fputc('\n', out);
  }
  print_ends(curves, MARGIN, out);
}

/* Which curves have a colour and a name of their own: each line of each series while they are few,
   else each series. */
struct names {
  const struct traces *traces;
  const struct curve_plot *plot;
  size_t line[LINES_MOST]; /* the plot's lines that are drawn */
  size_t lines, series, count;
};

static void list_names(const struct traces *traces, const struct curve_plot *plot,
                       struct names *names) {
  *names = (struct names){.traces = traces, .plot = plot, .series = traces->series_count};
  for (size_t l = 0; l < LINES_MOST && plot->lines[l]; l++) {
    bool drawn = false;
    for (size_t i = 0; i < traces->count; i++)
      drawn |= traces->item[i].kind == TRACE_LINE && traces->item[i].column == l;
    if (drawn) names->line[names->lines++] = l;
  }
  if (names->series > 1 && names->series * names->lines > NAMES_MOST) names->lines = 1;
  names->count = names->series * names->lines;
}

/* The place of a trace among the names. */
static size_t name_of(const struct names *names, const struct trace *trace) {
  size_t line = 0;
  while (line + 1 < names->lines && names->line[line] != trace->column)
    line++;
  return trace->series * names->lines + line;
}

/* Writes a text as the terminal has it; returns the characters. */
static size_t print_text(const struct preview_terminal *terminal, const char *text, FILE *out) {
  size_t count = 0;
  for (; *text; text++) {
    const unsigned char byte = (unsigned char)*text;
    const bool starts = (byte & 0xc0) != 0x80;
    count += starts;
    if (byte < 0x80 || terminal->blocks)
      fputc(byte, out);
    else if (starts)
      fputc('?', out);
  }
  return count;
}

static bool is_common(const struct names *names, size_t index) {
  return names->lines > 1 && names->plot->look[names->line[index % names->lines]] == CURVE_COMMON;
}

/* The text of a name, to be released with free(); NULL: none, or one that cannot stand in a line.
 */
static char *name_text(const struct preview_terminal *terminal, const struct names *names,
                       size_t index, size_t *width) {
  const char *series = names->series > 1 && !is_common(names, index)
                           ? names->traces->label[index / names->lines]
                           : "";
  const size_t l = names->lines ? names->line[index % names->lines] : 0;
  const char *label = names->plot->line_labels[l];
  const char *line = label && *label ? label : names->plot->lines[l];
  const bool both = *series && names->lines > 1;
  struct blob text;
  FILE *out = open_memstream(&text.data, &text.size);
  if (!out) return NULL;
  *width = print_text(terminal, series, out) + print_text(terminal, both ? ", " : "", out);
  if (!*series || both) *width += print_text(terminal, line, out);
  if (!fclose(out) && !text_has_control(text.data)) return text.data;
  free(text.data);
  return NULL;
}

/* The names in their colours or marks, as many as fit a few lines; returns how many lines those
   are. Without `sheet` they are counted alone. */
static size_t print_names(const struct preview_terminal *terminal, const struct names *names,
                          const struct preview_sheet *sheet, FILE *out) {
  size_t used = 0, lines = 1;
  for (size_t i = 0; i < names->count; i++) {
    if (is_common(names, i) && i >= names->lines) continue; /* drawn once */
    size_t width = 0;
    char *text = name_text(terminal, names, i, &width);
    const bool wraps = used && used + width + 3 > terminal->columns;
    if (wraps) lines++, used = 0;
    if (!text || width + 2 > terminal->columns || lines > NAME_LINES) {
      free(text);
      return wraps ? lines - 1 : lines;
    }
    if (sheet) {
      const unsigned colour = 1 + (unsigned)(i % PALETTE_CATEGORIES);
      fputs(wraps ? "\n" : used ? " " : "", out);
      preview_start_colour(sheet->terminal, PREVIEW_SIGN, sheet->colour[colour], out);
      if (sheet->terminal->blocks)
        fputs("━", out);
      else
        fputc(sheet->mark[colour], out);
      preview_end_colour(sheet->terminal, out);
      fprintf(out, " %s", text);
    }
    used += width + 2 + (used > 0);
    free(text);
  }
  return lines;
}

static void draw_traces(struct curve_sheet *curves, const struct names *names) {
  for (size_t c = 0; c < PALETTE_CATEGORIES; c++) {
    curves->sheet.colour[1 + c] = palette_category(c, 1);
    curves->sheet.mark[1 + c] = marks[c % NAMES_MOST];
  }
  for (size_t i = 0; i < names->traces->count; i++) {
    const struct trace *trace = &names->traces->item[i];
    const size_t colour = trace->kind == TRACE_POINTS ? names->count : name_of(names, trace);
    if (trace->kind != TRACE_BAND)
      draw_trace(curves, trace, 1 + (unsigned)(colour % PALETTE_CATEGORIES));
  }
}

void preview_table(const struct table *table, const struct curve_plot *plot,
                   const struct figure_options *options, const struct preview_terminal *terminal,
                   FILE *out) {
  struct traces traces;
  struct names names;
  const size_t columns = terminal->columns, rows = least(terminal->rows, CURVES_ROWS);
  struct curve_sheet curves = {.log_x = plot->log_x || options->log_x,
                               .log_y = plot->log_y || options->log_y};
  if (terminal->off || columns < MARGIN + 4 * LEAST || rows < 4 + LEAST) return;
  if (traces_collect(table, plot, curves.log_x, curves.log_y, &traces, NULL)) return;
  curves.view = traces_extent(&traces);
  struct extent *view = &curves.view;
  if (view->left == view->right) view->right += 1;
  if (view->low == view->high) view->high += 1;
  list_names(&traces, plot, &names);
  const bool named = names.count > 1;
  /* Braille has no signs that tell curves apart: without colours characters do. */
  struct preview_terminal shown = *terminal;
  if (named && shown.colour == PREVIEW_PLAIN) shown.blocks = false;
  const size_t others =
      (terminal->sixel ? 3 : 1) + (named ? print_names(terminal, &names, NULL, out) : 0);
  const size_t across = columns - (terminal->sixel ? 0 : MARGIN);
  if (isfinite(view->right - view->left) && isfinite(view->high - view->low) &&
      !preview_sheet_open(&shown, across, rows - others, &curves.sheet)) {
    draw_marks(&curves, plot);
    draw_traces(&curves, &names);
    print_curves(&curves, out);
    if (named) {
      print_names(terminal, &names, &curves.sheet, out);
      fputc('\n', out);
    }
    free(curves.sheet.dot);
  }
  traces_release(&traces);
}

/* Of dials, characters: rows of one, between two, and all side by side. */
enum { DIAL_ROWS = 10, DIAL_GAP = 2, DIALS_WIDTH = 100 };
enum { RIM = 1, FIRST_HAND = 2, HAND_COLOURS = 64 };

struct dials {
  struct preview_sheet sheet;
  double position[DIALS_MOST];
  size_t count;
  double last_pair; /* the largest */
};

/* The dial of a position, added when it is new and there is room. */
static size_t dial_of(struct dials *dials, double position, size_t most) {
  size_t i = 0;
  while (i < dials->count && dials->position[i] != position)
    i++;
  if (i == dials->count && i < most) dials->position[dials->count++] = position;
  return i;
}

static size_t dial_width(void) {
  return 2 * DIAL_ROWS;
}

/* A point of a dial: `part` of its radius from the middle, `angle` from the top clockwise. */
static struct preview_point dial_point(const struct dials *dials, size_t dial, double angle,
                                       double part) {
  const struct preview_sheet *sheet = &dials->sheet;
  const double wide = (double)sheet->wide, radius = (double)DIAL_ROWS * wide - 1;
  const double left = (double)(dial * (dial_width() + DIAL_GAP)) * wide;
  const double middle = (double)DIAL_ROWS * (double)sheet->high / 2 - 0.5;
  return (struct preview_point){left + radius + part * radius * sin(angle),
                                middle - part * radius * cos(angle) / preview_sheet_aspect(sheet)};
}

static void draw_rim(struct dials *dials, size_t dial) {
  enum { STEPS = 720 };
  for (int i = 0; i < STEPS; i++)
    preview_sheet_dot(&dials->sheet, dial_point(dials, dial, 2 * M_PI * i / STEPS, 1), RIM);
}

/* Finds the positions, as many as fit, and the largest pair; false when there is no hand. */
static bool collect_dials(const struct table *table, const int column[3], size_t most,
                          struct dials *dials) {
  bool any = false;
  for (size_t r = 0; r < table_rows(table); r++) {
    const double pair = table_real(table, r, (size_t)column[1]);
    if (!isfinite(pair) || !isfinite(table_real(table, r, (size_t)column[2]))) continue;
    if (dial_of(dials, table_real(table, r, (size_t)column[0]), most) == dials->count) continue;
    dials->last_pair = fmax(dials->last_pair, pair);
    any = true;
  }
  return any;
}

static void draw_hands(struct dials *dials, const struct table *table, const int column[3]) {
  for (size_t r = table_rows(table); r-- > 0;) {
    const double pair = table_real(table, r, (size_t)column[1]);
    const double angle = table_real(table, r, (size_t)column[2]);
    const size_t dial = dial_of(dials, table_real(table, r, (size_t)column[0]), 0);
    if (dial == dials->count || !isfinite(angle) || !isfinite(pair)) continue;
    const double part = dials->last_pair > 0 ? fmax(0, pair / dials->last_pair) : 0;
    preview_sheet_line(&dials->sheet, dial_point(dials, dial, 0, 0),
                       dial_point(dials, dial, angle, 0.9 - 0.6 * part),
                       FIRST_HAND + (unsigned)(part * (HAND_COLOURS - 1)), 0);
  }
}

/* The positions, each in the middle below its dial. */
static void print_positions(const struct dials *dials, FILE *out) {
  for (size_t d = 0; d < dials->count; d++) {
    char text[40];
    const int size = snprintf(text, sizeof text, "position %.9g", dials->position[d]);
    const int before = size < (int)dial_width() ? ((int)dial_width() - size) / 2 : 0;
    const bool last = d + 1 == dials->count;
    fprintf(out, "%*s%-*.*s", before, "", last ? 0 : (int)dial_width() + DIAL_GAP - before,
            (int)dial_width() - before, text);
  }
  fputc('\n', out);
}

void preview_clock(const struct table *table, const struct clock_plot *plot,
                   const struct figure_options *options, const struct preview_terminal *terminal,
                   FILE *out) {
  struct palette palette;
  struct dials dials = {.last_pair = 0};
  const int column[3] = {find_numbers(table, plot->position ? plot->position : "position", NULL),
                         find_numbers(table, plot->pair ? plot->pair : "pair", NULL),
                         find_numbers(table, plot->angle ? plot->angle : "angle", NULL)};
  const size_t columns = least(terminal->columns, DIALS_WIDTH);
  const size_t most = least((columns + DIAL_GAP) / (dial_width() + DIAL_GAP), DIALS_MOST);
  if (terminal->off || !most || terminal->rows < DIAL_ROWS + 1 || column[0] < 0 || column[1] < 0 ||
      column[2] < 0 || !collect_dials(table, column, most, &dials))
    return;
  if (palette_find(options->palette ? options->palette : palette_default(MATRIX_SEQUENTIAL),
                   &palette, NULL) ||
      preview_sheet_open(terminal, dials.count * (dial_width() + DIAL_GAP) - DIAL_GAP, DIAL_ROWS,
                         &dials.sheet))
    return;
  palette_legible(&palette, true, &palette);
  dials.sheet.colour[RIM] = 0x808080;
  dials.sheet.mark[RIM] = '.';
  for (int i = 0; i < HAND_COLOURS; i++)
    dials.sheet.colour[FIRST_HAND + i] = palette_colour(&palette, (double)i / (HAND_COLOURS - 1));
  for (size_t d = 0; d < dials.count; d++)
    draw_rim(&dials, d);
  draw_hands(&dials, table, column);
  if (terminal->sixel)
    preview_sheet_print_sixel(&dials.sheet, out);
  else
    for (size_t row = 0; row < dials.sheet.down; row++) {
      preview_sheet_print(&dials.sheet, row, out);
      fputc('\n', out);
    }
  print_positions(&dials, out);
  free(dials.sheet.dot);
}

#include "lib/figure/cover.h"

#include <math.h>
#include <string.h>

static int grid(double part) {
  const double cell = floor(part * COVER_SIDE);
  return cell < 0 ? 0 : cell >= COVER_SIDE ? COVER_SIDE - 1 : (int)cell;
}

/* Marks a vertical stretch; rows count from the top. */
static void mark(struct cover *cover, double x, double from, double to) {
  const int column = grid(x), first = grid(1 - fmax(from, to)), last = grid(1 - fmin(from, to));
  for (int row = first; row <= last; row++)
    cover->held[row][column] = true;
}

void cover_traces(struct cover *cover, const struct traces *traces, const struct extent *view,
                  bool log_x, bool log_y) {
  memset(cover, 0, sizeof *cover);
  for (size_t i = 0; i < traces->count; i++) {
    const struct trace *trace = &traces->item[i];
    double last_x = NAN, last_low = NAN, last_high = NAN;
    for (size_t p = 0; p < trace->count; p++) {
      const double x = axis_position(trace->x[p], view->left, view->right, log_x);
      const double low = axis_position(trace->low[p], view->low, view->high, log_y);
      const double high = axis_position(trace->high[p], view->low, view->high, log_y);
      /* From the last point to this one in steps of half a grid cell; nothing across a gap. */
      const double reach =
          fmax(fabs(x - last_x), fmax(fabs(low - last_low), fabs(high - last_high)));
      const int steps =
          trace->kind != TRACE_POINTS && reach > 0 ? (int)fmin(reach * 2 * COVER_SIDE, 1e4) : 0;
      for (int s = 0; s < steps && !isnan(low) && !isnan(last_low); s++) {
        const double part = s / (double)steps;
        mark(cover, last_x + part * (x - last_x), last_low + part * (low - last_low),
             last_high + part * (high - last_high));
      }
      if (!isnan(low)) mark(cover, x, low, high);
      last_x = x;
      last_low = low;
      last_high = high;
    }
  }
}

/* The grid cells that a box touches, ends included. */
struct cells {
  int first_row, last_row, first_column, last_column;
};

static struct cells cells_of(const struct canvas *canvas, const struct box *box) {
  const double left = (box->x - canvas->left) / canvas->panel_width,
               up = (box->y - canvas->top) / canvas->panel_height;
  return (struct cells){grid(up), grid(up + box->height / canvas->panel_height), grid(left),
                        grid(left + box->width / canvas->panel_width)};
}

size_t cover_count(const struct canvas *canvas, const struct cover *cover, const struct box *box) {
  const struct cells cells = cells_of(canvas, box);
  size_t held = 0;
  for (int row = cells.first_row; row <= cells.last_row; row++)
    for (int column = cells.first_column; column <= cells.last_column; column++)
      held += cover->held[row][column];
  return held;
}

bool cover_is_free(const struct canvas *canvas, const struct cover *cover, const struct box *box) {
  return cover_count(canvas, cover, box) == 0;
}

void cover_hold(const struct canvas *canvas, struct cover *cover, const struct box *box) {
  const struct cells cells = cells_of(canvas, box);
  for (int row = cells.first_row; row <= cells.last_row; row++)
    for (int column = cells.first_column; column <= cells.last_column; column++)
      cover->held[row][column] = true;
}

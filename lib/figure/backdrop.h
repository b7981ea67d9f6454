/* Inside of the figures: what curves are read against: spans of the x axis, shaded and named at the
   top of the panel, and lines with their labels. */
#ifndef ROPETOOL_FIGURE_BACKDROP_H
#define ROPETOOL_FIGURE_BACKDROP_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/error.h"
#include "lib/figure/canvas.h"
#include "lib/figure/cover.h"
#include "lib/figure/traces.h"

enum { SPANS_MOST = 64 };

struct span {
  double left, right; /* on the x axis */
  const char *label;  /* belongs to the table */
  size_t value;       /* its colour, counted from 0 */
  size_t row;         /* line of its label, from 1; 0: there is no room for one */
  double x;           /* middle of its label, dots */
  struct box tag;     /* ground of its label where the span is narrower; else of no width */
};

struct mark {
  double value; /* on the y axis */
  const char *label;
  double right, middle; /* of its label's first line, dots */
  struct box box;       /* what the label takes */
  size_t lines;         /* of the label */
};

struct backdrop {
  struct span span[SPANS_MOST];
  size_t span_count;
  struct mark mark[CURVE_MARKS];
  size_t mark_count;
  struct mark upright; /* on the x axis; without a label: none */
  double upright_top;  /* where its line ends, dots */
  bool upright_starts; /* its label begins, not ends, at `right` */
  double strip;        /* height of the labels at the top of the panel, dots */
};

/* The marks of a plot, and its spans when `one_series`. ERROR_INPUT: no such column, or one of
   numbers, or more than SPANS_MOST spans. */
int backdrop_collect(const struct table *table, const struct curve_plot *plot, bool one_series,
                     bool log_x, bool log_y, struct backdrop *backdrop, struct error *error);

/* Widens the ends of the axes to what the backdrop has. */
void backdrop_extend(const struct backdrop *backdrop, struct extent *view);

/* Puts the labels of the spans, and below them that of the upright mark, into lines at the top of
   the panel, and sets `strip`. */
void backdrop_name_spans(struct backdrop *backdrop, const struct canvas *canvas,
                         const struct extent *view, bool log_x);

/* Puts the labels of the marks where nothing is held, in two lines where only these fit; where
   there is no such place, where they hide least. Holds their places, all lines and the strip.
   `logarithmic`: the x axis, the y axis. */
void backdrop_name_marks(struct backdrop *backdrop, const struct canvas *canvas,
                         const struct extent *view, const bool logarithmic[2], struct cover *cover);

/* Writes the arrays span_... and mark_..., and upright..., that the template draws. */
int backdrop_assign(struct canvas *canvas, const struct backdrop *backdrop, struct error *error);

#endif

/* Inside of the figures: what is drawn of a table, as points ready for the sheet. */
#ifndef ROPETOOL_FIGURE_TRACES_H
#define ROPETOOL_FIGURE_TRACES_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/error.h"
#include "lib/figure/figure.h"

enum trace_kind { TRACE_BAND, TRACE_LINE, TRACE_POINTS };

/* A run of points. Where nothing is to be drawn between two of them stands one whose `low` is NaN.
 */
struct trace {
  enum trace_kind kind;
  size_t series;        /* index of its label */
  size_t column;        /* which of the plot's lines or bands */
  enum curve_look look; /* of a line */
  size_t count;
  double *x, *low, *high; /* low and high are the same for lines and points */
};

struct traces {
  struct trace *item; /* bands first, then lines, those over the others last, then points */
  size_t count;
  char **label; /* of each series, without what all have: series_label.h */
  size_t series_count;
};

/* What `plot` names of `table`. Values that are not finite, and on a logarithmic axis those that
   are not positive, are left out; so are traces of which nothing is left. ERROR_INPUT: a column
   that is not there or holds text; ERROR_FAILED: nothing to draw. */
int traces_collect(const struct table *table, const struct curve_plot *plot, bool log_x, bool log_y,
                   struct traces *traces, struct error *error);
/* Whether a point of these coordinates can be shown; `low` and `high` are the same for lines. */
struct point {
  double x, low, high;
};
bool point_shows(const struct point *point, bool log_x, bool log_y);

/* The column of that name; −1 with the error when there is none or it holds text. */
int find_numbers(const struct table *table, const char *name, struct error *error);

void traces_release(struct traces *traces);

/* Smallest and largest coordinates. */
struct extent {
  double left, right, low, high;
};
struct extent traces_extent(const struct traces *traces);

/* The values of x, from the smallest on, each once; 0 where these are more than `most`. */
size_t traces_values(const struct traces *traces, double *value, size_t most);

/* Position of a value between the ends of an axis, 0..1. */
double axis_position(double value, double low, double high, bool logarithmic);

/* Thins traces of more than four points per dot to those that a picture `dots` wide shows: of the
   points that share a column of dots the first, the lowest, the highest and the last. */
void traces_thin(struct traces *traces, bool log_x, double dots);

#endif

/* Inside of the figures of curves: what is known of one while it is made. */
#ifndef ROPETOOL_FIGURE_CURVES_H
#define ROPETOOL_FIGURE_CURVES_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/figure/backdrop.h"
#include "lib/figure/canvas.h"
#include "lib/figure/cover.h"
#include "lib/figure/legend.h"
#include "lib/figure/traces.h"

/* Signs that tell curves apart without their colours: the points of a trace that have them. */
struct signs {
  size_t trace;
  size_t count;
  size_t *point; /* indices of points of the trace */
};

/* A figure of curves while it is made. */
struct curves {
  struct canvas canvas;
  struct traces traces;
  struct extent view; /* ends of the axes */
  double high;        /* the upper end before the spans' labels got their room above it */
  bool log_x, log_y;
  bool whole_x;   /* x holds whole numbers */
  size_t markers; /* so many of the lines have a sign at every point */
  bool by_series; /* colours tell the series apart, else the columns of a single one */
  struct backdrop backdrop;
  struct tics x_tics, y_tics;
  struct cover cover;
  struct legend legend;
  const char *place; /* of the legend */
  struct signs *signs;
  size_t sign_count;
};

/* Index of a trace's colour, from 1; of points and of what the series have in common 0. The dashes
 * tell the columns apart. */
size_t curves_colour(const struct curves *curves, const struct trace *trace);

/* Shape of the signs on the lines of a column and colour, from 1; 0: they have none. */
int curves_shape(const struct curves *curves, size_t column, size_t colour);

/* Fills the legend: an entry for each series when there are several, for each line, band and the
   points when they have a label; none at all when that would be one curve. */
int curves_list_entries(struct curves *curves, const struct curve_plot *plot, struct error *error);

/* Where the curves of the legend's entries end at the right: fills the entries' `end`, dots from
   the top of the sheet; false when an entry is of more than one curve, or `apart` and the ends do
   not stand apart at the right end of the panel. */
bool curves_find_ends(struct curves *curves, bool apart);

/* Chooses the points that have signs. Those of several series stand far apart, and beside those of
   other series. */
int curves_place_signs(struct curves *curves, struct error *error);
void curves_release_signs(struct curves *curves);

/* Writes what the template draws of each block of the data, and the data: points as text with two
   empty lines between blocks, one where a trace has a gap. */
void curves_assign_traces(struct curves *curves);
int curves_write_data(const struct curves *curves, struct blob *data, struct error *error);

#endif

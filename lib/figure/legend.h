/* Inside of the figures: the legend of curves and where it goes. */
#ifndef ROPETOOL_FIGURE_LEGEND_H
#define ROPETOOL_FIGURE_LEGEND_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/figure/canvas.h"
#include "lib/figure/traces.h"

enum { LEGEND_MOST = 64, COVER_SIDE = 96 };

struct legend_entry {
  enum trace_kind kind;
  int colour; /* index of the script's array `colour`, from 1; 0: that of the text */
  int dash;   /* gnuplot's dash type, from 1 */
  const char *text;
};

struct legend {
  struct legend_entry entry[LEGEND_MOST];
  size_t count;
  double width, height; /* of one entry, dots */
  size_t across;        /* entries side by side */
  double x, y;          /* left upper corner, dots */
};

/* Which parts of the panel hold something, on a grid: (row, column) from the left upper corner. */
struct cover {
  bool held[COVER_SIDE][COVER_SIDE];
};

/* Marks what the traces cover; `view` are the ends of the axes. */
void cover_traces(struct cover *cover, const struct traces *traces, const struct extent *view,
                  bool log_x, bool log_y);

/* Where a legend may be asked for: "auto", "none", "above" or a corner of the panel. */
int legend_check(const char *place, struct error *error);

/* Height above the panel that a legend needs there, dots. */
double legend_height_above(const struct canvas *canvas, struct legend *legend);

/* Puts the legend into the panel: into the corner asked for, or into the first free one. False:
   there is none, or it was asked for above. */
bool legend_place_inside(const struct canvas *canvas, const char *place, const struct cover *cover,
                         struct legend *legend);
/* Puts it above the panel. */
void legend_place_above(const struct canvas *canvas, struct legend *legend);

/* Writes the arrays key_... that the template draws. */
int legend_assign(struct canvas *canvas, const struct legend *legend, struct error *error);

#endif

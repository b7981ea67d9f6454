/* Inside of the figures: the legend of curves and where it goes. */
#ifndef ROPETOOL_FIGURE_LEGEND_H
#define ROPETOOL_FIGURE_LEGEND_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/figure/canvas.h"
#include "lib/figure/cover.h"
#include "lib/figure/traces.h"

enum { LEGEND_MOST = 64 };

struct legend_entry {
  enum trace_kind kind;
  int colour; /* index of the script's array `colour`, from 1; 0: that of the text */
  int dash;   /* gnuplot's dash type, from 1; of a band its number */
  const char *text;
  int marker; /* on a line: index of the template's array of shapes, from 1; 0: none */
  bool over;  /* of a line over the others: in the darker shade of its colour */
  double end; /* where its curve ends at the right, dots from the top of the sheet */
};

struct legend {
  struct legend_entry entry[LEGEND_MOST];
  size_t count;
  size_t series;        /* of these: the others begin a row of their own, a little below */
  double width, height; /* of one entry, dots */
  size_t across;        /* entries side by side */
  double x, y;          /* left upper corner, dots */
  bool beside;          /* each entry at the end of its curve, right of the panel */
  double inset;         /* of the upper corners: dots kept free at the top of the panel */
};

/* Where a legend may be asked for: "auto", "none", "above", "direct" (at the ends of the curves) or
   a corner of the panel. */
int legend_check(const char *place, struct error *error);
const char *legend_place_at(size_t index); /* NULL past the end */

/* Height above the panel that a legend needs there, dots. */
double legend_height_above(const struct canvas *canvas, struct legend *legend);

/* Puts the legend into the panel: into the corner asked for, or into the first free one. False:
   there is none, or it was asked for above. */
bool legend_place_inside(const struct canvas *canvas, const char *place, const struct cover *cover,
                         struct legend *legend);

/* Dots that entries right of the panel take. */
double legend_width_beside(const struct canvas *canvas, struct legend *legend);

/* Puts each entry where its curve ends, or near to it where others stand. False: there is no room
   for so many. */
bool legend_place_beside(const struct canvas *canvas, struct legend *legend);

/* Puts it above the panel. */
void legend_place_above(const struct canvas *canvas, struct legend *legend);

/* Writes the arrays key_... that the template draws. */
int legend_assign(struct canvas *canvas, const struct legend *legend, struct error *error);

#endif

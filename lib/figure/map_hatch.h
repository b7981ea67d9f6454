/* Inside of the figures: cells of maps that are set apart, hatched, and the line before their row.
 */
#ifndef ROPETOOL_FIGURE_MAP_HATCH_H
#define ROPETOOL_FIGURE_MAP_HATCH_H

#include "lib/figure/map_panel.h"

/* Strokes of one panel after another, four numbers each: x and y of an end on the axes of the map,
   and from there to the other. */
struct map_strokes {
  double *number;
  size_t count, room;        /* strokes */
  size_t first[PANELS_MOST]; /* of each panel */
};

/* Whether any panel has cells that are set apart. */
bool map_is_hatched(const struct map_panels *panels);

/* Whether any panel has a line before a row. */
bool map_has_line(const struct map_panels *panels);

/* The strokes across all hatched cells of panels that are laid out, to be released with free() of
   `number`, also on error. */
int map_hatch(const struct canvas *canvas, const struct map_panels *panels,
              struct map_strokes *strokes, struct error *error);

/* Writes the arrays strokes_... and line_... for the template; `skip` bytes of the data stand
   before the strokes. */
int map_hatch_assign(struct canvas *canvas, const struct map_panels *panels,
                     const struct map_strokes *strokes, size_t skip, struct error *error);

#endif

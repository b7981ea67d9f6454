/* Inside of the figures: the panel of a map, and how its cells lie on the dots of the sheet. */
#ifndef ROPETOOL_FIGURE_MAP_PANEL_H
#define ROPETOOL_FIGURE_MAP_PANEL_H

#include "lib/figure/canvas.h"
#include "lib/figure/colour_bar.h"

/* Into how many cells of its colour a cell is divided for gnuplot, which draws no raster of a
   single cell and loses edges where cells are stretched over many dots. */
struct map_panel {
  size_t repeat_across, repeat_down;
};

/* Decides size and place of the panel. PNG files have a whole number of dots for every cell: the
   resolution of the canvas is raised when that takes more dots than there are, unless it was asked
   for. */
int map_panel_lay_out(struct canvas *canvas, const struct matrix *matrix, struct colour_bar *bar,
                      struct map_panel *panel, struct error *error);

/* Positions along an axis: as many as cells where nothing was reduced. */
double map_axis_length(const struct matrix_axis *axis, size_t cells);

#endif

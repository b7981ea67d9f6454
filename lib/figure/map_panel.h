/* Inside of the figures: the panels of maps, and how their cells lie on the dots of the sheet. */
#ifndef ROPETOOL_FIGURE_MAP_PANEL_H
#define ROPETOOL_FIGURE_MAP_PANEL_H

#include "lib/figure/canvas.h"
#include "lib/figure/colour_bar.h"

enum { MAP_TITLE_LINES = 4 };

/* Maps of one shape in a grid, filled from the left and from the top. The panel of the canvas is
   the whole grid. */
struct map_panels {
  const struct matrix *const *matrix;
  size_t count;
  char *title[PANELS_MOST];    /* "" or NULL: none; on the heap, made shorter to fit */
  size_t across;               /* panels side by side */
  double width, height;        /* of one, dots */
  double gap_across, gap_down; /* between two, dots */
  size_t title_lines;
  /* Into how many cells of its colour a cell is divided for gnuplot, which draws no raster of a
     single cell and loses edges where cells are stretched over many dots. */
  size_t repeat_across, repeat_down;
};

/* Decides sizes and places of the panels, whose matrix, count and title are given. PNG files have a
   whole number of dots for every cell: the resolution of the canvas is raised when that takes more
   dots than there are, unless it was asked for. */
int map_panels_lay_out(struct canvas *canvas, struct colour_bar *bar, struct map_panels *panels,
                       struct error *error);

/* Where a panel lies, how wide its title may be, which reaches into the gaps beside it, and the
   middle of the first line of the title above it. */
struct box map_panels_box(const struct canvas *canvas, const struct map_panels *panels,
                          size_t index);
double map_panels_title_room(const struct canvas *canvas, const struct map_panels *panels);
double map_panels_title_y(const struct canvas *canvas, const struct map_panels *panels,
                          size_t index);

/* Positions along an axis: as many as cells where nothing was reduced. */
double map_axis_length(const struct matrix_axis *axis, size_t cells);

#endif

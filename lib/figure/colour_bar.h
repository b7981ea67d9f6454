/* Inside of the figures: the colour bar beside a map. */
#ifndef ROPETOOL_FIGURE_COLOUR_BAR_H
#define ROPETOOL_FIGURE_COLOUR_BAR_H

#include "lib/figure/canvas.h"
#include "lib/figure/palette.h"

struct colour_bar {
  struct colour_scale scale;
  struct tics tics;
  double gap, width;   /* between panel and bar, and of the bar; dots */
  double right_margin; /* of the panel: what the bar needs with numbers and label; dots */
};

/* Fills all but the scale, for the canvas' resolution. */
void colour_bar_measure(const struct canvas *canvas, const struct matrix *matrix,
                        struct colour_bar *bar);

/* Writes where the bar and its numbers go, beside the panel of the canvas. */
int colour_bar_assign(struct canvas *canvas, const struct matrix *matrix,
                      const struct colour_bar *bar, struct error *error);

#endif

/* Inside of the figures: which parts of a panel hold something, so that texts keep clear of it. */
#ifndef ROPETOOL_FIGURE_COVER_H
#define ROPETOOL_FIGURE_COVER_H

#include <stdbool.h>

#include "lib/figure/canvas.h"
#include "lib/figure/traces.h"

enum { COVER_SIDE = 96 };

/* On a grid: (row, column) from the left upper corner. */
struct cover {
  bool held[COVER_SIDE][COVER_SIDE];
};

/* Marks what the traces cover, and nothing else; `view` are the ends of the axes. */
void cover_traces(struct cover *cover, const struct traces *traces, const struct extent *view,
                  bool log_x, bool log_y);

/* Whether nothing is held where the box lies; what lies outside of the panel counts at its edge. */
bool cover_is_free(const struct canvas *canvas, const struct cover *cover, const struct box *box);
/* How many cells of the grid are held where the box lies. */
size_t cover_count(const struct canvas *canvas, const struct cover *cover, const struct box *box);
void cover_hold(const struct canvas *canvas, struct cover *cover, const struct box *box);

#endif

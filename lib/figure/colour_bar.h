/* Inside of the figures: the colour bar on the right of a panel. */
#ifndef ROPETOOL_FIGURE_COLOUR_BAR_H
#define ROPETOOL_FIGURE_COLOUR_BAR_H

#include "lib/figure/canvas.h"
#include "lib/figure/colour_scale.h"
#include "lib/figure/palette.h"

struct colour_bar {
  struct colour_scale scale;
  enum matrix_range range;
  struct colour_beyond beyond; /* an end that cells lie beyond is drawn as an arrow */
  bool pale;                   /* there are pale colours too, of cells that are hatched */
  bool whole;                  /* the values are whole numbers */
  bool apart;        /* there is a line of text between panel and bar, in the size of the numbers */
  const char *label; /* what they are; "": none */
  size_t label_lines; /* there is room for; 0: not decided yet, one where there is a label */
  struct tics tics;
  double gap, width;   /* between panel and bar, and of the bar; dots */
  double right_margin; /* of the panel: what the bar needs with numbers and label; dots */
};

enum { COLOUR_BAR_LINES = 2 };

/* Fills what stands behind `label`, for the canvas' resolution. */
void colour_bar_measure(const struct canvas *canvas, struct colour_bar *bar);

/* How many lines the label takes along the sheet, whose height is decided. */
size_t colour_bar_count_lines(const struct canvas *canvas, const struct colour_bar *bar);

/* Writes where the bar and its numbers go, beside the panel of the canvas: no more numbers than
   there is room for. */
int colour_bar_assign(struct canvas *canvas, struct colour_bar *bar, struct error *error);

/* What gnuplot is given for a colour, whose axis is linear or logarithmic: on a linear or
   logarithmic scale the value in the middle of the colour's interval, else, and where there are
   pale colours, its place between the ends, 0..1; that of a pale one is larger by 1. */
double colour_bar_value(const struct colour_bar *bar, int index);

/* Writes the variables that a line round a box needs, NAME_left, NAME_right, NAME_bottom, NAME_top,
   and `frame_width`: it lies outside of the box and hides none of its dots. */
void frame_assign(struct canvas *canvas, const char *name, size_t index, const struct box *box);

/* Writes `set palette` for 256 colours, and behind them their pale ones if asked for; and those of
   the ends. */
void palette_assign(struct canvas *canvas, const struct palette *palette, bool pale);

#endif

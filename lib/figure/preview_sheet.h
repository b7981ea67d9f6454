/* Inside of the previews: colours of a terminal, and a sheet of coloured dots that is printed as
   braille, as ASCII or as sixel graphics. */
#ifndef ROPETOOL_FIGURE_PREVIEW_SHEET_H
#define ROPETOOL_FIGURE_PREVIEW_SHEET_H

#include <stddef.h>
#include <stdint.h>

#include "lib/figure/preview.h"

/* Starts the colour `rgb`, 0xrrggbb, of signs or of their ground; nothing on a plain terminal. */
enum preview_layer { PREVIEW_SIGN = 38, PREVIEW_GROUND = 48 };
void preview_start_colour(const struct preview_terminal *terminal, enum preview_layer layer,
                          uint32_t rgb, FILE *out);
void preview_end_colour(const struct preview_terminal *terminal, FILE *out);

/* Dots from the left and from the top. */
struct preview_sheet {
  const struct preview_terminal *terminal;
  size_t across, down;  /* characters */
  size_t wide, high;    /* dots of a character: braille has 2 × 4 */
  unsigned char *dot;   /* (row, column): index of its colour from 1; 0: none */
  uint32_t colour[256]; /* 0xrrggbb of each index */
  char mark[256];       /* of each index, in ASCII; 0: '*' */
};

/* A sheet of so many characters, without dots; release it with free(sheet->dot). */
int preview_sheet_open(const struct preview_terminal *terminal, size_t across, size_t down,
                       struct preview_sheet *sheet);

size_t preview_sheet_width(const struct preview_sheet *sheet);  /* dots */
size_t preview_sheet_height(const struct preview_sheet *sheet); /* dots */

/* How many times as high as wide a dot is. */
double preview_sheet_aspect(const struct preview_sheet *sheet);

/* Places are dots with their fractions; what lies outside is left out. */
struct preview_point {
  double x, y;
};
void preview_sheet_dot(struct preview_sheet *sheet, struct preview_point at, unsigned colour);
/* `dash` columns of dots, of a steep line rows, have the line and as many have not; 0: all have. */
void preview_sheet_line(struct preview_sheet *sheet, struct preview_point from,
                        struct preview_point to, unsigned colour, unsigned dash);

/* One row of characters, without the end of the line. */
void preview_sheet_print(const struct preview_sheet *sheet, size_t row, FILE *out);

/* The whole sheet as one picture, and the end of a line. */
void preview_sheet_print_sixel(const struct preview_sheet *sheet, FILE *out);

#endif

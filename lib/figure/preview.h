/* Small pictures for the terminal: maps as half blocks, two cells a character, curves and dials in
   braille, both in ASCII where there is no more, or as sixel graphics. */
#ifndef ROPETOOL_FIGURE_PREVIEW_H
#define ROPETOOL_FIGURE_PREVIEW_H

#include <stdbool.h>
#include <stdio.h>

#include "lib/figure/figure.h"

enum preview_colour { PREVIEW_PLAIN, PREVIEW_256, PREVIEW_TRUECOLOR };

/* What a terminal can show. */
struct preview_terminal {
  bool off;               /* nothing is wanted */
  unsigned columns, rows; /* characters; a preview uses no more of them */
  enum preview_colour colour;
  bool blocks; /* half blocks and braille, else ASCII alone */
  bool sixel;  /* pictures of dots */
};

/* The terminal behind a file descriptor: its size (of none: COLUMNS, else 80 × 34) and what the
   environment says. ROPETOOL_PREVIEW is none, ascii, 256, truecolor, sixel or auto; auto, also when
   it is not set: ASCII without colours where TERM is "dumb", not set or of a terminal that has
   nothing else ("linux", "ansi", "vt100" and the like, unless COLORTERM says so); ASCII where the
   locale is not UTF-8; no colours with a NO_COLOR that is not empty; 24-bit colours where COLORTERM
   is "truecolor" or "24bit", or TERM ends in "-direct"; else 256. ERROR_INPUT: another value of
   ROPETOOL_PREVIEW. */
int preview_terminal_of(int file, struct preview_terminal *terminal, struct error *error);

/* All print nothing where there is nothing to see or no room. Write errors show on the stream. */
void preview_matrix(const struct matrix *matrix, const struct figure_options *options,
                    const struct preview_terminal *terminal, FILE *out);
/* The maps side by side, in rows where the terminal is narrow, in one colour scale. */
void preview_panels(const struct panel_set *panels, const struct figure_options *options,
                    const struct preview_terminal *terminal, FILE *out);
/* Curves are as wide as the terminal. Where there are several, each has a name in its colour below;
   on a terminal without colours each has a character. */
void preview_table(const struct table *table, const struct curve_plot *plot,
                   const struct figure_options *options, const struct preview_terminal *terminal,
                   FILE *out);
/* The dials that fit side by side; those that do not are left out. */
void preview_clock(const struct table *table, const struct clock_plot *plot,
                   const struct figure_options *options, const struct preview_terminal *terminal,
                   FILE *out);

#endif

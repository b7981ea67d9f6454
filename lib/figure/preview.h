/* A small picture for the terminal: half blocks, two cells a character. */
#ifndef ROPETOOL_FIGURE_PREVIEW_H
#define ROPETOOL_FIGURE_PREVIEW_H

#include <stdbool.h>
#include <stdio.h>

#include "lib/figure/figure.h"

/* `columns` × `rows` characters at most; `colour`: 24-bit colours, else braille or shades. Write
   errors show on the stream. */
void preview_matrix(const struct matrix *matrix, const struct figure_options *options,
                    unsigned columns, unsigned rows, bool colour, FILE *out);
void preview_table(const struct table *table, const struct curve_plot *plot, unsigned columns,
                   unsigned rows, bool colour, FILE *out);

#endif

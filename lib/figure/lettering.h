/* Inside of the figures: how much room a text takes, and how it is written for gnuplot and for TeX.
 */
#ifndef ROPETOOL_FIGURE_LETTERING_H
#define ROPETOOL_FIGURE_LETTERING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Width of the first `size` bytes of UTF-8 text in ems, as wide faces have it: an upper estimate
 * for most. */
double lettering_width(const char *text, size_t size);

/* How many bytes of `text` make its next line of at most `ems`, broken at a blank where there is
   one, better at one that no digit follows ("head 3"); at least one character. The blanks that
   follow belong to no line. */
size_t lettering_line(const char *text, double ems);

/* Into how many such lines the text falls; `most` if they are more. */
size_t lettering_count(const char *text, double ems, size_t most);

/* The least ems at which the text has as few lines as at so many, and no word is broken: its lines
   are of about one length. `ems` itself where words are longer than that. */
double lettering_even(const char *text, double ems);

/* Writes UTF-8 text so that TeX prints it and never runs it: specials become commands, Greek
   letters and common signs become mathematics, the rest goes through. */
void lettering_write_tex(FILE *out, const char *text, size_t size);

/* Copies an SVG file of gnuplot and corrects it: gnuplot leaves "]]>" and the noncharacters U+FFFE
   and U+FFFF in texts, which are no XML; and with `keep_edges` images are shown with the edges of
   their pixels. */
void lettering_write_svg(FILE *out, const char *svg, size_t size, bool keep_edges);

#endif

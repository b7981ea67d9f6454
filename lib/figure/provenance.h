/* Provenance: how a figure was made, kept inside the figure. No user, host, absolute path or date.
 */
#ifndef ROPETOOL_FIGURE_PROVENANCE_H
#define ROPETOOL_FIGURE_PROVENANCE_H

#include <stddef.h>

#include "lib/base/error.h"
#include "lib/figure/gnuplot.h"
#include "lib/io/meta.h"

enum figure_format { FIGURE_PNG, FIGURE_PDF, FIGURE_SVG, FIGURE_TEX };

/* By the file's extension, in any case; −1 when it is not a figure's. */
int figure_format_of(const char *path);

/* Checks that `picture` is a whole picture of its format (PNG: every chunk; PDF: header, xref and
   %%EOF; SVG: well closed; TeX: its end), gives a PNG its pHYs of `dpi`, fixes a PDF's date
   (SOURCE_DATE_EPOCH, or none), and puts `provenance` into it with "picture_sha256" added: the hash
   of the sealed file with the provenance itself left out. `provenance` NULL: everything but the
   provenance. PNG: an iTXt chunk "ropetool" before the first IDAT; PDF: an object named by the
   document information (incremental update); SVG: a <metadata> element; TeX: comment lines at the
   top. */
int provenance_seal(enum figure_format format, double dpi, const struct meta *provenance,
                    struct blob *picture, struct error *error);

/* Reads the provenance out of a figure. `*intact` is 1 when picture_sha256 is that of the file.
   ERROR_INPUT: not a figure of a known format, or none of ours. Safe on hostile files. */
int provenance_read(const void *data, size_t size, struct meta **provenance, int *intact,
                    struct error *error);

#endif

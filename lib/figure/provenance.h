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

/* Checks that `picture` is a whole picture of its format (PNG: every chunk; PDF: header,
   cross-reference table and %%EOF; SVG and TeX: beginning and end; else ERROR_FAILED), gives a PNG
   its pHYs of `dpi`, fixes a PDF's date (SOURCE_DATE_EPOCH, or none), and puts `provenance` into it
   with "picture_sha256" added: the hash of the sealed file with the provenance itself left out.
   `provenance` NULL: everything but the provenance. The same picture gives the same bytes;
   provenance that is there already is replaced. Both files of a TeX figure are sealed, each as what
   it is. On error `picture` is as it was. The provenance stands in

   PNG: an iTXt chunk with the keyword "ropetool" before the first IDAT;

   PDF: the entry /RopetoolProvenance of the document information (an incremental update);

   SVG: <metadata id="ropetool"> behind the root's start tag;

   TeX: comment lines "% ropetool-provenance: ..." at the top, to be joined. */
int provenance_seal(enum figure_format format, double dpi, const struct meta *provenance,
                    struct blob *picture, struct error *error);

/* Reads the provenance out of a figure, whose format is told by its content; destroy it. `*intact`
   is 1 when the figure is as it was sealed: picture_sha256 is that of the rest of the file, and
   nothing was added. ERROR_INPUT: not a figure of a known format, or no provenance of ours that can
   be read. Safe on hostile files. */
int provenance_read(const void *data, size_t size, struct meta **provenance, int *intact,
                    struct error *error);

#endif

/* Inside of the figures: the very size of a sheet, in files that gnuplot writes in whole units. */
#ifndef ROPETOOL_FIGURE_SHEET_SIZE_H
#define ROPETOOL_FIGURE_SHEET_SIZE_H

#include "lib/base/error.h"
#include "lib/figure/canvas.h"

/* States the size of the sheet in a picture of its format, and of TeX in the text that includes it:
   what gnuplot drew beyond the sheet is no part of it then. A PNG, or a file that is not as gnuplot
   and cairo write it, stays as it is; a PDF keeps its length. ERROR_FAILED: memory. */
int sheet_size_state(const struct canvas *canvas, struct figure *figure, struct error *error);

#endif

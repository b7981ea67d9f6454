/* Figures that the tool made, read back. */
#ifndef ROPETOOL_CMD_FIGURE_FILE_H
#define ROPETOOL_CMD_FIGURE_FILE_H

#include <stdbool.h>

#include "lib/base/error.h"
#include "lib/io/meta.h"

/* Reads the provenance inside a figure; `*intact` as in lib/figure/provenance.h. */
int figure_file_read(const char *path, struct meta **provenance, int *intact, struct error *error);

/* A TeX figure is two files: what is wrong with the PDF beside `path`, "the PDF beside it ...".
   NULL where it is there, whole, of the same data and what the TeX file includes, and for any other
   figure. */
const char *figure_file_companion_fault(const char *path, const struct meta *provenance);

#endif

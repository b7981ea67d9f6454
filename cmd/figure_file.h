/* Figures that the tool made, read back. */
#ifndef ROPETOOL_CMD_FIGURE_FILE_H
#define ROPETOOL_CMD_FIGURE_FILE_H

#include <stdbool.h>

#include "lib/base/error.h"
#include "lib/io/meta.h"

/* Reads the provenance inside a figure; `*intact` as in lib/figure/provenance.h. */
int figure_file_read(const char *path, struct meta **provenance, int *intact, struct error *error);

/* A TeX figure is two files: whether the PDF beside `path` is there, whole, and of the same data.
   True for any other figure. */
bool figure_file_companion_holds(const char *path, const struct meta *provenance);

#endif

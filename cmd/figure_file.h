/* Figures that the tool made, read back. */
#ifndef ROPETOOL_CMD_FIGURE_FILE_H
#define ROPETOOL_CMD_FIGURE_FILE_H

#include "lib/base/error.h"
#include "lib/io/meta.h"

/* Reads the provenance inside a figure; `*intact` as in lib/figure/provenance.h. */
int figure_file_read(const char *path, struct meta **provenance, int *intact, struct error *error);

#endif

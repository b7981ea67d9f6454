/* Assets: files that are built into the program so that it can be copied anywhere. */
#ifndef ROPETOOL_BASE_ASSET_H
#define ROPETOOL_BASE_ASSET_H

#include <stddef.h>

struct asset {
  const char *name; /* path below plots/ or lib/model/: "palettes/viridis.hex" */
  const char *data; /* begins at a multiple of 64 bytes; a NUL stands behind the last byte */
  size_t size;
};

/* In the order of the Makefile; NULL past the end. */
const struct asset *asset_at(size_t index);
const struct asset *asset_find(const char *name); /* NULL: none of that name */

#endif

/* Assets: the files of plots/, built into the program so that it can be copied anywhere. */
#ifndef ROPETOOL_FIGURE_ASSET_H
#define ROPETOOL_FIGURE_ASSET_H

#include <stddef.h>

struct asset {
  const char *name; /* path below plots/: "palettes/viridis.hex" */
  const char *data; /* a NUL stands behind the last byte */
  size_t size;
};

/* In the order of their names; NULL past the end. */
const struct asset *asset_at(size_t index);
const struct asset *asset_find(const char *name); /* NULL: none of that name */

#endif

#include "lib/base/asset.h"

#include <string.h>

/* Made by plots/embed.sh at build time. */
extern const struct asset asset_table[];
extern const size_t asset_count;

const struct asset *asset_at(size_t index) {
  return index < asset_count ? &asset_table[index] : NULL;
}

const struct asset *asset_find(const char *name) {
  for (size_t i = 0; i < asset_count; i++)
    if (!strcmp(asset_table[i].name, name)) return &asset_table[i];
  return NULL;
}

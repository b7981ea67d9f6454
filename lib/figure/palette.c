#include "lib/figure/palette.h"

#include <stdio.h>
#include <string.h>

#include "lib/base/asset.h"

static const char *const range_names[] = {
    [MATRIX_SEQUENTIAL] = "sequential",
    [MATRIX_DIVERGING] = "diverging",
    [MATRIX_CYCLIC] = "cyclic",
};
enum { RANGE_COUNT = sizeof range_names / sizeof range_names[0] };

/* The NAME of an asset "palettes/NAME.hex" of `length` characters, or NULL for other assets. */
static const char *palette_asset(const struct asset *asset, size_t *length) {
  static const char folder[] = "palettes/", extension[] = ".hex";
  const size_t size = strlen(asset->name), ends = sizeof folder - 1 + sizeof extension - 1;
  if (size <= ends || strncmp(asset->name, folder, sizeof folder - 1) ||
      strcmp(asset->name + size - (sizeof extension - 1), extension))
    return NULL;
  *length = size - ends;
  return asset->name + sizeof folder - 1;
}

const char *palette_name_at(size_t index) {
  static _Thread_local char name[sizeof((struct palette *)0)->name];
  size_t length;
  for (size_t i = 0; asset_at(i); i++) {
    const char *known = palette_asset(asset_at(i), &length);
    if (!known || index-- > 0) continue;
    snprintf(name, sizeof name, "%.*s", (int)length, known);
    return name;
  }
  return NULL;
}

static int unknown_palette(const char *name, struct error *error) {
  char choices[256] = "";
  size_t used = 0;
  for (size_t i = 0; palette_name_at(i) && used < sizeof choices; i++)
    used += (size_t)snprintf(choices + used, sizeof choices - used, "%s%s", i ? ", " : "",
                             palette_name_at(i));
  return error_set(error, ERROR_INPUT, "unknown palette '%s'; one of %s", name, choices);
}

/* Reads one line: a colour, a comment, or the comment that names the range. */
static int read_line(const char *line, struct palette *palette, size_t *entries) {
  char range[16];
  unsigned rgb;
  int end = 0;
  if (sscanf(line, "# range: %15[a-z]", range) == 1) {
    for (int i = 0; i < RANGE_COUNT; i++)
      if (!strcmp(range, range_names[i])) palette->range = (enum matrix_range)i;
    return 0;
  }
  if (*line == '#' || *line == '\n') return 0;
  if (*entries == PALETTE_SIZE || sscanf(line, "%6x%n", &rgb, &end) != 1 || end != 6) return -1;
  for (int c = 0; c < 3; c++)
    palette->rgb[*entries][c] = (uint8_t)(rgb >> (16 - 8 * c) & 0xff);
  ++*entries;
  return 0;
}

int palette_find(const char *name, struct palette *palette, struct error *error) {
  char path[64];
  const int size = snprintf(path, sizeof path, "palettes/%s.hex", name);
  const struct asset *asset = size < (int)sizeof path ? asset_find(path) : NULL;
  if (!asset) return unknown_palette(name, error);
  *palette = (struct palette){.range = MATRIX_SEQUENTIAL};
  snprintf(palette->name, sizeof palette->name, "%.31s", name);
  size_t entries = 0;
  for (const char *line = asset->data; *line;) {
    if (read_line(line, palette, &entries)) break;
    const char *end = strchr(line, '\n');
    line = end ? end + 1 : "";
  }
  if (entries != PALETTE_SIZE)
    return error_set(error, ERROR_FAILED,
                     "palette '%s' has %zu colours that can be read instead of %d", name, entries,
                     PALETTE_SIZE);
  return OK;
}

const char *palette_default(enum matrix_range range) {
  switch (range) {
  case MATRIX_DIVERGING:
    return "coolwarm";
  case MATRIX_CYCLIC:
    return "cycle";
  default:
    return "viridis";
  }
}

uint32_t palette_entry(const struct palette *palette, int index) {
  const uint8_t *rgb = palette->rgb[index];
  return (uint32_t)rgb[0] << 16 | (uint32_t)rgb[1] << 8 | rgb[2];
}

uint32_t palette_colour(const struct palette *palette, double part) {
  return palette_entry(palette, (int)(part * (PALETTE_SIZE - 1) + 1e-9));
}

uint32_t palette_ground(bool dark) {
  return dark ? 0x16181d : 0xffffff;
}

uint32_t palette_category(size_t index, int dark) {
  static const uint32_t colours[2][PALETTE_CATEGORIES] = {
      {0x0072b2, 0xd55e00, 0x56b4e9, 0x882255, 0xe69f00, 0x009e73, 0x332288, 0xcc79a7},
      {0x56b4e9, 0xe69f00, 0xffffff, 0xd55e00, 0xaa88ff, 0x009e73, 0xf0e442, 0xcc79a7},
  };
  return colours[dark != 0][index % PALETTE_CATEGORIES];
}

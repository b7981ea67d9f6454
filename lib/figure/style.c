#include "lib/figure/style.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/asset.h"

static const char folder[] = "styles/", extension[] = ".style";

/* The name of a style's asset without folder and extension, cut to fit; false for other assets. */
static int style_name(const struct asset *asset, char *name, size_t capacity) {
  const size_t size = strlen(asset->name), head = sizeof folder - 1, tail = sizeof extension - 1;
  if (size <= head + tail || strncmp(asset->name, folder, head) ||
      strcmp(asset->name + size - tail, extension))
    return 0;
  snprintf(name, capacity, "%.*s", (int)(size - head - tail), asset->name + head);
  return 1;
}

const char *style_name_at(size_t index) {
  static _Thread_local char name[sizeof((struct style *)0)->name];
  for (size_t i = 0; asset_at(i); i++)
    if (style_name(asset_at(i), name, sizeof name) && index-- == 0) return name;
  return NULL;
}

static int unknown_style(const char *name, struct error *error) {
  char choices[512] = "";
  size_t used = 0;
  for (size_t i = 0; style_name_at(i) && used < sizeof choices; i++)
    used += (size_t)snprintf(choices + used, sizeof choices - used, "%s%s", i ? ", " : "",
                             style_name_at(i));
  return error_set(error, ERROR_INPUT, "unknown style '%s'; one of %s", name, choices);
}

/* The numbers of a style file, by their keys; `unit` is one more way to write them, and its size.
 */
static const struct style_number {
  const char *key;
  size_t offset;
  struct {
    const char *name;
    double size;
  } units[3];
} numbers[] = {
    {"width", offsetof(struct style, width), {{"in", 1}, {"mm", 1 / 25.4}, {"pt", 1 / 72.27}}},
    {"height_ratio", offsetof(struct style, height_ratio), {{"", 1}}},
    {"font_size", offsetof(struct style, font_size), {{"pt", 1}}},
    {"tick_size", offsetof(struct style, tick_size), {{"pt", 1}}},
    {"line_width", offsetof(struct style, line_width), {{"pt", 1}}},
    {"dpi", offsetof(struct style, dpi), {{"", 1}}},
};
enum { NUMBER_COUNT = sizeof numbers / sizeof numbers[0] };

static int read_number(const struct style_number *number, const char *text, struct style *style) {
  char *unit;
  const double value = strtod(text, &unit);
  unit += strspn(unit, " ");
  for (size_t i = 0; i < 3 && number->units[i].name; i++)
    if (!strcmp(unit, number->units[i].name) && value > 0 && isfinite(value)) {
      *(double *)((char *)style + number->offset) = value * number->units[i].size;
      return OK;
    }
  return ERROR_FAILED;
}

static int read_setting(const char *key, const char *text, struct style *style) {
  if (!strcmp(key, "font")) return snprintf(style->font, sizeof style->font, "%s", text) <= 0;
  if (!strcmp(key, "source")) return snprintf(style->source, sizeof style->source, "%s", text) <= 0;
  for (size_t i = 0; i < NUMBER_COUNT; i++)
    if (!strcmp(key, numbers[i].key)) return read_number(&numbers[i], text, style);
  return ERROR_FAILED;
}

static int is_complete(const struct style *style) {
  for (size_t i = 0; i < NUMBER_COUNT; i++)
    if (*(const double *)((const char *)style + numbers[i].offset) == 0) return 0;
  return style->font[0] && style->source[0];
}

int style_find(const char *name, struct style *style, struct error *error) {
  char path[64];
  const int size = snprintf(path, sizeof path, "%s%s%s", folder, name, extension);
  const struct asset *asset = size < (int)sizeof path ? asset_find(path) : NULL;
  if (!asset) return unknown_style(name, error);
  *style = (struct style){0};
  snprintf(style->name, sizeof style->name, "%.31s", name);
  for (const char *line = asset->data; *line; line += strspn(line, "\n")) {
    const int length = (int)strcspn(line, "\n");
    char text[256], key[32], value[224];
    snprintf(text, sizeof text, "%.*s", length, line);
    line += length;
    if (text[0] == '#') continue;
    if (sscanf(text, "%31[a-z_] = %223[^\n]", key, value) != 2 || read_setting(key, value, style))
      return error_set(error, ERROR_FAILED, "style '%s': line '%s' cannot be read", name, text);
  }
  if (!is_complete(style))
    return error_set(error, ERROR_FAILED, "style '%s' is not complete", name);
  return OK;
}

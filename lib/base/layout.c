#include "lib/base/layout.h"

#include <string.h>

const char *layout_name(enum layout layout) {
  return layout == LAYOUT_INTERLEAVED ? "interleaved" : "halves";
}

int layout_parse(const char *name, enum layout *layout, struct error *error) {
  if (!strcmp(name, "interleaved"))
    *layout = LAYOUT_INTERLEAVED;
  else if (!strcmp(name, "halves"))
    *layout = LAYOUT_HALVES;
  else
    return error_set(error, ERROR_INPUT, "unknown layout '%s': interleaved or halves", name);
  return OK;
}

/* Drawing: a result as a picture, in the way that its command chose. */
#ifndef ROPETOOL_CMD_DRAWING_H
#define ROPETOOL_CMD_DRAWING_H

#include <stddef.h>
#include <stdio.h>

#include "cmd/command.h"
#include "lib/base/error.h"
#include "lib/figure/figure.h"

/* Where a figure goes: `path` for messages, `format` by its extension. */
struct drawing_target {
  const char *path;
  enum figure_format format;
};

/* Draws; the picture is not sealed yet. */
int drawing_draw(const struct result *result, const struct figure_options *options,
                 const struct drawing_target *target, struct figure *figure, struct error *error);

/* What the figure does not show as it was asked for, in words; false when there is nothing. */
bool drawing_left_out(const struct result *result, const struct figure_options *options, char *note,
                      size_t size);

/* A small picture of characters, for a terminal. */
void drawing_preview(const struct result *result, const struct figure_options *options, FILE *out);

#endif

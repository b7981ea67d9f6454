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

/* Notes the colour scale of maps in `meta` where --range or signed logarithms made it. ERROR_INPUT:
   --range of what is no map; else as of colour_scale_fit(). */
int drawing_note_colours(const struct result *result, const struct figure_options *options,
                         struct meta *meta, struct error *error);

/* How many cells of maps lie beyond the colour scale, and whether most cells look the same, with
   what helps; in words, "" where there is nothing to say. */
void drawing_colours(const struct result *result, const struct figure_options *options,
                     char *beyond, char *flat, size_t size);

/* A small picture of characters, for a terminal. */
void drawing_preview(const struct result *result, const struct figure_options *options, FILE *out);

#endif

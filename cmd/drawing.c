#include "cmd/drawing.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/file.h"
#include "lib/base/text.h"
#include "lib/figure/preview.h"
#include "lib/figure/raster.h"
#include "lib/figure/style.h"

static int draw_raster(const struct result *result, const struct figure_options *options,
                       const struct drawing_target *target, struct figure *figure,
                       struct error *error) {
  if (target->format != FIGURE_PNG)
    return error_set(error, ERROR_INPUT, "--raster writes PNG alone, not '%s'", target->path);
  struct palette palette;
  struct colour_scale scale;
  const char *name = options->palette ? options->palette : palette_default(result->matrix->range);
  if (palette_find(name, &palette, error)) return error->code;
  const struct matrix *matrix = result->matrix;
  if (colour_scale_fit(&matrix, 1, matrix->range, &options->colours, &scale, error))
    return error->code;
  struct style style;
  if (style_find(options->style ? options->style : "default", &style, error)) return error->code;
  figure->dpi = options->dpi > 0 ? options->dpi : style.dpi;
  FILE *out = open_memstream(&figure->picture.data, &figure->picture.size);
  if (!out) return error_set(error, ERROR_FAILED, "out of memory: the picture");
  const int status = raster_write(matrix, &palette, &scale, figure->dpi, out, error);
  if (fclose(out) && !status) return error_set(error, ERROR_FAILED, "out of memory: the picture");
  return status;
}

static int draw_grid(const struct result *result, const struct figure_options *options,
                     const struct drawing_target *target, const char *name, struct figure *figure,
                     struct error *error) {
  struct figure_options wide = *options;
  if (!(wide.width > 0) && !wide.style) wide.width = result->grid_width;
  return figure_draw_grid(result->drawn, &result->grid, &wide, target->format, name, figure, error);
}

/* What is drawn as curves. */
static const struct table *curves_table(const struct result *result) {
  return result->drawn ? result->drawn : result->table;
}

static int draw_named(const struct result *result, const struct figure_options *options,
                      const struct drawing_target *target, const char *name, struct figure *figure,
                      struct error *error) {
  switch (result->drawing) {
  case DRAWING_MAP:
    return figure_draw_matrix(result->matrix, options, target->format, name, figure, error);
  case DRAWING_CLOCK:
    return figure_draw_clock(result->table, &result->clock, options, target->format, name, figure,
                             error);
  case DRAWING_GRID:
    return draw_grid(result, options, target, name, figure, error);
  case DRAWING_PANELS:
    return figure_draw_panels(&result->panels, options, target->format, name, figure, error);
  default:
    return figure_draw_table(curves_table(result), &result->curves, options, target->format, name,
                             figure, error);
  }
}

int drawing_draw(const struct result *result, const struct figure_options *options,
                 const struct drawing_target *target, struct figure *figure, struct error *error) {
  if (result->drawing == DRAWING_NONE)
    return error_set(error, ERROR_INPUT, "there is nothing to draw in '%s'", target->path);
  if (result->drawing == DRAWING_RASTER) return draw_raster(result, options, target, figure, error);
  char *name = text_with_extension(file_name(target->path), "");
  if (!name) return error_set(error, ERROR_FAILED, "out of memory: the name of a figure");
  const int status = draw_named(result, options, target, name, figure, error);
  free(name);
  return status;
}

bool drawing_left_out(const struct result *result, const struct figure_options *options, char *note,
                      size_t size) {
  size_t count = 0;
  if (result->drawing == DRAWING_CURVES)
    count = figure_left_out_table(curves_table(result), &result->curves, options);
  else if (result->drawing == DRAWING_PANELS)
    count = figure_left_out_panels(&result->panels, options);
  else if (result->matrix)
    count = figure_left_out_matrix(result->matrix, options);
  snprintf(note, size,
           result->matrix || result->drawing == DRAWING_PANELS
               ? "cells left out: %zu (not greater than 0, which --log c cannot show)"
               : "points left out: %zu (empty, infinite, or not greater than 0 on a "
                 "logarithmic axis)",
           count);
  return count > 0;
}

/* The maps of a result, one or several; false when it has none. */
static bool maps_of(const struct result *result, struct panel_set *panels) {
  *panels = result->panels;
  if (result->drawing == DRAWING_PANELS) return panels->count > 0;
  *panels = (struct panel_set){.matrix = (const struct matrix *const *)&result->matrix, .count = 1};
  return result->matrix && (result->drawing == DRAWING_MAP || result->drawing == DRAWING_RASTER);
}

int drawing_note_colours(const struct result *result, const struct figure_options *options,
                         struct meta *meta, struct error *error) {
  struct panel_set panels;
  struct colour_scale scale;
  const struct colour_wish *wish = &options->colours;
  if (!maps_of(result, &panels))
    return wish->ranged ? error_set(error, ERROR_INPUT, "--range goes with maps alone") : OK;
  if (!wish->ranged && !wish->logarithmic) return OK;
  if (colour_scale_fit(panels.matrix, panels.count,
                       colour_common_range(panels.matrix, panels.count), wish, &scale, error))
    return error->code;
  if (!wish->ranged && scale.law != COLOUR_SIGNED_LOG) return OK;
  const struct colour_beyond beyond = colour_count_beyond(&scale, panels.matrix, panels.count);
  struct meta *noted = meta_object(meta, "colour_scale");
  meta_set_real(noted, "low", scale.low);
  meta_set_real(noted, "high", scale.high);
  if (scale.law == COLOUR_SIGNED_LOG)
    meta_set_real(noted, "linear_within", colour_linear_within(&scale));
  meta_set_integer(noted, "cells_below", (int64_t)beyond.below);
  meta_set_integer(noted, "cells_above", (int64_t)beyond.above);
  return OK;
}

static void tell_beyond(const struct map_colours *colours, char *note, size_t size) {
  const size_t below = colours->beyond.below, above = colours->beyond.above;
  if (below + above)
    snprintf(note, size,
             "cells beyond the colour scale: %zu below %.4g, %zu above %.4g (drawn in the colours "
             "of its ends)",
             below, colours->scale.low, above, colours->scale.high);
}

/* Which options help where most cells have nearly the same colour. */
static const char *remedy(const struct figure_options *options, const struct panel_set *panels) {
  const bool signs = colour_common_range(panels->matrix, panels->count) == MATRIX_DIVERGING;
  if (options->colours.ranged && options->colours.logarithmic) return NULL;
  if (options->colours.logarithmic) return "--range 1%:99%";
  bool positive = true;
  for (size_t m = 0; m < panels->count; m++)
    positive = positive && !(matrix_span(panels->matrix[m]).low < 0);
  if (!signs && !positive) return options->colours.ranged ? NULL : "--range 1%:99%";
  return options->colours.ranged ? "--log c" : "--log c or --range 1%:99%";
}

static void tell_flat(const struct map_colours *colours, const struct figure_options *options,
                      const struct panel_set *panels, char *note, size_t size) {
  if (!colours->few) return;
  const char *help = remedy(options, panels);
  char which[24] = "";
  if (panels->letters) snprintf(which, sizeof which, " of panel (%c)", 'a' + (int)colours->panel);
  snprintf(note, size, "98 %% of the cells%s are within %zu of the 256 colours%s%s%s", which,
           colours->few, help ? "; " : "", help ? help : "", help ? " shows more" : "");
}

void drawing_colours(const struct result *result, const struct figure_options *options,
                     char *beyond, char *flat, size_t size) {
  struct panel_set panels;
  struct map_colours colours;
  struct error error;
  *beyond = *flat = '\0';
  if (!maps_of(result, &panels) || figure_map_colours(&panels, options, &colours, &error)) return;
  tell_beyond(&colours, beyond, size);
  tell_flat(&colours, options, &panels, flat, size);
}

void drawing_preview(const struct result *result, const struct figure_options *options, FILE *out) {
  struct preview_terminal terminal;
  struct error error;
  if (preview_terminal_of(STDOUT_FILENO, &terminal, &error)) {
    fprintf(stderr, "ropetool: no preview: %s\n", error.message);
    return;
  }
  if (terminal.off) return;
  if (result->matrix || result->drawing == DRAWING_CURVES || result->drawing == DRAWING_CLOCK ||
      result->drawing == DRAWING_PANELS)
    fputc('\n', out);
  if (result->matrix)
    preview_matrix(result->matrix, options, &terminal, out);
  else if (result->drawing == DRAWING_PANELS)
    preview_panels(&result->panels, options, &terminal, out);
  else if (result->drawing == DRAWING_CURVES)
    preview_table(curves_table(result), &result->curves, options, &terminal, out);
  else if (result->drawing == DRAWING_CLOCK)
    preview_clock(result->table, &result->clock, options, &terminal, out);
}

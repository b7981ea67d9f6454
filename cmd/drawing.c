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
  if (colour_scale_fit(result->matrix, options->log_c, &scale, error)) return error->code;
  struct style style;
  if (style_find(options->style ? options->style : "default", &style, error)) return error->code;
  figure->dpi = options->dpi > 0 ? options->dpi : style.dpi;
  FILE *out = open_memstream(&figure->picture.data, &figure->picture.size);
  if (!out) return error_set(error, ERROR_FAILED, "out of memory: the picture");
  const int status = raster_write(result->matrix, &palette, &scale, figure->dpi, out, error);
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
    return figure_draw_table(result->table, &result->curves, options, target->format, name, figure,
                             error);
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
    count = figure_left_out_table(result->table, &result->curves, options);
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
    preview_table(result->table, &result->curves, options, &terminal, out);
  else if (result->drawing == DRAWING_CLOCK)
    preview_clock(result->table, &result->clock, options, &terminal, out);
}

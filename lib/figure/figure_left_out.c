/* What a figure cannot show. */
#include <math.h>

#include "lib/figure/figure.h"
#include "lib/figure/traces.h"

size_t figure_left_out_matrix(const struct matrix *matrix, const struct figure_options *options) {
  return figure_left_out_panels(&(struct panel_set){.matrix = &matrix, .count = 1}, options);
}

size_t figure_left_out_panels(const struct panel_set *panels,
                              const struct figure_options *options) {
  size_t left_out = 0;
  if (!options->colours.logarithmic ||
      colour_common_range(panels->matrix, panels->count) == MATRIX_DIVERGING)
    return 0;
  for (size_t m = 0; m < panels->count; m++) {
    const size_t bands = matrix_bands(panels->matrix[m]);
#pragma omp parallel for reduction(+ : left_out) if (bands > 1)
    for (size_t b = 0; b < bands; b++) {
      const struct matrix_band band = matrix_band(panels->matrix[m], b);
      for (size_t i = 0; i < band.count; i++)
        left_out += band.cell[i] <= 0;
      matrix_leave(&band);
    }
  }
  return left_out;
}

int figure_map_colours(const struct panel_set *panels, const struct figure_options *options,
                       struct map_colours *colours, struct error *error) {
  enum { FEW = 16 };
  *colours = (struct map_colours){0};
  if (colour_scale_fit(panels->matrix, panels->count,
                       colour_common_range(panels->matrix, panels->count), &options->colours,
                       &colours->scale, error))
    return error->code;
  for (size_t m = 0; m < panels->count; m++) {
    struct colour_beyond beyond;
    const size_t used = colour_count_used(&colours->scale, panels->matrix[m], &beyond);
    colours->beyond.below += beyond.below;
    colours->beyond.above += beyond.above;
    if (used == 0 || used >= FEW || colours->few) continue;
    colours->few = used;
    colours->panel = m;
  }
  return OK;
}

struct log_axes {
  bool x, y;
};

/* The points of some columns; a column that is not there has none. `empty_too`: those that hold no
   number as well. */
static size_t count_points(const struct table *table, const char *const columns[3], bool empty_too,
                           const struct log_axes *log) {
  size_t index[3], count = 0;
  for (int c = 0; c < 3; c++) {
    const int found = table_find_column(table, columns[c]);
    if (found < 0) return 0;
    index[c] = (size_t)found;
  }
  for (size_t r = 0; r < table_rows(table); r++) {
    const struct point point = {table_real(table, r, index[0]), table_real(table, r, index[1]),
                                table_real(table, r, index[2])};
    const bool empty = isnan(point.x) || isnan(point.low) || isnan(point.high);
    count += (empty_too || !empty) && !point_shows(&point, log->x, log->y);
  }
  return count;
}

size_t figure_left_out_table(const struct table *table, const struct curve_plot *plot,
                             const struct figure_options *options) {
  const struct log_axes log = {options->log_x || plot->log_x, options->log_y || plot->log_y};
  size_t count = 0;
  for (size_t b = 0; b < 2 && plot->low[b]; b++)
    count += count_points(table, (const char *const[]){plot->x, plot->low[b], plot->high[b]}, false,
                          &log);
  for (size_t l = 0; l < 4 && plot->lines[l]; l++)
    count += count_points(table, (const char *const[]){plot->x, plot->lines[l], plot->lines[l]},
                          false, &log);
  if (plot->overlay)
    count += count_points(plot->overlay,
                          (const char *const[]){plot->overlay_x, plot->overlay_y, plot->overlay_y},
                          true, &log);
  return count;
}

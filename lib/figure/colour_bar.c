#include "lib/figure/colour_bar.h"

#include <math.h>
#include <string.h>

void colour_bar_measure(const struct canvas *canvas, const struct matrix *matrix,
                        struct colour_bar *bar) {
  const double tick = canvas_points(canvas, canvas->style.tick_size);
  if (bar->scale.logarithmic)
    tics_logarithmic(bar->scale.low, bar->scale.high, 6, &bar->tics);
  else if (matrix->range == MATRIX_CYCLIC)
    tics_angles(&bar->tics);
  else
    tics_linear(bar->scale.low, bar->scale.high, 6, false, &bar->tics);
  const double label = *matrix->value_label ? canvas_line(canvas, canvas->style.font_size) : 0;
  bar->gap = round(0.8 * tick);
  bar->width = round(1.2 * tick);
  bar->right_margin = bar->gap + bar->width + tick * (1.1 + tics_width(&bar->tics)) + 1.15 * label;
}

/* Height of a value on the bar, 0..1. */
static double position(const struct colour_scale *scale, double value) {
  if (scale->logarithmic) return log(value / scale->low) / log(scale->high / scale->low);
  return (value - scale->low) / (scale->high - scale->low);
}

/* The numbers are drawn as labels: gnuplot's own axes belong to the map. */
static int assign_tics(struct canvas *canvas, const struct colour_bar *bar, struct error *error) {
  const double below = canvas->top + canvas->panel_height;
  fprintf(canvas->script, "bar_tics = %zu\narray bar_text[%zu]\narray bar_y[%zu]\n",
          bar->tics.count, bar->tics.count + 1, bar->tics.count + 1);
  int code = OK;
  for (size_t i = 0; i < bar->tics.count && !code; i++) {
    const struct tic *tic = &bar->tics.item[i];
    const double y = below - position(&bar->scale, tic->at) * canvas->panel_height;
    char variable[32];
    snprintf(variable, sizeof variable, "bar_y[%zu]", i + 1);
    canvas_assign(canvas, variable, canvas_y(canvas, y));
    snprintf(variable, sizeof variable, "bar_text[%zu]", i + 1);
    code = canvas_assign_text(canvas, variable,
                              &(struct canvas_text){"number", tic->label, canvas->style.tick_size,
                                                    canvas->panel_width, 1},
                              error);
  }
  return code;
}

int colour_bar_assign(struct canvas *canvas, const struct matrix *matrix,
                      const struct colour_bar *bar, struct error *error) {
  const double tick = canvas_points(canvas, canvas->style.tick_size);
  const double panel_right = canvas->left + canvas->panel_width;
  const double left = panel_right + bar->gap, right = left + bar->width;
  const double line = canvas_line(canvas, canvas->style.font_size);
  const double fudge = canvas->format == FIGURE_PNG ? 0.02 : 0; /* as the panel's */
  canvas_assign(canvas, "bar_left", canvas_x(canvas, left));
  canvas_assign(canvas, "bar_right", canvas_x(canvas, right + fudge));
  canvas_assign(canvas, "bar_tic", canvas_x(canvas, right + 0.3 * tick));
  canvas_assign(canvas, "bar_small_tic", canvas_x(canvas, right + 0.15 * tick));
  canvas_assign(canvas, "bar_text_x", canvas_x(canvas, right + 0.7 * tick));
  canvas_assign(canvas, "value_x", canvas_x(canvas, panel_right + bar->right_margin - 0.55 * line));
  canvas_assign(canvas, "colour_low", bar->scale.low);
  canvas_assign(canvas, "colour_high", bar->scale.high);
  if (bar->scale.logarithmic) fputs("set logscale cb\n", canvas->script);
  const int code = assign_tics(canvas, bar, error);
  if (code) return code;
  return canvas_assign_text(canvas, "value_label",
                            &(struct canvas_text){"value label", matrix->value_label,
                                                  canvas->style.font_size,
                                                  canvas->height * canvas->dpi, 1},
                            error);
}

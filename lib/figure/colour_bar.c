#include "lib/figure/colour_bar.h"

#include <math.h>

#include "lib/figure/traces.h"

void colour_bar_measure(const struct canvas *canvas, struct colour_bar *bar) {
  const double tick = canvas_points(canvas, canvas->style.tick_size);
  if (bar->scale.logarithmic)
    tics_logarithmic(bar->scale.low, bar->scale.high, 6, &bar->tics);
  else if (bar->range == MATRIX_CYCLIC)
    tics_angles(&bar->tics);
  else
    tics_linear(bar->scale.low, bar->scale.high, 6, bar->whole, &bar->tics);
  if (*bar->label && !bar->label_lines) bar->label_lines = 1;
  const double label = canvas_line(canvas, canvas->style.font_size) * (double)bar->label_lines;
  bar->gap = round(0.8 * tick);
  bar->width = round(1.2 * tick);
  bar->right_margin = bar->gap + bar->width + tick * (1.1 + tics_width(&bar->tics)) + 1.15 * label;
}

/* Dots along the sheet that a line of the label may fill. */
static double label_room(const struct canvas *canvas) {
  return canvas->height * canvas->dpi - 2 * canvas_edge(canvas);
}

size_t colour_bar_count_lines(const struct canvas *canvas, const struct colour_bar *bar) {
  return canvas_count_lines(canvas, bar->label, label_room(canvas), canvas->style.font_size,
                            COLOUR_BAR_LINES);
}

/* The middle of the label: that of the bar, unless the label reached beyond the sheet. */
static double label_middle(const struct canvas *canvas, const struct colour_bar *bar) {
  const double sheet = canvas->height * canvas->dpi, edge = canvas_edge(canvas);
  const double width = canvas_text_width(canvas, bar->label, canvas->style.font_size);
  const double half = fmin(width, label_room(canvas)) / 2;
  const double middle = canvas->top + canvas->panel_height / 2;
  return fmin(fmax(middle, edge + half), sheet - edge - half);
}

/* The numbers are drawn as labels: gnuplot's own axes belong to the map. */
static int assign_tics(struct canvas *canvas, const struct colour_bar *bar, struct error *error) {
  const double below = canvas->top + canvas->panel_height;
  fprintf(canvas->script, "bar_tics = %zu\narray bar_text[%zu]\narray bar_y[%zu]\n",
          bar->tics.count, bar->tics.count + 1, bar->tics.count + 1);
  int code = OK;
  for (size_t i = 0; i < bar->tics.count && !code; i++) {
    const struct tic *tic = &bar->tics.item[i];
    const double y =
        below - axis_position(tic->at, bar->scale.low, bar->scale.high, bar->scale.logarithmic) *
                    canvas->panel_height;
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

int colour_bar_assign(struct canvas *canvas, const struct colour_bar *bar, struct error *error) {
  const double tick = canvas_points(canvas, canvas->style.tick_size);
  const double panel_right = canvas->left + canvas->panel_width;
  const double left = panel_right + bar->gap, right = left + bar->width;
  const double line = canvas_line(canvas, canvas->style.font_size);
  const struct box box = {left, canvas->top, bar->width, canvas->panel_height};
  canvas_assign_box(canvas, "bar", 0, &box);
  frame_assign(canvas, "bar_frame", 0, &box);
  canvas_assign(canvas, "bar_tic", canvas_x(canvas, right + 0.3 * tick));
  canvas_assign(canvas, "bar_small_tic", canvas_x(canvas, right + 0.15 * tick));
  canvas_assign(canvas, "bar_text_x", canvas_x(canvas, right + 0.7 * tick));
  canvas_assign(
      canvas, "value_x",
      canvas_x(canvas, panel_right + bar->right_margin - ((double)bar->label_lines - 0.45) * line));
  canvas_assign(canvas, "value_y", canvas_y(canvas, label_middle(canvas, bar)));
  canvas_assign(canvas, "colour_low", bar->scale.low);
  canvas_assign(canvas, "colour_high", bar->scale.high);
  if (bar->scale.logarithmic) fputs("set logscale cb\n", canvas->script);
  const int code = assign_tics(canvas, bar, error);
  if (code) return code;
  return canvas_assign_text(canvas, "value_label",
                            &(struct canvas_text){"value label", bar->label,
                                                  canvas->style.font_size, label_room(canvas),
                                                  COLOUR_BAR_LINES},
                            error);
}

void frame_assign(struct canvas *canvas, const char *name, size_t index, const struct box *box) {
  /* Lines of an odd number of pixels are sharp, because gnuplot puts them on the middle of a pixel.
   */
  const double thin = canvas_points(canvas, 0.5);
  const double width = canvas->format == FIGURE_PNG ? 2 * floor(thin / 2) + 1 : thin;
  const struct {
    const char *side;
    double at;
  } sides[] = {{"left", canvas_x(canvas, box->x - width / 2)},
               {"right", canvas_x(canvas, box->x + box->width + width / 2)},
               {"bottom", canvas_y(canvas, box->y + box->height + width / 2)},
               {"top", canvas_y(canvas, box->y - width / 2)}};
  canvas_assign(canvas, "frame_width", width * 72 / canvas->dpi);
  for (size_t i = 0; i < 4; i++)
    canvas_assign_element(canvas, name, sides[i].side, index, sides[i].at);
}

void palette_assign(struct canvas *canvas, const struct palette *palette) {
  fprintf(canvas->script, "set palette maxcolors %d defined (", PALETTE_SIZE);
  for (int i = 0; i < PALETTE_SIZE; i++)
    fprintf(canvas->script, "%s%d '#%02x%02x%02x'",
            i == 0  ? ""
            : i % 6 ? ", "
                    : ", \\\n  ",
            i, palette->rgb[i][0], palette->rgb[i][1], palette->rgb[i][2]);
  fputs(")\n", canvas->script);
}

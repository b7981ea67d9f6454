#include "lib/figure/colour_bar.h"

#include <math.h>
#include <stdio.h>

/* Powers of ten on both sides of 0, at most `most` numbers. */
static void set_signed_tics(const struct colour_scale *scale, size_t most, struct tics *tics) {
  struct tics above;
  tics_logarithmic(colour_linear_within(scale), scale->high, (most - 1) / 2, &above);
  tics->count = 0;
  for (size_t i = 0; i < 2 * above.count && tics->count < TICS_MOST - 1; i++) {
    const struct tic *tic = &above.item[i / 2];
    struct tic *added = &tics->item[tics->count++];
    *added = *tic;
    if (i % 2 == 0) continue;
    added->at = -tic->at;
    if (*tic->label) snprintf(added->label, sizeof added->label, "−%.20s", tic->label);
  }
  tics->item[tics->count++] = (struct tic){.at = 0, .label = "0"};
}

/* Numbers that look well where there is room. */
static size_t most_tics(const struct colour_bar *bar) {
  return bar->scale.law == COLOUR_SIGNED_LOG ? 2 * (COLOUR_DECADES + 1) + 1 : 6;
}

static void set_tics(struct colour_bar *bar, size_t most) {
  if (bar->scale.law == COLOUR_SIGNED_LOG)
    set_signed_tics(&bar->scale, most < 3 ? 3 : most, &bar->tics);
  else if (bar->scale.law == COLOUR_LOG)
    tics_logarithmic(bar->scale.low, bar->scale.high, most, &bar->tics);
  else if (bar->range == MATRIX_CYCLIC)
    tics_angles(&bar->tics);
  else
    tics_linear(bar->scale.low, bar->scale.high, most, bar->whole, &bar->tics);
}

void colour_bar_measure(const struct canvas *canvas, struct colour_bar *bar) {
  const double tick = canvas_points(canvas, canvas->style.tick_size);
  set_tics(bar, most_tics(bar));
  if (*bar->label && !bar->label_lines) bar->label_lines = 1;
  const double label = canvas_line(canvas, canvas->style.font_size) * (double)bar->label_lines;
  bar->gap =
      round(0.8 * tick) + (bar->apart ? ceil(canvas_line(canvas, canvas->style.tick_size)) : 0);
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

/* The numbers are drawn as labels, beside the colours: gnuplot's own axes belong to the map. */
static int assign_tics(struct canvas *canvas, const struct colour_bar *bar,
                       const struct box *colours, struct error *error) {
  fprintf(canvas->script, "bar_tics = %zu\narray bar_text[%zu]\narray bar_y[%zu]\n",
          bar->tics.count, bar->tics.count + 1, bar->tics.count + 1);
  int code = OK;
  for (size_t i = 0; i < bar->tics.count && !code; i++) {
    const struct tic *tic = &bar->tics.item[i];
    const double part = colour_part(&bar->scale, tic->at);
    const double y = colours->y + (1 - part) * colours->height;
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

/* The colours between the ends: as high as the panel, less the arrows. */
static struct box colour_box(const struct canvas *canvas, const struct colour_bar *bar) {
  const double arrow = round(fmin(0.9 * bar->width, 0.12 * canvas->panel_height));
  const double above = bar->beyond.above ? arrow : 0, below = bar->beyond.below ? arrow : 0;
  return (struct box){canvas->left + canvas->panel_width + bar->gap, canvas->top + above,
                      bar->width, canvas->panel_height - above - below};
}

/* Whether gnuplot is given places of colours and not values. */
static bool has_places(const struct colour_bar *bar) {
  return bar->pale || bar->scale.law == COLOUR_SIGNED_LOG;
}

double colour_bar_value(const struct colour_bar *bar, int index) {
  return has_places(bar) ? (index + 0.5) / PALETTE_SIZE : colour_value(&bar->scale, index);
}

static void assign_scale(struct canvas *canvas, const struct colour_bar *bar) {
  const bool places = has_places(bar);
  canvas_assign(canvas, "colour_low", places ? 0 : bar->scale.low);
  canvas_assign(canvas, "colour_high", !places ? bar->scale.high : bar->pale ? 2 : 1);
  if (bar->scale.law == COLOUR_LOG && !places) fputs("set logscale cb\n", canvas->script);
}

/* Whether numbers below one another keep apart, and no more: a bar has nothing else to be read by.
 */
static bool numbers_fit(const struct canvas *canvas, const struct tics *tics, double height) {
  size_t count = 0;
  for (size_t i = 0; i < tics->count; i++)
    count += *tics->item[i].label != '\0';
  return (double)count * canvas_points(canvas, 1.6 * canvas->style.tick_size) <= height;
}

int colour_bar_assign(struct canvas *canvas, struct colour_bar *bar, struct error *error) {
  const double tick = canvas_points(canvas, canvas->style.tick_size);
  const double panel_right = canvas->left + canvas->panel_width;
  const struct box box = colour_box(canvas, bar);
  const double right = box.x + box.width;
  const double line = canvas_line(canvas, canvas->style.font_size);
  canvas_assign_box(canvas, "bar", 0, &box);
  frame_assign(canvas, "bar_frame", 0, &box);
  canvas_assign(canvas, "bar_above", bar->beyond.above > 0);
  canvas_assign(canvas, "bar_below", bar->beyond.below > 0);
  canvas_assign(canvas, "bar_tip_top", canvas_y(canvas, canvas->top));
  canvas_assign(canvas, "bar_tip_bottom", canvas_y(canvas, canvas->top + canvas->panel_height));
  canvas_assign(canvas, "bar_tic", canvas_x(canvas, right + 0.3 * tick));
  canvas_assign(canvas, "bar_small_tic", canvas_x(canvas, right + 0.15 * tick));
  canvas_assign(canvas, "bar_text_x", canvas_x(canvas, right + 0.7 * tick));
  canvas_assign(
      canvas, "value_x",
      canvas_x(canvas, panel_right + bar->right_margin - ((double)bar->label_lines - 0.45) * line));
  canvas_assign(canvas, "value_y", canvas_y(canvas, label_middle(canvas, bar)));
  assign_scale(canvas, bar);
  for (size_t most = most_tics(bar); most >= 2; most--) {
    set_tics(bar, most);
    if (numbers_fit(canvas, &bar->tics, box.height)) break;
  }
  const int code = assign_tics(canvas, bar, &box, error);
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

/* How much of a pale colour is the paper's. */
static const double paleness = 0.5;

void palette_assign(struct canvas *canvas, const struct palette *palette, bool pale) {
  const int count = pale ? 2 * PALETTE_SIZE : PALETTE_SIZE;
  const double paper = canvas->dark ? 0 : 255;
  fprintf(canvas->script, "set palette maxcolors %d defined (", count);
  for (int i = 0; i < count; i++) {
    const uint8_t *rgb = palette->rgb[i % PALETTE_SIZE];
    unsigned shown[3];
    for (int c = 0; c < 3; c++)
      shown[c] =
          (unsigned)(i < PALETTE_SIZE ? rgb[c] : round(rgb[c] + paleness * (paper - rgb[c])));
    fprintf(canvas->script, "%s%d '#%02x%02x%02x'",
            i == 0  ? ""
            : i % 6 ? ", "
                    : ", \\\n  ",
            i, shown[0], shown[1], shown[2]);
  }
  fputs(")\n", canvas->script);
  const uint8_t *low = palette->rgb[0], *high = palette->rgb[PALETTE_SIZE - 1];
  fprintf(canvas->script, "palette_low = 0x%02x%02x%02x\npalette_high = 0x%02x%02x%02x\n", low[0],
          low[1], low[2], high[0], high[1], high[2]);
}

/* Angles as the hands of clocks: one dial for each position, one hand for each pair.

   The panel of the sheet is the whole grid of dials. Everything is placed in dots, and one unit of
   the plot is one dot in both directions: circles are circles. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/memory.h"
#include "lib/figure/canvas.h"
#include "lib/figure/colour_bar.h"
#include "lib/figure/lettering.h"
#include "lib/figure/palette.h"
#include "lib/figure/traces.h"

/* Of the hands, in radii of the dial. */
static const double longest = 0.93, shortest = 0.3;

/* Radii of dials in sizes of the text where the sheet may grow: what can be read, what can be read
   well, and the most. */
static const double radius_small = 2.8, radius_least = 4.1, radius_most = 11;

struct hand {
  size_t dial;
  double pair, angle;
  size_t rank; /* of its pair among all, the smallest is 0 */
};

struct clock {
  struct canvas canvas;
  struct hand *hand;
  size_t hands;
  double position[DIALS_MOST];
  size_t dials;
  double *pair; /* all that there are, in order */
  size_t pairs;
  size_t across;
  double radius, gap, caption; /* of a dial, between two, and of what stands below one; dots */
  struct palette palette;      /* what is legible of it, evenly */
  struct colour_bar bar;
};

static int find_dial(struct clock *clock, double position, size_t *dial, struct error *error) {
  for (*dial = 0; *dial < clock->dials; ++*dial)
    if (clock->position[*dial] == position) return OK;
  if (clock->dials == DIALS_MOST)
    return error_set(error, ERROR_INPUT,
                     "more than %d positions do not fit a figure of dials; choose fewer",
                     DIALS_MOST);
  clock->position[clock->dials++] = position;
  return OK;
}

static int compare_numbers(const void *left, const void *right) {
  const double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

/* Long hands first: short ones lie above them. */
static int compare_hands(const void *left, const void *right) {
  const struct hand *a = left, *b = right;
  if (a->dial != b->dial) return a->dial < b->dial ? -1 : 1;
  return (a->rank > b->rank) - (a->rank < b->rank);
}

static void rank_pairs(struct clock *clock) {
  for (size_t h = 0; h < clock->hands; h++)
    clock->pair[h] = clock->hand[h].pair;
  qsort(clock->pair, clock->hands, sizeof *clock->pair, compare_numbers);
  for (size_t h = 0; h < clock->hands; h++)
    if (h == 0 || clock->pair[h] != clock->pair[clock->pairs - 1])
      clock->pair[clock->pairs++] = clock->pair[h];
  for (size_t h = 0; h < clock->hands; h++) {
    const double *found = bsearch(&clock->hand[h].pair, clock->pair, clock->pairs,
                                  sizeof *clock->pair, compare_numbers);
    clock->hand[h].rank = (size_t)(found - clock->pair);
  }
  qsort(clock->hand, clock->hands, sizeof *clock->hand, compare_hands);
}

static int collect(struct clock *clock, const struct table *table, const struct clock_plot *plot,
                   struct error *error) {
  const int position = find_numbers(table, plot->position ? plot->position : "position", error);
  const int pair = position < 0 ? -1 : find_numbers(table, plot->pair ? plot->pair : "pair", error);
  const int angle = pair < 0 ? -1 : find_numbers(table, plot->angle ? plot->angle : "angle", error);
  if (angle < 0) return ERROR_INPUT;
  const size_t rows = table_rows(table);
  clock->hand = memory_array(rows, sizeof *clock->hand, "the hands of dials", error);
  clock->pair = memory_array(rows, sizeof *clock->pair, "the hands of dials", error);
  if (!clock->hand || !clock->pair) return ERROR_FAILED;
  for (size_t r = 0; r < rows; r++) {
    struct hand hand = {.pair = table_real(table, r, (size_t)pair),
                        .angle = table_real(table, r, (size_t)angle)};
    const double at = table_real(table, r, (size_t)position);
    if (!isfinite(at) || !isfinite(hand.pair)) continue;
    const int code = find_dial(clock, at, &hand.dial, error);
    if (code) return code;
    if (isfinite(hand.angle)) clock->hand[clock->hands++] = hand;
  }
  if (!clock->hands)
    return error_set(error, ERROR_FAILED, "nothing to draw: no angle of the table is finite");
  rank_pairs(clock);
  return OK;
}

/* Colours that thin lines can be told from the ground by, over the pairs there are. */
static int set_colours(struct clock *clock, const char *name, struct error *error) {
  const int code =
      palette_find(name ? name : palette_default(MATRIX_SEQUENTIAL), &clock->palette, error);
  if (code) return code;
  palette_legible(&clock->palette, clock->canvas.dark, &clock->palette);
  clock->bar = (struct colour_bar){.label = "pair", .whole = true};
  clock->bar.scale =
      (struct colour_scale){clock->pair[0], clock->pair[clock->pairs - 1], COLOUR_LINEAR};
  if (clock->pairs == 1) clock->bar.scale.low -= 0.5, clock->bar.scale.high += 0.5;
  return OK;
}

static size_t rows_of(const struct clock *clock, size_t across) {
  return (clock->dials + across - 1) / across;
}

/* The radius when so many dials stand side by side. */
static double radius_of(const struct clock *clock, size_t across, double width, double height) {
  const double columns = (double)across;
  const double rows = (double)rows_of(clock, across);
  const double by_width = (width - (columns - 1) * clock->gap) / columns / 2;
  const double by_height = (height - (rows - 1) * clock->gap) / rows / 2 - clock->caption / 2;
  return fmin(by_width, by_height);
}

/* Height of all rows of dials. */
static double grid_height(const struct clock *clock) {
  const double rows = (double)rows_of(clock, clock->across);
  return rows * (2 * clock->radius + clock->caption) + (rows - 1) * clock->gap;
}

/* As many dials side by side as make the largest ones; where the height is free as many as can be
   read well, or more where these would make a tower, in rows of the same length. */
static void choose_across(struct clock *clock, double width, double height, double em) {
  clock->across = 1;
  clock->radius = radius_of(clock, 1, width, height);
  for (size_t across = 2; across <= clock->dials; across++) {
    const double radius = radius_of(clock, across, width, height);
    const bool tower = grid_height(clock) > 1.6 * width && radius >= radius_small * em;
    if (isfinite(height) ? radius <= clock->radius : radius < radius_least * em && !tower) continue;
    clock->across = across;
    clock->radius = radius;
  }
  clock->across = rows_of(clock, rows_of(clock, clock->across)); /* rows of the same length */
  clock->radius = floor(fmin(radius_of(clock, clock->across, width, height), radius_most * em));
}

static int lay_out(struct clock *clock, struct error *error) {
  struct canvas *canvas = &clock->canvas;
  const double em = canvas_points(canvas, canvas->style.font_size), outer = canvas_edge(canvas);
  clock->gap = ceil(0.9 * em);
  clock->caption = ceil(1.1 * canvas_line(canvas, canvas->style.tick_size));
  colour_bar_measure(canvas, &clock->bar);
  int code = canvas_set_margins(canvas, 0, 0, clock->bar.right_margin + clock->gap, 0, error);
  if (code) return code;
  canvas->left = canvas->bottom = ceil(outer);
  const bool free_height = canvas->height == 0;
  const double width = canvas->width * canvas->dpi - canvas->left - canvas->right;
  const double height =
      free_height ? INFINITY : canvas->height * canvas->dpi - canvas->top - canvas->bottom;
  choose_across(clock, width, height, em);
  if (free_height)
    canvas->height = (canvas->top + canvas->bottom + fmax(0, grid_height(clock))) / canvas->dpi;
  code = canvas_set_panel(canvas, error);
  if (code) return code;
  if (!(clock->radius >= 2 * em))
    return error_set(error, ERROR_INPUT, "figure of %.2f x %.2f in is too small for %zu dials",
                     canvas->width, canvas->height, clock->dials);
  /* The bar is as high as the dials, without the captions below. */
  canvas->panel_height = grid_height(clock) - clock->caption;
  return OK;
}

/* The middle of a dial, dots from the left and from the top. */
static void dial_middle(const struct clock *clock, size_t dial, double *x, double *y) {
  const struct canvas *canvas = &clock->canvas;
  const double across = (double)clock->across, wide = 2 * clock->radius + clock->gap,
               high = 2 * clock->radius + clock->caption + clock->gap;
  const double spare = canvas->panel_width - (across * wide - clock->gap);
  const size_t row = dial / clock->across;
  *x = canvas->left + floor(spare / 2) + (double)(dial % clock->across) * wide + clock->radius;
  *y = canvas->top + (double)row * high + clock->radius;
}

/* "position 100", or the number alone where that is too long. */
static int assign_captions(struct clock *clock, struct error *error) {
  struct canvas *canvas = &clock->canvas;
  const double points = canvas->style.tick_size, room = 2 * clock->radius + clock->gap;
  fprintf(canvas->script,
          "dials = %zu\narray dial_text[%zu]\narray dial_x[%zu]\narray dial_y[%zu]\n", clock->dials,
          clock->dials, clock->dials, clock->dials);
  int code = OK;
  for (size_t d = 0; d < clock->dials && !code; d++) {
    char text[64], variable[32];
    double x, y;
    snprintf(text, sizeof text, "position %.17g", clock->position[d]);
    const bool whole = canvas_text_width(canvas, text, points) <= room;
    dial_middle(clock, d, &x, &y);
    canvas_assign_element(canvas, "dial", "x", d + 1, canvas_x(canvas, x));
    canvas_assign_element(canvas, "dial", "y", d + 1,
                          canvas_y(canvas, y + clock->radius + 0.55 * clock->caption));
    snprintf(variable, sizeof variable, "dial_text[%zu]", d + 1);
    code = canvas_assign_text(
        canvas, variable,
        &(struct canvas_text){"caption", whole ? text : strchr(text, ' ') + 1, points, room, 1},
        error);
  }
  return code;
}

/* Circles; tics, longer at the quarters of a turn; hands with their colours; and the bar. Heights
   are counted from the bottom. */
static int write_data(const struct clock *clock, struct blob *data, struct error *error) {
  enum { TICS = 24, QUARTER = TICS / 4 };
  const struct canvas *canvas = &clock->canvas;
  const double sheet = round(canvas->height * canvas->dpi);
  FILE *out = open_memstream(&data->data, &data->size);
  if (!out) return error_set(error, ERROR_FAILED, "no memory for the hands of dials");
  double x, y;
  for (size_t d = 0; d < clock->dials; d++) {
    dial_middle(clock, d, &x, &y);
    fprintf(out, "%.9g %.9g %.9g\n", x, sheet - y, clock->radius);
  }
  fputs("\n\n", out);
  for (size_t i = 0; i < clock->dials * TICS; i++) {
    const double turn = 2 * M_PI * (double)(i % TICS) / TICS;
    const double size = clock->radius * (i % QUARTER ? 0.03 : 0.07);
    dial_middle(clock, i / TICS, &x, &y);
    fprintf(out, "%.9g %.9g %.9g %.9g\n", x + clock->radius * sin(turn),
            sheet - y + clock->radius * cos(turn), -size * sin(turn), -size * cos(turn));
  }
  fputs("\n\n", out);
  for (size_t h = 0; h < clock->hands; h++) {
    const struct hand *hand = &clock->hand[h];
    const double part = clock->pairs > 1 ? (double)hand->rank / (double)(clock->pairs - 1) : 0;
    const double size = clock->radius * (longest + part * (shortest - longest));
    const uint32_t rgb =
        palette_entry(&clock->palette, colour_index(&clock->bar.scale, hand->pair));
    dial_middle(clock, hand->dial, &x, &y);
    fprintf(out, "%.9g %.9g %.9g %.9g %u\n", x, sheet - y, size * sin(hand->angle),
            size * cos(hand->angle), rgb);
  }
  fputs("\n\n", out);
  for (int i = 0; i < 2 * PALETTE_SIZE; i++)
    fprintf(out, "%d %d %.17g\n", i % 2, i / 2, colour_value(&clock->bar.scale, i / 2));
  if (fclose(out) == 0) return OK;
  free(data->data);
  return error_set(error, ERROR_FAILED, "no memory for the hands of dials");
}

/* Thinner where there are many. */
static double hand_width(const struct clock *clock) {
  const double crowd = sqrt(12 / (double)clock->pairs);
  return clock->canvas.style.line_width * fmin(1.2, fmax(0.45, crowd));
}

static int draw(struct clock *clock, const struct figure_options *options, struct figure *figure,
                struct error *error) {
  struct canvas *canvas = &clock->canvas;
  struct blob data;
  int code = set_colours(clock, options->palette, error);
  if (!code) code = lay_out(clock, error);
  if (code) return code;
  canvas_assign_sheet(canvas);
  canvas_assign(canvas, "hand_width", hand_width(clock));
  fputs("bar_data = 'index 3 using 1:2:3'\n", canvas->script);
  palette_assign(canvas, &clock->palette, false);
  code = assign_captions(clock, error);
  if (!code) code = colour_bar_assign(canvas, &clock->bar, error);
  if (!code) code = write_data(clock, &data, error);
  return code ? code : canvas_draw(canvas, "sheet clock bar", data, figure, error);
}

int figure_draw_clock(const struct table *table, const struct clock_plot *plot,
                      const struct figure_options *options, enum figure_format format,
                      const char *name, struct figure *figure, struct error *error) {
  *figure = (struct figure){0};
  struct clock *clock = memory_array(1, sizeof *clock, "a figure", error);
  if (!clock) return ERROR_FAILED;
  int code = canvas_open(options, format, name, &(struct canvas_labels){plot->title, NULL, NULL},
                         &clock->canvas, error);
  clock->canvas.xlabel = clock->canvas.ylabel = ""; /* there are no axes */
  if (!code) code = collect(clock, table, plot, error);
  if (!code) code = draw(clock, options, figure, error);
  free(clock->hand);
  free(clock->pair);
  canvas_release(&clock->canvas);
  free(clock);
  return code;
}

#include "lib/figure/legend.h"

#include <math.h>
#include <string.h>

/* Parts of an entry in sizes of the text: the sample, a short one beside the panel, and what lies
   between it and the text. */
static const double sample_ems = 2.4, short_ems = 1.4, gap_ems = 0.5, between_ems = 1.2;
/* Between the panel and entries beside it. */
static const double beside_ems = 0.8;
/* Between the series and the other entries, in heights of one. */
static const double between_kinds = 0.4;

static double sample_width(const struct legend *legend) {
  return legend->beside ? short_ems : sample_ems;
}

static const struct corner {
  const char *name;
  bool right, bottom;
} corners[] = {
    {"top-right", true, false},
    {"top-left", false, false},
    {"bottom-right", true, true},
    {"bottom-left", false, true},
};
enum { CORNERS = sizeof corners / sizeof corners[0] };

const char *legend_place_at(size_t index) {
  static const char *const others[] = {"auto", "none", "above", "direct"};
  enum { OTHERS = sizeof others / sizeof others[0] };
  if (index < OTHERS) return others[index];
  return index - OTHERS < CORNERS ? corners[index - OTHERS].name : NULL;
}

int legend_check(const char *place, struct error *error) {
  for (size_t i = 0; legend_place_at(i); i++)
    if (!strcmp(place, legend_place_at(i))) return OK;
  return error_set(
      error, ERROR_INPUT,
      "unknown place '%s' for the legend; one of auto, none, above, direct, top-right, top-left, "
      "bottom-right, bottom-left",
      place);
}

static bool has_kinds(const struct legend *legend) {
  return legend->series && legend->series < legend->count;
}

static size_t rows_of(size_t count, size_t across) {
  return (count + across - 1) / across;
}

/* Rows of all entries, `across` in a row, in heights of one. */
static double rows_in_all(const struct legend *legend, size_t across) {
  if (!has_kinds(legend)) return (double)rows_of(legend->count, across);
  return between_kinds + (double)(rows_of(legend->series, across) +
                                  rows_of(legend->count - legend->series, across));
}

/* Where an entry stands: the rows above it, and the entries to its left. */
static double place_of(const struct legend *legend, size_t index, size_t *left) {
  if (!has_kinds(legend) || index < legend->series) {
    const size_t above = index / legend->across;
    *left = index % legend->across;
    return (double)above;
  }
  const size_t behind = index - legend->series;
  const size_t above = rows_of(legend->series, legend->across) + behind / legend->across;
  *left = behind % legend->across;
  return between_kinds + (double)above;
}

/* Size of an entry: the widest text, but no wider than the panel. */
static void measure(const struct canvas *canvas, struct legend *legend) {
  const double points = canvas->style.tick_size, em = canvas_points(canvas, points);
  double text = 0;
  for (size_t i = 0; i < legend->count; i++)
    text = fmax(text, canvas_text_width(canvas, legend->entry[i].text, points));
  const double most = 0.95 * canvas->panel_width - (sample_ems + gap_ems) * em;
  legend->width = (sample_ems + gap_ems) * em + fmin(text, most);
  legend->height = canvas_line(canvas, points);
}

bool legend_place_inside(const struct canvas *canvas, const char *place, const struct cover *cover,
                         struct legend *legend) {
  measure(canvas, legend);
  legend->across = 1;
  const double edge = canvas_points(canvas, 0.7 * canvas->style.tick_size);
  const double width = legend->width, height = legend->height * rows_in_all(legend, 1);
  if (width + 2 * edge > canvas->panel_width ||
      height + 2 * edge > canvas->panel_height - legend->inset)
    return false;
  for (size_t i = 0; i < CORNERS; i++) {
    const double x =
        corners[i].right ? canvas->left + canvas->panel_width - width - edge : canvas->left + edge;
    const double y = corners[i].bottom ? canvas->top + canvas->panel_height - height - edge
                                       : canvas->top + legend->inset + edge;
    const bool asked = !strcmp(place, corners[i].name);
    if (!asked &&
        (strcmp(place, "auto") ||
         !cover_is_free(canvas, cover,
                        &(struct box){x - edge, y - edge, width + 2 * edge, height + 2 * edge})))
      continue;
    legend->x = x;
    legend->y = y;
    return true;
  }
  return false;
}

static double rows_above(const struct canvas *canvas, struct legend *legend) {
  measure(canvas, legend);
  const double between = canvas_points(canvas, between_ems * canvas->style.tick_size);
  const double fit = floor((canvas->panel_width + between) / (legend->width + between));
  const size_t others = legend->count - legend->series;
  const size_t most = legend->series > others ? legend->series : others;
  legend->across = fit < 1 ? 1 : fit > (double)most ? most : (size_t)fit;
  const double rows = rows_in_all(legend, legend->across);
  /* Of four entries two and two, not three and one. */
  while (legend->across > 1 && rows_in_all(legend, legend->across - 1) <= rows)
    legend->across--;
  return rows;
}

double legend_height_above(const struct canvas *canvas, struct legend *legend) {
  return legend->height * (rows_above(canvas, legend) + 0.5);
}

void legend_place_above(const struct canvas *canvas, struct legend *legend) {
  const double between = canvas_points(canvas, between_ems * canvas->style.tick_size);
  const double rows = rows_above(canvas, legend);
  const double width = (legend->width + between) * (double)legend->across - between;
  legend->width += between;
  legend->x = canvas->left + (canvas->panel_width - width) / 2;
  legend->y = canvas->top - legend->height * (rows + 0.35);
}

/* Beside the panel a circle were one more point: there words say what the points look like. */
static bool has_words(const struct legend *legend, const struct legend_entry *entry) {
  return legend->beside && entry->kind == TRACE_POINTS;
}

enum { ENTRY_TEXT = 512 };
static void write_text(const struct legend_entry *entry, bool words, char text[ENTRY_TEXT]) {
  snprintf(text, ENTRY_TEXT, "%s%s", words ? "circles: " : "", entry->text);
}

double legend_width_beside(const struct canvas *canvas, struct legend *legend) {
  const double em = canvas_points(canvas, canvas->style.tick_size);
  measure(canvas, legend);
  legend->width -= (sample_ems - short_ems) * em;
  for (size_t i = 0; i < legend->count; i++) {
    char text[ENTRY_TEXT];
    if (legend->entry[i].kind != TRACE_POINTS) continue;
    write_text(&legend->entry[i], true, text);
    legend->width = fmax(legend->width, canvas_text_width(canvas, text, canvas->style.tick_size));
  }
  return legend->width + (beside_ems + 0.1) * em;
}

bool legend_place_beside(const struct canvas *canvas, struct legend *legend) {
  const double line = legend->height, count = (double)legend->count;
  const double top = canvas->top, bottom = canvas->top + canvas->panel_height;
  size_t order[LEGEND_MOST];
  if (count * line > bottom - top + line) return false;
  for (size_t i = 0; i < legend->count; i++) {
    size_t at = i;
    for (; at > 0 && legend->entry[order[at - 1]].end > legend->entry[i].end; at--)
      order[at] = order[at - 1];
    order[at] = i;
  }
  /* Down where the one above stands, then up where the panel ends. */
  double next = top;
  for (size_t i = 0; i < legend->count; i++) {
    struct legend_entry *entry = &legend->entry[order[i]];
    entry->end = fmax(entry->end, next);
    next = entry->end + line;
  }
  next = bottom;
  for (size_t i = legend->count; i-- > 0;) {
    struct legend_entry *entry = &legend->entry[order[i]];
    entry->end = fmin(entry->end, next);
    next = entry->end - line;
  }
  legend->beside = true;
  legend->across = 1;
  legend->x = canvas->left + canvas->panel_width +
              beside_ems * canvas_points(canvas, canvas->style.tick_size);
  return true;
}

/* One entry that begins at x, with its middle at y. */
static int assign_entry(struct canvas *canvas, const struct legend *legend, size_t index, double x,
                        double y, struct error *error) {
  const struct legend_entry *entry = &legend->entry[index];
  const double em = canvas_points(canvas, canvas->style.tick_size);
  const bool words = has_words(legend, entry);
  const double sample = sample_width(legend) * em, before = words ? 0 : sample + gap_ems * em;
  const size_t i = index + 1;
  char variable[32], text[ENTRY_TEXT];
  snprintf(variable, sizeof variable, "key_text[%zu]", i);
  write_text(entry, words, text);
  const int code = canvas_assign_text(canvas, variable,
                                      &(struct canvas_text){"legend", text, canvas->style.tick_size,
                                                            legend->width - before + 0.1 * em, 1},
                                      error);
  fprintf(canvas->script, "key_kind[%zu] = %d; key_colour[%zu] = %d; key_dash[%zu] = %d\n", i,
          words ? -1 : (int)entry->kind, i, entry->colour, i, entry->dash);
  fprintf(canvas->script, "key_marker[%zu] = %d; key_over[%zu] = %d\n", i, entry->marker, i,
          entry->over);
  fprintf(canvas->script,
          "key_left[%zu] = %.6g; key_right[%zu] = %.6g; key_x[%zu] = %.6g; key_y[%zu] = %.6g\n", i,
          canvas_x(canvas, x), i, canvas_x(canvas, x + sample), i, canvas_x(canvas, x + before), i,
          canvas_y(canvas, y));
  fprintf(canvas->script, "key_up[%zu] = %.6g\n", i,
          canvas_y(canvas, y - 0.3 * legend->height) - canvas_y(canvas, y));
  return code;
}

int legend_assign(struct canvas *canvas, const struct legend *legend, struct error *error) {
  fprintf(canvas->script, "keys = %zu\n", legend->count);
  static const char *const arrays[] = {"text", "kind", "colour", "dash",   "left", "right",
                                       "x",    "y",    "up",     "marker", "over"};
  for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
    fprintf(canvas->script, "array key_%s[%zu]\n", arrays[i], legend->count ? legend->count : 1);
  int code = OK;
  for (size_t i = 0; i < legend->count && !code; i++) {
    size_t left;
    const double row = place_of(legend, i, &left);
    const double x = legend->x + legend->width * (double)left;
    const double y =
        legend->beside ? legend->entry[i].end : legend->y + legend->height * (row + 0.5);
    code = assign_entry(canvas, legend, i, x, y, error);
  }
  return code;
}

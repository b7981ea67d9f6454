#include "lib/figure/canvas.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/memory.h"
#include "lib/figure/lettering.h"

/* Cairo's limit for the side of a picture. */
static const double largest_side = 32767;

/* Of a tic outside of the panel, points. */
static const double tic_length = 3;

/* SVG has its own dots, 96 to an inch. */
static const double svg_dpi = 96;

/* The name goes into an option string of gnuplot ("NAME,SIZE") and into attributes of an SVG file.
 */
static int check_font(const char *font, struct error *error) {
  for (const char *c = font; *c; c++)
    if (!isalnum((unsigned char)*c) && !strchr(" ._-", *c) && !((unsigned char)*c & 0x80))
      return error_set(
          error, ERROR_INPUT,
          "font '%s' has the character '%c'; a font's name has letters, digits, blanks, . _ "
          "and -",
          font, *c);
  return OK;
}

static int check_size(const char *what, double value, double low, double high, const char *unit,
                      struct error *error) {
  if (value >= low && value <= high) return OK;
  return error_set(error, ERROR_INPUT, "%s of %g %s is not possible; from %g to %g", what, value,
                   unit, low, high);
}

/* TeX includes the PDF by this name. */
static int check_tex_name(const char *name, struct error *error) {
  for (const char *c = name; *c; c++)
    if (!isalnum((unsigned char)*c) && !strchr("._+-=,@ ", *c) && !((unsigned char)*c & 0x80))
      return error_set(
          error, ERROR_INPUT,
          "TeX cannot include a file named '%s'; use letters, digits, blanks and . _ + - = , @",
          name);
  return OK;
}

static int override_style(const struct figure_options *options, struct canvas *canvas,
                          struct error *error) {
  struct style *style = &canvas->style;
  int code = style_find(options->style ? options->style : "default", style, error);
  if (code) return code;
  if (options->font) {
    if ((code = check_font(options->font, error))) return code;
    if (snprintf(style->font, sizeof style->font, "%s", options->font) >= (int)sizeof style->font)
      return error_set(error, ERROR_INPUT, "font '%s' has a name longer than %zu bytes",
                       options->font, sizeof style->font - 1);
  }
  if (options->font_size > 0) {
    style->tick_size *= options->font_size / style->font_size;
    style->font_size = options->font_size;
  }
  if (options->dpi > 0) style->dpi = options->dpi;
  canvas->fixed_dpi = options->dpi > 0;
  canvas->width = options->width > 0 ? options->width : style->width;
  canvas->height = options->height > 0 ? options->height : 0;
  code = check_size("font size", style->font_size, 1, 200, "pt", error);
  if (!code) code = check_size("resolution", style->dpi, 20, 4800, "dpi", error);
  return code;
}

static const char *label(const char *asked, const char *own) {
  return asked ? asked : own ? own : "";
}

static int set_letter(const char *letter, struct canvas *canvas, struct error *error) {
  const int code = figure_letter_check(letter, error);
  if (!code) snprintf(canvas->letter, sizeof canvas->letter, "(%s)", letter);
  return code;
}

int canvas_open(const struct figure_options *options, enum figure_format format, const char *name,
                const struct canvas_labels *labels, struct canvas *canvas, struct error *error) {
  *canvas = (struct canvas){.format = format,
                            .name = name,
                            .dark = options->dark,
                            .title = label(options->title, labels->title),
                            .xlabel = label(options->xlabel, labels->xlabel),
                            .ylabel = label(options->ylabel, labels->ylabel)};
  int code = override_style(options, canvas, error);
  if (!code && options->letter) code = set_letter(options->letter, canvas, error);
  if (!code && format == FIGURE_TEX) code = check_tex_name(name, error);
  if (code) return code;
  canvas->dpi = format == FIGURE_SVG ? svg_dpi : canvas->style.dpi;
  /* Which font the readers of an SVG have nobody knows, nor the one of a document. */
  canvas->letter_width =
      format == FIGURE_PNG || format == FIGURE_PDF ? figure_font_width(canvas->style.font) : 1;
  canvas->script = open_memstream(&canvas->text, &canvas->size);
  return canvas->script ? OK : error_set(error, ERROR_FAILED, "no memory for a gnuplot script");
}

void canvas_release(struct canvas *canvas) {
  if (canvas->script) fclose(canvas->script);
  free(canvas->text);
  canvas->script = NULL;
  canvas->text = NULL;
}

double canvas_points(const struct canvas *canvas, double points) {
  return points * canvas->dpi / 72;
}

double canvas_line(const struct canvas *canvas, double points) {
  return canvas_points(canvas, 1.3 * points);
}

double canvas_text_width(const struct canvas *canvas, const char *text, double points) {
  return canvas_points(canvas, points * canvas->letter_width * lettering_width(text, strlen(text)));
}

double canvas_ems(const struct canvas *canvas, double dots, double points) {
  return dots / canvas_points(canvas, points * canvas->letter_width);
}

size_t canvas_count_lines(const struct canvas *canvas, const char *text, double dots, double points,
                          size_t most) {
  return lettering_count(text, canvas_ems(canvas, dots, points), most);
}

static size_t labelled(const struct tics *tics) {
  size_t count = 0;
  for (size_t i = 0; i < tics->count; i++)
    count += *tics->item[i].label != '\0';
  return count;
}

bool canvas_tics_fit_across(const struct canvas *canvas, const struct tics *tics, double length) {
  const double each = canvas_points(canvas, (tics_width(tics) + 1.5) * canvas->style.tick_size);
  return (double)labelled(tics) * each <= length;
}

bool canvas_tics_fit_down(const struct canvas *canvas, const struct tics *tics, double length) {
  return (double)labelled(tics) * canvas_points(canvas, 2.4 * canvas->style.tick_size) <= length;
}

/* gnuplot puts the numbers of the y axis one character, those of the x axis one line beside the
   tics, in the size of the labels. */
static double gap_beside(const struct canvas *canvas) {
  return canvas_points(canvas, tic_length + 0.58 * canvas->style.font_size);
}

static double gap_below(const struct canvas *canvas) {
  return canvas_points(canvas,
                       tic_length + 0.85 * canvas->style.font_size - 0.5 * canvas->style.tick_size);
}

double canvas_edge(const struct canvas *canvas) {
  return canvas_points(canvas, 2);
}

/* Of the title, and the letter beside its first. */
static size_t title_lines(const struct canvas *canvas) {
  const size_t lines = canvas_count_lines(canvas, canvas->title, canvas_title_room(canvas),
                                          canvas->style.font_size, CANVAS_TITLE_LINES);
  return *canvas->letter && !lines ? 1 : lines;
}

/* The y axis' label may fill two lines of the sheet's height, one where that is not decided. */
static size_t count_ylabel_lines(const struct canvas *canvas) {
  if (!(canvas->height > 0)) return *canvas->ylabel != '\0';
  return canvas_count_lines(canvas, canvas->ylabel, canvas_ylabel_room(canvas),
                            canvas->style.font_size, 2);
}

double canvas_title_room(const struct canvas *canvas) {
  const double size = canvas->style.font_size,
               letter = canvas_text_width(canvas, canvas->letter, size);
  const double beside = *canvas->letter ? letter + canvas_points(canvas, 0.5 * size) : 0;
  return fmax(0, canvas->width * canvas->dpi - canvas_points(canvas, 8) - 2 * beside);
}

/* Whether a title, in the middle of the sheet or right of it, may reach over two lines of the y
   axis' label. */
static bool title_reaches_ylabel(const struct canvas *canvas) {
  const double size = canvas->style.font_size, edge = canvas_edge(canvas);
  const double beside = edge + 2.3 * canvas_line(canvas, size);
  const double width =
      fmin(canvas_text_width(canvas, canvas->title, size), canvas_title_room(canvas));
  return width > canvas->width * canvas->dpi - 2 * beside;
}

double canvas_ylabel_room(const struct canvas *canvas) {
  const double line = canvas_line(canvas, canvas->style.font_size);
  double above = *canvas->letter ? line : 0;
  if (title_reaches_ylabel(canvas)) above = line * (double)title_lines(canvas);
  return canvas->height * canvas->dpi - 2 * canvas_edge(canvas) - above;
}

int canvas_set_margins(struct canvas *canvas, double y_tics_ems, double x_end_ems,
                       double right_extra, double top_extra, struct error *error) {
  const double line = canvas_line(canvas, canvas->style.font_size);
  const double tick = canvas_points(canvas, canvas->style.tick_size), outer = canvas_edge(canvas);
  if (!canvas->script) return error_set(error, ERROR_FAILED, "no sheet to draw on");
  canvas->ylabel_lines = count_ylabel_lines(canvas);
  const double ylabel = (double)canvas->ylabel_lines;
  canvas->left = ceil(outer + (ylabel > 0 ? (ylabel + 0.3) * line : 0) + tick * y_tics_ems +
                      gap_beside(canvas));
  canvas->bottom =
      ceil(outer + (*canvas->xlabel ? 1.1 * line : 0) + 1.1 * tick + gap_below(canvas));
  const double title = line * (double)title_lines(canvas);
  canvas->top = ceil(outer + (title > 0 ? title + 0.25 * line : 0) + top_extra +
                     (title + top_extra > 0 ? 0 : 0.5 * tick));
  canvas->spare_left = canvas->spare_bottom = 0;
  canvas->right = ceil(outer + fmax(right_extra, 0.5 * tick * x_end_ems));
  return OK;
}

int canvas_set_panel(struct canvas *canvas, struct error *error) {
  const double width = round(canvas->width * canvas->dpi),
               height = round(canvas->height * canvas->dpi);
  if (!(width <= largest_side && height <= largest_side))
    return error_set(error, ERROR_INPUT,
                     "picture of %.0f x %.0f pixels is too large; at most %.0f a side", width,
                     height, largest_side);
  canvas->panel_width = width - canvas->left - canvas->right;
  canvas->panel_height = height - canvas->top - canvas->bottom;
  const double least = canvas_points(canvas, 3 * canvas->style.font_size);
  if (!(canvas->panel_width >= least && canvas->panel_height >= least)) {
    const double lack_x = fmax(0, least - canvas->panel_width) / canvas->dpi,
                 lack_y = fmax(0, least - canvas->panel_height) / canvas->dpi;
    return error_set(
        error, ERROR_INPUT,
        "figure of %.2f x %.2f in is too small for its labels in %g pt; at least %.2f x %.2f in",
        canvas->width, canvas->height, canvas->style.font_size, canvas->width + lack_x + 0.005,
        canvas->height + lack_y + 0.005);
  }
  return memory_require((uint64_t)width, (uint64_t)(4 * height), "a picture", error);
}

double canvas_page_points(double inches) {
  return ceil(inches * 72 - 1e-6);
}

/* gnuplot counts the corners of a picture of n pixels from 0 to n − 1 and puts the middle of the
   first pixel at 0, hence the half: with it a panel's edges fall between pixels. Fractions of 1/200
   pixel are cut off, which the 1e-5 keeps from taking one too many. */
static double screen(const struct canvas *canvas, double dots, double inches) {
  const double side = round(inches * canvas->dpi);
  if (canvas->format == FIGURE_PNG) return (dots - 0.5 + 1e-5) / (side - 1);
  if (canvas->format == FIGURE_SVG) return dots / side;
  return dots / side * (inches * 72) / canvas_page_points(inches);
}

double canvas_x(const struct canvas *canvas, double dots) {
  return screen(canvas, dots, canvas->width);
}

double canvas_y(const struct canvas *canvas, double dots) {
  return screen(canvas, round(canvas->height * canvas->dpi) - dots, canvas->height);
}

void canvas_assign(struct canvas *canvas, const char *variable, double value) {
  fprintf(canvas->script, "%s = %.17g\n", variable, value);
}

/* One line of text as gnuplot is to get it: for TeX with its size and its specials escaped. */
static int write_line(struct canvas *canvas, const char *text, size_t size, const char *tail,
                      double points, struct error *error) {
  char *line = NULL, *literal;
  size_t length;
  FILE *out = open_memstream(&line, &length);
  if (!out) return error_set(error, ERROR_FAILED, "no memory for a text");
  if (canvas->format == FIGURE_TEX) {
    fprintf(out, "\\fontsize{%g}{%g}\\selectfont ", points, 1.2 * points);
    lettering_write_tex(out, text, size);
    lettering_write_tex(out, tail, strlen(tail));
  } else {
    fprintf(out, "%.*s%s", (int)size, text, tail);
  }
  fclose(out);
  const int code = gnuplot_literal(line, &literal, error);
  free(line);
  if (code) return code;
  fputs(literal, canvas->script);
  free(literal);
  return OK;
}

int canvas_assign_text(struct canvas *canvas, const char *variable, const struct canvas_text *text,
                       struct error *error) {
  char *literal;
  const char *left = text->text;
  int code = gnuplot_literal(left, &literal, error);
  if (code) {
    error_prefix(error, "%s", text->what);
    return code;
  }
  free(literal);
  fprintf(canvas->script, "%s = ", variable);
  if (!*left) fputs("''", canvas->script);
  double ems = canvas_ems(canvas, text->width, text->points);
  if (lettering_count(left, ems, text->lines + 1) <= text->lines) ems = lettering_even(left, ems);
  for (size_t n = 1; *left && !code; n++) {
    size_t size = lettering_line(left, ems);
    const bool cut = n == text->lines && left[size];
    if (cut) size = lettering_line(left, ems - 1);
    if (cut && !canvas->cut) canvas->cut = text->what;
    code = write_line(canvas, left, size, cut ? "…" : "", text->points, error);
    left += size;
    left += strspn(left, " ");
    if (cut) break;
    if (*left && !code) fputs(" . \"\\n\" . ", canvas->script);
  }
  fputc('\n', canvas->script);
  return code;
}

int canvas_assign_tics(struct canvas *canvas, char axis, const struct tics *tics,
                       struct error *error) {
  fprintf(canvas->script, "set %ctics (", axis);
  int code = OK;
  for (size_t i = 0; i < tics->count && !code; i++) {
    const struct tic *tic = &tics->item[i];
    if (i) fputs(", ", canvas->script);
    if (*tic->label)
      code = write_line(canvas, tic->label, strlen(tic->label), "", canvas->style.tick_size, error);
    else
      fputs("''", canvas->script);
    fprintf(canvas->script, " %.17g %d", tic->at, *tic->label ? 0 : 1);
  }
  fputs(")\n", canvas->script);
  return code;
}

int canvas_assign_tics_array(struct canvas *canvas, char axis, const struct tics *tics,
                             double width, struct error *error) {
  const size_t count = tics->count ? tics->count : 1;
  fprintf(canvas->script,
          "%c_tics = %zu\narray %c_tic_at[%zu]\narray %c_tic_level[%zu]\narray %c_tic_text[%zu]\n",
          axis, tics->count, axis, count, axis, count, axis, count);
  int code = OK;
  for (size_t i = 0; i < tics->count && !code; i++) {
    const struct tic *tic = &tics->item[i];
    char variable[48];
    fprintf(canvas->script, "%c_tic_at[%zu] = %.17g; %c_tic_level[%zu] = %d\n", axis, i + 1,
            tic->at, axis, i + 1, *tic->label ? 0 : 1);
    snprintf(variable, sizeof variable, "%c_tic_text[%zu]", axis, i + 1);
    code = canvas_assign_text(
        canvas, variable,
        &(struct canvas_text){"number", tic->label, canvas->style.tick_size, width, 1}, error);
  }
  return code;
}

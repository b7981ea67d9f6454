#include "lib/figure/canvas.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/memory.h"
#include "lib/figure/asset.h"
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

int canvas_open(const struct figure_options *options, enum figure_format format, const char *name,
                const struct canvas_labels *labels, struct canvas *canvas, struct error *error) {
  *canvas = (struct canvas){.format = format,
                            .name = name,
                            .dark = options->dark,
                            .title = label(options->title, labels->title),
                            .xlabel = label(options->xlabel, labels->xlabel),
                            .ylabel = label(options->ylabel, labels->ylabel)};
  int code = override_style(options, canvas, error);
  if (!code && format == FIGURE_TEX) code = check_tex_name(name, error);
  if (code) return code;
  canvas->dpi = format == FIGURE_SVG ? svg_dpi : canvas->style.dpi;
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
  return canvas_points(canvas, points * lettering_width(text, strlen(text)));
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

/* Free dots at the edges of the sheet. */
static double edge(const struct canvas *canvas) {
  return canvas_points(canvas, 2);
}

/* How many lines a title of the sheet's width takes: at most three. */
static size_t title_lines(const struct canvas *canvas) {
  const double ems = (canvas->width * 72 - 8) / canvas->style.font_size;
  size_t lines = 0;
  for (const char *text = canvas->title; *text && lines < 3; lines++) {
    text += lettering_line(text, ems);
    text += strspn(text, " ");
  }
  return lines;
}

int canvas_set_margins(struct canvas *canvas, double y_tics_ems, double x_end_ems,
                       double right_extra, double top_extra, struct error *error) {
  const double line = canvas_line(canvas, canvas->style.font_size);
  const double tick = canvas_points(canvas, canvas->style.tick_size), outer = edge(canvas);
  if (!canvas->script) return error_set(error, ERROR_FAILED, "no sheet to draw on");
  canvas->left =
      ceil(outer + (*canvas->ylabel ? 1.3 * line : 0) + tick * y_tics_ems + gap_beside(canvas));
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
                     "picture of %.0f × %.0f pixels is too large; at most %.0f a side", width,
                     height, largest_side);
  canvas->panel_width = width - canvas->left - canvas->right;
  canvas->panel_height = height - canvas->top - canvas->bottom;
  const double least = canvas_points(canvas, 3 * canvas->style.font_size);
  if (!(canvas->panel_width >= least && canvas->panel_height >= least)) {
    const double lack_x = fmax(0, least - canvas->panel_width) / canvas->dpi,
                 lack_y = fmax(0, least - canvas->panel_height) / canvas->dpi;
    return error_set(
        error, ERROR_INPUT,
        "figure of %.2f × %.2f in is too small for its labels in %g pt; at least %.2f × %.2f in",
        canvas->width, canvas->height, canvas->style.font_size, canvas->width + lack_x + 0.005,
        canvas->height + lack_y + 0.005);
  }
  return memory_require((uint64_t)width, (uint64_t)(4 * height), "a picture", error);
}

/* gnuplot counts the corners of a picture of n pixels from 0 to n − 1 and puts the middle of the
   first pixel at 0, hence the half: with it a panel's edges fall between pixels. Fractions of 1/200
   pixel are cut off, which the 1e-5 keeps from taking one too many. */
static double screen(const struct canvas *canvas, double dots, double inches) {
  const double side = round(inches * canvas->dpi);
  return canvas->format == FIGURE_PNG ? (dots - 0.5 + 1e-5) / (side - 1) : dots / side;
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
  const double ems = text->width / canvas_points(canvas, text->points);
  for (size_t n = 1; *left && !code; n++) {
    size_t size = lettering_line(left, ems);
    const bool cut = n == text->lines && left[size];
    if (cut) size = lettering_line(left, ems - 1);
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

/* How each format is asked for. */
static const struct {
  const char *name, *options;
  double fontscale; /* of true points at 72 dpi; gnuplot thinks in 96 */
  double linewidth; /* of true points */
  bool by_dots;     /* both grow with dpi/72, and the size is in dots */
} terminals[] = {
    [FIGURE_PNG] = {"pngcairo", "noenhanced rounded dashlength 0.5", 0.75, 1, true},
    [FIGURE_PDF] = {"pdfcairo", "noenhanced rounded dashlength 0.5", 0.75, 2, false},
    [FIGURE_SVG] = {"svg", "noenhanced rounded fixed dashlength 0.5", 1, 1, true},
    [FIGURE_TEX] = {"cairolatex", "pdf input colortext rounded dashlength 0.5", 0.75, 2, false},
};

static void write_terminal(const struct canvas *canvas, const char *paper, FILE *out) {
  const double scale = terminals[canvas->format].by_dots ? canvas->dpi / 72 : 1;
  fprintf(out, "set terminal %s %s size ", terminals[canvas->format].name,
          terminals[canvas->format].options);
  if (terminals[canvas->format].by_dots)
    fprintf(out, "%.0f,%.0f", round(canvas->width * canvas->dpi),
            round(canvas->height * canvas->dpi));
  else
    fprintf(out, "%.6gin,%.6gin", canvas->width, canvas->height);
  if (canvas->format != FIGURE_TEX)
    fprintf(out, " font '%s,%g'", canvas->style.font, canvas->style.font_size);
  fprintf(out, " fontscale %.6g linewidth %.6g", scale * terminals[canvas->format].fontscale,
          scale * terminals[canvas->format].linewidth);
  /* A page of TeX is white already. */
  if (canvas->format != FIGURE_TEX || canvas->dark) fprintf(out, " background rgb '%s'", paper);
  fputc('\n', out);
}

/* Panel, labels and their places. */
static int write_frame(struct canvas *canvas, struct error *error) {
  const double fudge =
      canvas->format == FIGURE_PNG ? 0.02 : 0; /* keeps the last pixel in the panel */
  const double right = canvas->left + canvas->panel_width,
               below = canvas->top + canvas->panel_height;
  const double width = round(canvas->width * canvas->dpi),
               height = round(canvas->height * canvas->dpi);
  const double line = canvas_line(canvas, canvas->style.font_size), outer = edge(canvas);
  canvas_assign(canvas, "panel_left", canvas_x(canvas, canvas->left));
  canvas_assign(canvas, "panel_right", canvas_x(canvas, right + fudge));
  canvas_assign(canvas, "panel_bottom", canvas_y(canvas, below));
  canvas_assign(canvas, "panel_top", canvas_y(canvas, canvas->top - fudge));
  canvas_assign(canvas, "title_x", canvas_x(canvas, width / 2));
  canvas_assign(canvas, "title_y", canvas_y(canvas, outer + line / 2));
  canvas_assign(canvas, "xlabel_x", canvas_x(canvas, canvas->left + canvas->panel_width / 2));
  canvas_assign(
      canvas, "xlabel_y",
      canvas_y(canvas, below + canvas->bottom - canvas->spare_bottom - outer - 0.55 * line));
  canvas_assign(canvas, "ylabel_x", canvas_x(canvas, canvas->spare_left + outer + 0.55 * line));
  canvas_assign(canvas, "ylabel_y", canvas_y(canvas, canvas->top + canvas->panel_height / 2));
  canvas_assign(canvas, "line_width", canvas->style.line_width);
  /* Of all lengths, pngcairo takes the size of points alone in pixels. */
  const double scale = canvas->format == FIGURE_PNG ? canvas->dpi / 72 : 1;
  canvas_assign(canvas, "point_size", 0.8 * scale);
  canvas_assign(canvas, "marker_size", 0.35 * scale);
  const double size = canvas->style.font_size;
  const struct {
    const char *name, *text;
    double width;
    size_t lines;
  } texts[] = {{"title", canvas->title, width - canvas_points(canvas, 8), 3},
               {"xlabel", canvas->xlabel, width - 2 * outer, 1},
               {"ylabel", canvas->ylabel, height - 2 * outer, 1}};
  int code = OK;
  for (size_t i = 0; i < 3 && !code; i++)
    code = canvas_assign_text(
        canvas, texts[i].name,
        &(struct canvas_text){texts[i].name, texts[i].text, size, texts[i].width, texts[i].lines},
        error);
  fprintf(canvas->script, "label_font = ',%g'\ntic_font = ',%g'\n", size, canvas->style.tick_size);
  return code;
}

/* What the kept script says before the script itself: where its data are. './' keeps gnuplot from
   taking a name for a command. */
static int write_head(const struct canvas *canvas, FILE *out, struct error *error) {
  char *path = NULL, *literal = NULL;
  if (asprintf(&path, "./%s", canvas->name) < 0)
    return error_set(error, ERROR_FAILED, "no memory for a name");
  const int code = gnuplot_literal(path, &literal, error);
  free(path);
  if (code) {
    error_prefix(error, "name of the figure");
    return code;
  }
  fprintf(out,
          "# Draws the figure again; the picture comes on standard output.\ndatafile = %s.'.dat'\n",
          literal);
  if (canvas->format == FIGURE_TEX) fprintf(out, "set output %s.'.tex'\n", literal);
  free(literal);
  return OK;
}

/* Puts the whole script together; `*body` is where the part begins that gnuplot_run wants. */
static int write_script(const struct canvas *canvas, const char *template, struct blob *script,
                        size_t *body, struct error *error) {
  char asset_name[32];
  snprintf(asset_name, sizeof asset_name, "%s.gp", template);
  const struct asset *frame = asset_find("frame.gp"), *look = asset_find(asset_name);
  if (!frame || !look)
    return error_set(error, ERROR_FAILED, "template '%s' is not built in", asset_name);
  FILE *out = open_memstream(&script->data, &script->size);
  if (!out) return error_set(error, ERROR_FAILED, "no memory for a gnuplot script");
  const int code = write_head(canvas, out, error);
  fflush(out);
  *body = script->size;
  const char *paper = canvas->dark ? "#16181d" : "#ffffff",
             *ink = canvas->dark ? "#e8e8e8" : "#000000";
  write_terminal(canvas, paper, out);
  fprintf(out, "ink = '%s'\ntext_rgb = 0x%s\nsoft = '%s'\n", ink, ink + 1,
          canvas->dark ? "#5a5f69" : "#b4b4b4");
  fwrite(canvas->text, 1, canvas->size, out);
  fputs(frame->data, out);
  fputs(look->data, out);
  return fclose(out) ? error_set(error, ERROR_FAILED, "no memory for a gnuplot script") : code;
}

static int correct_svg(const struct canvas *canvas, struct blob *picture, struct error *error) {
  struct blob corrected;
  FILE *out = open_memstream(&corrected.data, &corrected.size);
  if (!out) return error_set(error, ERROR_FAILED, "no memory for a picture");
  lettering_write_svg(out, picture->data, picture->size, canvas->keep_edges);
  const int failed = fclose(out);
  free(picture->data);
  *picture = corrected;
  return failed ? error_set(error, ERROR_FAILED, "no memory for a picture") : OK;
}

int canvas_draw(struct canvas *canvas, const char *template, struct blob data,
                struct figure *figure, struct error *error) {
  size_t body = 0;
  *figure = (struct figure){.data = data, .dpi = canvas->dpi};
  int code = write_frame(canvas, error);
  if (fflush(canvas->script))
    code = error_set(error, ERROR_FAILED, "no memory for a gnuplot script");
  if (!code) code = write_script(canvas, template, &figure->script, &body, error);
  if (!code) {
    const struct gnuplot_job job = {.script = figure->script.data + body,
                                    .data = data.data,
                                    .data_size = data.size,
                                    .terminal = terminals[canvas->format].name,
                                    .tex_graphic = canvas->name};
    code = gnuplot_run(&job, &figure->picture, canvas->format == FIGURE_TEX ? &figure->tex : NULL,
                       error);
  }
  if (!code && canvas->format == FIGURE_SVG) code = correct_svg(canvas, &figure->picture, error);
  if (code) figure_release(figure);
  return code;
}

/* The script of a figure: what canvas.c collected, and the templates that read it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/asset.h"
#include "lib/figure/canvas.h"
#include "lib/figure/lettering.h"
#include "lib/figure/palette.h"
#include "lib/figure/sheet_size.h"

/* How each format is asked for. The unit of dashes in a PNG is twice that of the others; lines of
   cairolatex are half as wide as those of pdfcairo. */
static const struct {
  const char *name, *options;
  double fontscale; /* of true points at 72 dpi; gnuplot thinks in 96 */
  double linewidth; /* of true points */
  bool by_dots;     /* both grow with dpi/72, and the size is in dots */
} terminals[] = {
    [FIGURE_PNG] = {"pngcairo", "noenhanced rounded dashlength 0.5", 0.75, 1, true},
    [FIGURE_PDF] = {"pdfcairo", "noenhanced rounded dashlength 1", 0.75, 2, false},
    [FIGURE_SVG] = {"svg", "noenhanced rounded fixed dashlength 1", 1, 1, true},
    [FIGURE_TEX] = {"cairolatex", "pdf input colortext rounded dashlength 1", 0.75, 4, false},
};

const char *figure_terminal(enum figure_format format) {
  return terminals[format].name;
}

static void write_terminal(const struct canvas *canvas, const char *paper, FILE *out) {
  const double scale = terminals[canvas->format].by_dots ? canvas->dpi / 72 : 1;
  fprintf(out, "set terminal %s %s size ", terminals[canvas->format].name,
          terminals[canvas->format].options);
  if (terminals[canvas->format].by_dots)
    fprintf(out, "%.0f,%.0f", round(canvas->width * canvas->dpi),
            round(canvas->height * canvas->dpi));
  else /* gnuplot cuts off what is not a whole point */
    fprintf(out, "%.9gin,%.9gin", (canvas_page_points(canvas->width) + 1e-3) / 72,
            (canvas_page_points(canvas->height) + 1e-3) / 72);
  /* A document has its own font, but gnuplot places numbers by the size. */
  fprintf(out, " font '%s,%g'", canvas->format == FIGURE_TEX ? "" : canvas->style.font,
          canvas->style.font_size);
  fprintf(out, " fontscale %.6g linewidth %.6g", scale * terminals[canvas->format].fontscale,
          scale * terminals[canvas->format].linewidth);
  /* A page of TeX is white already. */
  if (canvas->format != FIGURE_TEX || canvas->dark) fprintf(out, " background rgb '%s'", paper);
  fputc('\n', out);
}

void canvas_assign_element(struct canvas *canvas, const char *name, const char *part, size_t index,
                           double value) {
  char variable[80], element[24] = "";
  if (index) snprintf(element, sizeof element, "[%zu]", index);
  snprintf(variable, sizeof variable, "%.20s_%.20s%s", name, part, element);
  canvas_assign(canvas, variable, value);
}

void canvas_assign_box(struct canvas *canvas, const char *name, size_t index,
                       const struct box *box) {
  /* Keeps the last pixel in the box. */
  const double fudge = canvas->format == FIGURE_PNG ? 0.02 : 0;
  const struct {
    const char *side;
    double at;
  } sides[] = {{"left", canvas_x(canvas, box->x)},
               {"right", canvas_x(canvas, box->x + box->width + fudge)},
               {"bottom", canvas_y(canvas, box->y + box->height)},
               {"top", canvas_y(canvas, box->y - fudge)}};
  for (size_t i = 0; i < 4; i++)
    canvas_assign_element(canvas, name, sides[i].side, index, sides[i].at);
}

/* Dots at the end of what gnuplot draws on: of the picture, or of its page. gnuplot counts the
   pixels of a PNG from middle to middle. */
static double sheet_end(const struct canvas *canvas, double inches) {
  const double dots = round(inches * canvas->dpi);
  if (canvas->format == FIGURE_PNG) return dots - 0.5;
  if (canvas->format == FIGURE_SVG) return dots;
  return dots * canvas_page_points(inches) / (inches * 72);
}

void canvas_assign_sheet(struct canvas *canvas) {
  const double first = canvas->format == FIGURE_PNG ? 0.5 : 0;
  canvas_assign(canvas, "sheet_left", first);
  canvas_assign(canvas, "sheet_right", sheet_end(canvas, canvas->width));
  canvas_assign(canvas, "sheet_bottom", first);
  canvas_assign(canvas, "sheet_top", sheet_end(canvas, canvas->height));
}

/* The middle of the panel, or as near to it as leaves the title on the sheet. */
static double title_middle(const struct canvas *canvas) {
  const double width = round(canvas->width * canvas->dpi), room = canvas_title_room(canvas);
  const double half =
      fmin(room, canvas_text_width(canvas, canvas->title, canvas->style.font_size)) / 2;
  const double edge = (width - room) / 2 + half;
  return fmin(fmax(canvas->left + canvas->panel_width / 2, edge), width - edge);
}

/* Where the x axis' label may begin: right of the lines of the y axis' label, which may fill the
   height of the sheet. */
static double xlabel_start(const struct canvas *canvas) {
  const double lines = (double)canvas->ylabel_lines;
  const double beside =
      lines > 0 ? (lines + 0.3) * canvas_line(canvas, canvas->style.font_size) : 0;
  return canvas->spare_left + canvas_edge(canvas) + beside;
}

static double xlabel_end(const struct canvas *canvas) {
  return round(canvas->width * canvas->dpi) - canvas_edge(canvas);
}

/* The middle of the panel, or as near to it as leaves the x axis' label between these. */
static double xlabel_middle(const struct canvas *canvas) {
  const double start = xlabel_start(canvas), end = xlabel_end(canvas);
  const double width = canvas_text_width(canvas, canvas->xlabel, canvas->style.font_size);
  const double half = fmin(end - start, width) / 2;
  return fmin(fmax(canvas->left + canvas->panel_width / 2, start + half), end - half);
}

/* Of the lines of the y axis' label the longest, dots. */
static double ylabel_length(const struct canvas *canvas) {
  const double size = canvas->style.font_size;
  const double ems = canvas_ems(canvas, canvas_ylabel_room(canvas), size);
  double longest = 0;
  for (const char *text = canvas->ylabel; *text; text += strspn(text, " ")) {
    const size_t length = lettering_line(text, ems);
    longest = fmax(longest, lettering_width(text, length));
    text += length;
  }
  return canvas_points(canvas, size * canvas->letter_width * longest);
}

/* The middle of the y axis' label: that of the panel, unless the label reached beyond the sheet or
   into the lines of letter and title. */
static double ylabel_middle(const struct canvas *canvas) {
  const double bottom = round(canvas->height * canvas->dpi) - canvas_edge(canvas);
  const double top = bottom - canvas_ylabel_room(canvas), half = ylabel_length(canvas) / 2;
  return fmin(fmax(canvas->top + canvas->panel_height / 2, top + half), bottom - half);
}

/* The left end of the letter: above that of the labels, or at the edge where a title is near. */
static double letter_left(const struct canvas *canvas) {
  const double size = canvas->style.font_size, inner = canvas->spare_left + canvas_edge(canvas);
  const double title = canvas_text_width(canvas, canvas->title, size);
  const double end =
      inner + canvas_text_width(canvas, canvas->letter, size) + canvas_points(canvas, 0.5 * size);
  const double half = fmin(title, canvas_title_room(canvas)) / 2;
  return title_middle(canvas) - half >= end ? inner : canvas_edge(canvas);
}

/* Sizes of signs. cairo draws one as wide as six times its size, and a stroke of 0.8 points about
   it; pngcairo takes the size in pixels. SVG draws a circle and a square 5.27 times their size
   wide, the stroke among them, other signs wider. */
static void assign_signs(struct canvas *canvas) {
  static const struct {
    const char *name;
    double points; /* without the stroke */
  } signs[] = {{"point_size", 4.8}, {"marker_size", 2.4}, {"ground_size", 3.3}};
  const bool svg = canvas->format == FIGURE_SVG;
  const double dots = canvas->format == FIGURE_PNG ? canvas->dpi / 72 : 1;
  for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
    canvas_assign(canvas, signs[i].name,
                  svg ? (signs[i].points + 0.8) / 5.27 : signs[i].points / 6 * dots);
  canvas_assign(canvas, "triangle_share", svg ? 0.785 : canvas->format == FIGURE_PNG ? 1 : 1.2);
  canvas_assign(canvas, "diamond_share", svg ? 0.745 : 1);
  canvas_assign(canvas, "pentagon_share", svg ? 0.785 : 1);
}

/* Panel, labels and their places. */
static int write_frame(struct canvas *canvas, struct error *error) {
  const double below = canvas->top + canvas->panel_height;
  const double width = round(canvas->width * canvas->dpi);
  const double line = canvas_line(canvas, canvas->style.font_size), outer = canvas_edge(canvas);
  canvas_assign_box(
      canvas, "panel", 0,
      &(struct box){canvas->left, canvas->top, canvas->panel_width, canvas->panel_height});
  canvas_assign(canvas, "title_x", canvas_x(canvas, title_middle(canvas)));
  canvas_assign(canvas, "title_y", canvas_y(canvas, outer + line / 2));
  canvas_assign(canvas, "letter_x", canvas_x(canvas, letter_left(canvas)));
  canvas_assign(canvas, "xlabel_x", canvas_x(canvas, xlabel_middle(canvas)));
  canvas_assign(
      canvas, "xlabel_y",
      canvas_y(canvas, below + canvas->bottom - canvas->spare_bottom - outer - 0.55 * line));
  canvas_assign(canvas, "ylabel_x", canvas_x(canvas, canvas->spare_left + outer + 0.55 * line));
  canvas_assign(canvas, "ylabel_y", canvas_y(canvas, ylabel_middle(canvas)));
  canvas_assign(canvas, "line_width", canvas->style.line_width);
  assign_signs(canvas);
  const double size = canvas->style.font_size;
  const struct {
    const char *name, *text;
    double width;
    size_t lines;
  } texts[] = {{"title", canvas->title, canvas_title_room(canvas), CANVAS_TITLE_LINES},
               {"letter", canvas->letter, width, 1},
               {"xlabel", canvas->xlabel, xlabel_end(canvas) - xlabel_start(canvas), 1},
               {"ylabel", canvas->ylabel, canvas_ylabel_room(canvas), canvas->ylabel_lines}};
  int code = OK;
  for (size_t i = 0; i < sizeof texts / sizeof *texts && !code; i++)
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

static int write_template(const char *name, size_t size, FILE *out, struct error *error) {
  char asset_name[32];
  snprintf(asset_name, sizeof asset_name, "%.*s.gp", (int)size, name);
  const struct asset *asset = asset_find(asset_name);
  if (!asset) return error_set(error, ERROR_FAILED, "template '%s' is not built in", asset_name);
  fputs(asset->data, out);
  return OK;
}

/* Puts the whole script together; `*body` is where the part begins that gnuplot_run wants. */
static int write_script(const struct canvas *canvas, const char *templates, struct blob *script,
                        size_t *body, struct error *error) {
  FILE *out = open_memstream(&script->data, &script->size);
  if (!out) return error_set(error, ERROR_FAILED, "no memory for a gnuplot script");
  int code = write_head(canvas, out, error);
  fflush(out);
  *body = script->size;
  char paper[8];
  snprintf(paper, sizeof paper, "#%06x", palette_ground(canvas->dark));
  const char *ink = canvas->dark ? "#e8e8e8" : "#000000";
  write_terminal(canvas, paper, out);
  fprintf(out, "paper = '%s'\nink = '%s'\ntext_rgb = 0x%s\nsoft = '%s'\nrule = '%s'\n", paper, ink,
          ink + 1, canvas->dark ? "#5a5f69" : "#b4b4b4", canvas->dark ? "#8c919b" : "#808080");
  fwrite(canvas->text, 1, canvas->size, out);
  if (!code) code = write_template("frame", strlen("frame"), out, error);
  for (const char *name = templates; *name && !code; name += strspn(name, " ")) {
    const size_t size = strcspn(name, " ");
    code = write_template(name, size, out, error);
    name += size;
  }
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

int canvas_draw(struct canvas *canvas, const char *templates, struct blob data,
                struct figure *figure, struct error *error) {
  size_t body = 0;
  *figure = (struct figure){.data = data, .dpi = canvas->dpi};
  int code = write_frame(canvas, error);
  if (fflush(canvas->script))
    code = error_set(error, ERROR_FAILED, "no memory for a gnuplot script");
  if (!code) code = write_script(canvas, templates, &figure->script, &body, error);
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
  if (!code) code = sheet_size_state(canvas, figure, error);
  figure->cut = canvas->cut;
  if (code) figure_release(figure);
  return code;
}

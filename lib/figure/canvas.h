/* Inside of the figures: the sheet a figure is drawn on. It knows sizes and colours, where the
   panel lies, and collects the assignments that the templates of plots/ read.

   Lengths on the sheet are in dots, from the left and from the top: pixels of a PNG and of an SVG,
   dpi-ths of an inch elsewhere. Sizes of text and lines are in points (1/72 in). */
#ifndef ROPETOOL_FIGURE_CANVAS_H
#define ROPETOOL_FIGURE_CANVAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "lib/base/error.h"
#include "lib/figure/figure.h"
#include "lib/figure/style.h"
#include "lib/figure/tics.h"

struct canvas {
  enum figure_format format;
  const char *name;     /* of the target file, without extension */
  struct style style;   /* what the options override is overridden */
  double width, height; /* inches; height 0: not decided yet */
  double dpi;           /* dots per inch */
  bool fixed_dpi;       /* asked for: not to be raised */
  double letter_width;  /* of the texts, against lettering_width() */
  bool dark;
  const char *xlabel, *ylabel, *title; /* "": none */
  char letter[FIGURE_LETTER + 3];      /* "(a)"; "": none */
  size_t ylabel_lines;                 /* decided with the margins */
  double left, right, top, bottom;     /* margins around the panel, dots */
  double spare_left, spare_bottom;     /* of these margins: more than the labels need, dots */
  double panel_width, panel_height;    /* dots */
  const char *cut;                     /* which text was the first that did not fit; NULL: none */
  bool keep_edges; /* SVG: cells are larger than pixels and must not be smoothed */
  FILE *script;    /* collects assignments */
  char *text;
  size_t size;
};

/* A part of the sheet, in dots. */
struct box {
  double x, y, width, height; /* left upper corner and size */
};

/* Texts of a plot's own, used where the options have none; NULL: none. */
struct canvas_labels {
  const char *title, *xlabel, *ylabel;
};

/* Resolves options and style. */
int canvas_open(const struct figure_options *options, enum figure_format format, const char *name,
                const struct canvas_labels *labels, struct canvas *canvas, struct error *error);
void canvas_release(struct canvas *canvas);

/* Dots that stay free at the edges of the sheet. */
double canvas_edge(const struct canvas *canvas);

double canvas_points(const struct canvas *canvas, double points); /* in dots */
double canvas_line(const struct canvas *canvas, double points); /* height of a line of text, dots */
double canvas_text_width(const struct canvas *canvas, const char *text, double points);

/* The ems that lettering_line() may fill for `dots`. */
double canvas_ems(const struct canvas *canvas, double dots, double points);

/* How many lines a text takes in so many dots, at most `most`. */
size_t canvas_count_lines(const struct canvas *canvas, const char *text, double dots, double points,
                          size_t most);

/* Whether the labels of an axis of `length` dots stay apart, side by side or one below another. */
bool canvas_tics_fit_across(const struct canvas *canvas, const struct tics *tics, double length);
bool canvas_tics_fit_down(const struct canvas *canvas, const struct tics *tics, double length);

/* The most numbers at an axis that can be read at a glance. */
enum { CANVAS_TICS_MOST = 8 };

/* Dots that a line of the title, of so many at most, and of the y axis' label may fill. The title
   leaves as much free on either side as the letter takes; the y axis' label ends below it, and
   below a title that is so long. */
enum { CANVAS_TITLE_LINES = 3 };
double canvas_title_room(const struct canvas *canvas);
double canvas_ylabel_room(const struct canvas *canvas);

/* Sets left, right, top and bottom to what labels and the numbers of the axes need; `right_extra`
   and `top_extra` dots stay free beside and above the panel. `x_end` is the label at the right end,
   in ems. */
int canvas_set_margins(struct canvas *canvas, double y_tics_ems, double x_end_ems,
                       double right_extra, double top_extra, struct error *error);

/* The panel that the margins leave, in a sheet whose height is decided. ERROR_INPUT when it is too
   small to draw in, or the sheet is larger than gnuplot can draw. */
int canvas_set_panel(struct canvas *canvas, struct error *error);

/* Of a page that gnuplot draws, which has whole points (1/72 in): the sheet is its left lower part.
 */
double canvas_page_points(double inches);

/* Screen fractions of dots from the left and from the top. */
double canvas_x(const struct canvas *canvas, double dots);
double canvas_y(const struct canvas *canvas, double dots);

/* A text of the user, broken into at most `lines` lines of `width` dots and cut with … behind them.
 */
struct canvas_text {
  const char *what; /* names it in an error: "title" */
  const char *text;
  double points, width;
  size_t lines;
};

/* Writes `VARIABLE = TEXT` with the text as a literal. */
int canvas_assign_text(struct canvas *canvas, const char *variable, const struct canvas_text *text,
                       struct error *error);
void canvas_assign(struct canvas *canvas, const char *variable, double value);
int canvas_assign_tics(struct canvas *canvas, char axis, const struct tics *tics,
                       struct error *error);

/* The same as arrays {axis}_tic_at, _level and _text, for templates with several panels; `width`
   dots are the most a number may take. */
int canvas_assign_tics_array(struct canvas *canvas, char axis, const struct tics *tics,
                             double width, struct error *error);

/* Writes `NAME_PART = VALUE`, or `NAME_PART[INDEX] = VALUE` when `index` is not 0. */
void canvas_assign_element(struct canvas *canvas, const char *name, const char *part, size_t index,
                           double value);

/* Writes NAME_left, NAME_right, NAME_bottom and NAME_top, elements of arrays when `index` is not 0,
   so that an image between them fills exactly the dots of the box. */
void canvas_assign_box(struct canvas *canvas, const char *name, size_t index,
                       const struct box *box);

/* Writes sheet_left, sheet_right, sheet_bottom and sheet_top: the axes of a plot over the whole
   sheet, in dots from its left lower corner. For the template sheet.gp. */
void canvas_assign_sheet(struct canvas *canvas);

/* Adds the frame to the script and the templates plots/NAME.gp, whose names `templates` has with
   blanks between them, runs it and fills the figure. `data` is taken over, also on error. */
int canvas_draw(struct canvas *canvas, const char *templates, struct blob data,
                struct figure *figure, struct error *error);

#endif

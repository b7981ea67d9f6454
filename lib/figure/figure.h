/* Figures: pictures of tables and matrices, in memory. */
#ifndef ROPETOOL_FIGURE_FIGURE_H
#define ROPETOOL_FIGURE_FIGURE_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/error.h"
#include "lib/figure/colour_scale.h"
#include "lib/figure/gnuplot.h"
#include "lib/figure/provenance.h"
#include "lib/io/matrix.h"
#include "lib/io/table.h"

/* What the figure options of the command line ask for. Zero means: the style's. */
struct figure_options {
  const char *style;    /* "default" when NULL */
  double width, height; /* inches */
  double dpi; /* 0: the style's, raised where a map has more cells than its panel has pixels */
  const char *font;
  double font_size;    /* points */
  const char *palette; /* NULL: by the matrix' range; curves use the categorical colours */
  const char *title, *xlabel, *ylabel; /* NULL: the plot's own; "": none */
  const char *letter; /* "a": (a) at the upper left, of a figure among others; NULL: none */
  const char *legend; /* "auto" when NULL, "none", or a corner: "top-right", ... */
  bool log_x, log_y;
  struct colour_wish colours; /* of maps */
  bool dark;
};

/* A line across the panel that curves are read against. */
struct curve_mark {
  double value;      /* on its axis, which reaches as far; not shown where the axis cannot */
  const char *label; /* stands at the line; NULL: none, or the end of the list */
};

/* How the lines of a column look, beside their dashes. */
enum curve_look {
  CURVE_SIGNED, /* of several series with signs */
  CURVE_PLAIN,  /* without */
  CURVE_OVER,   /* over the others, in a darker shade set off from them, without signs */
  CURVE_COMMON, /* the same for every series: drawn once, in the colour of the text, without signs
                 */
};

/* What of a table is drawn as curves. */
enum { CURVE_MARKS = 4 };
struct curve_plot {
  const char *x;                /* column of the x axis */
  const char *group;            /* column: one curve for each value, in order of appearance */
  const char *group_label;      /* stands before the values of a column of numbers: "d=" */
  const char *lines[4];         /* columns drawn as lines: solid, dashed, dotted, dash-dotted */
  enum curve_look look[4];      /* of these */
  const char *low[2], *high[2]; /* pairs of columns drawn as filled bands behind the lines */
  const char *overlay_x, *overlay_y; /* columns of `overlay` */
  const struct table *overlay;       /* drawn over the curves as points; NULL: none */
  /* What the legend calls them, beside the series. A line without a label has its column's name; a
     band or points without one are not listed. */
  const char *line_labels[4], *band_labels[2], *overlay_label;
  const char *title, *xlabel, *ylabel;
  bool log_x, log_y; /* logarithmic whether or not the options ask for it */
  bool one_colour;   /* a single series has one, as each of several: its columns differ in dashes */
  size_t markers;    /* so many of the lines have one at each point, where these stand apart */
  bool from_zero;    /* a linear y axis starts at 0 where no value is below */
  /* Text column whose runs of equal value along x shade the background, with the value above: only
     of a table of one series. Rows without a text are not shaded. */
  const char *spans;
  /* Texts that have the colours of the first, second ... span in every figure, up to a NULL; others
     have the next ones in order of appearance. NULL: none. */
  const char *const *span_names;
  struct curve_mark marks[CURVE_MARKS]; /* horizontal, on the y axis */
  struct curve_mark x_mark;             /* vertical, on the x axis; named at the top */
};

/* Where every pair has turned to at a few positions: a dial for each position, in the order of
   appearance, with a hand for each pair. Angles are in radians, from the top of the dial clockwise;
   the hand of the smallest pair, in RoPE the fastest, is the longest. Rows whose angle is not
   finite have no hand. */
enum { DIALS_MOST = 12 };
struct clock_plot {
  const char *position, *pair, *angle; /* columns; "position", "pair" and "angle" when NULL */
  const char *title;
};

/* Values as a table on paper, from a table with one value a row: its `row` and `column` columns
   hold texts, in whose order of appearance the figure has rows and columns. Cells are shaded within
   their column, darker (on a dark ground lighter) the larger the value. NaN is an empty cell. A
   table too wide for its sheet is turned, where it has fewer rows than columns: these become rows,
   which are shaded within. */
enum { GRID_ROWS = 64, GRID_COLUMNS = 16 };
struct grid_plot {
  const char *row, *column, *value; /* columns: "encoding", "metric", "value" */
  const char *error;                /* column of standard errors; NULL: none */
  const char *title;
};

/* Maps side by side, in one colour scale: all of the same shape, axes and meaning. */
enum { PANELS_MOST = 16 };
struct panel_set {
  const struct matrix *const *matrix; /* 1 to PANELS_MOST */
  const char *const *titles;          /* one above each, on four lines at most; NULL: none */
  size_t count;
  bool letters; /* (a), (b), ... before the titles */
};

/* How many of the cells, or of the points of lines, bands and overlay, the figure leaves out though
   they are there: those that an axis or colours in the logarithm cannot show (0 and below), and
   infinite ones of curves. NaN, an empty cell of a table or a masked one of a map, is nothing to be
   shown; in an overlay it counts too. Signed maps have all cells shown. Nothing is left out for
   where it lies: axes reach as far as the points. */
size_t figure_left_out_matrix(const struct matrix *matrix, const struct figure_options *options);
size_t figure_left_out_panels(const struct panel_set *panels, const struct figure_options *options);
size_t figure_left_out_table(const struct table *table, const struct curve_plot *plot,
                             const struct figure_options *options);

/* The scale that maps are drawn in, what lies beyond its ends, and whether there is little to see:
   a panel whose cells, but for the 2 % at the ends and those that are 0, have less than 8 of the
   256 colours. Errors as of colour_scale_fit(). */
struct map_colours {
  struct colour_scale scale;
  struct colour_beyond beyond;
  size_t panel, few; /* such a panel, and how many colours; few 0: there is none */
};
int figure_map_colours(const struct panel_set *panels, const struct figure_options *options,
                       struct map_colours *colours, struct error *error);

/* Whether fonts are installed that are called so: 1 when they are, and for the generic "sans",
   "serif" and "monospace"; 0 when they are not: `instead` is then the family that PNG and PDF show
   (SVG and TeX leave the choice to their readers); −1 when that cannot be told. */
enum { FIGURE_FONT_NAME = 128 };
int figure_font_known(const char *font, char instead[FIGURE_FONT_NAME]);

/* The family that PNG and PDF show for `font`, which may be a generic name, into `family`. */
enum figure_font {
  FIGURE_FONT_UNKNOWN, /* fontconfig, which knows, is not there */
  FIGURE_FONT_NONE,    /* no font is installed */
  FIGURE_FONT_OTHER,   /* another family */
  FIGURE_FONT_SAME,
};
enum figure_font figure_font_find(const char *font, char family[FIGURE_FONT_NAME]);

/* The version of the fontconfig that runs, 21401 for 2.14.1; 0 when it is not there. */
int figure_fontconfig_version(void);

/* The terminal of gnuplot that draws the format: "pngcairo". */
const char *figure_terminal(enum figure_format format);

/* Whether a letter can be one: 1 to FIGURE_LETTER letters and digits. ERROR_INPUT. */
enum { FIGURE_LETTER = 3 };
int figure_letter_check(const char *letter, struct error *error);

/* How wide texts are in the family that PNG and PDF show for this one, against the wide faces that
   figures are laid out for: less than 1 for Times, Helvetica and their like, where they are. */
double figure_font_width(const char *font);

/* The files of one figure: picture alone, or (TeX) the text and the PDF that it includes. */
struct figure {
  struct blob picture; /* PNG, PDF or SVG bytes; for TeX the PDF */
  struct blob tex;     /* the TeX file, or empty */
  struct blob script,
      data; /* what gnuplot was given: with `datafile` in place, script + data redraw it */
  double dpi;
  bool legend_moved; /* above the panel, not at the curves' ends as was asked for */
  const char *cut;   /* which text was the first that did not fit, "title"; NULL: all did */
};
void figure_release(struct figure *figure);

/* Draws; the picture is not sealed yet. `name` is the target's file name without its extension: TeX
   includes the PDF by it, and the kept script names its data NAME.dat. */
int figure_draw_table(const struct table *table, const struct curve_plot *plot,
                      const struct figure_options *options, enum figure_format format,
                      const char *name, struct figure *figure, struct error *error);
int figure_draw_matrix(const struct matrix *matrix, const struct figure_options *options,
                       enum figure_format format, const char *name, struct figure *figure,
                       struct error *error);
/* ERROR_INPUT: a column that is not there or holds text, more than DIALS_MOST positions.
   ERROR_FAILED: no hand to draw. */
int figure_draw_clock(const struct table *table, const struct clock_plot *plot,
                      const struct figure_options *options, enum figure_format format,
                      const char *name, struct figure *figure, struct error *error);
/* ERROR_INPUT: a column that is not there or of the wrong kind, two values for one cell, more rows
   or columns than GRID_ROWS and GRID_COLUMNS or than there is room for. ERROR_FAILED: no value. */
int figure_draw_grid(const struct table *table, const struct grid_plot *plot,
                     const struct figure_options *options, enum figure_format format,
                     const char *name, struct figure *figure, struct error *error);
/* ERROR_INPUT: no panels or too many, panels that differ in shape, axes or kind of range (of signed
   and unsigned ones the scale is that of signed ones). ERROR_FAILED: no panel has a finite cell. */
int figure_draw_panels(const struct panel_set *panels, const struct figure_options *options,
                       enum figure_format format, const char *name, struct figure *figure,
                       struct error *error);

#endif

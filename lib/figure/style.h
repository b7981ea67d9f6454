/* Journal styles: widths, fonts and resolutions, from plots/styles/NAME.style. */
#ifndef ROPETOOL_FIGURE_STYLE_H
#define ROPETOOL_FIGURE_STYLE_H

#include <stddef.h>

#include "lib/base/error.h"

struct style {
  char name[32];       /* "icml" or "icml-full" */
  double width;        /* inches */
  double height_ratio; /* height / width of curves */
  char font[64];
  double font_size;  /* points (1/72 in), of labels and titles */
  double tick_size;  /* points, of numbers at the axes */
  double line_width; /* points */
  double dpi;
  char source[160]; /* where the numbers stand */
};

const char *style_name_at(size_t index); /* NULL past the end */
int style_find(const char *name, struct style *style, struct error *error);

#endif

/* Inside of the figures: what legends call the series of a table. */
#ifndef ROPETOOL_FIGURE_SERIES_LABEL_H
#define ROPETOOL_FIGURE_SERIES_LABEL_H

#include <stddef.h>

/* Takes from names such as "d=64 b=10000", "d=128 b=10000 linear factor=8" what does not tell them
   apart: of the words NAME=VALUE that each begins with, those that all of them have. One that has
   nothing else stays as it is; where one has its number alone, "(2)", all do. Names that were
   distinct stay so. */
void series_labels_shorten(char *const *label, size_t count);

#endif

/* Whether figures can be drawn here: a tiny one of a format, made and checked as every other. */
#ifndef ROPETOOL_FIGURE_TRIAL_H
#define ROPETOOL_FIGURE_TRIAL_H

#include <stddef.h>

#include "lib/base/error.h"
#include "lib/figure/provenance.h"

/* Draws two curves with a title and labels in the default style, and checks the picture (of TeX
   both files) as provenance_seal() does. `*size`: its bytes. ERROR_FAILED says why it is none. */
int figure_trial(enum figure_format format, size_t *size, struct error *error);

#endif

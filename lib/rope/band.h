/* What a scaling rule did to each pair, and which pairs a training context covers. */
#ifndef ROPETOOL_ROPE_BAND_H
#define ROPETOOL_ROPE_BAND_H

#include <stddef.h>

#include "lib/rope/spectrum.h"

enum band {
  BAND_KEPT,    /* factor 1 */
  BAND_DIVIDED, /* the rule's full factor */
  BAND_BLENDED, /* any other */
  BAND_ZERO,    /* does not rotate */
};

const char *band_name(enum band band); /* "kept", ... */

/* All names, from those of fast pairs to those of slow ones: "kept", "blended", "divided", "zero",
   NULL. */
const char *const *band_names(void);

/* By what the frequency of `pair` was divided: without the rule over with it, before a format below
   float rounds them; infinity where it is 0. Without a base nothing is known of a division: 1. */
double spectrum_factor(const struct spectrum *spectrum, size_t pair);

/* Factors are equal within spectrum->roundoff of themselves: 1e-12; below fp64, where frequencies
   come of float steps, 1e-6; where an engine multiplies its way from pair to pair, a unit in the
   last place of float for each pair, 2^-23 times their number. */
enum band spectrum_band(const struct spectrum *spectrum, size_t pair);

/* The critical dimension of a model trained on `context` tokens: the dimensions whose pair turns
   more than once within it, 2·⌈(d/2)·log_b(context/(2π))⌉ within 0 and d (Liu et al. 2023,
   arXiv:2310.05209, with their T_train and d_extra). Counted pair by pair, by the frequencies
   before the rule, leaving out those it sets to 0: the same number where all come from one base. 0:
   none does, or `context` is not above 0 or NaN, for not known. */
size_t spectrum_critical_dim(const struct spectrum *spectrum, double context);

#endif

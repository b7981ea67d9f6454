/* The spectrum: one inverse frequency per rotated pair. All that comes after sees only this. */
#ifndef ROPETOOL_ROPE_SPECTRUM_H
#define ROPETOOL_ROPE_SPECTRUM_H

#include <stddef.h>
#include <stdint.h>

#include "lib/base/error.h"
#include "lib/rope/spec.h"

struct spectrum {
  struct rope_spec spec;   /* what it was made from */
  size_t pairs;            /* rotary_dim / 2 */
  long double *inv_freq;   /* (pair) radians per token, >= 0; pair 0 is a fastest one */
  double *inv_freq_double; /* (pair) the same, rounded to double */
  uint64_t *step;          /* (pair) the same in 2^-64 turns per token: see lib/base/phase.h */
  double attention_factor; /* multiplies cos and sin, so scores by its square */
  double softmax_factor;   /* multiplies the score in softmax, beside 1/sqrt(head_dim) */
  double effective_base;   /* the base a rule changed it to; spec.base otherwise */
  double *plain;           /* (pair) the frequencies without the rule; without a base: as given */
  double *factor;          /* (pair) plain over inv_freq, before they are rounded below float */
  double roundoff;    /* within it, relative to them, factors count as equal: lib/rope/band.h */
  double full_factor; /* by which the rule divides a pair that it does not keep; NaN: none */
  double correction_low, correction_high; /* YaRN: pairs between which the blend runs; NaN: none */
};

/* Computes θ_i = base^(−2i/rotary_dim) (RoFormer, arXiv:2104.09864 eq. 34) and applies the scaling
   rule. With a precision below fp64 the steps are those of Hugging Face's code in float32; below
   fp32 inv_freq and plain are then rounded to the format, which may make a slow pair stand still.
   ERROR_INPUT: odd or zero dim, base <= 0, an unknown rule or one whose numbers are missing or
   wrong, an inverse frequency over PHASE_MAXIMUM. */
int spectrum_create(const struct rope_spec *spec, struct spectrum **spectrum, struct error *error);
void spectrum_destroy(struct spectrum *spectrum); /* NULL is allowed */

/* Replaces the frequency of a pair; in [0, PHASE_MAXIMUM]. */
void spectrum_set(struct spectrum *spectrum, size_t pair, long double inv_freq);

/* Appends a warning to `meta` where the rule has other frequencies for a sequence of `length`
   tokens, longer than the spec's context; `option` is what asks for that length. */
void spectrum_warn_length(const struct spectrum *spectrum, int64_t length, const char *option,
                          struct meta *meta);

/* Everything resolved, under the names of cli.md's meta, into `meta`. */
void spectrum_describe(const struct spectrum *spectrum, struct meta *meta);

#endif

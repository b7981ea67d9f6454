/* The frequencies of RoPEs, pair by pair. */
#ifndef ROPETOOL_ANALYSIS_FREQS_H
#define ROPETOOL_ANALYSIS_FREQS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/error.h"
#include "lib/io/table.h"
#include "lib/rope/spectrum.h"

/* Columns asked for beside the usual ones, in this order behind them:
   - wavelength_plain: the wavelength without the scaling rule, tokens; empty where the RoPE has no
     base;
   - xpos: ζ of xPos, see lib/rope/xpos.h;
   - axis: "time", "height", "width" or "extra", see lib/rope/axis_of_pair.h; empty where the RoPE
   has one axis. */
struct freqs_request {
  bool wavelength_plain, xpos, axis;
};

/* One row per series and pair: series,layer_type,pair,inv_freq,wavelength,turns,band,factor.
   inv_freq is in radians per token, wavelength in tokens (inf where the pair does not rotate),
   turns = context · inv_freq / 2π, empty where no context is known; band and factor are those of
   lib/rope/band.h (inf where the rule stopped the pair). Names of series:
   lib/analysis/series_name.h.

   meta.series: one object each, with "series", the resolved spectrum, and
   - original_context: the context trained for, see scaling_trained; null: not known;
   - critical_dim: how many dimensions turn within it, see spectrum_critical_dim; null: not known;
   - correction_low, correction_high: YaRN's, null under any other rule;
   - pair_axes: with an axis asked for, the letters of the pairs; null: one axis;
   - kept_pairs, blended_pairs, divided_pairs, zero_pairs: how many pairs lie in each band.
   ERROR_INPUT: no series; an axis is asked for, and all have one. */
int freqs_run(const struct freqs_request *request, struct spectrum *const *series, size_t count,
              struct table **table, struct error *error);

enum { FREQS_DIGEST = 8 }; /* rows of a digest for each series, at most */

/* Rows of such a table that show what each series is like, in a table of their own without meta
   data: all where there are no more than FREQS_DIGEST, else the first and the last, those on both
   sides of a change of band, and where there is none the middle one. */
int freqs_digest(const struct table *table, struct table **digest, struct error *error);

/* The hand of each pair's clock: one row per position and pair, position,pair,angle; the angle in
   radians in [0, 2π) from exact phases, rounded as the spectrum's precision says. Positions may be
   negative. ERROR_INPUT: no position. meta: the resolved spectrum. */
int freqs_clock(const struct spectrum *spectrum, const int64_t *position, size_t count,
                struct table **table, struct error *error);

#endif

/* Engines side by side: the spectra that they compute from the same models. */
#ifndef ROPETOOL_ANALYSIS_ENGINE_DIFF_H
#define ROPETOOL_ANALYSIS_ENGINE_DIFF_H

#include <stddef.h>

#include "lib/base/error.h"
#include "lib/io/table.h"
#include "lib/rope/engine.h"
#include "lib/rope/spectrum.h"

/* Compares engines 1 .. count-1 with engines[0], the reference, for the spec of each series (its
   frequencies are not looked at). One row per series, other engine and pair: columns
   series,layer_type,pair,reference,engine,inv_freq_reference,inv_freq,relative_difference,
   angle_difference.

   relative_difference = inv_freq / inv_freq_reference − 1, 0 where both are 0 and infinite where
   only the reference is. angle_difference = (inv_freq − inv_freq_reference) · (context − 1), the
   difference of the angles at the last position of the context in radians, not reduced to a turn;
   empty without a context. Frequencies are compared as they are: the rounding of products and of
   cosines comes on top of it. Values are computed in long double and rounded once.

   meta: reference, engines (list of objects with name, title, version). meta.series: one object for
   each series and other engine, with series, layer_type where there is one, reference, engine,
   reference_version, engine_version, context, attention_factor_reference, attention_factor,
   softmax_factor_reference, softmax_factor, relative_difference and angle_difference (the largest
   in size, with its sign), relative_difference_pair and angle_difference_pair (null: no pair
   differs), reference_notes and engine_notes (lists of texts, see engine_spectrum).

   ERROR_INPUT: fewer than two engines, the same one twice, no series, or a spec that one of the
   engines refuses; *table is NULL then. */
int engine_diff(const struct engine *const *engines, size_t count, struct spectrum *const *series,
                size_t series_count, struct table **table, struct error *error);

#endif

/* RoPE over several axes: the axis that each pair takes its position from. */
#ifndef ROPETOOL_ROPE_AXIS_OF_PAIR_H
#define ROPETOOL_ROPE_AXIS_OF_PAIR_H

#include <stddef.h>

#include "lib/rope/spec.h"

enum spec_axis { SPEC_TIME, SPEC_HEIGHT, SPEC_WIDTH, SPEC_EXTRA };

/* The axis of a pair by the sections s of the spec; SPEC_TIME where it has none.
   Axial (RoPE-Axial of vision transformers, arXiv:2403.13298): the first half of the pairs is
   width, the second height. Blocks (Qwen2-VL, arXiv:2409.12191): the first s_0 pairs are time, then
   s_1 height, s_2 width. Interleaved (Qwen3-VL): pair i is height where i mod 3 = 1 and i < 3·s_1,
   width where i mod 3 = 2 and i < 3·s_2, else time: THW THW ... and the rest T. */
enum spec_axis spec_axis(const struct rope_spec *spec, size_t pair);

/* The base of RoPE-Axial (naver-ai/rope-vit, models/vit_rope.py). */
#define SPEC_AXIAL_BASE 100.0

/* "axial", or the pairs of time, height, width and perhaps a fourth axis, "16,24,24", with
   ":interleaved" behind three of them: replaces what the spec has. ERROR_INPUT: another number of
   sections, a sum that is not that of the spec's pairs. */
int spec_parse_sections(const char *text, struct rope_spec *spec, struct error *error);

/* Whether pairs take their positions from several axes. */
bool spec_has_axes(const struct rope_spec *spec);

/* A letter for each of the spec's pairs, at most SPEC_PAIRS: T, H, W or E. */
void spec_axis_letters(const struct rope_spec *spec, char letters[SPEC_PAIRS + 1]);

const char *spec_axis_name(enum spec_axis axis); /* "time", "height", "width", "extra" */

#endif

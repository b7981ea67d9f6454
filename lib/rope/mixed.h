/* Mixed RoPE of vision transformers (RoPE-Mixed, Heo et al., arXiv:2403.13298): every
   pair of a head has two frequencies of its own, which are learned, and turns by x·θx + y·θy at
   column x, row y of a picture. */
#ifndef ROPETOOL_ROPE_MIXED_H
#define ROPETOOL_ROPE_MIXED_H

#include <stdbool.h>
#include <stddef.h>

#include "kernels/backend.h"
#include "lib/base/error.h"
#include "lib/base/hash.h"
#include "lib/io/meta.h"
#include "lib/rope/spectrum.h"

/* The base of the frequencies that training starts with (naver-ai/rope-vit, models/vit_rope.py). */
#define MIXED_BASE 10.0

/* The frequencies of one head. */
struct mixed {
  size_t pairs;
  double *frequency;    /* (2, pair) radians per place: of x, then of y; of either sign */
  size_t layers, heads; /* in the file; 0: no such axis */
  size_t layer, head;   /* which of them */
  double angle;         /* of random ones, radians */
  bool untrained;       /* random */
  char name[256];       /* file and tensor, without folders; "random:SEED" */
  char sha256[HASH_TEXT];
};

/* Where a head is in a file. */
struct mixed_place {
  size_t heads; /* the last axis holds so many, one behind another; 0: heads have their own axis */
  size_t layer, head;
};

/* Reads "FILE[:TENSOR]" of shape (2, pair), (2, head, pair) or (2, layer, head, pair), as timm has
   it; with `place->heads` (2, head · pair) or (2, layer, head · pair), as rope-vit has it. To be
   released in any case. ERROR_INPUT: another shape, no such layer or head, more than SPEC_PAIRS
   pairs, a number that is not finite or beyond ±PHASE_MAXIMUM. */
int mixed_read(const char *text, const struct mixed_place *place, struct mixed *mixed,
               struct error *error);

/* Frequencies as rope-vit and timm start with: those of both axes of an axial spectrum, turned
   together by one angle: (θ, 0) becomes (θ cos angle, θ sin angle), (0, θ) is at a right angle to
   it. */
int mixed_turn(const struct spectrum *axial, double angle, struct mixed *mixed,
               struct error *error);

/* The same by the angle that a head draws from "random:SEED", evenly in [0, 2π). ERROR_INPUT: no
   seed. */
int mixed_draw(struct backend *backend, const char *text, size_t head, const struct spectrum *axial,
               struct mixed *mixed, struct error *error);

/* Whether it is "random:SEED". */
bool mixed_is_random(const char *text);

void mixed_release(struct mixed *mixed);

/* "mixed": name, pairs, layer and head of how many, angle. */
void mixed_describe(const struct mixed *mixed, struct meta *meta);

#endif

/* The terms of a score batch, added to a part of its scores. */
#ifndef ROPETOOL_KERNELS_SCORE_TERMS_H
#define ROPETOOL_KERNELS_SCORE_TERMS_H

#include "kernels/score_plan.h"

/* Asks for the terms of a part and writes them to where its scores will be, for the product to be
   added to; those after the scale also to room->exponent, together with the bias. */
int score_terms_store(const struct score_plan *plan, const struct score_part *part,
                      struct score_room *room);

/* Asks for the terms of a block: an error when any that is not masked is infinite. */
int score_terms_fill(const struct score_batch *batch, const struct score_block *block,
                     double *terms, struct error *error);

#endif

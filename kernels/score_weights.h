/* Softmax of rows whose scores come a part at a time (Milakov and Gimelshein, arXiv:1805.02867):
   exponentials are taken against the largest score so far, and what was summed before is scaled
   when a larger one comes. Exponents are in powers of two. */
#ifndef ROPETOOL_KERNELS_SCORE_WEIGHTS_H
#define ROPETOOL_KERNELS_SCORE_WEIGHTS_H

#include "kernels/backend.h"
#include "kernels/score_part.h"

struct row_weights {
  double peak;                  /* the largest exponent so far */
  struct exponential_sums sums; /* against it */
  double locality;              /* Σ e·2^−|m − n| against it */
};

/* How rows are taken: `scale` is log2(e) times that of the softmax; `sums`: more than the total. */
struct row_softmax {
  const struct score_arithmetic *arithmetic;
  double scale;
  bool sums;
};

void row_weights_start(struct row_weights *row);

/* Takes the first `count` scores of query m of a part in, and replaces them by their exponentials
   against row->peak. */
void row_weights_add(struct row_weights *row, const struct row_softmax *softmax,
                     const struct score_part *part, size_t m, size_t count);

/* What turns exponentials against `peak` into weights. */
double row_weights_factor(const struct row_weights *row, double peak);

/* Adds the row's share to the sums of its draw. */
void row_weights_finish(const struct row_weights *row, struct weight_sums *sums);

#endif

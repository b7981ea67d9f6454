/* The bias of a score batch as loops along the keys of a row take it: by the distance key − query,
   −(length − 1) first, so that it runs forward with the key. */
#ifndef ROPETOOL_KERNELS_SCORE_BIAS_H
#define ROPETOOL_KERNELS_SCORE_BIAS_H

#include "kernels/backend.h"
#include "kernels/score_arithmetic.h"
#include "kernels/score_mask.h"

/* Arrays of (2·length − 1) each; NULL where there is nothing to add. */
struct score_bias {
  double *add;
  double *mask;   /* −∞ where a score is masked, 0 elsewhere; NULL: nowhere */
  void *exponent; /* numbers of the arithmetic: log2(e) times the bias */
};

int score_bias_open(struct score_bias *bias, const struct score_batch *batch,
                    const struct score_arithmetic *arithmetic, struct error *error);
void score_bias_close(struct score_bias *bias);

/* value += bias, and `masked` instead where that is −∞. */
void score_bias_add(const double *bias, size_t count, double masked, double *value);

#endif

/* Query and key vectors of a score batch as they enter the product: content, plus additions,
 * rotated. */
#ifndef ROPETOOL_KERNELS_SCORE_ROWS_H
#define ROPETOOL_KERNELS_SCORE_ROWS_H

#include "kernels/backend.h"

struct score_rows {
  const struct score_batch *batch;
  double *cosine, *sine; /* (position, pair), amplitude included; NULL without rotation */
};

int score_rows_open(struct score_rows *rows, const struct score_batch *batch, struct error *error);
void score_rows_close(struct score_rows *rows);

/* The vector of one draw of the batch at one position: (dim) into `output`. */
void score_rows_query(const struct score_rows *rows, size_t draw, size_t position, double *output);
void score_rows_key(const struct score_rows *rows, size_t draw, size_t position, double *output);

#endif

/* Content: the query and key vectors before positions are applied. */
#ifndef ROPETOOL_ANALYSIS_CONTENT_H
#define ROPETOOL_ANALYSIS_CONTENT_H

#include <stddef.h>
#include <stdint.h>

#include "kernels/backend.h"
#include "lib/base/error.h"

enum content_kind {
  CONTENT_ONES,     /* all-ones vectors */
  CONTENT_ZERO,     /* nothing but the position terms */
  CONTENT_GAUSSIAN, /* query and key independent, components N(0,1) */
  CONTENT_ALIGNED,  /* query N(0,1), key = rho·query + sqrt(1 − rho²)·N(0,1) */
};

struct content {
  enum content_kind kind;
  double rho; /* of CONTENT_ALIGNED, −1..1 */
};

/* "ones", "zero", "gaussian", "aligned" (rho 1), "aligned:0.5". */
int content_parse(const char *text, struct content *content, struct error *error);

/* The names of the kinds; NULL past the end. */
const char *content_name_at(size_t index);

/* "aligned:0.5", for meta data and labels. */
void content_describe(const struct content *content, char *text, size_t size);

/* Whether all draws and positions have the same vectors, so that scores depend on positions alone:
   ones and zero. content_value is what stands in every dimension of those vectors. */
int content_is_constant(const struct content *content);
double content_value(const struct content *content);

/* Vectors to be filled from the streams of `seed`, from row `first_row` on: those of b draws are
   also the first of those of more draws. */
struct content_batch {
  struct content content;
  uint64_t seed;
  uint64_t first_row;
  size_t rows, dim;
  double *query, *key; /* (row, dim) out */
};
int content_fill(struct backend *backend, const struct content_batch *batch, struct error *error);

#endif

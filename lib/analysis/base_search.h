/* Which bases keep every cosine sum of a context at 0 or above: Men et al. (arXiv:2405.14591),
   eqs 8 to 11, for distances below the context. They are no interval: the search gives the first of
   them, and where the last base that is not one of them ends, with proof. */
#ifndef ROPETOOL_ANALYSIS_BASE_SEARCH_H
#define ROPETOOL_ANALYSIS_BASE_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/backend.h"
#include "lib/base/error.h"

enum { BASE_DIM_LEAST = 4, BASE_DIM_MOST = 8192 };
#define BASE_CONTEXT_MOST (INT64_C(1) << 26)

/* A bound on bases. */
struct base_limit {
  double base;         /* NaN: no base has a negative sum, or (first base) every one has */
  int64_t witness;     /* the distance whose sum is zero there; 0: none is */
  double below, above; /* it lies between them, as far as that is proved */
  bool certified;      /* proved to within BASE_TOLERANCE of itself, or that there is none */
};

#define BASE_TOLERANCE 1e-10

struct base_answer {
  struct base_limit first; /* infimum of the bases >= 1 without a negative sum */
  struct base_limit safe;  /* supremum of the bases >= 1 with one */
};

/* What is looked for, of the plain RoPE of `dim` dimensions. */
struct base_problem {
  size_t dim;             /* even, BASE_DIM_LEAST to BASE_DIM_MOST */
  const int64_t *context; /* (context) ascending, in [1, BASE_CONTEXT_MOST] */
  size_t contexts;
  size_t part,
      parts; /* progress: the first of its 2 · contexts parts, and how many there are in all */
};

/* Fills answer (context); what is found for one context does not depend on the others.
   ERROR_FAILED: memory. */
int base_search(struct backend *backend, const struct base_problem *problem,
                struct base_answer *answer, struct error *error);

#endif

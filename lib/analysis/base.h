/* The bases that a context asks for, as a table. */
#ifndef ROPETOOL_ANALYSIS_BASE_H
#define ROPETOOL_ANALYSIS_BASE_H

#include <stddef.h>
#include <stdint.h>

#include "kernels/backend.h"
#include "lib/analysis/base_search.h"
#include "lib/base/error.h"
#include "lib/io/table.h"

/* Other bases of a context, for comparison: names of one column each. */
enum base_line {
  BASE_LINE_FIT, /* fit_base: the power law a·context^k nearest to first_base, by least squares
                    of the logarithms, over the contexts of one dim */
  BASE_LINE_PUBLISHED, /* published_base: 0.0424·context^1.628, the fit printed in figure 1 of Men
                          et al. (arXiv:2405.14591) */
  BASE_LINE_ALIASING,  /* aliasing_base: (context/2π)^(dim/(dim−2)), where the slowest pair turns
                          once within the context */
  BASE_LINE_LIMIT, /* limit_base: context/0.6165…, by the first zero of Ci: the first base in the
                      limit of many dimensions (Su, kexue.fm/archives/10122) */
  BASE_LINES,
};
const char *base_line_name(enum base_line line);   /* "fit", "published", "aliasing", "limit" */
const char *base_line_column(enum base_line line); /* "fit_base", ... */
/* ERROR_INPUT: unknown; the message lists the names. */
int base_line_parse(const char *name, enum base_line *line, struct error *error);

struct base_request {
  const int64_t *dim; /* (dim) even, BASE_DIM_LEAST to BASE_DIM_MOST */
  size_t dims;
  const int64_t *context; /* (context) 1 to BASE_CONTEXT_MOST, ascending */
  size_t contexts;
  const enum base_line *line; /* (line) what columns to add */
  size_t lines;
  size_t points; /* for lib/analysis/base_reach.h alone */
};
/* ERROR_INPUT: dims or contexts that are not as they should be. */
int base_check(const struct base_request *request, struct error *error);

/* One row for each dim and context, dims as given: dim,context,first_base,first_witness,safe_base,
   safe_witness,certified, then the lines' columns.

   Distances are those below the context. first_base: the infimum of the bases >= 1 with which no
   cosine sum is negative; safe_base: the supremum of those with which one is; the witnesses are the
   distances whose sum is zero there. Empty: no base has a negative sum (contexts of 1 and 2).
   certified: "yes" when both are proved to within BASE_TOLERANCE of themselves, else "no".

   meta: tolerance. meta.series, with the line "fit": one object for each dim: dim, fit_factor,
   fit_exponent, null where fewer than two contexts have a first base. meta.answers: one object for
   each row: dim, context, first_at_least, first_at_most, safe_at_least, safe_at_most, the bounds
   that are proved (null: no base has a negative sum); why, of what is not certified; rounded_base,
   the first base in two digits, and rounded_first_negative, the first distance below the context
   whose sum is negative with that (null: none is). ERROR_FAILED: memory. */
int base_run(struct backend *backend, const struct base_request *request, struct table **table,
             struct error *error);

#endif

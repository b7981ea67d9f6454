/* Position encodings as scoring rules. One file per encoding behind one struct. */
#ifndef ROPETOOL_ENCODING_ENCODING_H
#define ROPETOOL_ENCODING_ENCODING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/backend.h"
#include "lib/base/error.h"
#include "lib/rope/spectrum.h"

struct encoding {
  const char *name;    /* "rope", as typed */
  const char *title;   /* "RoPE", as printed */
  const char *formula; /* the score of query m and key n */
  const char *source;
  bool rotates; /* multiplies query and key by R_m and R_n */

  /* Dimensions of the query and key vectors. */
  size_t (*dim)(const struct spectrum *spectrum);

  /* Fills the additive table of positions first .. first+rows−1, (row, dim); NULL when the encoding
     adds nothing to the token vectors. */
  int (*table)(struct backend *backend, const struct spectrum *spectrum, int64_t first, size_t rows,
               double *table, struct error *error);

  /* Whether the scores of vectors that hold `value` in every dimension depend on the distance alone
     (in exact arithmetic: rounded angles break it), and those scores at distances 0 .. count−1 (at
     −m the same as at m). */
  bool (*stationary)(double value);
  int (*profile)(struct backend *backend, const struct spectrum *spectrum, double value,
                 size_t count, double *score, struct error *error);
};

const struct encoding *encoding_at(size_t index); /* NULL past the end */
int encoding_find(const char *name, const struct encoding **encoding, struct error *error);

/* Σ_i cos(m·θ_i) at distances 0 .. count−1: what the profiles of rotations and waves are made of.
 */
int encoding_cosine_sums(struct backend *backend, const struct spectrum *spectrum, size_t count,
                         double *sum, struct error *error);

#endif

/* What a position does to a token vector: to its length, and to the angle between a query and a key
   that stand at the same position. */
#ifndef ROPETOOL_ANALYSIS_TOKEN_GEOMETRY_H
#define ROPETOOL_ANALYSIS_TOKEN_GEOMETRY_H

#include <stddef.h>

#include "kernels/backend.h"
#include "lib/base/error.h"
#include "lib/encoding/scorer.h"

/* Queries and keys at positions first .. first + rows − 1, without them: (row, dim) each. */
struct token_rows {
  size_t first, rows, dim;
  const double *query, *key;
};

/* What stands in the product query · key: table added, multiplied and rotated as the scorer does,
   (row, dim) out. `dim` is the scorer's width where it adds a table, else its dim. */
int token_geometry_place(struct backend *backend, const struct scorer *scorer,
                         const struct token_rows *tokens, double *query, double *key,
                         struct error *error);

/* Sums over tokens, each at its own position. */
struct token_drift {
  double norm; /* Σ |‖x with position‖/‖x‖ − 1| over queries and keys */
  size_t norms;
  double angle; /* Σ |angle(q, k with position) − angle(q, k)| over pairs, radians */
  size_t angles;
};

/* Adds those of the rows; vectors of length 0 have neither and do not count. */
int token_geometry_add(struct backend *backend, const struct scorer *scorer,
                       const struct token_rows *tokens, struct token_drift *drift,
                       struct error *error);

#endif

/* A scorer: an encoding made ready for a length, a head and its parameters. What it holds goes
   straight into struct score_batch of the backend. */
#ifndef ROPETOOL_ENCODING_SCORER_H
#define ROPETOOL_ENCODING_SCORER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/backend.h"
#include "lib/base/error.h"
#include "lib/encoding/values.h"
#include "lib/model/position_table.h"
#include "lib/rope/spectrum.h"

/* Which of the four terms of (x_m + p_m) · (x_n + p_n) are scored: x content, p position; the
   query's side is named first. */
enum score_terms {
  TERMS_ALL,
  TERMS_CONTENT_CONTENT,
  TERMS_CONTENT_POSITION,
  TERMS_POSITION_CONTENT,
  TERMS_POSITION_POSITION,
};

/* What an encoding is made for. */
struct encoding_setting {
  const struct spectrum *spectrum; /* the frequencies of rotations and waves */
  size_t length;                   /* positions 0 .. length − 1 */
  size_t width;                    /* dimensions of the token vectors, which tables are added to */
  size_t dim;   /* dimensions of a head's queries and keys; the width without projections */
  size_t heads; /* of the model: slopes and biases are one a head */
  size_t head;  /* < heads */
  const struct encoding_values *values; /* parameters; NULL: none was given */
  const struct position_table *learned; /* of the encoding "learned"; NULL: none was given */
  bool beyond;                          /* a table may be shorter than `length` */
  enum score_terms terms;
};

/* Members that are NULL, false or 0 do nothing. All arrays are the scorer's. */
struct scorer {
  double *table; /* (position, width) added to the token vectors, of queries and of keys */
  /* Rotates queries and keys. The spectrum is the setting's. */
  const struct spectrum *rotation;
  double *query_scale, *key_scale; /* (position, dim) multiplied onto queries and keys (xPos) */
  double *bias;                    /* (2·length − 1) by distance, behind the scaling */
  double scale; /* of scores in a softmax: 1/√dim times the spectrum's softmax factor as a rule */

  /* Terms of its own, for blocks of rows: see struct score_extra of the backend. `bind` is called
     before a draw is scored with its queries and keys, (position, dim), which live as long. */
  int (*bind)(struct scorer *scorer, const double *query, const double *key, struct error *error);
  int (*fill)(void *scorer, size_t draw, size_t first_row, size_t rows, double *extra,
              struct error *error);
  bool extra_after_scale;
  void *own; /* of the encoding */
  void (*release_own)(void *own);

  bool query_content, key_content; /* content takes part */
  bool query_table, key_table;     /* the table takes part */

  double positions;   /* how many it is defined for; INFINITY: any */
  const char *beyond; /* what happens there: "refused", "extrapolated", "periodic" */
  bool untrained;     /* made from random parameters */
};

void scorer_release(struct scorer *scorer);

#endif

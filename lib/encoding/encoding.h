/* Position encodings as scoring rules. One file per encoding behind one struct. */
#ifndef ROPETOOL_ENCODING_ENCODING_H
#define ROPETOOL_ENCODING_ENCODING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/backend.h"
#include "lib/base/error.h"
#include "lib/encoding/scorer.h"
#include "lib/encoding/values.h"
#include "lib/io/meta.h"
#include "lib/rope/spectrum.h"

/* What an encoding does with positions. */
enum encoding_kind {
  ENCODING_NOTHING,
  ENCODING_ROTATES, /* multiplies query and key by R_m and R_n */
  ENCODING_ADDS,    /* adds a table to the token vectors */
  ENCODING_BIASES,  /* adds to the scores */
};

/* What setting.spectrum is of. */
enum encoding_frequencies {
  FREQUENCIES_NONE,     /* it is not looked at, and may be NULL */
  FREQUENCIES_OF_DIM,   /* queries and keys: at most `dim` dimensions are rotated */
  FREQUENCIES_OF_WIDTH, /* token vectors: 2·pairs = width */
};

/* Takes what an encoding has to show of itself: "slope" of head 0, the first distance of a
   bucket. */
struct encoding_sink {
  int (*add)(void *to, const char *item, int64_t index, double value, struct error *error);
  void *to;
};

struct encoding {
  const char *name;    /* "rope", as typed */
  const char *title;   /* "RoPE", as printed */
  const char *formula; /* the score of query m and key n */
  const char *source;  /* with its arXiv number */
  const char
      *beyond; /* past the positions it was made for: "refused", "extrapolated", "periodic" */
  enum encoding_kind kind;
  enum encoding_frequencies frequencies;
  bool takes_table; /* needs setting.learned */
  bool by_head;     /* is another for each head */
  bool alone;       /* scores are left where content is zero */
  bool has_terms;   /* content and position can be scored apart: enum term_choice */
  const struct encoding_parameter *parameters; /* a list; NULL: none */

  /* Called by encoding_make() alone, which sets the members that have a common default before. */
  int (*make)(struct backend *backend, const struct encoding_setting *setting,
              struct scorer *scorer, struct error *error);

  /* Whether the products of vectors that hold `value` in every dimension depend on the distance
     alone (in exact arithmetic: rounded angles break it), and those at distances 0 .. count−1 (at
     −m the same as at m), without anything being made. NULL: by what the scorer holds. */
  bool (*stationary)(const struct encoding_setting *setting, double value);
  int (*profile)(struct backend *backend, const struct encoding_setting *setting, double value,
                 size_t count, double *score, struct error *error);

  /* Slopes, bucket starts, amplitudes; NULL: nothing to show. */
  int (*show)(struct backend *backend, const struct encoding_setting *setting,
              const struct encoding_sink *sink, struct error *error);
};

const struct encoding *encoding_at(size_t index); /* NULL past the end */
int encoding_find(const char *name, const struct encoding **encoding, struct error *error);
const char *encoding_kind_name(enum encoding_kind kind); /* "rotates", "adds", ... */

/* Makes the scorer, to be released with scorer_release() also after an error. ERROR_INPUT: head
   over heads, dimensions that do not fit the spectrum or the parameters, a parameter that is
   learned and was not given, a table that is too short, terms of an encoding without them. */
int encoding_make(const struct encoding *encoding, struct backend *backend,
                  const struct encoding_setting *setting, struct scorer *scorer,
                  struct error *error);

/* The numbers that are its parameters, and the learned table's name, under "parameters" of `meta`.
 */
int encoding_describe(const struct encoding *encoding, struct backend *backend,
                      const struct encoding_setting *setting, struct meta *meta,
                      struct error *error);

/* 1/√dim times the spectrum's softmax factor where the encoding looks at it. */
double encoding_scale(const struct encoding *encoding, const struct encoding_setting *setting);

/* Dimensions of vectors without a projection, by the spectrum of the command line: 2·pairs for
   waves, else those of the head; those of `learned` where the encoding takes it and it has them. */
size_t encoding_width(const struct encoding *encoding, const struct spectrum *spectrum,
                      const struct position_table *learned);

/* Σ_i cos(m·θ_i) at distances 0 .. count−1: what the profiles of rotations and waves are made of.
 */
int encoding_cosine_sums(struct backend *backend, const struct spectrum *spectrum, size_t count,
                         double *sum, struct error *error);

#endif

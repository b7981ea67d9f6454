/* Values of encodings' parameters, as --param gives them. */
#ifndef ROPETOOL_ENCODING_VALUES_H
#define ROPETOOL_ENCODING_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/backend.h"
#include "lib/base/error.h"
#include "lib/base/hash.h"

/* A parameter that an encoding takes. */
struct encoding_parameter {
  const char *key;   /* "max_distance"; NULL ends a list */
  const char *shape; /* of a tensor, in words: "(bucket, head)"; NULL: one number */
  bool learned;      /* training sets it: it is given, or random:SEED */
  double otherwise;  /* the default of a number; NaN: none. Of a learned one: where training starts,
                        so that the scorer counts as untrained */
  double lowest, highest; /* of a number */
  double random[2];       /* of a learned number: it is drawn evenly between them */
  bool whole;             /* a whole number */
  const char *meaning;    /* for the manual */
};

struct encoding_values;

struct encoding_values *encoding_values_create(struct error *error);
void encoding_values_destroy(struct encoding_values *values); /* NULL is allowed */

/* Adds "NAME.KEY=VALUE", VALUE a number, FILE[:TENSOR] or random:SEED; or "NAME=random:SEED" for
   every learned parameter of NAME that is not given by itself. What is given twice counts as given
   last. `sha256` is that of the file that was read, "" where there was none. ERROR_INPUT: no such
   encoding, no such parameter of it (the known ones are listed), a number that is none or out of
   range, random for what is not learned, a file that cannot be read. */
int encoding_values_set(struct encoding_values *values, const char *text, char sha256[HASH_TEXT],
                        struct error *error);

/* The name of an encoding that a parameter was given for and that `names` (NULL at its end) lacks;
   NULL: none. */
const char *encoding_values_unused(const struct encoding_values *values, const char *const *names);

/* What is asked for of an encoding's parameter. */
struct encoding_query {
  struct backend *backend;              /* draws random numbers */
  const struct encoding_values *values; /* NULL: none was given */
  const char *name, *key;
  size_t head; /* which of a learned number's random draws */
  /* Of a tensor; 0: as the file has it, which is then written here. */
  size_t rows, columns;
  size_t random_rows, random_columns; /* for a 0 above */
  double deviation;                   /* standard, of a random tensor's numbers */
  bool untrained;                     /* out: random, or where training starts; never cleared */
};

/* The number. ERROR_INPUT: learned, not given and without a default; the message says how to give
   it. */
int encoding_number(struct encoding_query *query, double *number, struct error *error);

/* The tensor, (row, column), to be released with free(); axes of length 1 count for nothing, and a
   single row may have one axis. NULL with the error: not given (the message says how to), of
   another shape, with NaN or infinity in it. */
double *encoding_tensor(struct encoding_query *query, struct error *error);

#endif

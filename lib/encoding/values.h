/* Values of encodings' parameters, as --param gives them. */
#ifndef ROPETOOL_ENCODING_VALUES_H
#define ROPETOOL_ENCODING_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/error.h"
#include "lib/io/meta.h"

/* A parameter that an encoding takes. */
struct encoding_parameter {
  const char *key;     /* "max_distance"; NULL ends a list */
  bool is_tensor;      /* numbers from a file or at random; else one number */
  bool learned;        /* there is no default that would mean anything */
  double otherwise;    /* the default of a number */
  const char *shape;   /* of a tensor, in words: "(bucket, head)" */
  const char *meaning; /* for the manual */
};

struct encoding_values;

struct encoding_values *encoding_values_create(struct error *error);
void encoding_values_destroy(struct encoding_values *values); /* NULL is allowed */

/* Adds "NAME.KEY=VALUE", VALUE a number, FILE[:TENSOR] or random:SEED. ERROR_INPUT: no such
   encoding, no such parameter of it (the known ones are listed), a number that is none, a file that
   cannot be read. Files that were read go to "inputs" of `meta`. */
int encoding_values_set(struct encoding_values *values, const char *text, struct meta *meta,
                        struct error *error);

/* The number of "NAME" "KEY", `otherwise` when it was not given. */
double encoding_number(const struct encoding_values *values, const char *name, const char *key,
                       double otherwise);

/* The tensor of "NAME" "KEY" with the shape (rows, columns): from a file, or N(0, 1) of a seed
   times `deviation`, which sets *untrained. free() it. NULL with the error: not given (the message
   says how to), or of another shape. */
double *encoding_tensor(const struct encoding_values *values, const char *name, const char *key,
                        size_t rows, size_t columns, double deviation, bool *untrained,
                        struct error *error);

#endif

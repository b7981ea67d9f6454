/* What the user asked for: which RoPE. Everything that follows from it is in lib/rope/spectrum.h.
 */
#ifndef ROPETOOL_ROPE_SPEC_H
#define ROPETOOL_ROPE_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/error.h"
#include "lib/base/layout.h"
#include "lib/base/precision.h"
#include "lib/io/meta.h"

enum { SPEC_PARAMETERS = 24, SPEC_KEY = 40, SPEC_LABEL = 96 };

/* One number of a scaling rule, under Hugging Face's field name: "factor", "low_freq_factor". */
struct spec_parameter {
  char key[SPEC_KEY];
  double value;
};

/* A scaling rule by name ("linear", "llama3"; "none" for plain RoPE) and its numbers, as given.
   Whether the rule exists and takes them is for lib/rope/scaling.h to say. */
struct spec_scaling {
  char type[SPEC_KEY];
  struct spec_parameter parameters[SPEC_PARAMETERS];
  size_t count;
};

struct rope_spec {
  char label[SPEC_LABEL]; /* of the series: "Llama-3-8B", or "" */
  size_t head_dim;        /* dimensions of a head */
  size_t rotary_dim;      /* rotated dimensions, even, 2 <= rotary_dim <= head_dim */
  double base;            /* theta, > 0 */
  struct spec_scaling scaling;
  int64_t context; /* tokens the model is made for (or --context); 0: not known */
  enum layout layout;
  enum precision precision;
};

/* Plain RoPE: 128 dimensions, base 10000, interleaved, fp64, no context. */
void spec_default(struct rope_spec *spec);

/* A number of the scaling rule; NAN when it was not given. */
double spec_parameter(const struct rope_spec *spec, const char *key);

/* Adds or replaces a number of the scaling rule. */
int spec_set_parameter(struct rope_spec *spec, const char *key, double value, struct error *error);

/* "TYPE[:key=value,...]" of the command line: "linear:factor=4". Numbers are plain; an original
   context also takes 8k or 1M. ERROR_INPUT: no type, no number after a key, a key twice. */
int spec_parse_scaling(const char *text, struct spec_scaling *scaling, struct error *error);

/* Appends one line to "warnings" of `meta`, with the series' label in front where there is one;
   a line that is there already is not said again. */
void spec_warn(const struct rope_spec *spec, struct meta *meta, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Writes every resolved value under its name into `meta` (a series' meta data). */
void spec_describe(const struct rope_spec *spec, struct meta *meta);

#endif

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

enum {
  SPEC_PARAMETERS = 24,
  SPEC_KEY = 40,
  SPEC_LABEL = 96,
  SPEC_LISTS = 2,
  SPEC_PAIRS = 1024, /* the longest list; heads of published models have at most 288 pairs */
  SPEC_AXES = 4,
};

/* One number of a scaling rule, under Hugging Face's field name: "factor", "low_freq_factor". */
struct spec_parameter {
  char key[SPEC_KEY];
  double value;
};

/* Numbers of a scaling rule, one for each pair: "short_factor", "inv_freq". From files alone. */
struct spec_list {
  char key[SPEC_KEY];
  size_t count;
  double value[SPEC_PAIRS];
};

/* A scaling rule by name ("linear", "llama3"; "none" for plain RoPE) and its numbers, as given.
   Whether the rule exists and takes them is for lib/rope/scaling.h to say. */
struct spec_scaling {
  char type[SPEC_KEY];
  struct spec_parameter parameters[SPEC_PARAMETERS];
  size_t count;
  struct spec_list lists[SPEC_LISTS];
  size_t list_count;
};

struct rope_spec {
  char label[SPEC_LABEL];    /* of the series: "Llama-3-8B", or "" */
  char layer_type[SPEC_KEY]; /* which layers it is of: "sliding_attention"; "": all */
  size_t head_dim;           /* dimensions of a head */
  size_t rotary_dim;         /* rotated dimensions, even, 2 <= rotary_dim <= head_dim */
  double base;               /* theta, > 0; NaN where the frequencies themselves are given */
  struct spec_scaling scaling;
  int64_t context;       /* tokens of the sequence: --context, else model_context; 0: not known */
  int64_t model_context; /* Hugging Face's max_position_embeddings; 0: not known */
  /* M-RoPE: how many pairs take their position from each axis (time, height, width); text has the
     same position on all. */
  size_t axes, section[SPEC_AXES];
  bool sections_interleaved;
  /* Two axes of a picture instead, without sections: the first half of the pairs is of width, the
     second of height, and the frequencies of each are those of half the dimensions. */
  bool axial;
  /* The attention of this model leaves its scores alone, whatever mscale_all_dim says. */
  bool plain_softmax;
  enum layout layout;
  enum precision precision;
};

/* Plain RoPE: 128 dimensions, base 10000, interleaved, fp64, no context. */
void spec_default(struct rope_spec *spec);

/* A number of the scaling rule; NAN when it was not given. */
double spec_parameter(const struct rope_spec *spec, const char *key);

/* A list of the scaling rule; NULL when it was not given. */
const struct spec_list *spec_list(const struct rope_spec *spec, const char *key);

/* Adds or replaces a list of the scaling rule: a copy. ERROR_INPUT: more than SPEC_PAIRS values, or
   a third list. */
int spec_set_list(struct rope_spec *spec, const char *key, const double *value, size_t count,
                  struct error *error);

/* Adds or replaces a number of the scaling rule. */
int spec_set_parameter(struct rope_spec *spec, const char *key, double value, struct error *error);

/* "TYPE[:key=value,...]" of the command line: "linear:factor=4". Numbers are plain; a context
   also takes 8k or 1M. Other names of a type become its own: see scaling_rule_name. ERROR_INPUT: no
   type, no number after a key, a key twice. */
int spec_parse_scaling(const char *text, struct spec_scaling *scaling, struct error *error);

/* Appends one line to "warnings" of `meta`, with the series' label in front where there is one;
   a line that is there already is not said again. */
void spec_warn(const struct rope_spec *spec, struct meta *meta, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Writes every resolved value under its name into `meta` (a series' meta data). */
void spec_describe(const struct rope_spec *spec, struct meta *meta);

#endif

/* Scaling rules: how a context extension changes the inverse frequencies. One file per rule. */
#ifndef ROPETOOL_ROPE_SCALING_H
#define ROPETOOL_ROPE_SCALING_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/error.h"
#include "lib/model/spec.h"

/* What a rule changes. On entry: the plain spectrum of spec.base, factors 1, effective_base = base.
 */
struct scaling_result {
  size_t pairs;
  long double *inv_freq; /* (pair) */
  double attention_factor, softmax_factor, effective_base;
};

struct scaling_key {
  const char *name; /* Hugging Face's field name */
  bool required;
};

struct scaling_rule {
  const char *name;           /* Hugging Face's rope_type: "linear" */
  const char *summary;        /* one line for the manual */
  const char *source;         /* where the formula stands */
  struct scaling_key keys[8]; /* the numbers it takes, up to the first without a name */
  int (*apply)(const struct rope_spec *spec, struct scaling_result *result, struct error *error);
};

const struct scaling_rule *scaling_rule_at(size_t index); /* NULL past the end */
const struct scaling_rule *scaling_rule_find(const char *name);

/* The rule of `scaling`, with its numbers checked: unknown rule (the known ones are listed),
   unknown number, missing number are ERROR_INPUT. */
int scaling_rule_check(const struct spec_scaling *scaling, const struct scaling_rule **rule,
                       struct error *error);

#endif

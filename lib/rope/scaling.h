/* Scaling rules: how a context extension changes the inverse frequencies. One file per rule. */
#ifndef ROPETOOL_ROPE_SCALING_H
#define ROPETOOL_ROPE_SCALING_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/error.h"
#include "lib/io/meta.h"
#include "lib/rope/spec.h"

enum { SCALING_KEYS = 12 };

/* What a rule changes. On entry: the plain spectrum of spec.base, factors 1, effective_base = base.
 */
struct scaling_result {
  size_t pairs;
  long double *inv_freq; /* (pair) */
  double attention_factor, softmax_factor, effective_base;
};

/* What a number of a rule may be. */
enum scaling_kind {
  SCALING_POSITIVE, /* > 0 */
  SCALING_REAL,     /* any finite number */
  SCALING_FLAG,     /* 0 or 1; true or false in a config.json */
};

struct scaling_key {
  const char *name; /* Hugging Face's field name */
  bool required;
  enum scaling_kind kind;
};

/* To add a rule: its file with one of these, and its name in the list of scaling.c. */
struct scaling_rule {
  const char *name;                      /* Hugging Face's rope_type: "linear" */
  const char *summary;                   /* one line for the manual */
  const char *source;                    /* where the formula stands */
  struct scaling_key keys[SCALING_KEYS]; /* up to the first without a name */
  /* The numbers were checked by scaling_check_numbers. ERROR_INPUT when they do not fit one
   * another. */
  int (*apply)(const struct rope_spec *spec, struct scaling_result *result, struct error *error);
  /* Appends what is legal but looks wrong to "warnings" of `meta`. NULL: nothing ever does. */
  void (*warn)(const struct rope_spec *spec, struct meta *meta);
};

const struct scaling_rule *scaling_rule_at(size_t index); /* NULL past the end */
const struct scaling_rule *scaling_rule_find(const char *name);
const struct scaling_key *scaling_key_find(const struct scaling_rule *rule, const char *name);

/* Whether the rule called `type` takes a number called `name`: ERROR_INPUT when there is no such
   rule (the known ones are listed) or it has no such number (those it has are). */
int scaling_key_check(const char *type, const char *name, struct error *error);

/* The rule of `scaling`, with its numbers checked: unknown rule (the known ones are listed),
   unknown number, missing number, a number out of its range are ERROR_INPUT. */
int scaling_rule_check(const struct spec_scaling *scaling, const struct scaling_rule **rule,
                       struct error *error);

/* The second half of scaling_rule_check. */
int scaling_check_numbers(const struct scaling_rule *rule, const struct spec_scaling *scaling,
                          struct error *error);

/* Appends to "warnings" of `meta` what is legal in spec.scaling but looks wrong, with its numbers:
   a factor below 1, an original context that is not shorter than the context, ... An unknown rule
   adds nothing. A model's own scaling is looked at by model_read; call this for a scaling given on
   the command line. */
void scaling_warn(const struct rope_spec *spec, struct meta *meta);

#endif

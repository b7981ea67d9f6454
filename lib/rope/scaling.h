/* Scaling rules: how a context extension changes the inverse frequencies. One file per rule. */
#ifndef ROPETOOL_ROPE_SCALING_H
#define ROPETOOL_ROPE_SCALING_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/error.h"
#include "lib/io/meta.h"
#include "lib/rope/spec.h"

enum { SCALING_KEYS = 16 };

/* What a rule changes. On entry: the plain spectrum of spec.base, factors 1, effective_base = base,
   the rest NaN. */
struct scaling_result {
  size_t pairs;
  bool single;           /* as Hugging Face computes it, in float: see scaling_round */
  long double *inv_freq; /* (pair) radians per token; a pair that does not rotate has 0 */
  double attention_factor, softmax_factor, effective_base;
  double full_factor;                     /* by which a pair is divided that is not kept at all */
  double correction_low, correction_high; /* YaRN's: the pairs between which the blend runs */
};

/* A step of a rule's arithmetic. Rules take their steps in the order of Hugging Face's code and
   round each by this, so that `single` gives what float32 gives there: the sum, difference, product
   or quotient of two floats, taken in long double, rounds to the same float. */
static inline long double scaling_round(const struct scaling_result *result, long double value) {
  return result->single ? (long double)(float)value : value;
}

/* base^(2i/rotary_dim), step by step as above; `base` is spec.base, or what a rule makes of it. */
long double scaling_power(const struct scaling_result *result, double base, size_t i,
                          size_t rotary_dim);

/* The plain spectrum of `base`: 1 / scaling_power. */
void scaling_plain(const struct rope_spec *spec, double base, struct scaling_result *result);

/* What a number of a rule may be. */
enum scaling_kind {
  SCALING_POSITIVE, /* > 0 */
  SCALING_NATURAL,  /* >= 0 */
  SCALING_REAL,     /* any finite number */
  SCALING_FLAG,     /* 0 or 1; true or false in a config.json */
};

struct scaling_key {
  const char *name; /* Hugging Face's field name */
  bool required;
  enum scaling_kind kind;
  const char
      *ignored; /* the rule leaves it alone: who reads it, for the warning; NULL: it counts */
};

/* To add a rule: its file with one of these, and its name in the list of scaling.c. */
struct scaling_rule {
  const char *name;                      /* Hugging Face's rope_type: "linear" */
  const char *summary;                   /* one line for the manual */
  const char *source;                    /* where the formula stands */
  struct scaling_key keys[SCALING_KEYS]; /* up to the first without a name */
  const char *lists[SPEC_LISTS];         /* the lists it needs, one positive number a pair each */
  bool zeros;                            /* zeros are allowed in them too */
  bool unnamed; /* stands for numbers of a file: not among the types that one can ask for */
  bool foreign; /* not a rope_type of Hugging Face transformers, nor what its classes default to */
  bool alike;   /* does the same to any frequency: goes with those of several axes, spec.axial */
  /* Files that use it do not say which context the model was trained for: theirs may be the longer
     one. */
  bool hides_original;
  /* The numbers were checked by scaling_check_numbers. ERROR_INPUT when they do not fit one
   * another. */
  int (*apply)(const struct rope_spec *spec, struct scaling_result *result, struct error *error);
  /* Appends what is legal but looks wrong to "warnings" of `meta`. NULL: nothing ever does. */
  void (*warn)(const struct rope_spec *spec, struct meta *meta);
};

const struct scaling_rule *scaling_rule_at(size_t index); /* NULL past the end */
const struct scaling_rule *scaling_rule_find(const char *name);
const struct scaling_key *scaling_key_find(const struct scaling_rule *rule, const char *name);

/* Whether the rule takes such a number and heeds it. */
bool scaling_key_counts(const struct scaling_rule *rule, const char *name);

/* The rule that a rope_type means: "default" is "none", and so is "mrope", whose sections say which
   position a pair takes; "su" is "longrope". Any other stays as it is. */
const char *scaling_rule_name(const char *type);

/* Whether the rule called `type` takes a number called `name`: ERROR_INPUT when there is no such
   rule (the known ones are listed) or it has no such number (those it has are). */
int scaling_key_check(const char *type, const char *name, struct error *error);

/* A number of the rule, `otherwise` when it was not given. */
double scaling_number(const struct rope_spec *spec, const char *key, double otherwise);

/* The original context: original_max_position_embeddings, else the model's context; NaN: neither is
   known. */
double scaling_original(const struct rope_spec *spec);

/* The context trained for: original_max_position_embeddings, else the model's context or, without a
   model, that of the sequence; NaN where that may be the longer one (see hides_original), or none
   is known. */
double scaling_trained(const struct rope_spec *spec);

/* The factor; when it was not given, the model's context over the original one. ERROR_INPUT when
   that is not known. */
int scaling_factor(const struct rope_spec *spec, double *factor, struct error *error);

/* The model's context: max_position_embeddings, a number of the rule, else spec.model_context; NaN:
   neither is known. */
double scaling_limit(const struct rope_spec *spec);

/* A list of the rule; ERROR_INPUT unless it has one number for each pair of `result`. */
int scaling_list(const struct rope_spec *spec, const char *key, const struct scaling_result *result,
                 const double **value, struct error *error);

/* The NTK-aware step (YaRN, arXiv:2309.00071 eq. 16): the plain spectrum of the base
   base · growth^(d/(d−2)), d = rotary_dim, which divides the lowest frequency by `growth` and keeps
   the highest. Sets effective_base and full_factor too. ERROR_INPUT: d = 2, a base without end. */
int scaling_grow(const struct rope_spec *spec, double growth, struct scaling_result *result,
                 struct error *error);

/* Warns where the factor that was given is not the model's context over the original one: given
   wins. Where the original context is not the shorter one, scaling_warn has said so. */
void scaling_warn_ratio(const struct rope_spec *spec, struct meta *meta);

/* 0.1·m·ln f + 1, 1 for a factor f up to 1: the temperature of YaRN's eq. 22 with DeepSeek's
   multiplier m. */
double scaling_mscale(double factor, double multiplier);

/* LongRoPE's √(1 + ln f / ln L), 1 for a factor f up to 1; L is the original context, above 1. */
double scaling_long_attention(double factor, double original);

/* The context that a model can reach: the longer of its own and the sequence's; 0: not known. */
int64_t scaling_reached(const struct rope_spec *spec);

/* The rule of `scaling`, with its numbers checked: unknown rule (the known ones are listed),
   unknown number, missing number, a number out of its range, a list that is missing or unknown are
   ERROR_INPUT. */
int scaling_rule_check(const struct spec_scaling *scaling, const struct scaling_rule **rule,
                       struct error *error);

/* What scaling_rule_check does with the numbers; lists are not looked at. */
int scaling_check_numbers(const struct scaling_rule *rule, const struct spec_scaling *scaling,
                          struct error *error);

/* Appends to "warnings" of `meta` what is legal in spec.scaling but looks wrong, with its numbers:
   a factor below 1, an original context that is not shorter than the context, a number that the
   rule ignores and who reads it, ... An unknown rule adds nothing. A model's own scaling is looked
   at by model_read; call this for a scaling given on the command line. */
void scaling_warn(const struct rope_spec *spec, struct meta *meta);

#endif

/* What engines share; for lib/rope/engine*.c alone. */
#ifndef ROPETOOL_ROPE_ENGINE_PARTS_H
#define ROPETOOL_ROPE_ENGINE_PARTS_H

#include <stdbool.h>

#include "lib/rope/engine.h"

/* How an engine treats a scaling type. */
struct engine_rule {
  const char *type; /* of spec.scaling */
  /* Adapts the spec, which is a copy in fp32, and makes the spectrum. NULL: as Hugging Face. */
  int (*compute)(struct rope_spec *spec, struct spectrum **spectrum, struct meta *meta,
                 struct error *error);
  const char *refusal; /* why the engine cannot do this; NULL: it can */
};

/* By the rule for spec.scaling.type out of `rules`, which end at the first without a type.
   ERROR_INPUT: none, or a refusal. */
int engine_by_rule(const struct engine *engine, const struct engine_rule *rules,
                   const struct rope_spec *spec, struct spectrum **spectrum, struct meta *meta,
                   struct error *error);

/* Appends a line to "engine_notes" of `meta`. */
void engine_note(struct meta *meta, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Whether a number of the scaling rule was given; it no longer is. */
bool engine_drop(struct rope_spec *spec, const char *key);

/* The same spec without its scaling rule. */
void engine_drop_scaling(struct rope_spec *spec);

/* LongRoPE's √(1 + ln(M/L) / ln L) from the model's context M and the original one, 1 where M is
   not longer; NaN where one of them is not known. */
double engine_long_factor(const struct rope_spec *spec);

/* Sets the attention factor, unless it is NaN, and notes where it is not Hugging Face's. */
void engine_set_long_factor(struct spectrum *spectrum, double attention, const char *source,
                            struct meta *meta);

/* Whether the model's attention is DeepSeek's, which reads mscale and mscale_all_dim: one of them
   is given, and the spec does not say that the softmax is plain. */
bool engine_is_deepseek(const struct rope_spec *spec);

#endif

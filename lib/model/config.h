/* A model from the text of a Hugging Face config.json. */
#ifndef ROPETOOL_MODEL_CONFIG_H
#define ROPETOOL_MODEL_CONFIG_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/error.h"
#include "lib/io/meta.h"
#include "lib/model/family.h"
#include "lib/model/fields.h"
#include "lib/model/model.h"
#include "lib/rope/spec.h"

/* Reads it; an empty label becomes the model_type. Legal oddities go to "warnings" of `meta`.
   Errors as model_read, without the file's name. */
int config_read(const char *text, size_t size, const char *label, struct model **model,
                struct meta *meta, struct error *error);

/* What follows is between config.c, config_head.c and config_rope.c. */

enum { CONFIG_LEVELS = 4 };

struct config {
  const struct fields *level[CONFIG_LEVELS]; /* text_config before what holds it */
  size_t levels;
  const char *model_type; /* NULL: none */
  bool known;             /* the family is that of model_type, not the usual one */
  struct model_family family;
  const char *head_key;      /* which field gave head_dim; NULL: a quotient did */
  const struct fields *rope; /* rope_parameters or rope_scaling; NULL: none */
  const char *rope_name;
  struct rope_spec *spec;
  struct meta *meta;
};

/* The first of `keys` (NULL ends them) that is there; NULL when none is. */
const char *config_key(const struct fields *fields, const char *const *keys);

/* The object that has one of `keys`, the innermost first, and in *key the first
   that it has; NULL when no object has one. A value from outside the text_config is warned about.
 */
const struct fields *config_find(const struct config *config, const char *const *keys,
                                 const char **key);

/* The number > 0 under the first of `keys`, and which key that was; both are left alone when there
   is none. Another of the keys with another value is warned about. */
int config_positive(const struct config *config, const char *const *keys, double *value,
                    const char **key, struct error *error);

/* spec.head_dim and spec.rotary_dim. Needs config.rope. */
int config_read_head(struct config *config, struct error *error);

/* config.rope and config.rope_name; a dictionary for each layer type is an error. */
int config_find_rope(struct config *config, struct error *error);

/* spec.base and spec.scaling. Needs config.rope, spec.rotary_dim and spec.context. */
int config_read_rope(struct config *config, struct error *error);

#endif

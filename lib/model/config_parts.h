/* What the parts of the reader of config.json share: config.c and config_*.c alone include it. */
#ifndef ROPETOOL_MODEL_CONFIG_PARTS_H
#define ROPETOOL_MODEL_CONFIG_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/model/config.h"
#include "lib/model/family.h"
#include "lib/model/fields.h"
#include "lib/rope/scaling.h"
#include "lib/rope/spec.h"

enum {
  CONFIG_LEVELS = 4,
  CONFIG_ROPES = 8, /* layer types with a RoPE of their own, and as many without any */
  CONFIG_PATH = 192,
};

/* Where a value stands. */
struct config_place {
  const struct fields *fields; /* the object that holds it; NULL: it is not there */
  const char *key;
  const char *holder; /* that object's path in the file: "text_config"; "": the file itself */
  const char *source; /* said instead of them; NULL: nothing */
};

/* One RoPE to be read, and the layers it is of. */
struct config_layer {
  char type[SPEC_KEY];         /* "full_attention"; "": all */
  const struct fields *rope;   /* its dictionary; NULL: none */
  char rope_name[CONFIG_PATH]; /* "rope_parameters.full_attention", for messages */
  char rope_path[CONFIG_PATH]; /* the same from the top of the file */
  const char *source;          /* as in config_place */
  bool local;                  /* the sliding_attention layers of a family with two bases */
};

struct config {
  const struct fields *level[CONFIG_LEVELS]; /* text_config before what holds it */
  char holder[CONFIG_LEVELS][CONFIG_PATH];
  const struct fields *attention[CONFIG_LEVELS]; /* the 'attn_config' of each; NULL: none */
  char attention_holder[CONFIG_LEVELS][CONFIG_PATH];
  size_t levels;
  const char *model_type; /* NULL: none */
  bool known;             /* the family is that of model_type, not the usual one */
  struct model_family family;

  struct config_layer layer[CONFIG_ROPES];
  size_t layers;
  char bare[CONFIG_ROPES][SPEC_KEY]; /* layer types whose dictionary is null */
  size_t bares;
  bool nested; /* the dictionary holds one for each layer type */

  struct fields *usual; /* family.rope, where the config has no dictionary; NULL: not needed */
  char usual_source[CONFIG_PATH];

  struct model *model;             /* NULL until config.layer is known */
  const struct config_layer *now;  /* whose RoPE is being read; NULL: what all have in common */
  struct rope_spec *spec;          /* of that */
  const struct scaling_rule *rule; /* of that */
  struct config_place type_place;  /* what said so */
  struct meta *meta;
};

/* config_find.c */

/* The first of `keys` (NULL ends them) that is there; NULL when none is. */
const char *config_key(const struct fields *fields, const char *const *keys);

/* The first of `keys` in the innermost object that has one, or whose 'attn_config' has. A value
   from outside the text_config is warned about. */
struct config_place config_find(const struct config *config, const char *const *keys);

/* Whether `key` is there with the value null, in the file or the dictionary that is being read. */
bool config_is_null(const struct config *config, const char *key);

/* The number > 0 under the first of `keys`; it is left alone when there is none. Another of the
   keys with another value is warned about. */
int config_positive(const struct config *config, const char *const *keys, double *value,
                    struct config_place *place, struct error *error);

/* `key` of the dictionary of the RoPE that is being read. */
struct config_place config_inside(const struct config *config, const char *key);

/* The parts of a multi-modal model that hold its language model, innermost first: config.level. */
int config_find_levels(struct config *config, const struct fields *root, struct error *error);

/* config_explain.c: rows of model->values, for the layers of config.now. */

int config_explain(struct config *config, const char *name, const char *value, const char *source,
                   struct error *error);
int config_explain_number(struct config *config, const char *name, double value, const char *source,
                          struct error *error);

/* "'rope_theta' in 'rope_parameters.full_attention'". */
const char *config_source(const struct config_place *place, char source[CONFIG_PATH]);

/* "default of model_type 'gpt_neox' (transformers 5)". */
const char *config_default(const struct config *config, char source[CONFIG_PATH]);

/* config_family.c: config.family, the label, and what all layers have in common. */

int config_read_family(struct config *config, struct error *error);
int config_check_rope_there(const struct config *config, struct error *error);
int config_read_layout(struct config *config, struct error *error);
int config_read_context(struct config *config, struct error *error);

/* config_layers.c: config.layer and config.bare. */
int config_find_layers(struct config *config, struct error *error);

/* config_unread.c: warns of names outside the dictionaries that are of RoPE and not known. */
void config_warn_unread(const struct config *config);

/* config_head.c: spec.head_dim and spec.rotary_dim. Needs config.rule. */
int config_read_head(struct config *config, struct error *error);

/* config_rope.c: config.rule and spec.scaling.type, and the base. */
int config_read_type(struct config *config, struct error *error);
int config_read_base(struct config *config, struct error *error);

/* The type under which a dictionary's rope_type or type is known here; NULL in *name: it has none.
 */
int config_rule_name(const struct config *config, const struct fields *rope, const char **name,
                     struct error *error);

/* Whether a name in a dictionary is none of a rule's numbers. */
bool config_is_common(const char *name);

/* config_scaling.c: the numbers and lists of spec.scaling. Needs all of the above. */
int config_read_scaling(struct config *config, struct error *error);

/* config_sections.c: the sections of M-RoPE. Needs spec.rotary_dim. */
int config_read_sections(struct config *config, struct error *error);

/* config_schedule.c: model->layers and model->schedule. */
int config_read_schedule(struct config *config, struct error *error);

#endif

/* Which RoPEs a config has, and of which layers they are. */
#include <stdio.h>
#include <string.h>

#include "lib/model/config_parts.h"

/* Real dictionaries have about ten names, some of several versions of a rule at most thirty. */
enum { MOST_NAMES = 64 };

static const char full[] = "full_attention", sliding[] = "sliding_attention";

static bool is_layer_type(const char *name) {
  static const char suffix[] = "_attention";
  const size_t length = strlen(name), tail = sizeof suffix - 1;
  return length > tail && !strcmp(name + length - tail, suffix);
}

/* {"full_attention": {...}, "sliding_attention": {...}}: layer types, or nothing but dictionaries
   (and nulls). */
static bool is_nested(const struct fields *rope) {
  size_t objects = 0, others = 0;
  const char *name;
  for (size_t i = 0; (name = fields_name_at(rope, i)); i++) {
    if (is_layer_type(name)) return true;
    const enum field_kind kind = fields_kind(rope, name);
    objects += kind == FIELD_OBJECT;
    others += kind != FIELD_OBJECT && kind != FIELD_NONE;
  }
  return objects > 0 && others == 0;
}

static int check_names(const struct fields *rope, const char *name, struct error *error) {
  if (fields_size(rope) <= MOST_NAMES) return OK;
  return error_set(error, ERROR_INPUT, "'%s' holds %zu names: at most %d are read", name,
                   fields_size(rope), MOST_NAMES);
}

/* Two dictionaries: they may repeat each other, not contradict. */
static int check_both(const struct config *config, const struct config_place *place,
                      const struct fields *rope, struct error *error) {
  const struct fields *old = NULL;
  const char *new_type = NULL, *old_type = NULL;
  int failed = fields_object(place->fields, "rope_scaling", &old, error);
  if (failed || !old || old == rope) return failed;
  if (!config->nested) {
    failed = config_rule_name(config, rope, &new_type, error);
    if (!failed) failed = config_rule_name(config, old, &old_type, error);
    if (failed) return failed;
    if (!new_type || !strcmp(new_type, "none")) new_type = "default";
    if (!old_type || !strcmp(old_type, "none")) old_type = "default";
    if (strcmp(new_type, old_type))
      return error_set(error, ERROR_INPUT,
                       "'rope_parameters' has the type '%s' but 'rope_scaling' has '%s'", new_type,
                       old_type);
  }
  if (!fields_equal(place->fields, "rope_parameters", "rope_scaling"))
    spec_warn(config->spec, config->meta,
              "'rope_parameters' is used, not 'rope_scaling', which differs");
  return OK;
}

/* The next RoPE: of the layers called `type`, from the dictionary `rope` at `place`. */
static struct config_layer *add_layer(struct config *config, const char *type,
                                      const struct fields *rope, const struct config_place *place) {
  struct config_layer *layer = &config->layer[config->layers++];
  snprintf(layer->type, SPEC_KEY, "%s", type);
  layer->rope = rope;
  layer->source = place->source;
  const bool inside = config->nested && *type;
  const char *dot = inside ? "." : "", *entry = inside ? type : "";
  snprintf(layer->rope_name, CONFIG_PATH, "%s%s%s", place->key, dot, entry);
  snprintf(layer->rope_path, CONFIG_PATH, "%.80s%s%s%s%s", place->holder, *place->holder ? "." : "",
           place->key, dot, entry);
  return layer;
}

/* One layer type of a dictionary of them. */
static int read_entry(struct config *config, const struct fields *rope, const char *type,
                      const struct config_place *place, struct error *error) {
  const enum field_kind kind = fields_kind(rope, type);
  const struct fields *inner = NULL;
  if (kind != FIELD_OBJECT && kind != FIELD_NONE && !is_layer_type(type)) return OK;
  if (fields_object(rope, type, &inner, error)) return error_prefix(error, "'%s'", place->key);
  const size_t length = strlen(type);
  if (length == 0 || length >= SPEC_KEY)
    return error_set(error, ERROR_INPUT, "'%s' holds '%s', which is not the name of a layer type",
                     place->key, type);
  if (kind == FIELD_NONE && config_is_common(type)) return OK;
  if (config->layers == CONFIG_ROPES || config->bares == CONFIG_ROPES)
    return error_set(error, ERROR_INPUT, "'%s' holds more than %d layer types: at most %d are read",
                     place->key, CONFIG_ROPES, CONFIG_ROPES);
  if (kind == FIELD_NONE) {
    snprintf(config->bare[config->bares++], SPEC_KEY, "%s", type);
    spec_warn(config->spec, config->meta, "layers of type '%s' have no RoPE: '%s.%s' is null", type,
              place->key, type);
    return OK;
  }
  const struct config_layer *layer = add_layer(config, type, inner, place);
  return check_names(inner, layer->rope_name, error);
}

/* What stands beside the layer types belongs to none of them. When all of these are null, it is of
   the other layers. */
static int read_rest(struct config *config, const struct fields *rope,
                     const struct config_place *place, struct error *error) {
  const char *name;
  size_t others = 0;
  for (size_t i = 0; (name = fields_name_at(rope, i)); i++) {
    const enum field_kind kind = fields_kind(rope, name);
    if (kind == FIELD_OBJECT || kind == FIELD_NONE) continue;
    others++;
    if (config->layers > 0)
      spec_warn(config->spec, config->meta, "'%s' holds '%.63s' beside its layer types: ignored",
                place->key, name);
  }
  if (config->layers > 0) return OK;
  if (others == 0)
    return error_set(error, ERROR_INPUT, "the model has no RoPE: every layer type of '%s' is null",
                     place->key);
  add_layer(config, "", rope, place);
  return OK;
}

static int read_nested(struct config *config, const struct fields *rope,
                       const struct config_place *place, struct error *error) {
  const char *name;
  for (size_t i = 0; (name = fields_name_at(rope, i)); i++) {
    const int failed = read_entry(config, rope, name, place, error);
    if (failed) return failed;
  }
  return read_rest(config, rope, place, error);
}

/* The older way of giving two RoPEs: two bases, and a dictionary for full_attention alone. */
static bool has_two(const struct config *config, const struct fields *rope) {
  static const char *const keys[] = {"rope_local_base_freq", "local_rope_theta", "swa_rope_theta",
                                     "global_rope_theta", NULL};
  if (config_find(config, keys).fields) return true;
  if (!config->family.layered) return false;
  return config->family.local_base > 0 || (rope && fields_size(rope) > 0);
}

/* The dictionary that the family's class has when the config gives none. */
static int use_usual(struct config *config, struct config_place *place, struct error *error) {
  const char *text = config->family.rope;
  const int failed = fields_parse(text, strlen(text), &config->usual, error);
  if (failed) return failed;
  config_default(config, config->usual_source);
  place->source = config->usual_source;
  spec_warn(config->spec, config->meta,
            "there is no 'rope_parameters': that of model_type '%.63s' is used",
            config->model_type);
  config->nested = is_nested(config->usual);
  if (config->nested) return read_nested(config, config->usual, place, error);
  add_layer(config, "", config->usual, place);
  return OK;
}

int config_find_layers(struct config *config, struct error *error) {
  static const char *const keys[] = {"rope_parameters", "rope_scaling", NULL};
  const struct fields *rope = NULL;
  struct config_place place = config_find(config, keys);
  if (!place.fields && config->family.rope) return use_usual(config, &place, error);
  if (place.fields) {
    int failed = fields_object(place.fields, place.key, &rope, error);
    if (!failed) failed = check_names(rope, place.key, error);
    if (failed) return failed;
    config->nested = is_nested(rope);
    failed = check_both(config, &place, rope, error);
    if (failed) return failed;
    if (config->nested) return read_nested(config, rope, &place, error);
  }
  if (has_two(config, rope)) {
    add_layer(config, full, rope, &place);
    add_layer(config, sliding, NULL, &place)->local = true;
  } else {
    add_layer(config, "", rope, &place);
  }
  return OK;
}

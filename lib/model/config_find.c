/* Finding a value among the objects of a config. */
#include <stdio.h>
#include <string.h>

#include "lib/model/config_parts.h"

const char *config_key(const struct fields *fields, const char *const *keys) {
  while (*keys && fields_kind(fields, *keys) == FIELD_NONE)
    keys++;
  return *keys;
}

struct config_place config_find(const struct config *config, const char *const *keys) {
  for (size_t i = 0; i < config->levels; i++) {
    const char *key = config_key(config->level[i], keys);
    if (!key) continue;
    if (i > 0)
      spec_warn(config->spec, config->meta,
                "'%s' is read from outside the language model's part, which has none", key);
    return (struct config_place){config->level[i], key, config->holder[i], NULL};
  }
  return (struct config_place){NULL, keys[0], "", NULL};
}

int config_positive(const struct config *config, const char *const *keys, double *value,
                    struct config_place *place, struct error *error) {
  *place = config_find(config, keys);
  if (!place->fields) return OK;
  int failed = fields_positive(place->fields, place->key, value, error);
  for (; !failed && *keys; keys++) {
    double other = *value;
    failed = fields_positive(place->fields, *keys, &other, error);
    if (!failed && other != *value)
      spec_warn(config->spec, config->meta, "'%s' %.10g is used, not '%s' %.10g", place->key,
                *value, *keys, other);
  }
  return failed;
}

struct config_place config_inside(const struct config *config, const char *key) {
  const struct config_layer *layer = config->now;
  const bool there = layer->rope && fields_kind(layer->rope, key) != FIELD_NONE;
  return (struct config_place){there ? layer->rope : NULL, key, layer->rope_path, layer->source};
}

int config_find_levels(struct config *config, const struct fields *root, struct error *error) {
  static const char *const parts[] = {"thinker_config", "llm_config", "language_config",
                                      "text_config"};
  const struct fields *inner = root;
  char path[CONFIG_PATH] = "";
  size_t used = 0;
  config->level[0] = root;
  config->levels = 1;
  for (size_t i = 0; i < sizeof parts / sizeof *parts && config->levels < CONFIG_LEVELS; i++) {
    const struct fields *part = NULL;
    const int failed = fields_object(inner, parts[i], &part, error);
    if (failed) return failed;
    if (!part) continue;
    used += (size_t)snprintf(path + used, sizeof path - used, "%s%s", used ? "." : "", parts[i]);
    memmove(config->level + 1, config->level, config->levels * sizeof *config->level);
    memmove(config->holder + 1, config->holder, config->levels * sizeof *config->holder);
    config->level[0] = inner = part;
    memcpy(config->holder[0], path, sizeof path);
    config->levels++;
  }
  return OK;
}

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
    const struct fields *holder = config->level[i], *attention = config->attention[i];
    const char *key = config_key(holder, keys), *path = config->holder[i];
    if (!key && attention) {
      holder = attention;
      key = config_key(attention, keys);
      path = config->attention_holder[i];
    }
    if (!key) continue;
    if (i > 0)
      spec_warn(config->spec, config->meta,
                "'%s' is read from outside the language model's part, which has none", key);
    return (struct config_place){holder, key, path, NULL};
  }
  return (struct config_place){NULL, keys[0], "", NULL};
}

bool config_is_null(const struct config *config, const char *key) {
  const struct fields *rope = config->now ? config->now->rope : NULL;
  bool null = rope && fields_has(rope, key) && fields_kind(rope, key) == FIELD_NONE;
  for (size_t i = 0; !null && i < config->levels; i++)
    null = fields_has(config->level[i], key) && fields_kind(config->level[i], key) == FIELD_NONE;
  return null;
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

/* DBRX and MPT keep what is of the attention apart. */
static int find_attention(struct config *config, struct error *error) {
  int failed = OK;
  for (size_t i = 0; !failed && i < config->levels; i++) {
    failed = fields_object(config->level[i], "attn_config", &config->attention[i], error);
    snprintf(config->attention_holder[i], CONFIG_PATH, "%.170s%sattn_config", config->holder[i],
             *config->holder[i] ? "." : "");
  }
  return failed;
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
  return find_attention(config, error);
}

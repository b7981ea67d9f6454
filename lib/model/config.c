#include "lib/model/config.h"

#include <stdio.h>
#include <string.h>

const char *config_key(const struct fields *fields, const char *const *keys) {
  while (*keys && fields_kind(fields, *keys) == FIELD_NONE)
    keys++;
  return *keys;
}

const struct fields *config_find(const struct config *config, const char *const *keys,
                                 const char **key) {
  for (size_t i = 0; i < config->levels; i++) {
    const char *found = config_key(config->level[i], keys);
    if (!found) continue;
    *key = found;
    if (i > 0)
      spec_warn(config->spec, config->meta,
                "'%s' is read from outside the language model's part, which "
                "has none",
                found);
    return config->level[i];
  }
  return NULL;
}

int config_positive(const struct config *config, const char *const *keys, double *value,
                    const char **key, struct error *error) {
  const char *first;
  const struct fields *place = config_find(config, keys, &first);
  if (!place) return OK;
  int failed = fields_positive(place, first, value, error);
  for (; !failed && *keys; keys++) {
    double other = *value;
    failed = fields_positive(place, *keys, &other, error);
    if (!failed && other != *value)
      spec_warn(config->spec, config->meta, "'%s' %.10g is used, not '%s' %.10g", first, *value,
                *keys, other);
  }
  *key = first;
  return failed;
}

/* The parts of a multi-modal model that hold its language model, and where those lie inside one
 * another. */
static int find_levels(struct config *config, const struct fields *root, struct error *error) {
  static const char *const parts[] = {"thinker_config", "llm_config", "language_config",
                                      "text_config"};
  const struct fields *found[CONFIG_LEVELS] = {root};
  size_t count = 1;
  for (size_t i = 0; i < sizeof parts / sizeof *parts && count < CONFIG_LEVELS; i++) {
    const struct fields *part = NULL;
    const int failed = fields_object(found[count - 1], parts[i], &part, error);
    if (failed) return failed;
    if (part) found[count++] = part;
  }
  config->levels = count;
  for (size_t i = 0; i < count; i++)
    config->level[i] = found[count - 1 - i];
  return OK;
}

static int read_family(struct config *config, struct error *error) {
  const char *type = NULL;
  for (size_t i = 0; i < config->levels && !type; i++) {
    const int failed = fields_text(config->level[i], "model_type", &type, error);
    if (failed) return failed;
  }
  config->model_type = type;
  if (!*config->spec->label)
    snprintf(config->spec->label, SPEC_LABEL, "%s", type && strlen(type) < 64 ? type : "model");
  config->known = model_family_find(type, &config->family);
  config->spec->layout = config->family.layout;
  if (config->family.instead)
    return error_set(error, ERROR_INPUT, "the model has no RoPE: model_type '%s' has %s", type,
                     config->family.instead);
  if (config->family.layered)
    return error_set(error, ERROR_INPUT,
                     "model_type '%s' has a RoPE for each layer type (full_attention, "
                     "sliding_attention): only models with one RoPE for all layers can be read",
                     type);
  if (!type)
    spec_warn(config->spec, config->meta,
              "there is no model_type: the pairs are taken as halves, as in most models");
  else if (!config->known)
    spec_warn(
        config->spec, config->meta,
        "the model_type '%.63s' is not known: its pairs are taken as halves, as in most models",
        type);
  return OK;
}

/* Models of a family with RoPE that were built without it. */
static int check_rope_there(const struct config *config, struct error *error) {
  static const char *const flag_keys[] = {"alibi", NULL}, *const plane_keys[] = {
                                                              "position_encoding_2d", NULL};
  static const char *const type_keys[] = {"position_embedding_type", NULL};
  static const char *const others[] = {"absolute", "relative_key", "relative_key_query", "alibi",
                                       "nope"};
  const char *key, *type = NULL;
  bool alibi = false, plane = false;
  int failed = OK;
  const struct fields *place = config_find(config, flag_keys, &key);
  if (place) failed = fields_flag(place, key, &alibi, error);
  if (!failed && (place = config_find(config, plane_keys, &key)))
    failed = fields_flag(place, key, &plane, error);
  if (!failed && (place = config_find(config, type_keys, &key)))
    failed = fields_text(place, key, &type, error);
  if (failed) return failed;
  if (alibi) return error_set(error, ERROR_INPUT, "the model has no RoPE: 'alibi' is true");
  if (plane)
    return error_set(
        error, ERROR_INPUT,
        "the model has two-dimensional positions ('position_encoding_2d' is true): only "
        "one-dimensional ones can be read");
  for (size_t i = 0; type && i < sizeof others / sizeof *others; i++)
    if (!strcmp(type, others[i]))
      return error_set(error, ERROR_INPUT,
                       "the model has no RoPE: 'position_embedding_type' is '%s'", type);
  return OK;
}

static int read_layout(struct config *config, struct error *error) {
  static const char *const keys[] = {"rope_interleave", "rotary_emb_interleaved", NULL};
  const char *key;
  const struct fields *place = config_find(config, keys, &key);
  if (!place) return OK;
  bool interleaved = false;
  const int failed = fields_flag(place, key, &interleaved, error);
  if (!failed) config->spec->layout = interleaved ? LAYOUT_INTERLEAVED : LAYOUT_HALVES;
  return failed;
}

static int read_context(struct config *config, struct error *error) {
  static const char *const keys[] = {"max_position_embeddings", "n_positions", "seq_length",
                                     "max_sequence_length",     "n_ctx",       NULL};
  const char *key;
  const struct fields *place = config_find(config, keys, &key);
  return place ? fields_count(place, key, &config->spec->context, error) : OK;
}

/* Some models leave layers without any position: the spectrum is that of the others. */
static int warn_bare_layers(const struct config *config, struct error *error) {
  static const char *const list_keys[] = {"no_rope_layers", NULL};
  static const char *const interval_keys[] = {"no_rope_layer_interval", NULL};
  struct field_sum layers = {0};
  int64_t interval = 0;
  const char *key;
  const struct fields *place = config_find(config, list_keys, &key);
  int failed = place ? fields_sum(place, key, &layers, error) : OK;
  if (failed) return failed;
  if (layers.count > 0) {
    if (layers.zeros > 0)
      spec_warn(config->spec, config->meta, "%zu of %zu layers have no RoPE ('no_rope_layers')",
                layers.zeros, layers.count);
    return OK;
  }
  place = config_find(config, interval_keys, &key);
  failed = place ? fields_count(place, key, &interval, error) : OK;
  if (!failed && interval > 0)
    spec_warn(config->spec, config->meta,
              "one in %lld layers has no RoPE ('no_rope_layer_interval')", (long long)interval);
  return failed;
}

static int read_all(struct config *config, const struct fields *root, struct error *error) {
  int failed = find_levels(config, root, error);
  if (!failed) failed = read_family(config, error);
  if (!failed) failed = check_rope_there(config, error);
  if (!failed) failed = config_find_rope(config, error);
  if (!failed) failed = read_layout(config, error);
  if (!failed) failed = read_context(config, error);
  if (!failed) failed = config_read_head(config, error);
  if (!failed) failed = config_read_rope(config, error);
  if (!failed) failed = warn_bare_layers(config, error);
  return failed;
}

int config_read(const char *text, size_t size, const char *label, struct model **model,
                struct meta *meta, struct error *error) {
  struct fields *root;
  *model = NULL;
  int failed = fields_parse(text, size, &root, error);
  if (failed) return failed;
  struct model *made = model_create(label, 1, error);
  if (made) {
    struct config config = {.spec = made->ropes, .meta = meta};
    failed = read_all(&config, root, error);
    made->ropes->model_context = made->ropes->context;
  } else {
    failed = error->code;
  }
  fields_release(root);
  if (failed)
    model_destroy(made);
  else
    *model = made;
  return failed;
}

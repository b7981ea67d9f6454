/* What a config says of all its layers: the family, whether there is RoPE, pairing, context. */
#include <stdio.h>
#include <string.h>

#include "lib/model/config_parts.h"

int config_read_family(struct config *config, struct error *error) {
  const char *type = NULL;
  for (size_t i = 0; i < config->levels && !type; i++) {
    const int failed = fields_text(config->level[i], "model_type", &type, error);
    if (failed) return failed;
  }
  config->model_type = type;
  if (!*config->spec->label)
    snprintf(config->spec->label, SPEC_LABEL, "%s", type && strlen(type) < 64 ? type : "model");
  config->known = model_family_find(type, &config->family);
  if (config->family.instead)
    return error_set(error, ERROR_INPUT, "the model has no RoPE: model_type '%s' has %s", type,
                     config->family.instead);
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

/* The largest models of some families have ALiBi, and nothing says so but their size. */
static int check_size(const struct config *config, struct error *error) {
  static const char *const keys[] = {"num_hidden_layers", "num_attention_heads", NULL};
  const int64_t alibi = config->family.alibi_layers;
  int64_t layers = 0;
  if (alibi == 0) return OK;
  const struct config_place place = config_find(config, keys);
  const int failed = place.fields ? fields_count(place.fields, place.key, &layers, error) : OK;
  if (failed || layers != alibi) return failed;
  return error_set(error, ERROR_INPUT,
                   "the model has no RoPE: model_type '%s' has ALiBi where it has %lld layers",
                   config->model_type, (long long)alibi);
}

/* Models of a family with RoPE that were built without it. */
int config_check_rope_there(const struct config *config, struct error *error) {
  static const char *const flag_keys[] = {"alibi", NULL}, *const plane_keys[] = {
                                                              "position_encoding_2d", NULL};
  static const char *const type_keys[] = {"position_embedding_type", NULL};
  static const char *const others[] = {"absolute", "relative_key", "relative_key_query", "alibi",
                                       "nope"};
  const char *type = NULL;
  bool alibi = false, plane = false;
  int failed = OK;
  struct config_place place = config_find(config, flag_keys);
  if (place.fields) failed = fields_flag(place.fields, place.key, &alibi, error);
  if (!failed && (place = config_find(config, plane_keys)).fields)
    failed = fields_flag(place.fields, place.key, &plane, error);
  if (!failed && (place = config_find(config, type_keys)).fields)
    failed = fields_text(place.fields, place.key, &type, error);
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
  return check_size(config, error);
}

int config_read_layout(struct config *config, struct error *error) {
  static const char *const keys[] = {"rope_interleave", "rotary_emb_interleaved", NULL};
  char source[CONFIG_PATH];
  const struct config_place place = config_find(config, keys);
  enum layout layout = config->family.layout;
  if (place.fields) {
    bool interleaved = false;
    const int failed = fields_flag(place.fields, place.key, &interleaved, error);
    if (failed) return failed;
    layout = interleaved ? LAYOUT_INTERLEAVED : LAYOUT_HALVES;
    config_source(&place, source);
  } else {
    config_default(config, source);
  }
  config->spec->layout = layout;
  return config_explain(config, "layout", layout_name(layout), source, error);
}

/* Tokenizers of transformers write int(1e30) where there is no limit. */
static bool is_endless(const struct config_place *place) {
  double length = 0;
  return place->fields && !strcmp(place->key, "model_max_length") &&
         !fields_real(place->fields, place->key, &length, NULL) && length >= 1e30;
}

int config_read_context(struct config *config, struct error *error) {
  static const char *const keys[] = {"max_position_embeddings", "n_positions", "seq_length",
                                     "max_sequence_length",     "n_ctx",       "max_seq_len",
                                     "model_max_length",        NULL};
  char source[CONFIG_PATH];
  struct rope_spec *spec = config->spec;
  const struct config_place place = config_find(config, keys);
  if (place.fields && !is_endless(&place)) {
    const int failed = fields_count(place.fields, place.key, &spec->context, error);
    if (failed) return failed;
    config_source(&place, source);
  } else {
    spec->context = config->family.context;
    config_default(config, source);
  }
  spec->model_context = spec->context;
  if (spec->context == 0) return OK;
  return config_explain_number(config, "context", (double)spec->context, source, error);
}

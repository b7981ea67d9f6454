/* The numbers and lists of a scaling rule. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/model/config_parts.h"

static const char original_key[] = "original_max_position_embeddings";

/* One number of the rule, which stands at `place`. */
static int read_number(struct config *config, const struct scaling_key *key,
                       const struct config_place *place, struct error *error) {
  char source[CONFIG_PATH];
  double value = NAN;
  bool flag = false;
  int failed;
  if (key->kind == SCALING_FLAG) {
    failed = fields_flag(place->fields, place->key, &flag, error);
    value = flag;
  } else if (key->kind == SCALING_POSITIVE) {
    failed = fields_positive(place->fields, place->key, &value, error);
  } else {
    failed = fields_real(place->fields, place->key, &value, error);
  }
  if (!failed) failed = spec_set_parameter(config->spec, key->name, value, error);
  if (failed) return failed;
  config_source(place, source);
  if (key->kind == SCALING_FLAG)
    return config_explain(config, key->name, flag ? "true" : "false", source, error);
  return config_explain_number(config, key->name, value, source, error);
}

static bool is_list(const struct scaling_rule *rule, const char *name) {
  for (size_t i = 0; i < SPEC_LISTS && rule->lists[i]; i++)
    if (!strcmp(rule->lists[i], name)) return true;
  return false;
}

/* One number a pair. */
static int read_list(struct config *config, const char *name, struct error *error) {
  const struct config_place place = config_inside(config, name);
  const size_t pairs = config->spec->rotary_dim / 2;
  double value[SPEC_PAIRS];
  char text[80], number[2][32], source[CONFIG_PATH];
  size_t count = 0;
  int failed = fields_length(place.fields, name, &count, error);
  if (failed) return failed;
  if (count != pairs || pairs > SPEC_PAIRS)
    return error_set(error, ERROR_INPUT,
                     "'%s' holds %zu numbers: one for each of the %zu pairs of a head is needed%s",
                     name, count, pairs, pairs > SPEC_PAIRS ? ", and at most 1024 are read" : "");
  double least = INFINITY, most = -INFINITY;
  for (size_t i = 0; !failed && i < count; i++) {
    failed = fields_real_at(place.fields, name, i, &value[i], error);
    if (failed) return failed;
    least = fmin(least, value[i]);
    most = fmax(most, value[i]);
  }
  failed = spec_set_list(config->spec, name, value, count, error);
  if (failed) return failed;
  snprintf(text, sizeof text, "%zu numbers from %s to %s", count, model_number(least, number[0]),
           model_number(most, number[1]));
  return config_explain(config, name, text, config_source(&place, source), error);
}

/* A name of the dictionary: a number or a list of the rule, or nothing to it. */
static int read_name(struct config *config, const char *name, struct error *error) {
  const struct config_layer *layer = config->now;
  if (is_list(config->rule, name)) return read_list(config, name, error);
  const struct scaling_key *key = scaling_key_find(config->rule, name);
  if (!key && config_is_common(name)) return OK;
  if (!key) {
    spec_warn(config->spec, config->meta,
              "'%s' holds '%.63s', which the type '%s' does not know: ignored", layer->rope_name,
              name, config->rule->name);
    return OK;
  }
  if (!key->ignored && !strcmp(name, original_key)) return OK; /* read_original's */
  /* What the rule ignores is kept, too: other engines read it, and scaling_warn says so. */
  const struct config_place place = config_inside(config, name);
  return read_number(config, key, &place, error);
}

/* The share that rotates is a number of some rules; it may stand outside, too. */
static int read_share(struct config *config, struct error *error) {
  static const char *const keys[] = {"partial_rotary_factor", NULL};
  const struct scaling_key *key = scaling_key_find(config->rule, keys[0]);
  if (!key || key->ignored || !isnan(spec_parameter(config->spec, keys[0]))) return OK;
  const struct config_place place = config_find(config, keys);
  return place.fields ? read_number(config, key, &place, error) : OK;
}

/* The original context may stand outside a dictionary for all layers, where it wins. gpt-oss' own
   name for it serves when there is no other. */
static int find_original(struct config *config, const struct scaling_key *key,
                         struct error *error) {
  static const char *const keys[] = {original_key, NULL};
  static const char *const initial[] = {"initial_context_length", NULL};
  const struct config_place inner = config_inside(config, original_key);
  struct config_place place = inner;
  double inside = NAN, outside = NAN;
  if (!config->nested) place = config_find(config, keys);
  if (!place.fields) place = inner.fields ? inner : config_find(config, initial);
  if (!place.fields) return OK;
  int failed = fields_positive(place.fields, place.key, &outside, error);
  if (!failed && inner.fields) failed = fields_positive(inner.fields, inner.key, &inside, error);
  if (!failed && inner.fields && inside != outside)
    spec_warn(config->spec, config->meta, "'%s' %.10g is used, not the %.10g in '%s'", original_key,
              outside, inside, config->now->rope_name);
  return failed ? failed : read_number(config, key, &place, error);
}

/* Without any, Hugging Face takes the context itself. */
static int read_original(struct config *config, struct error *error) {
  const struct scaling_key *key = scaling_key_find(config->rule, original_key);
  struct rope_spec *spec = config->spec;
  if (!key || key->ignored) return OK;
  int failed = find_original(config, key, error);
  if (failed || !isnan(spec_parameter(spec, original_key))) return failed;
  if (!key->required || spec->context == 0) return OK;
  spec_warn(spec, config->meta, "there is no '%s': the context %lld is used", original_key,
            (long long)spec->context);
  failed = spec_set_parameter(spec, original_key, (double)spec->context, error);
  if (failed) return failed;
  return config_explain_number(config, original_key, (double)spec->context, "the context", error);
}

/* The first Qwen measures its sequences by seq_length, whatever max_position_embeddings says. */
static int read_qwen(struct config *config, struct error *error) {
  static const char *const keys[] = {"seq_length", NULL};
  const struct scaling_key *key = scaling_key_find(config->rule, "max_position_embeddings");
  const struct config_place place = config_find(config, keys);
  return place.fields && key ? read_number(config, key, &place, error) : OK;
}

/* mscale_all_dim is of the softmax alone, and only some families' attention looks at it. */
static int explain_softmax(struct config *config, struct error *error) {
  char source[CONFIG_PATH];
  if (isnan(spec_parameter(config->spec, "mscale_all_dim"))) return OK;
  return config_explain(config, "softmax_scale",
                        config->spec->plain_softmax ? "left alone" : "times mscale^2",
                        config_default(config, source), error);
}

int config_read_scaling(struct config *config, struct error *error) {
  const struct fields *rope = config->now->rope;
  const char *name;
  int failed = OK;
  if (!rope) return strcmp(config->rule->name, "dynamic-qwen") ? OK : read_qwen(config, error);
  for (size_t i = 0; !failed && (name = fields_name_at(rope, i)); i++)
    if (fields_kind(rope, name) != FIELD_NONE) failed = read_name(config, name, error);
  if (!failed) failed = read_share(config, error);
  if (!failed) failed = read_original(config, error);
  if (!failed) failed = explain_softmax(config, error);
  return failed ? failed : scaling_rule_check(&config->spec->scaling, &config->rule, error);
}

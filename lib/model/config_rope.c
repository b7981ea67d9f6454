/* The rope dictionary of a config: base and scaling. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/model/config.h"
#include "lib/rope/scaling.h"

/* What the dictionary holds besides the numbers of its rule. */
static const char *const common_keys[] = {"rope_type",     "type",
                                          "rope_theta",    "partial_rotary_factor",
                                          "mrope_section", "mrope_interleaved"};

/* Real dictionaries have about ten names, some of several versions of a rule at most thirty. */
enum { MOST_NAMES = 64 };

static bool is_common(const char *key) {
  for (size_t i = 0; i < sizeof common_keys / sizeof *common_keys; i++)
    if (!strcmp(common_keys[i], key)) return true;
  return false;
}

static bool is_layer_type(const struct fields *rope, const char *name) {
  static const char suffix[] = "_attention";
  const size_t length = strlen(name), tail = sizeof suffix - 1;
  return fields_kind(rope, name) == FIELD_OBJECT ||
         (length > tail && !strcmp(name + length - tail, suffix));
}

/* {"full_attention": {...}, "sliding_attention": {...}} */
static int check_one_for_all(const struct config *config, struct error *error) {
  char list[256] = "";
  const char *name;
  size_t used = 0;
  for (size_t i = 0; (name = fields_name_at(config->rope, i)) && used + 80 < sizeof list; i++)
    if (is_layer_type(config->rope, name))
      used += (size_t)snprintf(list + used, sizeof list - used, "%s%.63s", used ? ", " : "", name);
  if (!used) return OK;
  return error_set(
      error, ERROR_INPUT,
      "'%s' has a RoPE for each layer type (%s): only models with one RoPE for all layers can "
      "be read",
      config->rope_name, list);
}

/* Two bases, the older way of saying the same. */
static int check_one_base(const struct config *config, struct error *error) {
  static const char *const keys[] = {"rope_local_base_freq", "local_rope_theta",
                                     "global_rope_theta", NULL};
  const char *key;
  if (!config_find(config, keys, &key)) return OK;
  return error_set(
      error, ERROR_INPUT,
      "the model has a RoPE for each layer type (full_attention, sliding_attention: '%s'): only "
      "models with one RoPE for all layers can be read",
      key);
}

/* The rule's name as it is called here. Sections of M-RoPE say which axis a pair takes; a text has
   the same position on all three, so what it sees is plain RoPE. */
static const char *rule_name(const char *type) {
  return !strcmp(type, "default") || !strcmp(type, "mrope") ? "none" : type;
}

/* NULL in *type when the dictionary has none. */
static int read_type(const struct fields *rope, const char **type, struct error *error) {
  const char *new = NULL, *old = NULL;
  int failed = fields_text(rope, "rope_type", &new, error);
  if (!failed) failed = fields_text(rope, "type", &old, error);
  if (failed) return failed;
  if (new &&old && strcmp(rule_name(new), rule_name(old)))
    return error_set(error, ERROR_INPUT,
                     "'rope_type' is '%s' but 'type' is '%s': they must be equal", new, old);
  *type = new ? new : old;
  return OK;
}

/* Two dictionaries: they may repeat each other, not contradict. */
static int check_both(const struct config *config, const struct fields *place,
                      struct error *error) {
  const struct fields *old = NULL;
  const char *new_type = NULL, *old_type = NULL;
  int failed = fields_object(place, "rope_scaling", &old, error);
  if (failed || !old || old == config->rope) return failed;
  failed = read_type(config->rope, &new_type, error);
  if (!failed) failed = read_type(old, &old_type, error);
  if (failed) return failed;
  if (strcmp(rule_name(new_type ? new_type : "default"),
             rule_name(old_type ? old_type : "default")))
    return error_set(error, ERROR_INPUT,
                     "'rope_parameters' has the type '%s' but 'rope_scaling' has '%s'",
                     new_type ? new_type : "default", old_type ? old_type : "default");
  if (!fields_equal(place, "rope_parameters", "rope_scaling"))
    spec_warn(config->spec, config->meta,
              "'rope_parameters' is used, not 'rope_scaling', which differs");
  return OK;
}

int config_find_rope(struct config *config, struct error *error) {
  static const char *const keys[] = {"rope_parameters", "rope_scaling", NULL};
  int failed = check_one_base(config, error);
  if (failed) return failed;
  const struct fields *place = config_find(config, keys, &config->rope_name);
  if (!place) return OK;
  failed = fields_object(place, config->rope_name, &config->rope, error);
  if (!failed && fields_size(config->rope) > MOST_NAMES)
    return error_set(error, ERROR_INPUT, "'%s' holds %zu names: at most %d are read",
                     config->rope_name, fields_size(config->rope), MOST_NAMES);
  if (!failed) failed = check_one_for_all(config, error);
  return failed ? failed : check_both(config, place, error);
}

static void warn_default_base(const struct config *config) {
  const double base = config->family.base;
  if (config->known)
    spec_warn(config->spec, config->meta,
              "there is no 'rope_theta': %.10g, the default of model_type '%.63s', is used", base,
              config->model_type);
  else
    spec_warn(config->spec, config->meta,
              "there is no 'rope_theta'%s: %.10g, the default of most models, is used",
              config->model_type ? "" : " and no 'model_type'", base);
}

static int read_base(struct config *config, struct error *error) {
  static const char *const keys[] = {"rope_theta", "rotary_emb_base", NULL};
  static const char *const ratio_keys[] = {"rope_ratio", NULL};
  double inside = 0, outside = 0, ratio = 1;
  const char *key = keys[0], *ratio_key;
  int failed = config->rope ? fields_positive(config->rope, keys[0], &inside, error) : OK;
  if (!failed) failed = config_positive(config, keys, &outside, &key, error);
  if (!failed) failed = config_positive(config, ratio_keys, &ratio, &ratio_key, error);
  if (failed) return failed;
  if (inside > 0 && outside > 0 && inside != outside)
    spec_warn(config->spec, config->meta, "'rope_theta' %.10g of '%s' is used, not '%s' %.10g",
              inside, config->rope_name, key, outside);
  const double given = inside > 0 ? inside : outside;
  /* rope_ratio is ChatGLM's way to give a base, and stands for rope_theta. */
  config->spec->base = given > 0 ? given : config->family.base * ratio;
  if (given == 0 && ratio == 1 && !(config->family.silent && !config->rope))
    warn_default_base(config);
  return OK;
}

static int read_number(struct config *config, const struct scaling_key *key, struct error *error) {
  double value = NAN;
  bool flag = false;
  int failed;
  if (key->kind == SCALING_FLAG) {
    failed = fields_flag(config->rope, key->name, &flag, error);
    value = flag;
  } else if (key->kind == SCALING_POSITIVE) {
    failed = fields_positive(config->rope, key->name, &value, error);
  } else {
    failed = fields_real(config->rope, key->name, &value, error);
  }
  return failed ? failed : spec_set_parameter(config->spec, key->name, value, error);
}

static int read_numbers(struct config *config, const struct scaling_rule *rule,
                        struct error *error) {
  const char *name;
  for (size_t i = 0; (name = fields_name_at(config->rope, i)); i++) {
    if (is_common(name) || fields_kind(config->rope, name) == FIELD_NONE) continue;
    const struct scaling_key *key = scaling_key_find(rule, name);
    if (!key) {
      spec_warn(config->spec, config->meta,
                "'%s' holds '%.63s', which the type '%s' does not know: ignored", config->rope_name,
                name, rule->name);
      continue;
    }
    const int failed = read_number(config, key, error);
    if (failed) return failed;
  }
  return OK;
}

/* The original context may stand outside the dictionary, where it wins; without any, Hugging Face
   takes the context itself. */
static int read_original(struct config *config, const struct scaling_rule *rule,
                         struct error *error) {
  static const char *const keys[] = {"original_max_position_embeddings", NULL};
  const struct scaling_key *number = scaling_key_find(rule, keys[0]);
  if (!number) return OK;
  const double inside = spec_parameter(config->spec, keys[0]);
  double outside = NAN;
  const char *key;
  int failed = config_positive(config, keys, &outside, &key, error);
  if (failed) return failed;
  if (!isnan(outside)) {
    if (!isnan(inside) && inside != outside)
      spec_warn(config->spec, config->meta, "'%s' %.10g is used, not the %.10g in '%s'", keys[0],
                outside, inside, config->rope_name);
    return spec_set_parameter(config->spec, keys[0], outside, error);
  }
  if (!isnan(inside) || !number->required || config->spec->context == 0) return OK;
  spec_warn(config->spec, config->meta, "there is no '%s': the context %lld is used", keys[0],
            (long long)config->spec->context);
  return spec_set_parameter(config->spec, keys[0], (double)config->spec->context, error);
}

static int read_sections(const struct config *config, const char *type, struct error *error) {
  struct field_sum sections = {0};
  const int failed = fields_sum(config->rope, "mrope_section", &sections, error);
  if (failed) return failed;
  if (sections.count == 0 && strcmp(type, "mrope")) return OK;
  const size_t pairs = config->spec->rotary_dim / 2;
  if (sections.count > 0 && (size_t)sections.sum != pairs)
    return error_set(error, ERROR_INPUT,
                     "'mrope_section' sums to %lld: the %zu pairs of a head are needed",
                     (long long)sections.sum, pairs);
  spec_warn(config->spec, config->meta,
            "M-RoPE is read as for text, whose positions are equal on all axes");
  return OK;
}

static int read_scaling(struct config *config, struct error *error) {
  const char *type = NULL, *name;
  int failed = read_type(config->rope, &type, error);
  if (failed) return failed;
  for (size_t i = 0; !type && (name = fields_name_at(config->rope, i)); i++)
    if (!is_common(name) && fields_kind(config->rope, name) != FIELD_NONE)
      return error_set(error, ERROR_INPUT,
                       "there is '%s' but neither 'rope_type' nor 'type': which scaling it "
                       "belongs to is not clear",
                       name);
  if (!type) type = "default";
  struct spec_scaling *scaling = &config->spec->scaling;
  memset(scaling, 0, sizeof *scaling);
  snprintf(scaling->type, sizeof scaling->type, "%s", rule_name(type));
  const struct scaling_rule *rule = scaling_rule_find(scaling->type);
  if (!rule) return scaling_rule_check(scaling, &rule, error);
  failed = read_sections(config, type, error);
  if (!failed) failed = read_numbers(config, rule, error);
  if (!failed) failed = read_original(config, rule, error);
  return failed ? failed : scaling_rule_check(scaling, &rule, error);
}

int config_read_rope(struct config *config, struct error *error) {
  const int failed = read_base(config, error);
  if (failed || !config->rope) return failed;
  if (read_scaling(config, error)) return error_prefix(error, "'%s'", config->rope_name);
  scaling_warn(config->spec, config->meta);
  return OK;
}

/* The type of a RoPE's scaling, and its base. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/model/config_parts.h"

/* RoFormer's, which no language model went below; a base of 1000 in a config has been a slip. */
static const double least_base = 10000;

bool config_is_common(const char *name) {
  static const char *const common[] = {"rope_type",     "type",
                                       "rope_theta",    "partial_rotary_factor",
                                       "mrope_section", "mrope_interleaved"};
  for (size_t i = 0; i < sizeof common / sizeof *common; i++)
    if (!strcmp(common[i], name)) return true;
  return false;
}

/* A rope_type as its rule is called here. Phi-3's first configs say "su", or even "yarn", and mean
   longrope. */
static const char *rule_name(const struct config *config, const char *type) {
  const bool phi3 = config->model_type && !strcmp(config->model_type, "phi3");
  return phi3 && !strcmp(type, "yarn") ? "longrope" : scaling_rule_name(type);
}

int config_rule_name(const struct config *config, const struct fields *rope, const char **name,
                     struct error *error) {
  const char *new = NULL, *old = NULL;
  int failed = fields_text(rope, "rope_type", &new, error);
  if (!failed) failed = fields_text(rope, "type", &old, error);
  if (failed) return failed;
  if (new &&old && strcmp(rule_name(config, new), rule_name(config, old)))
    return error_set(error, ERROR_INPUT,
                     "'rope_type' is '%s' but 'type' is '%s': they must be equal", new, old);
  const char *type = new ? new : old;
  *name = type ? rule_name(config, type) : NULL;
  return OK;
}

/* Numbers without a type: which rule they are of is not clear. */
static int check_untyped(const struct fields *rope, struct error *error) {
  const char *name;
  for (size_t i = 0; (name = fields_name_at(rope, i)); i++)
    if (!config_is_common(name) && fields_kind(rope, name) != FIELD_NONE)
      return error_set(error, ERROR_INPUT,
                       "there is '%s' but neither 'rope_type' nor 'type': which scaling it "
                       "belongs to is not clear",
                       name);
  return OK;
}

/* Not those whose lists stand in files of other kinds. */
static bool config_can_hold(const struct scaling_rule *rule) {
  return rule && !rule->unnamed;
}

static int refuse_type(const char *name, struct error *error) {
  char list[256] = "default";
  const struct scaling_rule *rule;
  size_t used = strlen(list);
  for (size_t i = 0; (rule = scaling_rule_at(i)) && used < sizeof list; i++)
    if (config_can_hold(rule) && strcmp(rule->name, "none"))
      used += (size_t)snprintf(list + used, sizeof list - used, ", %s", rule->name);
  return error_set(error, ERROR_INPUT, "the scaling type '%s' is not supported: in configs, %s are",
                   name, list);
}

/* What the dictionary says; *name stays NULL when there is none. */
static int read_said(const struct config *config, const char **name, char source[CONFIG_PATH],
                     struct error *error) {
  const struct fields *rope = config->now->rope;
  if (!rope) return OK;
  int failed = config_rule_name(config, rope, name, error);
  if (!failed && !*name) failed = check_untyped(rope, error);
  if (failed || !*name) return failed;
  const struct config_place new = config_inside(config, "rope_type"),
                            old = config_inside(config, "type");
  config_source(new.fields ? &new : &old, source);
  return config_can_hold(scaling_rule_find(*name)) ? OK : refuse_type(*name, error);
}

/* The first Qwen says it with a flag. */
static int read_flag(const struct config *config, const char **name, char source[CONFIG_PATH],
                     struct error *error) {
  static const char *const keys[] = {"use_dynamic_ntk", NULL};
  const struct config_place place = config_find(config, keys);
  bool dynamic = false;
  if (!place.fields || *name) return OK;
  const int failed = fields_flag(place.fields, place.key, &dynamic, error);
  if (failed || !dynamic) return failed;
  *name = "dynamic-qwen";
  config_source(&place, source);
  return OK;
}

int config_read_type(struct config *config, struct error *error) {
  char source[CONFIG_PATH] = "there is no scaling";
  const char *name = NULL;
  int failed = read_said(config, &name, source, error);
  if (!failed) failed = read_flag(config, &name, source, error);
  if (failed) return failed;
  struct spec_scaling *scaling = &config->spec->scaling;
  memset(scaling, 0, sizeof *scaling);
  snprintf(scaling->type, sizeof scaling->type, "%s", name ? name : "none");
  config->rule = scaling_rule_find(scaling->type);
  return config_explain(config, "scaling", scaling->type, source, error);
}

static void warn_default_base(const struct config *config, bool null, double base) {
  const char *fault = null ? "'rope_theta' is null" : "there is no 'rope_theta'";
  if (config->known)
    spec_warn(config->spec, config->meta, "%s: %.10g, the default of model_type '%.63s', is used",
              fault, base, config->model_type);
  else
    spec_warn(config->spec, config->meta, "%s%s: %.10g, the default of most models, is used", fault,
              config->model_type ? "" : " and no 'model_type'", base);
}

/* The base that stands outside the dictionaries; 0: none does. */
static int read_outside(const struct config *config, double *base, struct config_place *place,
                        struct error *error) {
  static const char *const keys[] = {"rope_theta", "global_rope_theta", "rotary_emb_base", NULL};
  static const char *const local_keys[] = {"rope_local_base_freq", "local_rope_theta",
                                           "swa_rope_theta", NULL};
  *base = 0;
  const bool local = config->now->local || !strcmp(config->now->type, "sliding_attention");
  if (local) {
    const int failed = config_positive(config, local_keys, base, place, error);
    if (failed || *base > 0 || config->family.local_base > 0) return failed;
  }
  return config_positive(config, keys, base, place, error);
}

/* ChatGLM gives a multiple of the usual base; others have that itself. */
static int read_usual_base(struct config *config, char source[CONFIG_PATH], struct error *error) {
  static const char *const keys[] = {"rope_ratio", NULL};
  const struct model_family *family = &config->family;
  const bool local = !strcmp(config->now->type, "sliding_attention") && family->local_base > 0;
  const double usual = local ? family->local_base : family->base;
  char name[CONFIG_PATH];
  struct config_place place;
  double ratio = 1;
  const int failed = config_positive(config, keys, &ratio, &place, error);
  if (failed) return failed;
  if (!isfinite(usual * ratio))
    return error_set(error, ERROR_INPUT, "'%s' is %.10g: a number below 1e300 is needed", place.key,
                     ratio);
  config->spec->base = usual * ratio;
  if (place.fields) {
    snprintf(source, CONFIG_PATH, "%.10g times %.150s", usual, config_source(&place, name));
    return OK;
  }
  config_default(config, source);
  const bool null = !local && config_is_null(config, "rope_theta");
  const bool said = family->silent && (family->layered || !config->now->rope);
  if (null || !said) warn_default_base(config, null, usual);
  return OK;
}

int config_read_base(struct config *config, struct error *error) {
  const struct config_place inner = config_inside(config, "rope_theta");
  char source[CONFIG_PATH];
  struct config_place outer;
  double inside = 0, outside = 0;
  int failed = inner.fields ? fields_positive(inner.fields, inner.key, &inside, error) : OK;
  if (!failed) failed = read_outside(config, &outside, &outer, error);
  if (failed) return failed;
  if (inside > 0 && outside > 0 && inside != outside)
    spec_warn(config->spec, config->meta, "'rope_theta' %.10g of '%s' is used, not '%s' %.10g",
              inside, config->now->rope_name, outer.key, outside);
  config->spec->base = inside > 0 ? inside : outside;
  if (inside > 0)
    config_source(&inner, source);
  else if (outside > 0)
    config_source(&outer, source);
  else
    failed = read_usual_base(config, source, error);
  if (failed) return failed;
  if (config->spec->base < least_base)
    spec_warn(config->spec, config->meta,
              "the base %.10g (%s) is small: published language models have %.10g or more",
              config->spec->base, source, least_base);
  return config_explain_number(config, "base", config->spec->base, source, error);
}

#include "lib/rope/scaling.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The list: one file scaling_NAME.c each. */
extern const struct scaling_rule scaling_none, scaling_linear, scaling_ntk, scaling_dynamic,
    scaling_dynamic_qwen, scaling_yarn, scaling_llama3, scaling_longrope, scaling_factors,
    scaling_given, scaling_proportional, scaling_p_rope, scaling_resonance;

static const struct scaling_rule *const rules[] = {
    &scaling_none,         &scaling_linear, &scaling_ntk,          &scaling_dynamic,
    &scaling_dynamic_qwen, &scaling_yarn,   &scaling_llama3,       &scaling_longrope,
    &scaling_factors,      &scaling_given,  &scaling_proportional, &scaling_p_rope,
    &scaling_resonance,
};

enum { RULES = sizeof rules / sizeof *rules };

const struct scaling_rule *scaling_rule_at(size_t index) {
  return index < RULES ? rules[index] : NULL;
}

const struct scaling_rule *scaling_rule_find(const char *name) {
  for (size_t i = 0; i < RULES; i++)
    if (!strcmp(rules[i]->name, name)) return rules[i];
  return NULL;
}

const struct scaling_key *scaling_key_find(const struct scaling_rule *rule, const char *name) {
  for (size_t i = 0; i < SCALING_KEYS && rule->keys[i].name; i++)
    if (!strcmp(rule->keys[i].name, name)) return &rule->keys[i];
  return NULL;
}

bool scaling_key_counts(const struct scaling_rule *rule, const char *name) {
  const struct scaling_key *key = scaling_key_find(rule, name);
  return key && !key->ignored;
}

const char *scaling_rule_name(const char *type) {
  if (!strcmp(type, "default") || !strcmp(type, "mrope")) return "none";
  return strcmp(type, "su") ? type : "longrope";
}

static int unknown_rule(const char *name, struct error *error) {
  char list[256] = "";
  for (size_t i = 0, used = 0; i < RULES && used < sizeof list; i++)
    if (!rules[i]->unnamed)
      used += (size_t)snprintf(list + used, sizeof list - used, "%s%s",
                               i == 0           ? ""
                               : i + 1 == RULES ? " and "
                                                : ", ",
                               rules[i]->name);
  return error_set(error, ERROR_INPUT, "the scaling type '%s' is not supported: %s are", name,
                   list);
}

static int unknown_key(const struct scaling_rule *rule, const char *key, struct error *error) {
  if (!rule->keys[0].name)
    return error_set(error, ERROR_INPUT, "unknown parameter '%s': the scaling type '%s' takes none",
                     key, rule->name);
  char list[512] = "";
  size_t used = 0;
  for (size_t i = 0; i < SCALING_KEYS && rule->keys[i].name && used < sizeof list; i++)
    if (!rule->keys[i].ignored)
      used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "",
                               rule->keys[i].name);
  return error_set(error, ERROR_INPUT, "unknown parameter '%s': the scaling type '%s' takes %s",
                   key, rule->name, list);
}

int scaling_key_check(const char *type, const char *name, struct error *error) {
  const struct scaling_rule *rule = scaling_rule_find(type);
  if (!rule) return unknown_rule(type, error);
  return scaling_key_find(rule, name) ? OK : unknown_key(rule, name, error);
}

static int check_number(const struct scaling_key *key, double value, struct error *error) {
  if (!isfinite(value))
    return error_set(error, ERROR_INPUT, "the scaling parameter '%s' is not a finite number",
                     key->name);
  if (key->kind == SCALING_POSITIVE && !(value > 0))
    return error_set(error, ERROR_INPUT,
                     "the scaling parameter '%s' is %.10g: it must be greater than 0", key->name,
                     value);
  if (key->kind == SCALING_NATURAL && !(value >= 0))
    return error_set(error, ERROR_INPUT,
                     "the scaling parameter '%s' is %.10g: it must not be negative", key->name,
                     value);
  if (key->kind == SCALING_FLAG && value != 0 && value != 1)
    return error_set(error, ERROR_INPUT, "the scaling parameter '%s' is %.10g: it must be 0 or 1",
                     key->name, value);
  return OK;
}

int scaling_check_numbers(const struct scaling_rule *rule, const struct spec_scaling *scaling,
                          struct error *error) {
  for (size_t i = 0; i < scaling->count; i++) {
    const struct spec_parameter *parameter = &scaling->parameters[i];
    const struct scaling_key *key = scaling_key_find(rule, parameter->key);
    if (!key) return unknown_key(rule, parameter->key, error);
    const int failed = check_number(key, parameter->value, error);
    if (failed) return failed;
  }
  for (size_t i = 0; i < SCALING_KEYS && rule->keys[i].name; i++) {
    bool given = !rule->keys[i].required;
    for (size_t j = 0; j < scaling->count && !given; j++)
      given = !strcmp(scaling->parameters[j].key, rule->keys[i].name);
    if (!given)
      return error_set(error, ERROR_INPUT, "the scaling type '%s' needs the parameter '%s'",
                       rule->name, rule->keys[i].name);
  }
  return OK;
}

static bool takes_list(const struct scaling_rule *rule, const char *key) {
  for (size_t i = 0; i < SPEC_LISTS && rule->lists[i]; i++)
    if (!strcmp(rule->lists[i], key)) return true;
  return false;
}

static int check_list(const struct spec_list *list, bool zeros, struct error *error) {
  for (size_t i = 0; i < list->count; i++) {
    const double value = list->value[i];
    if (isfinite(value) && (value > 0 || (zeros && value == 0))) continue;
    return error_set(error, ERROR_INPUT, "number %zu of '%s' is %.10g: it must be %s", i, list->key,
                     value, zeros ? "0 or greater, and finite" : "greater than 0, and finite");
  }
  return OK;
}

/* Every list the rule needs, and no other. */
static int check_lists(const struct scaling_rule *rule, const struct spec_scaling *scaling,
                       struct error *error) {
  size_t found = 0;
  for (size_t i = 0; i < scaling->list_count; i++) {
    const struct spec_list *list = &scaling->lists[i];
    if (!takes_list(rule, list->key))
      return error_set(error, ERROR_INPUT, "the scaling type '%s' takes no list '%s'", rule->name,
                       list->key);
    const int failed = check_list(list, rule->zeros, error);
    if (failed) return failed;
    found++;
  }
  if (found == SPEC_LISTS || !rule->lists[found]) return OK;
  return error_set(error, ERROR_INPUT,
                   "the scaling type '%s' needs lists of one number a pair (%s%s%s), which only a "
                   "model's file can give",
                   rule->name, rule->lists[0], rule->lists[1] ? ", " : "",
                   rule->lists[1] ? rule->lists[1] : "");
}

int scaling_rule_check(const struct spec_scaling *scaling, const struct scaling_rule **rule,
                       struct error *error) {
  *rule = scaling_rule_find(scaling->type);
  if (!*rule) return unknown_rule(scaling->type, error);
  const int failed = scaling_check_numbers(*rule, scaling, error);
  return failed ? failed : check_lists(*rule, scaling, error);
}

long double scaling_power(const struct scaling_result *result, double base, size_t i,
                          size_t rotary_dim) {
  const long double exponent = (long double)(2 * i) / (long double)rotary_dim;
  return result->single ? (long double)powf((float)base, (float)exponent) : powl(base, exponent);
}

void scaling_plain(const struct rope_spec *spec, double base, struct scaling_result *result) {
  const size_t axes = spec->axial ? 2 : 1, span = result->pairs / axes;
  for (size_t i = 0; i < result->pairs; i++)
    result->inv_freq[i] =
        scaling_round(result, 1 / scaling_power(result, base, i % span, spec->rotary_dim / axes));
}

double scaling_number(const struct rope_spec *spec, const char *key, double otherwise) {
  const double value = spec_parameter(spec, key);
  return isnan(value) ? otherwise : value;
}

double scaling_original(const struct rope_spec *spec) {
  return scaling_number(spec, "original_max_position_embeddings",
                        spec->model_context > 0 ? (double)spec->model_context : NAN);
}

double scaling_limit(const struct rope_spec *spec) {
  return scaling_number(spec, "max_position_embeddings",
                        spec->model_context > 0 ? (double)spec->model_context : NAN);
}

int scaling_list(const struct rope_spec *spec, const char *key, const struct scaling_result *result,
                 const double **value, struct error *error) {
  const struct spec_list *list = spec_list(spec, key);
  if (!list || list->count != result->pairs)
    return error_set(error, ERROR_INPUT, "'%s' holds %zu numbers: %zu are needed, one a pair", key,
                     list ? list->count : 0, result->pairs);
  *value = list->value;
  return OK;
}

int scaling_grow(const struct rope_spec *spec, double growth, struct scaling_result *result,
                 struct error *error) {
  const double dim = (double)spec->rotary_dim;
  if (spec->rotary_dim == 2)
    return error_set(error, ERROR_INPUT,
                     "the scaling type '%s' has no meaning for the rotary dimension 2: its only "
                     "frequency does not depend on the base",
                     spec->scaling.type);
  const double base = spec->base * pow(growth, dim / (dim - 2));
  if (!isfinite(base))
    return error_set(error, ERROR_INPUT,
                     "the scaling type '%s' makes the base %.10g too large by the factor %.10g",
                     spec->scaling.type, spec->base, growth);
  result->effective_base = base;
  result->full_factor = growth;
  scaling_plain(spec, base, result);
  return OK;
}

double scaling_mscale(double factor, double multiplier) {
  return factor <= 1 ? 1 : 0.1 * multiplier * log(factor) + 1;
}

double scaling_long_attention(double factor, double original) {
  return factor <= 1 ? 1 : sqrt(1 + log(factor) / log(original));
}

int64_t scaling_reached(const struct rope_spec *spec) {
  return spec->model_context > spec->context ? spec->model_context : spec->context;
}

double scaling_trained(const struct rope_spec *spec) {
  const struct scaling_rule *rule = scaling_rule_find(spec->scaling.type);
  const double given = spec_parameter(spec, "original_max_position_embeddings");
  if (!isnan(given) || (rule && rule->hides_original)) return given;
  const double original = scaling_original(spec);
  return isnan(original) && spec->context > 0 ? (double)spec->context : original;
}

int scaling_factor(const struct rope_spec *spec, double *factor, struct error *error) {
  *factor = spec_parameter(spec, "factor");
  if (!isnan(*factor)) return OK;
  const double original = scaling_original(spec);
  if (spec->model_context == 0 || isnan(original))
    return error_set(error, ERROR_INPUT,
                     "the scaling type '%s' needs the parameter 'factor', or the contexts before "
                     "and after it",
                     spec->scaling.type);
  *factor = (double)spec->model_context / original;
  return OK;
}

void scaling_warn_ratio(const struct rope_spec *spec, struct meta *meta) {
  const double factor = spec_parameter(spec, "factor");
  const double original = scaling_original(spec), limit = scaling_limit(spec);
  if (!(limit > original) || !(fabs(factor * original - limit) > 1e-9 * limit)) return;
  spec_warn(spec, meta,
            "the factor %.10g of the %s scaling is used, not the %.10g that the contexts %.10g and "
            "%.10g give",
            factor, spec->scaling.type, limit / original, original, limit);
}

static void warn_ignored(const struct rope_spec *spec, const struct scaling_rule *rule,
                         struct meta *meta) {
  for (size_t i = 0; i < spec->scaling.count; i++) {
    const struct scaling_key *key = scaling_key_find(rule, spec->scaling.parameters[i].key);
    if (key && key->ignored)
      spec_warn(spec, meta, "'%s' is ignored by the %s scaling: %s", key->name, rule->name,
                key->ignored);
  }
}

void scaling_warn(const struct rope_spec *spec, struct meta *meta) {
  const struct scaling_rule *rule = scaling_rule_find(spec->scaling.type);
  if (!rule) return;
  const double factor = spec_parameter(spec, "factor");
  if (factor < 1)
    spec_warn(spec, meta, "the factor %.10g of the %s scaling is below 1: it shortens the context",
              factor, rule->name);
  const double original = spec_parameter(spec, "original_max_position_embeddings");
  /* A short sequence is no reason: the model can do more. */
  const int64_t reached = scaling_reached(spec);
  if (spec->context > 0 && original >= (double)reached &&
      scaling_key_counts(rule, "original_max_position_embeddings"))
    spec_warn(
        spec, meta,
        "original_max_position_embeddings %.10g is not below the context %lld that the %s scaling "
        "is to reach",
        original, (long long)reached, rule->name);
  if (rule->warn) rule->warn(spec, meta);
  warn_ignored(spec, rule, meta);
}

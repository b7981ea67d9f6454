/* Methods: from their names to RoPEs. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/analysis/extend_parts.h"
#include "lib/rope/scaling.h"

static const char base_method[] = "base";
static const char original_key[] = "original_max_position_embeddings";

static int add_method(struct extend_methods *methods, const char *text, size_t length,
                      struct error *error) {
  if (methods->count == EXTEND_METHODS)
    return error_set(error, ERROR_INPUT, "too many methods at '%.*s': at most %d are compared",
                     (int)length, text, EXTEND_METHODS);
  if (length >= EXTEND_METHOD)
    return error_set(error, ERROR_INPUT, "the method '%.*s...' is too long", 40, text);
  char *name = methods->name[methods->count++];
  memcpy(name, text, length);
  name[length] = '\0';
  return OK;
}

/* Appends ",key=value" to the last method. */
static int continue_method(struct extend_methods *methods, const char *text, size_t length,
                           struct error *error) {
  char *name = methods->name[methods->count - 1];
  const size_t used = strlen(name);
  if (used + 1 + length >= EXTEND_METHOD)
    return error_set(error, ERROR_INPUT, "the method '%.*s...' is too long", 40, name);
  name[used] = ',';
  memcpy(name + used + 1, text, length);
  name[used + 1 + length] = '\0';
  return OK;
}

int extend_parse_methods(const char *list, struct extend_methods *methods, struct error *error) {
  methods->count = 0;
  for (const char *part = list;; part++) {
    const size_t length = strcspn(part, ",");
    if (!length)
      return error_set(error, ERROR_INPUT, "the list of methods '%s' has an empty part", list);
    const bool pair = memchr(part, '=', length) && !memchr(part, ':', length);
    const int failed = pair && methods->count ? continue_method(methods, part, length, error)
                                              : add_method(methods, part, length, error);
    if (failed) return failed;
    part += length;
    if (!*part) return OK;
  }
}

static int unknown_method(const char *name, struct error *error) {
  char list[256] = "";
  const struct scaling_rule *rule;
  size_t used = 0;
  for (size_t i = 0; (rule = scaling_rule_at(i)) && used < sizeof list; i++)
    if (!rule->lists[0])
      used += (size_t)snprintf(list + used, sizeof list - used, "%s, ", rule->name);
  return error_set(error, ERROR_INPUT, "unknown method '%s': %sor %s", name, list, base_method);
}

int64_t extend_original(const struct rope_spec *spec) {
  const double trained = scaling_trained(spec);
  return trained >= 1 && trained < 0x1p53 ? (int64_t)trained : 0;
}

static int check_contexts(const struct extend_request *request, struct error *error) {
  if (request->original < 1)
    return error_set(error, ERROR_INPUT,
                     "the original context is not known: the model does not say it");
  if (request->target <= request->original)
    return error_set(error, ERROR_INPUT,
                     "the context %lld is not longer than the original one, %lld: there is nothing "
                     "to extend",
                     (long long)request->target, (long long)request->original);
  if (isnan(request->spec->base))
    return error_set(error, ERROR_INPUT,
                     "the RoPE has no base, only frequencies of its own: no method extends it");
  return OK;
}

/* base^(ln(context/2π) / ln(original/2π)). */
static int change_base(const struct extend_request *request, struct rope_spec *spec,
                       struct error *error) {
  const double original = (double)request->original / (2 * M_PI);
  const double target = (double)spec->context / (2 * M_PI);
  if (original <= 1)
    return error_set(error, ERROR_INPUT,
                     "the method 'base' needs an original context of 7 tokens or more, not %lld",
                     (long long)request->original);
  spec->base = pow(spec->base, log(target) / log(original));
  return OK;
}

static int fill(struct rope_spec *spec, const struct scaling_rule *rule, const char *key,
                double value, struct error *error) {
  if (!scaling_key_counts(rule, key) || !isnan(spec_parameter(spec, key))) return OK;
  return spec_set_parameter(spec, key, value, error);
}

static int fill_numbers(const struct extend_request *request, const struct scaling_rule *rule,
                        struct rope_spec *spec, struct error *error) {
  /* Llama 3.1's own; every later model that has the rule took them over. */
  static const struct spec_parameter usual[] = {{"low_freq_factor", 1}, {"high_freq_factor", 4}};
  /* Rules that grow with the sequence count from the model's context. */
  if (!scaling_key_counts(rule, original_key) &&
      scaling_key_counts(rule, "max_position_embeddings"))
    spec->model_context = request->original;
  int failed = fill(spec, rule, original_key, (double)request->original, error);
  const double original = scaling_number(spec, original_key, (double)request->original);
  if (!failed && isnan(spec_parameter(spec, "alpha")))
    failed = fill(spec, rule, "factor", (double)spec->context / original, error);
  for (size_t i = 0; !failed && i < sizeof usual / sizeof *usual; i++)
    failed = fill(spec, rule, usual[i].key, usual[i].value, error);
  return failed ? failed : scaling_rule_check(&spec->scaling, &rule, error);
}

/* Lists come from files alone: the model's own, when the rule is its own. */
static void take_lists(const struct spec_scaling *own, const struct scaling_rule *rule,
                       struct spec_scaling *scaling) {
  if (!rule->lists[0] || rule->unnamed || strcmp(own->type, rule->name) != 0) return;
  memcpy(scaling->lists, own->lists, sizeof scaling->lists);
  scaling->list_count = own->list_count;
}

int extend_method_for(const struct extend_request *request, const char *method, int64_t context,
                      struct rope_spec *spec, struct error *error) {
  struct spec_scaling scaling;
  int failed = spec_parse_scaling(method, &scaling, error);
  if (failed) return failed;
  *spec = *request->spec;
  spec->context = spec->model_context = context;
  const bool base = !strcmp(scaling.type, base_method);
  if (base && scaling.count)
    return error_set(error, ERROR_INPUT,
                     "the method '%s' takes no '%s': it follows from the "
                     "contexts",
                     base_method, scaling.parameters[0].key);
  const struct scaling_rule *rule = base ? NULL : scaling_rule_find(scaling.type);
  if (!base && !rule) return unknown_method(scaling.type, error);
  spec->scaling = scaling;
  if (rule) take_lists(&request->spec->scaling, rule, &spec->scaling);
  if (base) strcpy(spec->scaling.type, "none");
  failed = base ? change_base(request, spec, error) : fill_numbers(request, rule, spec, error);
  return failed ? error_prefix(error, "method '%s'", method) : OK;
}

int extend_method(const struct extend_request *request, const char *method, struct rope_spec *spec,
                  struct error *error) {
  const int failed = check_contexts(request, error);
  return failed ? failed : extend_method_for(request, method, request->target, spec, error);
}

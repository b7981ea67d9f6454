/* A RoPE as the fields of a Hugging Face config.json. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/analysis/extend.h"
#include "lib/rope/scaling.h"
#include "lib/rope/spectrum.h"

static bool is_plain(const char *type) {
  return !strcmp(type, "none") || !strcmp(type, "ntk");
}

static int check_type(const char *type, struct error *error) {
  char list[256] = "";
  const struct scaling_rule *rule = scaling_rule_find(type);
  if (is_plain(type) || (rule && !rule->foreign)) return OK;
  size_t used = 0;
  for (size_t i = 0; (rule = scaling_rule_at(i)) && used < sizeof list; i++)
    if (!rule->foreign && !is_plain(rule->name))
      used += (size_t)snprintf(list + used, sizeof list - used, "%s, ", rule->name);
  return error_set(error, ERROR_INPUT,
                   "a config.json of Hugging Face cannot say '%s': %sor what only changes the base "
                   "(ntk, base)",
                   type, list);
}

static int check(const struct rope_spec *spec, bool hf4, struct error *error) {
  const char *type = spec->scaling.type;
  if (check_type(type, error)) return error->code;
  if (hf4 && !strcmp(type, "proportional"))
    return error_set(error, ERROR_INPUT, "transformers 4 does not know the type '%s'", type);
  if (hf4 && *spec->layer_type)
    return error_set(error, ERROR_INPUT,
                     "the names of transformers 4 cannot say a RoPE of the layer type '%s' alone",
                     spec->layer_type);
  return OK;
}

static const char limit_key[] = "max_position_embeddings"; /* stands beside the dictionary */

/* A number as Hugging Face wants it: whole numbers of tokens, true or false, else with a point. */
static void emit_number(const struct spec_parameter *parameter, const struct scaling_rule *rule,
                        struct meta *rope) {
  static const char tokens[] = "original_max_position_embeddings";
  if (!strcmp(parameter->key, limit_key)) return;
  const struct scaling_key *key = scaling_key_find(rule, parameter->key);
  if (key->kind == SCALING_FLAG)
    meta_set_flag(rope, parameter->key, parameter->value != 0);
  else if (!strcmp(parameter->key, tokens) && parameter->value == floor(parameter->value))
    meta_set_integer(rope, parameter->key, (int64_t)parameter->value);
  else
    meta_set_real(rope, parameter->key, parameter->value);
}

static void emit_scaling(const struct rope_spec *spec, struct meta *rope) {
  const struct spec_scaling *scaling = &spec->scaling;
  meta_set_text(rope, "rope_type", is_plain(scaling->type) ? "default" : scaling->type);
  const struct scaling_rule *rule = scaling_rule_find(scaling->type);
  for (size_t i = 0; !is_plain(scaling->type) && i < scaling->count; i++)
    emit_number(&scaling->parameters[i], rule, rope);
  for (size_t i = 0; i < scaling->list_count; i++)
    meta_set_reals(rope, scaling->lists[i].key, scaling->lists[i].value, scaling->lists[i].count);
  if (!spec->axes) return;
  int64_t section[SPEC_AXES];
  for (size_t i = 0; i < spec->axes; i++)
    section[i] = (int64_t)spec->section[i];
  meta_set_integers(rope, "mrope_section", section, spec->axes);
  if (spec->sections_interleaved) meta_set_flag(rope, "mrope_interleaved", true);
}

/* transformers 4: the base stands beside the dictionary, and plain RoPE needs none. Where the model
   has a rule, it may be its family's own, which comes back without a dictionary. */
static void emit_old(const struct extend_fragment *fragment, double base, struct meta *root) {
  const struct rope_spec *spec = fragment->spec;
  bool replaced = false;
  for (size_t i = 0; i < fragment->count; i++)
    replaced |= !is_plain(fragment->model[i].scaling.type);
  meta_set_real(root, "rope_theta", base);
  if (is_plain(spec->scaling.type) && !spec->axes && !replaced)
    meta_set_text(root, "rope_scaling", NULL);
  else
    emit_scaling(spec, meta_object(root, "rope_scaling"));
}

/* The share of a head that rotates: Hugging Face multiplies it by head_dim and cuts off what is
   behind the point. */
static double share_of(const struct rope_spec *spec) {
  const double head = (double)spec->head_dim, rotary = (double)spec->rotary_dim;
  const double share = rotary / head;
  return share * head < rotary ? nextafter(share, 1) : share;
}

/* Of a rule that only changes the base, what it makes of it. ERROR_INPUT: a RoPE that cannot be. */
static int find_base(const struct rope_spec *spec, double *base, struct error *error) {
  struct spectrum *spectrum;
  const int failed = spectrum_create(spec, &spectrum, error);
  if (failed) return failed;
  *base = is_plain(spec->scaling.type) ? spectrum->effective_base : spec->base;
  spectrum_destroy(spectrum);
  return OK;
}

/* The fields of one RoPE into the dictionary of its layers. */
static int emit_layers(const struct rope_spec *spec, struct meta *rope, struct error *error) {
  double base;
  const int failed = find_base(spec, &base, error);
  if (failed) return failed;
  if (*spec->layer_type) rope = meta_object(rope, spec->layer_type);
  meta_set_real(rope, "rope_theta", base);
  emit_scaling(spec, rope);
  /* It may have stood in the dictionary that this one replaces. */
  if (spec->rotary_dim != spec->head_dim && isnan(spec_parameter(spec, "partial_rotary_factor")))
    meta_set_real(rope, "partial_rotary_factor", share_of(spec));
  return OK;
}

/* A RoPE that stays while max_position_embeddings beside it does not: what it takes from there
   becomes its own. */
static int emit_other(const struct rope_spec *spec, struct meta *rope, struct error *error) {
  static const char original[] = "original_max_position_embeddings";
  const struct scaling_rule *rule = scaling_rule_find(spec->scaling.type);
  struct rope_spec fixed = *spec;
  double factor;
  int failed = check_type(spec->scaling.type, error);
  if (failed) return failed;
  const double context = scaling_original(spec);
  if (scaling_key_counts(rule, "factor") && !scaling_factor(spec, &factor, NULL))
    failed = spec_set_parameter(&fixed, "factor", factor, error);
  if (!failed && scaling_key_counts(rule, original) && !isnan(context))
    failed = spec_set_parameter(&fixed, original, context, error);
  return failed ? failed : emit_layers(&fixed, rope, error);
}

static int emit_new(const struct extend_fragment *fragment, struct meta *root,
                    struct error *error) {
  const struct rope_spec *spec = fragment->spec;
  struct meta *rope = meta_object(root, "rope_parameters");
  bool done = false;
  int status = OK;
  for (size_t i = 0; !status && i < fragment->count; i++) {
    const struct rope_spec *one = &fragment->model[i];
    const bool same = !strcmp(one->layer_type, spec->layer_type);
    status = same ? emit_layers(spec, rope, error) : emit_other(one, rope, error);
    if (status && !same)
      return error_prefix(error, "the layer type '%s', which stays as it is", one->layer_type);
    done |= same;
  }
  return status || done ? status : emit_layers(spec, rope, error);
}

static int emit_fields(const struct extend_fragment *fragment, struct meta *root,
                       struct error *error) {
  const struct rope_spec *spec = fragment->spec;
  const double limit = scaling_limit(spec);
  if (limit >= 1 && limit < 0x1p53) meta_set_integer(root, limit_key, (int64_t)limit);
  if (!fragment->hf4) return emit_new(fragment, root, error);
  double base;
  const int failed = find_base(spec, &base, error);
  if (failed) return failed;
  emit_old(fragment, base, root);
  return OK;
}

int extend_emit(const struct extend_fragment *fragment, char **json, struct error *error) {
  *json = NULL;
  int status = check(fragment->spec, fragment->hf4, error);
  if (status) return status;
  struct meta *root = meta_create();
  status = emit_fields(fragment, root, error);
  if (!status) *json = meta_to_json(root, 2);
  meta_destroy(root);
  if (status || *json) return status;
  return error_set(error, ERROR_FAILED, "out of memory: the fields of a config.json");
}

/* A RoPE as the fields of a Hugging Face config.json. */
#include <math.h>
#include <string.h>

#include "lib/analysis/extend.h"
#include "lib/rope/scaling.h"
#include "lib/rope/spectrum.h"

/* Rules that Hugging Face has under the same name and with the same numbers. */
static bool is_known(const char *type) {
  static const char *const types[] = {"linear",   "dynamic", "yarn",
                                      "longrope", "llama3",  "proportional"};
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (!strcmp(types[i], type)) return true;
  return false;
}

static bool is_plain(const char *type) {
  return !strcmp(type, "none") || !strcmp(type, "ntk");
}

static int check(const struct rope_spec *spec, bool hf4, struct error *error) {
  const char *type = spec->scaling.type;
  if (!is_plain(type) && !is_known(type))
    return error_set(error, ERROR_INPUT,
                     "a config.json of Hugging Face cannot say '%s': linear, dynamic, yarn, "
                     "longrope, llama3, proportional, or what only changes the base (ntk, base)",
                     type);
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

/* transformers 4: the base stands beside the dictionary, and plain RoPE needs none. */
static void emit_old(const struct rope_spec *spec, double base, struct meta *root) {
  meta_set_real(root, "rope_theta", base);
  if (is_plain(spec->scaling.type) && !spec->axes)
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

static void emit_new(const struct rope_spec *spec, double base, struct meta *root) {
  struct meta *rope = meta_object(root, "rope_parameters");
  if (*spec->layer_type) rope = meta_object(rope, spec->layer_type);
  meta_set_real(rope, "rope_theta", base);
  emit_scaling(spec, rope);
  /* It may have stood in the dictionary that this one replaces. */
  if (spec->rotary_dim != spec->head_dim && isnan(spec_parameter(spec, "partial_rotary_factor")))
    meta_set_real(rope, "partial_rotary_factor", share_of(spec));
}

int extend_emit(const struct rope_spec *spec, bool hf4, char **json, struct error *error) {
  struct spectrum *spectrum;
  *json = NULL;
  int status = check(spec, hf4, error);
  if (!status) status = spectrum_create(spec, &spectrum, error);
  if (status) return status;
  const double base = is_plain(spec->scaling.type) ? spectrum->effective_base : spec->base;
  spectrum_destroy(spectrum);
  struct meta *root = meta_create();
  const double limit = scaling_limit(spec);
  if (limit >= 1 && limit < 0x1p53) meta_set_integer(root, limit_key, (int64_t)limit);
  if (hf4)
    emit_old(spec, base, root);
  else
    emit_new(spec, base, root);
  *json = meta_to_json(root, 2);
  meta_destroy(root);
  return *json ? OK : error_set(error, ERROR_FAILED, "out of memory: the fields of a config.json");
}

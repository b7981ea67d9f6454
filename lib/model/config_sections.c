/* M-RoPE: which pairs take their position from which axis. */
#include <stdio.h>
#include <string.h>

#include "lib/model/config_parts.h"

static int read_list(struct config *config, size_t count, struct error *error) {
  struct rope_spec *spec = config->spec;
  const struct fields *rope = config->now->rope;
  size_t sum = 0;
  for (size_t i = 0; i < count; i++) {
    int64_t pairs = 0;
    const int failed = fields_whole_at(rope, "mrope_section", i, &pairs, error);
    if (failed) return failed;
    spec->section[i] = (size_t)pairs;
    sum += (size_t)pairs;
  }
  if (sum != spec->rotary_dim / 2)
    return error_set(error, ERROR_INPUT,
                     "'mrope_section' sums to %zu: the %zu pairs of a head are needed", sum,
                     spec->rotary_dim / 2);
  spec->axes = count;
  return OK;
}

static int read_order(struct config *config, struct error *error) {
  const struct config_place place = config_inside(config, "mrope_interleaved");
  char source[CONFIG_PATH];
  bool alternating = config->family.alternating_sections;
  if (place.fields) {
    const int failed = fields_flag(place.fields, place.key, &alternating, error);
    if (failed) return failed;
    config_source(&place, source);
  } else {
    config_default(config, source);
  }
  config->spec->sections_interleaved = alternating;
  return config_explain(config, "mrope_interleaved", alternating ? "true" : "false", source, error);
}

static int explain_sections(struct config *config, struct error *error) {
  const struct config_place place = config_inside(config, "mrope_section");
  char list[128] = "", source[CONFIG_PATH];
  for (size_t i = 0, used = 0; i < config->spec->axes; i++)
    used += (size_t)snprintf(list + used, sizeof list - used, "%s%zu", i ? "," : "",
                             config->spec->section[i]);
  return config_explain(config, "mrope_section", list, config_source(&place, source), error);
}

int config_read_sections(struct config *config, struct error *error) {
  const struct fields *rope = config->now->rope;
  size_t count = 0;
  const char *type = NULL;
  int failed = fields_length(rope, "mrope_section", &count, error);
  if (failed) return failed;
  if (fields_kind(rope, "type") == FIELD_TEXT) failed = fields_text(rope, "type", &type, error);
  if (failed || (count == 0 && (!type || strcmp(type, "mrope")))) return failed;
  if (count > SPEC_AXES)
    return error_set(error, ERROR_INPUT, "'mrope_section' holds %zu numbers: at most %d are read",
                     count, SPEC_AXES);
  if (count > 0) failed = read_list(config, count, error);
  if (!failed && count > 0) failed = explain_sections(config, error);
  if (!failed && count > 0) failed = read_order(config, error);
  if (failed) return failed;
  model_warn_sections(config->spec, config->meta);
  return OK;
}

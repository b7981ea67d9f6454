#include "lib/model/config.h"

#include <stdio.h>

#include "lib/model/config_parts.h"

/* Faults in a dictionary say which. */
static int prefix(const struct config *config, struct error *error) {
  if (!config->now->rope) return error->code;
  return error_prefix(error, "'%s'", config->now->rope_name);
}

/* One RoPE, from what all have in common and what is its own. */
static int read_rope(struct config *config, size_t index, const struct rope_spec *common,
                     struct error *error) {
  config->now = &config->layer[index];
  config->spec = &config->model->ropes[index];
  *config->spec = *common;
  snprintf(config->spec->layer_type, SPEC_KEY, "%s", config->now->type);
  int failed = config_read_type(config, error);
  if (failed) return prefix(config, error);
  failed = config_read_head(config, error);
  if (!failed) failed = config_read_base(config, error);
  if (failed) return failed;
  if (config->now->rope) failed = config_read_sections(config, error);
  if (!failed) failed = config_read_scaling(config, error);
  if (failed) return prefix(config, error);
  scaling_warn(config->spec, config->meta);
  return OK;
}

static int read_ropes(struct config *config, struct error *error) {
  struct rope_spec *common = config->spec;
  int failed = config_read_layout(config, error);
  if (!failed) failed = config_read_context(config, error);
  for (size_t i = 0; !failed && i < config->layers; i++)
    failed = read_rope(config, i, common, error);
  config->now = NULL;
  if (failed) return failed;
  config_warn_unread(config);
  return config_read_schedule(config, error);
}

static int read_all(struct config *config, const struct fields *root, struct error *error) {
  int failed = config_find_levels(config, root, error);
  if (!failed) failed = config_read_family(config, error);
  if (!failed) failed = config_check_rope_there(config, error);
  if (!failed) failed = config_find_layers(config, error);
  if (failed) return failed;
  config->model = model_create(config->spec->label, config->layers, error);
  if (!config->model) return error->code;
  snprintf(config->spec->label, SPEC_LABEL, "%s", config->model->ropes->label);
  return read_ropes(config, error);
}

int config_read(const char *text, size_t size, const char *label, struct model **model,
                struct meta *meta, struct error *error) {
  struct fields *root;
  struct error local;
  if (!error) error = &local;
  *model = NULL;
  int failed = fields_parse(text, size, &root, error);
  if (failed) return failed;
  struct rope_spec common;
  spec_default(&common);
  snprintf(common.label, SPEC_LABEL, "%s", label);
  struct config config = {.spec = &common, .meta = meta};
  failed = read_all(&config, root, error);
  fields_release(config.usual);
  fields_release(root);
  if (failed)
    model_destroy(config.model);
  else
    *model = config.model;
  return failed;
}

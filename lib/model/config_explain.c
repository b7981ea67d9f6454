/* Where each value came from. */
#include <stdio.h>

#include "lib/model/config_parts.h"

int config_explain(struct config *config, const char *name, const char *value, const char *source,
                   struct error *error) {
  return model_explain(config->model, config->now ? config->now->type : "", name, value, source,
                       error);
}

int config_explain_number(struct config *config, const char *name, double value, const char *source,
                          struct error *error) {
  char text[32];
  return config_explain(config, name, model_number(value, text), source, error);
}

const char *config_source(const struct config_place *place, char source[CONFIG_PATH]) {
  if (place->source)
    snprintf(source, CONFIG_PATH, "%s", place->source);
  else if (*place->holder)
    snprintf(source, CONFIG_PATH, "'%.60s' in '%.120s'", place->key, place->holder);
  else
    snprintf(source, CONFIG_PATH, "'%.60s'", place->key);
  return source;
}

const char *config_default(const struct config *config, char source[CONFIG_PATH]) {
  if (config->known)
    snprintf(source, CONFIG_PATH, "default of model_type '%.63s'%s", config->model_type,
             config->family.foreign ? "" : " (transformers 5)");
  else
    snprintf(source, CONFIG_PATH, "default of most models");
  return source;
}

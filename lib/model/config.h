/* A model from the text of a Hugging Face config.json. */
#ifndef ROPETOOL_MODEL_CONFIG_H
#define ROPETOOL_MODEL_CONFIG_H

#include <stddef.h>

#include "lib/base/error.h"
#include "lib/io/meta.h"
#include "lib/model/model.h"

/* Reads it; an empty label becomes the model_type. Legal oddities go to "warnings" of `meta`.
   Errors as model_read, without the file's name. */
int config_read(const char *text, size_t size, const char *label, struct model **model,
                struct meta *meta, struct error *error);

#endif

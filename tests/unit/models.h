/* Models with one RoPE, for tests. */
#ifndef ROPETOOL_TESTS_MODELS_H
#define ROPETOOL_TESTS_MODELS_H

#include "lib/model/model.h"

/* model_read, and the model's first RoPE; `source` may be NULL. */
static inline int read_one(const char *reference, struct rope_spec *spec,
                           struct model_source *source, struct meta *meta, struct error *error) {
  struct model *model;
  const int failed = model_read(reference, &model, meta, error);
  if (failed) return failed;
  *spec = model->ropes[0];
  if (source) *source = model->source;
  model_destroy(model);
  return OK;
}

#endif

/* What gguf_model.c, gguf_model_scaling.c and gguf_model_layers.c share; they alone include it. */
#ifndef ROPETOOL_MODEL_GGUF_MODEL_PARTS_H
#define ROPETOOL_MODEL_GGUF_MODEL_PARTS_H

#include "lib/model/gguf_arch.h"
#include "lib/model/gguf_model.h"

enum { GGUF_KEY = 160 };

/* While a model is read. */
struct gguf_model {
  const struct gguf *gguf;
  struct gguf_text name; /* of the architecture, before all its keys */
  struct gguf_arch arch;
  struct model *model;
  struct rope_spec *spec; /* which RoPE is read */
  bool sliding;           /* that of the layers with a sliding window */
  struct meta *meta;
};

/* The value under "ARCHITECTURE.REST"; NULL: there is none. */
const struct gguf_value *gguf_model_value(const struct gguf_model *read, const char *rest);

/* A whole number in [1, most] under that key; of an array, the first that is not 0. *number is left
   alone, and *value NULL, when there is none. */
int gguf_model_count(const struct gguf_model *read, const char *rest, int64_t most, int64_t *number,
                     const struct gguf_value **value, struct error *error);

/* Rows of model->values for the layers of read->spec. `value` NULL: a default of llama.cpp's. */
int gguf_model_explain(struct gguf_model *read, const char *name, const char *text,
                       const struct gguf_value *value, struct error *error);
int gguf_model_explain_number(struct gguf_model *read, const char *name, double number,
                              const struct gguf_value *value, struct error *error);

/* gguf_model_scaling.c: spec.scaling. Needs the rest of the spec. */
int gguf_model_read_scaling(struct gguf_model *read, struct error *error);

/* gguf_model_layers.c: model->layers and model->schedule. */
int gguf_model_read_layers(struct gguf_model *read, struct error *error);

#endif

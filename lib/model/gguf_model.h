/* A model's RoPEs from the keys and tensors of a GGUF file. */
#ifndef ROPETOOL_MODEL_GGUF_MODEL_H
#define ROPETOOL_MODEL_GGUF_MODEL_H

#include "lib/base/error.h"
#include "lib/io/gguf.h"
#include "lib/io/meta.h"
#include "lib/model/model.h"

/* Makes the model with its RoPEs labelled `label` (where that is empty: 'general.name', else the
   architecture), but for its source. What it takes from where is as llama.cpp has it. Layouts are
   those of the file's own Q and K, which converters permute.

   Scaling: divisors in the tensor 'rope_freqs.weight' are the type "factors"; the tensors
   'rope_factors_short.weight' and 'rope_factors_long.weight' the type "longrope", whatever
   'rope.scaling.type' says or does not; else that key's "yarn" or "linear", and the older
   'rope.scale_linear'. Legal oddities go to "warnings" of `meta`.

   ERROR_INPUT: no 'general.architecture', one without RoPE, or a learned table of positions; a
   value of the wrong type or out of range (the key is named: bases and factors are finite and > 0);
   a head that is not clear; divisors that are not one for each pair; an unknown scaling type. */
int gguf_model_read(const struct gguf *gguf, const char *label, struct model **model,
                    struct meta *meta, struct error *error);

#endif

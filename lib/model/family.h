/* What a model_type implies and its config.json does not say: pairing, shares, bases. */
#ifndef ROPETOOL_MODEL_FAMILY_H
#define ROPETOOL_MODEL_FAMILY_H

#include <stdbool.h>

#include "lib/base/layout.h"

struct model_family {
  enum layout layout;
  double share; /* of a head that rotates, when the config gives none */
  double base;  /* when the config gives none */
  bool silent;  /* configs of this family usually give neither: nothing to warn about */
  bool layered; /* one RoPE for full_attention layers, another for sliding_attention layers */
  const char *instead; /* what it has instead of RoPE; NULL: it has RoPE */
};

/* The family of a model_type ("llama", "gemma2", "llama4_text"). When it is not known (or NULL),
   false and what most of Hugging Face's models do: halves, whole heads, base 10000. */
bool model_family_find(const char *model_type, struct model_family *family);

#endif

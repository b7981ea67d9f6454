/* What a model_type implies and its config.json does not say: pairing, shares, bases, layers. */
#ifndef ROPETOOL_MODEL_FAMILY_H
#define ROPETOOL_MODEL_FAMILY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/layout.h"

struct model_family {
  enum layout layout;
  bool foreign; /* its code is not in transformers */
  bool silent;  /* configs of this family usually give neither share nor base: nothing to warn of */
  const char *instead;  /* what it has instead of RoPE; NULL: it has RoPE */
  int64_t alibi_layers; /* with so many layers it has ALiBi instead; 0: with none */

  /* When the config gives none: */
  double share; /* of a head that rotates */
  double base;
  size_t head_dim;   /* 0: it must be given */
  int64_t context;   /* 0: not known */
  size_t latent_dim; /* that rotate with latent attention; 0: it must be given */
  const char *rope;  /* rope_parameters, as JSON; NULL: plain RoPE */

  bool whole;  /* plain RoPE turns whole heads, whatever partial_rotary_factor says */
  bool latent; /* multi-head latent attention: multiplies the softmax scale by mscale² */
  bool alternating_sections; /* M-RoPE deals the pairs out to the axes in turn */

  /* Models whose layers differ, full_attention in one of `period` layers: the last, or the first.
   */
  bool layered;           /* each of the two has a RoPE of its own */
  double local_base;      /* of sliding_attention layers; 0: that of the others */
  size_t global_head_dim; /* of full_attention layers; 0: as the others */
  size_t period;          /* 0: all layers alike */
  bool full_first;
  bool full_is_bare;         /* full_attention layers have no RoPE where others have a window */
  bool windowed;             /* others have a sliding window unless the config says null */
  size_t attention_interval; /* one in so many layers, the last, has softmax attention, and RoPE;
                                0: all have it */
  size_t bare_interval;      /* one in so many layers, the last, has no RoPE; 0: all have it */
};

/* The family of a model_type ("llama", "gemma2", "llama4_text"). When it is not known (or NULL),
   false and what most of Hugging Face's models do: halves, whole heads, base 10000. */
bool model_family_find(const char *model_type, struct model_family *family);

#endif

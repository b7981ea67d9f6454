/* What a GGUF file's 'general.architecture' implies and its keys do not say. */
#ifndef ROPETOOL_MODEL_GGUF_ARCH_H
#define ROPETOOL_MODEL_GGUF_ARCH_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/layout.h"
#include "lib/io/gguf.h"

struct gguf_arch {
  enum layout
      layout; /* as the converter permutes Q and K for llama.cpp, not as in the checkpoint */
  const char *instead; /* what it has instead of RoPE; NULL: it has RoPE */
  bool halves_with_sections;
  bool alternating_sections; /* M-RoPE deals the pairs out to the axes in turn */
  bool separate; /* what rotates is a vector of its own beside the rest of a head (latent attention)
                  */
  bool mscale;   /* multiplies the softmax scale by mscale²; yarn_log_multiplier is 0.1 ·
                    mscale_all_dim */
  double sliding_base; /* of layers with a sliding window, unscaled; 0: they are as the others */
  size_t period;       /* one full_attention layer in so many, the last of them; 0: not known */
  bool full_first;     /* the first of them */
  bool full_is_bare;   /* full_attention layers have no RoPE where others have a sliding window */
  bool windowed;       /* there they have one, even where no key says so */
  size_t attention_interval; /* one layer in so many, the last, has softmax attention, and RoPE; 0:
                                all have it */
  size_t bare_interval;      /* one layer in so many, the last, has no RoPE; 0: all have it */
};

/* False for an unknown name, and what most have: halves. */
bool gguf_arch_find(struct gguf_text name, struct gguf_arch *arch);

#endif

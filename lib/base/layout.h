/* How the dimensions of a head form pairs. */
#ifndef ROPETOOL_BASE_LAYOUT_H
#define ROPETOOL_BASE_LAYOUT_H

#include <stddef.h>

#include "lib/base/error.h"

enum layout {
  LAYOUT_INTERLEAVED, /* pair i is dimensions (2i, 2i+1): RoFormer, GPT-J, Meta's Llama */
  LAYOUT_HALVES,      /* pair i is dimensions (i, i + pairs): GPT-NeoX, Hugging Face's Llama */
};

const char *layout_name(enum layout layout); /* "interleaved", "halves" */

int layout_parse(const char *name, enum layout *layout, struct error *error);

/* The two dimensions of pair `pair` of `pairs`. */
static inline size_t layout_first(enum layout layout, size_t pair) {
  return layout == LAYOUT_INTERLEAVED ? 2 * pair : pair;
}
static inline size_t layout_second(enum layout layout, size_t pair, size_t pairs) {
  return layout == LAYOUT_INTERLEAVED ? 2 * pair + 1 : pair + pairs;
}

#endif

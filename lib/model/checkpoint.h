/* The part of a checkpoint that makes queries and keys from token vectors: one head of one layer.
 */
#ifndef ROPETOOL_MODEL_CHECKPOINT_H
#define ROPETOOL_MODEL_CHECKPOINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/error.h"
#include "lib/base/hash.h"

/* q = norm(x) W_qᵀ + b_q, k likewise: the rows of one head. */
struct projection {
  size_t width; /* of token vectors */
  size_t dim;   /* of a head */
  size_t heads, key_heads, head;
  double *query, *key;           /* (dim, width) */
  double *query_bias, *key_bias; /* (dim), NULL: none */
  /* Before the projection: LayerNorm, or RMSNorm when `shift` is NULL and `centred` false. NULL
     `gain`: none. */
  double *gain, *shift; /* (width) */
  double epsilon;
  bool centred;
  double *offset; /* (width) added to every token vector before the norm: BERT's token type 0 */
  char name[256];
  char sha256[HASH_TEXT];
};

struct checkpoint_choice {
  size_t layer, head;
  size_t dim; /* of a head; 0: from the config.json beside the file, or what is built in */
};

/* Reads "FILE" (.safetensors, model.safetensors.index.json, .gguf, a folder, or "minilm"): the
   names of BERT, RoBERTa, GPT-2 (fused, transposed), OPT, Llama and their kin are tried. Grouped
   keys (fewer key heads) are those of the query head. ERROR_INPUT: no known names (what was looked
   for is said), layer or head out of range (how many there are), shapes that do not fit one
   another, NaN. */
int projection_read(const char *text, const struct checkpoint_choice *choice,
                    struct projection *projection, struct error *error);

/* Random projections: entries N(0, 1/width), no norm, no bias. */
int projection_draw(size_t width, size_t dim, uint64_t seed, struct projection *projection,
                    struct error *error);

/* Queries (or keys) of token vectors (row, width) that have their positions added already:
   (row, dim). */
int projection_apply(const struct projection *projection, bool key, const double *token,
                     size_t rows, double *vector, struct error *error);

void projection_release(struct projection *projection);

#endif

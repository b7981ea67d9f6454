/* The part of a checkpoint that makes queries and keys from token vectors: one head of one layer.
 */
#ifndef ROPETOOL_MODEL_CHECKPOINT_H
#define ROPETOOL_MODEL_CHECKPOINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/backend.h"
#include "lib/base/error.h"
#include "lib/base/hash.h"

/* q = norm(x + offset) W_qᵀ + b_q, k likewise: the rows of one head. */
struct projection {
  size_t width; /* of token vectors */
  size_t dim;   /* of a head */
  size_t layer;
  size_t heads, key_heads, head;
  double *query, *key;           /* (dim, width) */
  double *query_bias, *key_bias; /* (dim), NULL: none */
  /* Before the projection: LayerNorm (`centred`: the mean is taken off first), or RMSNorm. `shift`
     NULL: nothing is added behind it. `gain` NULL: no norm. */
  double *gain, *shift; /* (width) */
  double epsilon;       /* inside the square root */
  bool centred;
  /* RMSNorm of a head's query and key behind the projection, with the same epsilon (Qwen3,
     Gemma 3); NULL: none. */
  double *query_gain, *key_gain; /* (dim) */
  double *offset; /* (width) added to every token vector before the norm: BERT's token type 0; NULL:
                     nothing */
  char name[256]; /* file and tensor of the query weights, without folders; "minilm:..."; "random"
                   */
  char sha256[HASH_TEXT]; /* of the file; of all shards that were read, one after another in
                             alphabetical order; "" for what is built in or random */
};

struct checkpoint_choice {
  size_t layer, head;
  size_t dim; /* of a head; 0: from the config.json beside the file, a GGUF's own values, or what
                 is built in */
};

/* Reads "FILE[:PREFIX]" (.safetensors, model.safetensors.index.json, .gguf, a folder, or "minilm":
   see weights.h). Tensors are found by the names of BERT (RoBERTa, ELECTRA), DistilBERT, ViT, GPT-2
   (fused, transposed), GPT-Neo, GPT-J, OPT, BART, Whisper, CLIP, Phi-3 (fused), GPT-NeoX (fused
   head by head), Llama and all that are named as it is, and GGUF; in front of them any PREFIX that
   ends in a dot. When several prefixes fit, one must be given: "FILE:text_model.".

   Grouped keys (fewer key heads) are those of the query head. Rows are as the file has them: those
   of a GGUF's Llama are in interleaved pairs, Hugging Face's in halves.

   The norm is the one that stands between token + position and the projection. In models that
   normalise first (GPT-2, OPT, Llama, ViT) it is the layer's own; the input of a layer > 0 also has
   in it what the layers before added, which is left out: the direct path of the positions. Models
   that normalise last (BERT, RoBERTa, DistilBERT, BART) have that of the embeddings in front of
   layer 0, and token type 0 is added where there is one; their layers > 0 read nothing that is
   token + position, and are refused.

   epsilon: 'layer_norm_eps', 'layer_norm_epsilon', 'layernorm_epsilon', 'norm_epsilon' or
   'rms_norm_eps' of the config.json, a GGUF's own value, else what the family has: 1e-12 in BERT
   (1e-5 in RoBERTa), DistilBERT and ViT, 1e-6 in Llama and its kin, 1e-5 in the others. Gemma's
   gains are stored less 1, which 'model_type' in config.json tells; GGUF has them whole.

   ERROR_INPUT: no known names (what was looked for is said) or several prefixes, layer or head out
   of range (how many there are), no dimension of a head to be known, shapes that do not fit one
   another, a norm that we cannot represent (of all heads at once: OLMo 2; two in a row: mBART,
   CLIP's vision part), NaN or infinity, elements that are quantised. */
int projection_read(const char *text, const struct checkpoint_choice *choice,
                    struct projection *projection, struct error *error);

/* Random projections: entries N(0, 1/width), no norm, no bias. */
int projection_draw(struct backend *backend, size_t width, size_t dim, uint64_t seed,
                    struct projection *projection, struct error *error);

/* Queries (or keys) of token vectors (row, width) that have their positions added already:
   (row, dim). In double. */
int projection_apply(const struct projection *projection, bool key, const double *token,
                     size_t rows, double *vector, struct error *error);

/* One that is all zeros, or failed to be read, is allowed. */
void projection_release(struct projection *projection);

#endif

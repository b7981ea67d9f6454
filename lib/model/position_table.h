/* Learned absolute position tables: one vector a position, as checkpoints hold them. */
#ifndef ROPETOOL_MODEL_POSITION_TABLE_H
#define ROPETOOL_MODEL_POSITION_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/backend.h"
#include "lib/base/error.h"
#include "lib/base/hash.h"

struct position_table {
  double *row; /* (position, width); NULL for a random one until position_table_draw */
  size_t positions, width;
  size_t skipped; /* reserved rows in front that were left out: 2 in RoBERTa and OPT */
  size_t classes; /* rows in front, kept, that belong to class tokens and not to a place in the
                     picture: 1 in ViT and CLIP's vision part, 2 in distilled DeiT */
  char name[256]; /* file and tensor, without folders, for meta data; "minilm:TENSOR"; "random:SEED"
                   */
  char sha256[HASH_TEXT]; /* of the file; "" for the one that is built in and for random ones */
  bool untrained;         /* random */
  uint64_t seed;
};

/* Reads "FILE[:TENSOR]" (.npy, .safetensors, a sharded model.safetensors.index.json, .gguf, or a
   folder that holds a checkpoint: see weights.h), "minilm" (the table that is built in) or
   "random:SEED". Elements are f64, f32, f16 or bf16, the shape (position, width) or (1, position,
   width).

   Without TENSOR the only one is taken, or the one whose name ends, after a dot or as a whole, in
   one of the usual names: wpe.weight (GPT-2), position_embeddings.weight (BERT, RoBERTa and their
   kin), embed_positions.weight (OPT, BART, Whisper), position_embeddings (ViT, DeiT, DINOv2),
   position_embedding.weight (CLIP), position_embd.weight (GGUF), positions_embed.weight (GPT),
   pos_embed (timm), positional_embedding (CLIP as OpenAI has it).

   Rows left out, by the tensor's name, given or found: position_embeddings.weight and
   embed_positions.weight begin with 2 reserved rows in some models. 'model_type' in a config.json
   beside the file decides where it is one that we know: 2 in roberta, xlm-roberta, opt, bart, mbart
   and their kin, none in bert, distilbert, whisper, pegasus and theirs. Else they are left out when
   the number of rows is 2 more than a power of two >= 64 (514, 1026, 2050), and kept otherwise. No
   other name, no GGUF and no .npy has reserved rows.

   Rows of class tokens, by the name: those of pictures (position_embeddings, pos_embed,
   vision_model.embeddings.position_embedding.weight) have 1 when the number of rows is 1 more than
   a square (197 = 1 + 14·14), 2 when it is 2 more (198), else none.

   ERROR_INPUT: none or several fit (they are listed), another shape, no row left, NaN or infinity
   in the table (the first is named), an element type that cannot be read, a SEED that is no whole
   number. */
int position_table_read(const char *text, struct position_table *table, struct error *error);

/* The table that belongs to the queries and keys of "FILE[:PREFIX]" (checkpoint.h): of the usual
   names those that begin with PREFIX, or with as many of its parts as some name begins with:
   'text_model.embeddings.position_embedding.weight' for 'text_model.encoder.'. */
int position_table_read_part(const char *text, struct position_table *table, struct error *error);

/* Gives a random table its numbers, N(0, 0.02²) as GPT-2 and BERT are initialised; the first rows
   are the same whatever `positions`. Others are left as they are: OK. */
int position_table_draw(struct backend *backend, struct position_table *table, size_t positions,
                        size_t width, struct error *error);

/* One that is all zeros, or failed to be read, is allowed. */
void position_table_release(struct position_table *table);

#endif

/* Learned absolute position tables: one vector a position, as checkpoints hold them. */
#ifndef ROPETOOL_MODEL_POSITION_TABLE_H
#define ROPETOOL_MODEL_POSITION_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/error.h"
#include "lib/base/hash.h"

struct position_table {
  double *row; /* (position, width); NULL for a random one until position_table_draw */
  size_t positions, width;
  size_t skipped;         /* reserved rows in front that were left out: 2 in RoBERTa and OPT */
  char name[256];         /* file and tensor, for meta data; "random:SEED" */
  char sha256[HASH_TEXT]; /* of the file; "" for the one that is built in and for random ones */
  bool untrained;         /* random */
  uint64_t seed;
};

/* Reads "FILE[:TENSOR]" (.npy, .safetensors, a sharded model.safetensors.index.json, .gguf, or a
   folder that holds a checkpoint), "minilm" (the table that is built in) or "random:SEED". Without
   TENSOR the usual names of GPT-2, BERT, RoBERTa, OPT, ViT and CLIP checkpoints are tried, with and
   without their prefixes; a leading axis of 1 is dropped. ERROR_INPUT: none or several fit (they
   are listed), another rank, NaN or infinity in the table (the first is named), an element type
   that cannot be read. */
int position_table_read(const char *text, struct position_table *table, struct error *error);

/* Gives a random table its numbers, N(0, 0.02²) as GPT-2 and BERT are initialised. */
int position_table_draw(struct position_table *table, size_t positions, size_t width,
                        struct error *error);

void position_table_release(struct position_table *table);

#endif

/* What is between checkpoint.c and its parts: which tensors of a file are meant, what a head is,
   which norm stands in front of the projections. */
#ifndef ROPETOOL_MODEL_CHECKPOINT_PARTS_H
#define ROPETOOL_MODEL_CHECKPOINT_PARTS_H

#include "lib/model/checkpoint.h"
#include "lib/model/weights.h"

/* How queries, keys and values share tensors; `rows` are outputs. */
enum checkpoint_layout {
  CHECKPOINT_APART,        /* a tensor each */
  CHECKPOINT_FUSED,        /* rows of all queries, of all keys, of all values */
  CHECKPOINT_FUSED_HEADS,  /* head by head: its query, its key, its value */
  CHECKPOINT_FUSED_COLUMNS /* as CHECKPOINT_FUSED, transposed: (input, output) */
};

/* A norm in front of a layer's projections. */
struct checkpoint_norm {
  const char *name; /* behind "layers.N."; NULL ends a list */
  bool centred;     /* a LayerNorm where nothing else says so: it has a bias, or config.json an
                       epsilon of one */
  double epsilon;   /* where nothing gives one */
};

/* Names of tensors: PREFIX, `layers`, the layer's number, a dot, then these. */
struct checkpoint_family {
  const char *title, *layers;
  enum checkpoint_layout layout;
  const char *query, *key;           /* less ".weight" and ".bias"; key NULL: fused */
  const char *query_norm, *key_norm; /* of heads; NULL: none is known */
  struct checkpoint_norm norm[4];
  /* Behind PREFIX: the norm of the embeddings, and what is added before it; NULL: none is known. */
  const char *embedding_norm, *token_type;
  double embedding_epsilon;
};

enum { CHECKPOINT_NAME = 512 };

/* A checkpoint with what was found in it. */
struct checkpoint {
  struct weights *weights;
  const struct checkpoint_family *family;
  char prefix[CHECKPOINT_NAME / 2];
  char stem[CHECKPOINT_NAME / 2 + 64]; /* prefix, layers, number, dot */
  const struct fields *config[2];      /* the part for this prefix, the whole; NULL: none */
  const struct gguf *gguf;             /* NULL: another file */
};

/* Finds the family and the prefix, and checks the layer. */
int checkpoint_find(struct checkpoint *checkpoint, size_t layer, struct error *error);

/* stem + a + b; valid until the next call with the same buffer. */
const char *checkpoint_name(const struct checkpoint *checkpoint, const char *a, const char *b,
                            char name[CHECKPOINT_NAME]);

/* Values of config.json, or of a GGUF where the name is given: ARCHITECTURE.NAME. *value is left
   alone where there is none. */
struct checkpoint_key {
  const char *const *config; /* names, NULL at the end */
  const char *gguf;
};
int checkpoint_count(const struct checkpoint *checkpoint, const struct checkpoint_key *key,
                     size_t layer, int64_t *value, struct error *error);
int checkpoint_positive(const struct checkpoint *checkpoint, const struct checkpoint_key *key,
                        double *value, struct error *error);
/* 'model_type'; "" where there is none. */
int checkpoint_type(const struct checkpoint *checkpoint, const char **type, struct error *error);

/* Finds dim, heads and key_heads, given the rows of the query (or fused) and the key tensors and
   the width. */
int checkpoint_measure(const struct checkpoint *checkpoint, size_t query_rows, size_t key_rows,
                       size_t dim, struct projection *projection, struct error *error);

/* Reads what stands between token vectors and projections: gain, shift, epsilon, offset, and the
   norms of heads. */
int checkpoint_read_norms(const struct checkpoint *checkpoint, struct projection *projection,
                          struct error *error);

#endif

/* The tensors of a checkpoint, in one file or in many, and what stands beside them. */
#ifndef ROPETOOL_MODEL_WEIGHTS_H
#define ROPETOOL_MODEL_WEIGHTS_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/error.h"
#include "lib/base/hash.h"
#include "lib/io/gguf.h"
#include "lib/io/tensor.h"
#include "lib/model/fields.h"

struct weights;

/* Opens "PATH[:REST]": a .npy, .safetensors or .gguf, a model.safetensors.index.json, whose shards
   lie beside it and are opened when they are read from, or a folder that holds a model.safetensors
   or a model.safetensors.index.json; or "minilm[:REST]", the part of all-MiniLM-L6-v2 that is built
   in (a file of that name is "./minilm"). The colon that counts is the first with a file or folder
   in front of it.

   ERROR_INPUT, with the path in the message: it is missing, a folder without a checkpoint, an index
   without a 'weight_map' of names, or with a shard that lies elsewhere. */
int weights_open(const char *text, struct weights **result, struct error *error);
void weights_close(struct weights *weights); /* NULL is allowed */

/* The names that stand for weights that are built in; NULL past the end. */
const char *weights_builtin_at(size_t index);

const char *weights_rest(const struct weights *weights); /* behind the colon; NULL: none */
const char *weights_path(const struct weights *weights); /* of the file, for messages */

/* The names of the tensors in alphabetical order; NULL past the end. A .npy has one, "". */
const char *weights_at(const struct weights *weights, size_t index);
bool weights_has(const struct weights *weights, const char *name);

/* Reads a tensor, to be destroyed before the weights are closed. ERROR_INPUT as tensor_read. */
int weights_read(struct weights *weights, const char *name, struct tensor **tensor,
                 struct error *error);

/* The shape and the elements, to be released with free(). ERROR_INPUT besides: elements that are
   no real numbers, a rank over `most` (<= 3), NaN or infinity (the first is named). */
struct weights_array {
  size_t rank, shape[3];
  double *value;
};
int weights_reals(struct weights *weights, const char *name, size_t most,
                  struct weights_array *array, struct error *error);

/* File and tensor without folders: "model.safetensors:wpe.weight", "minilm:..."; cut to fit. */
void weights_describe(const struct weights *weights, const char *name, char *text, size_t size);

/* SHA-256 of the files that were read from, one after another in alphabetical order; "" for what is
   built in. */
void weights_hash(const struct weights *weights, char hex[HASH_TEXT]);

/* The config.json beside the file; *config is NULL where there is none, and belongs to the weights.
   ERROR_INPUT when it cannot be read. */
int weights_config(struct weights *weights, const struct fields **config, struct error *error);

/* The values of a GGUF; *gguf is NULL for other files, and belongs to the weights. */
int weights_gguf(struct weights *weights, const struct gguf **gguf, struct error *error);

/* Whether `name` is `usual` or ends in a dot and it. */
bool weights_named(const char *name, const char *usual);

#endif

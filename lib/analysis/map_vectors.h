/* Vectors of one's own: the queries or keys of a model, dumped into a tensor. */
#ifndef ROPETOOL_ANALYSIS_MAP_VECTORS_H
#define ROPETOOL_ANALYSIS_MAP_VECTORS_H

#include <stddef.h>

#include "lib/base/error.h"
#include "lib/io/axes.h"
#include "lib/io/tensor.h"

struct map_vectors {
  const struct tensor *tensor; /* of a real type; whoever reads it keeps it as long */
  struct axes axes;
};

/* Looks at a tensor as at vectors, with the axes of `list` as in axes_of(). ERROR_INPUT: other
   axes than the tensor has, whole numbers, an axis of no length. */
int map_vectors_of(const struct tensor *tensor, const char *list, struct map_vectors *vectors,
                   struct error *error);

/* The same with axes that are known. */
int map_vectors_with(const struct tensor *tensor, const struct axes *axes,
                     struct map_vectors *vectors, struct error *error);

size_t map_vectors_extent(const struct map_vectors *vectors, enum axis axis);

/* Which head of the keys a head of the queries looks at: heads are grouped evenly, query head H
   takes key head ⌊H · kv_heads / heads⌋ (GQA, arXiv:2305.13245). */
size_t map_vectors_key_head(const struct map_vectors *query, const struct map_vectors *key,
                            size_t head);

/* ERROR_INPUT, with both shapes: another length, dimension or batch, other layers, or heads of the
   queries that are no multiple of those of the keys; no such head. */
int map_vectors_match(const struct map_vectors *query, const struct map_vectors *key, size_t head,
                      struct error *error);

/* ERROR_INPUT: there is no such layer, or no axis of layers and `layer` is not 0. */
int map_vectors_check_layer(const struct map_vectors *vectors, size_t layer, struct error *error);

/* The first `length` positions of one head of a layer, (batch, position, dim) into `output`. */
void map_vectors_head(const struct map_vectors *vectors, size_t layer, size_t head, size_t length,
                      double *output);

#endif

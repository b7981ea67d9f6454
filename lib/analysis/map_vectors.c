#include "lib/analysis/map_vectors.h"

#include "lib/base/storage.h"

int map_vectors_of(const struct tensor *tensor, const char *list, struct map_vectors *vectors,
                   struct error *error) {
  struct axes axes;
  const int status = axes_of(list, tensor, &axes, error);
  return status ? status : map_vectors_with(tensor, &axes, vectors, error);
}

int map_vectors_with(const struct tensor *tensor, const struct axes *axes,
                     struct map_vectors *vectors, struct error *error) {
  const char *name = tensor->name ? tensor->name : "the tensor";
  *vectors = (struct map_vectors){.tensor = tensor, .axes = *axes};
  if (!storage_is_real(tensor->storage))
    return error_set(error, ERROR_INPUT,
                     "'%s' has elements of type '%s': vectors are f64, f32, f16 or bf16", name,
                     storage_name(tensor->storage));
  if (!tensor->count)
    return error_set(error, ERROR_INPUT, "'%s' is empty, %s: 1 or more along each axis", name,
                     tensor_shape(tensor).text);
  return OK;
}

size_t map_vectors_extent(const struct map_vectors *vectors, enum axis axis) {
  return axes_extent(&vectors->axes, vectors->tensor, axis);
}

size_t map_vectors_key_head(const struct map_vectors *query, const struct map_vectors *key,
                            size_t head) {
  const size_t heads = map_vectors_extent(query, AXIS_HEAD);
  return head / (heads / map_vectors_extent(key, AXIS_HEAD));
}

int map_vectors_match(const struct map_vectors *query, const struct map_vectors *key, size_t head,
                      struct error *error) {
  static const enum axis equal[] = {AXIS_POSITION, AXIS_DIM, AXIS_BATCH, AXIS_LAYER};
  const struct tensor_shape_text query_shape = tensor_shape(query->tensor),
                                 key_shape = tensor_shape(key->tensor);
  for (size_t i = 0; i < sizeof equal / sizeof *equal; i++) {
    const size_t of_query = map_vectors_extent(query, equal[i]),
                 of_key = map_vectors_extent(key, equal[i]);
    if (of_query != of_key)
      return error_set(error, ERROR_INPUT,
                       "queries %s and keys %s differ in the axis '%s': '%zu' and '%zu', the same "
                       "is needed",
                       query_shape.text, key_shape.text, axis_name(equal[i]), of_query, of_key);
  }
  const size_t heads = map_vectors_extent(query, AXIS_HEAD),
               kv_heads = map_vectors_extent(key, AXIS_HEAD);
  if (heads % kv_heads)
    return error_set(error, ERROR_INPUT,
                     "queries %s and keys %s have '%zu' and '%zu' heads: as many, or a multiple of "
                     "the keys'",
                     query_shape.text, key_shape.text, heads, kv_heads);
  if (axes_have(&query->axes, AXIS_HEAD) && head >= heads)
    return error_set(error, ERROR_INPUT, "there is no head '%zu' in the queries %s: 0 to %zu", head,
                     query_shape.text, heads - 1);
  return OK;
}

int map_vectors_check_layer(const struct map_vectors *vectors, size_t layer, struct error *error) {
  const size_t layers = map_vectors_extent(vectors, AXIS_LAYER);
  if (layer < layers) return OK;
  const struct tensor_shape_text shape = tensor_shape(vectors->tensor);
  if (!axes_have(&vectors->axes, AXIS_LAYER))
    return error_set(error, ERROR_INPUT, "there is no layer '%zu' in %s, axes %s: none is 'layer'",
                     layer, shape.text, axes_list(&vectors->axes).text);
  return error_set(error, ERROR_INPUT, "there is no layer '%zu' in %s, axes %s: 0 to %zu", layer,
                   shape.text, axes_list(&vectors->axes).text, layers - 1);
}

/* Elements between neighbours along an axis; 0 when there is no such axis. */
static size_t stride_of(const struct map_vectors *vectors, enum axis axis) {
  const size_t place = axes_find(&vectors->axes, axis);
  size_t stride = place < vectors->axes.rank;
  for (size_t i = place + 1; i < vectors->axes.rank; i++)
    stride *= vectors->tensor->shape[i];
  return stride;
}

void map_vectors_head(const struct map_vectors *vectors, size_t layer, size_t head, size_t length,
                      double *output) {
  const struct tensor *tensor = vectors->tensor;
  const size_t size = storage_size(tensor->storage),
               batch = map_vectors_extent(vectors, AXIS_BATCH),
               dim = map_vectors_extent(vectors, AXIS_DIM), step = stride_of(vectors, AXIS_DIM);
  for (size_t b = 0; b < batch; b++)
    for (size_t m = 0; m < length; m++, output += dim) {
      const size_t first =
          layer * stride_of(vectors, AXIS_LAYER) + b * stride_of(vectors, AXIS_BATCH) +
          m * stride_of(vectors, AXIS_POSITION) + head * stride_of(vectors, AXIS_HEAD);
      const char *from = (const char *)tensor->data + first * size;
      if (step == 1)
        storage_load(tensor->storage, from, dim, output);
      else
        for (size_t i = 0; i < dim; i++)
          storage_load(tensor->storage, from + i * step * size, 1, output + i);
    }
}

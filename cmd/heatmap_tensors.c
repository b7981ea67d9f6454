#include "cmd/heatmap_tensors.h"

#include <string.h>

#include "cmd/groups.h"
#include "lib/base/number.h"

static int read_vectors(const struct invocation *invocation, const char *option,
                        struct tensor **tensor, struct map_vectors *vectors, struct error *error) {
  const char *text = option_text(invocation, option, NULL);
  if (!text) return OK;
  int status = tensor_read(text, tensor, error);
  if (!status)
    status = map_vectors_of(*tensor, option_text(invocation, "axes", NULL), vectors, error);
  return status ? error_prefix(error, "--%s", option) : OK;
}

static int read_index(const char *text, const struct tensor *tensor, struct map_slice *slice,
                      struct error *error) {
  const size_t leading = tensor->rank - 2;
  char item[32];
  size_t items = 0;
  for (const char *list = text; list_next(&list, item, sizeof item); items++) {
    const int64_t end = items < leading ? (int64_t)tensor->shape[items] : INT64_MAX;
    int64_t index = MAP_SLICE_MEAN;
    if (strcmp(item, "mean") &&
        number_integer(item, "--index", 0, end > 0 ? end - 1 : 0, &index, error))
      return error->code;
    if (items < leading) slice->index[items] = index;
  }
  if (items == leading) return OK;
  if (items == 1 && leading && !strcmp(text, "mean")) {
    for (size_t a = 0; a < leading; a++)
      slice->index[a] = MAP_SLICE_MEAN;
    return OK;
  }
  return error_set(error, ERROR_INPUT,
                   leading ? "--index '%s' names %zu axes, and '%s', %s, has %zu in front of its "
                             "map: as many, or mean"
                           : "--index '%s' names %zu axes, and '%s', %s, has %zu in front of its "
                             "map: none is to be given",
                   text, items, tensor->name, tensor_shape(tensor).text, leading);
}

/* Without an index there must be one map alone. */
static int choose_only(const struct tensor *tensor, struct error *error) {
  for (size_t a = 0; a + 2 < tensor->rank; a++)
    if (tensor->shape[a] > 1)
      return error_set(error, ERROR_INPUT,
                       "which map of '%s', %s? --index takes one, %s; --index mean their mean",
                       tensor->name, tensor_shape(tensor).text, tensor->rank == 3 ? "I" : "I,J");
  return OK;
}

static int read_matrix(const struct invocation *invocation, struct heatmap_tensors *tensors,
                       struct map_request *request, struct error *error) {
  const char *text = option_text(invocation, "matrix", NULL),
             *index = option_text(invocation, "index", NULL);
  if (!text) return OK;
  if (tensor_read(text, &tensors->matrix, error)) return error_prefix(error, "--matrix");
  const struct tensor *tensor = tensors->matrix;
  request->slice = (struct map_slice){.tensor = tensor};
  if (tensor->rank < 2 || tensor->rank > 2 + MAP_SLICE_AXES)
    return OK; /* what is wrong with it the map says */
  return index ? read_index(index, tensor, &request->slice, error) : choose_only(tensor, error);
}

int heatmap_tensors_read(const struct invocation *invocation, struct heatmap_tensors *tensors,
                         struct map_request *request, struct error *error) {
  static const char *const options[] = {"q", "k", "matrix"};
  *tensors = (struct heatmap_tensors){0};
  for (size_t i = 0; i < 3; i++)
    tensors->name[i] = option_text(invocation, options[i], NULL);
  if (read_vectors(invocation, "q", &tensors->query_tensor, &tensors->query, error) ||
      read_vectors(invocation, "k", &tensors->key_tensor, &tensors->key, error))
    return error->code;
  if (tensors->query_tensor) request->query = &tensors->query;
  if (tensors->key_tensor) request->key = &tensors->key;
  return read_matrix(invocation, tensors, request, error);
}

void heatmap_tensors_release(struct heatmap_tensors *tensors) {
  tensor_destroy(tensors->query_tensor);
  tensor_destroy(tensors->key_tensor);
  tensor_destroy(tensors->matrix);
  *tensors = (struct heatmap_tensors){0};
}

void heatmap_tensors_note(const struct heatmap_tensors *tensors, struct meta *meta) {
  const struct tensor *const read[] = {tensors->query_tensor, tensors->key_tensor, tensors->matrix};
  for (size_t i = 0; i < sizeof read / sizeof *read; i++)
    if (read[i]) inputs_add_file(meta, tensors->name[i], read[i]->sha256);
}

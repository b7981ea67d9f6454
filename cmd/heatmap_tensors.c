#include "cmd/heatmap_tensors.h"

#include <string.h>

#include "cmd/groups.h"
#include "lib/base/number.h"

/* Far more than models have layers. */
enum { MOST_FILES = 1024 };

struct files {
  struct tensor *tensor[MOST_FILES];
  size_t count;
};

static int read_files(const struct invocation *invocation, const char *option, struct files *files,
                      struct meta *inputs, struct error *error) {
  const char *text;
  for (size_t cursor = 0; (text = option_next(invocation, option, &cursor)); files->count++) {
    if (files->count == MOST_FILES)
      return error_set(error, ERROR_INPUT, "more than %d files: one a layer is read", MOST_FILES);
    if (tensor_read(text, &files->tensor[files->count], error)) return error->code;
    inputs_add_file(inputs, text, files->tensor[files->count]->sha256);
  }
  return OK;
}

/* The only file, or all as layers of one tensor. */
static int join(struct files *files, const char *list, struct tensor **tensor,
                struct map_vectors *vectors, struct error *error) {
  struct axes axes;
  int status = axes_of(list, files->tensor[0], &axes, error);
  if (!status && files->count > 1) {
    status = axes_add_layers(&axes, error);
    if (!status) status = tensor_stack(files->tensor, files->count, tensor, error);
  } else if (!status) {
    *tensor = files->tensor[0];
    files->tensor[0] = NULL;
  }
  return status ? status : map_vectors_with(*tensor, &axes, vectors, error);
}

static int read_vectors(const struct invocation *invocation, const char *option,
                        struct tensor **tensor, struct map_vectors *vectors, struct meta *inputs,
                        struct error *error) {
  if (!option_given(invocation, option)) return OK;
  struct files files = {.count = 0};
  int status = read_files(invocation, option, &files, inputs, error);
  if (!status) status = join(&files, option_text(invocation, "axes", NULL), tensor, vectors, error);
  for (size_t i = 0; i < files.count; i++)
    tensor_destroy(files.tensor[i]);
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
  inputs_add_file(tensors->inputs, text, tensors->matrix->sha256);
  const struct tensor *tensor = tensors->matrix;
  request->slice = (struct map_slice){.tensor = tensor};
  if (tensor->rank < 2 || tensor->rank > 2 + MAP_SLICE_AXES)
    return OK; /* what is wrong with it the map says */
  return index ? read_index(index, tensor, &request->slice, error) : choose_only(tensor, error);
}

int heatmap_tensors_read(const struct invocation *invocation, struct heatmap_tensors *tensors,
                         struct map_request *request, struct error *error) {
  *tensors = (struct heatmap_tensors){.inputs = meta_create()};
  struct meta *inputs = tensors->inputs;
  if (read_vectors(invocation, "q", &tensors->query_tensor, &tensors->query, inputs, error) ||
      read_vectors(invocation, "k", &tensors->key_tensor, &tensors->key, inputs, error))
    return error->code;
  if (tensors->query_tensor) request->query = &tensors->query;
  if (tensors->key_tensor) request->key = &tensors->key;
  return read_matrix(invocation, tensors, request, error);
}

void heatmap_tensors_release(struct heatmap_tensors *tensors) {
  tensor_destroy(tensors->query_tensor);
  tensor_destroy(tensors->key_tensor);
  tensor_destroy(tensors->matrix);
  meta_destroy(tensors->inputs);
  *tensors = (struct heatmap_tensors){0};
}

void heatmap_tensors_note(const struct heatmap_tensors *tensors, struct meta *meta) {
  inputs_copy(meta, tensors->inputs);
}

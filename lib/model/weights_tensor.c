/* Which tensors a checkpoint has, and reading one of them. */
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/file.h"
#include "lib/base/memory.h"
#include "lib/model/weights_parts.h"

int weights_open_file(struct weights_file *file, struct error *error) {
  if (file->open) return OK;
  const int status = mapping_open(file->path, &file->bytes, error);
  file->open = !status;
  return status;
}

int weights_list_file(struct weights *weights, struct error *error) {
  const struct mapping *bytes = &weights->file[0].bytes;
  struct tensor_list list;
  int status = tensor_list_bytes(weights->path, bytes->data, bytes->size, &list, error);
  if (status) return status;
  weights->tensor = memory_array(list.count, sizeof *weights->tensor, "the tensors", error);
  if (!weights->tensor) status = ERROR_FAILED;
  for (size_t i = 0; !status && i < list.count; i++) {
    weights->tensor[i].name = memory_text(list.name[i], error);
    if (weights->tensor[i].name)
      weights->count++;
    else
      status = ERROR_FAILED;
  }
  tensor_list_release(&list);
  return status;
}

/* What an index says of one tensor. */
struct mapped {
  const char *name, *file;
};

static int by_file(const void *a, const void *b) {
  return strcmp(((const struct mapped *)a)->file, ((const struct mapped *)b)->file);
}

static int by_name(const void *a, const void *b) {
  return strcmp(((const struct weights_tensor *)a)->name, ((const struct weights_tensor *)b)->name);
}

/* Shards lie beside the index: a path could lead anywhere. */
static int check_shard(const char *name, const json_t *value, struct error *error) {
  const char *file = json_string_value(value);
  if (file && *file && !strchr(file, '/')) return OK;
  return error_set(error, ERROR_INPUT,
                   "'weight_map' gives tensor '%s' %s%s%s: the name of a file beside the index is "
                   "needed",
                   name, file ? "the file '" : "no file", file ? file : "", file ? "'" : "");
}

static int add_file(struct weights *weights, const char *name, struct error *error) {
  char *path;
  if (asprintf(&path, "%.*s%s", (int)(file_name(weights->path) - weights->path), weights->path,
               name) < 0)
    return error_set(error, ERROR_FAILED, "out of memory: the path of '%s'", name);
  weights->file[weights->files++].path = path;
  return OK;
}

/* Takes the tensors, sorted by their files. */
static int take_tensors(struct weights *weights, const struct mapped *mapped, size_t count,
                        struct error *error) {
  weights->tensor = memory_array(count, sizeof *weights->tensor, "the tensors", error);
  weights->file = memory_array(count, sizeof *weights->file, "the shards", error);
  if (!weights->tensor || !weights->file) return ERROR_FAILED;
  for (size_t i = 0; i < count; i++) {
    if ((!i || strcmp(mapped[i - 1].file, mapped[i].file)) &&
        add_file(weights, mapped[i].file, error))
      return ERROR_FAILED;
    weights->tensor[i].name = memory_text(mapped[i].name, error);
    if (!weights->tensor[i].name) return ERROR_FAILED;
    weights->tensor[i].file = weights->files - 1;
    weights->count++;
  }
  if (count) qsort(weights->tensor, count, sizeof *weights->tensor, by_name);
  return OK;
}

static int list_map(struct weights *weights, json_t *root, struct error *error) {
  json_t *map = json_object_get(root, "weight_map"), *value;
  const char *name;
  int status = OK;
  size_t count = 0;
  if (!json_is_object(map))
    return error_set(error, ERROR_INPUT,
                     "no index of a checkpoint: it has no 'weight_map' from tensors to files");
  struct mapped *mapped =
      memory_array(json_object_size(map), sizeof *mapped, "the tensors of an index", error);
  if (!mapped) return ERROR_FAILED;
  json_object_foreach(map, name, value) {
    if (!status) status = check_shard(name, value, error);
    mapped[count++] = (struct mapped){name, json_string_value(value)};
  }
  if (!status && count) qsort(mapped, count, sizeof *mapped, by_file);
  if (!status) status = take_tensors(weights, mapped, count, error);
  free(mapped);
  return status;
}

int weights_list_index(struct weights *weights, struct error *error) {
  char *text;
  size_t size;
  json_error_t fault;
  int status = file_read(weights->path, memory_limit(), &text, &size, error);
  if (status) return status;
  json_t *root = json_loadb(text, size, JSON_REJECT_DUPLICATES, &fault);
  free(text);
  status = root ? list_map(weights, root, error)
                : error_set(error, ERROR_INPUT, "not valid JSON at line %d, column %d: %s",
                            fault.line, fault.column, fault.text);
  json_decref(root);
  return status ? error_prefix(error, "'%s'", weights->path) : OK;
}

const char *weights_at(const struct weights *weights, size_t index) {
  return index < weights->count ? weights->tensor[index].name : NULL;
}

static const struct weights_tensor *find(const struct weights *weights, const char *name) {
  const struct weights_tensor wanted = {.name = (char *)(uintptr_t)name};
  if (!weights->count) return NULL;
  return bsearch(&wanted, weights->tensor, weights->count, sizeof wanted, by_name);
}

bool weights_has(const struct weights *weights, const char *name) {
  return find(weights, name) != NULL;
}

int weights_read(struct weights *weights, const char *name, struct tensor **tensor,
                 struct error *error) {
  *tensor = NULL;
  const struct weights_tensor *found = find(weights, name);
  /* The reader of a single file lists what there is. */
  if (!found && weights->files != 1) {
    error_set(error, ERROR_INPUT, "'%s': no tensor '%s' in it", weights->path, name);
    return ERROR_INPUT;
  }
  struct weights_file *file = &weights->file[found ? found->file : 0];
  const int status = weights_open_file(file, error);
  if (status) return status;
  return tensor_read_bytes(file->path ? file->path : weights->path, *name ? name : NULL,
                           file->bytes.data, file->bytes.size, tensor, error);
}

/* "(3, 17)", the place of element `index`. */
static void place_of(const struct weights_array *array, size_t index, char *text, size_t size) {
  size_t place[3] = {0};
  for (size_t i = array->rank; i-- > 0; index /= array->shape[i])
    place[i] = index % array->shape[i];
  if (array->rank == 3)
    snprintf(text, size, "(%zu, %zu, %zu)", place[0], place[1], place[2]);
  else if (array->rank == 2)
    snprintf(text, size, "row %zu, column %zu", place[0], place[1]);
  else
    snprintf(text, size, "element %zu", place[0]);
}

static int take_reals(const struct tensor *tensor, struct weights_array *array,
                      struct error *error) {
  array->rank = tensor->rank;
  memcpy(array->shape, tensor->shape, sizeof array->shape);
  array->value = tensor_reals(tensor, error);
  if (!array->value) return ERROR_FAILED;
  for (size_t i = 0; i < tensor->count; i++) {
    if (isfinite(array->value[i])) continue;
    char place[96];
    place_of(array, i, place, sizeof place);
    error_set(error, ERROR_INPUT, "%g in '%s', at %s: weights must be finite", array->value[i],
              tensor->name, place);
    free(array->value);
    array->value = NULL;
    return ERROR_INPUT;
  }
  return OK;
}

int weights_reals(struct weights *weights, const char *name, size_t most,
                  struct weights_array *array, struct error *error) {
  struct tensor *tensor;
  *array = (struct weights_array){0};
  int status = weights_read(weights, name, &tensor, error);
  if (status) return status;
  if (!storage_is_real(tensor->storage))
    status = error_set(error, ERROR_INPUT, "'%s' holds elements of type %s: real ones are needed",
                       tensor->name, storage_name(tensor->storage));
  else if (tensor->rank > most)
    status = error_set(error, ERROR_INPUT, "'%s' has the shape %s: at most %zu axes are read",
                       tensor->name, tensor_shape(tensor).text, most);
  else
    status = take_reals(tensor, array, error);
  tensor_destroy(tensor);
  return status;
}

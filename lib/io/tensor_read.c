/* From a file to a tensor: the file's bytes, the format they are in, the elements as this machine
   has them. */
#include <stdlib.h>
#include <string.h>

#include "lib/base/memory.h"
#include "lib/io/mapping.h"
#include "lib/io/tensor.h"
#include "lib/io/tensor_format.h"

/* GGUF's magic tells more than the one byte by which .safetensors is known: it comes first. */
static const struct tensor_format *const formats[] = {&tensor_format_npy, &tensor_format_gguf,
                                                      &tensor_format_safetensors};
enum { FORMATS = sizeof formats / sizeof *formats };

size_t tensor_path_length(const char *text) {
  const size_t whole = strlen(text);
  size_t shortest = whole;
  for (size_t f = 0; f < FORMATS; f++) {
    const size_t length = strlen(formats[f]->extension);
    const char *found = text;
    while ((found = strstr(found, formats[f]->extension)) && found[length] != ':')
      found++;
    if (found && (size_t)(found - text) + length < shortest)
      shortest = (size_t)(found - text) + length;
  }
  return shortest;
}

bool tensor_path_known(const char *text) {
  const size_t whole = tensor_path_length(text);
  for (size_t f = 0; f < FORMATS; f++) {
    const size_t length = strlen(formats[f]->extension);
    if (whole > length && !strncmp(text + whole - length, formats[f]->extension, length))
      return true;
  }
  return false;
}

const char *tensor_short_name(const char *text) {
  const char *slash = memrchr(text, '/', tensor_path_length(text));
  return slash ? slash + 1 : text;
}

int tensor_place_size(const struct tensor_place *place, size_t *bytes, struct error *error) {
  *bytes = storage_size(place->storage);
  for (size_t i = 0; i < place->rank; i++)
    if (!place->shape[i]) {
      *bytes = 0;
      return OK;
    }
  for (size_t i = 0; i < place->rank; i++)
    if (__builtin_mul_overflow(*bytes, place->shape[i], bytes))
      return error_set(error, ERROR_INPUT, "its shape has more than 2^64 bytes of elements");
  return OK;
}

int tensor_choose(struct tensor_names names, const char *name, struct error *error) {
  char list[600] = "nothing", rest[48] = "";
  size_t used = 0, listed = 0;
  for (; listed < names.count; listed++) {
    const struct tensor_name next = names.at(names.file, listed);
    if (next.length >= 296 || used + next.length + 4 >= sizeof list) break;
    used += (size_t)snprintf(list + used, sizeof list - used, "%s'%.*s'", listed ? ", " : "",
                             (int)next.length, next.text);
  }
  if (listed < names.count)
    snprintf(rest, sizeof rest, "%s%zu more", listed ? " and " : "", names.count - listed);
  if (!listed && names.count) *list = '\0';
  if (name)
    return error_set(error, ERROR_INPUT, "no tensor '%s' in it: it holds %s%s", name, list, rest);
  return error_set(error, ERROR_INPUT, "which tensor? FILE:TENSOR takes one; it holds %s%s", list,
                   rest);
}

int tensor_list_fill(struct tensor_names names, struct tensor_list *list, struct error *error) {
  size_t size = names.count * sizeof *list->name;
  for (size_t i = 0; i < names.count; i++)
    size += names.at(names.file, i).length + 1;
  list->name = memory_array(size, 1, "the names of tensors", error);
  if (!list->name) return ERROR_FAILED;
  list->count = names.count;
  char *text = (char *)(list->name + names.count);
  for (size_t i = 0; i < names.count; i++) {
    const struct tensor_name name = names.at(names.file, i);
    list->name[i] = text;
    if (name.length) memcpy(text, name.text, name.length);
    text += name.length + 1;
  }
  return OK;
}

void tensor_list_release(struct tensor_list *list) {
  free(list->name);
  *list = (struct tensor_list){0};
}

static struct tensor_name no_name(const void *file, size_t index) {
  (void)file, (void)index;
  return (struct tensor_name){"", 0};
}

/* The format whose first bytes these are, else the one of the file's extension. */
static const struct tensor_format *format_of(const char *path, struct tensor_bytes bytes) {
  for (size_t f = 0; f < FORMATS; f++)
    if (formats[f]->recognises(bytes)) return formats[f];
  const size_t length = strlen(path);
  for (size_t f = 0; f < FORMATS; f++) {
    const size_t end = strlen(formats[f]->extension);
    if (length > end && !strcmp(path + length - end, formats[f]->extension)) return formats[f];
  }
  return NULL;
}

static int choose_format(const char *path, struct tensor_bytes bytes,
                         const struct tensor_format **format, struct error *error) {
  *format = format_of(path, bytes);
  if (!bytes.size) return error_set(error, ERROR_INPUT, "the file is empty");
  if (*format) return OK;
  if (bytes.size >= 4 && !memcmp(bytes.data, "PK\3\4", 4))
    return error_set(error, ERROR_INPUT,
                     "an archive (.npz, .pt) is not read: save the array as .npy");
  return error_set(error, ERROR_INPUT, "not a tensor file: .npy, .safetensors or .gguf is read");
}

static int find(const char *path, const char *name, struct tensor_bytes bytes,
                struct tensor_place *place, struct error *error) {
  const struct tensor_format *format;
  size_t wanted;
  int status = choose_format(path, bytes, &format, error);
  if (!status) status = format->find(bytes, name, place, error);
  if (!status) status = tensor_place_size(place, &wanted, error);
  if (status) return status;
  if (place->offset > bytes.size || wanted > bytes.size - place->offset)
    return error_set(error, ERROR_INPUT,
                     "the file is shorter than its header says: %zu bytes of data, %zu are there",
                     wanted, place->offset > bytes.size ? 0 : bytes.size - place->offset);
  return OK;
}

int tensor_list_bytes(const char *path, const void *data, size_t size, struct tensor_list *list,
                      struct error *error) {
  const struct tensor_bytes bytes = {data, size};
  const struct tensor_format *format;
  *list = (struct tensor_list){0};
  int status = choose_format(path, bytes, &format, error);
  if (!status)
    status = format->list ? format->list(bytes, list, error)
                          : tensor_list_fill((struct tensor_names){1, NULL, no_name}, list, error);
  return status ? error_prefix(error, "'%s'", path) : OK;
}

static void swap_bytes(char *data, size_t count, size_t size) {
  for (size_t i = 0; i < count; i++, data += size)
    for (size_t low = 0, high = size - 1; low < high; low++, high--) {
      const char byte = data[low];
      data[low] = data[high];
      data[high] = byte;
    }
}

/* Data in Fortran order are those of the reversed shape in C order. */
static int reverse_axes(struct tensor **tensor, struct error *error) {
  struct tensor *columns = *tensor, *rows;
  size_t order[TENSOR_RANK];
  for (size_t i = 0; i < columns->rank; i++)
    order[i] = columns->rank - 1 - i;
  if (tensor_permute(columns, order, &rows, error)) return ERROR_FAILED;
  tensor_destroy(columns);
  *tensor = rows;
  return OK;
}

/* A tensor of its own memory. */
static int copy(struct tensor_bytes bytes, const struct tensor_place *place, struct tensor **result,
                struct error *error) {
  const size_t rank = place->rank, size = storage_size(place->storage);
  size_t shape[TENSOR_RANK];
  for (size_t i = 0; i < rank; i++)
    shape[i] = place->shape[place->fortran_order ? rank - 1 - i : i];
  struct tensor *tensor = tensor_create(place->storage, rank, shape, "the tensor of a file", error);
  if (!tensor) return ERROR_FAILED;
  memcpy(tensor->data, bytes.data + place->offset, tensor->count * size);
  if (place->big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__))
    swap_bytes(tensor->data, tensor->count, size);
  if (place->fortran_order && rank > 1 && reverse_axes(&tensor, error)) {
    tensor_destroy(tensor);
    return ERROR_FAILED;
  }
  *result = tensor;
  return OK;
}

/* Elements that lie in the file as they do in memory need no copy. */
static bool as_in_memory(struct tensor_bytes bytes, const struct tensor_place *place) {
  return (uintptr_t)(bytes.data + place->offset) % storage_size(place->storage) == 0 &&
         place->big_endian == (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) &&
         !(place->fortran_order && place->rank > 1);
}

static int view(struct tensor_bytes bytes, const struct tensor_place *place, struct tensor **result,
                struct error *error) {
  struct tensor *tensor = memory_array(1, sizeof *tensor, "a tensor", error);
  if (!tensor) return ERROR_FAILED;
  size_t size;
  tensor_place_size(place, &size, NULL);
  tensor->storage = place->storage;
  tensor->rank = place->rank;
  memcpy(tensor->shape, place->shape, sizeof tensor->shape);
  tensor->count = size / storage_size(place->storage);
  tensor->data = (char *)(uintptr_t)bytes.data + place->offset;
  *result = tensor;
  return OK;
}

int tensor_read_bytes(const char *path, const char *name, void *data, size_t size,
                      struct tensor **result, struct error *error) {
  const struct tensor_bytes bytes = {data, size};
  struct tensor_place place = {0};
  *result = NULL;
  int status = find(path, name, bytes, &place, error);
  if (!status)
    status = as_in_memory(bytes, &place) ? view(bytes, &place, result, error)
                                         : copy(bytes, &place, result, error);
  if (status) return error_prefix(error, "'%s'", path);
  if (asprintf(&(*result)->name, "%s%s%s", path, name ? ":" : "", name ? name : "") >= 0) return OK;
  (*result)->name = NULL;
  tensor_destroy(*result);
  *result = NULL;
  return error_set(error, ERROR_FAILED, "out of memory: the name of a tensor");
}

/* Hands the file's bytes to the tensor that lies in them, or releases them. */
static void settle(struct tensor *tensor, struct mapping *loaded) {
  if (tensor && !tensor->memory) {
    *(loaded->mapped ? &tensor->map : &tensor->memory) = loaded->data;
    tensor->map_size = loaded->size;
  } else {
    mapping_close(loaded);
  }
}

int tensor_read(const char *text, struct tensor **result, struct error *error) {
  *result = NULL;
  const size_t length = tensor_path_length(text);
  char *path = memory_text(text, error);
  if (!path) return ERROR_FAILED;
  path[length] = '\0';
  struct mapping loaded;
  int status = mapping_open(path, &loaded, error);
  if (!status) {
    const char *name = text[length] ? text + length + 1 : NULL;
    status = tensor_read_bytes(path, name, loaded.data, loaded.size, result, error);
    if (!status && loaded.mapped)
      status = hash_file(path, (*result)->sha256, error); /* in pieces: maps none of it */
    else if (!status)
      hash_bytes(loaded.data, loaded.size, (*result)->sha256);
    settle(*result, &loaded);
    if (status) {
      tensor_destroy(*result);
      *result = NULL;
    }
  }
  free(path);
  return status;
}

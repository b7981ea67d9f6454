/* The safetensors format: the length of the header (8 bytes, little endian), the header, a JSON
   object "name": {"dtype": ..., "shape": [...], "data_offsets": [begin, end]}, and the data, to
   which the offsets are relative. Its rules (huggingface/safetensors, README and tensor.rs): the
   data are covered from the first byte to the last, without holes or overlaps, and every tensor is
   as large as its shape says. */
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/memory.h"
#include "lib/io/tensor_format.h"

enum { LENGTH = 8, LONGEST = 100000000, NONE = -1 };

/* All types of the format; those that enum storage lacks can be skipped, not read. */
static const struct type {
  const char *name;
  unsigned bits;
  int storage;
} types[] = {
    {"F64", 64, STORAGE_F64}, {"F32", 32, STORAGE_F32}, {"BF16", 16, STORAGE_BF16},
    {"F16", 16, STORAGE_F16}, {"I64", 64, STORAGE_I64}, {"I32", 32, STORAGE_I32},
    {"I16", 16, STORAGE_I16}, {"I8", 8, STORAGE_I8},    {"U64", 64, STORAGE_U64},
    {"U32", 32, STORAGE_U32}, {"U16", 16, STORAGE_U16}, {"U8", 8, STORAGE_U8},
    {"BOOL", 8, STORAGE_U8},  {"C64", 64, NONE},        {"F8_E4M3", 8, NONE},
    {"F8_E5M2", 8, NONE},     {"F8_E8M0", 8, NONE},     {"F8_E4M3FNUZ", 8, NONE},
    {"F8_E5M2FNUZ", 8, NONE}, {"F6_E2M3", 6, NONE},     {"F6_E3M2", 6, NONE},
    {"F4", 4, NONE},
};

/* One entry of the header. */
struct entry {
  const char *name;
  const struct type *type; /* NULL: one that we do not know */
  const char *type_name;
  const json_t *shape;
  uint64_t begin, end;
};

static bool safetensors_recognises(struct tensor_bytes bytes) {
  return bytes.size > LENGTH && bytes.data[LENGTH] == '{';
}

static const struct type *type_find(const char *name) {
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (!strcmp(types[i].name, name)) return &types[i];
  return NULL;
}

/* A whole number of at least 0. */
static bool read_number(const json_t *json, uint64_t *number) {
  if (!json_is_integer(json) || json_integer_value(json) < 0) return false;
  *number = (uint64_t)json_integer_value(json);
  return true;
}

/* Whether the shape is a list of extents; the bits of that many elements, if they can be counted.
 */
static int check_shape(const struct entry *entry, struct error *error) {
  uint64_t bits = entry->type ? entry->type->bits : 0, extent;
  bool empty = false, too_many = false;
  if (!json_is_array(entry->shape))
    return error_set(error, ERROR_INPUT, "tensor '%s' has no 'shape'", entry->name);
  for (size_t i = 0; i < json_array_size(entry->shape); i++) {
    if (!read_number(json_array_get(entry->shape, i), &extent))
      return error_set(error, ERROR_INPUT,
                       "tensor '%s': an extent of its 'shape' is no whole number of at least 0",
                       entry->name);
    empty |= !extent;
    too_many |= __builtin_mul_overflow(bits, extent, &bits);
  }
  if (empty) bits = 0;
  if (too_many && !empty)
    return error_set(error, ERROR_INPUT, "tensor '%s': its shape has more than 2^64 bits",
                     entry->name);
  const uint64_t bytes = entry->end - entry->begin;
  if (entry->type && (bits % 8 || bits / 8 != bytes))
    return error_set(error, ERROR_INPUT,
                     "tensor '%s': its 'data_offsets' hold %" PRIu64
                     " bytes, its shape needs %" PRIu64 "%s",
                     entry->name, bytes, bits / 8, bits % 8 ? " and a part of one" : "");
  return OK;
}

static int read_entry(const char *name, const json_t *json, struct entry *entry,
                      struct error *error) {
  const json_t *offsets = json_object_get(json, "data_offsets");
  *entry = (struct entry){.name = name, .shape = json_object_get(json, "shape")};
  entry->type_name = json_string_value(json_object_get(json, "dtype"));
  if (!entry->type_name) return error_set(error, ERROR_INPUT, "tensor '%s' has no 'dtype'", name);
  entry->type = type_find(entry->type_name);
  if (json_array_size(offsets) != 2 || !read_number(json_array_get(offsets, 0), &entry->begin) ||
      !read_number(json_array_get(offsets, 1), &entry->end) || entry->end < entry->begin)
    return error_set(error, ERROR_INPUT,
                     "tensor '%s': 'data_offsets' must be two numbers, the beginning and the end",
                     name);
  return check_shape(entry, error);
}

static int check_metadata(json_t *metadata, struct error *error) {
  const char *name;
  json_t *value;
  bool strings = json_is_object(metadata);
  json_object_foreach(metadata, name, value) strings &= json_is_string(value);
  return strings ? OK
                 : error_set(error, ERROR_INPUT, "'__metadata__' must be an object of strings");
}

/* By their place; of those at one place the empty first. */
static int by_place(const void *a, const void *b) {
  const struct entry *one = a, *other = b;
  if (one->begin != other->begin) return one->begin < other->begin ? -1 : 1;
  return (one->end > other->end) - (one->end < other->end);
}

static int by_name(const void *a, const void *b) {
  return strcmp(((const struct entry *)a)->name, ((const struct entry *)b)->name);
}

/* All tensors of a file. */
struct entries {
  struct entry *list;
  size_t count;
};

/* The entries cover `size` bytes of data. Sorts them. */
static int check_cover(struct entries entries, uint64_t size, struct error *error) {
  uint64_t covered = 0;
  if (entries.count) qsort(entries.list, entries.count, sizeof *entries.list, by_place);
  for (const struct entry *entry = entries.list; entry < entries.list + entries.count; entry++) {
    if (entry->begin != covered)
      return error_set(error, ERROR_INPUT,
                       "tensor '%s' begins at byte %" PRIu64 " of the data, %" PRIu64
                       " is where it must: tensors may not overlap or leave holes",
                       entry->name, entry->begin, covered);
    covered = entry->end;
  }
  if (covered == size) return OK;
  return error_set(error, ERROR_INPUT,
                   "the file is %s than its header says: %" PRIu64 " bytes of data, %" PRIu64
                   " are there",
                   covered > size ? "shorter" : "longer", covered, size);
}

static struct tensor_name name_at(const void *list, size_t index) {
  const char *name = ((const struct entry *)list)[index].name;
  return (struct tensor_name){name, strlen(name)};
}

static int take_place(const struct entry *entry, size_t data, struct tensor_place *place,
                      struct error *error) {
  if (!entry->type || entry->type->storage == NONE)
    return error_set(error, ERROR_INPUT,
                     "tensor '%s' holds elements of type '%s': F64, F32, F16, BF16, I8 to I64, U8 "
                     "to U64 and BOOL are read",
                     entry->name, entry->type_name);
  place->storage = (enum storage)entry->type->storage;
  place->rank = json_array_size(entry->shape);
  if (place->rank > TENSOR_RANK)
    return error_set(error, ERROR_INPUT, "tensor '%s' has %zu axes, at most %d are read",
                     entry->name, place->rank, TENSOR_RANK);
  for (size_t i = 0; i < place->rank; i++)
    place->shape[i] = (size_t)json_integer_value(json_array_get(entry->shape, i));
  place->offset = data + (size_t)entry->begin;
  return OK;
}

/* Reads every entry and checks it. */
static int read_entries(json_t *header, struct entries *entries, struct error *error) {
  const char *key;
  json_t *value;
  json_object_foreach(header, key, value) {
    const int failed = strcmp(key, "__metadata__")
                           ? read_entry(key, value, &entries->list[entries->count++], error)
                           : check_metadata(value, error);
    if (failed) return failed;
  }
  return OK;
}

static int read_length(struct tensor_bytes bytes, size_t *length, struct error *error) {
  uint64_t stated = 0;
  if (bytes.size < LENGTH)
    return error_set(error, ERROR_INPUT, "the file is cut short after %zu bytes", bytes.size);
  for (size_t i = LENGTH; i-- > 0;)
    stated = stated << 8 | bytes.data[i];
  if (stated > LONGEST)
    return error_set(error, ERROR_INPUT,
                     "its header would have %" PRIu64 " bytes: at most %d are allowed", stated,
                     LONGEST);
  *length = (size_t)stated;
  if (*length > bytes.size - LENGTH)
    return error_set(error, ERROR_INPUT,
                     "the file is shorter than it says: a header of %zu bytes, %zu are there",
                     *length, bytes.size - LENGTH);
  if (!safetensors_recognises(bytes))
    return error_set(error, ERROR_INPUT, "not a safetensors file: its header is no JSON object");
  return OK;
}

static struct tensor_names names_of(struct entries entries) {
  if (entries.count) qsort(entries.list, entries.count, sizeof *entries.list, by_name);
  return (struct tensor_names){entries.count, entries.list, name_at};
}

static int find_entry(struct entries entries, const char *name, size_t data,
                      struct tensor_place *place, struct error *error) {
  for (size_t i = 0; i < entries.count; i++)
    if (name ? !strcmp(entries.list[i].name, name) : entries.count == 1)
      return take_place(&entries.list[i], data, place, error);
  return tensor_choose(names_of(entries), name, error);
}

/* A file's header. */
struct header {
  json_t *json;
  struct entries entries; /* its names are those of `json` */
  size_t data;            /* where the data begin */
};

static void header_release(struct header *header) {
  free(header->entries.list);
  json_decref(header->json);
}

static int header_read(struct tensor_bytes bytes, struct header *header, struct error *error) {
  size_t length = 0;
  json_error_t fault;
  *header = (struct header){0};
  int status = read_length(bytes, &length, error);
  if (!status) status = memory_require(length, 16, "the header", error);
  if (status) return status;
  header->data = LENGTH + length;
  header->json =
      json_loadb((const char *)bytes.data + LENGTH, length, JSON_REJECT_DUPLICATES, &fault);
  if (!header->json)
    return error_set(error, ERROR_INPUT, "its header is not valid JSON at byte %d: %s",
                     fault.position, fault.text);
  struct entries *entries = &header->entries;
  entries->list =
      memory_array(json_object_size(header->json), sizeof *entries->list, "the tensors", error);
  status = entries->list ? read_entries(header->json, entries, error) : ERROR_FAILED;
  return status ? status : check_cover(*entries, bytes.size - header->data, error);
}

static int safetensors_find(struct tensor_bytes bytes, const char *name, struct tensor_place *place,
                            struct error *error) {
  struct header header;
  int status = header_read(bytes, &header, error);
  if (!status) status = find_entry(header.entries, name, header.data, place, error);
  header_release(&header);
  return status;
}

static int safetensors_list(struct tensor_bytes bytes, struct tensor_list *list,
                            struct error *error) {
  struct header header;
  int status = header_read(bytes, &header, error);
  if (!status) status = tensor_list_fill(names_of(header.entries), list, error);
  header_release(&header);
  return status;
}

const struct tensor_format tensor_format_safetensors = {
    .extension = ".safetensors",
    .recognises = safetensors_recognises,
    .find = safetensors_find,
    .list = safetensors_list,
};

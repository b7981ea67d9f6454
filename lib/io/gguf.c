/* The GGUF container (ggml, docs/gguf.md): the magic, a version, the numbers of tensors and of
   values, the values (key, type, value), what is said of each tensor (name, axes, type, offset),
   and, from the next multiple of 'general.alignment', the tensors' data. Counts and lengths have 8
   bytes. A file of the other byte order is told by its version. */
#include "lib/io/gguf.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/memory.h"
#include "lib/base/text.h"
#include "lib/io/gguf_parts.h"

/* Fewest bytes of a value (length, key of one byte, type, value of one byte) and of what is said of
   a tensor (length, rank, type, offset): what a count is checked with. */
enum { LEAST_VALUE = 8 + 1 + 4 + 1, LEAST_TENSOR = 8 + 4 + 4 + 8 };

uint64_t gguf_number(const unsigned char *data, size_t width, bool big_endian) {
  uint64_t number = 0;
  for (size_t i = 0; i < width; i++)
    number = number << 8 | data[big_endian ? i : width - 1 - i];
  return number;
}

const unsigned char *gguf_take(struct gguf_cursor *cursor, uint64_t size, const char *what,
                               struct error *error) {
  const size_t left = cursor->bytes.size - cursor->at;
  if (size > left) {
    error_set(error, ERROR_INPUT,
              "the file is shorter than it says: %s at byte %zu has %" PRIu64
              " bytes, %zu are there",
              what, cursor->at, size, left);
    return NULL;
  }
  const unsigned char *data = cursor->bytes.data + cursor->at;
  cursor->at += (size_t)size;
  return data;
}

int gguf_take_number(struct gguf_cursor *cursor, size_t width, const char *what, uint64_t *number,
                     struct error *error) {
  const unsigned char *data = gguf_take(cursor, width, what, error);
  if (!data) return ERROR_INPUT;
  *number = gguf_number(data, width, cursor->big_endian);
  return OK;
}

int gguf_take_text(struct gguf_cursor *cursor, const char *what, struct gguf_text *text,
                   struct error *error) {
  uint64_t length = 0;
  const int failed = gguf_take_number(cursor, 8, what, &length, error);
  if (failed) return failed;
  const unsigned char *data = gguf_take(cursor, length, what, error);
  if (!data) return ERROR_INPUT;
  *text = (struct gguf_text){(const char *)data, (size_t)length};
  if (text_is_utf8(text->text, text->length)) return OK;
  return error_set(error, ERROR_INPUT, "%s '%.*s' is not UTF-8", what, GGUF_SHOWN(*text));
}

int gguf_take_count(struct gguf_cursor *cursor, size_t least, const char *what, size_t *count,
                    struct error *error) {
  uint64_t stated = 0;
  const int failed = gguf_take_number(cursor, 8, what, &stated, error);
  if (failed) return failed;
  const size_t most = (cursor->bytes.size - cursor->at) / least;
  if (stated > most)
    return error_set(error, ERROR_INPUT,
                     "the file is shorter than it says: %" PRIu64
                     " %s, there is room for at most %zu",
                     stated, what, most);
  *count = (size_t)stated;
  return OK;
}

bool gguf_recognises(struct tensor_bytes bytes) {
  return bytes.size >= 4 && !memcmp(bytes.data, "GGUF", 4);
}

static int take_version(struct gguf_cursor *cursor, unsigned *version, struct error *error) {
  uint64_t number = 0;
  if (!gguf_recognises(cursor->bytes))
    return error_set(error, ERROR_INPUT, "not a GGUF file: it does not begin with 'GGUF'");
  cursor->at = 4;
  const int failed = gguf_take_number(cursor, 4, "the version", &number, error);
  if (failed) return failed;
  /* Versions are small: where the lower half is all zeros, the bytes are in the other order. */
  if (number && !(number & 0xffff)) {
    cursor->big_endian = true;
    number = __builtin_bswap32((uint32_t)number);
  }
  *version = (unsigned)number;
  if (number == 2 || number == 3) return OK;
  return error_set(error, ERROR_INPUT,
                   number == 1 ? "GGUF version %" PRIu64
                                 ", whose counts have 32 bits, is not read: 2 and 3 are"
                               : "GGUF version %" PRIu64 " is not known: 2 and 3 are read",
                   number);
}

static int compare(struct gguf_text a, struct gguf_text b) {
  const size_t common = a.length < b.length ? a.length : b.length;
  const int order = common ? memcmp(a.text, b.text, common) : 0;
  return order ? order : (a.length > b.length) - (a.length < b.length);
}

static int by_text(const void *a, const void *b) {
  return compare(**(const struct gguf_text *const *)a, **(const struct gguf_text *const *)b);
}

/* Sorts what can be found by its text, and refuses a text that is there twice. */
static int sort(const struct gguf_text **list, size_t count, const char *what,
                struct error *error) {
  if (count) qsort(list, count, sizeof *list, by_text);
  for (size_t i = 1; i < count; i++)
    if (!compare(*list[i - 1], *list[i]))
      return error_set(error, ERROR_INPUT, "%s '%.*s' is there twice", what, GGUF_SHOWN(*list[i]));
  return OK;
}

static int take_values(struct gguf *gguf, size_t count, struct gguf_cursor *cursor,
                       struct error *error) {
  gguf->values = memory_array(count, sizeof *gguf->values, "the values of a GGUF file", error);
  if (!gguf->values) return ERROR_FAILED;
  gguf->keys = memory_array(count, sizeof *gguf->keys, "the keys of a GGUF file", error);
  if (!gguf->keys) return ERROR_FAILED;
  for (; gguf->value_count < count; gguf->value_count++) {
    const int failed = gguf_take_value(cursor, &gguf->values[gguf->value_count], error);
    if (failed) return failed;
    gguf->keys[gguf->value_count] = &gguf->values[gguf->value_count].key;
  }
  return sort(gguf->keys, count, "key", error);
}

static int take_tensors(struct gguf *gguf, size_t count, struct gguf_cursor *cursor,
                        struct error *error) {
  gguf->tensors = memory_array(count, sizeof *gguf->tensors, "the tensors of a GGUF file", error);
  if (!gguf->tensors) return ERROR_FAILED;
  gguf->names = memory_array(count, sizeof *gguf->names, "the tensors of a GGUF file", error);
  if (!gguf->names) return ERROR_FAILED;
  for (; gguf->tensor_count < count; gguf->tensor_count++) {
    const int failed = gguf_take_tensor(cursor, &gguf->tensors[gguf->tensor_count], error);
    if (failed) return failed;
    gguf->names[gguf->tensor_count] = &gguf->tensors[gguf->tensor_count].name;
  }
  const int failed = sort(gguf->names, count, "tensor", error);
  return failed ? failed : gguf_place_tensors(gguf, cursor->at, error);
}

static int parse(struct gguf *gguf, struct error *error) {
  struct gguf_cursor cursor = {.bytes = gguf->bytes};
  size_t tensors = 0, values = 0;
  int failed = take_version(&cursor, &gguf->version, error);
  gguf->big_endian = cursor.big_endian;
  if (!failed) failed = gguf_take_count(&cursor, LEAST_TENSOR, "tensors", &tensors, error);
  if (!failed) failed = gguf_take_count(&cursor, LEAST_VALUE, "values", &values, error);
  if (!failed) failed = take_values(gguf, values, &cursor, error);
  return failed ? failed : take_tensors(gguf, tensors, &cursor, error);
}

int gguf_parse(struct tensor_bytes bytes, struct gguf **result, struct error *error) {
  *result = NULL;
  struct gguf *gguf = memory_array(1, sizeof *gguf, "a GGUF file", error);
  if (!gguf) return ERROR_FAILED;
  gguf->bytes = bytes;
  const int failed = parse(gguf, error);
  if (failed)
    gguf_destroy(gguf);
  else
    *result = gguf;
  return failed;
}

int gguf_open(const char *path, struct gguf **result, struct error *error) {
  struct mapping mapping;
  *result = NULL;
  int failed = mapping_open(path, &mapping, error);
  if (failed) return failed;
  failed = gguf_parse((struct tensor_bytes){mapping.data, mapping.size}, result, error);
  if (!failed) {
    (*result)->mapping = mapping;
    return OK;
  }
  mapping_close(&mapping);
  return error_prefix(error, "'%s'", path);
}

void gguf_destroy(struct gguf *gguf) {
  if (!gguf) return;
  mapping_close(&gguf->mapping);
  free(gguf->values);
  free(gguf->tensors);
  free(gguf->keys);
  free(gguf->names);
  free(gguf);
}

unsigned gguf_version(const struct gguf *gguf) {
  return gguf->version;
}

bool gguf_is_big_endian(const struct gguf *gguf) {
  return gguf->big_endian;
}

struct tensor_bytes gguf_bytes(const struct gguf *gguf) {
  return gguf->bytes;
}

const struct gguf_value *gguf_value_at(const struct gguf *gguf, size_t index) {
  return index < gguf->value_count ? &gguf->values[index] : NULL;
}

const struct gguf_tensor *gguf_tensor_at(const struct gguf *gguf, size_t index) {
  return index < gguf->tensor_count ? &gguf->tensors[index] : NULL;
}

static const void *find(const struct gguf_text **list, size_t count, const char *text) {
  const struct gguf_text wanted = {text, strlen(text)}, *key = &wanted;
  const struct gguf_text **found = count ? bsearch(&key, list, count, sizeof *list, by_text) : NULL;
  return found ? *found : NULL;
}

/* Key and name are what the structs begin with. */
const struct gguf_value *gguf_find(const struct gguf *gguf, const char *key) {
  return find(gguf->keys, gguf->value_count, key);
}

const struct gguf_tensor *gguf_tensor_find(const struct gguf *gguf, const char *name) {
  return find(gguf->names, gguf->tensor_count, name);
}

/* GGUF files made in memory, good and bad ones. */
#ifndef ROPETOOL_TESTS_GGUF_MAKE_H
#define ROPETOOL_TESTS_GGUF_MAKE_H

#include "tests/unit/tensors.h"

#include "lib/io/gguf.h"

struct gguf_make {
  struct bytes bytes;
  bool big_endian;
};

static inline void make_number(struct gguf_make *make, uint64_t number, size_t width) {
  unsigned char bytes[8];
  for (size_t i = 0; i < width; i++)
    bytes[i] = (unsigned char)(number >> 8 * (make->big_endian ? width - 1 - i : i));
  bytes_add(&make->bytes, bytes, width);
}

static inline void make_text(struct gguf_make *make, const char *text) {
  make_number(make, strlen(text), 8);
  bytes_add(&make->bytes, text, strlen(text));
}

static inline struct gguf_make make_gguf(unsigned version, uint64_t tensors, uint64_t values) {
  struct gguf_make make = {0};
  bytes_add(&make.bytes, "GGUF", 4);
  make_number(&make, version, 4);
  make_number(&make, tensors, 8);
  make_number(&make, values, 8);
  return make;
}

static inline struct gguf_make make_big_endian(uint64_t tensors, uint64_t values) {
  struct gguf_make make = {.big_endian = true};
  bytes_add(&make.bytes, "GGUF", 4);
  make_number(&make, 3, 4);
  make_number(&make, tensors, 8);
  make_number(&make, values, 8);
  return make;
}

static inline void make_key(struct gguf_make *make, const char *key, uint32_t type) {
  make_text(make, key);
  make_number(make, type, 4);
}

static inline void make_whole(struct gguf_make *make, const char *key, enum gguf_type type,
                              uint64_t number) {
  static const size_t width[GGUF_TYPES] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};
  make_key(make, key, type);
  make_number(make, number, width[type]);
}

static inline void make_real(struct gguf_make *make, const char *key, double real) {
  uint64_t bits;
  memcpy(&bits, &real, sizeof bits);
  make_whole(make, key, GGUF_F64, bits);
}

static inline void make_string(struct gguf_make *make, const char *key, const char *text) {
  make_key(make, key, GGUF_TEXT);
  make_text(make, text);
}

/* The head of an array; its elements are to follow. */
static inline void make_array(struct gguf_make *make, const char *key, uint32_t type,
                              uint64_t count) {
  make_key(make, key, GGUF_ARRAY);
  make_number(make, type, 4);
  make_number(make, count, 8);
}

/* `extents` fastest first, as in the file. */
static inline void make_tensor(struct gguf_make *make, const char *name, uint32_t rank,
                               const uint64_t *extents) {
  make_text(make, name);
  make_number(make, rank, 4);
  for (uint32_t i = 0; i < rank; i++)
    make_number(make, extents[i], 8);
}

static inline void make_place(struct gguf_make *make, uint32_t type, uint64_t offset) {
  make_number(make, type, 4);
  make_number(make, offset, 8);
}

static inline void make_padding(struct gguf_make *make, size_t alignment) {
  while (make->bytes.size % alignment)
    bytes_add(&make->bytes, "", 1);
}

static inline void make_f32(struct gguf_make *make, const float *values, size_t count) {
  for (size_t i = 0; i < count; i++)
    make_number(make, storage_float_bits(values[i]), 4);
}

/* Parses a block of just that size, so that a read past its end is seen. The block, to be released
   with free(), outlives *gguf. */
static inline int parse_exactly(struct bytes bytes, char **block, struct gguf **gguf,
                                struct error *error) {
  *block = malloc(bytes.size + !bytes.size);
  assert_non_null(*block);
  if (bytes.size) memcpy(*block, bytes.data, bytes.size);
  return gguf_parse((struct tensor_bytes){(const unsigned char *)*block, bytes.size}, gguf, error);
}

/* Looks at everything in it. */
static inline void use_gguf(const struct gguf *gguf) {
  struct error error;
  const struct gguf_value *value;
  const struct gguf_tensor *tensor;
  for (size_t i = 0; (value = gguf_value_at(gguf, i)); i++) {
    for (size_t k = 0; k < (value->is_array ? value->count : 1); k++) {
      const struct gguf_value element = gguf_element(value, k);
      struct gguf_text text = {"", 0};
      double real;
      int64_t whole;
      bool flag;
      gguf_real(&element, &real, &error);
      gguf_positive(&element, &real, &error);
      gguf_whole(&element, INT64_MIN, INT64_MAX, &whole, &error);
      gguf_flag(&element, &flag, &error);
      gguf_text(&element, &text, &error);
      free(strndup(text.text, text.length));
    }
    gguf_type_name(value);
  }
  for (size_t i = 0; (tensor = gguf_tensor_at(gguf, i)); i++)
    free(gguf_tensor_reals(gguf, tensor, &error));
}

#endif

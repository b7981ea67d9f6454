/* Tensor files made in memory, for the tests of lib/io and lib/rope. */
#ifndef ROPETOOL_TESTS_TENSORS_H
#define ROPETOOL_TESTS_TENSORS_H

#include "tests/unit/ground.h"

#include "lib/io/tensor.h"

/* Bytes of a file; they grow as they are added. */
struct bytes {
  char *data;
  size_t size;
};

static inline void bytes_add(struct bytes *bytes, const void *data, size_t size) {
  bytes->data = realloc(bytes->data, bytes->size + size + 1);
  assert_non_null(bytes->data);
  if (size) memcpy(bytes->data + bytes->size, data, size);
  bytes->size += size;
}

static inline void bytes_free(struct bytes *bytes) {
  free(bytes->data);
  *bytes = (struct bytes){0};
}

/* A number of `width` bytes, little endian. */
static inline void bytes_add_number(struct bytes *bytes, uint64_t number, size_t width) {
  for (size_t i = 0; i < width; i++)
    bytes_add(bytes, &(unsigned char){(unsigned char)(number >> 8 * i)}, 1);
}

/* A .npy file of format version `major`. */
static inline struct bytes npy_bytes(int major, const char *header, const void *data, size_t size) {
  struct bytes bytes = {0};
  bytes_add(&bytes, "\x93NUMPY", 6);
  bytes_add_number(&bytes, (uint64_t)major, 2);
  bytes_add_number(&bytes, strlen(header), major == 1 ? 2 : 4);
  bytes_add(&bytes, header, strlen(header));
  bytes_add(&bytes, data, size);
  return bytes;
}

/* A .safetensors file. */
static inline struct bytes safetensors_bytes(const char *header, const void *data, size_t size) {
  struct bytes bytes = {0};
  bytes_add_number(&bytes, strlen(header), 8);
  bytes_add(&bytes, header, strlen(header));
  bytes_add(&bytes, data, size);
  return bytes;
}

/* Reads the bytes from a block of just their size, so that a read past the end is seen; the block
   belongs to the tensor then. */
static inline int read_exactly(const char *path, const char *name, const struct bytes *bytes,
                               struct tensor **tensor, struct error *error) {
  char *block = malloc(bytes->size + !bytes->size);
  assert_non_null(block);
  if (bytes->size) memcpy(block, bytes->data, bytes->size);
  const int status = tensor_read_bytes(path, name, block, bytes->size, tensor, error);
  if (status)
    assert_null(*tensor);
  else if (!(*tensor)->memory)
    (*tensor)->memory = block;
  if (status || (*tensor)->memory != block) free(block);
  return status;
}

static inline struct tensor *read_good(const char *path, const char *name, struct bytes bytes) {
  struct tensor *tensor;
  struct error error;
  if (read_exactly(path, name, &bytes, &tensor, &error)) fail_msg("%s", error.message);
  bytes_free(&bytes);
  return tensor;
}

/* Releases the bytes. */
static inline void assert_bad(const char *path, const char *name, struct bytes bytes,
                              const char *part) {
  struct tensor *tensor;
  struct error error;
  if (read_exactly(path, name, &bytes, &tensor, &error) != ERROR_INPUT)
    fail_msg("taken, not refused: %s", part);
  assert_message(&error, part);
  assert_message(&error, path);
  bytes_free(&bytes);
}

/* Compares the elements, and releases the tensor. */
static inline void assert_elements(struct tensor *tensor, size_t count, const double *expected) {
  struct error error;
  assert_int_equal(tensor->count, count);
  double *reals = tensor_reals(tensor, &error);
  assert_non_null(reals);
  for (size_t i = 0; i < count; i++)
    if (reals[i] != expected[i])
      fail_msg("element %zu is %.17g, not %.17g", i, reals[i], expected[i]);
  free(reals);
  tensor_destroy(tensor);
}

#define assert_shape(tensor, ...)                                                                  \
  do {                                                                                             \
    const size_t extents[] = {__VA_ARGS__};                                                        \
    assert_int_equal((tensor)->rank, sizeof extents / sizeof *extents);                            \
    assert_memory_equal((tensor)->shape, extents, sizeof extents);                                 \
  } while (0)

#endif

/* Checkpoints made by tests: .safetensors files of a few small tensors. */
#ifndef ROPETOOL_TESTS_UNIT_CHECKPOINTS_H
#define ROPETOOL_TESTS_UNIT_CHECKPOINTS_H

#include "tests/unit/tensors.h"

struct checkpoint_make {
  char header[16384];
  size_t used;
  struct bytes data;
};

/* Adds a tensor of up to 3 axes; an extent of 0 ends the shape. */
static inline void make_weights(struct checkpoint_make *make, const char *name,
                                enum storage storage, const size_t shape[3], const double *value) {
  static const char *const type[] = {"F64", "F32", "BF16", "F16"};
  size_t count = 1;
  make->used += (size_t)sprintf(make->header + make->used, "%s\"%s\":{\"dtype\":\"%s\",\"shape\":[",
                                make->used ? "," : "{", name, type[storage]);
  for (size_t i = 0; i < 3 && shape[i]; count *= shape[i++])
    make->used += (size_t)sprintf(make->header + make->used, "%s%zu", i ? "," : "", shape[i]);
  const size_t size = count * storage_size(storage);
  make->used += (size_t)sprintf(make->header + make->used, "],\"data_offsets\":[%zu,%zu]}",
                                make->data.size, make->data.size + size);
  assert_true(make->used + 512 < sizeof make->header);
  void *stored = malloc(size);
  assert_non_null(stored);
  storage_store(storage, value, count, stored);
  bytes_add(&make->data, stored, size);
  free(stored);
}

/* The same in F64, with numbers of a pattern: value i is base + i. */
static inline void make_counting(struct checkpoint_make *make, const char *name, size_t rows,
                                 size_t columns, double base) {
  const size_t count = rows * (columns ? columns : 1);
  double *value = malloc(count * sizeof *value);
  assert_non_null(value);
  for (size_t i = 0; i < count; i++)
    value[i] = base + (double)i;
  make_weights(make, name, STORAGE_F64, (size_t[3]){rows, columns, 0}, value);
  free(value);
}

/* Writes the file and starts anew. Returns its path. */
static inline const char *write_weights(struct checkpoint_make *make, const char *name) {
  const char *path = path_of(name);
  make->used += (size_t)sprintf(make->header + make->used, "%s}", make->used ? "" : "{");
  struct bytes bytes = safetensors_bytes(make->header, make->data.data, make->data.size);
  write_whole(path, bytes.data, bytes.size);
  bytes_free(&bytes);
  bytes_free(&make->data);
  make->used = 0;
  return path;
}

/* Makes a folder in the test's folder. */
static inline void make_folder(const char *name) {
  if (mkdir(path_of(name), 0700)) assert_int_equal(errno, EEXIST);
}

#endif

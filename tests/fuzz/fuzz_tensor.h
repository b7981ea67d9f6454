/* What the fuzz targets of tensor files share. */
#ifndef ROPETOOL_TESTS_FUZZ_TENSOR_H
#define ROPETOOL_TESTS_FUZZ_TENSOR_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/memory.h"
#include "lib/io/tensor.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline void require(int holds) {
  if (!holds) abort();
}

static inline void check_error(const struct error *error) {
  const size_t length = strnlen(error->message, sizeof error->message);
  require(length > 0 && length < sizeof error->message && !strchr(error->message, '\n'));
}

/* Every element is used, so that one out of bounds is seen. */
static inline void use_elements(const struct tensor *tensor) {
  struct error error;
  double *reals = tensor_reals(tensor, &error);
  if (!reals) return;
  for (size_t i = 0; i < tensor->count; i++)
    require(reals[i] == reals[i] || storage_is_real(tensor->storage));
  free(reals);
  free(tensor_wholes(tensor, &error));
}

static inline void write_and_read(const struct tensor *tensor) {
  char *text = NULL;
  size_t size = 0;
  struct error error;
  struct tensor *again;
  FILE *out = open_memstream(&text, &size);
  require(out != NULL);
  tensor_write_npy(tensor, out);
  require(!fclose(out));
  require(tensor_read_bytes("again.npy", NULL, text, size, &again, &error) == OK);
  require(again->storage == tensor->storage && again->rank == tensor->rank);
  require(!memcmp(again->shape, tensor->shape, tensor->rank * sizeof *tensor->shape));
  require(!memcmp(again->data, tensor->data, tensor->count * storage_size(tensor->storage)));
  tensor_destroy(again);
  free(text);
}

static inline void fuzz_tensor(const char *path, const char *name, const uint8_t *data,
                               size_t size) {
  struct tensor *tensor;
  struct error error;
  char *copy = malloc(size + !size); /* for the tensor may be changed */
  memory_set_limit(UINT64_C(1) << 28);
  require(copy != NULL);
  if (size) memcpy(copy, data, size);
  if (tensor_read_bytes(path, name, copy, size, &tensor, &error)) {
    require(!tensor);
    check_error(&error);
  } else {
    require(tensor->count * storage_size(tensor->storage) <= size);
    use_elements(tensor);
    write_and_read(tensor);
    tensor_destroy(tensor);
  }
  free(copy);
}

#endif

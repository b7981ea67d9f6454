/* Hostile .safetensors files, as fuzz_npy.c: the only tensor, and one by its name. */
#include "tests/fuzz/fuzz_tensor.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_tensor("m.safetensors", NULL, data, size);
  fuzz_tensor("m.safetensors", "q", data, size);
  return 0;
}

/* Hostile .npy files. Whatever the bytes are, reading ends with a tensor that lies within them or
   with an error; a tensor that was read is written and reads back as the same. */
#include "tests/fuzz/fuzz_tensor.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_tensor("x.npy", NULL, data, size);
  return 0;
}

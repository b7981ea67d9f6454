/* Runs a fuzz target over the files given as arguments: what a fuzzer found once is tested ever
 * after. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/base/file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int main(int count, char **names) {
  for (int i = 1; i < count; i++) {
    char *data;
    size_t size;
    struct error error;
    if (file_read(names[i], (size_t)1 << 30, &data, &size, &error)) {
      fprintf(stderr, "%s\n", error.message);
      return 1;
    }
    /* A block of exactly that size, so that a read past its end is seen. */
    uint8_t *input = malloc(size + !size);
    if (!input) return 1;
    for (size_t k = 0; k < size; k++)
      input[k] = (uint8_t)data[k];
    free(data);
    LLVMFuzzerTestOneInput(input, size);
    free(input);
  }
  return 0;
}

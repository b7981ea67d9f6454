#include "lib/io/npy.h"

#include <stdlib.h>
#include <string.h>

void npy_write_header(FILE *out, const char *descr, const size_t *shape, size_t rank) {
  char *text = NULL;
  size_t size = 0;
  FILE *memory = open_memstream(&text, &size);
  if (!memory) return;
  fprintf(memory, "{'descr': %s, 'fortran_order': False, 'shape': (", descr);
  for (size_t i = 0; i < rank; i++)
    fprintf(memory, i ? " %zu," : "%zu,", shape[i]);
  fputs("), }", memory);
  fclose(memory);
  /* Magic, version and length take 10 bytes; spaces and a newline bring the data to a multiple
   * of 64. */
  const size_t total = (10 + size + 1 + 63) / 64 * 64, length = total - 10;
  const unsigned char head[10] = {0x93, 'N', 'U', 'M',          'P',
                                  'Y',  1,   0,   length & 255, (length >> 8) & 255};
  fwrite(head, 1, sizeof head, out);
  fwrite(text, 1, size, out);
  for (size_t i = size; i + 1 < length; i++)
    fputc(' ', out);
  fputc('\n', out);
  free(text);
}

void npy_write_reals(FILE *out, const double *values, size_t count) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  fwrite(values, sizeof *values, count, out);
#else
  for (size_t i = 0; i < count; i++) {
    unsigned char bytes[8];
    memcpy(bytes, &values[i], 8);
    for (int b = 7; b >= 0; b--)
      fputc(bytes[b], out);
  }
#endif
}

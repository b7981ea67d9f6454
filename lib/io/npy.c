#include "lib/io/npy.h"

#include <stdint.h>
#include <string.h>

#include "lib/base/text.h"

/* Bytes before the text of the header: magic, version and the length of the text, which takes two
   bytes in version 1.0 and four since 2.0. */
enum { SHORT_START = 10, LONG_START = 12, SHORT_LIMIT = 65535, ALIGNMENT = 64 };

void npy_shape_text(char *text, size_t size, const size_t *shape, size_t rank) {
  size_t used = (size_t)snprintf(text, size, "(");
  for (size_t i = 0; i < rank; i++)
    used += (size_t)snprintf(text + used, size - used, i ? ", %zu" : "%zu", shape[i]);
  snprintf(text + used, size - used, rank == 1 ? ",)" : ")");
}

static int is_ascii(const char *text) {
  for (; *text; text++)
    if ((unsigned char)*text >= 0x80) return 0;
  return 1;
}

void npy_write_header(FILE *out, const char *descr, const size_t *shape, size_t rank) {
  static const char before[] = "{'descr': ", between[] = ", 'fortran_order': False, 'shape': ";
  char tuple[NPY_RANK * 24];
  npy_shape_text(tuple, sizeof tuple, shape, rank);
  /* The text ends with ", }", spaces and a newline, so that the data start at a multiple of 64. */
  const uint64_t text = strlen(before) + strlen(descr) + strlen(between) + strlen(tuple) + 3;
  const int utf8 = !is_ascii(descr);
  uint64_t start = SHORT_START, total = (start + text + ALIGNMENT) / ALIGNMENT * ALIGNMENT;
  if (utf8 || total - start > SHORT_LIMIT) {
    start = LONG_START;
    total = (start + text + ALIGNMENT) / ALIGNMENT * ALIGNMENT;
  }
  const uint64_t length = total - start;
  fwrite("\x93NUMPY", 1, 6, out);
  fputc(start == SHORT_START ? 1 : utf8 ? 3 : 2, out);
  fputc(0, out);
  for (uint64_t byte = 0; byte < start - 8; byte++)
    fputc((int)(length >> 8 * byte & 255), out);
  fprintf(out, "%s%s%s%s, }%*s\n", before, descr, between, tuple, (int)(length - text - 1), "");
}

void npy_write_reals(FILE *out, const double *values, size_t count) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  if (count) fwrite(values, sizeof *values, count, out);
#else
  for (size_t i = 0; i < count; i++) {
    int64_t bits;
    memcpy(&bits, &values[i], sizeof bits);
    npy_write_integer(out, bits);
  }
#endif
}

void npy_write_integer(FILE *out, int64_t value) {
  unsigned char bytes[8];
  for (int i = 0; i < 8; i++)
    bytes[i] = (unsigned char)((uint64_t)value >> 8 * i);
  fwrite(bytes, 1, sizeof bytes, out);
}

void npy_write_name(FILE *out, const char *name) {
  fputc('\'', out);
  for (size_t left = strlen(name); left;) {
    const size_t length = text_utf8_length(name, left);
    const unsigned char c = (unsigned char)*name;
    if (!length)
      fputc('?', out);
    else if (c < 0x20 || c == 0x7f)
      fprintf(out, "\\x%02x", c);
    else
      fprintf(out, "%s%.*s", c == '\'' || c == '\\' ? "\\" : "", (int)length, name);
    name += length ? length : 1;
    left -= length ? length : 1;
  }
  fputc('\'', out);
}

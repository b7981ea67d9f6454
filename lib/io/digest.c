#include "lib/io/digest.h"

#include <stdio.h>
#include <stdlib.h>

#include "lib/io/npy.h"

static FILE *open_text(char **text, size_t *size, struct error *error) {
  *text = NULL;
  FILE *out = open_memstream(text, size);
  if (!out) error_set(error, ERROR_FAILED, "out of memory: the data's hash");
  return out;
}

/* Hashes what was written, with the bytes of `rest` behind it. */
static int close_text(FILE *out, char *const *text, const size_t *size, struct hash_part rest,
                      char hex[HASH_TEXT], struct error *error) {
  const int incomplete = ferror(out), failed = fclose(out) || incomplete;
  if (!failed) hash_parts((struct hash_part[]){{*text, *size}, rest}, 2, hex);
  free(*text);
  return failed ? error_set(error, ERROR_FAILED, "out of memory: the data's hash") : OK;
}

int digest_table(const struct table *table, char hex[HASH_TEXT], struct error *error) {
  char *text;
  size_t size;
  FILE *out = open_text(&text, &size, error);
  if (!out) return ERROR_FAILED;
  table_write_csv(table, ',', out);
  return close_text(out, &text, &size, (struct hash_part){0}, hex, error);
}

int digest_matrix(const struct matrix *matrix, char hex[HASH_TEXT], struct error *error) {
  const size_t count = matrix->rows * matrix->columns;
  char *text;
  size_t size;
  FILE *out = open_text(&text, &size, error);
  if (!out) return ERROR_FAILED;
  npy_write_header(out, "'<f8'", (size_t[]){matrix->rows, matrix->columns}, 2);
  return close_text(out, &text, &size,
                    (struct hash_part){matrix->cells, count * sizeof *matrix->cells}, hex, error);
}

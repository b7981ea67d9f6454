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

/* A hash of what was written; NULL with the error filled. */
static struct hash *close_text(FILE *out, char *const *text, const size_t *size,
                               struct error *error) {
  const int incomplete = ferror(out), failed = fclose(out) || incomplete;
  struct hash *hash = failed ? NULL : hash_begin(error);
  if (failed) error_set(error, ERROR_FAILED, "out of memory: the data's hash");
  if (hash) hash_add(hash, *text, *size);
  free(*text);
  return hash;
}

int digest_table(const struct table *table, char hex[HASH_TEXT], struct error *error) {
  char *text;
  size_t size;
  FILE *out = open_text(&text, &size, error);
  if (!out) return ERROR_FAILED;
  table_write_csv(table, ',', out);
  struct hash *hash = close_text(out, &text, &size, error);
  if (!hash) return ERROR_FAILED;
  hash_end(hash, hex);
  return OK;
}

int digest_matrix(const struct matrix *matrix, char hex[HASH_TEXT], struct error *error) {
  char *text;
  size_t size;
  FILE *out = open_text(&text, &size, error);
  if (!out) return ERROR_FAILED;
  npy_write_header(out, "'<f8'", (size_t[]){matrix->rows, matrix->columns}, 2);
  struct hash *hash = close_text(out, &text, &size, error);
  if (!hash) return ERROR_FAILED;
  for (size_t b = 0; b < matrix_bands(matrix); b++) {
    const struct matrix_band band = matrix_band(matrix, b);
    hash_add(hash, band.cell, band.count * sizeof *band.cell);
    matrix_leave(&band);
  }
  hash_end(hash, hex);
  return OK;
}

#include "lib/io/digest.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/io/npy.h"

/* ---- All digits ---------------------------------------------------------------------------------
 */

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

/* ---- Rounded ------------------------------------------------------------------------------------
 */

/* Of numbers up to `largest`. The power of two stays where the last digits of that change. */
static double unit_of(double largest) {
  int exponent;
  frexp(largest * (1 + 0x1p-20), &exponent);
  return fmax(ldexp(1, exponent - DIGEST_DIGITS), 0x1p-1074);
}

static int32_t rounded(double value, double unit) {
  if (isnan(value)) return INT32_MIN;
  if (isinf(value)) return value > 0 ? INT32_MAX : -INT32_MAX;
  return (int32_t)floor(value / unit + 1.0 / 3);
}

static void add_reals(struct hash *hash, const double *value, size_t count, double unit) {
  int32_t block[1024];
  enum { BLOCK = sizeof block / sizeof *block };
  for (size_t first = 0; first < count; first += BLOCK) {
    const size_t size = count - first < BLOCK ? count - first : BLOCK;
    for (size_t i = 0; i < size; i++)
      block[i] = rounded(value[first + i], unit);
    hash_add(hash, block, size * sizeof *block);
  }
}

/* With the NUL, which keeps texts apart. */
static void add_text(struct hash *hash, const char *text) {
  hash_add(hash, text, strlen(text) + 1);
}

static void add_column(struct hash *hash, const struct table *table, size_t column) {
  const enum column_kind kind = table_column_kind(table, column);
  const size_t rows = table_rows(table);
  double largest = 0;
  add_text(hash, table_column_name(table, column));
  for (size_t r = 0; kind == COLUMN_REAL && r < rows; r++) {
    const double size = fabs(table_real(table, r, column));
    if (isfinite(size)) largest = fmax(largest, size);
  }
  for (size_t r = 0; r < rows; r++) {
    const double value = table_real(table, r, column);
    const int64_t whole = kind == COLUMN_INTEGER ? table_integer(table, r, column) : 0;
    if (kind == COLUMN_REAL)
      add_reals(hash, &value, 1, unit_of(largest));
    else if (kind == COLUMN_INTEGER)
      hash_add(hash, &whole, sizeof whole);
    else
      add_text(hash, table_text(table, r, column));
  }
}

int digest_table_rounded(const struct table *table, char hex[HASH_TEXT], struct error *error) {
  struct hash *hash = hash_begin(error);
  if (!hash) return ERROR_FAILED;
  for (size_t c = 0; c < table_columns(table); c++)
    add_column(hash, table, c);
  hash_end(hash, hex);
  return OK;
}

int digest_matrix_rounded(const struct matrix *matrix, char hex[HASH_TEXT], struct error *error) {
  const uint64_t shape[] = {matrix->rows, matrix->columns};
  double smallest = 0, largest = 0;
  struct hash *hash = hash_begin(error);
  if (!hash) return ERROR_FAILED;
  matrix_extent(matrix, &smallest, &largest);
  hash_add(hash, shape, sizeof shape);
  add_reals(hash, matrix->cells, matrix->rows * matrix->columns,
            unit_of(fmax(fabs(smallest), fabs(largest))));
  hash_end(hash, hex);
  return OK;
}

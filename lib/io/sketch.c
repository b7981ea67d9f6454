#include "lib/io/sketch.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/hash.h"
#include "lib/base/memory.h"

enum { SUMS = 64 };

struct sketch {
  struct hash *exact;
  double sum[SUMS];
  size_t count, run; /* of all numbers, and of those of a sum */
  size_t next;       /* number to be added */
  double *largest_log2;
  size_t columns;
};

static int begin(size_t count, size_t columns, struct sketch *sketch, struct error *error) {
  *sketch = (struct sketch){.count = count, .run = (count + SUMS - 1) / SUMS};
  sketch->largest_log2 = memory_array(columns + 1, sizeof(double), "a sketch of the data", error);
  sketch->exact = sketch->largest_log2 ? hash_begin(error) : NULL;
  if (sketch->exact) return OK;
  free(sketch->largest_log2);
  return ERROR_FAILED;
}

/* Seven digits are more than are compared. */
static void end(struct sketch *sketch, struct meta *meta) {
  char hex[HASH_TEXT];
  size_t sums = 0;
  for (size_t first = 0; first < sketch->count; first += sketch->run, sums++) {
    const size_t left = sketch->count - first, size = left < sketch->run ? left : sketch->run;
    sketch->sum[sums] = round(sketch->sum[sums] / sqrt((double)size) * 1e7) / 1e7;
  }
  for (size_t c = 0; c < sketch->columns; c++)
    sketch->largest_log2[c] = round(sketch->largest_log2[c] * 1e7) / 1e7;
  hash_end(sketch->exact, hex);
  meta_set_reals(meta, "sums", sketch->sum, sums);
  meta_set_reals(meta, "largest_log2", sketch->largest_log2, sketch->columns);
  meta_set_text(meta, "exact", hex);
  free(sketch->largest_log2);
}

/* Of either sign, 3/4 to 5/4 in size, so that numbers that change places show: from splitmix64
   (Steele, Lea and Flood 2014). */
static double weight_of(size_t index) {
  uint64_t z = ((uint64_t)index + 1) * UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  z ^= z >> 31;
  const double size = 0.75 + (double)(z >> 12) * 0x1p-53;
  return z & 1 ? -size : size;
}

static void add_real(struct sketch *sketch, double value, double largest) {
  const size_t index = sketch->next++;
  if (isfinite(value)) {
    if (largest > 0) sketch->sum[index / sketch->run] += weight_of(index) * (value / largest);
    return;
  }
  const int64_t special[] = {(int64_t)index, isnan(value) ? 0 : value > 0 ? 1 : -1};
  hash_add(sketch->exact, special, sizeof special);
}

static void add_largest(struct sketch *sketch, double largest) {
  /* Below the smallest double there is 0. */
  sketch->largest_log2[sketch->columns++] = largest > 0 ? log2(largest) : -1100;
}

static void add_column(const struct table *table, size_t column, struct sketch *sketch) {
  double largest = 0;
  for (size_t r = 0; r < table_rows(table); r++) {
    const double size = fabs(table_real(table, r, column));
    if (isfinite(size)) largest = fmax(largest, size);
  }
  add_largest(sketch, largest);
  for (size_t r = 0; r < table_rows(table); r++)
    add_real(sketch, table_real(table, r, column), largest);
}

/* With the NUL, which keeps texts apart. */
static void add_text(struct hash *hash, const char *text) {
  hash_add(hash, text, strlen(text) + 1);
}

static void add_exact(const struct table *table, size_t column, struct hash *hash) {
  const bool text = table_column_kind(table, column) == COLUMN_TEXT;
  for (size_t r = 0; r < table_rows(table); r++) {
    const int64_t whole = text ? 0 : table_integer(table, r, column);
    if (text)
      add_text(hash, table_text(table, r, column));
    else
      hash_add(hash, &whole, sizeof whole);
  }
}

int sketch_table(const struct table *table, struct meta *meta, struct error *error) {
  struct sketch sketch;
  size_t reals = 0;
  for (size_t c = 0; c < table_columns(table); c++)
    reals += table_column_kind(table, c) == COLUMN_REAL;
  if (begin(reals * table_rows(table), reals, &sketch, error)) return error->code;
  for (size_t c = 0; c < table_columns(table); c++) {
    add_text(sketch.exact, table_column_name(table, c));
    if (table_column_kind(table, c) == COLUMN_REAL)
      add_column(table, c, &sketch);
    else
      add_exact(table, c, sketch.exact);
  }
  end(&sketch, meta);
  return OK;
}

int sketch_matrix(const struct matrix *matrix, struct meta *meta, struct error *error) {
  const uint64_t shape[] = {matrix->rows, matrix->columns};
  const size_t count = matrix->rows * matrix->columns;
  double low = 0, high = 0;
  struct sketch sketch;
  if (begin(count, 1, &sketch, error)) return error->code;
  hash_add(sketch.exact, shape, sizeof shape);
  matrix_extent(matrix, &low, &high);
  const double largest = fmax(fabs(low), fabs(high));
  add_largest(&sketch, largest);
  for (size_t i = 0; i < count; i++)
    add_real(&sketch, matrix->cells[i], largest);
  end(&sketch, meta);
  return OK;
}

bool sketch_agree(const struct meta *a, const struct meta *b) {
  static const char *const none[] = {NULL};
  return a && b && !meta_difference(a, b, none, SKETCH_TOLERANCE, SKETCH_TOLERANCE);
}

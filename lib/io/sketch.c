#include "lib/io/sketch.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/hash.h"
#include "lib/base/memory.h"

enum { SUMS = 64 };

struct state {
  struct hash *exact;
  double sum[SUMS];
  size_t count, run; /* of all numbers, and of those of a sum */
  size_t next;       /* number to be added */
  double *largest_log2;
  size_t columns;
};

static int begin(size_t count, size_t columns, struct state *state, struct error *error) {
  *state = (struct state){.count = count, .run = 1 + (count - (count > 0)) / SUMS};
  state->largest_log2 = memory_array(columns + 1, sizeof(double), "a sketch of the data", error);
  state->exact = state->largest_log2 ? hash_begin(error) : NULL;
  if (state->exact) return OK;
  free(state->largest_log2);
  return ERROR_FAILED;
}

/* Seven digits are more than are compared. */
static void end(struct state *state, struct meta *meta) {
  char hex[HASH_TEXT];
  size_t sums = 0;
  for (size_t first = 0; first < state->count; first += state->run, sums++) {
    const size_t left = state->count - first, size = left < state->run ? left : state->run;
    state->sum[sums] = round(state->sum[sums] / sqrt((double)size) * 1e7) / 1e7;
  }
  for (size_t c = 0; c < state->columns; c++)
    state->largest_log2[c] = round(state->largest_log2[c] * 1e7) / 1e7;
  hash_end(state->exact, hex);
  meta_set_reals(meta, "sums", state->sum, sums);
  meta_set_reals(meta, "largest_log2", state->largest_log2, state->columns);
  meta_set_text(meta, "exact", hex);
  free(state->largest_log2);
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

static void add_special(struct state *state, size_t index, double value) {
  const int64_t special[] = {(int64_t)index, isnan(value) ? 0 : value > 0 ? 1 : -1};
  hash_add(state->exact, special, sizeof special);
}

static void add_real(struct state *state, double value, double largest) {
  const size_t index = state->next++;
  if (!isfinite(value))
    add_special(state, index, value);
  else if (largest > 0)
    state->sum[index / state->run] += weight_of(index) * (value / largest);
}

/* All numbers of the sketch, for they can be many: each sum on one thread. */
static void add_all(struct state *state, const double *value, double largest) {
#pragma omp parallel for
  for (size_t s = 0; s < SUMS; s++)
    for (size_t i = s * state->run; i < (s + 1) * state->run && i < state->count; i++)
      if (isfinite(value[i]) && largest > 0) state->sum[s] += weight_of(i) * (value[i] / largest);
  for (size_t i = 0; i < state->count; i++)
    if (!isfinite(value[i])) add_special(state, i, value[i]);
}

static void add_largest(struct state *state, double largest) {
  /* Below the smallest double there is 0. */
  state->largest_log2[state->columns++] = largest > 0 ? log2(largest) : -1100;
}

static void add_column(const struct table *table, size_t column, struct state *state) {
  double largest = 0;
  for (size_t r = 0; r < table_rows(table); r++) {
    const double size = fabs(table_real(table, r, column));
    if (isfinite(size)) largest = fmax(largest, size);
  }
  add_largest(state, largest);
  for (size_t r = 0; r < table_rows(table); r++)
    add_real(state, table_real(table, r, column), largest);
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

int sketch_table(const struct table *table, struct meta *sketch, struct error *error) {
  struct state state;
  size_t reals = 0;
  for (size_t c = 0; c < table_columns(table); c++)
    reals += table_column_kind(table, c) == COLUMN_REAL;
  if (begin(reals * table_rows(table), reals, &state, error)) return error->code;
  for (size_t c = 0; c < table_columns(table); c++) {
    add_text(state.exact, table_column_name(table, c));
    if (table_column_kind(table, c) == COLUMN_REAL)
      add_column(table, c, &state);
    else
      add_exact(table, c, state.exact);
  }
  end(&state, sketch);
  return OK;
}

int sketch_matrix(const struct matrix *matrix, struct meta *sketch, struct error *error) {
  const uint64_t shape[] = {matrix->rows, matrix->columns};
  const size_t count = matrix->rows * matrix->columns;
  double low = 0, high = 0;
  struct state state;
  if (begin(count, 1, &state, error)) return error->code;
  hash_add(state.exact, shape, sizeof shape);
  matrix_extent(matrix, &low, &high);
  const double largest = fmax(fabs(low), fabs(high));
  add_largest(&state, largest);
  add_all(&state, matrix->cells, largest);
  end(&state, sketch);
  return OK;
}

bool sketch_agree(const struct meta *a, const struct meta *b) {
  static const char *const none[] = {NULL};
  return a && b && !meta_difference(a, b, none, SKETCH_TOLERANCE, SKETCH_TOLERANCE);
}

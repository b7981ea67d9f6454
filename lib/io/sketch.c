#include "lib/io/sketch.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/hash.h"
#include "lib/base/memory.h"
#include "lib/base/vector.h"

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
static inline double weight_of(size_t index) {
  uint64_t z = ((uint64_t)index + 1) * UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  z ^= z >> 31;
  const double size = 0.75 + (double)(int64_t)(z >> 12) * 0x1p-53;
  return z & 1 ? -size : size;
}

/* What is said of a number that is not finite: where it is, and which. */
struct special {
  int64_t index, kind;
};

static struct special special_of(size_t index, double value) {
  return (struct special){(int64_t)index, isnan(value) ? 0 : value > 0 ? 1 : -1};
}

/* Those of a band; many at once, for a mask has half of a map. */
static void add_specials(struct state *state, const struct matrix_band *band) {
  enum { AT_ONCE = 256 };
  struct special list[AT_ONCE];
  size_t listed = 0;
  for (size_t i = 0; i < band->count; i++) {
    if (isfinite(band->cell[i])) continue;
    list[listed++] = special_of(band->first + i, band->cell[i]);
    if (listed < AT_ONCE) continue;
    hash_add(state->exact, list, sizeof list);
    listed = 0;
  }
  hash_add(state->exact, list, listed * sizeof *list);
}

static void add_real(struct state *state, double value, double largest) {
  const size_t index = state->next++;
  const struct special special = special_of(index, value);
  if (!isfinite(value))
    hash_add(state->exact, &special, sizeof special);
  else if (largest > 0)
    state->sum[index / state->run] += weight_of(index) * (value / largest);
}

/* What cells first .. first + count − 1 of a map add to a sum; returns how many are not finite, and
   add nothing. */
VECTOR_CLONES
static size_t weigh(const double *cell, size_t first, size_t count, double largest, double *term) {
  size_t special = 0;
#pragma omp simd reduction(+ : special)
  for (size_t i = 0; i < count; i++) {
    const bool finite = fabs(cell[i]) < INFINITY;
    special += !finite;
    term[i] = finite ? weight_of(first + i) * (cell[i] / largest) : 0;
  }
  return special;
}

/* The sum of one run of a map's cells; returns how many are not finite. */
static size_t sum_run(struct state *state, const struct matrix *matrix, size_t index,
                      double largest) {
  enum { PIECE = 1024 };
  const size_t first = index * state->run, left = state->count - first;
  const struct matrix_band run =
      matrix_stretch(matrix, first, left < state->run ? left : state->run);
  double sum = 0, term[PIECE];
  size_t special = 0;
  for (size_t from = 0, piece; from < run.count; from += piece) {
    piece = run.count - from < PIECE ? run.count - from : PIECE;
    special += weigh(run.cell + from, first + from, piece, largest, term);
    for (size_t i = 0; i < piece && largest > 0; i++)
      sum += term[i];
  }
  matrix_leave(&run);
  state->sum[index] = sum;
  return special;
}

/* All numbers of a map, for they can be many: each sum on one thread. */
static void add_all(struct state *state, const struct matrix *matrix, double largest) {
  size_t special = 0;
#pragma omp parallel for reduction(+ : special) schedule(dynamic)
  for (size_t s = 0; s < SUMS; s++)
    if (s * state->run < state->count) special += sum_run(state, matrix, s, largest);
  for (size_t b = 0; special && b < matrix_bands(matrix); b++) {
    const struct matrix_band band = matrix_band(matrix, b);
    add_specials(state, &band);
    matrix_leave(&band);
  }
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
  struct state state;
  if (begin(count, 1, &state, error)) return error->code;
  hash_add(state.exact, shape, sizeof shape);
  const struct matrix_span span = matrix_span(matrix);
  const double largest = fmax(fabs(span.low), fabs(span.high));
  add_largest(&state, largest);
  add_all(&state, matrix, largest);
  end(&state, sketch);
  return OK;
}

bool sketch_agree(const struct meta *a, const struct meta *b) {
  static const char *const none[] = {NULL};
  return a && b && !meta_difference(a, b, none, SKETCH_TOLERANCE, SKETCH_TOLERANCE);
}

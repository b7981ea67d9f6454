/* Hashes of results: what changes them, and what does not. */
#include "lib/io/digest.h"

#include "tests/unit/ground.h"

static struct error error;

/* Numbers of every size up to 1, exact powers of two and halves of them, and what is not finite. */
enum { COUNT = 4096 };
static void fill(double *value) {
  uint64_t state = 7;
  for (size_t i = 0; i < COUNT; i++) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    value[i] = ldexp((double)(state >> 11), -53 - (int)(i % 40)) * (i % 2 ? 1 : -1);
    if (i % 8 == 0) value[i] = ldexp(1, -(int)(i / 8 % 30));
    if (i % 8 == 1) value[i] = (double)(i / 8) * 0x1p-21;
  }
  value[0] = 1;
  value[100] = NAN;
  value[200] = INFINITY;
  value[300] = -INFINITY;
}

static void of_matrix(const double *value, char hex[HASH_TEXT]) {
  struct matrix *matrix = matrix_create(COUNT / 64, 64, &error);
  assert_non_null(matrix);
  memcpy(matrix->cells, value, COUNT * sizeof *value);
  assert_int_equal(digest_matrix_rounded(matrix, hex, &error), OK);
  matrix_destroy(matrix);
}

static struct table *table_of(const double *value, const char *text, int64_t whole) {
  struct table *table = table_create(&error);
  assert_non_null(table);
  table_add_column(table, "name", COLUMN_TEXT, &error);
  table_add_column(table, "count", COLUMN_INTEGER, &error);
  table_add_column(table, "value", COLUMN_REAL, &error);
  assert_int_equal(table_add_rows(table, COUNT, &error), OK);
  assert_int_equal(table_set_text(table, 5, 0, text, &error), OK);
  table_set_integer(table, 7, 1, whole);
  for (size_t i = 0; i < COUNT; i++)
    table_set_real(table, i, 2, value[i]);
  return table;
}

static void of_table(const double *value, const char *text, int64_t whole, char hex[HASH_TEXT]) {
  struct table *table = table_of(value, text, whole);
  assert_int_equal(digest_table_rounded(table, hex, &error), OK);
  table_destroy(table);
}

/* The last digits of all numbers, up or down. */
static void last_digits(void **state) {
  (void)state;
  double value[COUNT], other[COUNT];
  char hash[4][HASH_TEXT];
  fill(value);
  for (size_t i = 0; i < COUNT; i++)
    other[i] = value[i] * (1 + (i % 3 ? 4 : -4) * 0x1p-52) + (i % 5 ? 3e-16 : -3e-16);
  of_matrix(value, hash[0]);
  of_matrix(other, hash[1]);
  assert_string_equal(hash[0], hash[1]);
  of_table(value, "a", 3, hash[2]);
  of_table(other, "a", 3, hash[3]);
  assert_string_equal(hash[2], hash[3]);
  assert_string_not_equal(hash[0], hash[2]);
}

static void what_counts(void **state) {
  (void)state;
  static const struct {
    size_t index;
    double value;
  } changes[] = {{1000, NAN}, {100, 0},      {200, -INFINITY}, {300, 1e300},
                 {200, NAN},  {0, 1 - 4e-6}, {8, 0.5 + 4e-6},  {9, -4e-6}};
  double value[COUNT];
  char hash[HASH_TEXT], other[HASH_TEXT];
  fill(value);
  for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
    double changed[COUNT];
    memcpy(changed, value, sizeof changed);
    changed[changes[i].index] = changes[i].value;
    of_matrix(value, hash);
    of_matrix(changed, other);
    assert_string_not_equal(hash, other);
    of_table(value, "a", 3, hash);
    of_table(changed, "a", 3, other);
    assert_string_not_equal(hash, other);
  }
  of_table(value, "b", 3, other);
  assert_string_not_equal(hash, other);
  of_table(value, "a", 4, other);
  assert_string_not_equal(hash, other);
}

/* The unit goes with the numbers: tiny ones count as much as others. Nothing but zeros and nothing
   finite at all are possible. */
static void every_scale(void **state) {
  (void)state;
  double value[COUNT];
  char hash[HASH_TEXT], other[HASH_TEXT];
  static const double scales[] = {1e-320, 1e-300, 1e-9, 1, 1e9, 1e308};
  for (size_t s = 0; s < sizeof scales / sizeof *scales; s++) {
    for (size_t i = 0; i < COUNT; i++)
      value[i] = scales[s] * (double)(i % 100) / 100;
    of_matrix(value, hash);
    value[50] = scales[s] * 0.51;
    of_matrix(value, other);
    assert_string_not_equal(hash, other);
  }
  memset(value, 0, sizeof value);
  of_matrix(value, hash);
  for (size_t i = 0; i < COUNT; i++)
    value[i] = NAN;
  of_matrix(value, other);
  assert_string_not_equal(hash, other);
}

/* The shape of a matrix counts, and the names of columns. */
static void shape(void **state) {
  (void)state;
  char hash[2][HASH_TEXT];
  for (size_t i = 0; i < 2; i++) {
    struct matrix *matrix = matrix_create(i ? 2 : 3, i ? 3 : 2, &error);
    assert_int_equal(digest_matrix_rounded(matrix, hash[i], &error), OK);
    matrix_destroy(matrix);
  }
  assert_string_not_equal(hash[0], hash[1]);
  for (size_t i = 0; i < 2; i++) {
    struct table *table = table_create(&error);
    table_add_column(table, i ? "a" : "b", COLUMN_REAL, &error);
    assert_int_equal(digest_table_rounded(table, hash[i], &error), OK);
    table_destroy(table);
  }
  assert_string_not_equal(hash[0], hash[1]);
}

/* All digits: what NAME.csv and NAME.npy hold. */
static void all_digits(void **state) {
  (void)state;
  double value[COUNT];
  char hash[HASH_TEXT], expected[HASH_TEXT], *text = NULL;
  size_t size;
  fill(value);
  struct table *table = table_of(value, "a", 3);
  FILE *out = open_memstream(&text, &size);
  table_write_csv(table, ',', out);
  fclose(out);
  hash_bytes(text, size, expected);
  assert_int_equal(digest_table(table, hash, &error), OK);
  assert_string_equal(hash, expected);
  free(text);
  table_destroy(table);
  struct matrix *matrix = matrix_create(COUNT / 64, 64, &error);
  memcpy(matrix->cells, value, sizeof value);
  out = open_memstream(&text, &size);
  matrix_write_npy(matrix, out);
  fclose(out);
  hash_bytes(text, size, expected);
  assert_int_equal(digest_matrix(matrix, hash, &error), OK);
  assert_string_equal(hash, expected);
  free(text);
  matrix_destroy(matrix);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(last_digits), cmocka_unit_test(what_counts), cmocka_unit_test(every_scale),
      cmocka_unit_test(shape),       cmocka_unit_test(all_digits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

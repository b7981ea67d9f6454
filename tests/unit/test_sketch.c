/* Sketches of results, which agree where last digits differ alone; and hashes, which do not. */
#include "lib/io/sketch.h"

#include "lib/base/hash.h"
#include "lib/io/digest.h"
#include "tests/unit/ground.h"

static struct error error;

/* Numbers of every size up to 1, either sign, and what is not finite. */
enum { COUNT = 4096 };
static void fill(double *value) {
  uint64_t state = 7;
  for (size_t i = 0; i < COUNT; i++) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const int small = (int)(i % 40);
    value[i] = ldexp((double)(state >> 11), -53 - small) * (i % 2 ? 1 : -1);
  }
  value[0] = 1;
  value[100] = NAN;
  value[200] = INFINITY;
  value[300] = -INFINITY;
}

static struct meta *of_matrix(const double *value, size_t rows) {
  struct matrix *matrix = matrix_create(rows, COUNT / rows, &error);
  struct meta *sketch = meta_create();
  assert_non_null(matrix);
  memcpy(matrix->cells, value, COUNT * sizeof *value);
  assert_int_equal(sketch_matrix(matrix, sketch, &error), OK);
  matrix_destroy(matrix);
  return sketch;
}

static struct table *table_of(const double *value, const char *name, const char *text,
                              int64_t whole) {
  struct table *table = table_create(&error);
  assert_non_null(table);
  table_add_column(table, "name", COLUMN_TEXT, &error);
  table_add_column(table, "count", COLUMN_INTEGER, &error);
  table_add_column(table, name, COLUMN_REAL, &error);
  assert_int_equal(table_add_rows(table, COUNT, &error), OK);
  assert_int_equal(table_set_text(table, 5, 0, text, &error), OK);
  table_set_integer(table, 7, 1, whole);
  for (size_t i = 0; i < COUNT; i++)
    table_set_real(table, i, 2, value[i]);
  return table;
}

static struct meta *of_table(const double *value, const char *name, const char *text,
                             int64_t whole) {
  struct table *table = table_of(value, name, text, whole);
  struct meta *sketch = meta_create();
  assert_int_equal(sketch_table(table, sketch, &error), OK);
  table_destroy(table);
  return sketch;
}

/* As a figure has it: through JSON. */
static bool agree(struct meta *a, struct meta *b) {
  char *json = meta_to_json(a, 0);
  struct meta *read;
  assert_int_equal(meta_from_json(json, strlen(json), &read, &error), OK);
  const bool same = sketch_agree(read, b);
  assert_true(same == sketch_agree(b, a));
  free(json);
  meta_destroy(read);
  meta_destroy(a);
  meta_destroy(b);
  return same;
}

/* All numbers off by that part of the largest or of themselves, up or down. */
static void disturb(double *value, double absolute, double relative) {
  uint64_t state = 11;
  for (size_t i = 0; i < COUNT; i++) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const double part = (double)(state >> 11) * 0x1p-52 - 1;
    value[i] += part * (absolute + relative * fabs(isfinite(value[i]) ? value[i] : 0));
  }
}

static void last_digits(void **state) {
  (void)state;
  static const double sizes[] = {0, 1e-15, 1e-9, 2e-6, 4e-6};
  double value[COUNT], other[COUNT];
  fill(value);
  for (size_t i = 0; i < 5; i++) {
    memcpy(other, value, sizeof other);
    disturb(other, sizes[i], sizes[i]);
    assert_true(agree(of_matrix(value, 64), of_matrix(other, 64)));
    assert_true(agree(of_table(value, "x", "a", 3), of_table(other, "x", "a", 3)));
  }
  memcpy(other, value, sizeof other);
  disturb(other, 1e-3, 0);
  assert_false(agree(of_matrix(value, 64), of_matrix(other, 64)));
}

/* One number among many, and everything else. */
static void what_counts(void **state) {
  (void)state;
  static const struct {
    size_t index;
    double value;
  } changes[] = {{1000, NAN}, {100, 0}, {200, -INFINITY}, {300, 5}, {200, NAN},
                 {0, 0.99},   {1, 0.9}, {4000, 0.01},     {8, 0.5}, {100, 1e-300}};
  double value[COUNT];
  fill(value);
  for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
    double changed[COUNT];
    memcpy(changed, value, sizeof changed);
    changed[changes[i].index] = changes[i].value;
    assert_false(agree(of_matrix(value, 64), of_matrix(changed, 64)));
    assert_false(agree(of_table(value, "x", "a", 3), of_table(changed, "x", "a", 3)));
  }
  assert_false(agree(of_table(value, "x", "a", 3), of_table(value, "x", "b", 3)));
  assert_false(agree(of_table(value, "x", "a", 3), of_table(value, "x", "a", 4)));
  assert_false(agree(of_table(value, "x", "a", 3), of_table(value, "y", "a", 3)));
  assert_false(agree(of_matrix(value, 64), of_matrix(value, 32)));
  struct meta *sketch = of_matrix(value, 64);
  assert_false(sketch_agree(NULL, sketch));
  assert_false(sketch_agree(sketch, NULL));
  meta_destroy(sketch);
}

/* Neighbours that change places, and numbers that change sign together. */
static void order(void **state) {
  (void)state;
  double value[COUNT], other[COUNT];
  fill(value);
  memcpy(other, value, sizeof other);
  other[41] = value[42], other[42] = value[41];
  assert_false(agree(of_matrix(value, 64), of_matrix(other, 64)));
  for (size_t i = 0; i < COUNT; i++)
    other[i] = isfinite(value[i]) ? -value[i] : value[i];
  assert_false(agree(of_matrix(value, 64), of_matrix(other, 64)));
}

/* The unit goes with the numbers: another size of all of them is another sketch, and tiny ones
   count as much as others. Nothing but zeros, nothing finite and no numbers at all are possible. */
static void every_scale(void **state) {
  (void)state;
  double value[COUNT], other[COUNT];
  static const double scales[] = {1e-320, 1e-300, 1e-9, 1, 1e9, 1e308};
  for (size_t s = 0; s < sizeof scales / sizeof *scales; s++) {
    for (size_t i = 0; i < COUNT; i++)
      value[i] = scales[s] * (double)(i % 100) / 100;
    memcpy(other, value, sizeof other);
    other[50] = scales[s] * 0.51;
    assert_false(agree(of_matrix(value, 64), of_matrix(other, 64)));
    for (size_t i = 0; i < COUNT; i++)
      other[i] = value[i] / 2;
    assert_false(agree(of_matrix(value, 64), of_matrix(other, 64)));
  }
  memset(value, 0, sizeof value);
  for (size_t i = 0; i < COUNT; i++)
    other[i] = NAN;
  assert_true(agree(of_matrix(value, 64), of_matrix(value, 64)));
  assert_true(agree(of_matrix(other, 64), of_matrix(other, 64)));
  assert_false(agree(of_matrix(value, 64), of_matrix(other, 64)));
  struct table *table = table_create(&error);
  struct meta *sketch = meta_create();
  assert_int_equal(sketch_table(table, sketch, &error), OK);
  assert_true(sketch_agree(sketch, sketch));
  meta_destroy(sketch);
  table_destroy(table);
}

/* The hash is of what NAME.csv and NAME.npy hold. */
static void all_digits(void **state) {
  (void)state;
  double value[COUNT];
  char hash[HASH_TEXT], expected[HASH_TEXT], *text = NULL;
  size_t size;
  fill(value);
  struct table *table = table_of(value, "x", "a", 3);
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
      cmocka_unit_test(last_digits), cmocka_unit_test(what_counts), cmocka_unit_test(order),
      cmocka_unit_test(every_scale), cmocka_unit_test(all_digits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "tests/unit/ground.h"

#include <jansson.h>

#include "lib/base/memory.h"
#include "lib/io/matrix.h"

static void write_csv(const void *matrix, FILE *out) {
  matrix_write_csv(matrix, ',', out);
}

static void write_tsv(const void *matrix, FILE *out) {
  matrix_write_csv(matrix, '\t', out);
}

static void write_json(const void *matrix, FILE *out) {
  matrix_write_json(matrix, out);
}

static void write_npy(const void *matrix, FILE *out) {
  matrix_write_npy(matrix, out);
}

static void check_printed(void (*write)(const void *, FILE *), const struct matrix *matrix,
                          const char *expected) {
  char *text = printed(write, matrix, NULL);
  assert_string_equal(text, expected);
  free(text);
}

/* What JSON holds behind the meta data. */
static void check_json(const struct matrix *matrix, const char *expected) {
  char *text = printed(write_json, matrix, NULL);
  const size_t meta = strcspn(text, "}");
  assert_string_equal(text + meta, expected);
  free(text);
}

/* 2 × 3 cells of 5 queries and 7 keys: one masked, one infinite. */
static struct matrix *small_map(void) {
  struct matrix *matrix = matrix_create(2, 3, NULL);
  assert_non_null(matrix);
  strcpy(matrix->row_axis.column, "query");
  strcpy(matrix->column_axis.column, "key");
  matrix->row_axis.length = 5;
  matrix->column_axis.length = 7;
  const double cells[] = {0.1, NAN, -2, INFINITY, 1e-300, 3};
  memcpy(matrix->cells, cells, sizeof cells);
  return matrix;
}

static void a_new_matrix(void **state) {
  (void)state;
  struct error error = {0};
  struct matrix *matrix = matrix_create(3, 4, &error);
  assert_non_null(matrix);
  assert_int_equal(matrix->rows, 3);
  assert_int_equal(matrix->columns, 4);
  assert_int_equal(matrix->row_axis.length, 3);
  assert_int_equal(matrix->column_axis.length, 4);
  assert_non_null(matrix->meta);
  for (size_t i = 0; i < 12; i++)
    assert_true(same_bits(matrix->cells[i], 0));
  check_printed(write_csv, matrix,
                "row,column,value\n0,0,0\n0,1,0\n0,2,0\n0,3,0\n1,0,0\n1,1,0\n1,2,0\n1,3,0\n2,0,0\n"
                "2,1,0\n2,2,0\n2,3,0\n");
  matrix_destroy(matrix);
  matrix_destroy(NULL);
}

static void *no_memory(size_t size) {
  (void)size;
  return NULL;
}

static void what_does_not_fit(void **state) {
  (void)state;
  struct error error = {0};
  memory_set_limit((uint64_t)1 << 30);
  assert_null(matrix_create(131072, 131072, &error));
  assert_int_equal(error.code, ERROR_FAILED);
  assert_message(&error, "the cells of the map would need 128 GiB; 1 GiB are allowed");
  /* 2^32 × 2^32 cells are not 0 cells. */
  memory_set_limit(UINT64_MAX);
  assert_null(matrix_create((size_t)1 << 32, (size_t)1 << 32, &error));
  assert_null(matrix_create(SIZE_MAX, SIZE_MAX, NULL));
  memory_set_limit(1);
  assert_null(matrix_create(1, 1, &error));
  assert_message(&error, "a matrix would need");
  memory_set_limit(0);
  json_set_alloc_funcs(no_memory, free);
  error.message[0] = '\0';
  struct matrix *matrix = matrix_create(1, 1, &error);
  json_set_alloc_funcs(malloc, free);
  assert_null(matrix);
  assert_message(&error, "out of memory: the meta data of a map");
}

/* Cell i of n begins at position ⌊i·length/n⌋, also where that product exceeds 64 bits. */
static void first_positions(void **state) {
  (void)state;
  assert_int_equal(matrix_first(0, 7, 3), 0);
  assert_int_equal(matrix_first(1, 7, 3), 2);
  assert_int_equal(matrix_first(2, 7, 3), 4);
  assert_int_equal(matrix_first(3, 7, 3), 7);
  assert_int_equal(matrix_first(5, 0, 10), 0);
  assert_int_equal(matrix_first(3, 2, 4), 1);
  assert_true(matrix_first((size_t)1 << 40, (size_t)1 << 40, (size_t)1 << 40) == (size_t)1 << 40);
  assert_true(matrix_first(SIZE_MAX - 1, SIZE_MAX, SIZE_MAX) == SIZE_MAX - 1);
  assert_true(matrix_first(3, (size_t)3 << 62, 4) == (size_t)9 << 60);
  for (size_t length = 1; length < 60; length++)
    for (size_t cells = 1; cells <= length; cells++)
      for (size_t i = 0; i < cells; i++) {
        const size_t first = matrix_first(i, length, cells);
        assert_true(first * cells <= i * length && (first + 1) * cells > i * length);
        assert_true(matrix_first(i + 1, length, cells) > first);
      }
}

static void spans(void **state) {
  (void)state;
  struct matrix *matrix = small_map();
  struct matrix_span span = matrix_span(matrix);
  assert_int_equal(span.finite, 4);
  assert_true(span.low == -2 && span.high == 3 && span.positive == 1e-300);
  for (size_t i = 0; i < 6; i++)
    matrix->cells[i] = i % 2 ? NAN : -INFINITY;
  span = matrix_span(matrix);
  assert_int_equal(span.finite, 0);
  assert_true(span.low == INFINITY && span.high == -INFINITY && span.positive == INFINITY);
  for (size_t i = 0; i < 6; i++)
    matrix->cells[i] = -0.0;
  span = matrix_span(matrix);
  assert_true(!signbit(span.low) && !signbit(span.high));
  matrix_destroy(matrix);
  matrix = matrix_create(0, 5, NULL);
  assert_int_equal(matrix_span(matrix).finite, 0);
  matrix_destroy(matrix);
}

static void csv(void **state) {
  (void)state;
  struct matrix *matrix = small_map();
  check_printed(
      write_csv, matrix,
      "query,key,value\n0,0,0.10000000000000001\n0,2,\n0,4,-2\n2,0,inf\n2,2,1e-300\n2,4,3\n");
  check_printed(write_tsv, matrix,
                "query\tkey\tvalue\n0\t0\t0.10000000000000001\n0\t2\t\n0\t4\t-2\n2\t0\tinf\n"
                "2\t2\t1e-300\n2\t4\t3\n");
  matrix_destroy(matrix);
}

/* Cells that are set apart have a column that says so. */
static void hatched_cells(void **state) {
  (void)state;
  struct matrix *matrix = small_map();
  matrix->hatch.cell = calloc(6, sizeof *matrix->hatch.cell);
  assert_non_null(matrix->hatch.cell);
  strcpy(matrix->hatch.column, "unseen");
  matrix->hatch.cell[1] = matrix->hatch.cell[5] = true;
  check_printed(write_csv, matrix,
                "query,key,value,unseen\n0,0,0.10000000000000001,0\n0,2,,1\n0,4,-2,0\n2,0,inf,0\n"
                "2,2,1e-300,0\n2,4,3,1\n");
  char *text = printed(write_json, matrix, NULL);
  json_t *root = json_loads(text, 0, NULL);
  if (!root) fail_msg("not JSON: %s", text);
  const json_t *rows = json_object_get(root, "table");
  for (size_t i = 0; i < 6; i++)
    assert_int_equal(json_integer_value(json_object_get(json_array_get(rows, i), "unseen")),
                     i == 1 || i == 5);
  json_decref(root);
  free(text);
  matrix_destroy(matrix);
}

static void json(void **state) {
  (void)state;
  struct matrix *matrix = small_map();
  meta_set_text(matrix->meta, "title", "\"q\"\n");
  size_t size;
  char *text = printed(write_json, matrix, &size);
  json_error_t fault;
  json_t *root = json_loadb(text, size, JSON_REJECT_DUPLICATES, &fault);
  if (!root) fail_msg("%s in %s", fault.text, text);
  assert_string_equal(json_string_value(json_object_get(json_object_get(root, "meta"), "title")),
                      "\"q\"\n");
  const json_t *rows = json_object_get(root, "table");
  assert_int_equal(json_array_size(rows), 6);
  const json_t *cell = json_array_get(rows, 5);
  assert_int_equal(json_object_size(cell), 3);
  assert_int_equal(json_integer_value(json_object_get(cell, "query")), 2);
  assert_int_equal(json_integer_value(json_object_get(cell, "key")), 4);
  assert_true(json_number_value(json_object_get(cell, "value")) == 3);
  assert_true(json_is_null(json_object_get(json_array_get(rows, 1), "value")));
  assert_true(json_is_null(json_object_get(json_array_get(rows, 3), "value")));
  json_decref(root);
  free(text);
  matrix_destroy(matrix);
}

/* More cells than positions: several begin at 0, and it is JSON still. */
static void json_of_a_short_axis(void **state) {
  (void)state;
  struct matrix *matrix = matrix_create(2, 2, NULL);
  for (size_t length = 0; length < 3; length++) {
    matrix->row_axis.length = matrix->column_axis.length = length;
    char *text = printed(write_json, matrix, NULL);
    json_t *root = json_loads(text, 0, NULL);
    if (!root) fail_msg("not JSON: %s", text);
    assert_int_equal(json_array_size(json_object_get(root, "table")), 4);
    json_decref(root);
    free(text);
  }
  matrix_destroy(matrix);
  matrix = matrix_create(0, 0, NULL);
  check_json(matrix, "},\n\"table\": [\n]}\n");
  check_printed(write_csv, matrix, "row,column,value\n");
  matrix_destroy(matrix);
}

static void npy(void **state) {
  (void)state;
  struct matrix *matrix = small_map();
  size_t size;
  unsigned char *bytes = (unsigned char *)printed(write_npy, matrix, &size);
  static const char text[] = "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }";
  assert_memory_equal(bytes, "\x93NUMPY\x01\x00\x76\x00", 10);
  assert_memory_equal(bytes + 10, text, sizeof text - 1);
  assert_int_equal(bytes[127], '\n');
  assert_int_equal(size, 128 + 6 * sizeof(double));
  assert_memory_equal(bytes + 128, "\x9a\x99\x99\x99\x99\x99\xb9\x3f", 8);
  double value;
  memcpy(&value, bytes + 128 + 8, 8);
  assert_true(isnan(value));
  free(bytes);
  matrix_destroy(matrix);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_new_matrix),
      cmocka_unit_test(what_does_not_fit),
      cmocka_unit_test(first_positions),
      cmocka_unit_test(spans),
      cmocka_unit_test(csv),
      cmocka_unit_test(hatched_cells),
      cmocka_unit_test(json),
      cmocka_unit_test(json_of_a_short_axis),
      cmocka_unit_test(npy),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

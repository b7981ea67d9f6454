/* Tables and what is written from them; test_table_read.c has the reader. */
#include "tests/unit/ground.h"

#include <jansson.h>

#include "lib/base/memory.h"
#include "lib/io/table.h"

/* One column of each kind, all that a cell can hold. */
static struct table *mixed_table(void) {
  struct table *table = table_create(NULL);
  assert_non_null(table);
  assert_int_equal(table_add_column(table, "series", COLUMN_TEXT, NULL), 0);
  assert_int_equal(table_add_column(table, "distance", COLUMN_INTEGER, NULL), 1);
  assert_int_equal(table_add_column(table, "bound", COLUMN_REAL, NULL), 2);
  assert_int_equal(table_add_rows(table, 4, NULL), OK);
  assert_int_equal(table_set_text(table, 0, 0, "plain", NULL), OK);
  assert_int_equal(table_set_text(table, 1, 0, "a,\"b\"\n\tc\\\r", NULL), OK);
  assert_int_equal(table_set_text(table, 2, 0, "θ\xff", NULL), OK);
  table_set_integer(table, 0, 1, INT64_MIN);
  table_set_integer(table, 1, 1, INT64_MAX);
  table_set_integer(table, 2, 1, 7);
  table_set_real(table, 0, 2, 0.1);
  table_set_real(table, 1, 2, INFINITY);
  table_set_real(table, 2, 2, -INFINITY);
  return table;
}

static void write_csv(const void *table, FILE *out) {
  table_write_csv(table, ',', out);
}

static void write_tsv(const void *table, FILE *out) {
  table_write_csv(table, '\t', out);
}

static void write_json(const void *table, FILE *out) {
  table_write_json(table, out);
}

static void write_npy(const void *table, FILE *out) {
  table_write_npy(table, out);
}

static void write_people(const void *table, FILE *out) {
  table_write_text(table, out);
}

static void check_printed(void (*write)(const void *, FILE *), const struct table *table,
                          const char *expected) {
  char *text = printed(write, table, NULL);
  assert_string_equal(text, expected);
  free(text);
}

/* What JSON holds behind the meta data. */
static void check_json(const struct table *table, const char *expected) {
  char *text = printed(write_json, table, NULL);
  const size_t meta = strcspn(text, "}");
  assert_string_equal(text + meta, expected);
  free(text);
}

static void cells(void **state) {
  (void)state;
  struct table *table = mixed_table();
  assert_int_equal(table_rows(table), 4);
  assert_int_equal(table_columns(table), 3);
  assert_string_equal(table_column_name(table, 1), "distance");
  assert_int_equal(table_column_kind(table, 2), COLUMN_REAL);
  assert_int_equal(table_find_column(table, "bound"), 2);
  assert_int_equal(table_find_column(table, "absent"), -1);
  assert_non_null(table_meta(table));
  assert_string_equal(table_text(table, 0, 0), "plain");
  assert_string_equal(table_text(table, 3, 0), "");
  assert_true(table_integer(table, 0, 1) == INT64_MIN);
  assert_true(table_integer(table, 3, 1) == 0);
  assert_true(table_real(table, 2, 1) == 7);
  assert_true(isnan(table_real(table, 3, 2)));
  assert_true(isnan(table_real(table, 0, 0)));
  /* A text may be set from itself, emptied, and set again. */
  assert_int_equal(table_set_text(table, 0, 0, table_text(table, 0, 0) + 2, NULL), OK);
  assert_string_equal(table_text(table, 0, 0), "ain");
  assert_int_equal(table_set_text(table, 0, 0, NULL, NULL), OK);
  assert_string_equal(table_text(table, 0, 0), "");
  assert_int_equal(table_set_text(table, 0, 0, "", NULL), OK);
  assert_string_equal(table_text(table, 0, 0), "");
  table_destroy(table);
  table_destroy(NULL);
}

static void rows_are_added_behind(void **state) {
  (void)state;
  struct table *table = table_create(NULL);
  table_add_column(table, "n", COLUMN_INTEGER, NULL);
  table_add_column(table, "t", COLUMN_TEXT, NULL);
  for (int64_t r = 0; r < 1000; r++) {
    assert_int_equal(table_add_rows(table, 1, NULL), OK);
    table_set_integer(table, (size_t)r, 0, r * r);
    assert_string_equal(table_text(table, (size_t)r, 1), "");
    assert_int_equal(table_set_text(table, (size_t)r, 1, "x", NULL), OK);
  }
  assert_int_equal(table_add_rows(table, 0, NULL), OK);
  assert_int_equal(table_rows(table), 1000);
  for (int64_t r = 0; r < 1000; r++)
    assert_true(table_integer(table, (size_t)r, 0) == r * r);
  table_destroy(table);
}

static void what_cannot_be_added(void **state) {
  (void)state;
  struct error error = {0};
  struct table *table = mixed_table();
  assert_int_equal(table_add_column(table, "late", COLUMN_REAL, &error), -1);
  assert_int_equal(error.code, ERROR_FAILED);
  assert_message(&error, "column 'late' comes after the rows");
  assert_int_equal(table_add_column(table, "late", COLUMN_REAL, NULL), -1);
  assert_int_equal(table_add_rows(table, SIZE_MAX, &error), ERROR_FAILED);
  assert_message(&error, "the rows of the table would need");
  assert_int_equal(table_add_rows(table, SIZE_MAX - 2, NULL), ERROR_FAILED);
  memory_set_limit(UINT64_MAX);
  assert_int_equal(table_add_rows(table, (size_t)1 << 58, &error), ERROR_FAILED);
  assert_message(&error, "out of memory");
  memory_set_limit(30);
  assert_int_equal(table_set_text(table, 0, 0, "a text of more than thirty bytes", &error),
                   ERROR_FAILED);
  assert_int_equal(table_set_text(table, 0, 0, "a text of more than thirty bytes", NULL),
                   ERROR_FAILED);
  assert_int_equal(table_add_rows(table, 1, NULL), ERROR_FAILED);
  assert_null(table_create(&error));
  assert_message(&error, "a table would need");
  memory_set_limit(0);
  assert_string_equal(table_text(table, 0, 0), "plain");
  assert_int_equal(table_rows(table), 4);
  table_destroy(table);
  table = table_create(NULL);
  memory_set_limit(3);
  assert_int_equal(table_add_column(table, "long", COLUMN_REAL, &error), -1);
  memory_set_limit(0);
  assert_int_equal(table_columns(table), 0);
  table_destroy(table);
}

static void *no_memory(size_t size) {
  (void)size;
  return NULL;
}

static void no_meta_data_no_table(void **state) {
  (void)state;
  struct error error = {0};
  json_set_alloc_funcs(no_memory, free);
  struct table *table = table_create(&error);
  json_set_alloc_funcs(malloc, free);
  assert_null(table);
  assert_int_equal(error.code, ERROR_FAILED);
  assert_message(&error, "out of memory");
}

static void csv(void **state) {
  (void)state;
  struct table *table = mixed_table();
  check_printed(write_csv, table,
                "series,distance,bound\n"
                "plain,-9223372036854775808,0.10000000000000001\n"
                "\"a,\"\"b\"\"\n\tc\\\r\",9223372036854775807,inf\n"
                "θ\xff,7,-inf\n"
                ",0,\n");
  table_destroy(table);
}

static void tsv(void **state) {
  (void)state;
  struct table *table = mixed_table();
  check_printed(write_tsv, table,
                "series\tdistance\tbound\n"
                "plain\t-9223372036854775808\t0.10000000000000001\n"
                "a,\"b\"\\n\\tc\\\\\\r\t9223372036854775807\tinf\n"
                "θ\xff\t7\t-inf\n"
                "\t0\t\n");
  table_destroy(table);
}

static void json(void **state) {
  (void)state;
  struct table *table = mixed_table();
  meta_set_text(table_meta(table), "title", "\"quoted\"\n");
  size_t size;
  char *text = printed(write_json, table, &size);
  json_error_t fault;
  json_t *root = json_loadb(text, size, JSON_REJECT_DUPLICATES, &fault);
  if (!root) fail_msg("%s in %s", fault.text, text);
  const json_t *rows = json_object_get(root, "table");
  assert_int_equal(json_array_size(rows), 4);
  assert_string_equal(json_string_value(json_object_get(json_object_get(root, "meta"), "title")),
                      "\"quoted\"\n");
  const json_t *row = json_array_get(rows, 0);
  assert_int_equal(json_object_size(row), 3);
  assert_string_equal(json_string_value(json_object_get(row, "series")), "plain");
  assert_true(json_integer_value(json_object_get(row, "distance")) == INT64_MIN);
  assert_true(same_bits(json_real_value(json_object_get(row, "bound")), 0.1));
  row = json_array_get(rows, 1);
  assert_string_equal(json_string_value(json_object_get(row, "series")), "a,\"b\"\n\tc\\\r");
  assert_true(json_integer_value(json_object_get(row, "distance")) == INT64_MAX);
  assert_true(json_is_null(json_object_get(row, "bound")));
  row = json_array_get(rows, 2);
  assert_string_equal(json_string_value(json_object_get(row, "series")), "θ?");
  assert_true(json_is_null(json_object_get(row, "bound")));
  row = json_array_get(rows, 3);
  assert_true(json_is_null(json_object_get(row, "series")));
  assert_true(json_is_null(json_object_get(row, "bound")));
  json_decref(root);
  free(text);
  table_destroy(table);
}

static void json_texts(void **state) {
  (void)state;
  char all[256];
  for (int c = 1; c < 256; c++)
    all[c - 1] = (char)c;
  all[255] = '\0';
  struct table *table = table_create(NULL);
  table_add_column(table, "na\"me\n", COLUMN_TEXT, NULL);
  table_add_rows(table, 1, NULL);
  table_set_text(table, 0, 0, all, NULL);
  char *text = printed(write_json, table, NULL);
  json_t *root = json_loads(text, 0, NULL);
  if (!root) fail_msg("not JSON: %s", text);
  const json_t *row = json_array_get(json_object_get(root, "table"), 0);
  const char *back = json_string_value(json_object_get(row, "na\"me\n"));
  for (int c = 1; c < 256; c++)
    assert_int_equal(back[c - 1], c < 0x80 ? c : '?');
  json_decref(root);
  free(text);
  table_destroy(table);
}

static void tables_without_rows_or_columns(void **state) {
  (void)state;
  struct table *table = table_create(NULL);
  check_printed(write_csv, table, "\n");
  check_json(table, "},\n\"table\": [\n]}\n");
  check_printed(write_people, table, "\n");
  table_add_column(table, "a", COLUMN_REAL, NULL);
  table_add_column(table, "b", COLUMN_TEXT, NULL);
  check_printed(write_csv, table, "a,b\n");
  check_json(table, "},\n\"table\": [\n]}\n");
  check_printed(write_people, table, "a  b\n");
  assert_int_equal(table_add_rows(table, 1, NULL), OK);
  check_json(table, "},\n\"table\": [\n{\"a\": null, \"b\": null}\n]}\n");
  table_destroy(table);
}

static void npy(void **state) {
  (void)state;
  struct table *table = mixed_table();
  size_t size;
  unsigned char *bytes = (unsigned char *)printed(write_npy, table, &size);
  static const char text[] =
      "{'descr': [('distance', '<i8'), ('bound', '<f8')], 'fortran_order': False, "
      "'shape': (4,), }";
  assert_memory_equal(bytes, "\x93NUMPY\x01\x00\x76\x00", 10);
  assert_memory_equal(bytes + 10, text, sizeof text - 1);
  for (size_t i = 10 + sizeof text - 1; i < 127; i++)
    assert_int_equal(bytes[i], ' ');
  assert_int_equal(bytes[127], '\n');
  assert_int_equal(size, 128 + 4 * 16);
  static const unsigned char row[16] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f,
                                        0,    0,    0,    0,    0,    0,    0xf0, 0x7f};
  assert_memory_equal(bytes + 128 + 16, row, 16);
  free(bytes);
  table_destroy(table);
}

static void check_npy_descr(const char *name, enum column_kind kind, int version,
                            const char *expected) {
  struct table *table = table_create(NULL);
  table_add_column(table, name, kind, NULL);
  size_t size;
  unsigned char *bytes = (unsigned char *)printed(write_npy, table, &size);
  assert_int_equal(bytes[6], version);
  const unsigned char *text = bytes + (version == 1 ? 10 : 12) + strlen("{'descr': ");
  assert_memory_equal(text, expected, strlen(expected));
  assert_int_equal(size % 64, 0);
  free(bytes);
  table_destroy(table);
}

static void npy_names(void **state) {
  (void)state;
  check_npy_descr("it's", COLUMN_REAL, 1, "[('it\\'s', '<f8')], ");
  check_npy_descr("a\\b\n\x7f", COLUMN_INTEGER, 1, "[('a\\\\b\\x0a\\x7f', '<i8')], ");
  check_npy_descr("θ\xff", COLUMN_REAL, 3, "[('θ?', '<f8')], ");
  check_npy_descr("text", COLUMN_TEXT, 1, "[], ");
}

static void people(void **state) {
  (void)state;
  struct table *table = table_create(NULL);
  table_add_column(table, "Modell", COLUMN_TEXT, NULL);
  table_add_column(table, "n", COLUMN_INTEGER, NULL);
  table_add_column(table, "größe", COLUMN_REAL, NULL);
  table_add_column(table, "detail", COLUMN_TEXT, NULL);
  table_add_rows(table, 4, NULL);
  static const char *const names[] = {"llama", "θ→φ", "\x1b[31m", ""};
  static const double values[] = {1.0 / 3, INFINITY, NAN, -1e-300};
  for (size_t r = 0; r < 4; r++) {
    table_set_text(table, r, 0, names[r], NULL);
    table_set_integer(table, r, 1, (int64_t)(r * r * r * 1000));
    table_set_real(table, r, 2, values[r]);
    table_set_text(table, r, 3, r % 2 ? "" : "line\nbreak", NULL);
  }
  check_printed(write_people, table,
                "Modell      n     größe  detail\n"
                "llama       0  0.333333  line?break\n"
                "θ→φ      1000       inf\n"
                "?[31m    8000            line?break\n"
                "        27000   -1e-300\n");
  table_destroy(table);
}

static void failed_writes_show_on_the_stream(void **state) {
  (void)state;
  void (*const writers[])(const void *, FILE *) = {write_csv, write_json, write_npy, write_people};
  struct table *table = mixed_table();
  for (size_t i = 0; i < 4; i++) {
    FILE *full = fopen("/dev/full", "w");
    assert_non_null(full);
    writers[i](table, full);
    assert_true(fflush(full) || ferror(full));
    fclose(full);
  }
  FILE *null = fopen("/dev/null", "w");
  assert_non_null(null);
  json_set_alloc_funcs(no_memory, free);
  table_write_json(table, null);
  json_set_alloc_funcs(malloc, free);
  assert_true(ferror(null));
  fclose(null);
  table_destroy(table);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cells),
      cmocka_unit_test(rows_are_added_behind),
      cmocka_unit_test(what_cannot_be_added),
      cmocka_unit_test(no_meta_data_no_table),
      cmocka_unit_test(csv),
      cmocka_unit_test(tsv),
      cmocka_unit_test(json),
      cmocka_unit_test(json_texts),
      cmocka_unit_test(tables_without_rows_or_columns),
      cmocka_unit_test(npy),
      cmocka_unit_test(npy_names),
      cmocka_unit_test(people),
      cmocka_unit_test(failed_writes_show_on_the_stream),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

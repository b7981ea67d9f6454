#include "tests/unit/ground.h"

#include "lib/base/memory.h"
#include "lib/io/table.h"

static struct table *read_file(const char *path) {
  struct table *table;
  struct error error = {0};
  if (table_read_csv(path, &table, NULL, &error)) fail_msg("%s", error.message);
  return table;
}

static struct table *read_text(const char *text) {
  return read_file(write_text("table.csv", text));
}

static void refuse_file(const char *path, int code, const char *part) {
  struct table *table = (struct table *)folder;
  struct error error = {0};
  assert_int_equal(table_read_csv(path, &table, NULL, &error), code);
  assert_int_equal(error.code, code);
  assert_message(&error, part);
  assert_null(table);
  assert_int_equal(table_read_csv(path, &table, NULL, NULL), code);
}

static void refuse_text(const char *text, const char *part) {
  refuse_file(write_text("table.csv", text), ERROR_INPUT, part);
}

static void check_size(const struct table *table, size_t rows, size_t columns) {
  assert_int_equal(table_rows(table), rows);
  assert_int_equal(table_columns(table), columns);
}

static void numbers_and_texts(void **state) {
  (void)state;
  struct table *table = read_text("series,distance,value\nplain,1,0.5\nother,2e3,-1e-300\n");
  check_size(table, 2, 3);
  assert_string_equal(table_column_name(table, 0), "series");
  assert_int_equal(table_column_kind(table, 0), COLUMN_TEXT);
  assert_int_equal(table_column_kind(table, 1), COLUMN_REAL);
  assert_int_equal(table_find_column(table, "value"), 2);
  assert_string_equal(table_text(table, 1, 0), "other");
  assert_true(table_real(table, 1, 1) == 2000);
  assert_true(same_bits(table_real(table, 1, 2), -1e-300));
  table_destroy(table);
}

static void empty_cells_and_what_is_not_finite(void **state) {
  (void)state;
  struct table *table = read_text("a,b,c,d\n,inf,x,\nnan,-inf,,\nNaN,1,y,\n");
  check_size(table, 3, 4);
  for (size_t r = 0; r < 3; r++) {
    assert_true(isnan(table_real(table, r, 0)));
    assert_true(isnan(table_real(table, r, 3)));
  }
  assert_true(table_real(table, 0, 1) == INFINITY);
  assert_true(table_real(table, 1, 1) == -INFINITY);
  assert_int_equal(table_column_kind(table, 2), COLUMN_TEXT);
  assert_string_equal(table_text(table, 1, 2), "");
  table_destroy(table);
}

/* One cell that is no number makes its column one of texts, and none is changed. */
static void almost_numbers_are_texts(void **state) {
  (void)state;
  static const char *const cells[] = {"32k", "0x10", " 5", "5 ", "1e999", "infinity", "1.5.5", "-"};
  for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
    char text[64];
    snprintf(text, sizeof text, "a,b\n1,2\n%s,3\n", cells[i]);
    struct table *table = read_text(text);
    assert_int_equal(table_column_kind(table, 0), COLUMN_TEXT);
    assert_string_equal(table_text(table, 0, 0), "1");
    assert_string_equal(table_text(table, 1, 0), cells[i]);
    assert_int_equal(table_column_kind(table, 1), COLUMN_REAL);
    table_destroy(table);
  }
}

static void quotes(void **state) {
  (void)state;
  struct table *table =
      read_text("\"a\"\"b\",\"c,d\"\n\"line\nbreak\",\"\"\"\"\n\"\",\"12\"\nx\"y\",1\n");
  check_size(table, 3, 2);
  assert_string_equal(table_column_name(table, 0), "a\"b");
  assert_string_equal(table_column_name(table, 1), "c,d");
  assert_string_equal(table_text(table, 0, 0), "line\nbreak");
  assert_string_equal(table_text(table, 0, 1), "\"");
  assert_string_equal(table_text(table, 1, 0), "");
  assert_string_equal(table_text(table, 1, 1), "12");
  assert_string_equal(table_text(table, 2, 0), "x\"y\"");
  table_destroy(table);
}

static void line_ends(void **state) {
  (void)state;
  static const char *const texts[] = {
      "a,b\n1,2\n3,4\n",
      "a,b\n1,2\n3,4",
      "a,b\r\n1,2\r\n3,4\r\n",
      "a,b\r\n1,2\n3,4",
      "\xef\xbb\xbf\x61,b\n1,2\n3,4\n",
      "\xef\xbb\xbf\"a\",b\n1,2\n3,4\n",
      "a,b\n\n1,2\n\r\n3,4\n\n\n",
      "\na,b\n1,2\n3,4\n",
  };
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    struct table *table = read_text(texts[i]);
    check_size(table, 2, 2);
    assert_string_equal(table_column_name(table, 0), "a");
    assert_true(table_real(table, 0, 0) == 1 && table_real(table, 0, 1) == 2);
    assert_true(table_real(table, 1, 0) == 3 && table_real(table, 1, 1) == 4);
    table_destroy(table);
  }
  struct table *table = read_text("a,b");
  check_size(table, 0, 2);
  table_destroy(table);
  table = read_text("a,b\n1,");
  check_size(table, 1, 2);
  assert_true(isnan(table_real(table, 0, 1)));
  table_destroy(table);
  /* In one column a blank line is an empty cell. */
  table = read_text("a\n1\n\n3\n");
  check_size(table, 3, 1);
  assert_true(isnan(table_real(table, 1, 0)));
  assert_true(table_real(table, 2, 0) == 3);
  table_destroy(table);
}

static void refuses_what_is_no_table(void **state) {
  (void)state;
  refuse_text("", "table.csv' is empty: a header line is needed");
  refuse_text("\xef\xbb\xbf", "is empty");
  refuse_text("\n\r\n\n", "is empty");
  refuse_text("a,b\n1\n", "table.csv' line 2: 1 fields where the header has 2");
  refuse_text("a,b\n1,2\n3,4,5\n", "line 3: 3 fields where the header has 2");
  refuse_text("a,b\n1,2,\n", "line 2: 3 fields");
  refuse_text("a\n\"x\n", "line 2: a quote is not closed");
  refuse_text("a\n\"", "line 2: a quote is not closed");
  refuse_text("a\n\"x\"\"", "line 2: a quote is not closed");
  refuse_text("a\n\"x\" \n", "line 2: text behind a closed quote");
  refuse_text("a\rb\r1\r", "line 1: a carriage return without a line feed");
  refuse_text("a\n\"x\"\r", "line 2: a carriage return without a line feed");
  /* Lines are counted as an editor counts them. */
  refuse_text("a,b\n\"1\n2\n3\",x\n\n4\n", "line 6: 1 fields");
  refuse_text("a,b\n\"1\n2\",\"x", "line 3: a quote is not closed");
  write_whole(path_of("nul.csv"), "a,b\n1,\0002\n", 9);
  refuse_file(path_of("nul.csv"), ERROR_INPUT, "nul.csv' is not text: it holds a NUL byte");
  refuse_file(path_of("absent.csv"), ERROR_INPUT, "absent.csv': No such file or directory");
  refuse_file(folder, ERROR_INPUT, "it is a folder");
}

/* A header of `count` names, a row of as many numbers. */
static const char *wide_file(size_t count) {
  const char *path = path_of("wide.csv");
  FILE *out = fopen(path, "wb");
  assert_non_null(out);
  for (size_t i = 0; i < count; i++)
    fprintf(out, i + 1 < count ? "c%zu," : "c%zu\n", i);
  for (size_t i = 0; i < count; i++)
    fprintf(out, i + 1 < count ? "%zu," : "%zu\n", i);
  assert_int_equal(fclose(out), 0);
  return path;
}

static void many_columns(void **state) {
  (void)state;
  struct table *table = read_file(wide_file(1024));
  check_size(table, 1, 1024);
  assert_string_equal(table_column_name(table, 1023), "c1023");
  assert_true(table_real(table, 0, 1023) == 1023);
  table_destroy(table);
  refuse_file(wide_file(1025), ERROR_INPUT, "line 1: more than 1024 fields");
  refuse_file(wide_file(100000), ERROR_INPUT, "line 1: more than 1024 fields");
}

static void large_files(void **state) {
  (void)state;
  const char *path = write_text("large.csv", "a\n");
  assert_int_equal(truncate(path, 1 << 29), 0);
  refuse_file(path, ERROR_INPUT, "large.csv' is larger than the 268435456 bytes");
  FILE *out = fopen(path, "wb");
  assert_non_null(out);
  fputs("a,b\n", out);
  for (int i = 0; i < 100000; i++)
    fprintf(out, "%d,%d\n", i, -i);
  assert_int_equal(fclose(out), 0);
  struct table *table = read_file(path);
  check_size(table, 100000, 2);
  for (size_t r = 0; r < 100000; r++)
    assert_true(table_real(table, r, 1) == -(double)r);
  table_destroy(table);
  for (uint64_t limit = 1; limit < 4000000; limit *= 3) {
    memory_set_limit(limit);
    refuse_file(path, ERROR_FAILED, "not enough memory");
  }
  memory_set_limit(0);
}

static const uint64_t seed = 20240301;

/* %.17g is enough for every double, and CSV keeps infinities and empty cells. */
static void numbers_come_back_bit_for_bit(void **state) {
  (void)state;
  enum { ROWS = 20000 };
  uint64_t random = seed;
  print_message("seed %llu\n", (unsigned long long)seed);
  struct table *table = table_create(NULL);
  table_add_column(table, "x", COLUMN_REAL, NULL);
  table_add_column(table, "y", COLUMN_REAL, NULL);
  assert_int_equal(table_add_rows(table, ROWS, NULL), OK);
  for (size_t r = 0; r < ROWS; r++) {
    uint64_t bits = next_random(&random);
    if (r % 16 == 0) bits &= 0x800fffffffffffff; /* subnormal, or a zero */
    if (r % 64 == 1) bits = bits >> 63 ? 0x7ff0000000000000 : 0xfff0000000000000;
    double value;
    memcpy(&value, &bits, sizeof value);
    table_set_real(table, r, 0, value);
    table_set_real(table, r, 1, (double)(bits >> 11) * 0x1p-53);
  }
  FILE *out = fopen(path_of("bits.csv"), "wb");
  assert_non_null(out);
  table_write_csv(table, ',', out);
  assert_int_equal(fclose(out), 0);
  struct table *back = read_file(path_of("bits.csv"));
  check_size(back, ROWS, 2);
  for (size_t r = 0; r < ROWS; r++)
    for (size_t c = 0; c < 2; c++) {
      const double x = table_real(table, r, c), y = table_real(back, r, c);
      if (!(same_bits(x, y) || (isnan(x) && isnan(y)))) fail_msg("%a came back as %a", x, y);
    }
  table_destroy(back);
  table_destroy(table);
}

static void texts_come_back(void **state) {
  (void)state;
  enum { ROWS = 3000 };
  static const char alphabet[] = "\",\n\r;\t ab\xc3\xa9'1";
  uint64_t random = seed;
  struct table *table = table_create(NULL);
  table_add_column(table, "a,\"b\"\n", COLUMN_TEXT, NULL);
  table_add_column(table, "", COLUMN_TEXT, NULL);
  assert_int_equal(table_add_rows(table, ROWS, NULL), OK);
  for (size_t r = 0; r < ROWS; r++)
    for (size_t c = 0; c < 2; c++) {
      char text[12];
      const size_t length = next_random(&random) % sizeof text;
      for (size_t i = 0; i < length; i++)
        text[i] = alphabet[(next_random(&random) >> 8) % (sizeof alphabet - 1)];
      text[length] = '\0';
      assert_int_equal(table_set_text(table, r, c, text, NULL), OK);
    }
  FILE *out = fopen(path_of("texts.csv"), "wb");
  assert_non_null(out);
  table_write_csv(table, ',', out);
  assert_int_equal(fclose(out), 0);
  struct table *back = read_file(path_of("texts.csv"));
  check_size(back, ROWS, 2);
  assert_string_equal(table_column_name(back, 0), "a,\"b\"\n");
  for (size_t r = 0; r < ROWS; r++)
    for (size_t c = 0; c < 2; c++)
      assert_string_equal(table_text(back, r, c), table_text(table, r, c));
  table_destroy(back);
  table_destroy(table);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers_and_texts),
      cmocka_unit_test(empty_cells_and_what_is_not_finite),
      cmocka_unit_test(almost_numbers_are_texts),
      cmocka_unit_test(quotes),
      cmocka_unit_test(line_ends),
      cmocka_unit_test(refuses_what_is_no_table),
      cmocka_unit_test(many_columns),
      cmocka_unit_test(large_files),
      cmocka_unit_test(numbers_come_back_bit_for_bit),
      cmocka_unit_test(texts_come_back),
  };
  return cmocka_run_group_tests(tests, folder_create, folder_remove);
}

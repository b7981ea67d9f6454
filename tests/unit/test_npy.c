#include "tests/unit/ground.h"

#include "lib/io/npy.h"

struct array {
  const char *descr;
  size_t rank;
  const size_t *shape;
};

static void write_header(const void *what, FILE *out) {
  const struct array *array = what;
  npy_write_header(out, array->descr, array->shape, array->rank);
}

/* The header's bytes as the format's definition builds them: magic, version, length, text, blanks
   and a line end, to a multiple of 64 that is the next one. */
static void check_header(const char *descr, size_t rank, const size_t *shape, int version,
                         const char *tuple) {
  size_t size;
  unsigned char *bytes =
      (unsigned char *)printed(write_header, &(struct array){descr, rank, shape}, &size);
  char *text;
  const int length =
      asprintf(&text, "{'descr': %s, 'fortran_order': False, 'shape': %s, }", descr, tuple);
  assert_true(length > 0);
  const size_t start = version == 1 ? 10 : 12;
  assert_int_equal(size % 64, 0);
  assert_true(size >= start + (size_t)length + 1 && size < start + (size_t)length + 1 + 64);
  assert_memory_equal(bytes, "\x93NUMPY", 6);
  assert_int_equal(bytes[6], version);
  assert_int_equal(bytes[7], 0);
  uint64_t stated = 0;
  for (size_t i = start; i > 8; i--)
    stated = stated << 8 | bytes[i - 1];
  assert_int_equal(stated, size - start);
  assert_memory_equal(bytes + start, text, (size_t)length);
  for (size_t i = start + (size_t)length; i + 1 < size; i++)
    assert_int_equal(bytes[i], ' ');
  assert_int_equal(bytes[size - 1], '\n');
  free(text);
  free(bytes);
}

static void shapes(void **state) {
  (void)state;
  check_header("'<f8'", 0, NULL, 1, "()");
  check_header("'<f8'", 1, (const size_t[]){0}, 1, "(0,)");
  check_header("'<f8'", 1, (const size_t[]){1048576}, 1, "(1048576,)");
  check_header("'<f8'", 2, (const size_t[]){3, 4}, 1, "(3, 4)");
  check_header("'<i8'", 4, (const size_t[]){1, 32, 4096, 128}, 1, "(1, 32, 4096, 128)");
  const size_t most[NPY_RANK] = {SIZE_MAX, SIZE_MAX, SIZE_MAX, SIZE_MAX,
                                 SIZE_MAX, SIZE_MAX, SIZE_MAX, SIZE_MAX};
  check_header("'<f8'", NPY_RANK, most, 1,
               "(18446744073709551615, 18446744073709551615, 18446744073709551615, "
               "18446744073709551615, 18446744073709551615, 18446744073709551615, "
               "18446744073709551615, 18446744073709551615)");
}

/* The very bytes of a file that numpy.save wrote (NumPy 2.4.6). */
static void as_numpy_writes_it(void **state) {
  (void)state;
  static const char expected[] =
      "\x93NUMPY\x01\x00v\x00{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }"
      "                                                          \n";
  size_t size;
  char *bytes = printed(write_header, &(struct array){"'<f8'", 2, (const size_t[]){2, 3}}, &size);
  assert_int_equal(size, sizeof expected - 1);
  assert_memory_equal(bytes, expected, size);
  free(bytes);
}

/* A type of every length around each boundary: 64 bytes, and 65535 that version 1.0 can say. */
static void every_length(void **state) {
  (void)state;
  enum { LONGEST = 66000 };
  char *descr = malloc(LONGEST + 1);
  assert_non_null(descr);
  for (size_t length = 2; length < LONGEST; length += length < 300 || length > 65300 ? 1 : 997) {
    memset(descr, 'x', length);
    descr[0] = descr[length - 1] = '\'';
    descr[length] = '\0';
    const size_t text = strlen("{'descr': , 'fortran_order': False, 'shape': (7,), }") + length + 1;
    const size_t total = (10 + text + 63) / 64 * 64;
    check_header(descr, 1, (const size_t[]){7}, total - 10 > 65535 ? 2 : 1, "(7,)");
  }
  free(descr);
}

static void names_beyond_ascii_take_version_3(void **state) {
  (void)state;
  check_header("[('θ', '<f8')]", 1, (const size_t[]){7}, 3, "(7,)");
}

static void check_name(const char *name, const char *expected) {
  char *text = NULL;
  size_t size;
  FILE *out = open_memstream(&text, &size);
  assert_non_null(out);
  npy_write_name(out, name);
  fclose(out);
  assert_string_equal(text, expected);
  free(text);
}

static void names(void **state) {
  (void)state;
  check_name("inv_freq", "'inv_freq'");
  check_name("", "''");
  check_name("it's", "'it\\'s'");
  check_name("a\\b", "'a\\\\b'");
  check_name("a\nb\t\x7f", "'a\\x0ab\\x09\\x7f'");
  check_name("θ😀", "'θ😀'");
  check_name("\xff\xc3(", "'?"
                          "?('");
}

static void numbers_are_little_endian(void **state) {
  (void)state;
  char *text = NULL;
  size_t size;
  FILE *out = open_memstream(&text, &size);
  assert_non_null(out);
  npy_write_reals(out, (const double[]){1, -0.1}, 2);
  npy_write_reals(out, NULL, 0);
  npy_write_integer(out, 0x0102030405060708);
  npy_write_integer(out, -2);
  fclose(out);
  assert_int_equal(size, 32);
  assert_memory_equal(text, "\0\0\0\0\0\0\xf0\x3f\x9a\x99\x99\x99\x99\x99\xb9\xbf", 16);
  assert_memory_equal(text + 16, "\x08\x07\x06\x05\x04\x03\x02\x01\xfe\xff\xff\xff\xff\xff\xff\xff",
                      16);
  free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(shapes),       cmocka_unit_test(as_numpy_writes_it),
      cmocka_unit_test(every_length), cmocka_unit_test(names_beyond_ascii_take_version_3),
      cmocka_unit_test(names),        cmocka_unit_test(numbers_are_little_endian),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

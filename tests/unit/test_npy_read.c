/* Reading .npy files: lib/io/npy_read.c, through lib/io/tensor.h */
#include "tests/unit/tensors.h"

static const double one_to_six[6] = {1, 2, 3, 4, 5, 6};

/* What numpy.save wrote (NumPy 2.4.6) of numpy.arange(1., 7).reshape(2, 3). */
static void as_numpy_writes_it(void **state) {
  (void)state;
  static const char header[] = "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }"
                               "                                                          \n";
  struct tensor *tensor = read_good("x.npy", NULL, npy_bytes(1, header, one_to_six, 48));
  assert_int_equal(tensor->storage, STORAGE_F64);
  assert_shape(tensor, 2, 3);
  assert_string_equal(tensor->name, "x.npy");
  assert_elements(tensor, 6, one_to_six);
}

/* rogersce/cnpy#7: the file holds 1 2 3 4 5 6, the matrix is ((1 3 5) (2 4 6)). */
static void fortran_order(void **state) {
  (void)state;
  struct tensor *tensor = read_good(
      "x.npy", NULL,
      npy_bytes(1, "{'descr': '<f8', 'fortran_order': True, 'shape': (2,3)}", one_to_six, 48));
  assert_shape(tensor, 2, 3);
  assert_elements(tensor, 6, (const double[]){1, 3, 5, 2, 4, 6});
  double cube[24], expected[24];
  for (size_t i = 0; i < 24; i++)
    cube[i] = (double)i;
  for (size_t i = 0; i < 2; i++)
    for (size_t j = 0; j < 3; j++)
      for (size_t k = 0; k < 4; k++)
        expected[(i * 3 + j) * 4 + k] = cube[i + 2 * (j + 3 * k)];
  tensor = read_good(
      "x.npy", NULL,
      npy_bytes(1, "{'descr': '<f8', 'fortran_order': True, 'shape': (2, 3, 4)}", cube, 192));
  assert_elements(tensor, 24, expected);
}

/* pmontalb/NpyCpp#2, and the other types. */
static void big_endian(void **state) {
  (void)state;
  static const struct {
    const char *descr, *bytes;
    size_t size;
    double expected;
  } cases[] = {{">f4", "\x3f\x80\x00\x00", 4, 1},       {">f2", "\x3c\x00", 2, 1},
               {">f8", "\xc0\x08\0\0\0\0\0\0", 8, -3},  {">i2", "\x01\x02", 2, 258},
               {">i8", "\0\0\0\0\0\0\x01\x02", 8, 258}, {">u4", "\xff\0\0\x01", 4, 4278190081}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char header[96];
    snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': False, 'shape': (1,)}",
             cases[i].descr);
    assert_elements(read_good("x.npy", NULL, npy_bytes(1, header, cases[i].bytes, cases[i].size)),
                    1, &cases[i].expected);
  }
}

static void every_type(void **state) {
  (void)state;
  static const struct {
    const char *descr;
    enum storage storage;
    const char *bytes;
    double expected;
  } cases[] = {{"<f8", STORAGE_F64, "\0\0\0\0\0\0\xf8\x3f", 1.5},
               {"<f4", STORAGE_F32, "\0\0\xc0\x3f", 1.5},
               {"<f2", STORAGE_F16, "\x00\x3e", 1.5},
               {"<V2", STORAGE_BF16, "\xc0\x3f", 1.5},
               {"|V2", STORAGE_BF16, "\x80\x3f", 1},
               {"<i8", STORAGE_I64, "\xfe\xff\xff\xff\xff\xff\xff\xff", -2},
               {"<i4", STORAGE_I32, "\xfe\xff\xff\xff", -2},
               {"<i2", STORAGE_I16, "\xfe\xff", -2},
               {"|i1", STORAGE_I8, "\xfe", -2},
               {"<u8", STORAGE_U64, "\7\0\0\0\0\0\0\0", 7},
               {"<u4", STORAGE_U32, "\7\0\0\0", 7},
               {"<u2", STORAGE_U16, "\xff\xff", 65535},
               {"|u1", STORAGE_U8, "\xff", 255},
               {"|b1", STORAGE_U8, "\1", 1},
               {"=f4", STORAGE_F32, "\0\0\xc0\x3f", 1.5},
               {"f4", STORAGE_F32, "\0\0\xc0\x3f", 1.5}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char header[96];
    snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': False, 'shape': (1,), }\n",
             cases[i].descr);
    struct tensor *tensor = read_good(
        "x.npy", NULL, npy_bytes(1, header, cases[i].bytes, storage_size(cases[i].storage)));
    assert_int_equal(tensor->storage, cases[i].storage);
    assert_elements(tensor, 1, &cases[i].expected);
  }
}

/* Any order, either quote, blanks, a comma at the end, Python 2's 10L, versions, data anywhere. */
static void headers_of_many_kinds(void **state) {
  (void)state;
  static const char *const headers[] = {
      "{'descr': '<f8', 'fortran_order': False, 'shape': (6,), }\n",
      "{\"shape\":(6,),\"fortran_order\":False,\"descr\":\"<f8\"}",
      "  { 'shape' : ( 6L , ) , 'descr' : '<f8' , 'fortran_order' : False , }   \n",
      "{'descr': '<f8', 'fortran_order': True, 'shape': (6,)}",
      "{\t'descr':\r\n'<f8', 'fortran_order': False, 'shape': (6 , )}x",
  };
  for (size_t i = 0; i + 1 < sizeof headers / sizeof *headers; i++)
    for (int major = 1; major <= 3; major++)
      assert_elements(read_good("x.npy", NULL, npy_bytes(major, headers[i], one_to_six, 48)), 6,
                      one_to_six);
  assert_bad("x.npy", NULL, npy_bytes(1, headers[4], one_to_six, 48), "its end is expected");
}

static void shapes(void **state) {
  (void)state;
  struct tensor *tensor = read_good(
      "x.npy", NULL,
      npy_bytes(1, "{'descr': '<f8', 'fortran_order': True, 'shape': ()}", one_to_six, 8));
  assert_int_equal(tensor->rank, 0);
  assert_elements(tensor, 1, one_to_six);
  tensor =
      read_good("x.npy", NULL,
                npy_bytes(1, "{'descr': '<f8', 'fortran_order': True, 'shape': (0, 3)}", "", 0));
  assert_shape(tensor, 0, 3);
  assert_elements(tensor, 0, NULL);
  tensor = read_good(
      "x.npy", NULL,
      npy_bytes(1,
                "{'descr': '<f8', 'fortran_order': False, 'shape': (18446744073709551615, "
                "18446744073709551615, 0)}",
                "", 0));
  assert_elements(tensor, 0, NULL);
  tensor =
      read_good("x.npy", NULL,
                npy_bytes(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (1,1,2,1,1,3,1,1)}",
                          one_to_six, 48));
  assert_shape(tensor, 1, 1, 2, 1, 1, 3, 1, 1);
  assert_elements(tensor, 6, one_to_six);
}

/* What follows the data is ignored, as NumPy does. */
static void more_bytes(void **state) {
  (void)state;
  assert_elements(read_good("x.npy", NULL,
                            npy_bytes(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (5,)}",
                                      one_to_six, 48)),
                  5, one_to_six);
}

static void faults(void **state) {
  (void)state;
  static const struct {
    const char *header, *part;
  } cases[] = {
      {"", "'{' is expected"},
      {"{", "a string is expected"},
      {"{}", "lacks 'descr'"},
      {"{'descr': '<f8'}", "lacks 'fortran_order'"},
      {"{'descr': '<f8', 'fortran_order': False}", "lacks 'shape'"},
      {"{'descr': '<f8' 'shape': (1,)}", "',' or '}' is expected"},
      {"{'descr'; '<f8'}", "':' is expected"},
      {"{'descr': '<f8', 'descr': '<f8'}", "'descr' twice"},
      {"{'descr': '<f8', 'order': False}", "the key 'order'"},
      {"{'descr': '<f8', 'fortran_order': 0}", "True or False"},
      {"{'descr': '|O', 'fortran_order': False, 'shape': (1,)}", "never loaded"},
      {"{'descr': '<c16', 'fortran_order': False, 'shape': (1,)}", "type '<c16'"},
      {"{'descr': '<f16', 'fortran_order': False, 'shape': (1,)}", "type '<f16'"},
      {"{'descr': '<U3', 'fortran_order': False, 'shape': (1,)}", "type '<U3'"},
      {"{'descr': '', 'fortran_order': False, 'shape': (1,)}", "type ''"},
      {"{'descr': '<f8', 'fortran_order': False, 'shape': (1)}", "a tuple"},
      {"{'descr': '<f8', 'fortran_order': False, 'shape': 1}", "the shape, '('"},
      {"{'descr': '<f8', 'fortran_order': False, 'shape': (-1,)}", "0 or more"},
      {"{'descr': '<f8', 'fortran_order': False, 'shape': (True,)}", "0 or more"},
      {"{'descr': '<f8', 'fortran_order': False, 'shape': (1 2)}", "',' or ')'"},
      {"{'descr': '<f8', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,1)}",
       "more than 8 axes"},
      {"{'descr': '<f8', 'fortran_order': False, 'shape': (18446744073709551616,)}", "over 2^64"},
      {"{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999999,)}",
       "over 2^64"},
      {"{'descr': '<f8', 'fortran_order': False, 'shape': (2305843009213693952,)}",
       "more than 2^64"},
      {"{'descr': '<f8', 'fortran_order': False, 'shape': (4294967296, 4294967296)}",
       "more than 2^64"},
      {"{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1,)}", "records"},
      {"{'descr': 'a very long name of a type that cannot be", "the end of a string"},
      {"{'descr': 'a very long name of a type that cannot be'", "a short string"},
      {"{'descr': '<f8', 'fortran_order': False, 'shape': (7,)}",
       "shorter than its header says: 56 bytes of data, 48"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    assert_bad("x.npy", NULL, npy_bytes(1, cases[i].header, one_to_six, 48), cases[i].part);
  assert_bad("x.npy", NULL, npy_bytes(4, "{}", "", 0), "format is 4.0");
  assert_bad("x.npy", NULL, npy_bytes(0, "{}", "", 0), "format is 0.0");
  assert_bad("x.npy", "q", npy_bytes(1, "{}", "", 0), "leave out ':q'");
  struct bytes text = {0};
  bytes_add(&text, "1 2 3\n", 6);
  assert_bad("x.npy", NULL, text, "does not begin with");
}

/* However the file is cut, the reader sees it. */
static void cut_anywhere(void **state) {
  (void)state;
  for (int major = 1; major <= 2; major++) {
    struct bytes whole = npy_bytes(
        major, "{'descr': '<f4', 'fortran_order': True, 'shape': (3, 4)}", one_to_six, 48);
    for (size_t size = 0; size < whole.size; size++) {
      struct bytes cut = {0};
      bytes_add(&cut, whole.data, size);
      assert_bad("x.npy", NULL, cut,
                 !size                    ? "is empty"
                 : size < 6               ? "does not begin"
                 : size < 12              ? "cut short after"
                 : size + 48 < whole.size ? "cut short: a header of"
                                          : "shorter than its header says");
    }
    bytes_free(&whole);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(as_numpy_writes_it),
      cmocka_unit_test(fortran_order),
      cmocka_unit_test(big_endian),
      cmocka_unit_test(every_type),
      cmocka_unit_test(headers_of_many_kinds),
      cmocka_unit_test(shapes),
      cmocka_unit_test(more_bytes),
      cmocka_unit_test(faults),
      cmocka_unit_test(cut_anywhere),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

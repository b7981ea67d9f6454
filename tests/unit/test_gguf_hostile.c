/* GGUF files that are wrong, or made to harm: lib/io/gguf.h. One line says what is wrong, at once,
   whatever the numbers are. */
#include "tests/unit/gguf_make.h"

/* What is refused, and how that is said. Releases the bytes. */
static void bad(struct gguf_make make, const char *part) {
  struct error error;
  struct gguf *gguf;
  char *block;
  if (parse_exactly(make.bytes, &block, &gguf, &error) != ERROR_INPUT)
    fail_msg("taken, not refused: %s", part);
  assert_null(gguf);
  assert_message(&error, part);
  free(block);
  bytes_free(&make.bytes);
}

/* Padded to the end, as all files are to be. */
static void good(struct gguf_make make) {
  struct error error;
  struct gguf *gguf;
  char *block;
  make_padding(&make, 32);
  if (parse_exactly(make.bytes, &block, &gguf, &error)) fail_msg("%s", error.message);
  use_gguf(gguf);
  gguf_destroy(gguf);
  free(block);
  bytes_free(&make.bytes);
}

/* One tensor, whose data begin where they are to; `data` bytes of them. */
static struct gguf_make one_tensor(uint32_t rank, const uint64_t *extents, uint32_t type,
                                   uint64_t offset, size_t data) {
  struct gguf_make make = make_gguf(3, 1, 0);
  make_tensor(&make, "t", rank, extents);
  make_place(&make, type, offset);
  make_padding(&make, 32);
  for (size_t i = 0; i < data; i++)
    bytes_add(&make.bytes, "", 1);
  return make;
}

#define EXTENTS(...)                                                                               \
  (const uint64_t[]) {                                                                             \
    __VA_ARGS__                                                                                    \
  }

static void heads(void **state) {
  (void)state;
  struct gguf_make make = {0};
  bad(make, "not a GGUF file");
  bytes_add(&make.bytes, "GGUF", 4);
  bad(make, "the version at byte 4 has 4 bytes, 0 are there");
  bad(make_gguf(1, 0, 0), "GGUF version 1, whose counts have 32 bits, is not read: 2 and 3 are");
  bad(make_gguf(0, 0, 0), "GGUF version 0 is not known: 2 and 3 are read");
  bad(make_gguf(4, 0, 0), "GGUF version 4 is not known");
  bad(make_gguf(UINT32_MAX, 0, 0), "GGUF version 4294967295 is not known");
  bad(make_gguf(0x01000000, 0, 0), "GGUF version 1,");
  bad(make_gguf(0x04000000, 0, 0), "GGUF version 4 is not known");
  good(make_gguf(2, 0, 0));
  good(make_gguf(3, 0, 0));
  good(make_big_endian(0, 0));
}

/* Counts of a file that has no room for them: llama.cpp#27188 (2^63), CVE-2024-21825, -23496. */
static void counts(void **state) {
  (void)state;
  static const uint64_t many[] = {UINT64_MAX,        INT64_MAX,         (uint64_t)1 << 63,
                                  (uint64_t)1 << 62, (uint64_t)1 << 32, 100};
  for (size_t i = 0; i < sizeof many / sizeof *many; i++) {
    char part[80];
    snprintf(part, sizeof part, "%llu tensors, there is room for at most 0",
             (unsigned long long)many[i]);
    bad(make_gguf(3, many[i], 0), part);
    snprintf(part, sizeof part, "%llu values, there is room for at most 0",
             (unsigned long long)many[i]);
    bad(make_gguf(3, 0, many[i]), part);
    struct gguf_make make = make_gguf(3, 0, 1);
    make_array(&make, "a", GGUF_U64, many[i]);
    make_number(&make, 7, 8);
    bad(make, "'a': the file is shorter than it says: ");
    make = make_gguf(3, 0, 1);
    make_array(&make, "a", GGUF_TEXT, many[i]);
    make_number(&make, 0, 8);
    bad(make, "elements of an array, there is room for at most 1");
    make = make_gguf(3, 0, 1);
    make_array(&make, "a", GGUF_TEXT, 1);
    make_number(&make, many[i], 8);
    bad(make, "a text of an array at byte ");
    make = make_gguf(3, 0, 1);
    make_key(&make, "a", GGUF_TEXT);
    make_number(&make, many[i], 8);
    bad(make, "bytes, 0 are there");
    make = make_gguf(3, 0, 1);
    make_number(&make, many[i], 8);
    make_number(&make, 0, 8);
    bad(make, "the key at byte 32 has");
    make = make_gguf(3, 1, 0);
    make_number(&make, many[i], 8);
    make_number(&make, 0, 8);
    make_number(&make, 0, 8);
    bad(make, "the name of a tensor at byte 32 has");
  }
}

static void keys_and_types(void **state) {
  (void)state;
  struct gguf_make make = make_gguf(3, 0, 2);
  make_whole(&make, "a", GGUF_U32, 7);
  make_whole(&make, "a", GGUF_I32, 7);
  bad(make, "key 'a' is there twice");
  make = make_gguf(3, 0, 1);
  make_whole(&make, "", GGUF_U32, 7);
  bad(make, "a key is empty");
  make = make_gguf(3, 0, 1);
  make_whole(&make, "a\xff", GGUF_U32, 7);
  bad(make, "the key 'a\\xff' is not UTF-8");
  make = make_gguf(3, 0, 1);
  make_string(&make, "a\n", "\xc3(");
  bad(make, "'a\\x0a': the text '\\xc3(' is not UTF-8");
  /* Pieces of a vocabulary need be no whole characters. */
  make = make_gguf(3, 0, 1);
  make_array(&make, "a", GGUF_TEXT, 1);
  make_text(&make, "\xc3(");
  good(make);
  make = make_gguf(3, 0, 1);
  make_key(&make, "a\033[2J", 13);
  make_number(&make, 0, 8);
  bad(make, "key 'a\\x1b[2J' has a value of type 13: 0 to 12 are known");
  make = make_gguf(3, 0, 1);
  make_array(&make, "a", UINT32_MAX, 0);
  bad(make, "has a value of type 4294967295");
  make = make_gguf(3, 0, 1);
  make_array(&make, "a", GGUF_ARRAY, 0);
  bad(make, "key 'a' has an array of arrays: none is allowed");
  make = make_gguf(3, 0, 1);
  make_whole(&make, "a", GGUF_FLAG, 2);
  bad(make, "key 'a' has a flag of value 2: 0 or 1 is needed");
  make = make_gguf(3, 0, 1);
  make_array(&make, "a", GGUF_FLAG, 3);
  make_number(&make, 0xff0001, 3);
  bad(make, "key 'a' has a flag of value 255");
}

static void alignments(void **state) {
  (void)state;
  static const struct {
    enum gguf_type type;
    uint64_t bits;
    const char *part;
  } cases[] = {{GGUF_U32, 0, "'general.alignment' is 0: a whole number from 1 to 16777216"},
               {GGUF_U32, 24, "'general.alignment' is 24: a power of two up to 16777216 is needed"},
               {GGUF_U32, 1 << 30, "'general.alignment' is 1073741824"},
               {GGUF_I32, 0xffffffe0, "'general.alignment' is -32"},
               {GGUF_U64, (uint64_t)1 << 63, "'general.alignment' is 9.2233720368547758e+18"},
               {GGUF_F32, 0x7fc00000, "'general.alignment' is nan"},
               {GGUF_F32, 0x3f000000, "'general.alignment' is 0.5"},
               {GGUF_FLAG, 1, "'general.alignment' is of type flag: a whole number is needed"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct gguf_make make = make_gguf(3, 0, 1);
    make_whole(&make, "general.alignment", cases[i].type, cases[i].bits);
    bad(make, cases[i].part);
  }
  struct gguf_make make = make_gguf(3, 1, 1);
  make_whole(&make, "general.alignment", GGUF_U64, 1);
  make_tensor(&make, "t", 1, EXTENTS(3));
  make_place(&make, 24, 1);
  bytes_add(&make.bytes, "\0\1\2\3", 4);
  good(make);
}

static void shapes(void **state) {
  (void)state;
  bad(one_tensor(9, EXTENTS(1, 1, 1, 1, 1, 1, 1, 1, 1), 0, 0, 4),
      "tensor 't': it has 9 axes, at most 4 are allowed");
  bad(one_tensor(1, EXTENTS(INT64_MAX), 0, 0, 4), "more than 2^64 bytes");
  bad(one_tensor(1, EXTENTS((uint64_t)1 << 63), 0, 0, 4),
      "one of its extents is 9223372036854775808: less than 2^63 is allowed");
  bad(one_tensor(1, EXTENTS(UINT64_MAX), 24, 0, 4), "one of its extents is 18446744073709551615");
  /* GHSA-96jg-mvhq-q7q7: products that wrap to little. */
  bad(one_tensor(2, EXTENTS((uint64_t)1 << 32, (uint64_t)1 << 32), 24, 0, 4), "than 2^64 bytes");
  bad(one_tensor(2, EXTENTS((uint64_t)1 << 32, (uint64_t)1 << 30), 0, 0, 4), "than 2^64 bytes");
  bad(one_tensor(4, EXTENTS(65536, 65536, 65536, 65537), 0, 0, 4), "than 2^64 bytes");
  bad(one_tensor(2, EXTENTS((uint64_t)1 << 40, (uint64_t)1 << 22), 12, 0, 4), "byte 0 of the data");
  bad(one_tensor(1, EXTENTS(INT64_MAX), 12, 0, 4),
      "its rows have 9223372036854775807 elements: a multiple of 256 is needed for type Q4_K");
  bad(one_tensor(2, EXTENTS(16, 16), 2, 0, 144), "a multiple of 32 is needed for type Q4_0");
  bad(one_tensor(0, NULL, 2, 0, 18), "its rows have 1 elements");
  /* Rank 0 is one element; extents of 0 are legal (gguf-py) and once were divided by. */
  good(one_tensor(0, NULL, 0, 0, 4));
  bad(one_tensor(0, NULL, 0, 0, 3), "tensor 't' begins at byte 0 of the data and has 4 bytes, the "
                                    "data have 3");
  good(one_tensor(2, EXTENTS(0, INT64_MAX), 0, 0, 0));
  good(one_tensor(4, EXTENTS(INT64_MAX, INT64_MAX, INT64_MAX, 0), 0, 0, 0));
}

static void offsets(void **state) {
  (void)state;
  bad(one_tensor(1, EXTENTS(1), 0, 4, 64), "begins at byte 4 of the data: a multiple of 32");
  bad(one_tensor(1, EXTENTS(8), 0, 64, 64), "begins at byte 64 of the data and has 32 bytes, the "
                                            "data have 64");
  bad(one_tensor(1, EXTENTS(8), 0, 96, 64), "the file is shorter than it says");
  bad(one_tensor(1, EXTENTS(8), 0, UINT64_MAX - 31, 64), "begins at byte 18446744073709551584");
  bad(one_tensor(1, EXTENTS(8), 0, (uint64_t)1 << 63, 64), "begins at byte 9223372036854775808");
  bad(one_tensor(1, EXTENTS(0), 0, 32, 0), "begins at byte 32 of the data and has 0 bytes");
  struct gguf_make make = make_gguf(3, 2, 0);
  make_tensor(&make, "a", 1, EXTENTS(9));
  make_place(&make, 0, 0);
  make_tensor(&make, "b", 1, EXTENTS(8));
  make_place(&make, 0, 32);
  for (size_t i = 0; i < 128; i++)
    bytes_add(&make.bytes, "", 1);
  bad(make, "tensor 'b' begins at byte 32 of the data, but the one before it ends at 36: tensors "
            "may not overlap");
  make = make_gguf(3, 2, 0);
  for (int i = 0; i < 2; i++) {
    make_tensor(&make, "a", 1, EXTENTS(0));
    make_place(&make, 0, 0);
  }
  make_padding(&make, 32);
  bad(make, "tensor 'a' is there twice");
  /* Of an empty tensor, too, the place is in the file. */
  make = make_gguf(3, 1, 0);
  make_tensor(&make, "t", 1, EXTENTS(0));
  make_place(&make, 0, 0);
  bad(make, "the file is shorter than it says: its data begin at byte 64, it has 57 bytes");
  /* Without all of the padding behind the last, or of that before the data, a file was cut. */
  good(one_tensor(1, EXTENTS(8), 0, 64, 96));
  good(one_tensor(1, EXTENTS(1), 0, 64, 96));
  bad(one_tensor(1, EXTENTS(1), 0, 64, 95), "the file is shorter than it says: the data have 95 "
                                            "bytes, but their last tensor is padded to "
                                            "96");
  bad(make_gguf(3, 0, 0), "its data begin at byte 32, it has 24 bytes");
}

/* Types of removed blocks (size 0), unknown ones, and all that storage lacks. */
static void types(void **state) {
  (void)state;
  static const struct {
    uint32_t number;
    const char *part;
  } cases[] = {{2, "quantised type 'Q4_0'"},
               {4, "quantised type 'Q4_2'"},
               {12, "quantised type 'Q4_K'"},
               {31, "quantised type 'Q4_0_4_4'"},
               {39, "quantised type 'MXFP4'"},
               {43, "an unknown type, 43"},
               {UINT32_MAX, "an unknown type, 4294967295"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    good(one_tensor(1, EXTENTS(256), cases[i].number, 0, 512));
    assert_bad("m.gguf", "t", one_tensor(1, EXTENTS(256), cases[i].number, 0, 512).bytes,
               cases[i].part);
  }
}

/* In both byte orders. */
static void every_type(void **state) {
  (void)state;
  static const struct {
    uint32_t number;
    enum storage storage;
    uint64_t bits;
    double value;
  } cases[] = {{0, STORAGE_F32, 0x3fc00000, 1.5},
               {1, STORAGE_F16, 0x3e00, 1.5},
               {24, STORAGE_I8, 0xfe, -2},
               {25, STORAGE_I16, 0xfffe, -2},
               {26, STORAGE_I32, 0xfffffffe, -2},
               {27, STORAGE_I64, UINT64_MAX - 1, -2},
               {28, STORAGE_F64, UINT64_C(0x3ff8) << 48, 1.5},
               {30, STORAGE_BF16, 0x3fc0, 1.5}};
  for (size_t i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
    struct gguf_make make = i % 2 ? make_big_endian(1, 0) : make_gguf(3, 1, 0);
    make_tensor(&make, "t", 3, EXTENTS(1, 2, 1));
    make_place(&make, cases[i / 2].number, 0);
    make_padding(&make, 32);
    for (int k = 0; k < 2; k++)
      make_number(&make, cases[i / 2].bits, storage_size(cases[i / 2].storage));
    make_padding(&make, 32);
    struct tensor *tensor = read_good("m.gguf", i % 4 ? "t" : NULL, make.bytes);
    assert_int_equal(tensor->storage, cases[i / 2].storage);
    assert_shape(tensor, 1, 2, 1);
    assert_elements(tensor, 2, (const double[]){cases[i / 2].value, cases[i / 2].value});
  }
}

/* 123 tensors: byte 8 is '{', by which .safetensors is known. Also names longer than a line. */
static void no_safetensors(void **state) {
  (void)state;
  struct gguf_make make = make_gguf(3, '{', 0);
  for (int i = 0; i < '{'; i++) {
    char name[1000];
    snprintf(name, sizeof name, "%0*d", i == 2 ? 900 : 8, i);
    make_tensor(&make, name, 1, EXTENTS(0));
    make_place(&make, 0, 0);
  }
  make_padding(&make, 32);
  assert_bad("m.bin", NULL, make.bytes, "it holds '00000000' and 122 more");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(heads),      cmocka_unit_test(counts),     cmocka_unit_test(keys_and_types),
      cmocka_unit_test(alignments), cmocka_unit_test(shapes),     cmocka_unit_test(offsets),
      cmocka_unit_test(types),      cmocka_unit_test(every_type), cmocka_unit_test(no_safetensors),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Reading .safetensors files: lib/io/safetensors.c, through lib/io/tensor.h */
#include "tests/unit/tensors.h"

static const float one_to_six[6] = {1, 2, 3, 4, 5, 6};
static const double expected[6] = {1, 2, 3, 4, 5, 6};

static struct tensor *good(const char *name, const char *header, const void *data, size_t size) {
  return read_good("m.safetensors", name, safetensors_bytes(header, data, size));
}

static void bad(const char *header, size_t size, const char *part) {
  static const char zeros[64];
  assert_bad("m.safetensors", NULL, safetensors_bytes(header, zeros, size), part);
}

static void one_tensor(void **state) {
  (void)state;
  static const char header[] = "{\"q\":{\"dtype\":\"F32\",\"shape\":[2,3],\"data_offsets\":[0,24]},"
                               "\"__metadata__\":{\"format\":\"pt\"}}      ";
  struct tensor *tensor = good(NULL, header, one_to_six, 24);
  assert_int_equal(tensor->storage, STORAGE_F32);
  assert_shape(tensor, 2, 3);
  assert_elements(tensor, 6, expected);
  tensor = good("q", header, one_to_six, 24);
  assert_string_equal(tensor->name, "m.safetensors:q");
  tensor_destroy(tensor);
}

/* In any order in the header; the second is not aligned. */
static void several_tensors(void **state) {
  (void)state;
  static const char header[] =
      "{\"b\":{\"dtype\":\"F32\",\"shape\":[6],\"data_offsets\":[1,25]},"
      "\"layers.0/a:w\":{\"dtype\":\"U8\",\"shape\":[],\"data_offsets\":[0,1]},"
      "\"none\":{\"dtype\":\"BF16\",\"shape\":[4,0],\"data_offsets\":[25,25]}}";
  char data[25] = "\7";
  memcpy(data + 1, one_to_six, 24);
  struct tensor *tensor = good("b", header, data, 25);
  assert_elements(tensor, 6, expected);
  tensor = good("layers.0/a:w", header, data, 25);
  assert_int_equal(tensor->rank, 0);
  assert_elements(tensor, 1, (const double[]){7});
  tensor = good("none", header, data, 25);
  assert_shape(tensor, 4, 0);
  assert_elements(tensor, 0, NULL);
  assert_bad("m.safetensors", NULL, safetensors_bytes(header, data, 25),
             "which tensor? FILE:TENSOR takes one; it holds 'b', 'layers.0/a:w', 'none'");
  assert_bad("m.safetensors", "c", safetensors_bytes(header, data, 25),
             "no tensor 'c' in it: it holds 'b', 'layers.0/a:w', 'none'");
}

/* llama.cpp#1473, tinygrad#3310, safetensors#598: BF16 was missing. All types we read. */
static void every_type(void **state) {
  (void)state;
  static const struct {
    const char *dtype;
    enum storage storage;
    const char *bytes;
    double value;
  } cases[] = {{"BF16", STORAGE_BF16, "\x80\x3f", 1},
               {"F16", STORAGE_F16, "\x00\x3e", 1.5},
               {"F32", STORAGE_F32, "\0\0\xc0\x3f", 1.5},
               {"F64", STORAGE_F64, "\0\0\0\0\0\0\xf8\x3f", 1.5},
               {"I64", STORAGE_I64, "\xfe\xff\xff\xff\xff\xff\xff\xff", -2},
               {"I32", STORAGE_I32, "\xfe\xff\xff\xff", -2},
               {"I16", STORAGE_I16, "\xfe\xff", -2},
               {"I8", STORAGE_I8, "\xfe", -2},
               {"U64", STORAGE_U64, "\7\0\0\0\0\0\0\0", 7},
               {"U32", STORAGE_U32, "\7\0\0\0", 7},
               {"U16", STORAGE_U16, "\xff\xff", 65535},
               {"U8", STORAGE_U8, "\xff", 255},
               {"BOOL", STORAGE_U8, "\1", 1}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char header[128];
    const size_t size = storage_size(cases[i].storage);
    snprintf(header, sizeof header,
             "{\"x\":{\"dtype\":\"%s\",\"shape\":[1],\"data_offsets\":[0,%zu]}}", cases[i].dtype,
             size);
    struct tensor *tensor = good(NULL, header, cases[i].bytes, size);
    assert_int_equal(tensor->storage, cases[i].storage);
    assert_elements(tensor, 1, &cases[i].value);
  }
}

/* promptfoo/modelaudit#1607 refused the first; the second is wrong. */
static void empty_tensors(void **state) {
  (void)state;
  struct tensor *tensor =
      good(NULL, "{\"x\":{\"dtype\":\"F32\",\"shape\":[0],\"data_offsets\":[0,0]}}", "", 0);
  assert_shape(tensor, 0);
  assert_elements(tensor, 0, NULL);
  bad("{\"x\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,0]}}", 0,
      "hold 0 bytes, its shape needs 4");
}

/* safetensors#668, ollama#16208, fastllm#713: the length of the header was trusted. */
static void length_of_the_header(void **state) {
  (void)state;
  static const uint64_t lengths[] = {UINT64_MAX, INT64_MAX, UINT64_MAX - 4, UINT64_C(132095296),
                                     100000001};
  for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
    struct bytes bytes = {0};
    bytes_add_number(&bytes, lengths[i], 8);
    if (i % 2) bytes_add(&bytes, "{}", 2);
    assert_bad("m.safetensors", NULL, bytes, "at most 100000000 are allowed");
  }
  struct bytes bytes = {0};
  bytes_add_number(&bytes, 100000000, 8);
  bytes_add(&bytes, "{}", 2);
  assert_bad("m.safetensors", NULL, bytes, "a header of 100000000 bytes, 2 are there");
}

/* QwenLM/Qwen#462, airllm#137, ComfyUI#3225: a download that was cut; both sizes are wanted. */
static void cut_anywhere(void **state) {
  (void)state;
  static const char header[] =
      "{\"q\":{\"dtype\":\"F32\",\"shape\":[2,3],\"data_offsets\":[0,24]}}";
  struct bytes whole = safetensors_bytes(header, one_to_six, 24);
  for (size_t size = 0; size < whole.size; size++) {
    struct bytes cut = {0};
    bytes_add(&cut, whole.data, size);
    assert_bad("m.safetensors", NULL, cut,
               !size                       ? "is empty"
               : size < 8                  ? "cut short after"
               : size < 8 + strlen(header) ? "shorter than it says: a header of"
                                           : "shorter than its header says: 24 bytes of data");
  }
  bytes_add(&whole, "", 1);
  assert_bad("m.safetensors", NULL, whole, "longer than its header says: 24 bytes of data, 25");
}

static void places(void **state) {
  (void)state;
  bad("{\"a\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0,4]},"
      "\"b\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[2,6]}}",
      6, "tensor 'b' begins at byte 2 of the data, 4 is where it must");
  bad("{\"a\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0,4]},"
      "\"b\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[5,9]}}",
      9, "tensor 'b' begins at byte 5 of the data, 4 is where it must");
  bad("{\"a\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[1,5]}}", 5, "begins at byte 1");
  bad("{\"a\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[4,0]}}", 4, "two numbers");
  bad("{\"a\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0]}}", 4, "two numbers");
  bad("{\"a\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0,4.0]}}", 4, "two numbers");
  bad("{\"a\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[-4,0]}}", 4, "two numbers");
  bad("{\"a\":{\"dtype\":\"U8\",\"shape\":[4]}}", 4, "two numbers");
  bad("{\"a\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0,9223372036854775807]}}", 4,
      "hold 9223372036854775807 bytes");
}

static void shapes_and_types(void **state) {
  (void)state;
  bad("{\"a\":{\"shape\":[4],\"data_offsets\":[0,4]}}", 4, "tensor 'a' has no 'dtype'");
  bad("{\"a\":7}", 0, "tensor 'a' has no 'dtype'");
  bad("{\"a\":{\"dtype\":\"U8\",\"data_offsets\":[0,4]}}", 4, "tensor 'a' has no 'shape'");
  bad("{\"a\":{\"dtype\":\"U8\",\"shape\":[-4],\"data_offsets\":[0,4]}}", 4, "an extent");
  bad("{\"a\":{\"dtype\":\"U8\",\"shape\":[\"4\"],\"data_offsets\":[0,4]}}", 4, "an extent");
  bad("{\"a\":{\"dtype\":\"U8\",\"shape\":[4294967296,4294967296],\"data_offsets\":[0,4]}}", 4,
      "more than 2^64 bits");
  bad("{\"a\":{\"dtype\":\"F4\",\"shape\":[3],\"data_offsets\":[0,1]}}", 1, "a part of one");
  bad("{\"a\":{\"dtype\":\"F8_E4M3\",\"shape\":[4],\"data_offsets\":[0,4]}}", 4, "type 'F8_E4M3'");
  bad("{\"a\":{\"dtype\":\"F99\",\"shape\":[4],\"data_offsets\":[0,4]}}", 4, "type 'F99'");
  bad("{\"a\":{\"dtype\":\"U8\",\"shape\":[1,1,1,1,1,1,1,1,1],\"data_offsets\":[0,1]}}", 1,
      "9 axes");
  /* What is not asked for may be of a type that we do not know. */
  assert_elements(good("b",
                       "{\"a\":{\"dtype\":\"F99\",\"shape\":[4],\"data_offsets\":[0,3]},"
                       "\"b\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[3,4]}}",
                       "\0\0\0\7", 4),
                  1, (const double[]){7});
}

static void headers(void **state) {
  (void)state;
  bad("{}", 0, "it holds nothing");
  bad("[]", 0, "no JSON object");
  bad(" {}", 0, "no JSON object");
  bad("{\"a\":}", 0, "not valid JSON at byte");
  bad("{} x", 0, "not valid JSON");
  bad("{\"\xff\":1}", 0, "not valid JSON");
  bad("{\"__metadata__\":{\"a\":1}}", 0, "an object of strings");
  bad("{\"__metadata__\":[]}", 0, "an object of strings");
  bad("{\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]},"
      "\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]}}",
      1, "duplicate");
  struct bytes deep = {0}, file;
  bytes_add(&deep, "{\"a\":", 5);
  for (int i = 0; i < 100000; i++)
    bytes_add(&deep, "[", 1);
  bytes_add(&deep, "", 1);
  file = safetensors_bytes(deep.data, "", 0);
  bytes_free(&deep);
  assert_bad("m.safetensors", NULL, file, "not valid JSON");
}

/* More names than a line holds, and one that is longer than a line. */
static void many_names(void **state) {
  (void)state;
  char header[16384], name[1001];
  size_t used = (size_t)snprintf(header, sizeof header, "{");
  for (int i = 0; i < 100; i++)
    used += (size_t)snprintf(
        header + used, sizeof header - used,
        "%s\"model.layers.%02d.q\":{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[0,0]}",
        i ? "," : "", i);
  snprintf(header + used, sizeof header - used, "}");
  bad(header, 0, "'model.layers.00.q', 'model.layers.01.q'");
  bad(header, 0, " and 72 more");
  memset(name, 'x', 1000);
  name[1000] = '\0';
  snprintf(header, sizeof header,
           "{\"%s\":{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[0,0]},"
           "\"y\":{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[0,0]}}",
           name);
  bad(header, 0, "it holds 2 more");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_tensor),
      cmocka_unit_test(several_tensors),
      cmocka_unit_test(every_type),
      cmocka_unit_test(empty_tensors),
      cmocka_unit_test(length_of_the_header),
      cmocka_unit_test(cut_anywhere),
      cmocka_unit_test(places),
      cmocka_unit_test(shapes_and_types),
      cmocka_unit_test(headers),
      cmocka_unit_test(many_names),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The names of the tensors in a file. */
#include "tests/unit/gguf_make.h"

static struct error error;

/* Lists the bytes, which are released; checks the names, of which NULL is the end. */
static void assert_names(const char *path, struct bytes bytes, const char *const *names) {
  struct tensor_list list;
  if (tensor_list_bytes(path, bytes.data, bytes.size, &list, &error)) fail_msg("%s", error.message);
  size_t count = 0;
  for (; names[count]; count++) {
    assert_true(count < list.count);
    assert_string_equal(list.name[count], names[count]);
  }
  assert_int_equal(list.count, count);
  bytes_free(&bytes);
  tensor_list_release(&list);
  assert_null(list.name);
}

static void assert_no_names(const char *path, struct bytes bytes, const char *part) {
  struct tensor_list list;
  assert_int_equal(tensor_list_bytes(path, bytes.data, bytes.size, &list, &error), ERROR_INPUT);
  assert_message(&error, part);
  assert_message(&error, path);
  assert_null(list.name);
  assert_int_equal(list.count, 0);
  bytes_free(&bytes);
}

static void safetensors(void **state) {
  (void)state;
  assert_names("a.safetensors",
               safetensors_bytes("{\"w.2\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]},"
                                 "\"\":{\"dtype\":\"F4\",\"shape\":[2],\"data_offsets\":[1,2]},"
                                 "\"w.1\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[2,3]},"
                                 "\"__metadata__\":{}}",
                                 "abc", 3),
               (const char *const[]){"", "w.1", "w.2", NULL});
  assert_names("a.safetensors", safetensors_bytes("{}", "", 0), (const char *const[]){NULL});
  assert_no_names("a.safetensors", safetensors_bytes("{}", "abc", 3), "longer than its header");
}

static void gguf(void **state) {
  (void)state;
  struct gguf_make made = make_gguf(3, 2, 0);
  make_tensor(&made, "b", 1, (uint64_t[]){1});
  make_place(&made, 0, 0);
  make_tensor(&made, "a", 1, (uint64_t[]){1});
  make_place(&made, 0, 32);
  make_padding(&made, 32);
  bytes_add(&made.bytes, (char[64]){0}, 64);
  assert_names("a.gguf", made.bytes, (const char *const[]){"a", "b", NULL});
  assert_no_names("a.gguf", make_gguf(3, 2, 0).bytes, "tensors");
}

static void npy(void **state) {
  (void)state;
  assert_names("a.npy",
               npy_bytes(1, "{'descr': '|u1', 'fortran_order': False, 'shape': (1,), }\n", "a", 1),
               (const char *const[]){"", NULL});
}

static void no_tensors(void **state) {
  (void)state;
  struct bytes empty = {0}, text = {0};
  assert_no_names("a.npz", empty, "the file is empty");
  bytes_add(&text, "PK\3\4", 4);
  assert_no_names("a.npz", text, "an archive");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(safetensors),
      cmocka_unit_test(gguf),
      cmocka_unit_test(npy),
      cmocka_unit_test(no_tensors),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* lib/io/tensor.h: files, copies, and what is written. */
#include "tests/unit/tensors.h"

#include "lib/base/memory.h"

static struct error error;

/* A tensor of 0, 1, 2, ... (at most 120, which every type holds). */
static struct tensor *numbered(enum storage storage, size_t rank, const size_t *shape) {
  struct tensor *tensor = tensor_create(storage, rank, shape, "a test", &error);
  assert_non_null(tensor);
  for (size_t i = 0; i < tensor->count; i++) {
    char *element = (char *)tensor->data + i * storage_size(storage);
    if (storage_is_real(storage))
      storage_store(storage, &(double){(double)i}, 1, element);
    else
      memcpy(element, &(uint64_t){i}, storage_size(storage)); /* of a little-endian machine */
  }
  return tensor;
}

static void paths(void **state) {
  (void)state;
  static const struct {
    const char *text;
    size_t length;
    const char *short_name;
  } cases[] = {
      {"q.npy", 5, "q.npy"},
      {"m.safetensors:a", 13, "m.safetensors:a"},
      {"/d/m.safetensors:a/b:c", 16, "m.safetensors:a/b:c"},
      {"/d/x.npy:y.safetensors:z", 8, "x.npy:y.safetensors:z"},
      {"C:d/q.npy", 9, "q.npy"},
      {"a:b", 3, "a:b"},
      {"d/.npy.npy:a", 10, ".npy.npy:a"},
      {"x.npyz:a", 8, "x.npyz:a"},
      {"m.safetensors:", 13, "m.safetensors:"},
      {"/d/m.gguf:blk.0:a", 9, "m.gguf:blk.0:a"},
      {"", 0, ""},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    assert_int_equal(tensor_path_length(cases[i].text), cases[i].length);
    assert_string_equal(tensor_short_name(cases[i].text), cases[i].short_name);
  }
}

static void permuted(void **state) {
  (void)state;
  static const size_t shape[4] = {2, 3, 4, 5};
  for (int storage = 0; storage < STORAGE_COUNT; storage++)
    for (size_t code = 0; code < 256; code++) {
      const size_t order[4] = {code % 4, code / 4 % 4, code / 16 % 4, code / 64};
      if ((1u << order[0] | 1u << order[1] | 1u << order[2] | 1u << order[3]) != 15) continue;
      struct tensor *tensor = numbered((enum storage)storage, 4, shape), *copy;
      assert_int_equal(tensor_permute(tensor, order, &copy, &error), OK);
      double expected[120];
      for (size_t i = 0; i < 120; i++) {
        const size_t at[4] = {i / 60, i / 20 % 3, i / 5 % 4, i % 5};
        size_t place = 0;
        for (size_t axis = 0; axis < 4; axis++)
          place = place * shape[order[axis]] + at[order[axis]];
        expected[place] = (double)i;
      }
      for (size_t axis = 0; axis < 4; axis++)
        assert_int_equal(copy->shape[axis], shape[order[axis]]);
      assert_elements(copy, 120, expected);
      tensor_destroy(tensor);
    }
}

static void permuted_without_elements(void **state) {
  (void)state;
  struct tensor *none = numbered(STORAGE_F32, 3, (const size_t[]){4, 0, 2}), *copy;
  assert_int_equal(tensor_permute(none, (const size_t[]){2, 0, 1}, &copy, &error), OK);
  assert_shape(copy, 2, 4, 0);
  tensor_destroy(copy);
  tensor_destroy(none);
  struct tensor *scalar = numbered(STORAGE_F32, 0, NULL);
  assert_int_equal(tensor_permute(scalar, NULL, &copy, &error), OK);
  assert_elements(copy, 1, (const double[]){0});
  tensor_destroy(scalar);
}

static void converted(void **state) {
  (void)state;
  enum { COUNT = 10001 }; /* more than one piece */
  struct tensor *tensor = tensor_create(STORAGE_F64, 1, (const size_t[]){COUNT}, "a test", &error);
  double *value = tensor->data;
  for (size_t i = 0; i < COUNT; i++)
    value[i] = sin((double)i);
  for (int storage = 0; storage < STORAGE_REALS; storage++) {
    struct tensor *copy;
    assert_int_equal(tensor_convert(tensor, (enum storage)storage, &copy, &error), OK);
    assert_int_equal(copy->storage, storage);
    double *reals = tensor_reals(copy, &error);
    for (size_t i = 0; i < COUNT; i++) {
      char element[8];
      double expected;
      storage_store((enum storage)storage, &value[i], 1, element);
      storage_load((enum storage)storage, element, 1, &expected);
      assert_true(reals[i] == expected);
    }
    free(reals);
    tensor_destroy(copy);
  }
  tensor_destroy(tensor);
}

static void whole_numbers(void **state) {
  (void)state;
  struct tensor *tensor = numbered(STORAGE_F32, 2, (const size_t[]){2, 3});
  int64_t *wholes = tensor_wholes(tensor, &error);
  for (int i = 0; i < 6; i++)
    assert_int_equal(wholes[i], i);
  free(wholes);
  ((float *)tensor->data)[4] = 0.5f;
  assert_null(tensor_wholes(tensor, &error));
  assert_int_equal(error.code, ERROR_INPUT);
  assert_message(&error, "element 4 of 'a tensor' is 0.5: a whole number");
  tensor_destroy(tensor);
}

static void write_npy(const void *tensor, FILE *out) {
  tensor_write_npy(tensor, out);
}

/* Every type and shape comes back from a file as it was; the hash is that of the file. */
static void written_and_read(void **state) {
  (void)state;
  static const size_t shapes[][4] = {{2, 3, 4, 5}, {7}, {3, 0}, {1, 1, 1, 1}};
  static const size_t ranks[] = {4, 1, 2, 4};
  for (int storage = 0; storage < STORAGE_COUNT; storage++)
    for (size_t s = 0; s < 4; s++) {
      struct tensor *tensor = numbered((enum storage)storage, ranks[s], shapes[s]), *read;
      size_t size;
      char *bytes = printed(write_npy, tensor, &size), hash[HASH_TEXT], of_file[HASH_TEXT];
      const char *path = path_of("x.npy");
      write_whole(path, bytes, size);
      free(bytes);
      assert_int_equal(tensor_read(path, &read, &error), OK);
      assert_int_equal(read->storage, storage);
      assert_int_equal(read->rank, ranks[s]);
      assert_memory_equal(read->shape, shapes[s], ranks[s] * sizeof(size_t));
      assert_memory_equal(read->data, tensor->data, tensor->count * storage_size(tensor->storage));
      assert_int_equal(tensor_hash(tensor, hash, &error), OK);
      assert_int_equal(hash_file(path, of_file, &error), OK);
      assert_string_equal(hash, of_file);
      assert_string_equal(read->sha256, of_file);
      tensor_destroy(read);
      tensor_destroy(tensor);
    }
}

/* A tensor that is changed leaves its file alone. */
static void mapped_privately(void **state) {
  (void)state;
  static const char header[] = "{'descr': '<f8', 'fortran_order': False, 'shape': (2,)}          ";
  struct bytes bytes = npy_bytes(1, header, (const double[]){1, 2}, 16);
  const char *path = path_of("p.npy");
  write_whole(path, bytes.data, bytes.size);
  struct tensor *tensor;
  assert_int_equal(tensor_read(path, &tensor, &error), OK);
  ((double *)tensor->data)[0] = 7;
  tensor_destroy(tensor);
  assert_int_equal(tensor_read(path, &tensor, &error), OK);
  assert_elements(tensor, 2, (const double[]){1, 2});
  bytes_free(&bytes);
}

/* How many pages of the elements this process holds: field "Rss" of the mapping in smaps, in KiB.
 */
static long held(const struct tensor *tensor) {
  char line[512];
  unsigned long from, to;
  long held = -1;
  bool inside = false;
  FILE *maps = fopen("/proc/self/smaps", "r");
  assert_non_null(maps);
  while (fgets(line, sizeof line, maps)) {
    if (sscanf(line, "%lx-%lx ", &from, &to) == 2)
      inside = from <= (uintptr_t)tensor->data && (uintptr_t)tensor->data < to;
    if (inside) sscanf(line, "Rss: %ld kB", &held);
  }
  fclose(maps);
  return held;
}

/* What was let go of is not held, and is read again; neighbours on its pages stay. */
static void forgotten(void **state) {
  (void)state;
  enum { COUNT = 1 << 17 };
  struct tensor *made, *read;
  made = tensor_create(STORAGE_F64, 1, (size_t[]){COUNT}, "numbers", &error);
  assert_non_null(made);
  for (size_t i = 0; i < COUNT; i++)
    ((double *)made->data)[i] = (double)i;
  const char *path = path_of("large.npy");
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  tensor_write_npy(made, file);
  assert_int_equal(fclose(file), 0);
  assert_int_equal(tensor_read(path, &read, &error), OK);
  for (size_t round = 0; round < 2; round++) {
    assert_memory_equal(read->data, made->data, COUNT * sizeof(double));
    assert_true(held(read) >= 1024);
    tensor_forget(read, 0, COUNT - 3);
    assert_in_range(held(read), 0, 200);
  }
  tensor_forget(read, 7, 0);
  tensor_forget(made, 0, COUNT); /* in no file: stays as it is */
  assert_memory_equal(read->data, made->data, COUNT * sizeof(double));
  tensor_destroy(read);
  tensor_destroy(made);
}

/* A pipe has no size and cannot be mapped. */
static void from_a_pipe(void **state) {
  (void)state;
  struct bytes bytes = safetensors_bytes(
      "{\"q\":{\"dtype\":\"U8\",\"shape\":[3],\"data_offsets\":[0,3]}}", "\1\2\3", 3);
  int ends[2];
  char path[32];
  assert_int_equal(pipe(ends), 0);
  assert_int_equal(write(ends[1], bytes.data, bytes.size), bytes.size);
  close(ends[1]);
  snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
  struct tensor *tensor;
  assert_int_equal(tensor_read(path, &tensor, &error), OK);
  assert_elements(tensor, 3, (const double[]){1, 2, 3});
  close(ends[0]);
  bytes_free(&bytes);
}

static void no_tensor_file(void **state) {
  (void)state;
  struct tensor *tensor;
  static const struct {
    const char *name, *text, *part;
  } cases[] = {{"a.txt", "1 2 3\n", "not a tensor file: .npy, .safetensors or .gguf is"},
               {"b.txt", "", "the file is empty"},
               {"c.npz", "PK\3\4", "an archive"},
               {"d.npy", "PK\3\4", "does not begin with"},
               {"e.safetensors", "12345678[", "header would have"},
               {"f.safetensors", "123", "cut short after 3"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const char *path = write_text(cases[i].name, cases[i].text);
    assert_int_equal(tensor_read(path, &tensor, &error), ERROR_INPUT);
    assert_null(tensor);
    assert_message(&error, cases[i].part);
    assert_message(&error, cases[i].name);
  }
  assert_int_equal(tensor_read(path_of("none.npy"), &tensor, &error), ERROR_INPUT);
  assert_message(&error, "none.npy': No such file");
  assert_int_equal(tensor_read(folder, &tensor, &error), ERROR_INPUT);
  assert_message(&error, "it is a folder");
  assert_int_equal(tensor_read("", &tensor, &error), ERROR_INPUT);
}

static void too_large(void **state) {
  (void)state;
  const uint64_t limit = memory_limit();
  struct tensor *tensor = numbered(STORAGE_F64, 2, (const size_t[]){10, 10}), *copy;
  memory_set_limit(600);
  assert_null(tensor_create(STORAGE_F64, 2, (const size_t[]){10, 10}, "a test", &error));
  assert_message(&error, "not enough memory: a test would need");
  assert_null(
      tensor_create(STORAGE_F64, 2, (const size_t[]){SIZE_MAX, SIZE_MAX}, "a test", &error));
  assert_int_equal(tensor_permute(tensor, (const size_t[]){1, 0}, &copy, &error), ERROR_FAILED);
  assert_null(copy);
  assert_int_equal(tensor_convert(tensor, STORAGE_F64, &copy, &error), ERROR_FAILED);
  assert_null(copy);
  assert_null(tensor_reals(tensor, &error));
  assert_null(tensor_wholes(tensor, &error));
  memory_set_limit(limit);
  tensor_destroy(tensor);
  tensor_destroy(NULL);
}

static void shape_texts(void **state) {
  (void)state;
  struct tensor *tensor = numbered(STORAGE_U8, 3, (const size_t[]){1, 2, 3});
  assert_string_equal(tensor_shape(tensor).text, "(1, 2, 3)");
  tensor_destroy(tensor);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(paths),
      cmocka_unit_test(permuted),
      cmocka_unit_test(permuted_without_elements),
      cmocka_unit_test(converted),
      cmocka_unit_test(whole_numbers),
      cmocka_unit_test(written_and_read),
      cmocka_unit_test(mapped_privately),
      cmocka_unit_test(forgotten),
      cmocka_unit_test(from_a_pipe),
      cmocka_unit_test(no_tensor_file),
      cmocka_unit_test(too_large),
      cmocka_unit_test(shape_texts),
  };
  return cmocka_run_group_tests(tests, folder_create, folder_remove);
}

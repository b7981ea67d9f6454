/* Mixed frequencies from files: lib/rope/mixed.h. */
#include "tests/unit/ground.h"

#include "lib/io/tensor.h"
#include "lib/rope/mixed.h"

static struct error error;

/* A file of `rank` axes whose elements count up in quarters from −1. */
static const char *write_file(const char *name, size_t rank, const size_t *shape) {
  const char *path = path_of(name);
  struct tensor *tensor = tensor_create(STORAGE_F32, rank, shape, "a test", &error);
  assert_non_null(tensor);
  for (size_t i = 0; i < tensor->count; i++)
    ((float *)tensor->data)[i] = (float)i / 4 - 1;
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  tensor_write_npy(tensor, file);
  assert_int_equal(fclose(file), 0);
  tensor_destroy(tensor);
  return path;
}

/* Of each shape the head that the place says: layers, heads, pairs by hand. */
static void shapes(void **state) {
  (void)state;
  static const struct {
    size_t rank, shape[4];
    struct mixed_place place;
    size_t layers, heads, pairs, first_x, first_y;
  } cases[] = {
      {2, {2, 3}, {0}, 0, 0, 3, 0, 3},
      {2, {2, 6}, {.heads = 2, .head = 1}, 0, 2, 3, 3, 9},
      {3, {2, 4, 3}, {.head = 2}, 0, 4, 3, 6, 18},
      {3, {2, 5, 6}, {.heads = 3, .layer = 2, .head = 1}, 5, 3, 2, 14, 44},
      {4, {2, 5, 3, 2}, {.layer = 2, .head = 1}, 5, 3, 2, 14, 44},
      {3, {2, 1, 2}, {0}, 0, 1, 2, 0, 2},
  };
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    struct mixed mixed;
    const char *path = write_file("mixed.npy", cases[c].rank, cases[c].shape);
    if (mixed_read(path, &cases[c].place, &mixed, &error)) fail_msg("%s", error.message);
    assert_int_equal(mixed.layers, cases[c].layers);
    assert_int_equal(mixed.heads, cases[c].heads);
    assert_int_equal(mixed.pairs, cases[c].pairs);
    assert_false(mixed.untrained);
    assert_string_equal(mixed.name, "mixed.npy");
    assert_int_equal(strlen(mixed.sha256), HASH_TEXT - 1);
    for (size_t i = 0; i < mixed.pairs; i++) {
      assert_true(mixed.frequency[i] == (double)(cases[c].first_x + i) / 4 - 1);
      assert_true(mixed.frequency[mixed.pairs + i] == (double)(cases[c].first_y + i) / 4 - 1);
    }
    mixed_release(&mixed);
  }
}

static void refuse(const char *path, struct mixed_place place, const char *part) {
  struct mixed mixed;
  assert_int_equal(mixed_read(path, &place, &mixed, &error), ERROR_INPUT);
  assert_message(&error, part);
  mixed_release(&mixed);
}

static void what_is_refused(void **state) {
  (void)state;
  const struct mixed_place none = {0};
  refuse(path_of("missing.npy"), none, "missing.npy");
  refuse(write_file("a.npy", 1, (size_t[]){4}), none,
         "has the shape (4,): (2, pair), (2, head, pair)");
  refuse(write_file("a.npy", 0, NULL), none, "has the shape (): (2, pair)");
  refuse(write_file("a.npy", 2, (size_t[]){3, 4}), none, "has the shape (3, 4): (2, pair)");
  refuse(write_file("a.npy", 2, (size_t[]){2, 0}), none, "has the shape (2, 0): (2, pair)");
  refuse(write_file("a.npy", 5, (size_t[]){2, 1, 1, 1, 1}), none, "has the shape (2, 1, 1, 1, 1)");
  refuse(write_file("a.npy", 3, (size_t[]){2, 3, 5}), (struct mixed_place){.heads = 2},
         "has the shape (2, 3, 5): with 2 heads (2, head * pair)");
  refuse(write_file("a.npy", 4, (size_t[]){2, 3, 2, 5}), (struct mixed_place){.heads = 2},
         "with 2 heads (2, head * pair) or (2, layer, head * pair) is needed");
  const char *path = write_file("a.npy", 3, (size_t[]){2, 3, 4});
  refuse(path, (struct mixed_place){.head = 3}, "no head '3' in '");
  refuse(path, (struct mixed_place){.head = 3}, "(2, 3, 4): 0 to 2");
  refuse(path, (struct mixed_place){.layer = 1}, "no layer '1' in '");
  refuse(path, (struct mixed_place){.layer = 1}, "it has no axis of them");
  refuse(path, (struct mixed_place){.heads = 2, .layer = 3}, "no layer '3' in '");
  refuse(path, (struct mixed_place){.heads = 2, .head = 2}, "no head '2' in '");
  refuse(write_file("a.npy", 2, (size_t[]){2, 4}), (struct mixed_place){.head = 1},
         "it has no axis of them");
  refuse(write_file("a.npy", 2, (size_t[]){2, SPEC_PAIRS + 1}), none, "has 1025 pairs a head");
}

static void numbers_that_cannot_be_computed(void **state) {
  (void)state;
  static const float bad[] = {NAN, INFINITY, -1e7f};
  for (size_t b = 0; b < 3; b++) {
    struct tensor *tensor = tensor_create(STORAGE_F32, 2, (size_t[]){2, 3}, "a test", &error);
    ((float *)tensor->data)[4] = bad[b];
    FILE *file = fopen(path_of("bad.npy"), "wb");
    assert_non_null(file);
    tensor_write_npy(tensor, file);
    assert_int_equal(fclose(file), 0);
    tensor_destroy(tensor);
    refuse(path_of("bad.npy"), (struct mixed_place){0}, "the y frequency of pair 1 in '");
  }
}

static void random_or_a_file(void **state) {
  (void)state;
  assert_true(mixed_is_random("random:1"));
  assert_true(mixed_is_random("random:"));
  assert_false(mixed_is_random("random.npy"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(shapes),
      cmocka_unit_test(what_is_refused),
      cmocka_unit_test(numbers_that_cannot_be_computed),
      cmocka_unit_test(random_or_a_file),
  };
  return cmocka_run_group_tests(tests, folder_create, folder_remove);
}

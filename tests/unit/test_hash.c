#include "tests/unit/ground.h"

#include "lib/base/hash.h"

/* Vectors of FIPS 180-2 and of NIST's SHA-256 example files. */
static const struct {
  const char *text, *hex;
} vectors[] = {
    {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
    {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
    {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
     "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
    {"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnop"
     "qrs"
     "mnopqrstnopqrstu",
     "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"},
};
static const char million[] = "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0";

static void known_vectors(void **state) {
  (void)state;
  char hex[HASH_TEXT];
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
    hash_bytes(vectors[i].text, strlen(vectors[i].text), hex);
    assert_string_equal(hex, vectors[i].hex);
  }
  char *text = malloc(1000000);
  assert_non_null(text);
  memset(text, 'a', 1000000);
  hash_bytes(text, 1000000, hex);
  assert_string_equal(hex, million);
  free(text);
}

static void parts_are_one_text(void **state) {
  (void)state;
  char hex[HASH_TEXT];
  hash_parts(NULL, 0, hex);
  assert_string_equal(hex, vectors[0].hex);
  const char *text = vectors[2].text;
  const size_t size = strlen(text);
  for (size_t cut = 0; cut <= size; cut++) {
    const struct hash_part parts[] = {{text, cut}, {NULL, 0}, {text + cut, size - cut}};
    hash_parts(parts, 3, hex);
    assert_string_equal(hex, vectors[2].hex);
  }
}

static void files(void **state) {
  (void)state;
  struct error error = {0};
  char hex[HASH_TEXT];
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
    assert_int_equal(hash_file(write_text("vector", vectors[i].text), hex, &error), OK);
    assert_string_equal(hex, vectors[i].hex);
  }
  FILE *file = fopen(path_of("million"), "wb");
  assert_non_null(file);
  for (int i = 0; i < 1000000; i++)
    fputc('a', file);
  assert_int_equal(fclose(file), 0);
  assert_int_equal(hash_file(path_of("million"), hex, &error), OK);
  assert_string_equal(hex, million);
}

static void unreadable_files(void **state) {
  (void)state;
  struct error error = {0};
  char hex[HASH_TEXT];
  assert_int_equal(hash_file(path_of("absent"), hex, &error), ERROR_INPUT);
  assert_message(&error, "absent': No such file or directory");
  assert_int_equal(hash_file(folder, hex, &error), ERROR_INPUT);
  assert_message(&error, "Is a directory");
  assert_int_equal(hash_file(path_of("absent"), hex, NULL), ERROR_INPUT);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(known_vectors),
      cmocka_unit_test(parts_are_one_text),
      cmocka_unit_test(files),
      cmocka_unit_test(unreadable_files),
  };
  return cmocka_run_group_tests(tests, folder_create, folder_remove);
}

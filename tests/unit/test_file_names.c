/* Names of files in lib/base/file.h: their last part, and whether two are of one file. */
#include "tests/unit/ground.h"

#include "lib/base/file.h"

static void names(void **state) {
  (void)state;
  assert_string_equal(file_name("a/b/c.png"), "c.png");
  assert_string_equal(file_name("c.png"), "c.png");
  assert_string_equal(file_name("/c"), "c");
  assert_string_equal(file_name("a/"), "");
  assert_string_equal(file_name(""), "");
}

static void names_the_last_part(void **state) {
  (void)state;
  static const struct {
    const char *path, *part;
  } cases[] = {{"/abs/mdl", "mdl"},
               {"/abs/mdl/", "mdl"},
               {"/abs/mdl//", "mdl"},
               {"/abs/mdl/.", "mdl"},
               {"/abs/mdl/./", "mdl"},
               {"/abs//./mdl/sub/../.", "mdl"},
               {"/abs/mdl/a/b/../..", "mdl"},
               {"/abs/.mdl/", ".mdl"},
               {"/abs/..mdl", "..mdl"},
               {"mdl/", "mdl"},
               {"/mdl/a/../../..", ""},
               {"/", ""},
               {"//", ""},
               {".", ""},
               {"..", ""},
               {"", ""}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    size_t size;
    const char *part = file_last_part(cases[i].path, strlen(cases[i].path), &size);
    assert_int_equal(size, strlen(cases[i].part));
    assert_memory_equal(part, cases[i].part, size);
  }
  size_t size;
  assert_memory_equal(file_last_part("/a/b.npy:c/d", 8, &size), "b.npy", 5);
  assert_int_equal(size, 5);
}

/* Paths of one file have one identity, whether it is there or not; others have another. */
static void identities(void **state) {
  (void)state;
  write_whole(path_of("there"), "", 0);
  assert_int_equal(mkdir(path_of("inner"), 0777), 0);
  assert_int_equal(symlink("there", path_of("link")), 0);
  assert_int_equal(symlink("inner", path_of("way")), 0);
  assert_int_equal(symlink("round", path_of("round")), 0);
  assert_int_equal(mkdir(path_of("deep"), 0777), 0);
  assert_int_equal(mkdir(path_of("deep/er"), 0777), 0);
  assert_int_equal(symlink("deep/er", path_of("far")), 0);
  static const struct {
    const char *a, *b;
    bool same;
  } cases[] = {
      {"there", "./there", true},
      {"there", "link", true},
      {"there", "inner/../there", true},
      {"there", "inner", false},
      {"new", ".//./new", true},
      {"new", "inner/new", false},
      {"inner/new", "way/new", true},
      {"inner/new", "way//./new", true},
      {"to/come", "to//./come", true},
      {"to/come", "./to/come", true},
      {"to/come", "come", false},
      {"to/come", "to/comes", false},
      {"inner/to/come", "to/come", false},
      {"way/to/come", "inner/to/come", true},
      {"there", "There", false},
      {"new", "to/../new", true},
      {"there", "to/../there", true},
      {"there", "to/come/../../there", true},
      {"new", "to/./come//../../new", true},
      {"to/new", "to/come/../new", true},
      {"inner/new", "way/../new", false},
      {"new", "way/../new", true},
      {"inner/new", "far/../new", false},
      {"deep/new", "far/../new", true},
      {"new", "to/../../new", false},
      {"new", "inner/to/../../new", true},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char *a = file_identity(path_of(cases[i].a)), *b = file_identity(path_of(cases[i].b));
    assert_non_null(a);
    assert_non_null(b);
    if (!strcmp(a, b) != cases[i].same) fail_msg("'%s' and '%s'", cases[i].a, cases[i].b);
    free(a);
    free(b);
  }
  assert_null(file_identity(path_of("round")));
  /* Relative names, and the root. */
  char *here = file_identity("new"), *dotted = file_identity("./new"),
       *root = file_identity("/new");
  assert_string_equal(here, dotted);
  assert_string_not_equal(here, root);
  free(here);
  free(dotted);
  free(root);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names),
      cmocka_unit_test(names_the_last_part),
      cmocka_unit_test_setup_teardown(identities, folder_create, folder_remove),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

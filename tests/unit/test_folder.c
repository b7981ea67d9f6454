/* Folders that files can be made in, and those where they cannot; what the machine says of itself.
 */
#include "tests/unit/ground.h"

#include "lib/base/folder.h"
#include "lib/base/machine.h"

static struct error error;

static void temporary_folder(void **state) {
  (void)state;
  const char *before = getenv("TMPDIR");
  char *kept = before ? strdup(before) : NULL;
  setenv("TMPDIR", "/some/where", 1);
  assert_string_equal(folder_temporary(), "/some/where");
  setenv("TMPDIR", "relative", 1);
  assert_string_equal(folder_temporary(), "/tmp");
  setenv("TMPDIR", "", 1);
  assert_string_equal(folder_temporary(), "/tmp");
  unsetenv("TMPDIR");
  assert_string_equal(folder_temporary(), "/tmp");
  if (kept) setenv("TMPDIR", kept, 1);
  free(kept);
}

static void expect_fault(const char *path, const char *part) {
  uint64_t bytes;
  assert_int_equal(folder_check(path, &bytes, &error), ERROR_FAILED);
  assert_message(&error, part);
  assert_true(bytes == UINT64_MAX);
}

static bool closed_is_seen(void) {
  uint64_t bytes;
  return folder_check(folder, &bytes, &error) == ERROR_FAILED &&
         strstr(error.message, "Permission denied");
}

static void folders_are_checked(void **state) {
  (void)state;
  uint64_t bytes = 0;
  assert_int_equal(folder_check(folder, &bytes, &error), OK);
  assert_true(bytes > 0);
  assert_int_equal(folder_count(), 0); /* nothing was made */
  expect_fault(path_of("none"), "No such file or directory");
  expect_fault(write_text("file", "x"), "Not a directory");
  expect_fault("", "No such file or directory");
  assert_int_equal(chmod(folder, 0555), 0);
  assert_int_equal(as_nobody(closed_is_seen), 0);
  assert_int_equal(chmod(folder, 0777), 0);
  /* A file system that holds no files of ours says nothing of its room. */
  if (!folder_check("/proc/self", &bytes, &error)) assert_true(bytes == UINT64_MAX);
}

static void machine_in_words(void **state) {
  (void)state;
  char text[MACHINE_TEXT];
  machine_system(text);
  assert_int_equal(strncmp(text, "Linux ", 6), 0);
  machine_c_library(text);
  assert_int_equal(strncmp(text, "glibc 2.", 8), 0);
  machine_processor(text);
  assert_null(strchr(text, '\n'));
  assert_true(machine_cores() >= 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(temporary_folder),
      cmocka_unit_test(folders_are_checked),
      cmocka_unit_test(machine_in_words),
  };
  return cmocka_run_group_tests(tests, folder_create, folder_remove);
}

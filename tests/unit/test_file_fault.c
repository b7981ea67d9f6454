/* Writing of lib/base/file.h where something goes wrong: one line that says what, and nothing left.
 */
#include "tests/unit/ground.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>

#include "lib/base/file.h"
#include "lib/base/memory.h"

static struct file_output *open_output(const char *path) {
  struct file_output *output;
  struct error error = {0};
  if (file_output_open(path, &output, &error)) fail_msg("%s", error.message);
  return output;
}

static void refuse_open(const char *path, const char *part) {
  const int before = folder_count();
  struct file_output *output = (struct file_output *)folder;
  struct error error = {0};
  assert_int_equal(file_output_open(path, &output, &error), ERROR_FAILED);
  assert_int_equal(error.code, ERROR_FAILED);
  assert_message(&error, "cannot write '");
  assert_message(&error, part);
  assert_null(output);
  assert_int_equal(file_output_open(path, &output, NULL), ERROR_FAILED);
  assert_int_equal(folder_count(), before);
}

static void says_why_it_cannot_open(void **state) {
  (void)state;
  write_text("file", "kept");
  refuse_open("", "cannot write '': No such file or directory");
  refuse_open(folder, "Is a directory");
  refuse_open(path_of(""), "Is a directory");
  refuse_open(path_of("."), "Is a directory");
  refuse_open(path_of("absent/x.csv"), "absent/x.csv': No such file or directory");
  refuse_open(path_of("absent/"), "No such file or directory");
  refuse_open(path_of("file/x"), "Not a directory");
  refuse_open(path_of("file/"), "Not a directory");
  refuse_open("/dev/fd/987", "Bad file descriptor");
  refuse_open("/proc/x.csv", "cannot write '/proc/x.csv'");
  assert_int_equal(symlink("loop", path_of("loop")), 0);
  refuse_open(path_of("loop"), "Too many levels of symbolic links");
  assert_int_equal(symlink("absent/x", path_of("nowhere")), 0);
  refuse_open(path_of("nowhere"), "No such file or directory");
  char longest[PATH_MAX + 100], name[257];
  memset(name, 'n', 256);
  name[256] = '\0';
  refuse_open(path_of(name), "nnn': File name too long");
  memset(longest, 'n', sizeof longest);
  longest[sizeof longest - 1] = '\0';
  struct error error;
  struct file_output *output;
  assert_int_equal(file_output_open(longest, &output, &error), ERROR_FAILED);
  assert_message(&error, "nnn': File name too long");
  assert_file_holds(path_of("file"), "kept");
}

static bool cannot_write_there(void) {
  struct file_output *output;
  struct error error;
  return file_output_open(path_of("kept/new"), &output, &error) == ERROR_FAILED &&
         strstr(error.message, "kept/new': Permission denied") &&
         file_output_open(path_of("readonly"), &output, &error) == ERROR_FAILED &&
         strstr(error.message, "readonly': Permission denied") && folder_count() == 2;
}

/* A published figure that its owner made read-only is not replaced behind his back. */
static void rights_are_respected(void **state) {
  (void)state;
  assert_int_equal(mkdir(path_of("kept"), 0555), 0);
  assert_int_equal(chmod(write_text("readonly", "kept"), 0444), 0);
  if (geteuid() == 0) assert_int_equal(chown(path_of("readonly"), 65534, 65534), 0);
  assert_int_equal(as_nobody(cannot_write_there), 0);
  assert_file_holds(path_of("readonly"), "kept");
}

static void full_devices(void **state) {
  (void)state;
  static const int sizes[] = {1, 5000, 1 << 20};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
    for (int finish_first = 0; finish_first < 2; finish_first++) {
      struct file_output *output = open_output("/dev/full");
      struct error error = {0};
      for (int c = 0; c < sizes[i]; c++)
        fputc('x', file_output_stream(output));
      int status = OK;
      if (finish_first) {
        status = file_output_finish(output, &error);
        file_output_discard(output);
      } else
        status = file_output_commit(output, &error);
      assert_int_equal(status, ERROR_FAILED);
      assert_message(&error, "cannot write '/dev/full': ");
      if (sizes[i] % 4096) assert_message(&error, "No space left on device");
    }
}

/* No reason is better than a wrong one: what failed long ago is not explained by a later errno. */
static void reasons_are_not_made_up(void **state) {
  (void)state;
  struct file_output *output = open_output("/dev/full");
  struct error error = {0};
  setvbuf(file_output_stream(output), NULL, _IONBF, 0);
  fputc('x', file_output_stream(output));
  errno = ENOTTY;
  assert_int_equal(file_output_finish(output, &error), ERROR_FAILED);
  assert_message(&error, "cannot write '/dev/full': a part of it was refused (is the disk full?)");
  file_output_discard(output);
}

static void no_room_on_the_disk(void **state) {
  (void)state;
  const char *path = write_text("target", "old");
  struct rlimit old, small = {100000, RLIM_INFINITY};
  void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
  small.rlim_max = old.rlim_max;
  for (int early = 0; early < 2; early++) {
    struct file_output *output = open_output(path);
    struct error error = {0};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    for (int i = 0; i < 110000; i++)
      fputc('x', file_output_stream(output));
    int status = early ? file_output_finish(output, &error) : OK;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    assert_int_equal(status, early ? ERROR_FAILED : OK);
    /* Room comes too late: what is cut must not be put in place. */
    error.message[0] = '\0';
    assert_int_equal(file_output_commit(output, &error), ERROR_FAILED);
    assert_message(&error, "target': ");
    assert_file_holds(path, "old");
    assert_int_equal(folder_count(), 1);
  }
  signal(SIGXFSZ, handler);
}

static void writers_can_mark_a_stream_failed(void **state) {
  (void)state;
  struct error error = {0};
  const char *path = write_text("target", "old");
  struct file_output *output = open_output(path);
  fputs("half", file_output_stream(output));
  assert_false(ferror(file_output_stream(output)));
  file_mark_failed(file_output_stream(output));
  assert_true(ferror(file_output_stream(output)));
  assert_int_equal(file_output_commit(output, &error), ERROR_FAILED);
  assert_file_holds(path, "old");
  assert_int_equal(folder_count(), 1);
}

static void a_target_that_goes_away(void **state) {
  (void)state;
  struct error error = {0};
  assert_int_equal(mkdir(path_of("sub"), 0700), 0);
  struct file_output *output = open_output(path_of("sub/x"));
  fputs("x", file_output_stream(output));
  assert_int_equal(mkdir(path_of("sub/x"), 0700), 0);
  assert_int_equal(file_output_commit(output, &error), ERROR_FAILED);
  assert_message(&error, "sub/x': Is a directory");
  assert_int_equal(rmdir(path_of("sub/x")), 0);
  output = open_output(path_of("sub/x"));
  assert_int_equal(rename(path_of("sub"), path_of("moved")), 0);
  assert_int_equal(file_output_commit(output, &error), ERROR_FAILED);
  assert_message(&error, "No such file or directory");
}

static void out_of_memory(void **state) {
  (void)state;
  struct file_output *output;
  struct error error = {0};
  memory_set_limit(1);
  const int status = file_output_open(path_of("x"), &output, &error);
  memory_set_limit(0);
  assert_int_equal(status, ERROR_FAILED);
  assert_message(&error, "not enough memory");
  assert_int_equal(folder_count(), 0);
}

/* As many as a signal handler can remove, and one more is an error. */
static void many_outputs(void **state) {
  (void)state;
  enum { MANY = 256 };
  static struct file_output *outputs[MANY];
  struct error error = {0};
  char name[16];
  for (int i = 0; i < MANY; i++) {
    snprintf(name, sizeof name, "file%d", i);
    outputs[i] = open_output(path_of(name));
  }
  assert_int_equal(folder_count(), MANY);
  refuse_open(path_of("more"), "Too many open files");
  file_remove_partial();
  assert_int_equal(folder_count(), 0);
  for (int i = 0; i < MANY; i++)
    file_output_discard(outputs[i]);
  assert_int_equal(file_output_open(path_of("x"), &outputs[0], &error), OK);
  assert_int_equal(file_output_commit(outputs[0], &error), OK);
  assert_int_equal(folder_count(), 1);
}

static void end_by_signal(int number) {
  file_remove_partial();
  _exit(128 + number);
}

static bool killed_while_writing(void) {
  struct file_output *old, *fresh, *done;
  if (file_output_open(path_of("old"), &old, NULL)) return false;
  if (file_output_open(path_of("fresh"), &fresh, NULL)) return false;
  if (file_output_open(path_of("done"), &done, NULL)) return false;
  fputs("new", file_output_stream(old));
  fputs("new", file_output_stream(fresh));
  fflush(file_output_stream(fresh));
  if (file_output_finish(old, NULL) || file_output_commit(done, NULL)) return false;
  if (folder_count() != 4) return false;
  const struct sigaction action = {.sa_handler = end_by_signal};
  if (sigaction(SIGTERM, &action, NULL)) return false;
  raise(SIGTERM);
  return false;
}

static void signals_leave_nothing(void **state) {
  (void)state;
  chmod(write_text("old", "old"), 0666);
  assert_int_equal(as_nobody(killed_while_writing), 128 + SIGTERM);
  assert_file_holds(path_of("old"), "old");
  assert_file_holds(path_of("done"), "");
  assert_int_equal(folder_count(), 2);
}

#define in_folder(test) cmocka_unit_test_setup_teardown(test, folder_create, folder_remove)

int main(void) {
  const struct CMUnitTest tests[] = {
      in_folder(says_why_it_cannot_open),
      in_folder(rights_are_respected),
      in_folder(full_devices),
      in_folder(reasons_are_not_made_up),
      in_folder(no_room_on_the_disk),
      in_folder(writers_can_mark_a_stream_failed),
      in_folder(a_target_that_goes_away),
      in_folder(out_of_memory),
      in_folder(many_outputs),
      in_folder(signals_leave_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Reading of lib/base/file.h, and writing where nothing goes wrong; test_file_fault.c has faults,
   test_file_names.c names. */
#include "tests/unit/ground.h"

#include <fcntl.h>

#include "lib/base/file.h"
#include "lib/base/memory.h"

enum { PLENTY = 1 << 30 };

static void refuse_read(const char *path, size_t limit, int code, const char *part) {
  char *data = (char *)path;
  size_t size;
  struct error error = {0};
  assert_int_equal(file_read(path, limit, &data, &size, &error), code);
  assert_int_equal(error.code, code);
  assert_message(&error, part);
  assert_null(data);
  assert_int_equal(file_read(path, limit, &data, &size, NULL), code);
}

static void check_read(const char *path, size_t limit, const void *expected, size_t length) {
  char *data;
  size_t size;
  struct error error = {0};
  if (file_read(path, limit, &data, &size, &error)) fail_msg("%s", error.message);
  assert_int_equal(size, length);
  assert_memory_equal(data, expected, length);
  assert_int_equal(data[size], 0);
  free(data);
}

static void reads_whole_files(void **state) {
  (void)state;
  static char bytes[200000];
  for (size_t i = 0; i < sizeof bytes; i++)
    bytes[i] = (char)(i * 31 ^ i >> 8);
  static const size_t sizes[] = {0, 1, 65534, 65535, 65536, 65537, 131072, sizeof bytes};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    write_whole(path_of("data"), bytes, sizes[i]);
    check_read(path_of("data"), PLENTY, bytes, sizes[i]);
    check_read(path_of("data"), sizes[i], bytes, sizes[i]);
    if (sizes[i])
      refuse_read(path_of("data"), sizes[i] - 1, ERROR_INPUT, "data' is larger than the ");
  }
  check_read(write_text("-|<", "x"), 1, "x", 1);
}

static void says_why_it_cannot_read(void **state) {
  (void)state;
  refuse_read("", PLENTY, ERROR_INPUT, "cannot read '': No such file");
  refuse_read(path_of("absent"), PLENTY, ERROR_INPUT, "absent': No such file or directory");
  refuse_read(path_of("absent/x"), PLENTY, ERROR_INPUT, "No such file or directory");
  refuse_read(folder, PLENTY, ERROR_INPUT, "it is a folder");
  char name[300];
  memset(name, 'n', sizeof name);
  name[sizeof name - 1] = '\0';
  refuse_read(path_of(name), PLENTY, ERROR_INPUT, "File name too long");
}

/* What is endless or huge is refused before it is in memory. */
static void reads_no_more_than_the_limit(void **state) {
  (void)state;
  refuse_read("/dev/zero", 0, ERROR_INPUT, "larger than the 0 bytes");
  refuse_read("/dev/zero", 1000000, ERROR_INPUT, "'/dev/zero' is larger than the 1000000 bytes");
  const char *path = write_text("sparse", "");
  assert_int_equal(truncate(path, (off_t)1 << 40), 0);
  refuse_read(path, PLENTY, ERROR_INPUT, "is larger than");
  memory_set_limit(10000000);
  refuse_read(path, SIZE_MAX, ERROR_FAILED,
              "sparse': not enough memory: the file would need 1024 GiB");
  refuse_read("/dev/zero", SIZE_MAX, ERROR_FAILED, "'/dev/zero': not enough memory");
  memory_set_limit(0);
}

static void reads_what_has_no_size(void **state) {
  (void)state;
  char *data;
  size_t size;
  struct error error = {0};
  assert_int_equal(file_read("/proc/self/status", PLENTY, &data, &size, &error), OK);
  assert_true(size > 0 && strstr(data, "VmPeak"));
  free(data);
  check_read("/dev/null", 0, "", 0);

  static char bytes[300000];
  memset(bytes, 'p', sizeof bytes);
  const char *path = path_of("pipe");
  assert_int_equal(mkfifo(path, 0600), 0);
  const pid_t child = fork();
  if (child == 0) {
    const int pipe = open(path, O_WRONLY);
    size_t done = 0;
    for (ssize_t wrote = 1; wrote > 0 && done < sizeof bytes; done += (size_t)wrote)
      wrote = write(pipe, bytes + done, sizeof bytes - done < 777 ? sizeof bytes - done : 777);
    _exit(done == sizeof bytes ? 0 : 1);
  }
  check_read(path, PLENTY, bytes, sizeof bytes);
  int status;
  waitpid(child, &status, 0);
  assert_int_equal(status, 0);
}

static bool cannot_read_locked(void) {
  char *data;
  size_t size;
  struct error error;
  return file_read(path_of("locked"), PLENTY, &data, &size, &error) == ERROR_INPUT &&
         strstr(error.message, "locked': Permission denied");
}

static void unreadable(void **state) {
  (void)state;
  assert_int_equal(chmod(write_text("locked", "x"), 0), 0);
  assert_int_equal(as_nobody(cannot_read_locked), 0);
}

static struct file_output *open_output(const char *path) {
  struct file_output *output;
  struct error error = {0};
  if (file_output_open(path, &output, &error)) fail_msg("%s", error.message);
  return output;
}

static void put(const char *path, const char *text) {
  struct error error = {0};
  struct file_output *output = open_output(path);
  fputs(text, file_output_stream(output));
  if (file_output_commit(output, &error)) fail_msg("%s", error.message);
}

static void replaces_when_all_is_there(void **state) {
  (void)state;
  struct error error = {0};
  const char *path = write_text("target", "old");
  struct file_output *output = open_output(path);
  assert_file_holds(path, "old");
  fputs("new", file_output_stream(output));
  fflush(file_output_stream(output));
  assert_file_holds(path, "old");
  assert_int_equal(file_output_finish(output, &error), OK);
  assert_file_holds(path, "old");
  assert_int_equal(file_output_commit(output, &error), OK);
  assert_file_holds(path, "new");
  assert_int_equal(folder_count(), 1);
  /* Commit finishes what is not finished yet. */
  put(path, "newer");
  assert_file_holds(path, "newer");
  put(path_of("fresh"), "");
  assert_file_holds(path_of("fresh"), "");
  assert_int_equal(folder_count(), 2);
}

static void takes_any_name(void **state) {
  (void)state;
  char longest[256];
  memset(longest, 'n', 255);
  longest[255] = '\0';
  const char *const names[] = {"-",     "-rf",  "|ls",       "<in", ">out",  "a b",     "it's",
                               "$(id)", "`id`", "new\nline", "\"",  "\\",    "*",       "α.png",
                               ".",     "\xff", "%s%n",      "~",   longest, "x.csv\r", ";id"};
  int files = 0;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (!strcmp(names[i], ".")) continue;
    put(path_of(names[i]), names[i]);
    assert_file_holds(path_of(names[i]), names[i]);
    assert_int_equal(folder_count(), ++files);
    put(path_of(names[i]), "again");
    assert_file_holds(path_of(names[i]), "again");
    assert_int_equal(folder_count(), files);
  }
}

static void takes_relative_names(void **state) {
  (void)state;
  char *home = getcwd(NULL, 0);
  assert_non_null(home);
  assert_int_equal(chdir(folder), 0);
  put("-o", "a");
  put("./dot", "b");
  assert_int_equal(mkdir("sub", 0700), 0);
  put("sub/../sub/c", "c");
  assert_file_holds("-o", "a");
  assert_file_holds("dot", "b");
  assert_file_holds("sub/c", "c");
  assert_int_equal(folder_count(), 3);
  assert_int_equal(chdir(home), 0);
  free(home);
}

static mode_t mode_of(const char *path) {
  struct stat status;
  assert_int_equal(stat(path, &status), 0);
  return status.st_mode & 07777;
}

static void keeps_the_mode_and_owner(void **state) {
  (void)state;
  static const mode_t modes[] = {0600, 0640, 0644, 0666, 0755, 0400};
  for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
    if (!(modes[i] & 0200) && geteuid() != 0) continue;
    const char *path = write_text("target", "old");
    assert_int_equal(chmod(path, modes[i]), 0);
    put(path, "new");
    assert_file_holds(path, "new");
    assert_int_equal(mode_of(path), modes[i]);
    assert_int_equal(unlink(path), 0);
  }
  const mode_t mask = umask(027);
  put(path_of("fresh"), "x");
  umask(mask);
  assert_int_equal(mode_of(path_of("fresh")), 0640);
  if (geteuid() != 0) return;
  struct stat status;
  assert_int_equal(chown(path_of("fresh"), 1234, 5678), 0);
  put(path_of("fresh"), "y");
  assert_int_equal(stat(path_of("fresh"), &status), 0);
  assert_int_equal(status.st_uid, 1234);
  assert_int_equal(status.st_gid, 5678);
}

static bool is_link(const char *path) {
  struct stat status;
  return !lstat(path, &status) && S_ISLNK(status.st_mode);
}

static void follows_links(void **state) {
  (void)state;
  assert_int_equal(mkdir(path_of("a"), 0700), 0);
  assert_int_equal(mkdir(path_of("b"), 0700), 0);
  write_text("b/target", "old");
  assert_int_equal(symlink("../b/middle", path_of("a/link")), 0);
  assert_int_equal(symlink("target", path_of("b/middle")), 0);
  put(path_of("a/link"), "new");
  assert_file_holds(path_of("b/target"), "new");
  assert_true(is_link(path_of("a/link")) && is_link(path_of("b/middle")));
  assert_false(is_link(path_of("b/target")));

  /* A link to what is not there yet, and an absolute one. */
  assert_int_equal(symlink("../b/later", path_of("a/dangling")), 0);
  assert_int_equal(symlink(path_of("a/dangling"), path_of("absolute")), 0);
  put(path_of("absolute"), "made");
  assert_file_holds(path_of("b/later"), "made");
  assert_true(is_link(path_of("a/dangling")) && is_link(path_of("absolute")));
}

static void discard_leaves_nothing(void **state) {
  (void)state;
  file_output_discard(NULL);
  struct error error = {0};
  const char *path = write_text("target", "old");
  for (int finished = 0; finished < 2; finished++) {
    struct file_output *old = open_output(path), *fresh = open_output(path_of("fresh"));
    fputs("new", file_output_stream(old));
    fputs("new", file_output_stream(fresh));
    if (finished) {
      assert_int_equal(file_output_finish(old, &error), OK);
      assert_int_equal(file_output_finish(fresh, &error), OK);
    }
    file_output_discard(old);
    file_output_discard(fresh);
    assert_int_equal(folder_count(), 1);
    assert_file_holds(path, "old");
  }
}

static struct timespec time_of(const char *path) {
  struct stat status;
  assert_int_equal(stat(path, &status), 0);
  return status.st_mtim;
}

/* All get the time of the one that was finished last, whichever it is. */
static void files_of_one_run_have_one_time(void **state) {
  (void)state;
  struct error error = {0};
  static const char *const names[] = {"a", "b", "c"};
  for (int last = 0; last < 3; last++) {
    struct file_output *list[4] = {NULL};
    for (int i = 0; i < 3; i++) {
      list[i] = open_output(path_of(names[i]));
      fputs(names[i], file_output_stream(list[i]));
    }
    for (int turn = 1; turn <= 3; turn++) {
      const int i = (last + turn) % 3;
      assert_int_equal(file_output_finish(list[i], &error), OK);
      usleep(10000);
    }
    const struct timespec before = last ? time_of(path_of("a")) : (struct timespec){0};
    file_outputs_date(list, 4);
    for (int i = 0; i < 3; i++)
      assert_int_equal(file_output_commit(list[i], &error), OK);
    const struct timespec first = time_of(path_of("a"));
    assert_true(first.tv_sec > before.tv_sec ||
                (first.tv_sec == before.tv_sec && first.tv_nsec > before.tv_nsec));
    for (int i = 1; i < 3; i++) {
      const struct timespec other = time_of(path_of(names[i]));
      assert_true(other.tv_sec == first.tv_sec && other.tv_nsec == first.tv_nsec);
    }
    assert_file_holds(path_of("b"), "b");
  }
  struct file_output *through = open_output("/dev/null");
  assert_int_equal(file_output_finish(through, &error), OK);
  file_outputs_date(&through, 1);
  assert_int_equal(file_output_commit(through, &error), OK);
}

static void large_files_arrive_whole(void **state) {
  (void)state;
  struct file_output *output = open_output(path_of("large"));
  char *expected = malloc(3000001);
  assert_non_null(expected);
  for (int i = 0; i < 3000000; i++)
    expected[i] = (char)('a' + i % 26);
  expected[3000000] = '\0';
  fputs(expected, file_output_stream(output));
  assert_int_equal(file_output_commit(output, NULL), OK);
  assert_file_holds(path_of("large"), expected);
  free(expected);
}

static void pipes_and_devices_are_written_through(void **state) {
  (void)state;
  const char *path = path_of("pipe");
  assert_int_equal(mkfifo(path, 0600), 0);
  const int reader = open(path, O_RDWR | O_NONBLOCK);
  assert_true(reader >= 0);
  put(path, "through");
  char text[16] = "";
  assert_int_equal(read(reader, text, sizeof text), 7);
  assert_string_equal(text, "through");
  /* What was dropped is not written after all. */
  struct file_output *output = open_output(path);
  fputs("dropped", file_output_stream(output));
  file_output_discard(output);
  assert_int_equal(read(reader, text, sizeof text), -1);
  close(reader);
  assert_int_equal(folder_count(), 1);
  put("/dev/null", "gone");
  struct stat status;
  assert_int_equal(stat("/dev/null", &status), 0);
  assert_true(S_ISCHR(status.st_mode));
}

/* In a child whose descriptor 1 is a file that was written to: /dev/stdout must go on there. */
static bool writes_to_its_stdout(void) {
  struct file_output *output;
  if (dup2(open(path_of("log"), O_WRONLY | O_CREAT, 0666), STDOUT_FILENO) < 0) return false;
  if (write(STDOUT_FILENO, "before ", 7) != 7) return false;
  static const char *const names[] = {"/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (file_output_open(names[i], &output, NULL)) return false;
    fputs("data ", file_output_stream(output));
    if (file_output_finish(output, NULL) || file_output_commit(output, NULL)) return false;
  }
  return write(STDOUT_FILENO, "after", 5) == 5;
}

static void stdout_is_shared(void **state) {
  (void)state;
  assert_int_equal(as_nobody(writes_to_its_stdout), 0);
  assert_file_holds(path_of("log"), "before data data data after");
  assert_int_equal(folder_count(), 1);
}

#define in_folder(test) cmocka_unit_test_setup_teardown(test, folder_create, folder_remove)

int main(void) {
  const struct CMUnitTest tests[] = {
      in_folder(reads_whole_files),
      in_folder(says_why_it_cannot_read),
      in_folder(reads_no_more_than_the_limit),
      in_folder(reads_what_has_no_size),
      in_folder(unreadable),
      in_folder(replaces_when_all_is_there),
      in_folder(takes_any_name),
      in_folder(takes_relative_names),
      in_folder(keeps_the_mode_and_owner),
      in_folder(follows_links),
      in_folder(discard_leaves_nothing),
      in_folder(files_of_one_run_have_one_time),
      in_folder(large_files_arrive_whole),
      in_folder(pipes_and_devices_are_written_through),
      in_folder(stdout_is_shared),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

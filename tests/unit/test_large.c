/* Arrays that may lie on file: they hold what is put into them, whatever is set aside, and what is
   set aside is not in memory. */
#include "tests/unit/ground.h"

#include <linux/magic.h>
#include <sys/resource.h>
#include <sys/vfs.h>

#include "lib/base/large.h"
#include "lib/base/memory.h"

static const size_t more = (size_t)LARGE_LEAST / sizeof(uint64_t) + 12345; /* numbers */

static uint64_t number_at(size_t index) {
  return (uint64_t)index * UINT64_C(0x9e3779b97f4a7c15);
}

static long most_kilobytes(void) {
  struct rusage usage;
  assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
  return usage.ru_maxrss;
}

/* Fills it in pieces that are set aside, no piece a whole number of pages. */
static uint64_t *make_numbers(struct error *error) {
  enum { PIECE = 100001 };
  uint64_t *number = large_array(more, sizeof *number, "numbers", error);
  for (size_t first = 0; number && first < more; first += PIECE) {
    const size_t end = more - first < PIECE ? more : first + PIECE;
    for (size_t i = first; i < end; i++) {
      assert_true(number[i] == 0);
      number[i] = number_at(i);
    }
    large_set_aside(number + first, (end - first) * sizeof *number);
  }
  return number;
}

static void check_numbers(const uint64_t *number) {
  for (size_t i = 0; i < more; i++) {
    assert_true(number[i] == number_at(i));
    if (i % 99991 == 0) large_set_aside(number, i * sizeof *number);
  }
}

static bool has_disk(void) {
  const char *folders[] = {getenv("TMPDIR"), "/var/tmp", "/tmp"};
  struct statfs disk;
  for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
    if (folders[i] && !statfs(folders[i], &disk) && disk.f_type != TMPFS_MAGIC &&
        disk.f_bavail * (uint64_t)disk.f_bsize > UINT64_C(5) * LARGE_LEAST)
      return true;
  return false;
}

/* The first test, for the peak is that of the process. */
static void what_is_set_aside_leaves_memory(void **state) {
  (void)state;
  if (!has_disk()) skip();
  struct error error;
  memory_set_limit(1 << 20);
  const long before = most_kilobytes();
  uint64_t *number = make_numbers(&error);
  assert_non_null(number);
  check_numbers(number);
  assert_in_range(most_kilobytes() - before, 0, 32 << 10);
  large_release(number);
  memory_set_limit(0);
}

static void small_arrays_are_held(void **state) {
  (void)state;
  uint64_t *number = large_array(1000, sizeof *number, "numbers", NULL);
  assert_non_null(number);
  for (size_t i = 0; i < 1000; i++)
    number[i] = number_at(i);
  large_set_aside(number, 1000 * sizeof *number);
  for (size_t i = 0; i < 1000; i++)
    assert_true(number[i] == number_at(i));
  large_release(number);
  large_release(NULL);
  large_set_aside(NULL, 0);
}

/* A limit on the size of files, as a full disk, leaves the heap. */
static void without_a_file_they_are_held(void **state) {
  (void)state;
  struct rlimit before, none;
  struct error error;
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
  none = before;
  none.rlim_cur = 1 << 20;
  signal(SIGXFSZ, SIG_IGN);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
  uint64_t *number = make_numbers(&error);
  memory_set_limit(1 << 20);
  void *refused = large_array(more, sizeof *number, "the numbers", &error);
  memory_set_limit(0);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
  assert_non_null(number);
  check_numbers(number);
  large_release(number);
  assert_null(refused);
  assert_int_equal(error.code, ERROR_FAILED);
  assert_non_null(strstr(error.message, "the numbers"));
}

static void impossible_sizes_are_refused(void **state) {
  (void)state;
  struct error error;
  assert_null(large_array(SIZE_MAX, 8, "the cells", &error));
  assert_int_equal(error.code, ERROR_FAILED);
  assert_null(large_array(SIZE_MAX / 8, 8, "the cells", &error));
  assert_null(large_array((size_t)1 << 50, 8, "the cells", &error));
  assert_non_null(strstr(error.message, "the cells"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_set_aside_leaves_memory),
      cmocka_unit_test(small_arrays_are_held),
      cmocka_unit_test(without_a_file_they_are_held),
      cmocka_unit_test(impossible_sizes_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

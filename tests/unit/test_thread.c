/* Threads and progress of lib/base. */
#include "tests/unit/ground.h"

#include <omp.h>
#include <sched.h>
#include <sys/resource.h>

#include "lib/base/progress.h"
#include "lib/base/thread.h"

static void only_the_cores_we_may_use(void **state) {
  (void)state;
  cpu_set_t all, one;
  assert_int_equal(sched_getaffinity(0, sizeof all, &all), 0);
  assert_int_equal(thread_available(), CPU_COUNT(&all));
  int first = 0;
  while (!CPU_ISSET(first, &all))
    first++;
  CPU_ZERO(&one);
  CPU_SET(first, &one);
  assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
  assert_int_equal(thread_available(), 1);
  assert_int_equal(sched_setaffinity(0, sizeof all, &all), 0);
}

static void as_many_threads_as_asked_for(void **state) {
  (void)state;
  for (int count = 1; count <= 4; count++) {
    thread_use(count);
    int members = 0;
#pragma omp parallel reduction(+ : members)
    members++;
    assert_int_equal(members, count);
  }
}

/* All of them; this one alone where the user may have no more. */
static bool counts_what_can_be_started(void) {
  const struct rlimit one = {1, 1};
  if (thread_startable(1) != 1 || thread_startable(9) != 9) return false;
  return !setrlimit(RLIMIT_NPROC, &one) && thread_startable(9) == 1 && thread_startable(1) == 1;
}

static void threads_that_can_be_started(void **state) {
  (void)state;
  assert_int_equal(as_nobody(counts_what_can_be_started), 0);
}

enum { STEPS = 4000 };
static uint64_t calls, sum;

static void count_calls(uint64_t done, uint64_t total) {
  assert_true(done <= total && total == STEPS);
  /* Unguarded on purpose: it is called from one thread at a time. */
  calls++;
  sum += done;
}

static void progress_is_reported_one_at_a_time(void **state) {
  (void)state;
  progress_report(1, STEPS);
  progress_set(count_calls);
  thread_use(4);
#pragma omp parallel for
  for (int i = 1; i <= STEPS; i++)
    progress_report((uint64_t)i, STEPS);
  assert_int_equal(calls, STEPS);
  assert_int_equal(sum, (uint64_t)STEPS * (STEPS + 1) / 2);
  progress_set(NULL);
  progress_report(1, STEPS);
  assert_int_equal(calls, STEPS);
}

static uint64_t last_done, last_total;

static void note(uint64_t done, uint64_t total) {
  last_done = done;
  last_total = total;
}

static void assert_share(uint64_t done, uint64_t total) {
  assert_int_equal(last_done, done);
  assert_int_equal(last_total, total);
}

static void parts_make_a_whole(void **state) {
  (void)state;
  progress_set(note);
  progress_part(0, 3);
  assert_share(0, 3);
  progress_report(5, 10);
  assert_share(5, 30);
  progress_part(1, 3);
  assert_share(1, 3);
  progress_part(2, 3);
  progress_report(10, 10);
  assert_share(30, 30);
  progress_part(3, 3);
  assert_share(1, 1);
  progress_report(5, 10);
  assert_share(5, 10);
  progress_set(NULL);
  progress_part(1, 2);
  progress_part(2, 2);
  assert_share(5, 10);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(only_the_cores_we_may_use),
      cmocka_unit_test(as_many_threads_as_asked_for),
      cmocka_unit_test(threads_that_can_be_started),
      cmocka_unit_test(progress_is_reported_one_at_a_time),
      cmocka_unit_test(parts_make_a_whole),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

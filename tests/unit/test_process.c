#include "tests/unit/ground.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <time.h>

#include "lib/base/process.h"

/* A shell that runs `script`. */
static struct process *limited_shell(const char *script, int time_limit,
                                     const struct process_input *inputs, size_t count) {
  char *const arguments[] = {(char *)"sh", (char *)"-c", (char *)(uintptr_t)script, NULL};
  const struct process_start start = {.program = "/bin/sh",
                                      .arguments = arguments,
                                      .folder = folder,
                                      .inputs = inputs,
                                      .input_count = count,
                                      .stop_signal = SIGTERM,
                                      .time_limit = time_limit};
  struct process *process;
  struct error error = {0};
  if (process_open(&start, &process, &error)) fail_msg("%s", error.message);
  return process;
}

static struct process *shell(const char *script, const struct process_input *inputs, size_t count) {
  return limited_shell(script, 0, inputs, count);
}

static struct process_outcome wait_for(struct process *process) {
  struct process_outcome outcome;
  size_t ended;
  assert_int_equal(process_wait_any(&process, 1, &ended, NULL), OK);
  assert_int_equal(ended, 0);
  assert_int_equal(process_close(process, &outcome, NULL), OK);
  return outcome;
}

static void writes_are_read(void **state) {
  (void)state;
  struct process_outcome outcome =
      wait_for(shell("printf 'a\\0b'; printf 'c\\0d' >&2; exit 7", NULL, 0));
  assert_int_equal(outcome.output_size, 3);
  assert_memory_equal(outcome.output, "a\0b", 3);
  assert_string_equal(outcome.complaint, "c?d");
  assert_true(WIFEXITED(outcome.status) && WEXITSTATUS(outcome.status) == 7);
  free(outcome.output);
}

/* Much more than a pipe holds, on both at once. */
static void much_is_read(void **state) {
  (void)state;
  struct process_outcome outcome = wait_for(shell(
      "head -c 3000000 /dev/zero & head -c 1000000 /dev/zero | tr '\\0' e >&2; wait", NULL, 0));
  assert_int_equal(outcome.output_size, 3000000);
  assert_int_equal(strlen(outcome.complaint), sizeof outcome.complaint - 1);
  assert_int_equal(outcome.status, 0);
  free(outcome.output);
}

/* Inputs can be read twice, in a folder of its own, and nothing else of ours is open. */
static void inputs_and_descriptors(void **state) {
  (void)state;
  const struct process_input inputs[] = {{"first", 5}, {"second", 6}};
  const int ours = open("/dev/null", O_RDONLY); /* not close-on-exec */
  struct process_outcome outcome = wait_for(shell(
      "cat /dev/fd/3 /dev/fd/4 /dev/fd/3; cat; pwd; [ -e /dev/fd/5 ] && echo OPEN", inputs, 2));
  char expected[128];
  const int length = snprintf(expected, sizeof expected, "firstsecondfirst%s\n", folder);
  assert_int_equal(outcome.output_size, length);
  assert_memory_equal(outcome.output, expected, (size_t)length);
  free(outcome.output);
  close(ours);
}

/* Our blocked and ignored signals are not inherited. */
static void signals_are_fresh(void **state) {
  (void)state;
  sigset_t set, before;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigprocmask(SIG_BLOCK, &set, &before);
  void (*old)(int) = signal(SIGPIPE, SIG_IGN);
  struct process_outcome outcome = wait_for(shell("kill -TERM $$; echo BLOCKED", NULL, 0));
  assert_true(WIFSIGNALED(outcome.status) && WTERMSIG(outcome.status) == SIGTERM);
  free(outcome.output);
  outcome = wait_for(shell("kill -PIPE $$; echo IGNORED", NULL, 0));
  assert_true(WIFSIGNALED(outcome.status) && WTERMSIG(outcome.status) == SIGPIPE);
  free(outcome.output);
  signal(SIGPIPE, old);
  sigprocmask(SIG_SETMASK, &before, NULL);
}

static void environment_is_given(void **state) {
  (void)state;
  char *const arguments[] = {(char *)"env", NULL}, *const environment[] = {(char *)"ONLY=this",
                                                                           NULL};
  const struct process_start start = {.program = "/usr/bin/env",
                                      .arguments = arguments,
                                      .environment = environment,
                                      .stop_signal = SIGKILL};
  struct process *process;
  assert_int_equal(process_open(&start, &process, NULL), OK);
  struct process_outcome outcome = wait_for(process);
  assert_int_equal(outcome.output_size, 10);
  assert_memory_equal(outcome.output, "ONLY=this\n", 10);
  free(outcome.output);
}

/* The first to end is told first, whatever its place. */
static void any_of_several(void **state) {
  (void)state;
  struct process *list[] = {
      shell("read x </dev/fd/3; sleep 20", &(struct process_input){"x", 1}, 1), NULL,
      shell("exit 3", NULL, 0)};
  size_t ended;
  assert_int_equal(process_wait_any(list, 3, &ended, NULL), OK);
  assert_int_equal(ended, 2);
  struct process_outcome outcome;
  assert_int_equal(process_close(list[2], &outcome, NULL), OK);
  assert_int_equal(WEXITSTATUS(outcome.status), 3);
  free(outcome.output);
  process_kill(list[0]);
  process_kill(NULL);
}

/* A child of the process that holds its pipes open does not keep us. */
static void orphans_do_not_keep_us(void **state) {
  (void)state;
  struct timespec start, end;
  clock_gettime(CLOCK_MONOTONIC, &start);
  struct process_outcome outcome = wait_for(shell("echo here; sleep 5 & exit 0", NULL, 0));
  clock_gettime(CLOCK_MONOTONIC, &end);
  assert_int_equal(outcome.output_size, 5);
  assert_true(end.tv_sec - start.tv_sec < 4);
  free(outcome.output);
}

/* All that run get their own signal, and have ended afterwards. */
static void stopping_all(void **state) {
  (void)state;
  struct process *list[3];
  for (int i = 0; i < 3; i++) {
    char script[128];
    snprintf(script, sizeof script,
             "trap 'echo x >stopped%d; exit 0' TERM; echo r >ready%d; while :; do sleep 0.02; done",
             i, i);
    list[i] = shell(script, NULL, 0);
  }
  for (int i = 0; i < 3; i++) {
    char name[24];
    snprintf(name, sizeof name, "ready%d", i);
    while (access(path_of(name), F_OK))
      usleep(10000);
  }
  process_stop_all();
  for (int i = 0; i < 3; i++) {
    char name[24];
    snprintf(name, sizeof name, "stopped%d", i);
    assert_int_equal(access(path_of(name), F_OK), 0);
    struct process_outcome outcome;
    process_close(list[i], &outcome, NULL);
    free(outcome.output);
  }
}

static double seconds_of(const char *script, int time_limit, struct process_outcome *outcome) {
  struct timespec start, end;
  clock_gettime(CLOCK_MONOTONIC, &start);
  *outcome = wait_for(limited_shell(script, time_limit, NULL, 0));
  clock_gettime(CLOCK_MONOTONIC, &end);
  return (double)(end.tv_sec - start.tv_sec) + 1e-9 * (double)(end.tv_nsec - start.tv_nsec);
}

/* A process that hangs, one that writes without end, and one whose child does: each is killed when
   its time is over, and what was written until then is there. Another that is done in time is not.
 */
static void time_limits(void **state) {
  (void)state;
  static const char *const scripts[] = {"echo begun; exec sleep 20", "while :; do echo begun; done",
                                        "echo begun; sleep 5"};
  struct process_outcome outcome;
  for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
    const double seconds = seconds_of(scripts[i], 1, &outcome);
    assert_true(seconds >= 0.9 && seconds < 4.5);
    assert_true(outcome.out_of_time);
    assert_true(WIFSIGNALED(outcome.status) && WTERMSIG(outcome.status) == SIGKILL);
    assert_memory_equal(outcome.output, "begun\n", 6);
    free(outcome.output);
  }
  seconds_of("exit 3", 20, &outcome);
  assert_false(outcome.out_of_time);
  assert_true(WIFEXITED(outcome.status) && WEXITSTATUS(outcome.status) == 3);
  free(outcome.output);
}

static void faults(void **state) {
  (void)state;
  char *const arguments[] = {(char *)"x", NULL};
  struct process_start start = {.program = "/no/such/program", .arguments = arguments};
  struct process *process;
  struct error error;
  assert_int_equal(process_open(&start, &process, &error), ERROR_FAILED);
  assert_string_equal(error.message, "cannot run '/no/such/program': No such file or directory");
  assert_null(process);
  start.program = "/bin/sh";
  start.folder = "/no/such/folder";
  assert_int_equal(process_open(&start, &process, &error), ERROR_FAILED);
  assert_string_equal(error.message, "cannot run '/bin/sh': No such file or directory");
  /* No descriptors left. */
  struct rlimit limit, few;
  getrlimit(RLIMIT_NOFILE, &limit);
  few = limit;
  few.rlim_cur = 12;
  start.folder = NULL;
  setrlimit(RLIMIT_NOFILE, &few);
  const int status = process_open(&start, &process, &error);
  setrlimit(RLIMIT_NOFILE, &limit);
  assert_int_equal(status, ERROR_FAILED);
  assert_non_null(strstr(error.message, "cannot run '/bin/sh': "));
  /* A place is free again after each fault and each end: many more of them than there are places.
   */
  start.program = "/no/such/program";
  for (int i = 0; i < PROCESSES + 10; i++)
    assert_int_equal(process_open(&start, &process, &error), ERROR_FAILED);
  free(wait_for(shell("exit 0", NULL, 0)).output);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(writes_are_read),
      cmocka_unit_test(much_is_read),
      cmocka_unit_test(inputs_and_descriptors),
      cmocka_unit_test(signals_are_fresh),
      cmocka_unit_test(environment_is_given),
      cmocka_unit_test(any_of_several),
      cmocka_unit_test(orphans_do_not_keep_us),
      cmocka_unit_test(stopping_all),
      cmocka_unit_test(time_limits),
      cmocka_unit_test(faults),
  };
  return cmocka_run_group_tests(tests, folder_create, folder_remove);
}

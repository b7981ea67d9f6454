/* The loader of plug-ins, and what the door does without one, with one that fits, with one that
   does not. The plug-in is tests/plugins/fake.c. */
#include <limits.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/oracle/harness.h"

static struct error error;
static char fake[PATH_MAX];

static void use(const char *plugin, const char *fault) {
  assert_int_equal(setenv("ROPETOOL_CUDA_PLUGIN", plugin, 1), 0);
  assert_int_equal(setenv("FAKE_PLUGIN", fault, 1), 0);
}

/* `cuda` says what is wrong; `auto` takes the CPU and knows the same reason. */
static void expect_refusal(const char *part) {
  struct backend *backend;
  assert_refused(backend_open("cuda", &backend, &error), ERROR_FAILED, part);
  assert_int_equal(strncmp(error.message, "no CUDA device: ", 16), 0);
  assert_null(backend);
  assert_int_equal(backend_open("cuda", &backend, NULL), ERROR_FAILED);
  error.message[0] = '\0';
  assert_done(backend_open("auto", &backend, &error));
  assert_string_equal(error.message, "");
  assert_string_equal(backend_name(backend), "cpu");
  assert_non_null(backend_reason(backend));
  if (!strstr(backend_reason(backend), part))
    fail_msg("no '%s' in: %s", part, backend_reason(backend));
  backend_close(backend);
}

static void nowhere(void **state) {
  (void)state;
  use("", "");
  expect_refusal("neither beside the program nor in ../lib/ropetool/");
  use("./no such.so", "");
  expect_refusal("cannot load the plug-in './no such.so'");
}

static void no_library(void **state) {
  (void)state;
  use("./Makefile", "");
  expect_refusal("cannot load the plug-in './Makefile'");
  use("libm.so.6", ""); /* a library, but no plug-in */
  expect_refusal("'libm.so.6': it does not export ropetool_operations");
}

static void another_version(void **state) {
  (void)state;
  use(fake, "version");
  expect_refusal("this program needs version");
  use(fake, "size");
  expect_refusal("bytes, this program needs");
  use(fake, "table");
  expect_refusal("it has no table");
}

static void no_device(void **state) {
  (void)state;
  use(fake, "device");
  expect_refusal("no CUDA device: the fake has none");
}

static void expect_survey(enum cuda_state state, const char *plugin, const char *part) {
  static struct cuda_survey survey;
  memset(&survey, 1, sizeof survey);
  error.message[0] = '\0';
  backend_survey_cuda(&survey, &error);
  assert_int_equal(survey.state, state);
  assert_string_equal(survey.plugin, plugin);
  assert_true(!survey.driver && !survey.runtime && !survey.blas && !survey.blas_version);
  assert_int_equal(survey.devices, state == CUDA_WORKS);
  if (!strstr(error.message, part)) fail_msg("no '%s' in: %s", part, error.message);
}

/* How far one gets; of a plug-in that cannot say there is one device, of which nothing is known. */
static void surveys(void **state) {
  (void)state;
  struct backend *backend;
  use("", "");
  expect_survey(CUDA_NO_PLUGIN, "", "neither beside the program");
  use("./no such.so", "");
  expect_survey(CUDA_BAD_PLUGIN, "./no such.so", "cannot load the plug-in");
  use(fake, "version");
  expect_survey(CUDA_BAD_PLUGIN, fake, "this program needs version");
  use(fake, "");
  expect_survey(CUDA_WORKS, fake, "");
  assert_done(backend_open_gpu(0, &backend, &error));
  assert_string_equal(backend_name(backend), "fake GPU");
  backend_close(backend);
  use(fake, "device");
  assert_refused(backend_open_gpu(0, &backend, &error), ERROR_FAILED, "the fake has none");
  assert_null(backend);
  char *name = malloc(2 * CUDA_PLUGIN_PATH);
  memset(name, 'x', 2 * CUDA_PLUGIN_PATH - 1);
  name[2 * CUDA_PLUGIN_PATH - 1] = '\0';
  use(name, "");
  expect_refusal("its name is too long");
  free(name);
}

/* The processor's own operations are not asked for: the plug-in is not even looked at. */
static void not_wanted(void **state) {
  (void)state;
  use("./no such.so", "");
  struct backend *backend;
  assert_done(backend_open("cpu", &backend, &error));
  assert_null(backend_reason(backend));
  backend_close(backend);
}

/* What a plug-in has, it does; the rest is the CPU's, to the bit. */
static void taken(void **state) {
  (void)state;
  static const char *const devices[] = {"cuda", "auto"};
  for (size_t d = 0; d < COUNT_OF(devices); d++) {
    use("", "");
    struct backend *cpu, *cuda;
    assert_done(backend_open("cpu", &cpu, &error));
    use(fake, "");
    assert_done(backend_open(devices[d], &cuda, &error));
    assert_string_equal(backend_name(cuda), "fake GPU");
    assert_null(backend_reason(cuda));
    double number[2] = {0}, bound[3], expected[9], map[9];
    assert_done(
        backend_gaussian(cuda, &(struct gaussian_batch){.count = 2, .output = number}, &error));
    assert_true(number[0] == 42 && number[1] == 42);
    struct phases phases = phases_of(3, 10000, PRECISION_FP64);
    const int64_t position[3] = {0, 1, 1 << 30};
    struct phase_map_batch batch = {.phases = phases,
                                    .quantity = PHASE_SINE,
                                    .rows = 3,
                                    .position = position,
                                    .output = expected};
    assert_done(backend_phase_map(cpu, &batch, &error));
    batch.output = map;
    assert_done(backend_phase_map(cuda, &batch, &error));
    assert_memory_equal(map, expected, sizeof map);
    const struct decay_batch decay = {
        .phases = phases, .count = 3, .distance = position, .bound = bound};
    assert_done(backend_decay_bound(cuda, &decay, &error));
    assert_true(bound[0] == 6); /* 1 + 2 + 3 */
    batch.position = NULL;      /* refused at the door, whoever would do it */
    assert_refused(backend_phase_map(cuda, &batch, &error), ERROR_FAILED, "'position' is missing");
    backend_close(cuda);
    backend_close(cpu);
    phases_free(&phases);
  }
}

/* Runs bin/copy in `folder`; its exit status. */
static int run_copy(const char *folder) {
  char path[PATH_MAX + 16];
  snprintf(path, sizeof path, "%s/bin/copy", folder);
  const pid_t child = fork();
  if (child == 0) {
    use("", "");
    execl(path, path, "name", (char *)NULL);
    _exit(127);
  }
  int status = -1;
  assert_true(child > 0 && waitpid(child, &status, 0) == child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Two folders are searched: this program under another name finds the plug-in there. */
static void beside_the_program(void **state) {
  (void)state;
  static const struct {
    const char *made, *made_below, *plugin;
  } places[] = {{"bin", "bin", "bin/ropetool_cuda.so"},
                {"lib", "lib/ropetool", "lib/ropetool/ropetool_cuda.so"}};
  char self[PATH_MAX] = "", folder[PATH_MAX], here[PATH_MAX];
  assert_true(readlink("/proc/self/exe", self, sizeof self - 1) > 0);
  for (size_t i = 0; i < COUNT_OF(places); i++) {
    /* In the build folder, where a hard link to this program can be. */
    snprintf(folder, sizeof folder, "%.*s-XXXXXX", PATH_MAX - 16, self);
    assert_non_null(mkdtemp(folder));
    assert_true(getcwd(here, sizeof here) && !chdir(folder));
    assert_true(!mkdir("bin", 0777) && !link(self, "bin/copy"));
    assert_true(!mkdir(places[i].made, 0777) || !i);
    assert_true(!mkdir(places[i].made_below, 0777) || !i);
    assert_int_equal(symlink(fake, places[i].plugin), 0);
    const int status = run_copy(folder);
    assert_true(!unlink(places[i].plugin) && !unlink("bin/copy"));
    if (i) assert_true(!rmdir(places[i].made_below) && !rmdir(places[i].made));
    assert_true(!rmdir("bin") && !chdir(here) && !rmdir(folder));
    if (status) fail_msg("not found as %s: status %d", places[i].plugin, status);
  }
}

/* With an argument: whether device cuda is the fake. */
static int is_found(void) {
  struct backend *backend;
  if (backend_open("cuda", &backend, &error)) return 1;
  const int status = strcmp(backend_name(backend), "fake GPU") ? 2 : 0;
  backend_close(backend);
  return status;
}

int main(int argc, char **argv) {
  (void)argv;
  if (argc > 1) return is_found();
  const char *build = getenv("BUILD");
  char relative[PATH_MAX];
  snprintf(relative, sizeof relative, "%s/tests/plugins/fake.so", build ? build : "build");
  if (!realpath(relative, fake)) {
    printf("Bail out! no %s\n", relative);
    return 1;
  }
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nowhere),         cmocka_unit_test(no_library),
      cmocka_unit_test(another_version), cmocka_unit_test(no_device),
      cmocka_unit_test(surveys),         cmocka_unit_test(not_wanted),
      cmocka_unit_test(taken),           cmocka_unit_test(beside_the_program),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

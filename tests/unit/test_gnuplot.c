#include "tests/unit/ground.h"

#include <signal.h>
#include <time.h>

#include "lib/figure/gnuplot.h"

/* A shell script in the folder that stands for gnuplot. */
static void use_fake(const char *text) {
  const char *path = write_text("fake", text);
  assert_int_equal(chmod(path, 0755), 0);
  assert_int_equal(setenv("ROPETOOL_GNUPLOT", path, 1), 0);
}

static int use_real(void **state) {
  (void)state;
  return unsetenv("ROPETOOL_GNUPLOT");
}

/* The value of an environment variable, to be released with free(); NULL: not set. */
static char *copy_of(const char *variable) {
  const char *value = getenv(variable);
  return value ? strdup(value) : NULL;
}

static int run(const char *script, struct blob *picture, struct error *error) {
  const struct gnuplot_job job = {
      .script = script, .data = "1 2\n3 4\n", .data_size = 8, .terminal = "pngcairo"};
  return gnuplot_run(&job, picture, NULL, error);
}

static int run_tex(const char *script, struct blob *picture, struct blob *tex,
                   struct error *error) {
  const struct gnuplot_job job = {
      .script = script, .data = "", .terminal = "cairolatex", .tex_graphic = "my figure"};
  return gnuplot_run(&job, picture, tex, error);
}

static const char echo_data[] =
    "set print '-'\n"
    "do for [i=1:2] { stats datafile using 2 nooutput; print STATS_sum }\n";

static void reads_its_data_twice(void **state) {
  (void)state;
  struct blob picture;
  struct error error;
  if (run(echo_data, &picture, &error)) fail_msg("%s", error.message);
  assert_int_equal(picture.size, 8);
  assert_memory_equal(picture.data, "6.0\n6.0\n", 8);
  free(picture.data);
}

static void takes_large_data_and_gives_large_pictures(void **state) {
  (void)state;
  enum { COUNT = 1 << 20 };
  float *cells = calloc(COUNT, sizeof *cells);
  assert_non_null(cells);
  uint64_t seed = 1;
  for (size_t i = 0; i < COUNT; i++)
    cells[i] = (float)(next_random(&seed) >> 40);
  const struct gnuplot_job job = {
      .script = "set terminal pngcairo size 1200,1200\nplot datafile binary array=(1024,1024) "
                "format='%float32' using 1 with image\n",
      .data = cells,
      .data_size = COUNT * sizeof *cells,
      .terminal = "pngcairo"};
  struct blob picture;
  struct error error;
  const int code = gnuplot_run(&job, &picture, NULL, &error);
  free(cells);
  if (code) fail_msg("%s", error.message);
  assert_true(picture.size > 100000);
  assert_memory_equal(picture.data, "\x89PNG\r\n\x1a\n", 8);
  assert_memory_equal(picture.data + picture.size - 8, "IEND", 4);
  free(picture.data);
}

/* A picture with something left out is none; what libraries say of fonts does not matter. */
static void warnings_are_failures(void **state) {
  (void)state;
  struct blob picture;
  struct error error;
  assert_int_equal(run("set terminal pngcairo\nplot datafile binary array=(1,1) format='%float64' "
                       "using 1 with image\n",
                       &picture, &error),
                   ERROR_FAILED);
  assert_message(&error, "gnuplot drew the figure with a warning: Image grid must be at least");
  assert_null(picture.data);
  use_fake(
      "#!/bin/sh\necho 'Warning: empty cb range [0:0], adjusting to [-1:1]' >&2\necho picture\n");
  assert_int_equal(run("", &picture, &error), ERROR_FAILED);
  assert_message(&error, "with a warning: empty cb range [0:0]");
  use_fake("#!/bin/sh\necho 'Fontconfig warning: no <cachedir>' >&2\n"
           "echo '(process:1): Pango-WARNING **: 12:00: warning: odd' >&2\necho picture\n");
  assert_int_equal(run("", &picture, &error), OK);
  assert_int_equal(picture.size, 8);
  free(picture.data);
}

static void tells_its_version(void **state) {
  (void)state;
  char version[64];
  struct error error;
  if (gnuplot_version(version, &error)) fail_msg("%s", error.message);
  assert_non_null(strstr(version, " patchlevel "));
  assert_true(version[0] >= '5');
  use_fake("#!/bin/sh\nexit 0\n");
  assert_int_equal(gnuplot_version(version, &error), ERROR_FAILED);
  assert_message(&error, "does not tell its version");
}

static void environment_is_clean(void **state) {
  (void)state;
  setenv("GNUTERM", "no such terminal", 1);
  setenv("SECRET", "x", 1);
  struct blob picture;
  struct error error;
  if (run(echo_data, &picture, &error)) fail_msg("%s", error.message);
  free(picture.data);
  use_fake("#!/bin/sh\nenv; for f in /proc/self/fd/*; do echo \"${f##*/}\"; done\n");
  const int inherited = 77;
  assert_int_equal(dup2(STDERR_FILENO, inherited), inherited);
  if (run("", &picture, &error)) fail_msg("%s", error.message);
  picture.data[picture.size - 1] = '\0';
  assert_null(strstr(picture.data, "GNUTERM"));
  assert_null(strstr(picture.data, "SECRET"));
  assert_non_null(strstr(picture.data, "LC_ALL=C.UTF-8"));
  assert_non_null(strstr(picture.data, "\n4"));
  assert_null(strstr(picture.data, "\n77\n"));
  close(inherited);
  free(picture.data);
  unsetenv("GNUTERM");
  unsetenv("SECRET");
}

static void startup_files_are_not_read(void **state) {
  (void)state;
  char *home = copy_of("HOME");
  write_text(".gnuplot", "print 'startup file'\nexit status 3\n");
  setenv("HOME", folder, 1);
  struct blob picture;
  struct error error;
  const int code = run(echo_data, &picture, &error);
  if (home) setenv("HOME", home, 1);
  free(home);
  if (code) fail_msg("%s", error.message);
  free(picture.data);
}

/* What each kind of fault is called. */
static void says_what_went_wrong(void **state) {
  (void)state;
  static const struct {
    const char *script, *message;
  } faults[] = {
      {"#!/bin/sh\nexit 7\n", "gnuplot failed with status 7: no reason given"},
      {"#!/bin/sh\necho; echo ' plot it' >&2; exit 1\n", "gnuplot failed with status 1: plot it"},
      {"#!/bin/sh\nprintf 'plot x y\\n     ^\\n\"/dev/fd/4\" line 3: warning: odd\\n\"/dev/fd/4\" "
       "line 4: "
       "undefined variable: y\\n' >&2; exit 1\n",
       "gnuplot failed with status 1: undefined variable: y"},
      {"#!/bin/sh\nexit 0\n", "gnuplot made no picture"},
      {"#!/bin/sh\nkill -9 $$\n", "gnuplot was killed by signal 9"},
      {"#!/bin/sh\nkill -TERM $$\n", "gnuplot was killed by signal 15"},
      {"#!/bin/sh\necho '\"/dev/fd/4\" line 1: unknown or ambiguous terminal type; type just ...' "
       ">&2; exit 1\n",
       "terminal 'pngcairo' is not in this gnuplot; install gnuplot-nox or gnuplot-qt"},
      {"#!/bin/sh\necho '\"/dev/fd/4\" line 9: ropetool: no fonts' >&2; exit 1\n", "no fonts"},
      {"#!/no/such/shell\n", "cannot run"},
  };
  for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
    struct blob picture = {(char *)1, 1};
    struct error error;
    use_fake(faults[i].script);
    assert_int_equal(run("", &picture, &error), ERROR_FAILED);
    assert_message(&error, faults[i].message);
    assert_null(picture.data);
  }
}

static void says_when_it_is_missing(void **state) {
  (void)state;
  struct blob picture;
  struct error error;
  setenv("ROPETOOL_GNUPLOT", "/no/such/gnuplot", 1);
  assert_int_equal(run("", &picture, &error), ERROR_FAILED);
  assert_string_equal(error.message,
                      "cannot run '/no/such/gnuplot': not found; install the package gnuplot-nox");
  unsetenv("ROPETOOL_GNUPLOT");
  char *path = copy_of("PATH");
  setenv("PATH", folder, 1);
  const int code = run("", &picture, &error);
  write_text("gnuplot", "#!/bin/sh\necho picture\n");
  chmod(path_of("gnuplot"), 0755);
  char relative[300], directory[200];
  assert_non_null(getcwd(directory, sizeof directory));
  assert_int_equal(chdir(folder), 0);
  snprintf(relative, sizeof relative, ".::%s/missing", folder);
  setenv("PATH", relative, 1);
  const int from_here = run("", &picture, NULL);
  assert_int_equal(chdir(directory), 0);
  if (path) setenv("PATH", path, 1);
  free(path);
  assert_int_equal(code, ERROR_FAILED);
  assert_string_equal(error.message,
                      "cannot run 'gnuplot': not found; install the package gnuplot-nox");
  assert_int_equal(from_here, ERROR_FAILED); /* never from where we stand */
}

static void survives_what_floods_and_what_lingers(void **state) {
  (void)state;
  struct blob picture;
  struct error error;
  use_fake("#!/bin/sh\nhead -c 300000 /dev/zero >&2; head -c 300000 /dev/zero; exit 3\n");
  assert_int_equal(run("", &picture, &error), ERROR_FAILED);
  assert_message(&error, "status 3");
  /* Its own child keeps the pipes open: the death of gnuplot counts. */
  const time_t start = time(NULL);
  use_fake("#!/bin/sh\nsleep 20 &\necho picture\n");
  if (run("", &picture, &error)) fail_msg("%s", error.message);
  assert_int_equal(picture.size, 8);
  assert_true(time(NULL) - start < 10);
  free(picture.data);
}

static void an_ignored_broken_pipe_is_not_inherited(void **state) {
  (void)state;
  struct blob picture;
  struct error error;
  void (*old)(int) = signal(SIGPIPE, SIG_IGN);
  use_fake("#!/bin/sh\n/bin/sh -c 'kill -PIPE $$; echo alive'; echo end\n");
  const int code = run("", &picture, &error);
  signal(SIGPIPE, old);
  if (code) fail_msg("%s", error.message);
  assert_int_equal(picture.size, 4);
  free(picture.data);
}

static const char tex_script[] =
    "set terminal cairolatex pdf input size 3in,2in\nplot x title 'x'\n";

static void gives_tex_and_its_pdf(void **state) {
  (void)state;
  struct blob picture, tex;
  struct error error;
  char *old = copy_of("TMPDIR");
  write_text("fake", "");
  const int files = folder_count();
  setenv("TMPDIR", folder, 1);
  if (run_tex(tex_script, &picture, &tex, &error)) fail_msg("%s", error.message);
  assert_memory_equal(picture.data, "%PDF-", 5);
  assert_non_null(strstr(tex.data, "\\def\\ropetoolgraphic{my figure}"));
  assert_non_null(strstr(tex.data, "]{\\ropetoolgraphic}}"));
  assert_true(gnuplot_tex_includes(tex.data, tex.size, "my figure"));
  assert_false(gnuplot_tex_includes(tex.data, tex.size, "my"));
  assert_false(gnuplot_tex_includes(tex.data, tex.size, "my figure of mine"));
  for (size_t size = 0; size < tex.size / 2; size++) /* cut files */
    gnuplot_tex_includes(tex.data, size, "my figure");
  assert_false(gnuplot_tex_includes("", 0, ""));
  assert_null(memmem(tex.data, tex.size, "{figure}", 8));
  assert_int_equal(folder_count(), files);
  free(picture.data);
  free(tex.data);
  /* The folder goes also when the run fails or makes one file alone. */
  assert_int_equal(run_tex("exit status 2\n", &picture, &tex, &error), ERROR_FAILED);
  assert_int_equal(run_tex("print 'x'\n", &picture, &tex, &error), ERROR_FAILED);
  assert_message(&error, "no picture");
  use_fake("#!/bin/sh\necho '%PDF-' >figure.pdf; printf '%s' '\\endgroup' >figure.tex\n");
  assert_int_equal(run_tex("", &picture, &tex, &error), ERROR_FAILED);
  assert_message(&error, "a part of the picture alone in '/tmp/ropetool-test-");
  use_fake("#!/bin/sh\necho '%PDF- %%EOF' >figure.pdf; echo nothing >figure.tex\n");
  assert_int_equal(run_tex("", &picture, &tex, &error), ERROR_FAILED);
  assert_message(&error, "TMPDIR may name another");
  use_fake("#!/bin/sh\necho '%PDF- %%EOF' >figure.pdf; printf '%s' '\\endgroup' >figure.tex\n");
  assert_int_equal(run_tex("", &picture, &tex, &error), ERROR_FAILED);
  assert_message(&error, "does not include");
  assert_null(picture.data);
  assert_null(tex.data);
  assert_int_equal(folder_count(), files);
  setenv("TMPDIR", "/no/such/folder", 1);
  assert_int_equal(run_tex(tex_script, &picture, &tex, &error), ERROR_FAILED);
  assert_message(&error, "/no/such/folder");
  if (old)
    setenv("TMPDIR", old, 1);
  else
    unsetenv("TMPDIR");
  free(old);
}

/* What gnuplot prints of a text that went through gnuplot_literal. */
static void assert_survives(const char *text) {
  char *literal, script[32768];
  struct error error;
  struct blob picture;
  if (gnuplot_literal(text, &literal, &error)) fail_msg("%s", error.message);
  assert_true(snprintf(script, sizeof script, "set print '-'\ntext = %s\nprint '['.text.']'\n",
                       literal) < (int)sizeof script);
  free(literal);
  if (run(script, &picture, &error)) fail_msg("%s: %s", text, error.message);
  assert_int_equal(picture.size, strlen(text) + 3);
  assert_memory_equal(picture.data + 1, text, strlen(text));
  free(picture.data);
}

static void literals_are_text_alone(void **state) {
  (void)state;
  char canary[600];
  static const char *const commands[] = {"`touch %s`",
                                         "$(touch %s)",
                                         "' . system('touch %s') . '",
                                         "'; system('touch %s'); a='",
                                         "\". system(\"touch %s\") .\"",
                                         "''; system('touch %s') #",
                                         "x'''; system('touch %s') #",
                                         "@ARG1 `touch %s` @x",
                                         "!touch %s",
                                         "| touch %s",
                                         "< touch %s"};
  for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
    char text[700], pattern[300];
    snprintf(canary, sizeof canary, "%s", path_of("canary"));
    snprintf(pattern, sizeof pattern, "%s", commands[i]);
    char *place = strstr(pattern, "%s");
    snprintf(text, sizeof text, "%.*s%s%s", (int)(place - pattern), pattern, canary, place + 2);
    assert_survives(text);
    assert_int_equal(access(canary, F_OK), -1);
  }
  static const char *const others[] = {"",
                                       " ",
                                       "'",
                                       "''",
                                       "'''",
                                       "a'b''c'''d''''",
                                       "\\",
                                       "\\'",
                                       "a_b^{c} &~@ %d %%",
                                       "α θ 旋转 🌀",
                                       "# no comment",
                                       "\"",
                                       "\\n"};
  for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
    assert_survives(others[i]);
  char longest[5001];
  memset(longest, 'x', 5000);
  longest[5000] = '\0';
  assert_survives(longest);
}

static void literals_refuse_controls_and_what_is_not_utf8(void **state) {
  (void)state;
  static const char *const bad[] = {"a\nsystem('x')", "\r",           "\t",
                                    "\x1b[31m",       "\x7f",         "\xff",
                                    "\xc0\xa7",       "\xed\xa0\x80", "\xe2\x82"};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    char *literal = NULL;
    struct error error;
    assert_int_equal(gnuplot_literal(bad[i], &literal, &error), ERROR_INPUT);
    assert_message(&error, i < 5 ? "control character" : "not UTF-8");
    assert_null(literal);
  }
}

/* One that hangs is stopped; the next run has no limit again. */
static void is_stopped_when_its_time_is_over(void **state) {
  (void)state;
  struct error error = {0};
  struct blob picture, tex;
  char version[64];
  use_fake("#!/bin/sh\nexec sleep 20\n");
  gnuplot_set_time_limit(1);
  assert_int_equal(run(echo_data, &picture, &error), ERROR_FAILED);
  assert_message(&error, "gnuplot had not ended after 1 s and was stopped");
  assert_int_equal(run_tex(echo_data, &picture, &tex, &error), ERROR_FAILED);
  assert_message(&error, "after 1 s");
  assert_null(picture.data);
  gnuplot_set_time_limit(0);
  unsetenv("ROPETOOL_GNUPLOT");
  assert_int_equal(gnuplot_version(version, &error), OK);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(reads_its_data_twice, use_real),
      cmocka_unit_test_setup(takes_large_data_and_gives_large_pictures, use_real),
      cmocka_unit_test_setup_teardown(warnings_are_failures, use_real, use_real),
      cmocka_unit_test_setup(tells_its_version, use_real),
      cmocka_unit_test_setup(environment_is_clean, use_real),
      cmocka_unit_test_setup(startup_files_are_not_read, use_real),
      cmocka_unit_test_setup(says_what_went_wrong, use_real),
      cmocka_unit_test_setup(says_when_it_is_missing, use_real),
      cmocka_unit_test_setup(is_stopped_when_its_time_is_over, use_real),
      cmocka_unit_test_setup(survives_what_floods_and_what_lingers, use_real),
      cmocka_unit_test_setup(an_ignored_broken_pipe_is_not_inherited, use_real),
      cmocka_unit_test_setup(gives_tex_and_its_pdf, use_real),
      cmocka_unit_test_setup(literals_are_text_alone, use_real),
      cmocka_unit_test_setup(literals_refuse_controls_and_what_is_not_utf8, use_real),
  };
  return cmocka_run_group_tests(tests, folder_create, folder_remove);
}

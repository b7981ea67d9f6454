#include "lib/figure/gnuplot_process.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/memory.h"
#include "lib/base/process.h"

static int time_limit; /* seconds; 0: none */

void gnuplot_set_time_limit(int seconds) {
  time_limit = seconds;
}

static int is_program(const char *path) {
  return path[0] == '/' && access(path, X_OK) == 0;
}

/* The absolute path of the program. Relative folders of PATH are passed over: what is run must not
   depend on where we stand. */
int gnuplot_find(char path[GNUPLOT_PATH], struct error *error) {
  const size_t capacity = GNUPLOT_PATH;
  const char *name = getenv("ROPETOOL_GNUPLOT");
  if (!name || !*name) name = "gnuplot";
  if (strchr(name, '/')) {
    if (snprintf(path, capacity, "%s", name) < (int)capacity && is_program(path)) return OK;
  } else {
    const char *folders = getenv("PATH");
    if (!folders || !*folders) folders = "/usr/local/bin:/usr/bin:/bin";
    while (*folders) {
      const int length = (int)strcspn(folders, ":");
      if (snprintf(path, capacity, "%.*s/%s", length, folders, name) < (int)capacity &&
          is_program(path))
        return OK;
      folders += length + (folders[length] == ':');
    }
  }
  return error_set(error, ERROR_FAILED,
                   "cannot run '%s': not found; install the package gnuplot-nox", name);
}

/* The variables that gnuplot and its text library need. Not among them is GNUTERM: a bad one breaks
   every plot. The block is one allocation. */
static char **clean_environment(struct error *error) {
  static const char *const kept[] = {"PATH",
                                     "HOME",
                                     "TMPDIR",
                                     "XDG_DATA_HOME",
                                     "XDG_CACHE_HOME",
                                     "XDG_CONFIG_HOME",
                                     "FONTCONFIG_FILE",
                                     "FONTCONFIG_PATH",
                                     "FONTCONFIG_SYSROOT"};
  enum { KEPT = sizeof kept / sizeof kept[0] };
  /* A PDF's date has the time zone in it. */
  static const char fixed[][16] = {"LC_ALL=C.UTF-8", "TZ=UTC0"};
  enum { FIXED = sizeof fixed / sizeof fixed[0] };
  size_t size = sizeof fixed;
  for (size_t i = 0; i < KEPT; i++) {
    const char *value = getenv(kept[i]);
    if (value) size += strlen(kept[i]) + strlen(value) + 2;
  }
  char **environment =
      memory_array(1, (KEPT + FIXED + 1) * sizeof *environment + size, "an environment", error);
  if (!environment) return NULL;
  char *text = (char *)(environment + KEPT + FIXED + 1), **next = environment;
  for (size_t i = 0; i < FIXED; i++, text += sizeof fixed[0])
    *next++ = strcpy(text, fixed[i]);
  for (size_t i = 0; i < KEPT; i++) {
    const char *value = getenv(kept[i]);
    if (!value) continue;
    *next++ = text;
    text += sprintf(text, "%s=%s", kept[i], value) + 1;
  }
  return environment;
}

int gnuplot_process_run(const struct blob *script, const struct blob *data, const char *folder,
                        struct gnuplot_result *result, struct error *error) {
  char program[GNUPLOT_PATH];
  *result = (struct gnuplot_result){0};
  int code = gnuplot_find(program, error);
  if (code) return code;
  if (access("/dev/fd", X_OK))
    return error_set(error, ERROR_FAILED,
                     "cannot give gnuplot its script: there is no '/dev/fd'; mount /proc");
  char **environment = clean_environment(error);
  if (!environment) return ERROR_FAILED;
  char *const arguments[] = {(char *)"gnuplot", (char *)"-d", (char *)"-c", (char *)"/dev/fd/4",
                             NULL};
  const struct process_input inputs[] = {{data->data, data->size}, {script->data, script->size}};
  const struct process_start start = {.program = program,
                                      .arguments = arguments,
                                      .environment = environment,
                                      .folder = folder,
                                      .inputs = inputs,
                                      .input_count = 2,
                                      .stop_signal = SIGKILL,
                                      .time_limit = time_limit};
  struct process *process;
  struct process_outcome outcome;
  size_t ended;
  code = process_open(&start, &process, error);
  free(environment);
  if (code) return code;
  code = process_wait_any(&process, 1, &ended, error);
  if (code)
    process_kill(process);
  else
    code = process_close(process, &outcome, error);
  if (code) return code;
  if (outcome.out_of_time) {
    free(outcome.output);
    return error_set(error, ERROR_FAILED, "gnuplot had not ended after %d s and was stopped",
                     time_limit);
  }
  result->output = (struct blob){outcome.output, outcome.output_size};
  memcpy(result->complaint, outcome.complaint, sizeof result->complaint);
  result->status = outcome.status;
  return OK;
}

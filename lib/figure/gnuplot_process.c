#include "lib/figure/gnuplot_process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/base/memory.h"

/* Descriptors of the process beyond the standard three. */
enum { CHILD_DATA = 3, CHILD_SCRIPT = 4 };

/* Ours: all closed on exec; the process gets copies. */
enum { IN_NULL, IN_DATA, IN_SCRIPT, OUT_READ, OUT_WRITE, ERR_READ, ERR_WRITE, DESCRIPTORS };

/* The process that runs now, 0 when none does; read by gnuplot_stop(). */
static _Atomic pid_t running;

void gnuplot_stop(void) {
  const pid_t child = atomic_load(&running);
  if (child <= 0) return;
  kill(child, SIGKILL);
  waitpid(child, NULL, 0);
}

static int is_program(const char *path) {
  return path[0] == '/' && access(path, X_OK) == 0;
}

/* The absolute path of the program. Relative folders of PATH are passed over: what is run must not
   depend on where we stand. */
static int find_program(char *path, size_t capacity, struct error *error) {
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

/* A file in memory that holds `content`, above the descriptors that the process uses. */
static int memory_file(const struct blob *content) {
  const int low = memfd_create("ropetool", MFD_CLOEXEC);
  if (low < 0) return -1;
  const int file = fcntl(low, F_DUPFD_CLOEXEC, CHILD_SCRIPT + 1);
  close(low);
  for (size_t done = 0; file >= 0 && done < content->size;) {
    const ssize_t size = pwrite(file, content->data + done, content->size - done, (off_t)done);
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) {
      close(file);
      return -1;
    }
    done += (size_t)size;
  }
  return file;
}

static int open_pipe(int *read_end, int *write_end) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC)) return -1;
  *read_end = fcntl(ends[0], F_DUPFD_CLOEXEC, CHILD_SCRIPT + 1);
  *write_end = fcntl(ends[1], F_DUPFD_CLOEXEC, CHILD_SCRIPT + 1);
  close(ends[0]);
  close(ends[1]);
  return *read_end < 0 || *write_end < 0 || fcntl(*read_end, F_SETFL, O_NONBLOCK);
}

static void close_descriptor(int *descriptor) {
  if (*descriptor >= 0) close(*descriptor);
  *descriptor = -1;
}

static int open_descriptors(const struct blob *script, const struct blob *data,
                            int fds[DESCRIPTORS], struct error *error) {
  for (int i = 0; i < DESCRIPTORS; i++)
    fds[i] = -1;
  fds[IN_DATA] = memory_file(data);
  fds[IN_SCRIPT] = memory_file(script);
  const int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
  fds[IN_NULL] = fcntl(null, F_DUPFD_CLOEXEC, CHILD_SCRIPT + 1);
  if (null >= 0) close(null);
  if (fds[IN_NULL] < 0 || fds[IN_DATA] < 0 || fds[IN_SCRIPT] < 0 ||
      open_pipe(&fds[OUT_READ], &fds[OUT_WRITE]) || open_pipe(&fds[ERR_READ], &fds[ERR_WRITE]))
    return error_set(error, ERROR_FAILED, "cannot run gnuplot: %s", strerror(errno));
  return OK;
}

/* Starts the program; the signals that a caller may ignore or block are as they should be in it. */
static int spawn(const char *program, const char *folder, const int fds[DESCRIPTORS], pid_t *child,
                 struct error *error) {
  char **environment = clean_environment(error);
  if (!environment) return ERROR_FAILED;
  char *const arguments[] = {(char *)"gnuplot", (char *)"-d", (char *)"-c", (char *)"/dev/fd/4",
                             NULL};
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  sigset_t none, defaults;
  sigemptyset(&none);
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGPIPE);
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  int code = folder ? posix_spawn_file_actions_addchdir_np(&actions, folder) : 0;
  const int copies[][2] = {{fds[IN_NULL], STDIN_FILENO},
                           {fds[OUT_WRITE], STDOUT_FILENO},
                           {fds[ERR_WRITE], STDERR_FILENO},
                           {fds[IN_DATA], CHILD_DATA},
                           {fds[IN_SCRIPT], CHILD_SCRIPT}};
  for (size_t i = 0; !code && i < sizeof copies / sizeof copies[0]; i++)
    code = posix_spawn_file_actions_adddup2(&actions, copies[i][0], copies[i][1]);
  if (!code) code = posix_spawn_file_actions_addclosefrom_np(&actions, CHILD_SCRIPT + 1);
  if (!code) code = posix_spawn(child, program, &actions, &attributes, arguments, environment);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  free(environment);
  return code ? error_set(error, ERROR_FAILED, "cannot run '%s': %s", program, strerror(code)) : OK;
}

/* Appends what is there to read. 1: more may come; 0: the end; -1: out of memory. */
static int drain(int descriptor, struct blob *blob, size_t *capacity) {
  for (;;) {
    if (blob->size == *capacity) {
      const size_t larger = *capacity ? 2 * *capacity : 1 << 18;
      char *data = realloc(blob->data, larger);
      if (!data) return -1;
      blob->data = data;
      *capacity = larger;
    }
    const ssize_t size = read(descriptor, blob->data + blob->size, *capacity - blob->size);
    if (size == 0) return 0;
    if (size < 0) return errno == EAGAIN || errno == EINTR;
    blob->size += (size_t)size;
  }
}

/* Keeps the start of the complaint and reads the rest away, so that the process never waits for us.
 */
static int drain_complaint(int descriptor, char *text, size_t capacity) {
  char rest[4096];
  const size_t used = strlen(text), room = capacity - 1 - used;
  const ssize_t size = read(descriptor, room ? text + used : rest, room ? room : sizeof rest);
  if (size > 0 && room) {
    text[used + (size_t)size] = '\0';
    for (char *c = text + used; c < text + used + size; c++)
      if (!*c) *c = '?';
  }
  return size > 0 || (size < 0 && (errno == EAGAIN || errno == EINTR));
}

/* Reads both pipes until they are closed, or until the process has died and nothing is left in
   them: a child of its own may hold them open. */
static int listen(int fds[DESCRIPTORS], int process, struct gnuplot_result *result,
                  struct error *error) {
  size_t capacity = 0;
  int alive = 1;
  while (fds[OUT_READ] >= 0 || fds[ERR_READ] >= 0) {
    struct pollfd polls[] = {
        {fds[OUT_READ], POLLIN, 0}, {fds[ERR_READ], POLLIN, 0}, {alive ? process : -1, POLLIN, 0}};
    const int events = poll(polls, 3, alive ? -1 : 0);
    if (events < 0 && errno == EINTR) continue;
    if (events < 0)
      return error_set(error, ERROR_FAILED, "cannot wait for gnuplot: %s", strerror(errno));
    if (events == 0) break;
    if (polls[2].revents) alive = 0;
    if (polls[0].revents) {
      const int more = drain(fds[OUT_READ], &result->output, &capacity);
      if (more < 0) return error_set(error, ERROR_FAILED, "no memory for the picture");
      if (!more) close_descriptor(&fds[OUT_READ]);
    }
    if (polls[1].revents &&
        !drain_complaint(fds[ERR_READ], result->complaint, sizeof result->complaint))
      close_descriptor(&fds[ERR_READ]);
  }
  return OK;
}

int gnuplot_process_run(const struct blob *script, const struct blob *data, const char *folder,
                        struct gnuplot_result *result, struct error *error) {
  char program[4096];
  int fds[DESCRIPTORS];
  pid_t child = 0;
  *result = (struct gnuplot_result){0};
  int code = find_program(program, sizeof program, error);
  if (code) return code;
  code = open_descriptors(script, data, fds, error);
  if (!code) code = spawn(program, folder, fds, &child, error);
  if (!code) {
    close_descriptor(&fds[OUT_WRITE]);
    close_descriptor(&fds[ERR_WRITE]);
    atomic_store(&running, child);
    int process = pidfd_open(child, 0);
    code = listen(fds, process, result, error);
    close_descriptor(&process);
    if (code) kill(child, SIGKILL);
    while (waitpid(child, &result->status, 0) < 0 && errno == EINTR)
      continue;
    atomic_store(&running, 0);
  }
  for (int i = 0; i < DESCRIPTORS; i++)
    close_descriptor(&fds[i]);
  if (code) {
    free(result->output.data);
    result->output = (struct blob){0};
  }
  return code;
}

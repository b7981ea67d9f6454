#include "lib/base/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/memory.h"

extern char **environ;

enum {
  FIRST_INPUT = 3,
  OUR_LOWEST = FIRST_INPUT + PROCESS_INPUTS, /* of our ends: none stands where a copy goes */
};

struct process {
  const char *program;
  pid_t child;
  int slot;        /* in `running` */
  int handle;      /* becomes readable when it ends; -1: not known */
  int output_pipe; /* -1 once closed */
  int complaint_pipe;
  bool alive, out_of_memory;
  int64_t deadline; /* by now(); 0: none */
  size_t capacity;  /* of outcome.output */
  struct process_outcome outcome;
};

/* The processes that run now, 0 in free places; read by process_stop_all(). */
static struct {
  _Atomic pid_t child;
  _Atomic int signal;
} running[PROCESSES];

static int claim_slot(void) {
  for (int i = 0; i < PROCESSES; i++) {
    pid_t none = 0;
    if (atomic_compare_exchange_strong(&running[i].child, &none, -1)) return i;
  }
  return -1;
}

static void free_slot(int slot) {
  if (slot >= 0) atomic_store(&running[slot].child, 0);
}

void process_stop_all(void) {
  for (int i = 0; i < PROCESSES; i++) {
    const pid_t child = atomic_load(&running[i].child);
    if (child > 0) kill(child, atomic_load(&running[i].signal));
  }
  for (int i = 0; i < PROCESSES; i++) {
    const pid_t child = atomic_load(&running[i].child);
    if (child > 0) waitpid(child, NULL, 0);
  }
}

static void block_signals(sigset_t *before) {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, before);
}

static void close_descriptor(int *descriptor) {
  if (*descriptor >= 0) close(*descriptor);
  *descriptor = -1;
}

/* Moves a descriptor above those that copies go to. */
static int lift(int low) {
  const int high = low < 0 ? -1 : fcntl(low, F_DUPFD_CLOEXEC, OUR_LOWEST);
  const int number = errno;
  if (low >= 0) close(low);
  errno = number;
  return high;
}

/* A file in memory that holds `input`. */
static int memory_file(const struct process_input *input) {
  int file = lift(memfd_create("ropetool", MFD_CLOEXEC));
  for (size_t done = 0; file >= 0 && done < input->size;) {
    const ssize_t size =
        pwrite(file, (const char *)input->data + done, input->size - done, (off_t)done);
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) close_descriptor(&file);
    done += size > 0 ? (size_t)size : 0;
  }
  return file;
}

static int open_pipe(int *read_end, int *write_end) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC)) return -1;
  *read_end = lift(ends[0]);
  *write_end = lift(ends[1]);
  return *read_end < 0 || *write_end < 0 || fcntl(*read_end, F_SETFL, O_NONBLOCK) ? -1 : 0;
}

/* Milliseconds of a clock that nobody sets. */
static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)1000 * time.tv_sec + time.tv_nsec / 1000000;
}

/* Our ends of what the process gets copies of: stdin, stdout, stderr, inputs. */
struct ends {
  int list[OUR_LOWEST];
  size_t count;
};

static int open_ends(const struct process_start *start, struct process *process,
                     struct ends *ends) {
  ends->count = FIRST_INPUT + start->input_count;
  for (size_t i = 0; i < ends->count; i++)
    ends->list[i] = -1;
  ends->list[STDIN_FILENO] = lift(open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (ends->list[STDIN_FILENO] < 0 ||
      open_pipe(&process->output_pipe, &ends->list[STDOUT_FILENO]) ||
      open_pipe(&process->complaint_pipe, &ends->list[STDERR_FILENO]))
    return -1;
  for (size_t i = 0; i < start->input_count; i++) {
    ends->list[FIRST_INPUT + i] = memory_file(&start->inputs[i]);
    if (ends->list[FIRST_INPUT + i] < 0) return -1;
  }
  return 0;
}

/* The signals that we ignore or block are as they should be in it. */
static int spawn(const struct process_start *start, const struct ends *ends, pid_t *child) {
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
  int code = start->folder ? posix_spawn_file_actions_addchdir_np(&actions, start->folder) : 0;
  for (size_t i = 0; !code && i < ends->count; i++)
    code = posix_spawn_file_actions_adddup2(&actions, ends->list[i], (int)i);
  if (!code) code = posix_spawn_file_actions_addclosefrom_np(&actions, (int)ends->count);
  if (!code)
    code = posix_spawn(child, start->program, &actions, &attributes, start->arguments,
                       start->environment ? start->environment : environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  return code;
}

/* Starts it and makes it known, with no signal in between. 0 or an error number. */
static int start_known(const struct process_start *start, const struct ends *ends,
                       struct process *process) {
  sigset_t before;
  block_signals(&before);
  atomic_store(&running[process->slot].signal, start->stop_signal);
  const int code = spawn(start, ends, &process->child);
  if (!code) atomic_store(&running[process->slot].child, process->child);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return code;
}

static void release(struct process *process) {
  close_descriptor(&process->output_pipe);
  close_descriptor(&process->complaint_pipe);
  close_descriptor(&process->handle);
  free(process);
}

int process_open(const struct process_start *start, struct process **result, struct error *error) {
  *result = NULL;
  struct process *process = memory_array(1, sizeof *process, "a process", error);
  if (!process) return ERROR_FAILED;
  *process = (struct process){.program = start->program,
                              .slot = claim_slot(),
                              .handle = -1,
                              .output_pipe = -1,
                              .complaint_pipe = -1,
                              .alive = true};
  struct ends ends = {.count = 0};
  int code = process->slot < 0 ? EAGAIN : 0;
  if (!code && open_ends(start, process, &ends)) code = errno;
  if (!code) code = start_known(start, &ends, process);
  for (size_t i = 0; i < ends.count; i++)
    close_descriptor(&ends.list[i]);
  if (code) {
    free_slot(process->slot);
    release(process);
    return error_set(error, ERROR_FAILED, "cannot run '%s': %s", start->program, strerror(code));
  }
  process->handle = pidfd_open(process->child, 0);
  if (start->time_limit) process->deadline = now() + (int64_t)1000 * start->time_limit;
  *result = process;
  return OK;
}

/* Appends what is there to read. 1: more may come; 0: the end; -1: out of memory. */
static int drain_output(struct process *process) {
  struct process_outcome *outcome = &process->outcome;
  for (;;) {
    if (outcome->output_size == process->capacity) {
      const size_t larger = process->capacity ? 2 * process->capacity : 1 << 16;
      char *output = realloc(outcome->output, larger);
      if (!output) return -1;
      outcome->output = output;
      process->capacity = larger;
    }
    const ssize_t size = read(process->output_pipe, outcome->output + outcome->output_size,
                              process->capacity - outcome->output_size);
    if (size == 0) return 0;
    if (size < 0) return errno == EAGAIN || errno == EINTR;
    outcome->output_size += (size_t)size;
  }
}

/* Keeps the start of the complaint and reads the rest away, so that the process never waits for us.
 */
static bool drain_complaint(struct process *process) {
  char rest[4096], *text = process->outcome.complaint;
  const size_t used = strlen(text), room = sizeof process->outcome.complaint - 1 - used;
  const ssize_t size =
      read(process->complaint_pipe, room ? text + used : rest, room ? room : sizeof rest);
  if (size > 0 && room) {
    text[used + (size_t)size] = '\0';
    for (char *c = text + used; c < text + used + size; c++)
      if (!*c) *c = '?';
  }
  return size > 0 || (size < 0 && (errno == EAGAIN || errno == EINTR));
}

enum { POLL_OUTPUT, POLL_COMPLAINT, POLL_END, POLLS };

/* Reads what came. Pipes of a process that has died are done with when nothing is left in them: a
   child of its own may hold them open. */
static void serve(struct process *process, const struct pollfd *polls) {
  const bool was_alive = process->alive;
  if (polls[POLL_END].revents) process->alive = false;
  if (polls[POLL_OUTPUT].revents) {
    const int more = drain_output(process);
    if (more <= 0) close_descriptor(&process->output_pipe);
    if (more < 0) {
      process->out_of_memory = true;
      kill(process->child, SIGKILL);
    }
  }
  if (polls[POLL_COMPLAINT].revents && !drain_complaint(process))
    close_descriptor(&process->complaint_pipe);
  if (was_alive || polls[POLL_OUTPUT].revents || polls[POLL_COMPLAINT].revents) return;
  close_descriptor(&process->output_pipe);
  close_descriptor(&process->complaint_pipe);
}

/* Kills a process whose time is over; `*timeout` becomes at most what is left of it. */
static void keep_deadline(struct process *process, int *timeout) {
  if (!process->deadline || !process->alive) return;
  const int64_t left = process->deadline - now();
  if (left <= 0) {
    kill(process->child, SIGKILL);
    process->alive = false;
    process->outcome.out_of_time = true;
  } else if (*timeout < 0 || left < *timeout) {
    *timeout = (int)left;
  }
}

/* Fills the places of all processes; `*timeout` becomes 0 when one of them has died. The index of
   one that is done with, else `count`. */
static size_t prepare_polls(struct process *const *list, size_t count, struct pollfd *polls,
                            int *timeout) {
  *timeout = -1;
  for (size_t i = 0; i < count; i++) {
    struct process *process = list[i];
    struct pollfd *own = polls + i * POLLS;
    own[POLL_OUTPUT] = own[POLL_COMPLAINT] = own[POLL_END] = (struct pollfd){-1, POLLIN, 0};
    if (!process) continue;
    if (process->output_pipe < 0 && process->complaint_pipe < 0) return i;
    own[POLL_OUTPUT].fd = process->output_pipe;
    own[POLL_COMPLAINT].fd = process->complaint_pipe;
    keep_deadline(process, timeout);
    if (process->alive)
      own[POLL_END].fd = process->handle;
    else
      *timeout = 0;
  }
  return count;
}

int process_wait_any(struct process *const *list, size_t count, size_t *ended,
                     struct error *error) {
  struct pollfd *polls = memory_array(count, POLLS * sizeof *polls, "what processes write", error);
  if (!polls) return ERROR_FAILED;
  int status = OK, timeout;
  while ((*ended = prepare_polls(list, count, polls, &timeout)) == count) {
    const int events = poll(polls, (nfds_t)(count * POLLS), timeout);
    if (events < 0 && errno == EINTR) continue;
    if (events < 0) {
      status = error_set(error, ERROR_FAILED, "cannot wait for a process: %s", strerror(errno));
      break;
    }
    for (size_t i = 0; i < count; i++)
      if (list[i]) serve(list[i], polls + i * POLLS);
  }
  free(polls);
  return status;
}

/* Reaps it and forgets it, with no signal in between: its number may then be another's. */
static void reap(struct process *process) {
  siginfo_t info;
  sigset_t before;
  while (waitid(P_PID, (id_t)process->child, &info, WEXITED | WNOWAIT) && errno == EINTR)
    continue;
  block_signals(&before);
  waitpid(process->child, &process->outcome.status, 0);
  free_slot(process->slot);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

int process_close(struct process *process, struct process_outcome *outcome, struct error *error) {
  reap(process);
  int status = OK;
  if (process->out_of_memory) {
    status = error_set(error, ERROR_FAILED, "no memory for what '%s' wrote", process->program);
    free(process->outcome.output);
    *outcome = (struct process_outcome){.status = process->outcome.status};
  } else {
    *outcome = process->outcome;
  }
  release(process);
  return status;
}

void process_kill(struct process *process) {
  if (!process) return;
  kill(process->child, SIGKILL);
  reap(process);
  free(process->outcome.output);
  release(process);
}

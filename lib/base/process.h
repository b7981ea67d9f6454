/* Processes: the one place that starts other programs. What is started is known until it has ended,
   so that a signal leaves nothing running. */
#ifndef ROPETOOL_BASE_PROCESS_H
#define ROPETOOL_BASE_PROCESS_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/error.h"

/* Bytes that the process reads from a descriptor of its own, at any place and as often as it likes.
 */
struct process_input {
  const void *data;
  size_t size;
};

enum { PROCESS_INPUTS = 8, PROCESSES = 1024 }; /* at most: inputs of one, processes at a time */

struct process_start {
  const char *program;      /* absolute path */
  char *const *arguments;   /* its words, its own name first, NULL behind the last */
  char *const *environment; /* "NAME=value", NULL behind the last; NULL: that of this program */
  const char *folder;       /* where it runs; NULL: here */
  const struct process_input *inputs; /* its descriptors 3, 4, ... */
  size_t input_count;
  int stop_signal; /* what process_stop_all() sends it */
  int time_limit;  /* seconds after which process_wait_any() kills it; 0: none */
};

/* What a process left. */
struct process_outcome {
  char *output; /* what it wrote to stdout: free() it; NULL when nothing was */
  size_t output_size;
  char complaint[4096]; /* the start of what it wrote to stderr, without NULs */
  int status;           /* as waitpid() gives it */
  bool out_of_time;     /* it was killed for its time limit */
};

struct process;

/* Starts a program. Its stdin is empty, its stdout and stderr are read by process_wait_any(), it
   has no other descriptor of ours, and its signals are as a new program expects them. ERROR_FAILED
   when it cannot be started. */
int process_open(const struct process_start *start, struct process **result, struct error *error);

/* Reads what the `count` > 0 processes write until one of them has ended, or has no one left who
   could write; its index goes to *ended. NULLs in the list are passed over; one at least is none.
 */
int process_wait_any(struct process *const *list, size_t count, size_t *ended, struct error *error);

/* Waits for its end and releases it. The outcome is filled when all went well; ERROR_FAILED when
   there was no memory for what it wrote: it was then killed. */
int process_close(struct process *process, struct process_outcome *outcome, struct error *error);

/* Kills it and releases it; NULL is allowed. */
void process_kill(struct process *process);

/* Sends every process that runs its stop signal and waits for the end of all, so that nothing is
   written any more. For signal handlers: async-signal-safe. */
void process_stop_all(void);

#endif

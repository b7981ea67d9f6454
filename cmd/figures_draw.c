/* Running the jobs of a recipe: this program itself, several at a time. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "cmd/command.h"
#include "cmd/figures.h"
#include "lib/base/file.h"
#include "lib/base/memory.h"
#include "lib/base/process.h"
#include "lib/base/text.h"

enum { CHECK_FAILED = 3 }; /* exit status of a command whose files were written */

/* What one run shares. */
struct work {
  struct figures *figures;
  const struct figures_run *run;
  struct process **running; /* those that run, run->jobs at most */
  size_t *job_of;           /* which job each of them is */
  size_t active, told;      /* how many run; jobs whose end was reported, the first ones */
  int threads;              /* of each job */
  size_t totals[FIGURES_FAILED + 1];
};

/* Adds a line to what is said of a job. */
static void say(struct figures_job *job, const char *text, size_t length) {
  char *longer;
  const int done =
      asprintf(&longer, "%s%.*s\n", job->messages ? job->messages : "", (int)length, text);
  if (done < 0) return;
  free(job->messages);
  job->messages = longer;
}

static void fail(struct figures_job *job, const char *why) {
  job->state = FIGURES_FAILED;
  say(job, why, strlen(why));
}

/* The words of a job's process: outputs and options of ours before those of the recipe. */
static char **make_words(const struct work *work, const struct figures_job *job,
                         const char *threads, const char *memory, struct error *error) {
  const struct recipe_line *line = job->line;
  const struct figures_run *run = work->run;
  const size_t most = (size_t)line->word_count + 2 * line->output_count + 12;
  char **words = memory_array(most, sizeof *words, "a command line", error), **next = words;
  if (!words) return NULL;
  *next++ = (char *)"ropetool";
  *next++ = line->words[0];
  for (size_t i = 0; i < line->output_count; i++) {
    *next++ = (char *)"-o";
    *next++ = job->outputs[i];
  }
  const char *const ours[][2] = {{"--threads", threads},
                                 {"--device", run->device},
                                 {"--max-memory", run->memory > 0 ? memory : NULL}};
  for (size_t i = 0; i < sizeof ours / sizeof *ours; i++) {
    if (!ours[i][1]) continue;
    *next++ = (char *)(uintptr_t)ours[i][0];
    *next++ = (char *)(uintptr_t)ours[i][1];
  }
  if (run->quiet) *next++ = (char *)"--quiet";
  memcpy(next, line->words + 1, (size_t)line->word_count * sizeof *next);
  return words;
}

/* Files alone can be looked at again; a pipe without a reader would keep the job waiting. */
static int check_target(const char *path, struct error *error) {
  struct stat status;
  if (stat(path, &status) || S_ISREG(status.st_mode)) return OK;
  return error_set(error, ERROR_FAILED, "cannot write '%s': it is %s, not a regular file", path,
                   S_ISDIR(status.st_mode)    ? "a folder"
                   : S_ISFIFO(status.st_mode) ? "a pipe"
                                              : "a device");
}

/* Makes way for what a job writes. */
static int prepare_target(const char *path, struct error *error) {
  char extension[8];
  int status = figures_make_folders(path, error);
  if (!status) status = check_target(path, error);
  text_extension(path, extension);
  if (status || strcmp(extension, ".tex")) return status;
  char *pdf = text_with_extension(path, ".pdf");
  status = pdf ? check_target(pdf, error) : error_set(error, ERROR_FAILED, "out of memory: a name");
  free(pdf);
  return status;
}

static void start_job(struct work *work, size_t index) {
  struct figures_job *job = &work->figures->jobs[index];
  struct error error = {0};
  char threads[16], memory[32];
  int status = OK;
  for (size_t i = 0; !status && i < job->line->output_count; i++)
    status = prepare_target(job->outputs[i], &error);
  snprintf(threads, sizeof threads, "%d", work->threads);
  snprintf(memory, sizeof memory, "%.17g", work->run->memory / (double)work->run->jobs);
  char **words = status ? NULL : make_words(work, job, threads, memory, &error);
  const struct process_start start = {
      .program = "/proc/self/exe", .arguments = words, .stop_signal = SIGTERM};
  if (!words || process_open(&start, &work->running[work->active], &error)) {
    fail(job, error.message);
  } else {
    job->state = FIGURES_RUNNING;
    work->job_of[work->active++] = index;
  }
  free(words);
}

/* What a job's process said, line by line, without the name of the program. */
static void keep_complaint(struct figures_job *job, const char *text) {
  char name[64];
  const int length = snprintf(name, sizeof name, "ropetool %s: ", job->line->words[0]);
  while (*text) {
    const size_t whole = strcspn(text, "\n");
    const size_t skipped = strncmp(text, name, (size_t)length) ? 0 : (size_t)length;
    if (whole > skipped) say(job, text + skipped, whole - skipped);
    text += whole + (text[whole] == '\n');
  }
}

static void end_job(struct work *work, size_t place) {
  struct figures_job *job = &work->figures->jobs[work->job_of[place]];
  struct process_outcome outcome = {0};
  struct error error;
  char text[64];
  const int failed = process_close(work->running[place], &outcome, &error);
  work->active--;
  work->running[place] = work->running[work->active];
  work->job_of[place] = work->job_of[work->active];
  figures_forget_hashes(work->figures);
  job->state = FIGURES_DRAWN;
  if (failed) {
    fail(job, error.message);
    return;
  }
  keep_complaint(job, outcome.complaint);
  free(outcome.output);
  if (!outcome.status) return;
  if (WIFEXITED(outcome.status) && WEXITSTATUS(outcome.status) == CHECK_FAILED) {
    static const char why[] = "a check failed";
    job->state = FIGURES_REFUTED;
    say(job, why, sizeof why - 1);
    return;
  }
  if (WIFSIGNALED(outcome.status))
    snprintf(text, sizeof text, "ended by signal %d", WTERMSIG(outcome.status));
  else
    snprintf(text, sizeof text, "failed with status %d", WEXITSTATUS(outcome.status));
  if (job->messages && WIFEXITED(outcome.status))
    job->state = FIGURES_FAILED;
  else
    fail(job, text);
}

/* -1: what a job needs has failed; 0: it is not there yet; 1: it may start. */
static int is_ready(const struct figures *figures, const struct figures_job *job) {
  int ready = 1;
  for (size_t i = 0; i < job->need_count; i++) {
    const struct figures_job *other = &figures->jobs[job->needs[i]];
    if (!other->selected) continue;
    if (other->state == FIGURES_FAILED) return -1;
    if (other->state == FIGURES_WAITING || other->state == FIGURES_RUNNING) ready = 0;
  }
  return ready;
}

/* Whether there is nothing to do for a job. */
static bool settle_job(struct work *work, struct figures_job *job) {
  if (!job->stale && figures_current(work->figures, job) && !work->run->force) {
    job->state = FIGURES_CURRENT;
    return true;
  }
  if (!job->reason[0]) snprintf(job->reason, sizeof job->reason, "--force");
  job->stale = true;
  return false;
}

/* Settles the jobs that need no other; how many may have to be drawn. */
static size_t settle_first(struct work *work) {
  struct figures *figures = work->figures;
  size_t count = 0;
  for (size_t i = 0; i < figures->count; i++) {
    struct figures_job *job = &figures->jobs[i];
    if (job->selected && (job->need_count || !settle_job(work, job))) count++;
  }
  return count;
}

static void report_job(struct work *work, struct figures_job *job) {
  static const char *const words[] = {[FIGURES_DRAWN] = "drawn",
                                      [FIGURES_REFUTED] = "check failed",
                                      [FIGURES_CURRENT] = "up to date",
                                      [FIGURES_FAILED] = "failed"};
  const struct figures_run *run = work->run;
  const char *name = work->figures->name;
  work->totals[job->state]++;
  for (const char *text = job->messages; text && *text; text += strcspn(text, "\n") + 1) {
    struct error message; /* a recipe's name may hold what no message should */
    error_set(&message, OK, "%s:%zu: %.*s", name, job->line->number, (int)strcspn(text, "\n"),
              text);
    fprintf(stderr, "ropetool figures: %s\n", message.message);
  }
  if (run->quiet) return;
  printf("%-10s  ", words[job->state]);
  figures_write_outputs(job, true, stdout);
  if (run->verbose && job->reason[0]) printf(": %s", job->reason);
  putchar('\n');
  if (run->verbose && job->state != FIGURES_CURRENT) printf("            %s\n", job->canonical);
  fflush(stdout);
}

/* Reports the jobs that have ended, in the order of the recipe. */
static void report(struct work *work) {
  struct figures *figures = work->figures;
  for (; work->told < figures->count; work->told++) {
    struct figures_job *job = &figures->jobs[work->told];
    if (!job->selected) continue;
    if (job->state == FIGURES_WAITING || job->state == FIGURES_RUNNING) return;
    report_job(work, job);
  }
}

/* Looks at every job once, starts what may start; false when none is left that waits. */
static bool advance(struct work *work) {
  struct figures *figures = work->figures;
  bool waiting = false;
  for (size_t i = 0; i < figures->count && work->active < work->run->jobs; i++) {
    struct figures_job *job = &figures->jobs[i];
    if (!job->selected || job->state != FIGURES_WAITING) continue;
    const int ready = is_ready(figures, job);
    waiting |= ready == 0;
    if (ready > 0 && !settle_job(work, job)) start_job(work, i);
    if (ready < 0) fail(job, "what it reads was not made");
  }
  return waiting || work->active > 0;
}

/* Runs all jobs to their end, reporting as they end. */
static int run_jobs(struct work *work, struct error *error) {
  int status = OK;
  size_t ended;
  while (!status && advance(work)) {
    report(work);
    if (!work->active) continue;
    status = process_wait_any(work->running, work->active, &ended, error);
    if (!status) end_job(work, ended);
  }
  while (work->active)
    process_kill(work->running[--work->active]);
  report(work);
  return status;
}

static void report_totals(const size_t totals[FIGURES_FAILED + 1], size_t all) {
  printf("%zu figure%s: %zu drawn, ", all, all == 1 ? "" : "s", totals[FIGURES_DRAWN]);
  if (totals[FIGURES_REFUTED]) printf("%zu with a failed check, ", totals[FIGURES_REFUTED]);
  printf("%zu up to date, %zu failed\n", totals[FIGURES_CURRENT], totals[FIGURES_FAILED]);
}

int figures_draw(struct figures *figures, const struct figures_run *run, bool *refuted,
                 struct error *error) {
  struct work work = {.figures = figures, .run = run};
  work.running = memory_array(run->jobs, sizeof *work.running, "the figures", error);
  work.job_of = memory_array(run->jobs, sizeof *work.job_of, "the figures", error);
  int status = work.running && work.job_of ? OK : ERROR_FAILED;
  if (!status) {
    const size_t count = settle_first(&work), at_once = count < run->jobs ? count : run->jobs;
    work.threads = at_once && (size_t)run->threads > at_once ? run->threads / (int)at_once : 1;
    status = run_jobs(&work, error);
  }
  free(work.running);
  free(work.job_of);
  if (status) return status;
  const size_t failed = work.totals[FIGURES_FAILED];
  size_t all = 0;
  for (int state = FIGURES_DRAWN; state <= FIGURES_FAILED; state++)
    all += work.totals[state];
  if (!run->quiet) report_totals(work.totals, all);
  fflush(stdout);
  *refuted = work.totals[FIGURES_REFUTED] > 0;
  if (!failed) return OK;
  return error_set(error, ERROR_FAILED, "%zu of %zu figure%s failed", failed, all,
                   all == 1 ? "" : "s");
}

void figures_preview(struct figures *figures, const struct figures_run *run, FILE *out) {
  size_t drawn = 0, selected = 0;
  for (size_t i = 0; i < figures->count; i++) {
    struct figures_job *job = &figures->jobs[i];
    if (!job->selected) continue;
    bool current = !figures->absent && figures_current(figures, job) && !run->force;
    if (figures->absent)
      snprintf(job->reason, sizeof job->reason, "'%s' is missing", job->outputs[0]);
    for (size_t k = 0; current && k < job->need_count; k++) {
      const struct figures_job *other = &figures->jobs[job->needs[k]];
      current = !other->selected || other->state == FIGURES_CURRENT;
      if (!current) snprintf(job->reason, sizeof job->reason, "what it reads is drawn anew");
    }
    job->state = current ? FIGURES_CURRENT : FIGURES_WAITING;
    if (!current && !job->reason[0]) snprintf(job->reason, sizeof job->reason, "--force");
    selected++;
    drawn += !current;
    fprintf(out, "%-10s  ", current ? "up to date" : "to draw");
    figures_write_outputs(job, true, out);
    if (!current) fprintf(out, ": %s", job->reason);
    fputc('\n', out);
  }
  fprintf(out, "%zu figure%s: %zu to draw, %zu up to date\n", selected, selected == 1 ? "" : "s",
          drawn, selected - drawn);
}

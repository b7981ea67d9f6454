/* ropetool figures: draws every figure of a recipe that is not there as its command would make it.
 */
#include "cmd/figures.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/command.h"
#include "lib/base/file.h"
#include "lib/base/memory.h"
#include "lib/base/text.h"
#include "lib/base/thread.h"

enum { KEY_JOBS = 256, KEY_ONLY, KEY_LIST, KEY_DRY_RUN, KEY_MAKE, KEY_FORCE };

static const struct argp_option options[] = {
    {"directory", 'C', "DIR", 0,
     "where the names in the recipe lead from (default: its folder; of '-' this one)", 0},
    {"jobs", KEY_JOBS, "N", 0, "figures drawn at a time (default: the cores, or --threads)", 0},
    {"only", KEY_ONLY, "GLOB", 0,
     "the figures with such a file alone, by its whole name, its last part or what --list prints "
     "first, and the lines that they read from (may be repeated)",
     0},
    {"list", KEY_LIST, NULL, 0, "print files and commands instead", 0},
    {"dry-run", KEY_DRY_RUN, NULL, 0, "say what would be drawn, and why, instead", 0},
    {"make", KEY_MAKE, NULL, 0, "print a Makefile instead", 0},
    {"force", KEY_FORCE, NULL, 0, "draw what is up to date, too", 0},
    {0},
};

/* What is done instead of drawing; NULL: nothing. */
static int find_way(const struct invocation *invocation, const char **way, struct error *error) {
  static const char *const ways[] = {"list", "dry-run", "make"};
  *way = NULL;
  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
    if (!option_given(invocation, ways[i])) continue;
    if (*way)
      return error_set(error, ERROR_INPUT, "--%s and --%s are two ways to draw nothing: give one",
                       *way, ways[i]);
    *way = ways[i];
  }
  return OK;
}

static int read_run(const struct invocation *invocation, struct figures_run *run,
                    struct error *error) {
  enum { MOST_JOBS = 256 };
  int64_t threads = thread_available();
  if (option_integer(invocation, "threads", 1, 4096, &threads, error)) return error->code;
  int64_t jobs = threads < MOST_JOBS ? threads : MOST_JOBS;
  if (option_integer(invocation, "jobs", 1, MOST_JOBS, &jobs, error)) return error->code;
  *run = (struct figures_run){.jobs = (size_t)jobs,
                              .threads = (int)threads,
                              .force = option_given(invocation, "force"),
                              .quiet = option_given(invocation, "quiet"),
                              .verbose = option_given(invocation, "verbose"),
                              .device = option_text(invocation, "device", NULL)};
  return option_positive(invocation, "max-memory", &run->memory, error);
}

int figures_make_folders(const char *path, struct error *error) {
  char *folder = memory_text(path, error);
  if (!folder) return ERROR_FAILED;
  int status = OK;
  for (char *slash = folder; !status && (slash = strchr(slash + 1, '/'));) {
    *slash = '\0';
    if (mkdir(folder, 0777) && errno != EEXIST)
      status = error_set(error, ERROR_FAILED, "cannot make the folder '%s': %s", folder,
                         strerror(errno));
    *slash = '/';
  }
  free(folder);
  return status;
}

/* Goes where the names of a recipe lead from; where something is drawn, the folder is made. */
static int go_to(const char *folder, bool draws, bool *absent, struct error *error) {
  char *inside;
  if (asprintf(&inside, "%s/", folder) < 0)
    return error_set(error, ERROR_FAILED, "out of memory: the recipe");
  int status = draws ? figures_make_folders(inside, error) : OK;
  free(inside);
  const bool there = status || !chdir(folder);
  *absent = !there && !draws && errno == ENOENT;
  if (!there && !*absent)
    status = error_set(error, ERROR_INPUT, "cannot work in '%s': %s", folder, strerror(errno));
  return status;
}

/* Bytes of the folder in the name of a recipe. A pipe lies in none: nobody wants figures in /dev.
 */
static size_t folder_length(const char *path) {
  return strncmp(path, "/dev/", 5) ? (size_t)(file_name(path) - path) : 0;
}

/* Reads the recipe, then goes where its names lead from. */
static int open_recipe(const struct invocation *invocation, bool draws, struct figures *figures,
                       struct error *error) {
  const char *path = invocation->argument, *folder = option_text(invocation, "directory", NULL);
  char *text;
  size_t size;
  if (!path) return error_set(error, ERROR_INPUT, "no recipe given: ropetool figures RECIPE");
  const bool piped = !strcmp(path, "-");
  if (piped) path = "/dev/stdin";
  figures->name = piped ? "stdin" : path;
  int status = file_read(path, RECIPE_LIMIT, &text, &size, error);
  if (status) return status;
  status = recipe_parse(text, size, figures->name, &figures->recipe, error);
  free(text);
  if (status) return status;
  char *own = strndup(path, folder_length(path));
  if (!own) return error_set(error, ERROR_FAILED, "out of memory: the recipe");
  if (!folder && *own) folder = own;
  if (folder) status = go_to(folder, draws, &figures->absent, error);
  free(own);
  return status;
}

/* Whether --list prints `word` for the files of a job, or would without quotes. */
static int is_listed_as(const struct figures_job *job, const char *word, bool *same,
                        struct error *error) {
  *same = false;
  for (int quoted = 0; !*same && quoted < 2; quoted++) {
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out) return error_set(error, ERROR_FAILED, "out of memory: the recipe");
    figures_write_outputs(job, quoted, out);
    if (fclose(out)) return error_set(error, ERROR_FAILED, "out of memory: the recipe");
    *same = !strcmp(text, word);
    free(text);
  }
  return OK;
}

/* "./a.png" is a.png. */
static const char *without_here(const char *path) {
  while (!strncmp(path, "./", 2))
    path += 2;
  return path;
}

static int matches(const struct figures_job *job, const char *pattern, bool *same,
                   struct error *error) {
  const char *plain = without_here(pattern);
  *same = true;
  for (size_t i = 0; i < job->line->output_count; i++)
    if (!fnmatch(plain, without_here(job->outputs[i]), 0) ||
        !fnmatch(plain, file_name(job->outputs[i]), 0))
      return OK;
  return is_listed_as(job, pattern, same, error);
}

/* Keeps the figures that a pattern matches, and those that they read; a pattern without any is a
   mistake. */
static int select_jobs(const struct invocation *invocation, struct figures *figures,
                       struct error *error) {
  const char *pattern;
  if (!option_given(invocation, "only")) return OK;
  for (size_t i = 0; i < figures->count; i++)
    figures->jobs[i].selected = false;
  for (size_t cursor = 0; (pattern = option_next(invocation, "only", &cursor));) {
    bool any = false, same;
    for (size_t i = 0; i < figures->count; i++) {
      if (matches(&figures->jobs[i], pattern, &same, error)) return error->code;
      if (same) any = figures->jobs[i].selected = true;
    }
    if (!any)
      return error_set(error, ERROR_INPUT,
                       "no figure of '%s' matches --only '%s'; --list shows them", figures->name,
                       pattern);
  }
  /* A job needs earlier ones alone. */
  for (size_t i = figures->count; i-- > 0;)
    for (size_t k = 0; figures->jobs[i].selected && k < figures->jobs[i].need_count; k++)
      figures->jobs[figures->jobs[i].needs[k]].selected = true;
  return OK;
}

/* As a recipe, a line each. */
static void write_list(const struct figures *figures, FILE *out) {
  for (size_t i = 0; i < figures->count; i++) {
    const struct figures_job *job = &figures->jobs[i];
    if (!job->selected) continue;
    figures_write_outputs(job, true, out);
    fputc(' ', out);
    for (int k = 0; k < job->line->word_count; k++) {
      fputc(' ', out);
      text_quote_shell(out, job->line->words[k]);
    }
    fputc('\n', out);
  }
}

static int write_instead(struct figures *figures, const char *way, const struct figures_run *run,
                         struct result *result, struct error *error) {
  size_t size;
  int status = OK;
  FILE *out = open_memstream(&result->text, &size);
  if (!out) return error_set(error, ERROR_FAILED, "out of memory: the recipe");
  if (!strcmp(way, "list"))
    write_list(figures, out);
  else if (!strcmp(way, "make"))
    status = figures_write_makefile(figures, out, error);
  else
    figures_preview(figures, run, out);
  const bool incomplete = ferror(out);
  if ((fclose(out) || incomplete) && !status)
    status = error_set(error, ERROR_FAILED, "out of memory: the recipe");
  return status;
}

static int compute(const struct invocation *invocation, struct result *result,
                   struct error *error) {
  struct figures figures = {0};
  struct figures_run run;
  const char *way;
  int status = find_way(invocation, &way, error);
  if (!status) status = read_run(invocation, &run, error);
  if (!status) status = open_recipe(invocation, !way, &figures, error);
  if (!status) status = figures_plan(&figures, error);
  if (!status) status = select_jobs(invocation, &figures, error);
  if (!status && way) status = write_instead(&figures, way, &run, result, error);
  bool refuted = false;
  if (!status && !way) status = figures_draw(&figures, &run, &refuted, error);
  result->check_status = refuted ? 3 : 0;
  if (!status && !way && !(result->text = strdup("")))
    status = error_set(error, ERROR_FAILED, "out of memory: the recipe");
  figures_release(&figures);
  return status;
}

const struct command command_figures = {
    .name = "figures",
    .summary = "draw every figure of a recipe that is not up to date",
    .arguments = "RECIPE",
    .description = "A recipe is a text with lines 'OUT[,OUT...] COMMAND...': files and the command "
                   "that makes them. '-' is standard input.",
    .options = options,
    .compute = compute,
};

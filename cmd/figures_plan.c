/* From the lines of a recipe to jobs: everything that can be known before anything is drawn. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd/command.h"
#include "cmd/figures.h"
#include "cmd/output.h"
#include "lib/base/file.h"
#include "lib/base/memory.h"
#include "lib/base/text.h"
#include "lib/io/tensor.h"

/* "RECIPE:LINE: " before the message. */
static int at_line(const struct figures *figures, const struct figures_job *job,
                   struct error *error) {
  return error_prefix(error, "%s:%zu", figures->name, job->line->number);
}

static int out_of_memory(struct error *error) {
  return error_set(error, ERROR_FAILED, "out of memory: the recipe");
}

/* Commands that write files and are what they were typed as. */
static int find_command(struct figures_job *job, struct error *error) {
  const char *name = job->line->words[0];
  const struct command *command = command_find(name);
  if (!command)
    return error_set(error, ERROR_INPUT, "unknown command '%s'; 'ropetool help' lists them", name);
  if (!(command->groups & GROUP_OUTPUT) || command->prepare)
    return error_set(error, ERROR_INPUT,
                     "'%s' cannot stand in a recipe: it does not say what is drawn", name);
  job->invocation.command = command;
  return OK;
}

/* Only what says what is drawn belongs into a recipe. */
static int check_options(const struct invocation *invocation, struct error *error) {
  for (size_t i = 0; i < invocation->count; i++) {
    const struct option_entry *entry = &invocation->entries[i];
    if (entry->canonical) continue;
    if (!strcmp(entry->name, "output"))
      return error_set(error, ERROR_INPUT,
                       "--output '%s' cannot stand in a recipe: files stand before the command",
                       entry->value);
    return error_set(error, ERROR_INPUT,
                     "--%s cannot stand in a recipe: it does not say what is drawn", entry->name);
  }
  return OK;
}

static int parse_command(const struct figures *figures, struct figures_job *job,
                         struct error *error) {
  const struct recipe_line *line = job->line;
  struct error label; /* a name may hold what no message should */
  if (find_command(job, error)) return error->code;
  error_set(&label, OK, "ropetool figures: %s:%zu: %s", figures->name, line->number,
            line->words[0]);
  job->invocation.label = label.message;
  int status = invocation_parse(&job->invocation, line->word_count - 1, line->words + 1, error);
  job->invocation.label = NULL;
  if (!status) status = check_options(&job->invocation, error);
  if (status) return status;
  job->canonical = invocation_canonical(&job->invocation);
  return job->canonical ? OK : out_of_memory(error);
}

/* Brings what holds a provenance to the front: figures, without any JSON. */
static int order_outputs(struct figures_job *job, struct error *error) {
  const struct recipe_line *line = job->line;
  job->outputs =
      memory_array(line->output_count, sizeof *job->outputs, "the outputs of a figure", error);
  if (!job->outputs) return ERROR_FAILED;
  size_t used = 0;
  for (int round = 0; round < 3; round++)
    for (size_t i = 0; i < line->output_count; i++) {
      char extension[8];
      bool figure;
      text_extension(line->outputs[i], extension);
      if (outputs_check(&job->invocation, line->outputs[i], &figure, error)) return error->code;
      const bool json = !strcmp(extension, ".json");
      if (round != (figure ? 0 : json ? 1 : 2)) continue;
      job->outputs[used++] = line->outputs[i];
      job->figure_count += figure;
      job->has_json |= json;
    }
  return OK;
}

/* A file of a job: one that it writes, or one that it reads. */
struct use {
  char *identity;
  const char *name;
  size_t job;
  bool written;
};

struct uses {
  struct use *list;
  size_t count;
};

static int by_identity(const void *a, const void *b) {
  const struct use *first = a, *second = b;
  const int order = strcmp(first->identity, second->identity);
  if (order) return order;
  if (first->written != second->written) return second->written - first->written;
  return first->job < second->job ? -1 : first->job > second->job;
}

static int add_use(struct uses *uses, size_t job, const char *name, bool written,
                   struct error *error) {
  char *identity = file_identity(name);
  if (!identity && errno == ENOMEM) return out_of_memory(error);
  if (!identity)
    return error_set(error, ERROR_INPUT, "'%s' leads nowhere: %s", name, strerror(errno));
  uses->list[uses->count++] = (struct use){identity, name, job, written};
  return OK;
}

static size_t most_uses(const struct figures *figures) {
  size_t count = 0;
  for (size_t i = 0; i < figures->count; i++)
    count += 2 * figures->jobs[i].line->output_count + figures->jobs[i].invocation.count;
  return count;
}

static int add_job_uses(struct figures *figures, size_t index, struct uses *uses,
                        struct error *error) {
  const struct figures_job *job = &figures->jobs[index];
  int status = OK;
  for (size_t i = 0; !status && i < job->line->output_count; i++) {
    const char *name = job->outputs[i];
    char extension[8];
    status = add_use(uses, index, name, true, error);
    text_extension(name, extension);
    if (status || strcmp(extension, ".tex")) continue;
    char *pdf = text_with_extension(name, ".pdf");
    if (!pdf) return out_of_memory(error);
    status = add_use(uses, index, pdf, true, error);
    free(pdf);
    if (!status) uses->list[uses->count - 1].name = name;
  }
  for (size_t i = 0; !status && i < job->invocation.count; i++) {
    char *input = figures_input(&job->invocation.entries[i]);
    if (!input) continue;
    status = add_use(uses, index, input, false, error);
    free(input);
    if (!status) uses->list[uses->count - 1].name = job->invocation.entries[i].value;
  }
  return status;
}

/* `reader` reads what `writer` writes. */
static int add_need(struct figures *figures, const struct use *writer, const struct use *reader,
                    struct error *error) {
  struct figures_job *job = &figures->jobs[reader->job];
  if (writer->job == reader->job) {
    error_set(error, ERROR_INPUT, "'%s' is an input of its own command", writer->name);
    return at_line(figures, job, error);
  }
  if (writer->job > reader->job) {
    error_set(error, ERROR_INPUT,
              "it reads '%s', which line %zu makes: that line must come before it", reader->name,
              figures->jobs[writer->job].line->number);
    return at_line(figures, job, error);
  }
  size_t *needs = realloc(job->needs, (job->need_count + 1) * sizeof *needs);
  if (!needs) return out_of_memory(error);
  job->needs = needs;
  needs[job->need_count++] = writer->job;
  return OK;
}

/* Walks over the uses of each file: its writer, if there is one, is the first. */
static int check_uses(struct figures *figures, const struct uses *uses, struct error *error) {
  const struct use *writer = NULL;
  int status = OK;
  for (size_t i = 0; !status && i < uses->count; i++) {
    const struct use *use = &uses->list[i];
    const bool same = writer && !strcmp(writer->identity, use->identity);
    if (same && use->written) {
      status = error_set(error, ERROR_INPUT, "'%s' is written by line %zu already", use->name,
                         figures->jobs[writer->job].line->number);
      at_line(figures, &figures->jobs[use->job], error);
    } else if (same) {
      status = add_need(figures, writer, use, error);
    } else {
      writer = use->written ? use : NULL;
    }
  }
  return status;
}

static int connect(struct figures *figures, struct error *error) {
  struct uses uses = {.list = memory_array(most_uses(figures) + 1, sizeof *uses.list,
                                           "the files of a recipe", error)};
  int status = uses.list ? OK : ERROR_FAILED;
  for (size_t i = 0; !status && i < figures->count; i++)
    if ((status = add_job_uses(figures, i, &uses, error)))
      at_line(figures, &figures->jobs[i], error);
  if (!status) {
    qsort(uses.list, uses.count, sizeof *uses.list, by_identity);
    status = check_uses(figures, &uses, error);
  }
  for (size_t i = 0; i < uses.count; i++)
    free(uses.list[i].identity);
  free(uses.list);
  return status;
}

int figures_plan(struct figures *figures, struct error *error) {
  figures->jobs =
      memory_array(figures->recipe.count, sizeof *figures->jobs, "the figures of a recipe", error);
  if (!figures->jobs) return ERROR_FAILED;
  figures->count = figures->recipe.count;
  for (size_t i = 0; i < figures->count; i++) {
    struct figures_job *job = &figures->jobs[i];
    job->line = &figures->recipe.lines[i];
    job->selected = true;
    if (parse_command(figures, job, error) || order_outputs(job, error))
      return at_line(figures, job, error);
  }
  return connect(figures, error);
}

void figures_release(struct figures *figures) {
  for (size_t i = 0; i < figures->count; i++) {
    struct figures_job *job = &figures->jobs[i];
    invocation_release(&job->invocation);
    free(job->canonical);
    free(job->outputs);
    free(job->needs);
    free(job->messages);
  }
  free(figures->jobs);
  figures_forget_hashes(figures);
  free(figures->hashes);
  recipe_release(&figures->recipe);
  *figures = (struct figures){0};
}

void figures_write_outputs(const struct figures_job *job, bool quoted, FILE *out) {
  for (size_t i = 0; i < job->line->output_count; i++) {
    if (i) fputc(',', out);
    if (quoted)
      text_quote_shell(out, job->line->outputs[i]);
    else
      fputs(job->line->outputs[i], out);
  }
}

char *figures_input(const struct option_entry *entry) {
  if (!entry->path) return NULL;
  struct stat status;
  char *path = strdup(entry->path), *config = NULL;
  if (!path) return NULL;
  if (stat(path, &status)) path[tensor_path_length(path)] = '\0';
  if (stat(path, &status) || !S_ISDIR(status.st_mode)) return path;
  if (asprintf(&config, "%s/config.json", path) < 0) config = NULL;
  free(path);
  return config;
}

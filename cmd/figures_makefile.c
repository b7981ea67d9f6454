/* A recipe as a Makefile: one rule a line, for make and for whatever drives it. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd/figures.h"
#include "lib/base/file.h"
#include "lib/base/text.h"

/* Names of targets and prerequisites: what make gives no meaning to. */
static int check_name(const struct figures *figures, const struct figures_job *job,
                      const char *name, struct error *error) {
  static const char allowed[] =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+.,/@^";
  for (const char *c = name; *c; c++)
    if (!((unsigned char)*c & 0x80) && !strchr(allowed, *c))
      return error_set(error, ERROR_INPUT,
                       "%s:%zu: '%s' cannot stand in a Makefile: letters, digits and _-+.,/@^ can",
                       figures->name, job->line->number, name);
  return OK;
}

/* A word of a command: quoted for the shell, and its '$' for make. */
static int write_word(const char *word, FILE *out, struct error *error) {
  char *text = NULL;
  size_t size;
  FILE *stream = open_memstream(&text, &size);
  if (!stream) return error_set(error, ERROR_FAILED, "out of memory: the Makefile");
  text_quote_shell(stream, word);
  if (fclose(stream)) {
    free(text);
    return error_set(error, ERROR_FAILED, "out of memory: the Makefile");
  }
  fputc(' ', out);
  for (const char *c = text; *c; c++)
    fputs((char[3]){*c, *c == '$' ? '$' : '\0'}, out);
  free(text);
  return OK;
}

/* The files that a job makes, each after a blank. */
static size_t write_targets(const struct figures_job *job, FILE *out) {
  size_t count = 0;
  for (size_t i = 0; i < job->line->output_count; i++) {
    const char *name = job->line->outputs[i];
    char extension[8];
    text_extension(name, extension);
    fprintf(out, " %s", name);
    count++;
    if (strcmp(extension, ".tex")) continue;
    fprintf(out, " %.*s.pdf", (int)strlen(name) - 4, name);
    count++;
  }
  return count;
}

/* What the rule of an earlier line calls `path`, which may be "./a/../b" there; NULL: none makes
 * it.
 */
static const char *find_target(const struct figures *figures, const struct figures_job *job,
                               const char *path) {
  const char *found = NULL;
  char *wanted = file_identity(path);
  for (size_t k = 0; wanted && k < job->need_count; k++) {
    const struct recipe_line *line = figures->jobs[job->needs[k]].line;
    for (size_t o = 0; !found && o < line->output_count; o++) {
      char *made = file_identity(line->outputs[o]);
      if (made && !strcmp(made, wanted)) found = line->outputs[o];
      free(made);
    }
  }
  free(wanted);
  return found;
}

static int write_prerequisites(const struct figures *figures, const struct figures_job *job,
                               FILE *out, struct error *error) {
  int status = OK;
  for (size_t i = 0; !status && i < job->invocation.count; i++) {
    struct stat there;
    char *path = figures_input(&job->invocation.entries[i]);
    const char *made = path ? find_target(figures, job, path) : NULL, *name = made ? made : path;
    if (path && (made || (!stat(path, &there) && S_ISREG(there.st_mode)))) {
      status = check_name(figures, job, name, error);
      fprintf(out, " %s", name);
    }
    free(path);
  }
  return status;
}

/* Makes the folders that the files lie in, if any. */
static void write_folders(const struct recipe_line *line, FILE *out) {
  bool any = false;
  for (size_t i = 0; i < line->output_count; i++) {
    const char *name = line->outputs[i];
    const int length = (int)(file_name(name) - name);
    bool known = !length;
    for (size_t k = 0; !known && k < i; k++)
      known = !strncmp(line->outputs[k], name, (size_t)length) &&
              file_name(line->outputs[k]) == line->outputs[k] + length;
    if (known) continue;
    fprintf(out, "%s %.*s", any ? "" : "\n\t@mkdir -p", length, name);
    any = true;
  }
}

static int write_rule(const struct figures *figures, const struct figures_job *job, FILE *out,
                      struct error *error) {
  const struct recipe_line *line = job->line;
  int status = OK;
  for (size_t i = 0; !status && i < line->output_count; i++)
    status = check_name(figures, job, line->outputs[i], error);
  if (status) return status;
  fprintf(out, "\n# line %zu\n", line->number);
  char *targets = NULL;
  size_t size;
  FILE *stream = open_memstream(&targets, &size);
  if (!stream) return error_set(error, ERROR_FAILED, "out of memory: the Makefile");
  const size_t count = write_targets(job, stream);
  if (fclose(stream)) return error_set(error, ERROR_FAILED, "out of memory: the Makefile");
  fprintf(out, "%s%s", targets + 1, count > 1 ? " &:" : ":");
  free(targets);
  status = write_prerequisites(figures, job, out, error);
  write_folders(line, out);
  fprintf(out, "\n\t$(ROPETOOL) %s", line->words[0]);
  for (size_t i = 0; i < line->output_count; i++)
    fprintf(out, " -o %s", line->outputs[i]);
  fputs(" $(ROPETOOLFLAGS)", out);
  for (int i = 1; !status && i < line->word_count; i++)
    status = write_word(line->words[i], out, error);
  fputc('\n', out);
  return status;
}

static void write_list(const struct figures *figures, const char *head, FILE *out) {
  fputs(head, out);
  for (size_t i = 0; i < figures->count; i++) {
    if (!figures->jobs[i].selected) continue;
    fputs(" \\\n ", out);
    write_targets(&figures->jobs[i], out);
  }
  fputc('\n', out);
}

int figures_write_makefile(const struct figures *figures, FILE *out, struct error *error) {
  fprintf(out,
          "# The figures of %s, made by 'ropetool figures --make'. To be run where its names lead\n"
          "# from: make -C FOLDER -f THIS -j. What changed is told by the age of files alone.\n\n"
          "ROPETOOL ?= ropetool\n"
          "ROPETOOLFLAGS ?= --quiet --threads 1\n"
          "MAKEFLAGS += --no-builtin-rules\n\n",
          file_name(figures->name));
  write_list(figures, "all:", out);
  int status = OK;
  for (size_t i = 0; !status && i < figures->count; i++)
    if (figures->jobs[i].selected) status = write_rule(figures, &figures->jobs[i], out, error);
  write_list(figures, "\nclean:\n\trm -f", out);
  fputs("\n.PHONY: all clean\n", out);
  return status;
}

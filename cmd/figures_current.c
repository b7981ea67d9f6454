/* Whether what a line makes is there and is what its command would make now. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/command.h"
#include "cmd/figure_file.h"
#include "cmd/figures.h"
#include "lib/base/file.h"
#include "lib/base/text.h"
#include "lib/io/document.h"
#include "lib/io/mapping.h"

__attribute__((format(printf, 2, 3))) static bool because(struct figures_job *job,
                                                          const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(job->reason, sizeof job->reason, format, arguments);
  va_end(arguments);
  return false;
}

static bool is_regular(const char *path) {
  struct stat status;
  return !stat(path, &status) && S_ISREG(status.st_mode);
}

/* The hash of a file as it is now, computed once a run; NULL when it cannot be read. */
static const char *hash_of(struct figures *figures, const char *path) {
  for (size_t i = 0; i < figures->hash_count; i++)
    if (!strcmp(figures->hashes[i].path, path)) return figures->hashes[i].hex;
  struct figures_hash *larger =
      realloc(figures->hashes, (figures->hash_count + 1) * sizeof *larger);
  if (!larger) return NULL;
  figures->hashes = larger;
  struct figures_hash *hash = &larger[figures->hash_count];
  if (!is_regular(path) || hash_file(path, hash->hex, NULL)) return NULL;
  if (!(hash->path = strdup(path))) return NULL;
  figures->hash_count++;
  return hash->hex;
}

void figures_forget_hashes(struct figures *figures) {
  for (size_t i = 0; i < figures->hash_count; i++)
    free(figures->hashes[i].path);
  figures->hash_count = 0;
}

/* The next file "NAME", from entry *cursor on, that an option names or that lies in the folder of
   one that it names. free() it. */
static char *next_input(const struct invocation *invocation, const char *name, size_t *cursor) {
  struct stat status;
  while (*cursor < invocation->count) {
    char *path = figures_input(&invocation->entries[(*cursor)++]), *beside = NULL;
    if (!path) continue;
    if (!strcmp(file_name(path), name) && !stat(path, &status)) return path;
    if (asprintf(&beside, "%.*s%s", (int)(file_name(path) - path), path, name) < 0) beside = NULL;
    free(path);
    if (beside && !stat(beside, &status)) return beside;
    free(beside);
  }
  return NULL;
}

/* Finds the file of one input that was read then, from entry *cursor on. */
static bool recorded_input_holds(struct figures *figures, struct figures_job *job,
                                 const struct meta *input, size_t *cursor) {
  const char *name = meta_text(input, "name"), *then = meta_text(input, "sha256");
  bool there = *cursor > 0, same = false; /* the name was found before, or is now */
  char *path;
  while (name && then && !same && (path = next_input(&job->invocation, name, cursor))) {
    const char *now = hash_of(figures, path);
    there = true;
    same = now && !strcmp(now, then);
    free(path);
  }
  return same || because(job, there ? "input '%s' is another" : "input '%s' is not there",
                         name ? name : "?");
}

/* What was read then is the same now. Files of one name must come in the same order. */
static bool recorded_inputs_hold(struct figures *figures, struct figures_job *job,
                                 const struct meta *meta) {
  const size_t count = meta_count(meta, "inputs");
  size_t *behind = calloc(count + 1, sizeof *behind); /* the entry behind that of each input */
  bool holds = true;
  if (!behind) return because(job, "out of memory");
  for (size_t i = 0; holds && i < count; i++) {
    const struct meta *input = meta_item(meta, "inputs", i);
    const char *name = meta_text(input, "name");
    for (size_t k = 0; name && k < i; k++) {
      const char *other = meta_text(meta_item(meta, "inputs", k), "name");
      if (other && !strcmp(name, other)) behind[i] = behind[k];
    }
    holds = recorded_input_holds(figures, job, input, &behind[i]);
  }
  free(behind);
  return holds;
}

/* What is read now was read then. A file that an option names may be built in then. */
static bool present_inputs_are_recorded(struct figures *figures, struct figures_job *job,
                                        const struct meta *meta) {
  for (size_t k = 0; k < job->invocation.count; k++) {
    char *path = figures_input(&job->invocation.entries[k]);
    if (!path) continue;
    const char *now = hash_of(figures, path);
    bool known = !now;
    for (size_t i = 0; !known && i < meta_count(meta, "inputs"); i++) {
      const char *then = meta_text(meta_item(meta, "inputs", i), "sha256");
      known = then && !strcmp(now, then);
    }
    free(path);
    if (!known) return because(job, "input '%s' is new", job->invocation.entries[k].value);
  }
  return true;
}

static bool meta_holds(struct figures *figures, struct figures_job *job, const struct meta *meta) {
  const char *tool = meta_text(meta, "tool"), *version = meta_text(meta, "version"),
             *command = meta_text(meta, "command");
  if (!tool || !version || strcmp(tool, "ropetool")) return because(job, "made by another tool");
  if (strcmp(version, ROPETOOL_VERSION)) return because(job, "made by version %s", version);
  if (!command || strcmp(command, job->canonical)) return because(job, "made by another command");
  const char *verdict = meta_text(meta, "verdict"); /* of commands that check */
  if (verdict && strcmp(verdict, "holds")) return because(job, "its check failed");
  return recorded_inputs_hold(figures, job, meta) &&
         present_inputs_are_recorded(figures, job, meta);
}

static bool figure_holds(struct figures *figures, struct figures_job *job, const char *path,
                         struct meta **provenance) {
  int intact;
  struct error unread;
  if (access(path, R_OK)) return because(job, "'%s' cannot be read", path);
  if (figure_file_read(path, provenance, &intact, &unread))
    return because(job, "'%s' does not say how it was made", path);
  if (!intact) return because(job, "'%s' was changed since it was drawn", path);
  const char *fault = figure_file_companion_fault(path, *provenance);
  if (fault) return because(job, "of '%s' %s", path, fault);
  return meta_holds(figures, job, *provenance);
}

static bool json_holds(struct figures *figures, struct figures_job *job, const char *path,
                       struct meta **meta) {
  struct mapping text;
  struct error unread;
  bool intact;
  if (mapping_open(path, &text, &unread)) return because(job, "'%s' cannot be read", path);
  const int status = document_read(text.data, text.size, meta, &intact, &unread);
  mapping_close(&text);
  if (status) return because(job, "'%s' does not say how it was made", path);
  if (!meta_holds(figures, job, *meta)) return false;
  return intact || because(job, "'%s' was changed since it was written", path);
}

/* The extension of the data whose hash the provenance has. */
static const char *hashed_extension(const struct figures_job *job, const struct meta *provenance) {
  const bool table =
      !(job->invocation.command->groups & GROUP_TENSOR) && !meta_text(provenance, "what");
  return table ? ".csv" : ".npy";
}

/* Data beside what holds the provenance: by its hash where the provenance has it; else by its time,
   which is the same for all files that a command writes, to the last digit, and another once a file
   is edited, exchanged or copied. */
static bool data_holds(struct figures *figures, struct figures_job *job, const char *path,
                       const struct meta *provenance) {
  char extension[8];
  text_extension(path, extension);
  const char *then = meta_text(provenance, "data_sha256");
  if (then && !strcmp(extension, hashed_extension(job, provenance))) {
    const char *now = hash_of(figures, path);
    return (now && !strcmp(now, then)) || because(job, "'%s' holds other data", path);
  }
  struct stat first, status;
  if (stat(job->outputs[0], &first) || stat(path, &status))
    return because(job, "'%s' is missing", path);
  return (status.st_mtim.tv_sec == first.st_mtim.tv_sec &&
          status.st_mtim.tv_nsec == first.st_mtim.tv_nsec) ||
         because(job, "'%s' was not written at the time of '%s'", path, job->outputs[0]);
}

bool figures_current(struct figures *figures, struct figures_job *job) {
  const size_t count = job->line->output_count;
  struct stat status;
  for (size_t i = 0; i < count; i++) {
    if (stat(job->outputs[i], &status)) return because(job, "'%s' is missing", job->outputs[i]);
    if (!is_regular(job->outputs[i]))
      return because(job, "'%s' is not a regular file", job->outputs[i]);
  }
  if (!job->figure_count && !job->has_json)
    return because(job, "neither a figure nor JSON tells how '%s' was made", job->outputs[0]);
  struct meta *first = NULL;
  bool holds = true;
  for (size_t i = 0; holds && i < count; i++) {
    struct meta *provenance = NULL;
    char extension[8];
    text_extension(job->outputs[i], extension);
    if (i < job->figure_count)
      holds = figure_holds(figures, job, job->outputs[i], &provenance);
    else if (!strcmp(extension, ".json"))
      holds = json_holds(figures, job, job->outputs[i], &provenance);
    else
      holds = data_holds(figures, job, job->outputs[i], first);
    if (first)
      meta_destroy(provenance);
    else
      first = provenance;
  }
  meta_destroy(first);
  return holds;
}

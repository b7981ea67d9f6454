#include "cmd/output.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/drawing.h"
#include "cmd/groups.h"
#include "lib/base/file.h"
#include "lib/base/memory.h"
#include "lib/base/text.h"

/* How a result is written as data. */
struct data_format {
  const char *name; /* of --format and, with a dot, the extension */
  void (*write_table)(const struct table *table, FILE *out);
  void (*write_matrix)(const struct matrix *matrix, FILE *out);
  void (*write_tensor)(const struct tensor *tensor, FILE *out); /* NULL: there is no such way */
  bool to_stdout;
};

static void table_as_csv(const struct table *table, FILE *out) {
  table_write_csv(table, ',', out);
}
static void table_as_tsv(const struct table *table, FILE *out) {
  table_write_csv(table, '\t', out);
}
static void matrix_as_csv(const struct matrix *matrix, FILE *out) {
  matrix_write_csv(matrix, ',', out);
}
static void matrix_as_tsv(const struct matrix *matrix, FILE *out) {
  matrix_write_csv(matrix, '\t', out);
}

static const struct data_format data_formats[] = {
    {"csv", table_as_csv, matrix_as_csv, NULL, true},
    {"tsv", table_as_tsv, matrix_as_tsv, NULL, true},
    {"json", table_write_json, matrix_write_json, tensor_write_json, true},
    {"npy", table_write_npy, matrix_write_npy, tensor_write_npy, false},
};
enum { DATA_FORMATS = sizeof data_formats / sizeof *data_formats };

/* The files of one -o: the data or picture itself, and what goes beside it. */
enum { PART_MAIN, PART_PDF, PART_SCRIPT, PART_DATA, PARTS };

struct output {
  const char *path;
  char *name[PARTS];              /* of each part; NULL where there is none */
  const struct data_format *data; /* NULL: a figure */
  enum figure_format figure;
  struct file_output *part[PARTS];
};

struct outputs {
  struct output *list;
  size_t count;
  struct file_output **all;                /* parts of all of them, when they are put in place */
  const struct data_format *stdout_format; /* NULL: the text for people */
  bool to_stdout;
  struct figure_options options; /* of every figure, and of the preview */
  bool legend_moved;             /* of a figure, see figure.h */
  const char *cut;               /* the same */
};

void outputs_discard(struct outputs *outputs) {
  if (!outputs) return;
  for (size_t i = 0; outputs->list && i < outputs->count; i++)
    for (int part = 0; part < PARTS; part++) {
      file_output_discard(outputs->list[i].part[part]);
      free(outputs->list[i].name[part]);
    }
  free(outputs->list);
  free(outputs->all);
  free(outputs);
}

/* Whether two names are of one file: "a.csv", "./a.csv", a link to it. */
static bool same_target(const char *a, const char *b) {
  char *names[] = {file_identity(a), file_identity(b)};
  const bool same = names[0] && names[1] && !strcmp(names[0], names[1]);
  free(names[0]);
  free(names[1]);
  return same || !strcmp(a, b);
}

/* Opens one part under its name, which no other part of any output may have. */
static int open_part(struct outputs *outputs, int part, const char *extension,
                     struct error *error) {
  struct output *output = &outputs->list[outputs->count - 1];
  char *name =
      extension ? text_with_extension(output->path, extension) : memory_text(output->path, error);
  if (!name) return error_set(error, ERROR_FAILED, "out of memory: the name of a file");
  for (size_t i = 0; i < outputs->count; i++)
    for (int other = 0; other < PARTS; other++)
      if (outputs->list[i].name[other] && same_target(outputs->list[i].name[other], name)) {
        error_set(error, ERROR_INPUT, "output '%s' would be written twice", name);
        free(name);
        return ERROR_INPUT;
      }
  output->name[part] = name;
  return file_output_open(name, &output->part[part], error);
}

/* Whether `input`, which may be FILE:TENSOR, is the file of `target`. */
static bool is_file(const char *input, const struct stat *target, struct error *error) {
  struct stat status;
  char *path = memory_text(input, error);
  if (!path) return false;
  bool found = !stat(path, &status);
  path[tensor_path_length(path)] = '\0';
  found = found || !stat(path, &status);
  free(path);
  return found && status.st_dev == target->st_dev && status.st_ino == target->st_ino;
}

/* An output must not be a file that the command reads. */
static int check_inputs(const struct invocation *invocation, const char *path,
                        struct error *error) {
  struct stat target;
  if (stat(path, &target) || !S_ISREG(target.st_mode)) return OK;
  for (size_t i = 0; i < invocation->count; i++) {
    const struct option_entry *entry = &invocation->entries[i];
    if (entry->path && strcmp(entry->name, "output") && is_file(entry->path, &target, error))
      return error_set(error, ERROR_INPUT, "'%s' is an input of --%s and cannot be the output too",
                       path, entry->name);
  }
  return OK;
}

/* Whether the result of the command can be written so; NULL: as a figure. */
static bool has_format(const struct invocation *invocation, const struct data_format *format) {
  return !(invocation->command->groups & GROUP_TENSOR) || (format && format->write_tensor);
}

/* Finds out how `output` is written, by its name; whether the command can; whether it reads it. */
static int classify(struct output *output, const struct invocation *invocation,
                    struct error *error) {
  const char *path = output->path;
  char extension[8];
  text_extension(path, extension);
  for (size_t i = 0; i < DATA_FORMATS; i++)
    if (extension[0] && !strcmp(extension + 1, data_formats[i].name))
      output->data = &data_formats[i];
  const int figure = figure_format_of(path);
  if (!output->data && figure < 0)
    return error_set(error, ERROR_INPUT,
                     "output '%s' has no known extension: .png .pdf .svg .tex draw, .csv .tsv "
                     ".json .npy hold data",
                     path);
  if (!has_format(invocation, output->data))
    return error_set(error, ERROR_INPUT,
                     "'%s' writes tensors, not '%s': .npy for the numbers, .json for the meta data",
                     invocation->command->name, path);
  if (!output->data && !(invocation->command->groups & GROUP_FIGURE))
    return error_set(error, ERROR_INPUT, "'%s' cannot draw '%s': .csv, .tsv, .json or .npy",
                     invocation->command->name, path);
  output->figure = (enum figure_format)figure;
  return check_inputs(invocation, path, error);
}

int outputs_check(const struct invocation *invocation, const char *path, bool *figure,
                  struct error *error) {
  struct output output = {.path = path};
  struct figure_options options;
  if (classify(&output, invocation, error)) return error->code;
  *figure = !output.data;
  return *figure ? figure_options_read(invocation, &options, error) : OK;
}

static int open_output(struct outputs *outputs, const struct invocation *invocation,
                       const char *path, struct error *error) {
  struct output *output = &outputs->list[outputs->count];
  *output = (struct output){.path = path};
  if (classify(output, invocation, error)) return error->code;
  outputs->count++;
  if (open_part(outputs, PART_MAIN, NULL, error)) return error->code;
  if (output->data) return OK;
  if (output->figure == FIGURE_TEX && open_part(outputs, PART_PDF, ".pdf", error))
    return error->code;
  if (!option_given(invocation, "keep-script")) return OK;
  if (open_part(outputs, PART_SCRIPT, ".gp", error)) return error->code;
  return open_part(outputs, PART_DATA, ".dat", error);
}

static bool draws(const struct outputs *outputs) {
  for (size_t i = 0; i < outputs->count; i++)
    if (!outputs->list[i].data) return true;
  return false;
}

bool outputs_left_out(const struct outputs *outputs, const struct result *result,
                      char note[OUTPUTS_NOTE]) {
  return draws(outputs) && drawing_left_out(result, &outputs->options, note, OUTPUTS_NOTE);
}

void outputs_colours(const struct outputs *outputs, const struct result *result,
                     char beyond[OUTPUTS_NOTE], char flat[OUTPUTS_NOTE]) {
  *beyond = *flat = '\0';
  if (draws(outputs)) drawing_colours(result, &outputs->options, beyond, flat, OUTPUTS_NOTE);
}

bool outputs_other_font(const struct outputs *outputs, char note[OUTPUTS_NOTE]) {
  char instead[FIGURE_FONT_NAME];
  const char *font = outputs->options.font;
  if (!draws(outputs) || !font || figure_font_known(font, instead)) return false;
  snprintf(note, OUTPUTS_NOTE, "font '%s' is not installed: PNG and PDF show '%s'", font, instead);
  return true;
}

static int check_script(const struct outputs *outputs, const struct invocation *invocation,
                        struct error *error) {
  if (draws(outputs) || !option_given(invocation, "keep-script")) return OK;
  return error_set(error, ERROR_INPUT,
                   "--keep-script goes with a figure: -o NAME.png, .pdf, .svg or .tex");
}

static int read_format(const struct invocation *invocation, struct outputs *outputs,
                       struct error *error) {
  const char *format = option_text(invocation, "format", NULL);
  if (!format) return OK;
  outputs->to_stdout = true;
  if (!strcmp(format, "text")) return OK;
  for (size_t i = 0; i < DATA_FORMATS; i++)
    if (data_formats[i].to_stdout && !strcmp(format, data_formats[i].name))
      outputs->stdout_format = &data_formats[i];
  if (outputs->stdout_format && !has_format(invocation, outputs->stdout_format))
    return error_set(error, ERROR_INPUT,
                     "'%s' writes tensors: --format '%s' is none of text and json",
                     invocation->command->name, format);
  if (outputs->stdout_format) return OK;
  return error_set(error, ERROR_INPUT, "unknown format '%s' of --format: text, csv, tsv or json",
                   format);
}

int outputs_open(const struct invocation *invocation, struct outputs **result,
                 struct error *error) {
  struct outputs *outputs = memory_array(1, sizeof *outputs, "the outputs", error);
  *result = NULL;
  if (!outputs) return ERROR_FAILED;
  const size_t most = invocation->count + 1;
  outputs->list = memory_array(most, sizeof *outputs->list, "the outputs", error);
  int status = outputs->list ? read_format(invocation, outputs, error) : ERROR_FAILED;
  if (!status)
    outputs->all = memory_array(most * PARTS, sizeof *outputs->all, "the outputs", error);
  if (!status && !outputs->all) status = ERROR_FAILED;
  if (!status && invocation->command->groups & GROUP_FIGURE)
    status = figure_options_read(invocation, &outputs->options, error);
  const char *path;
  bool any = false;
  for (size_t cursor = 0; !status && (path = option_next(invocation, "output", &cursor));
       any = true)
    if (strcmp(path, "-"))
      status = open_output(outputs, invocation, path, error);
    else
      outputs->to_stdout = true;
  if (!any) outputs->to_stdout = true;
  if (!status) status = check_script(outputs, invocation, error);
  if (status)
    outputs_discard(outputs);
  else
    *result = outputs;
  return status;
}

static void write_blob(struct file_output *file, const struct blob *blob) {
  if (file) fwrite(blob->data, 1, blob->size, file_output_stream(file));
}

/* Everything about how a figure was made, or NULL with --no-provenance. */
static int provenance_of(const struct invocation *invocation, const struct result *result,
                         struct meta **provenance, struct error *error) {
  *provenance = NULL;
  if (option_given(invocation, "no-provenance")) return OK;
  char hash[HASH_TEXT] = "";
  struct meta *meta = meta_create();
  meta_set_text(meta, "data_sha256", ""); /* comes first */
  const int status = result_fingerprint(result, hash, meta_object(meta, "data_sketch"), error);
  meta_set_text(meta, "data_sha256", hash);
  if (status) {
    meta_destroy(meta);
    return error->code;
  }
  meta_prepend(meta, result_meta(result));
  *provenance = meta;
  return OK;
}

static int write_figure(struct outputs *outputs, const struct output *output,
                        const struct result *result, const struct meta *provenance,
                        struct error *error) {
  struct figure figure = {0};
  const struct drawing_target target = {output->path, output->figure};
  int status = drawing_draw(result, &outputs->options, &target, &figure, error);
  const bool tex = output->figure == FIGURE_TEX;
  if (!status)
    status = provenance_seal(tex ? FIGURE_PDF : output->figure, figure.dpi, provenance,
                             &figure.picture, error);
  if (!status && tex)
    status = provenance_seal(FIGURE_TEX, figure.dpi, provenance, &figure.tex, error);
  if (!status) {
    write_blob(output->part[PART_MAIN], tex ? &figure.tex : &figure.picture);
    write_blob(output->part[PART_PDF], &figure.picture);
    write_blob(output->part[PART_SCRIPT], &figure.script);
    write_blob(output->part[PART_DATA], &figure.data);
  }
  outputs->legend_moved |= figure.legend_moved;
  if (!outputs->cut) outputs->cut = figure.cut;
  figure_release(&figure);
  return status;
}

static void write_data(const struct data_format *format, const struct result *result, FILE *out) {
  if (result->matrix)
    format->write_matrix(result->matrix, out);
  else if (result->tensor)
    format->write_tensor(result->tensor, out);
  else
    format->write_table(result->table, out);
}

static int write_stdout(const struct outputs *outputs, const struct result *result,
                        struct error *error) {
  if (result->text)
    fputs(result->text, stdout);
  else if (outputs->stdout_format)
    write_data(outputs->stdout_format, result, stdout);
  else {
    if (result->summary)
      result->summary(result, stdout);
    else
      table_write_text(result->table, stdout);
    if (isatty(STDOUT_FILENO)) drawing_preview(result, &outputs->options, stdout);
  }
  return output_finish_stdout(error);
}

int output_finish_stdout(struct error *error) {
  errno = 0;
  if (!fflush(stdout) && !ferror(stdout)) return OK;
  /* The write that failed may have been an earlier one, whose errno is gone. */
  const int number = errno;
  struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};
  const bool closed = poll(&out, 1, 0) == 1 && out.revents & (POLLERR | POLLHUP);
  /* Who closed the pipe has read enough. */
  if (number == EPIPE || closed) return OK;
  return error_set(error, ERROR_FAILED, "cannot write to stdout: %s",
                   strerror(number ? number : EIO));
}

static int write_files(struct outputs *outputs, const struct invocation *invocation,
                       const struct result *result, struct error *error) {
  struct meta *provenance = NULL;
  int status = OK;
  for (size_t i = 0; !status && i < outputs->count; i++) {
    const struct output *output = &outputs->list[i];
    if (output->data)
      write_data(output->data, result, file_output_stream(output->part[PART_MAIN]));
    else {
      if (!provenance) status = provenance_of(invocation, result, &provenance, error);
      if (!status) status = write_figure(outputs, output, result, provenance, error);
    }
    for (int part = 0; !status && part < PARTS; part++)
      if (output->part[part]) status = file_output_finish(output->part[part], error);
  }
  meta_destroy(provenance);
  return status;
}

/* Puts the finished files in place; a figure's .tex last, after all that it names. */
static int commit(struct outputs *outputs, struct error *error) {
  for (size_t i = 0; i < outputs->count; i++)
    for (int part = 0; part < PARTS; part++)
      outputs->all[i * PARTS + (size_t)part] = outputs->list[i].part[part];
  file_outputs_date(outputs->all, outputs->count * PARTS);
  for (size_t i = 0; i < outputs->count; i++)
    for (int part = PARTS - 1; part >= 0; part--) {
      struct file_output *file = outputs->list[i].part[part];
      outputs->list[i].part[part] = NULL;
      if (file && file_output_commit(file, error)) return error->code;
    }
  return OK;
}

int outputs_write(struct outputs *outputs, const struct invocation *invocation,
                  const struct result *result, struct error *error) {
  int status = OK;
  if (!result->text) status = write_files(outputs, invocation, result, error);
  if (!status) status = commit(outputs, error);
  if (!status && outputs->to_stdout) status = write_stdout(outputs, result, error);
  return status;
}

bool outputs_legend_moved(const struct outputs *outputs) {
  return outputs->legend_moved;
}

const char *outputs_cut(const struct outputs *outputs) {
  return outputs->cut;
}

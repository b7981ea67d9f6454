#include "lib/figure/gnuplot.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/base/file.h"
#include "lib/base/folder.h"
#include "lib/base/memory.h"
#include "lib/base/text.h"
#include "lib/figure/gnuplot_process.h"

/* Names within the private folder of a TeX figure; gnuplot makes the second out of the first. */
static const char tex_name[] = "figure.tex", pdf_name[] = "figure.pdf";
static const char tex_include[] = "{figure}";

/* Larger than any figure; a limit for file_read. */
static const size_t picture_limit = (size_t)1 << 30;

int gnuplot_literal(const char *text, char **literal, struct error *error) {
  if (!text_is_utf8(text, strlen(text)))
    return error_set(error, ERROR_INPUT, "text '%.60s' is not UTF-8", text);
  if (text_has_control(text))
    return error_set(error, ERROR_INPUT,
                     "control character in text '%.60s'; it must be one plain line", text);
  /* Not '' for ': gnuplot's scanner takes that for the end of the text where it follows another
   * quote. */
  static const char before[] = "' . \"", behind[] = "\" . '";
  *literal =
      memory_array(strlen(text) + 1, sizeof before + sizeof behind, "a text of the figure", error);
  if (!*literal) return ERROR_FAILED;
  char *out = *literal;
  *out++ = '\'';
  while (*text) {
    const size_t plain = strcspn(text, "'"), quotes = strspn(text + plain, "'");
    out = mempcpy(out, text, plain);
    if (quotes) {
      out = mempcpy(out, before, sizeof before - 1);
      out = mempcpy(out, text + plain, quotes);
      out = mempcpy(out, behind, sizeof behind - 1);
    }
    text += plain + quotes;
  }
  *out = '\'';
  return OK;
}

/* Writes into `line` the line of a complaint that says what is wrong: the first with gnuplot's own
   mark "FILE" line N: that is no warning, else the first that is not empty. */
static void first_complaint(const char *complaint, char *line, size_t capacity) {
  static const char mark[] = "\"/dev/fd/4\" line ";
  const char *found = NULL;
  for (const char *text = complaint; !found && (text = strstr(text, mark)); text++) {
    text += strcspn(text, ":\n");
    text += strspn(text, ": ");
    if (strncmp(text, "warning", 7)) found = text;
  }
  if (!found) found = complaint + strspn(complaint, " \t\n");
  snprintf(line, capacity, "%.*s", (int)strcspn(found, "\n"), found);
  if (!*line) snprintf(line, capacity, "no reason given");
}

/* Writes into `line` the first warning of gnuplot itself; false when there is none. What its
   libraries say of fonts and the like is not among them. */
static bool first_warning(const char *complaint, char *line, size_t capacity) {
  static const char mark[] = ": warning: ", bare[] = "Warning: ";
  for (const char *text = complaint; *text; text += strcspn(text, "\n"), text += *text == '\n') {
    const size_t length = strcspn(text, "\n");
    const char *found = !strncmp(text, bare, sizeof bare - 1) ? text + sizeof bare - 1 : NULL;
    if (!found && *text == '"') found = memmem(text, length, mark, sizeof mark - 1);
    if (!found) continue;
    if (*found == ':') found += sizeof mark - 1;
    snprintf(line, capacity, "%.*s", (int)(text + length - found), found);
    return true;
  }
  return false;
}

/* What a run that failed means. */
static int run_error(const struct gnuplot_result *result, const char *terminal,
                     struct error *error) {
  static const char own[] = "ropetool: "; /* what the templates say themselves, by `exit error` */
  char line[256];
  if (WIFSIGNALED(result->status))
    return error_set(error, ERROR_FAILED, "gnuplot was killed by signal %d (%s)",
                     WTERMSIG(result->status), strsignal(WTERMSIG(result->status)));
  if (strstr(result->complaint, "unknown or ambiguous terminal"))
    return error_set(error, ERROR_FAILED,
                     "terminal '%s' is not in this gnuplot; install gnuplot-nox or gnuplot-qt",
                     terminal);
  first_complaint(result->complaint, line, sizeof line);
  if (!strncmp(line, own, sizeof own - 1))
    return error_set(error, ERROR_FAILED, "%s", line + sizeof own - 1);
  return error_set(error, ERROR_FAILED, "gnuplot failed with status %d: %s",
                   WEXITSTATUS(result->status), line);
}

/* Runs a script, given in two parts, and checks how it ended. */
static int run(const char *head, const struct gnuplot_job *job, const char *folder,
               struct blob *output, struct error *error) {
  struct blob script = {0}, data = {(char *)job->data, job->data_size};
  struct gnuplot_result result;
  const int size = asprintf(&script.data, "%s%s", head, job->script);
  if (size < 0) return error_set(error, ERROR_FAILED, "no memory for a gnuplot script");
  script.size = (size_t)size;
  int code = gnuplot_process_run(&script, &data, folder, &result, error);
  free(script.data);
  if (code) return code;
  if (result.status) {
    code = run_error(&result, job->terminal, error);
    free(result.output.data);
    return code;
  }
  /* Of data that it cannot draw it only warns, and leaves them out. */
  char warning[256];
  if (first_warning(result.complaint, warning, sizeof warning)) {
    free(result.output.data);
    return error_set(error, ERROR_FAILED, "gnuplot drew the figure with a warning: %s", warning);
  }
  *output = result.output;
  return OK;
}

/* What the TeX file lacks, in front of its group: what it needs, said plainly where it is missing,
   and where its PDF lies. \input, \include and the package import of LaTeX since October 2020 say
   the folder of the file that is read (\CurrentFilePath); where the PDF is not in that, or nothing
   is said, TeX looks for it as for any other. */
static const char tex_needs[] =
    "% Needs the packages graphicx and xcolor (or color). Its PDF is looked for in the folder of "
    "this\n"
    "% file, then as TeX looks for graphics.\n"
    "\\ifcsname ver@graphicx.sty\\endcsname\\else\\PackageError{ropetool}{This figure needs "
    "\\string\\usepackage{graphicx}}{It is left out.}\\expandafter\\endinput\\fi\n"
    "\\ifdefined\\definecolor\\else\\PackageError{ropetool}{This figure needs "
    "\\string\\usepackage{xcolor}}{It is left out.}\\expandafter\\endinput\\fi\n";
static const char tex_group[] = "\\begingroup\n";

static const char tex_define[] = "  \\def\\ropetoolgraphic{";

bool gnuplot_tex_includes(const char *tex, size_t size, const char *graphic) {
  const char *name = memmem(tex, size, tex_define, sizeof tex_define - 1);
  if (!name) return false;
  name += sizeof tex_define - 1;
  const size_t left = (size_t)(tex + size - name), length = strlen(graphic);
  return left > length && !memcmp(name, graphic, length) && name[length] == '}';
}

static void write_place(const char *graphic, FILE *out) {
  fprintf(out, "%s%s}%%\n", tex_define, graphic);
  fputs("  \\ifdefined\\CurrentFilePath\\ifx\\CurrentFilePath\\empty\\else\n", out);
  fprintf(out, "    \\IfFileExists{\\CurrentFilePath/%s.pdf}%%\n", graphic);
  fprintf(out, "      {\\edef\\ropetoolgraphic{\\CurrentFilePath/%s}}{}%%\n", graphic);
  fputs("  \\fi\\fi\n", out);
}

/* Puts `graphic` in place of the name that gnuplot gave to the PDF. */
static int name_graphic(struct blob *tex, const char *graphic, struct error *error) {
  const char *end = tex->data + tex->size;
  const char *group = memmem(tex->data, tex->size, tex_group, sizeof tex_group - 1);
  const char *place =
      group ? memmem(group, (size_t)(end - group), tex_include, sizeof tex_include - 1) : NULL;
  if (!place) return error_set(error, ERROR_FAILED, "gnuplot's TeX file does not include its PDF");
  struct blob named = {NULL, 0};
  FILE *out = open_memstream(&named.data, &named.size);
  if (!out) return error_set(error, ERROR_FAILED, "no memory for the TeX file");
  const char *inside = group + sizeof tex_group - 1, *after = place + sizeof tex_include - 1;
  fwrite(tex->data, 1, (size_t)(group - tex->data), out);
  fputs(tex_needs, out);
  fputs(tex_group, out);
  write_place(graphic, out);
  fwrite(inside, 1, (size_t)(place - inside), out);
  fputs("{\\ropetoolgraphic}", out);
  fwrite(after, 1, (size_t)(end - after), out);
  const int failed = fclose(out);
  free(tex->data);
  *tex = named;
  return failed ? error_set(error, ERROR_FAILED, "no memory for the TeX file") : OK;
}

/* Whether `end` is what the file ends with, but for line ends. */
static bool ends_with(const struct blob *blob, const char *end) {
  size_t size = blob->size, length = strlen(end);
  while (size && blob->data[size - 1] == '\n')
    size--;
  return size >= length && !memcmp(blob->data + size - length, end, length);
}

/* Reads what gnuplot wrote to a file; it ends well also where the disk was full. */
static int read_picture(const char *folder, const char *name, const char *end, struct blob *blob,
                        struct error *error) {
  char path[4096 + 16];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  const bool missing = access(path, F_OK);
  if (!missing && file_read(path, picture_limit, &blob->data, &blob->size, error))
    return ERROR_FAILED;
  if (!missing && ends_with(blob, end)) return OK;
  return error_set(error, ERROR_FAILED,
                   "gnuplot made %s in '%s': is that disk full? TMPDIR may name another folder",
                   missing ? "no picture" : "a part of the picture alone", folder_temporary());
}

/* The private folder of one TeX figure, guarded so that a signal leaves nothing of it. */
struct tex_folder {
  char path[4096];
  char file[2][4096 + 16];
  int slot[3];
};

static int make_folder(struct tex_folder *folder, struct error *error) {
  const char *parent = folder_temporary();
  char path[sizeof folder->path];
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  const bool made =
      snprintf(path, sizeof path, "%s/ropetool.XXXXXX", parent) < (int)sizeof path && mkdtemp(path);
  const int number = errno;
  memcpy(folder->path, path, sizeof path);
  static const char *const names[] = {tex_name, pdf_name};
  for (int i = 0; i < 2; i++) {
    snprintf(folder->file[i], sizeof folder->file[i], "%s/%s", path, names[i]);
    folder->slot[i] = made ? file_guard(folder->file[i]) : -1;
  }
  folder->slot[2] = made ? file_guard(folder->path) : -1;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (made) return OK;
  return error_set(error, ERROR_FAILED, "cannot make a folder in '%s': %s", parent,
                   strerror(number));
}

static void remove_folder(struct tex_folder *folder) {
  for (int i = 0; i < 2; i++)
    unlink(folder->file[i]);
  rmdir(folder->path);
  for (int i = 0; i < 3; i++)
    file_forget(folder->slot[i]);
}

/* cairolatex writes two files beside each other, so it gets a folder. */
static int run_tex(const struct gnuplot_job *job, struct blob *picture, struct blob *tex,
                   struct error *error) {
  struct tex_folder folder;
  char head[128];
  if (make_folder(&folder, error)) return ERROR_FAILED;
  snprintf(head, sizeof head, "datafile = '/dev/fd/3'\nset output '%s'\n", tex_name);
  struct blob output = {0};
  int code = run(head, job, folder.path, &output, error);
  free(output.data);
  if (!code) code = read_picture(folder.path, pdf_name, "%%EOF", picture, error);
  if (!code) code = read_picture(folder.path, tex_name, "\\endgroup", tex, error);
  if (!code) code = name_graphic(tex, job->tex_graphic, error);
  remove_folder(&folder);
  return code;
}

int gnuplot_run(const struct gnuplot_job *job, struct blob *picture, struct blob *tex,
                struct error *error) {
  *picture = (struct blob){0};
  if (tex) *tex = (struct blob){0};
  int code = tex ? run_tex(job, picture, tex, error)
                 : run("datafile = '/dev/fd/3'\n", job, NULL, picture, error);
  if (!code && (!picture->size || (tex && !tex->size)))
    code = error_set(error, ERROR_FAILED, "gnuplot made no picture");
  if (code) {
    free(picture->data);
    *picture = (struct blob){0};
    if (tex) free(tex->data), *tex = (struct blob){0};
  }
  return code;
}

int gnuplot_version(char version[64], struct error *error) {
  static const struct gnuplot_job job = {
      .script =
          "set print '-'\nprint sprintf('%.1f patchlevel %s', GPVAL_VERSION, GPVAL_PATCHLEVEL)\n",
      .terminal = "unknown"};
  struct blob output = {0};
  const int code = run("", &job, NULL, &output, error);
  if (code) return code;
  const char *end = output.size ? memchr(output.data, '\n', output.size) : NULL;
  snprintf(version, 64, "%.*s", end ? (int)(end - output.data) : 0, end ? output.data : "");
  free(output.data);
  return end ? OK : error_set(error, ERROR_FAILED, "gnuplot does not tell its version");
}

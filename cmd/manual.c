#include "cmd/manual.h"

#include <ctype.h>
#include <string.h>

/* Characters that roff reads as something else, or shows as another, and how to get them. */
static const struct escape {
  char character;
  const char *roff;
} escapes[] = {
    {'\\', "\\e"}, {'-', "\\-"}, {'\'', "\\(aq"}, {'`', "\\(ga"}, {'^', "\\(ha"}, {'~', "\\(ti"},
};

/* `text` within a line that does not begin with it. */
static void write_text(const char *text, FILE *out) {
  for (; *text; text++) {
    size_t i = 0;
    while (i < sizeof escapes / sizeof *escapes && escapes[i].character != *text)
      i++;
    if (i < sizeof escapes / sizeof *escapes)
      fputs(escapes[i].roff, out);
    else
      fputc(*text, out);
  }
}

/* Capital letters alone stand for something: they are set as such. */
static bool is_placeholder(const char *text, size_t length) {
  for (size_t i = 0; i < length; i++)
    if (!isupper((unsigned char)text[i])) return false;
  return length > 0;
}

/* What stands behind an option: "FILE[:TENSOR]" with FILE and TENSOR as placeholders. */
static void write_argument(const char *argument, FILE *out) {
  while (*argument) {
    size_t length = 0;
    while (isalnum((unsigned char)argument[length]))
      length++;
    const bool placeholder = is_placeholder(argument, length);
    char part[128];
    if (!length) length = 1;
    snprintf(part, sizeof part, "%.*s", (int)length, argument);
    fputs(placeholder ? "\\fI" : "\\fB", out);
    write_text(part, out);
    fputs("\\fR", out);
    argument += strlen(part);
  }
}

static void write_option(const struct argp_option *option, FILE *out) {
  fputs(".TP\n", out);
  if (option->key < 0x80 && isalpha(option->key)) {
    fprintf(out, "\\fB\\-%c\\fR", (char)option->key);
    if (option->arg) {
      fputc(' ', out);
      write_argument(option->arg, out);
    }
    fputs(", ", out);
  }
  fputs("\\fB\\-\\-", out);
  write_text(option->name, out);
  fputs("\\fR", out);
  if (option->arg) {
    fputc('=', out);
    write_argument(option->arg, out);
  }
  fputs("\n\\&", out);
  write_text(option->doc, out);
  fputc('\n', out);
}

/* The title of a group, "Figure:", without its colon. */
static void write_group(const struct option_group *group, FILE *out) {
  if (!group->options->name) return;
  if (group->title) fprintf(out, ".SS %.*s\n", (int)strcspn(group->title, ":"), group->title);
  for (const struct argp_option *option = group->options; option->name; option++)
    write_option(option, out);
}

static void write_options(const struct command *command, FILE *out) {
  struct option_group groups[OPTION_GROUPS];
  const size_t count = invocation_groups(command, groups);
  fputs(".SH OPTIONS\n", out);
  for (size_t i = 0; i < count; i++)
    write_group(&groups[i], out);
}

static void write_title(const char *page, FILE *out) {
  fputs(".TH ", out);
  for (; *page; page++)
    fputc(toupper((unsigned char)*page), out);
  fputs(" 1 \"\" \"ropetool " ROPETOOL_VERSION "\" \"ropetool manual\"\n.nh\n.ad l\n.SH NAME\n",
        out);
}

static void write_status(FILE *out) {
  static const char *const status[][2] = {
      {"0", "all went well"},
      {"1", "it failed: an output file, memory, the device, gnuplot, or numeric trouble"},
      {"2", "a bad command line, or an input file that is missing, unreadable or wrong"},
      {"3", "a check failed"},
      {"128 + \\fIN\\fR", "ended by signal \\fIN\\fR; partial files were removed"},
  };
  fputs(".SH EXIT STATUS\n", out);
  for (size_t i = 0; i < sizeof status / sizeof *status; i++)
    fprintf(out, ".TP\n.B %s\n%s\n", status[i][0], status[i][1]);
}

/* The pages name documents by their last part alone. */
static void write_files(FILE *out) {
  fputs(".SH FILES\n"
        "\\fIPREFIX\\fR is what ropetool was installed with: /usr, /usr/local, ...\n"
        ".TP\n\\fIPREFIX\\fR/share/doc/ropetool/docs\n"
        "the documents that these pages name: math.md with the formulas and their sources, "
        "performance.md;\n"
        "tour.md, from a model\\(aqs file to the figures of a paper; gallery.md, what there is to "
        "see\n"
        ".TP\n\\fIPREFIX\\fR/share/doc/ropetool/plots\n"
        "recipes of published figures with what they read, and the styles\n"
        ".TP\n\\fIPREFIX\\fR/lib/ropetool/ropetool_cuda.so\n"
        "the CUDA plug\\-in, where it was built\n",
        out);
}

/* Text with the places `.\" manual: NAME` of sections. */
static void write_sections(const char *const *names, FILE *out) {
  for (; *names; names++)
    fprintf(out, ".\\\" manual: %s\n", *names);
}

static void write_program(FILE *out) {
  static const char *const sections[] = {
      "Conventions", "Which RoPE", "Encodings' options", "Figure", "Output", "Environment",
      "help",        NULL,
  };
  const struct command *command;
  write_title("ropetool", out);
  fputs("ropetool \\- analysis and visualisation of Rotary Position Embedding (RoPE)\n"
        ".SH SYNOPSIS\n.B ropetool\n.I COMMAND\n[\\fIOPTION\\fR...]\n.br\n"
        ".B ropetool help\n[\\fICOMMAND\\fR]\n.br\n.B ropetool \\-\\-version\n"
        ".SH DESCRIPTION\nComputes, proves and draws what rotary position embedding does.\n"
        "Each command has a page of its own, with its options.\n.SH COMMANDS\n",
        out);
  for (size_t i = 0; (command = command_at(i)); i++) {
    fprintf(out, ".TP\n.BR ropetool\\-%s (1)\n\\&", command->name);
    write_text(command->summary, out);
    fputc('\n', out);
  }
  write_sections(sections, out);
  write_status(out);
  write_files(out);
  fputs(".SH SEE ALSO\n.BR gnuplot (1)\n", out);
}

void manual_write(const struct command *command, FILE *out) {
  if (!command) {
    write_program(out);
    return;
  }
  char page[64];
  snprintf(page, sizeof page, "ropetool\\-%s", command->name);
  write_title(page, out);
  fprintf(out, "%s \\- ", page);
  write_text(command->summary, out);
  fprintf(out, "\n.SH SYNOPSIS\n.B ropetool %s\n[\\fIOPTION\\fR...]", command->name);
  if (command->arguments) fputc('\n', out);
  if (command->arguments) write_argument(command->arguments, out);
  fputs("\n.SH DESCRIPTION\n\\&", out);
  write_text(command->description, out);
  fputc('\n', out);
  write_options(command, out);
  const char *const sections[] = {command->name, NULL};
  write_sections(sections, out);
  write_status(out);
  fputs(".SH SEE ALSO\n.BR ropetool (1)\n", out);
}

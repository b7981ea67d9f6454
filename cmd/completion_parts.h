/* The parts of completions, one file for each shell; for cmd/completion*.c alone. To add a shell,
   write its file and put it here and in completion.c. */
#ifndef ROPETOOL_CMD_COMPLETION_PARTS_H
#define ROPETOOL_CMD_COMPLETION_PARTS_H

#include <argp.h>
#include <stdio.h>

#include "cmd/command.h"

struct completion_shell {
  const char *name;
  void (*write)(FILE *out);
};

/* The names of the shells, in order; NULL behind the last. */
const char *completion_shell_name(size_t index);

extern const struct completion_shell completion_bash, completion_zsh, completion_fish;

/* The options of a command, each once; of one that takes those of others, theirs too. */
enum { COMPLETION_OPTIONS = 256 };
struct completion_options {
  const struct argp_option *option[COMPLETION_OPTIONS];
  size_t count;
};
void completion_options_collect(const struct command *command, struct completion_options *options);

/* What is no option, seen as one: its name is the command's. `arg` is NULL where there is none. */
struct argp_option completion_argument(const struct command *command);

/* The letter of its short form, or 0. */
char completion_letter(const struct argp_option *option);

/* Writes `text` with a backslash before each of the characters `special`, and with '\'' for a
   single quote: for use between single quotes. */
void completion_quote(const char *text, const char *special, FILE *out);

#endif

#include <stdlib.h>

#include "cmd/completion_parts.h"
#include "cmd/option_values.h"

static const char start[] =
    "# Completion of ropetool for fish; `ropetool help --completion fish` writes it.\n\n"
    "function __ropetool_words\n"
    "    printf '%s\\n' $argv\n"
    "end\n"
    "\n"
    "# Whether the command is $argv: the first word behind ropetool.\n"
    "function __ropetool_command\n"
    "    set -l words (commandline -opc)\n"
    "    test (count $words) -gt 1; and test $words[2] = $argv[1]\n"
    "end\n"
    "\n"
    "complete -c ropetool -f\n"
    "complete -c ropetool -n __fish_is_first_token -l help -d 'list the commands'\n"
    "complete -c ropetool -n __fish_is_first_token -l version -d 'versions of the program and its "
    "libraries'\n"
    "complete -c ropetool -n __fish_is_first_token -a help -d 'how to use a command'\n"
    "complete -c ropetool -n '__ropetool_command help' -l man -d 'write the manual page'\n"
    "complete -c ropetool -n '__ropetool_command help' -l completion -x -a '";

/* Between single quotes, where fish has the backslash too. */
static void write_text(const char *text, FILE *out) {
  for (; *text; text++) {
    if (*text == '\'' || *text == '\\') fputc('\\', out);
    fputc(*text, out);
  }
}

static void write_value(const struct argp_option *option, FILE *out) {
  char *values = option_values(option);
  if (option_takes_file(option)) fputs(" -F", out);
  if (option_takes_folder(option)) fputs(" -a '(__fish_complete_directories)'", out);
  if (values && *values && option_takes_list(option))
    fprintf(out, " -a '(__fish_complete_list , \"__ropetool_words %s\")'", values);
  else if (values && *values)
    fprintf(out, " -a '%s'", values);
  free(values);
}

static void write_option(const struct command *command, const struct argp_option *option,
                         FILE *out) {
  fprintf(out, "complete -c ropetool -n '__ropetool_command %s' -l %s", command->name,
          option->name);
  if (completion_letter(option)) fprintf(out, " -s %c", completion_letter(option));
  if (option->arg) {
    fputs(option_takes_file(option) ? " -r" : " -x", out);
    write_value(option, out);
  }
  fputs(" -d '", out);
  write_text(option->doc, out);
  fputs("'\n", out);
}

static void write_command(const struct command *command, FILE *out) {
  fprintf(out,
          "\ncomplete -c ropetool -n '__fish_is_first_token; or __ropetool_command help' -a %s -d "
          "'",
          command->name);
  write_text(command->summary, out);
  fputs("'\n", out);
  struct completion_options options;
  completion_options_collect(command, &options);
  for (size_t i = 0; i < options.count; i++)
    write_option(command, options.option[i], out);
  const struct argp_option argument = completion_argument(command);
  if (!argument.arg) return;
  fprintf(out, "complete -c ropetool -n '__ropetool_command %s'", command->name);
  write_value(&argument, out);
  fputc('\n', out);
}

static void write_script(FILE *out) {
  const struct command *command;
  fputs(start, out);
  const char *shell;
  for (size_t i = 0; (shell = completion_shell_name(i)); i++)
    fprintf(out, "%s%s", i ? " " : "", shell);
  fputs("' -d 'write the completions of a shell'\n", out);
  for (size_t i = 0; (command = command_at(i)); i++)
    write_command(command, out);
}

const struct completion_shell completion_fish = {.name = "fish", .write = write_script};

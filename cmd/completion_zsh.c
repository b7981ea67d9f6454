#include <stdlib.h>

#include "cmd/completion_parts.h"
#include "cmd/option_values.h"

/* What has a meaning to zsh's _arguments, in a text and in the name of an argument. */
static const char special[] = "\\[]:$`";

static const char functions[] = "_ropetool_command() {\n"
                                "  _describe -t commands command _ropetool_commands\n"
                                "}\n"
                                "\n"
                                "_ropetool_words() {\n"
                                "  local -a expl\n"
                                "  _wanted values expl value compadd - \"$@\"\n"
                                "}\n"
                                "\n"
                                "_ropetool_words_or_files() {\n"
                                "  _ropetool_words \"$@\"\n"
                                "  _files\n"
                                "}\n"
                                "\n";

static const char start[] =
    "_ropetool() {\n"
    "  local curcontext=$curcontext state line\n"
    "  local -A opt_args\n"
    "  _arguments -C \\\n"
    "    '(- *)--help[list the commands]' \\\n"
    "    '(- *)--version[versions of the program and its libraries]' \\\n"
    "    '1: :->command' \\\n"
    "    '*:: :->arguments' && return\n"
    "  case $state in\n"
    "    command) _ropetool_command ;;\n"
    "    arguments)\n"
    "      case $words[1] in\n"
    "        help)\n"
    "          _arguments \\\n"
    "            '1: :_ropetool_command' \\\n"
    "            '(1 --completion)--man[manual page]::command:_ropetool_command' \\\n"
    "            '(1 --man)--completion[completions]:shell:(";
static const char behind_help[] = ")'\n"
                                  "          ;;\n";

static const char end[] = "      esac\n"
                          "      ;;\n"
                          "  esac\n"
                          "}\n"
                          "\n"
                          "if [[ $funcstack[1] == _ropetool ]]; then\n"
                          "  _ropetool \"$@\"\n"
                          "else\n"
                          "  compdef _ropetool ropetool\n"
                          "fi\n";

static void write_commands(FILE *out) {
  const struct command *command;
  fputs("typeset -ga _ropetool_commands=(\n", out);
  for (size_t i = 0; (command = command_at(i)); i++) {
    fprintf(out, "  '%s:", command->name);
    completion_quote(command->summary, "\\", out);
    fputs("'\n", out);
  }
  fputs("  'help:how to use a command'\n)\n\n", out);
}

/* ":NAME: ACTION": what stands behind an option, or alone. */
static void write_value(const struct argp_option *option, FILE *out) {
  char *values = option_values(option);
  fputc(':', out);
  completion_quote(option->arg, special, out);
  fputc(':', out);
  const bool words = values && *values;
  if (words && option_takes_file(option))
    fprintf(out, " _ropetool_words_or_files %s", values);
  else if (words && option_takes_list(option))
    fprintf(out, " _sequence compadd - %s", values);
  else if (words)
    fprintf(out, " _ropetool_words %s", values);
  else if (option_takes_folder(option))
    fputs("_files -/", out);
  else
    fputs(option_takes_file(option) ? "_files" : " ", out);
  free(values);
}

static void write_option(const struct argp_option *option, FILE *out) {
  const char letter = completion_letter(option);
  const bool repeatable = option_is_repeatable(option);
  const char *equal = option->arg ? "=" : "";
  fputs(" \\\n            ", out);
  if (letter) {
    fprintf(out, repeatable ? "'*'" : "'(-%c --%s)'", letter, option->name);
    fprintf(out, "{-%c%s,--%s%s}'[", letter, option->arg ? "+" : "", option->name, equal);
  } else
    fprintf(out, "'%s--%s%s[", repeatable ? "*" : "", option->name, equal);
  completion_quote(option->doc, special, out);
  fputc(']', out);
  if (option->arg) write_value(option, out);
  fputc('\'', out);
}

static void write_script(FILE *out) {
  const struct command *command;
  fputs("#compdef ropetool\n"
        "# Completion of ropetool for zsh; `ropetool help --completion zsh` writes it.\n\n",
        out);
  write_commands(out);
  fputs(functions, out);
  fputs(start, out);
  const char *shell;
  for (size_t i = 0; (shell = completion_shell_name(i)); i++)
    fprintf(out, "%s%s", i ? " " : "", shell);
  fputs(behind_help, out);
  for (size_t i = 0; (command = command_at(i)); i++) {
    struct completion_options options;
    completion_options_collect(command, &options);
    fprintf(out, "        %s)\n          _arguments -s", command->name);
    for (size_t j = 0; j < options.count; j++)
      write_option(options.option[j], out);
    const struct argp_option argument = completion_argument(command);
    if (argument.arg) {
      fputs(" \\\n            '1", out);
      write_value(&argument, out);
      fputc('\'', out);
    }
    fputs("\n          ;;\n", out);
  }
  fputs(end, out);
}

const struct completion_shell completion_zsh = {.name = "zsh", .write = write_script};

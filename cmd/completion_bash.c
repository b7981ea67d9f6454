#include <stdlib.h>

#include "cmd/completion_parts.h"
#include "cmd/option_values.h"

/* Bash takes '=' and ':' as words of their own; bash-completion is not needed. */
static const char functions[] =
    "_ropetool_files() {\n"
    "  compopt -o filenames 2>/dev/null\n"
    "  mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- \"$1\")\n"
    "}\n"
    "\n"
    "_ropetool_folders() {\n"
    "  compopt -o filenames 2>/dev/null\n"
    "  mapfile -t COMPREPLY < <(compgen -d -- \"$1\")\n"
    "}\n"
    "\n"
    "_ropetool_words() {\n"
    "  mapfile -t COMPREPLY < <(compgen -P \"$2\" -W \"$1\" -- \"$3\")\n"
    "}\n"
    "\n"
    "_ropetool() {\n"
    "  local words= files= folders= list= before= equal= current=${COMP_WORDS[COMP_CWORD]}\n"
    "  local option=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}\n"
    "  COMPREPLY=()\n"
    "  if ((COMP_CWORD == 1)); then\n"
    "    _ropetool_words \"$_ropetool_commands help --help --version\" '' \"$current\"\n"
    "    return\n"
    "  fi\n"
    "  if [[ $command == help ]]; then\n"
    "    case $COMP_CWORD$option in\n"
    "      2*) words=\"$_ropetool_commands --man --completion\" ;;\n"
    "      3--man) words=$_ropetool_commands ;;\n"
    "      3--completion) words=$_ropetool_shells ;;\n"
    "    esac\n"
    "    _ropetool_words \"$words\" '' \"$current\"\n"
    "    return\n"
    "  fi\n"
    "  if [[ $current == '=' ]]; then\n"
    "    current= equal=yes\n"
    "  elif [[ $option == '=' ]]; then\n"
    "    option=${COMP_WORDS[COMP_CWORD - 2]} equal=yes\n"
    "  fi\n"
    "  if ! _ropetool_value \"$command\" \"$option\"; then\n"
    "    [[ ! $equal ]] || return\n"
    "    if [[ $current == -* ]]; then\n"
    "      words=$(_ropetool_options \"$command\")\n"
    "    elif ! _ropetool_value \"$command\" argument; then\n"
    "      [[ $current ]] || words=$(_ropetool_options \"$command\")\n"
    "    fi\n"
    "  fi\n"
    "  if [[ $list && $current == *,* ]]; then\n"
    "    before=${current%,*},\n"
    "  fi\n"
    "  _ropetool_words \"$words\" \"$before\" \"${current#\"$before\"}\"\n"
    "  [[ ! $files ]] || _ropetool_files \"$current\"\n"
    "  [[ ! $folders ]] || _ropetool_folders \"$current\"\n"
    "}\n"
    "\n"
    "complete -F _ropetool ropetool\n";

static void write_commands(FILE *out) {
  const struct command *command;
  fputs("_ropetool_commands='", out);
  for (size_t i = 0; (command = command_at(i)); i++)
    fprintf(out, "%s%s", i ? " " : "", command->name);
  fputs("'\n_ropetool_shells='", out);
  const char *shell;
  for (size_t i = 0; (shell = completion_shell_name(i)); i++)
    fprintf(out, "%s%s", i ? " " : "", shell);
  fputs("'\n\n", out);
}

static void write_options(FILE *out) {
  const struct command *command;
  fputs("_ropetool_options() { # COMMAND\n  case $1 in\n", out);
  for (size_t i = 0; (command = command_at(i)); i++) {
    struct completion_options options;
    completion_options_collect(command, &options);
    fprintf(out, "    %s) echo '", command->name);
    for (size_t j = 0; j < options.count; j++)
      fprintf(out, "%s--%s", j ? " " : "", options.option[j]->name);
    fputs("' ;;\n", out);
  }
  fputs("  esac\n}\n\n", out);
}

/* A branch that says what may stand behind the option. */
static void write_value(const struct argp_option *option, FILE *out) {
  char *values = option_values(option);
  fputc(')', out);
  if (values && *values) fprintf(out, " words='%s'", values);
  if (option_takes_file(option)) fputs(" files=yes", out);
  if (option_takes_folder(option)) fputs(" folders=yes", out);
  if (option_takes_list(option)) fputs(" list=yes", out);
  fputs(" ;;\n", out);
  free(values);
}

static void write_values(FILE *out) {
  const struct command *command;
  fputs("# Whether a value stands behind the option; what it may be, in words, files,\n# folders "
        "and list.\n"
        "_ropetool_value() { # COMMAND OPTION\n  case \"$1 $2\" in\n",
        out);
  for (size_t i = 0; (command = command_at(i)); i++) {
    struct completion_options options;
    completion_options_collect(command, &options);
    for (size_t j = 0; j < options.count; j++) {
      const struct argp_option *option = options.option[j];
      if (!option->arg) continue;
      fprintf(out, "    '%s --%s'", command->name, option->name);
      if (completion_letter(option))
        fprintf(out, " | '%s -%c'", command->name, completion_letter(option));
      write_value(option, out);
    }
    const struct argp_option argument = completion_argument(command);
    if (!argument.arg) continue;
    fprintf(out, "    '%s argument'", command->name);
    write_value(&argument, out);
  }
  fputs("    *) return 1 ;;\n  esac\n}\n\n", out);
}

static void write_script(FILE *out) {
  fputs("# Completion of ropetool for bash; `ropetool help --completion bash` writes it.\n\n", out);
  write_commands(out);
  write_options(out);
  write_values(out);
  fputs(functions, out);
}

const struct completion_shell completion_bash = {.name = "bash", .write = write_script};

#include "cmd/completion.h"

#include <ctype.h>
#include <string.h>

#include "cmd/completion_parts.h"

static const struct completion_shell *const shells[] = {
    &completion_bash,
    &completion_zsh,
    &completion_fish,
};

const char *completion_shell_name(size_t index) {
  return index < sizeof shells / sizeof *shells ? shells[index]->name : NULL;
}

int completion_write(const char *shell, FILE *out, struct error *error) {
  for (size_t i = 0; shell && i < sizeof shells / sizeof *shells; i++)
    if (!strcmp(shell, shells[i]->name)) {
      shells[i]->write(out);
      return OK;
    }
  return error_set(error, ERROR_INPUT, "unknown shell '%s' of --completion: bash, zsh or fish",
                   shell ? shell : "");
}

static bool is_collected(const struct completion_options *options, const char *name) {
  for (size_t i = 0; i < options->count; i++)
    if (!strcmp(options->option[i]->name, name)) return true;
  return false;
}

static void collect(const struct command *command, struct completion_options *options) {
  struct option_group groups[OPTION_GROUPS];
  const size_t count = invocation_groups(command, groups);
  for (size_t i = 0; i < count; i++)
    for (const struct argp_option *option = groups[i].options; option->name; option++)
      if (options->count < COMPLETION_OPTIONS && !is_collected(options, option->name))
        options->option[options->count++] = option;
}

void completion_options_collect(const struct command *command, struct completion_options *options) {
  options->count = 0;
  collect(command, options);
  const struct command *other;
  for (size_t i = 0; command->options_of_figures && (other = command_at(i)); i++)
    if (other->groups & GROUP_FIGURE) collect(other, options);
}

struct argp_option completion_argument(const struct command *command) {
  return (struct argp_option){.name = command->name, .arg = command->arguments};
}

char completion_letter(const struct argp_option *option) {
  return option->key < 0x80 && isalpha(option->key) ? (char)option->key : 0;
}

void completion_quote(const char *text, const char *special, FILE *out) {
  for (; *text; text++) {
    if (strchr(special, *text)) fputc('\\', out);
    if (*text == '\'')
      fputs("'\\''", out);
    else
      fputc(*text, out);
  }
}

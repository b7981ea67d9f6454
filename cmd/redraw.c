/* ropetool redraw: draws a figure again from its own provenance, with options overridden. */
#include <stdlib.h>
#include <string.h>

#include "cmd/command.h"
#include "cmd/figure_file.h"
#include "lib/base/memory.h"

static const struct argp_option options[] = {
    {"without", 256, "OPTION", 0,
     "take an option of the figure's command away: --without dark (may be repeated)", 0},
    {0},
};

/* The figure is the first word or the last: all between belongs to the command inside the figure.
 */
static int find_figure(int count, char *const *words, int *first, struct error *error) {
  *first = count > 0 && words[0][0] != '-';
  if (count > 0 && (*first || words[count - 1][0] != '-')) return OK;
  return error_set(error, ERROR_INPUT, "no figure given: ropetool redraw FIG -o NEW [OPTION...]");
}

/* Takes "--without OPTION" out of the words, and OPTION out of the figure's command. */
static int take_away(struct invocation *invocation, int *count, char **words, const char *figure,
                     struct error *error) {
  static const char name[] = "--without";
  int kept = 0;
  for (int i = 0; i < *count; i++) {
    const bool joined = !strncmp(words[i], "--without=", sizeof name);
    if (!joined && strcmp(words[i], name)) {
      words[kept++] = words[i];
      continue;
    }
    if (!joined && i + 1 == *count)
      return error_set(error, ERROR_INPUT, "--without needs the name of an option");
    const char *option = joined ? words[i] + sizeof name : words[++i];
    option += strspn(option, "-");
    if (!invocation_forget(invocation, option))
      return error_set(error, ERROR_INPUT,
                       "--without '%s': the command of '%s' has no such option; 'ropetool info "
                       "--command' shows it",
                       option, figure);
  }
  *count = kept;
  return OK;
}

/* What is given here counts, on top of the command inside the figure. */
static int parse_words(struct invocation *invocation, int count, char *const *words,
                       const char *figure, struct error *error) {
  char **own = memory_array((size_t)count + 1, sizeof *own, "a command line", error);
  if (!own) return ERROR_FAILED;
  memcpy(own, words, (size_t)count * sizeof *own);
  int status = take_away(invocation, &count, own, figure, error);
  if (!status) status = invocation_parse(invocation, count, own, error);
  free(own);
  return status;
}

static int prepare(struct invocation *invocation, int count, char *const *words,
                   struct error *error) {
  static const char *const help[] = {"-h", "--help"};
  if (count == 1 && (!strcmp(words[0], help[0]) || !strcmp(words[0], help[1]))) {
    invocation->help = true;
    return OK;
  }
  int first, intact;
  struct meta *provenance;
  if (find_figure(count, words, &first, error)) return error->code;
  const char *figure = first ? words[0] : words[count - 1];
  int status = figure_file_read(figure, &provenance, &intact, error);
  if (status && !first) error_prefix(error, "the figure must be the first word or the last");
  if (status) return status;
  const char *command = meta_text(provenance, "command");
  status = command ? invocation_parse_command(invocation, command, error)
                   : error_set(error, ERROR_INPUT, "'%s' does not say how it was made", figure);
  if (!status) status = parse_words(invocation, count - 1, words + first, figure, error);
  invocation->made_from = provenance;
  if (!status && !invocation->help && !option_given(invocation, "output"))
    status =
        error_set(error, ERROR_INPUT, "no output given: ropetool redraw FIG -o NEW [OPTION...]");
  return status;
}

const struct command command_redraw = {
    .name = "redraw",
    .summary = "draw a figure again, with options overridden",
    .arguments = "FIG -o NEW",
    .description = "Takes the command inside FIG, replaces the options given here, and runs it. "
                   "Every option of that "
                   "command is allowed.",
    .options = options,
    .options_of_figures = true,
    .prepare = prepare,
};

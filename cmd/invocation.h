/* An invocation: the options of one command line, in order, by their long names. */
#ifndef ROPETOOL_CMD_INVOCATION_H
#define ROPETOOL_CMD_INVOCATION_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "lib/base/error.h"
#include "lib/io/meta.h"

struct command;

struct option_entry {
  const char *name;  /* long name, without dashes */
  const char *value; /* NULL for a flag */
  bool canonical;    /* says what is computed, not how to run or where to write */
  const char *path;  /* what of the value names a file; NULL: nothing */
  int pass;
};

struct invocation {
  const struct command *command;
  struct option_entry *entries;
  size_t count;
  const char *argument;   /* the one argument that is no option, or NULL */
  const char *label;      /* what messages begin with; NULL: "ropetool NAME" */
  struct meta *made_from; /* provenance of the figure that is drawn again; NULL: none is */
  bool help;
  int pass;       /* of the parse under way: a later pass replaces what an earlier one set */
  void *owned[4]; /* word lists that entries point into */
};

/* Parses `words` (options and arguments alone, without the command's name) on top of what is there
   already. An option of a second parse replaces every occurrence from the first. Bad options end
   the program with one line and status 2 (getopt's own words); other faults are ERROR_INPUT. */
int invocation_parse(struct invocation *invocation, int count, char *const *words,
                     struct error *error);

/* The same for a canonical command line "ropetool NAME ..."; finds the command too. */
int invocation_parse_command(struct invocation *invocation, const char *line, struct error *error);

void invocation_release(struct invocation *invocation);

/* Takes every occurrence of an option away; whether there was one. */
bool invocation_forget(struct invocation *invocation, const char *name);

/* The next file, from *cursor = 0 on, that was another when the figure that is drawn again was
   made: `meta` has an input of its name, but none of its hash. NULL at the end. */
const char *invocation_changed_input(const struct invocation *invocation, const struct meta *meta,
                                     size_t *cursor);

/* The canonical command, to be released with free(). */
char *invocation_canonical(const struct invocation *invocation);

/* A table of options that a command takes, and what the help calls it (NULL: the command's own). */
struct option_group {
  const char *title;
  const struct argp_option *options; /* a list up to the one without a name */
  bool canonical;                    /* as in struct option_entry */
};

/* The tables of `command`, its own first; how many there are. */
enum { OPTION_GROUPS = 7 };
size_t invocation_groups(const struct command *command, struct option_group groups[OPTION_GROUPS]);

/* Whether each value of the option counts, not the last alone. */
bool option_is_repeatable(const struct argp_option *option);

/* Writes the help text of the command. */
void invocation_help(const struct command *command, FILE *out);

/* Reading. `name` is a long name; the last value counts where an option was repeated. The functions
   that return an int leave `value` as it was when the option was not given. */
bool option_given(const struct invocation *invocation, const char *name);
const char *option_text(const struct invocation *invocation, const char *name,
                        const char *otherwise);
int option_positive(const struct invocation *invocation, const char *name, double *value,
                    struct error *error);
int option_integer(const struct invocation *invocation, const char *name, int64_t lowest,
                   int64_t highest, int64_t *value, struct error *error);
int option_tokens(const struct invocation *invocation, const char *name, int64_t lowest,
                  int64_t highest, int64_t *value, struct error *error);

/* Every value of a repeatable option in order: start with *cursor = 0; NULL at the end. */
const char *option_next(const struct invocation *invocation, const char *name, size_t *cursor);

/* An option that would change nothing is a conflict: `wanted` says what it goes with. */
struct option_need {
  const char *option; /* long name; NULL ends a list */
  bool met;
  const char *wanted;
};

/* ERROR_INPUT for the first option that was given though its need is not met. */
int option_check_needs(const struct invocation *invocation, const struct option_need *needs,
                       struct error *error);

/* Copies the next item of a comma list into `item` and moves on; false at the end of the list. An
   empty item ("1,,2") comes back as "". */
bool list_next(const char **list, char *item, size_t size);

#endif

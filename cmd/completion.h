/* Completions of the command line, for the shells that have such: scripts written from the option
   tables. */
#ifndef ROPETOOL_CMD_COMPLETION_H
#define ROPETOOL_CMD_COMPLETION_H

#include <stdio.h>

#include "lib/base/error.h"

/* Writes the script for `shell`. ERROR_INPUT: a shell that is not known (those that are, are
   listed), or NULL. */
int completion_write(const char *shell, FILE *out, struct error *error);

#endif

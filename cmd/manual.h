/* Manual pages, from the table of commands and their options.

   What docs/commands.md says beside that is put in by docs/man/page.awk: a line `.\" manual: NAME`
   stands for its section NAME. */
#ifndef ROPETOOL_CMD_MANUAL_H
#define ROPETOOL_CMD_MANUAL_H

#include <stdio.h>

#include "cmd/command.h"

/* Writes the page of `command`, ropetool-NAME(1); with NULL that of the program, ropetool(1). In
   the man(7) language. */
void manual_write(const struct command *command, FILE *out);

#endif

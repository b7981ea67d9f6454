/* `ropetool --version`. */
#ifndef ROPETOOL_CMD_VERSION_H
#define ROPETOOL_CMD_VERSION_H

#include <stdio.h>

/* The version, what the program was built with, and the libraries it runs with. */
void version_print(FILE *out);

#endif

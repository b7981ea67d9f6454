/* `ropetool --version`. */
#ifndef ROPETOOL_CMD_VERSION_H
#define ROPETOOL_CMD_VERSION_H

#include <stdbool.h>
#include <stdio.h>

/* A library that the program runs with. */
struct library {
  const char *name;    /* "gsl" */
  char running[256];   /* the version that was loaded, in the library's own words */
  char built_with[32]; /* the version of its headers; "" where it does not matter or is not known */
};

/* The libraries in order; false past the end. */
bool version_library(size_t index, struct library *library);

/* The version, what the program was built with, and the libraries it runs with. */
void version_print(FILE *out);

#endif

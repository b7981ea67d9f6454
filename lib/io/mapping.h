/* The bytes of a whole file, without reading more of it than is looked at. */
#ifndef ROPETOOL_IO_MAPPING_H
#define ROPETOOL_IO_MAPPING_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/error.h"

/* The bytes of a file: mapped, or read where it cannot be. They may be written to, which the file
   does not see. */
struct mapping {
  void *data;
  size_t size;
  bool mapped; /* else `data` is to be released with free() */
};

/* ERROR_INPUT when the file cannot be read; ERROR_FAILED when memory is out. */
int mapping_open(const char *path, struct mapping *mapping, struct error *error);

/* Releases the bytes. One that is all zeros, or failed to open, is allowed. */
void mapping_close(struct mapping *mapping);

#endif

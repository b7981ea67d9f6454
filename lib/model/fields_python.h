/* JSON as Python's json module writes and reads it: NaN and infinities stand among the numbers. */
#ifndef ROPETOOL_MODEL_FIELDS_PYTHON_H
#define ROPETOOL_MODEL_FIELDS_PYTHON_H

#include <stddef.h>

#include "lib/base/error.h"

/* A copy of `text`, to be released with free(), with a mark of the same length, a text, in the
   place of each NaN, Infinity or -Infinity that stands where a value may stand; *copy is NULL where
   there is none. ERROR_FAILED: no memory. */
int fields_mark_python(const char *text, size_t size, char **copy, struct error *error);

/* What a text is the mark of: "NaN", "Infinity" or "-Infinity"; NULL: it is no mark. */
const char *fields_python_number(const char *text);

#endif

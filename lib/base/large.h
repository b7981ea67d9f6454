/* Arrays that may be larger than what is to be held in memory. */
#ifndef ROPETOOL_BASE_LARGE_H
#define ROPETOOL_BASE_LARGE_H

#include <stddef.h>

#include "lib/base/error.h"

/* A zeroed array of `count` elements of `size` bytes, to be released with large_release(). Up to
   LARGE_LEAST bytes it is as of memory_array(). A larger one lies in a file without a name in
   TMPDIR, /var/tmp or /tmp, so that what is set aside leaves memory; it is as of memory_array() too
   where these hold files in memory, have less than four times the room, or refuse. NULL with the
   error filled as there. */
enum { LARGE_LEAST = 1 << 27 };
void *large_array(size_t count, size_t size, const char *what, struct error *error);
void large_release(void *array); /* NULL is allowed */

/* Lets go of the memory of bytes that will not be looked at soon. They keep their values, and may
   be touched at any time. No effect on bytes that are not of an array on file. */
void large_set_aside(const void *data, size_t bytes);

#endif

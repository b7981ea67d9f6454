/* Memory: every array whose size comes from the user is asked for here, with its size checked. */
#ifndef ROPETOOL_BASE_MEMORY_H
#define ROPETOOL_BASE_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#include "lib/base/error.h"

/* Largest number of bytes the heap may hold. Set by --max-memory; by default (or after 0) what it
   holds and what is free at the first question: the least of the machine's and the control
   groups'. */
void memory_set_limit(uint64_t bytes);
uint64_t memory_limit(void);

/* Refuses a computation that would need more than the limit leaves beside what is in use already,
   with the sizes in the message. What is in use is looked at for more than 1 MiB only.
   `count` × `size` may exceed 64 bits: it is then refused too. */
int memory_require(uint64_t count, uint64_t size, const char *what, struct error *error);

/* A zeroed array of `count` elements of `size` bytes, to be released with free(). NULL with the
   error filled when it is too large (see memory_require) or the system has no more. count 0 gives a
   valid pointer. `what` names the array in the message: "the scores of 4096 queries". */
void *memory_array(size_t count, size_t size, const char *what, struct error *error);

/* A copy of `text`, to be released with free(); NULL with the error filled. */
char *memory_text(const char *text, struct error *error);

#endif

/* Positions of tokens, as the command line gives them. */
#ifndef ROPETOOL_IO_POSITIONS_H
#define ROPETOOL_IO_POSITIONS_H

#include <stdint.h>

#include "lib/base/error.h"
#include "lib/base/hash.h"

struct positions {
  size_t batch;           /* sets of positions: 1 when all batches share them */
  size_t length;          /* positions of a set */
  size_t rank;            /* 1: (position), 2: (batch, position) */
  int64_t *position;      /* (batch, position) */
  char sha256[HASH_TEXT]; /* of the file, else "" */
};

/* Reads "A:B" (both ends included; numbers of tokens such as 4096 or 32k, of either sign) or
   "FILE[:TENSOR]" with whole numbers, (position) or (batch, position). `what` names the option in
   messages. */
int positions_read(const char *text, const char *what, struct positions *positions,
                   struct error *error);
void positions_release(struct positions *positions);

#endif

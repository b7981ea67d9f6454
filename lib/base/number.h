/* Numbers from text, as people type them on a command line. *value is set on success alone, and the
   locale does not matter. */
#ifndef ROPETOOL_BASE_NUMBER_H
#define ROPETOOL_BASE_NUMBER_H

#include <stdint.h>

#include "lib/base/error.h"

/* A finite decimal number: "500000", "1e6", "-0.5". The whole text must be the number: no suffix
   (10k could mean two things), no hexadecimal, no blanks. `what` names it in the message: "--base".
 */
int number_real(const char *text, const char *what, double *value, struct error *error);

/* As number_real, and > 0. */
int number_positive(const char *text, const char *what, double *value, struct error *error);

/* A whole number in [lowest, highest]; "1e6" is whole. No suffix. All of its digits are exact up to
   64 bits, other forms up to 2^53. */
int number_integer(const char *text, const char *what, int64_t lowest, int64_t highest,
                   int64_t *value, struct error *error);

/* A number of tokens (length, position, distance, context) in [lowest, highest]: as number_integer,
   and "32k" = 32·1024, "1M" = 1024·1024; "1.5k" is allowed when it is whole. */
int number_tokens(const char *text, const char *what, int64_t lowest, int64_t highest,
                  int64_t *value, struct error *error);

/* A length on paper, > 0, in inches: "3.25in", "89mm", "8.9cm", "1051px" at `dpi`, "252pt" in TeX's
   points (72.27 to the inch). */
int number_paper(const char *text, const char *what, double dpi, double *inches,
                 struct error *error);

#endif

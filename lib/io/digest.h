/* Hashes of results: of all their digits, and of those that every machine agrees on. */
#ifndef ROPETOOL_IO_DIGEST_H
#define ROPETOOL_IO_DIGEST_H

#include "lib/base/error.h"
#include "lib/base/hash.h"
#include "lib/io/matrix.h"
#include "lib/io/table.h"

/* SHA-256 of the bytes of NAME.csv, and of NAME.npy. ERROR_FAILED: memory is out. */
int digest_table(const struct table *table, char hex[HASH_TEXT], struct error *error);
int digest_matrix(const struct matrix *matrix, char hex[HASH_TEXT], struct error *error);

/* SHA-256 of the same numbers, rounded: another processor, OpenBLAS or libm has other last digits.
   The unit is 2^−20 (about 10^−6) of the power of two above the largest finite value of a column,
   or of a matrix; a number x becomes ⌊x/unit + 1/3⌋ (a third, since numbers of few binary digits
   would lie on the edge of ⌊x/unit + 1/2⌋). Results that differ by ε have different hashes with a
   chance of about ε/unit a number. ERROR_FAILED: memory is out. */
#define DIGEST_DIGITS 20 /* binary */
int digest_table_rounded(const struct table *table, char hex[HASH_TEXT], struct error *error);
int digest_matrix_rounded(const struct matrix *matrix, char hex[HASH_TEXT], struct error *error);

#endif

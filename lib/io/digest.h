/* Hashes of results. */
#ifndef ROPETOOL_IO_DIGEST_H
#define ROPETOOL_IO_DIGEST_H

#include "lib/base/error.h"
#include "lib/base/hash.h"
#include "lib/io/matrix.h"
#include "lib/io/table.h"

/* SHA-256 of the bytes of NAME.csv, and of NAME.npy. ERROR_FAILED: memory is out. */
int digest_table(const struct table *table, char hex[HASH_TEXT], struct error *error);
int digest_matrix(const struct matrix *matrix, char hex[HASH_TEXT], struct error *error);

#endif

/* SHA-256. */
#ifndef ROPETOOL_BASE_HASH_H
#define ROPETOOL_BASE_HASH_H

#include <stddef.h>

#include "lib/base/error.h"

enum { HASH_TEXT = 65 }; /* 64 hexadecimal digits and a NUL */

struct hash_part {
  const void *data;
  size_t size;
};

/* The hash of the parts one after another, as lower-case hexadecimal digits. */
void hash_parts(const struct hash_part *parts, size_t count, char hex[HASH_TEXT]);

/* The same of bytes that come one after another. NULL when memory is out; hash_end releases it. */
struct hash;
struct hash *hash_begin(struct error *error);
void hash_add(struct hash *hash, const void *data, size_t size);
void hash_end(struct hash *hash, char hex[HASH_TEXT]);

void hash_bytes(const void *data, size_t size, char hex[HASH_TEXT]);

/* The hash of a file's bytes, read in pieces. ERROR_INPUT when it cannot be read. */
int hash_file(const char *path, char hex[HASH_TEXT], struct error *error);

#endif

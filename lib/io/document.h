/* JSON of results: {"meta": {...}, ...}. The meta data end with "json_sha256", which tells whether
   the text is as it was written: SHA-256 of the whole of it with 64 zeros in place of that hash. */
#ifndef ROPETOOL_IO_DOCUMENT_H
#define ROPETOOL_IO_DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "lib/base/error.h"
#include "lib/io/meta.h"

/* Writes what stands between the meta data and the last '}'; called twice, with the same text. */
typedef void document_rest(const void *data, FILE *out);

/* `meta` has no such hash yet. `rest` NULL: nothing. Write errors, and that memory is out, show on
   the stream. */
void document_write(const struct meta *meta, document_rest *rest, const void *data, FILE *out);

/* Reads the meta data of such a text, any bytes; destroy them. `*intact`: it is as it was written.
   ERROR_INPUT: it does not begin with meta data. */
int document_read(const char *text, size_t size, struct meta **meta, bool *intact,
                  struct error *error);

#endif

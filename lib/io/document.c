#include "lib/io/document.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/file.h"
#include "lib/base/hash.h"

static const char head[] = "{\"meta\": ", tail[] = "}\n", hash_name[] = "json_sha256";

enum { DIGITS = HASH_TEXT - 1 };

static const char zeros[HASH_TEXT] =
    "0000000000000000000000000000000000000000000000000000000000000000";

static ssize_t hash_written(void *hash, const char *data, size_t size) {
  hash_add(hash, data, size);
  return (ssize_t)size;
}

static void write_parts(const char *meta, document_rest *rest, const void *data, FILE *out) {
  fputs(head, out);
  fputs(meta, out);
  if (rest) rest(data, out);
  fputs(tail, out);
}

/* The hash of the text, whose `meta` has zeros for it. */
static int hash_text(const char *meta, document_rest *rest, const void *data, char hex[HASH_TEXT]) {
  struct error error;
  struct hash *hash = hash_begin(&error);
  if (!hash) return ERROR_FAILED;
  FILE *out = fopencookie(hash, "w", (cookie_io_functions_t){.write = hash_written});
  if (out) write_parts(meta, rest, data, out);
  const bool failed = !out || ferror(out);
  const int status = (out && fclose(out)) || failed ? ERROR_FAILED : OK;
  hash_end(hash, hex);
  return status;
}

void document_write(const struct meta *meta, document_rest *rest, const void *data, FILE *out) {
  char hex[HASH_TEXT];
  struct meta *whole = meta_create();
  meta_prepend(whole, meta);
  meta_set_text(whole, hash_name, zeros);
  char *text = meta_to_json(whole, 2);
  meta_destroy(whole);
  /* The hash is the last text of the object. */
  char *quote = text ? strrchr(text, '"') : NULL;
  if (quote && !hash_text(text, rest, data, hex)) {
    memcpy(quote - DIGITS, hex, DIGITS);
    write_parts(text, rest, data, out);
  } else {
    file_mark_failed(out);
  }
  free(text);
}

/* Bytes of the object that `text` begins with; 0: there is none. */
static size_t object_length(const char *text, size_t size) {
  size_t depth = 0;
  bool quoted = false;
  for (size_t i = 0; i < size; i++) {
    const char c = text[i];
    if (quoted && c == '\\')
      i++;
    else if (c == '"')
      quoted = !quoted;
    else if (!quoted && c == '{')
      depth++;
    else if (!quoted && c == '}' && !--depth)
      return i + 1;
    if (!depth) return 0;
  }
  return 0;
}

int document_read(const char *text, size_t size, struct meta **meta, bool *intact,
                  struct error *error) {
  const size_t start = sizeof head - 1;
  *meta = NULL;
  *intact = false;
  const bool begins = size > start && !memcmp(text, head, start);
  const size_t length = begins ? object_length(text + start, size - start) : 0;
  if (!length) return error_set(error, ERROR_INPUT, "not JSON of a result: no meta data");
  const int status = meta_from_json(text + start, length, meta, error);
  const char *stated = status ? NULL : meta_text(*meta, hash_name);
  const char *quote = stated ? memrchr(text + start, '"', length) : NULL;
  if (!quote || strlen(stated) != DIGITS || (size_t)(quote - text) < start + DIGITS) return status;
  char hex[HASH_TEXT];
  hash_parts((struct hash_part[]){{text, (size_t)(quote - text) - DIGITS},
                                  {zeros, DIGITS},
                                  {quote, size - (size_t)(quote - text)}},
             3, hex);
  *intact = !strcmp(hex, stated) && !memcmp(quote - DIGITS, hex, DIGITS);
  return OK;
}

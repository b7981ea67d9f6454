#include <stdint.h>
#include <string.h>

#include "lib/figure/provenance_pdf.h"

static const char table_word[] = "xref";

static void skip_space(struct pdf_cursor *cursor) {
  const struct blob *file = cursor->file;
  while (cursor->at < file->size && file->data[cursor->at] &&
         strchr(" \t\r\n\f", file->data[cursor->at]))
    cursor->at++;
}

bool pdf_take(struct pdf_cursor *cursor, const char *word) {
  skip_space(cursor);
  if (!blob_has(cursor->file, cursor->at, word)) return false;
  cursor->at += strlen(word);
  return true;
}

bool pdf_take_number(struct pdf_cursor *cursor, size_t *number) {
  skip_space(cursor);
  const size_t start = cursor->at;
  *number = 0;
  for (; cursor->at < cursor->file->size && cursor->at - start < 10; cursor->at++) {
    const char c = cursor->file->data[cursor->at];
    if (c < '0' || c > '9') break;
    *number = 10 * *number + (size_t)(c - '0');
  }
  return cursor->at > start;
}

bool pdf_object_starts(const struct blob *file, size_t offset, size_t number, size_t generation) {
  char header[64];
  snprintf(header, sizeof header, "%zu %zu obj", number, generation);
  return blob_has(file, offset, header);
}

bool pdf_key_number(const struct blob *file, size_t from, size_t to, const char *key,
                    size_t *number) {
  struct pdf_cursor cursor = {file, blob_find(file, from, key)};
  return cursor.at < to && pdf_take(&cursor, key) && pdf_take_number(&cursor, number);
}

const char *pdf_read_end(const struct blob *file, size_t *xref, size_t *end) {
  const size_t size = blob_trimmed(file);
  *end = blob_find_last(file, size, "startxref");
  struct pdf_cursor cursor = {file, *end};
  if (!pdf_take(&cursor, "startxref") || !pdf_take_number(&cursor, xref) ||
      !pdf_take(&cursor, "%%EOF") || cursor.at != size || !blob_has(file, file->size - 1, "\n"))
    return "is cut off: no %EOF ends it";
  return *xref < *end ? NULL : "has no cross-reference table where it says";
}

/* Reads the sections of a cross-reference table up to "trailer" and checks that every object is
   where it says; *offset becomes that of the object `wanted`. */
static const char *read_table(struct pdf_cursor *cursor, size_t wanted, size_t *offset) {
  static const char malformed[] = "has a malformed cross-reference table";
  size_t first, count, at, generation;
  while (!pdf_take(cursor, "trailer")) {
    if (!pdf_take_number(cursor, &first) || !pdf_take_number(cursor, &count)) return malformed;
    for (size_t number = first; number < first + count; number++) {
      if (!pdf_take_number(cursor, &at) || !pdf_take_number(cursor, &generation)) return malformed;
      const bool used = pdf_take(cursor, "n");
      if (!used && !pdf_take(cursor, "f")) return malformed;
      if (used && !pdf_object_starts(cursor->file, at, number, generation))
        return "has an object that is not at its place";
      if (used && number == wanted) *offset = at;
    }
  }
  return NULL;
}

/* The document information, and where it ends. */
static const char *read_info(const struct blob *file, size_t offset, struct pdf_map *map) {
  static const char missing[] = "has no document information";
  struct pdf_cursor cursor = {file, blob_find(file, offset, "obj")};
  if (!offset || !pdf_take(&cursor, "obj") || !pdf_take(&cursor, "<<")) return missing;
  map->info_object = offset;
  map->info = cursor.at;
  map->info_end = blob_find_last(file, blob_find(file, map->info, "endobj"), ">>");
  return map->info_end >= map->info && map->info_end < file->size ? NULL : missing;
}

const char *pdf_read_map(const struct blob *file, struct pdf_map *map) {
  size_t end, offset = 0;
  const char *fault = pdf_read_end(file, &map->xref, &end);
  if (fault) return fault;

  struct pdf_cursor cursor = {file, map->xref};
  if (!pdf_take(&cursor, table_word)) return "has no cross-reference table where it says";
  fault = read_table(&cursor, SIZE_MAX, &offset);
  if (fault) return fault;
  map->trailer_end = blob_find_last(file, end, ">>");
  if (!pdf_take(&cursor, "<<") || cursor.at > map->trailer_end || map->trailer_end > end)
    return "has a malformed trailer";
  map->trailer = cursor.at;
  if (!pdf_key_number(file, map->trailer, map->trailer_end, "/Info", &map->info_number))
    return "names no document information";

  cursor = (struct pdf_cursor){file, map->xref};
  pdf_take(&cursor, table_word);
  fault = read_table(&cursor, map->info_number, &offset);
  return fault ? fault : read_info(file, offset, map);
}

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

static bool is_one_of(char c, const char *set) {
  return c && strchr(set, c);
}

/* Behind the string that starts at `at` with a parenthesis (section 3.2.3): others in it are in
   pairs or behind a backslash. */
static size_t string_end(const struct blob *file, size_t at) {
  for (size_t depth = 0; at < file->size; at++) {
    const char c = file->data[at];
    if (c == '\\')
      at++;
    else if (c == '(')
      depth++;
    else if (c == ')' && --depth == 0)
      return at + 1;
  }
  return file->size;
}

/* Takes the next token, whatever it is (section 3.1); false at the end of the file. */
static bool take_token(struct pdf_cursor *cursor, size_t *start) {
  static const char delimiters[] = "()<>[]{}/%";
  const struct blob *file = cursor->file;
  size_t at;
  for (skip_space(cursor); blob_has(file, cursor->at, "%"); skip_space(cursor))
    cursor->at = blob_find(file, cursor->at, "\n");
  at = *start = cursor->at;
  if (at >= file->size) return false;
  if (file->data[at] == '(') {
    at = string_end(file, at);
  } else if (blob_has(file, at, "<<") || blob_has(file, at, ">>")) {
    at += 2;
  } else if (file->data[at] == '<') {
    at = blob_find(file, at, ">");
    at += at < file->size;
  } else {
    const bool single = is_one_of(file->data[at], ")>[]{}");
    for (at++; !single && at < file->size; at++)
      if (is_one_of(file->data[at], delimiters) || is_one_of(file->data[at], " \t\r\n\f")) break;
  }
  cursor->at = at;
  return true;
}

static bool is_token(const struct pdf_cursor *cursor, size_t start, const char *word) {
  return cursor->at - start == strlen(word) && blob_has(cursor->file, start, word);
}

/* The place of the >> of the dictionary that `from` is within; the file's size when there is none.
 */
static size_t dictionary_end(const struct blob *file, size_t from) {
  struct pdf_cursor cursor = {file, from};
  size_t start, depth = 0;
  while (take_token(&cursor, &start)) {
    if (is_token(&cursor, start, "<<")) depth++;
    if (is_token(&cursor, start, ">>") && depth-- == 0) return start;
  }
  return file->size;
}

size_t pdf_find_name(const struct blob *file, size_t from, size_t to, const char *name) {
  struct pdf_cursor cursor = {file, from};
  size_t start, found = to;
  while (take_token(&cursor, &start) && cursor.at <= to)
    if (is_token(&cursor, start, name)) found = start;
  return found;
}

bool pdf_key_number(const struct blob *file, size_t from, size_t to, const char *name,
                    size_t *number) {
  struct pdf_cursor cursor = {file, pdf_find_name(file, from, to, name)};
  return cursor.at < to && pdf_take(&cursor, name) && pdf_take_number(&cursor, number);
}

const char *pdf_read_end(const struct blob *file, size_t *xref, size_t *end) {
  const size_t size = blob_trimmed(file);
  *end = blob_find_last(file, size, "startxref");
  struct pdf_cursor cursor = {file, *end};
  if (!pdf_take(&cursor, "startxref") || !pdf_take_number(&cursor, xref) ||
      !pdf_take(&cursor, "%%EOF") || cursor.at != size || !blob_has(file, file->size - 1, "\n"))
    return "is cut off: no %%EOF ends it";
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
  cursor.at = map->info_end = dictionary_end(file, map->info);
  return pdf_take(&cursor, ">>") && pdf_take(&cursor, "endobj") ? NULL : missing;
}

const char *pdf_read_map(const struct blob *file, struct pdf_map *map) {
  size_t end, offset = 0;
  const char *fault = pdf_read_end(file, &map->xref, &end);
  if (fault) return fault;

  struct pdf_cursor cursor = {file, map->xref};
  if (!pdf_take(&cursor, table_word)) return "has no cross-reference table where it says";
  fault = read_table(&cursor, SIZE_MAX, &offset);
  if (fault) return fault;
  if (!pdf_take(&cursor, "<<")) return "has a malformed trailer";
  map->trailer = cursor.at;
  map->trailer_end = dictionary_end(file, map->trailer);
  if (map->trailer_end > end) return "has a malformed trailer";
  if (!pdf_key_number(file, map->trailer, map->trailer_end, "/Info", &map->info_number))
    return "names no document information";

  cursor = (struct pdf_cursor){file, map->xref};
  pdf_take(&cursor, table_word);
  fault = read_table(&cursor, map->info_number, &offset);
  return fault ? fault : read_info(file, offset, map);
}

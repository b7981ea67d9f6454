/* PDF as cairo writes it (PDF reference 1.7, sections 3.4 and 10.2): an incremental update gives
   the document information one more key. What the file held before is its beginning, byte for byte.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lib/figure/provenance_format.h"

static const char key[] = "/RopetoolProvenance";
static const char date_key[] = "/CreationDate";
static const char end_mark[] = "%%EOF\n";

/* Where the parts of a file lie. The dictionaries' bounds are inside of their << and >>. */
struct pdf_map {
  size_t xref;
  size_t trailer, trailer_end;
  size_t info_number, info, info_end;
};

struct cursor {
  const struct blob *file;
  size_t at;
};

static void skip_space(struct cursor *cursor) {
  const struct blob *file = cursor->file;
  while (cursor->at < file->size && file->data[cursor->at] &&
         strchr(" \t\r\n\f", file->data[cursor->at]))
    cursor->at++;
}

static bool take(struct cursor *cursor, const char *word) {
  skip_space(cursor);
  if (!blob_has(cursor->file, cursor->at, word)) return false;
  cursor->at += strlen(word);
  return true;
}

static bool take_number(struct cursor *cursor, size_t *number) {
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

static bool object_starts(const struct blob *file, size_t offset, size_t number,
                          size_t generation) {
  char header[64];
  snprintf(header, sizeof header, "%zu %zu obj", number, generation);
  return blob_has(file, offset, header);
}

/* Reads the sections of a cross-reference table up to "trailer" and checks that every object is
   where it says; *offset becomes that of the object `wanted`. */
static const char *read_table(struct cursor *cursor, size_t wanted, size_t *offset) {
  size_t first, count, at, generation;
  while (!take(cursor, "trailer")) {
    if (!take_number(cursor, &first) || !take_number(cursor, &count))
      return "has a malformed cross-reference table";
    for (size_t number = first; number < first + count; number++) {
      if (!take_number(cursor, &at) || !take_number(cursor, &generation))
        return "has a malformed cross-reference table";
      const bool used = take(cursor, "n");
      if (!used && !take(cursor, "f")) return "has a malformed cross-reference table";
      if (used && !object_starts(cursor->file, at, number, generation))
        return "has an object that is not at its place";
      if (used && number == wanted) *offset = at;
    }
  }
  return NULL;
}

static const char *read_end(const struct blob *file, struct pdf_map *map, size_t *end) {
  const size_t size = blob_trimmed(file);
  *end = blob_find_last(file, size, "startxref");
  struct cursor cursor = {file, *end};
  if (!take(&cursor, "startxref") || !take_number(&cursor, &map->xref) || !take(&cursor, "%%EOF") ||
      cursor.at != size)
    return "is cut off: it does not end with %EOF";
  cursor.at = map->xref;
  if (map->xref >= *end || !take(&cursor, "xref"))
    return "has no cross-reference table where it says";
  return NULL;
}

static const char *read_map(const struct blob *file, struct pdf_map *map) {
  size_t end, offset = 0;
  const char *fault = read_end(file, map, &end);
  if (fault) return fault;

  struct cursor cursor = {file, map->xref + strlen("xref")};
  fault = read_table(&cursor, SIZE_MAX, &offset);
  if (fault) return fault;
  map->trailer_end = blob_find_last(file, end, ">>");
  if (!take(&cursor, "<<") || cursor.at > map->trailer_end) return "has a malformed trailer";
  map->trailer = cursor.at;

  cursor.at = blob_find(file, map->trailer, "/Info");
  if (cursor.at >= map->trailer_end || !take(&cursor, "/Info") ||
      !take_number(&cursor, &map->info_number))
    return "has no document information";
  cursor.at = map->xref + strlen("xref");
  fault = read_table(&cursor, map->info_number, &offset);
  if (fault) return fault;
  cursor.at = blob_find(file, offset, "obj");
  if (!offset || !take(&cursor, "obj") || !take(&cursor, "<<"))
    return "has no document information";
  map->info = cursor.at;
  map->info_end = blob_find_last(file, blob_find(file, map->info, "endobj"), ">>");
  if (map->info_end < map->info || map->info_end == file->size)
    return "has no document information";
  return NULL;
}

static bool recognise(const struct blob *file) {
  return blob_has(file, 0, "%PDF-1.");
}

static int check(const struct blob *file, struct error *error) {
  struct pdf_map map;
  if (!recognise(file))
    return error_set(error, ERROR_FAILED, "not a PDF: its %zu bytes do not start with %%PDF-1.",
                     file->size);
  const char *fault = read_map(file, &map);
  if (fault)
    return error_set(error, ERROR_FAILED, "broken PDF: it %s, of %zu bytes", fault, file->size);
  return OK;
}

/* The entry of the date that reproducible builds ask for; empty when they ask for none. */
static void date_entry(char entry[64]) {
  entry[0] = '\0';
  const char *text = getenv("SOURCE_DATE_EPOCH");
  if (!text || !*text || strlen(text) > 11 || strspn(text, "0123456789") != strlen(text)) return;
  const time_t seconds = (time_t)strtoll(text, NULL, 10);
  struct tm date;
  if (!gmtime_r(&seconds, &date) || date.tm_year > 9999 - 1900) return;
  strftime(entry, 64, "/CreationDate (D:%Y%m%d%H%M%SZ)", &date);
}

/* The date is overwritten in place, the rest with spaces, so that everything stays where the
   cross-reference table says. */
static int prepare(const struct blob *file, double dpi, FILE *base, struct error *error) {
  (void)dpi;
  struct pdf_map map;
  const char *fault = read_map(file, &map);
  if (fault) return error_set(error, ERROR_FAILED, "broken PDF: it %s", fault);
  const size_t start = blob_find(file, map.info, date_key);
  const size_t end = blob_find(file, start, ")") + 1;
  if (start >= map.info_end || end > map.info_end) {
    fwrite(file->data, 1, file->size, base);
    return OK;
  }
  char entry[64];
  date_entry(entry);
  if (strlen(entry) > end - start) entry[0] = '\0';
  fwrite(file->data, 1, start, base);
  fprintf(base, "%-*s", (int)(end - start), entry);
  fwrite(file->data + end, 1, file->size - end, base);
  return OK;
}

static void write_string(const struct blob *text, FILE *out) {
  fputc('(', out);
  for (size_t i = 0; i < text->size; i++) {
    if (strchr("()\\", text->data[i])) fputc('\\', out);
    fputc(text->data[i], out);
  }
  fputc(')', out);
}

static int embed(const struct blob *base, const struct blob *text, FILE *file,
                 struct error *error) {
  struct pdf_map map;
  const char *fault = read_map(base, &map);
  if (!fault && blob_find(base, map.trailer, "/Prev") < map.trailer_end)
    fault = "was changed after it was drawn";
  if (fault) return error_set(error, ERROR_FAILED, "broken PDF: it %s", fault);

  fwrite(base->data, 1, base->size, file);
  fprintf(file, "%zu 0 obj\n<<", map.info_number);
  fwrite(base->data + map.info, 1, map.info_end - map.info, file);
  fprintf(file, "   %s ", key);
  write_string(text, file);
  fputs("\n>>\nendobj\n", file);
  const long xref = ftell(file);
  fprintf(file, "xref\n%zu 1\n%010zu 00000 n \ntrailer\n<<", map.info_number, base->size);
  fwrite(base->data + map.trailer, 1, map.trailer_end - map.trailer, file);
  fprintf(file, "   /Prev %zu\n>>\nstartxref\n%ld\n%s", map.xref, xref, end_mark);
  return OK;
}

/* The last entry of that name counts, as it does for every reader. */
static bool extract(const struct blob *file, FILE *text, FILE *base) {
  struct cursor cursor = {file, blob_find_last(file, file->size, key)};
  const size_t end = blob_find_last(file, cursor.at, end_mark);
  if (!take(&cursor, key) || !take(&cursor, "(")) return false;
  while (cursor.at < file->size && file->data[cursor.at] != ')') {
    if (file->data[cursor.at] == '\\' && cursor.at + 1 < file->size) cursor.at++;
    fputc(file->data[cursor.at++], text);
  }
  if (end < file->size) fwrite(file->data, 1, end + strlen(end_mark), base);
  return true;
}

const struct provenance_format provenance_pdf = {"PDF",   ".pdf", recognise, check,
                                                 prepare, embed,  extract};

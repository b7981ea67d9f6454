/* PDF as cairo writes it (PDF reference 1.7, sections 3.4 and 10.2): an incremental update gives
   the document information one more key. What the file held before is its beginning, byte for byte.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lib/figure/provenance_pdf.h"

static const char key[] = "/RopetoolProvenance";
static const char date_key[] = "/CreationDate";

/* Maps a file with a cross-reference table: `file` itself, or what it is when unpacked, which is
   then put into `unpacked`, to be released in any case. NULL, or what is wrong. */
static const char *read_drawn(const struct blob *file, struct blob *unpacked, struct pdf_map *map) {
  if (!pdf_is_packed(file)) return pdf_read_map(file, map);
  FILE *stream = open_memstream(&unpacked->data, &unpacked->size);
  if (!stream) return "needs more memory than there is";
  const char *fault = pdf_unpack(file, stream);
  if (fclose(stream)) return "needs more memory than there is";
  return fault ? fault : pdf_read_map(unpacked, map);
}

static bool recognise(const struct blob *file) {
  return blob_has(file, 0, "%PDF-1.");
}

static int check(const struct blob *file, struct error *error) {
  struct blob unpacked = {NULL, 0};
  struct pdf_map map;
  if (!recognise(file))
    return error_set(error, ERROR_FAILED, "not a PDF: its %zu bytes do not start with %%PDF-1.",
                     file->size);
  const char *fault = read_drawn(file, &unpacked, &map);
  free(unpacked.data);
  if (fault)
    return error_set(error, ERROR_FAILED, "broken PDF: it %s, of %zu bytes", fault, file->size);
  return OK;
}

/* The entry of the date that reproducible builds ask for; empty when they ask for none. */
static void date_entry(char entry[64]) {
  entry[0] = '\0';
  const char *text = getenv("SOURCE_DATE_EPOCH");
  if (!text || !*text || strlen(text) > 12 || strspn(text, "0123456789") != strlen(text)) return;
  const time_t seconds = (time_t)strtoll(text, NULL, 10);
  struct tm date;
  if (!gmtime_r(&seconds, &date) || date.tm_year > 9999 - 1900) return;
  strftime(entry, 64, "/CreationDate (D:%Y%m%d%H%M%SZ)", &date);
}

/* The date is overwritten in place, the rest of it with spaces, so that everything stays where the
   cross-reference table says. */
static void write_without_date(const struct blob *file, const struct pdf_map *map, FILE *base) {
  char entry[64];
  const size_t start = pdf_find_name(file, map->info, map->info_end, date_key);
  const size_t end = blob_find(file, start, ")") + 1;
  if (start >= map->info_end || end > map->info_end) {
    fwrite(file->data, 1, file->size, base);
    return;
  }
  date_entry(entry);
  if (strlen(entry) > end - start) entry[0] = '\0';
  fwrite(file->data, 1, start, base);
  fprintf(base, "%-*s", (int)(end - start), entry);
  fwrite(file->data + end, 1, file->size - end, base);
}

static int prepare(const struct blob *file, double dpi, FILE *base, struct error *error) {
  (void)dpi;
  struct blob unpacked = {NULL, 0};
  struct pdf_map map;
  const char *fault = read_drawn(file, &unpacked, &map);
  if (!fault) write_without_date(unpacked.data ? &unpacked : file, &map, base);
  free(unpacked.data);
  return fault ? error_set(error, ERROR_FAILED, "broken PDF: it %s", fault) : OK;
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
  const char *fault = pdf_read_map(base, &map);
  if (!fault && pdf_find_name(base, map.trailer, map.trailer_end, "/Prev") < map.trailer_end)
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
  fprintf(file, "   /Prev %zu\n>>\nstartxref\n%ld\n%%%%EOF\n", map.xref, xref);
  return OK;
}

/* The last key with a string behind it, of a file that cannot be read otherwise. Within our own
   text a parenthesis follows a backslash. */
static size_t find_anywhere(const struct blob *file) {
  for (size_t end = file->size; end > 0;) {
    struct pdf_cursor cursor = {file, blob_find_last(file, end, key)};
    if (cursor.at == file->size) break;
    end = cursor.at + sizeof key - 2;
    if (pdf_take(&cursor, key) && pdf_take(&cursor, "(")) return end - (sizeof key - 2);
  }
  return file->size;
}

/* In a file that is whole the entry is in the document information, and what it was added to is all
   before that. One that is damaged, or was written again by another program, may still have it. */
static bool extract(const struct blob *file, FILE *text, FILE *base) {
  struct pdf_map map;
  const bool whole = !pdf_read_map(file, &map);
  size_t start = whole ? pdf_find_name(file, map.info, map.info_end, key) : file->size;
  const bool updated = whole && start < map.info_end;
  if (!updated) start = find_anywhere(file);

  struct pdf_cursor cursor = {file, start};
  if (!pdf_take(&cursor, key) || !pdf_take(&cursor, "(")) return false;
  while (cursor.at < file->size && file->data[cursor.at] != ')') {
    if (file->data[cursor.at] == '\\' && cursor.at + 1 < file->size) cursor.at++;
    fputc(file->data[cursor.at++], text);
  }
  if (updated) fwrite(file->data, 1, map.info_object, base);
  return true;
}

const struct provenance_format provenance_pdf = {"PDF",   ".pdf", recognise, check,
                                                 prepare, embed,  extract};

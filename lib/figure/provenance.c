#include "lib/figure/provenance.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/hash.h"
#include "lib/base/memory.h"
#include "lib/base/text.h"
#include "lib/figure/provenance_format.h"

enum { FORMATS = FIGURE_TEX + 1, TEXT_LIMIT = 16 << 20 };

static const struct provenance_format *const formats[FORMATS] = {
    [FIGURE_PNG] = &provenance_png,
    [FIGURE_PDF] = &provenance_pdf,
    [FIGURE_SVG] = &provenance_svg,
    [FIGURE_TEX] = &provenance_tex,
};

static const char hash_name[] = "picture_sha256";

int figure_format_of(const char *path) {
  char extension[8];
  text_extension(path, extension);
  for (int i = 0; i < FORMATS; i++)
    if (!strcmp(extension, formats[i]->extension)) return i;
  return -1;
}

size_t blob_find(const struct blob *file, size_t from, const char *needle) {
  if (from >= file->size) return file->size;
  const char *found = memmem(file->data + from, file->size - from, needle, strlen(needle));
  return found ? (size_t)(found - file->data) : file->size;
}

size_t blob_find_last(const struct blob *file, size_t end, const char *needle) {
  const size_t length = strlen(needle);
  for (size_t at = end; at >= length; at--)
    if (blob_has(file, at - length, needle)) return at - length;
  return file->size;
}

bool blob_has(const struct blob *file, size_t offset, const char *needle) {
  const size_t length = strlen(needle);
  return offset <= file->size && length <= file->size - offset &&
         !memcmp(file->data + offset, needle, length);
}

size_t blob_trimmed(const struct blob *file) {
  size_t size = file->size;
  while (size && file->data[size - 1] && strchr(" \t\r\n", file->data[size - 1]))
    size--;
  return size;
}

/* A stream into a blob. The blob is to be released whatever close_blob() says. */
static FILE *open_blob(struct blob *blob, struct error *error) {
  FILE *stream = open_memstream(&blob->data, &blob->size);
  if (!stream) error_set(error, ERROR_FAILED, "out of memory for the figure");
  return stream;
}

static int close_blob(FILE *stream, struct error *error) {
  const bool failed = ferror(stream);
  if (fclose(stream) || failed)
    return error_set(error, ERROR_FAILED, "out of memory for the figure");
  return OK;
}

/* The code point of the UTF-8 sequence at *text, which is well-formed; moves on behind it. */
static uint32_t next_code_point(const char **text) {
  const unsigned char first = (unsigned char)*(*text)++;
  uint32_t point = first < 0x80 ? first : first < 0xe0 ? first & 0x1f : first & 0x0f;
  if (first >= 0xf0) point = first & 0x07;
  while ((**text & 0xc0) == 0x80)
    point = point << 6 | ((unsigned char)*(*text)++ & 0x3f);
  return point;
}

/* The same JSON in printable ASCII, and without what means something to XML. Such characters stand
   only within its strings, where \uXXXX is the same character (RFC 8259, section 7). */
static void write_plain_json(const char *json, FILE *out) {
  while (*json) {
    const uint32_t point = next_code_point(&json);
    if (point > 0xffff)
      fprintf(out, "\\u%04x\\u%04x", 0xd800 + ((point - 0x10000) >> 10), 0xdc00 + (point & 0x3ff));
    else if (point > 0x7e || strchr("<>&", (int)point))
      fprintf(out, "\\u%04x", point);
    else
      fputc((int)point, out);
  }
}

/* The text that goes into a figure: `provenance` with the hash of the rest. */
static int write_text(const struct meta *provenance, const struct blob *base, struct blob *text,
                      struct error *error) {
  char hash[HASH_TEXT];
  hash_bytes(base->data, base->size, hash);
  struct meta *whole = meta_create();
  meta_prepend(whole, provenance);
  meta_set_text(whole, hash_name, hash);
  char *json = meta_to_json(whole, 0);
  meta_destroy(whole);
  FILE *stream = json ? open_blob(text, error) : NULL;
  int status = ERROR_FAILED;
  if (stream) {
    write_plain_json(json, stream);
    status = close_blob(stream, error);
  } else if (!json) {
    error_set(error, ERROR_FAILED, "out of memory for the provenance");
  }
  free(json);
  if (!status && text->size > TEXT_LIMIT)
    status = error_set(error, ERROR_FAILED, "provenance of %zu bytes is too long: %d are possible",
                       text->size, TEXT_LIMIT);
  return status;
}

/* Takes a figure apart; `*found` says whether there was anything. */
static int extract(const struct provenance_format *format, const struct blob *file, bool *found,
                   struct blob *text, struct blob *base, struct error *error) {
  *found = false;
  FILE *text_stream = open_blob(text, error);
  if (!text_stream) return ERROR_FAILED;
  FILE *base_stream = open_blob(base, error);
  if (!base_stream) {
    fclose(text_stream);
    return ERROR_FAILED;
  }
  *found = format->extract(file, text_stream, base_stream);
  const int status = close_blob(text_stream, error);
  return close_blob(base_stream, error) ? ERROR_FAILED : status;
}

static int embed(const struct provenance_format *format, const struct blob *base,
                 const struct blob *text, struct blob *file, struct error *error) {
  FILE *stream = open_blob(file, error);
  if (!stream) return ERROR_FAILED;
  const int status = format->embed(base, text, stream, error);
  return close_blob(stream, error) ? ERROR_FAILED : status;
}

/* The figure without provenance, should it have any already, and ready to be hashed. */
static int prepare(const struct provenance_format *format, double dpi, const struct blob *picture,
                   struct blob *base, struct error *error) {
  struct blob text = {NULL, 0}, bare = {NULL, 0};
  bool found;
  int status = extract(format, picture, &found, &text, &bare, error);
  const struct blob *drawn = found ? &bare : picture;
  if (!status && found) status = format->check(drawn, error);
  FILE *stream = status ? NULL : open_blob(base, error);
  if (stream) {
    status = format->prepare(drawn, dpi, stream, error);
    if (close_blob(stream, error)) status = ERROR_FAILED;
  } else {
    status = ERROR_FAILED;
  }
  free(text.data);
  free(bare.data);
  return status;
}

int provenance_seal(enum figure_format format, double dpi, const struct meta *provenance,
                    struct blob *picture, struct error *error) {
  const struct provenance_format *kind = formats[format];
  struct blob base = {NULL, 0}, text = {NULL, 0}, sealed = {NULL, 0};
  int status = kind->check(picture, error);
  if (!status) status = prepare(kind, dpi, picture, &base, error);
  if (!status && provenance) {
    status = write_text(provenance, &base, &text, error);
    if (!status) status = embed(kind, &base, &text, &sealed, error);
  }
  if (!status) {
    struct blob *result = provenance ? &sealed : &base;
    free(picture->data);
    *picture = *result;
    *result = (struct blob){NULL, 0};
  }
  free(base.data);
  free(text.data);
  free(sealed.data);
  return status;
}

/* Whether the base has the hash that the text says, and nothing but the text was added to it. */
static bool is_intact(const struct provenance_format *format, const struct blob *file,
                      const struct blob *base, const struct blob *text,
                      const struct meta *provenance) {
  char hash[HASH_TEXT];
  hash_bytes(base->data, base->size, hash);
  const char *stated = meta_text(provenance, hash_name);
  if (!stated || strcmp(stated, hash)) return false;
  struct blob again = {NULL, 0};
  const bool same = !embed(format, base, text, &again, NULL) && again.size == file->size &&
                    !memcmp(again.data, file->data, file->size);
  free(again.data);
  return same;
}

static const struct provenance_format *recognise(const struct blob *file) {
  for (int i = 0; i < FORMATS; i++)
    if (formats[i]->recognise(file)) return formats[i];
  return NULL;
}

int provenance_read(const void *data, size_t size, struct meta **provenance, int *intact,
                    struct error *error) {
  const struct blob file = {(char *)(uintptr_t)data, size};
  struct blob text = {NULL, 0}, base = {NULL, 0};
  bool found;
  *provenance = NULL;
  *intact = 0;
  const struct provenance_format *format = recognise(&file);
  if (!format)
    return error_set(error, ERROR_INPUT, "not a figure: PNG, PDF, SVG and TeX figures are known");
  int status = extract(format, &file, &found, &text, &base, error);
  if (!status && !found)
    status = error_set(error, ERROR_INPUT, "no provenance in this %s figure", format->name);
  if (!status && text.size > TEXT_LIMIT)
    status = error_set(error, ERROR_INPUT, "provenance of %zu bytes is too long: %d are possible",
                       text.size, TEXT_LIMIT);
  if (!status) {
    status = meta_from_json(text.data, text.size, provenance, error);
    if (status) error_prefix(error, "broken provenance in this %s figure", format->name);
  }
  if (!status) *intact = is_intact(format, &file, &base, &text, *provenance);
  free(text.data);
  free(base.data);
  return status;
}

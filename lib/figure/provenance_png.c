/* PNG: an iTXt chunk with the keyword "ropetool" before the first IDAT. The pixels are not touched.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/figure/provenance_format.h"
#include "lib/figure/raster.h"

/* Body of an uncompressed iTXt chunk up to its text: keyword, compression flag and method, language
   and translated keyword (both empty). PNG specification, second edition, section 11.3.4.5. */
static const char prefix[] = "ropetool\0\0\0\0";

static bool recognise(const struct blob *file) {
  return raster_signature(file->data, file->size);
}

static int check(const struct blob *file, struct error *error) {
  return raster_check(file->data, file->size, error);
}

static bool is_provenance(const struct raster_chunk *chunk) {
  return !strcmp(chunk->type, "iTXt") && chunk->size >= sizeof prefix &&
         !memcmp(chunk->data, prefix, sizeof prefix);
}

/* Copies the chunks but those of type `skipped`, with one more before the first IDAT. */
static void insert_chunk(const struct blob *file, const char *skipped, const char *type,
                         const void *data, size_t size, FILE *out) {
  struct raster_chunk chunk;
  size_t copied = 0;
  bool inserted = false;
  for (size_t cursor = 0; raster_next_chunk(file->data, file->size, &cursor, &chunk);) {
    if (!strcmp(chunk.type, "IDAT") && !inserted) {
      fwrite(file->data + copied, 1, chunk.start - copied, out);
      copied = chunk.start;
      raster_write_chunk(out, type, data, size);
      inserted = true;
    } else if (!strcmp(chunk.type, skipped)) {
      fwrite(file->data + copied, 1, chunk.start - copied, out);
      copied = chunk.end;
    }
  }
  fwrite(file->data + copied, 1, file->size - copied, out);
}

/* Two densities and the unit, metre. */
static int prepare(const struct blob *file, double dpi, FILE *base, struct error *error) {
  const uint32_t density = raster_density(dpi);
  if (!density) return error_set(error, ERROR_INPUT, "'%g' dpi is not a resolution", dpi);
  unsigned char body[9];
  for (int i = 0; i < 8; i++)
    body[i] = (unsigned char)(density >> (24 - 8 * (i % 4)));
  body[8] = 1;
  insert_chunk(file, "pHYs", "pHYs", body, sizeof body, base);
  return OK;
}

static int embed(const struct blob *base, const struct blob *text, FILE *file,
                 struct error *error) {
  struct blob body = {NULL, 0};
  FILE *stream = open_memstream(&body.data, &body.size);
  if (!stream) return error_set(error, ERROR_FAILED, "out of memory for the provenance");
  fwrite(prefix, 1, sizeof prefix, stream);
  fwrite(text->data, 1, text->size, stream);
  const bool failed = fclose(stream);
  if (!failed) insert_chunk(base, "", "iTXt", body.data, body.size, file);
  free(body.data);
  return failed ? error_set(error, ERROR_FAILED, "out of memory for the provenance") : OK;
}

/* The first of them counts, and none of them belongs to the base. */
static bool extract(const struct blob *file, FILE *text, FILE *base) {
  struct raster_chunk chunk;
  size_t copied = 0;
  bool found = false;
  for (size_t cursor = 0; raster_next_chunk(file->data, file->size, &cursor, &chunk);) {
    if (!is_provenance(&chunk)) continue;
    if (!found) fwrite(chunk.data + sizeof prefix, 1, chunk.size - sizeof prefix, text);
    fwrite(file->data + copied, 1, chunk.start - copied, base);
    copied = chunk.end;
    found = true;
  }
  fwrite(file->data + copied, 1, file->size - copied, base);
  return found;
}

const struct provenance_format provenance_png = {"PNG",   ".png", recognise, check,
                                                 prepare, embed,  extract};

/* The chunks of a PNG, read without libpng: nothing is decoded and nothing allocated, so that what
   a hostile header claims costs nothing. Chunk layout and order: PNG specification, second edition,
   sections 5.3, 5.6 and 11.2. */
#include <ctype.h>
#include <string.h>
#include <zlib.h>

#include "lib/figure/raster.h"

static const unsigned char signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};

enum { CHUNK_FRAME = 12, HEADER_SIZE = 13 }; /* length, type and CRC; body of IHDR */

static uint32_t read_word(const unsigned char *bytes) {
  return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static void store_word(unsigned char bytes[4], uint32_t word) {
  for (int i = 0; i < 4; i++)
    bytes[i] = (unsigned char)(word >> (24 - 8 * i));
}

bool raster_signature(const void *data, size_t size) {
  return size >= sizeof signature && !memcmp(data, signature, sizeof signature);
}

/* The chunk that starts at `start`, or what is wrong with it. */
static const char *read_chunk(const unsigned char *bytes, size_t size, size_t start,
                              struct raster_chunk *chunk) {
  const size_t left = size - start;
  if (left < CHUNK_FRAME) return "is cut off";
  const uint32_t length = read_word(bytes + start);
  for (int i = 0; i < 4; i++)
    if (!isalpha(bytes[start + 4 + i])) return "has no chunk type";
  if (length > INT32_MAX) return "has a length beyond 2^31 - 1";
  if (length > left - CHUNK_FRAME) return "is cut off";
  memcpy(chunk->type, bytes + start + 4, 4);
  chunk->type[4] = '\0';
  chunk->data = bytes + start + 8;
  chunk->size = length;
  chunk->start = start;
  chunk->end = start + CHUNK_FRAME + length;
  return NULL;
}

int raster_next_chunk(const void *data, size_t size, size_t *cursor, struct raster_chunk *chunk) {
  if (!*cursor) {
    if (!raster_signature(data, size)) return 0;
    *cursor = sizeof signature;
  }
  if (*cursor >= size || read_chunk(data, size, *cursor, chunk)) return 0;
  *cursor = chunk->end;
  return 1;
}

void raster_write_chunk(FILE *out, const char type[4], const void *data, size_t size) {
  unsigned char frame[8], check[4];
  store_word(frame, (uint32_t)size);
  memcpy(frame + 4, type, 4);
  uLong crc = crc32_z(crc32_z(0, NULL, 0), frame + 4, 4);
  if (size) crc = crc32_z(crc, data, size);
  store_word(check, (uint32_t)crc);
  fwrite(frame, 1, sizeof frame, out);
  if (size) fwrite(data, 1, size, out);
  fwrite(check, 1, sizeof check, out);
}

static bool crc_holds(const struct raster_chunk *chunk) {
  const uLong crc = crc32_z(crc32_z(0, NULL, 0), chunk->data - 4, chunk->size + 4);
  return crc == read_word(chunk->data + chunk->size);
}

/* Bit depths that go with a colour type, one bit each: depth 8 is bit 8. */
static unsigned depths_of(unsigned colour_type) {
  static const unsigned depths[] = {0x10116, 0, 0x10100, 0x116, 0x10100, 0, 0x10100};
  return colour_type < sizeof depths / sizeof *depths ? depths[colour_type] : 0;
}

static const char *check_header(const struct raster_chunk *chunk) {
  if (strcmp(chunk->type, "IHDR") || chunk->size != HEADER_SIZE) return "does not start with IHDR";
  const uint32_t width = read_word(chunk->data), height = read_word(chunk->data + 4);
  const unsigned depth = chunk->data[8];
  if (!width || !height || width > INT32_MAX || height > INT32_MAX) return "has an impossible size";
  if (depth > 16 || !(depths_of(chunk->data[9]) >> depth & 1))
    return "has an impossible colour type";
  if (chunk->data[10] || chunk->data[11] || chunk->data[12] > 1) return "has an unknown method";
  return NULL;
}

/* How far the file has come; each chunk may only move it on. */
enum stage { AT_START, BEFORE_PIXELS, IN_PIXELS, BEHIND_PIXELS, AT_END };

struct progress {
  enum stage stage;
  bool indexed, palette; /* the pixels need a palette; it was there */
};

static const char *check_chunk(struct progress *progress, const struct raster_chunk *chunk) {
  const bool pixels = !strcmp(chunk->type, "IDAT");
  if (progress->stage == AT_START) {
    const char *fault = check_header(chunk);
    if (fault) return fault;
    progress->stage = BEFORE_PIXELS;
    progress->indexed = chunk->data[9] == 3;
    return NULL;
  }
  if (!strcmp(chunk->type, "IHDR")) return "has a second IHDR";
  if (!strcmp(chunk->type, "PLTE")) {
    if (progress->stage != BEFORE_PIXELS || progress->palette) return "has a misplaced palette";
    if (!chunk->size || chunk->size % 3 || chunk->size > 768) return "has a malformed palette";
    progress->palette = true;
  }
  if (pixels) {
    if (progress->stage > IN_PIXELS) return "has scattered IDAT chunks";
    if (progress->indexed && !progress->palette) return "lacks its palette";
    progress->stage = IN_PIXELS;
  } else if (progress->stage == IN_PIXELS) {
    progress->stage = BEHIND_PIXELS;
  }
  if (!strcmp(chunk->type, "IEND")) {
    if (progress->stage != BEHIND_PIXELS) return "has no pixels";
    if (chunk->size) return "has a malformed IEND";
    progress->stage = AT_END;
  }
  return NULL;
}

int raster_check(const void *data, size_t size, struct error *error) {
  if (!raster_signature(data, size))
    return error_set(error, ERROR_FAILED,
                     "not a PNG: its %zu bytes do not start with the signature", size);
  struct progress progress = {AT_START, false, false};
  size_t offset = sizeof signature;
  while (progress.stage != AT_END) {
    struct raster_chunk chunk;
    const char *fault = read_chunk(data, size, offset, &chunk);
    if (!fault && !crc_holds(&chunk)) fault = "has a wrong checksum";
    if (!fault) fault = check_chunk(&progress, &chunk);
    if (fault)
      return error_set(error, ERROR_FAILED, "broken PNG: it %s, at byte %zu of %zu", fault, offset,
                       size);
    offset = chunk.end;
  }
  if (offset != size)
    return error_set(error, ERROR_FAILED,
                     "broken PNG: %zu bytes follow its end, at byte %zu of %zu", size - offset,
                     offset, size);
  return OK;
}

int raster_size(const void *data, size_t size, unsigned *width, unsigned *height,
                struct error *error) {
  size_t cursor = 0;
  struct raster_chunk chunk;
  if (!raster_next_chunk(data, size, &cursor, &chunk) || check_header(&chunk))
    return error_set(error, ERROR_INPUT, "not a PNG: it has no size");
  *width = read_word(chunk.data);
  *height = read_word(chunk.data + 4);
  return OK;
}

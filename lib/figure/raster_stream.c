/* A zlib stream (RFC 1950) in which every band of rows ends at a byte, so that each can be packed
   by itself: its matches reach back into the bytes before the band, which are at hand, and the sums
   of Adler-32 are joined. */
#include "lib/figure/raster_stream.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "lib/base/memory.h"

enum {
  BAND = 1 << 20,   /* bytes of pixels, about */
  WINDOW = 1 << 15, /* how far matches reach back */
  PROBE = 1 << 16,  /* bytes that tell what a band is like */
  HEADER = 2,       /* 32 KiB window, no dictionary, the default level: what readers look at */
  TRAILER = 4,      /* Adler-32 */
  FLUSHED = 16      /* more than the mark at the end of a band takes */
};

/* What is packed at once: the bytes of a band, and those before it that matches may reach. */
struct band {
  uint8_t *start; /* of what was before */
  size_t before, size;
};

static size_t band_rows(const struct raster_rows *rows) {
  const size_t fit = BAND / (rows->bytes + 1);
  return fit ? fit : 1;
}

/* How many rows reach back as far as matches do. */
static size_t rows_before(const struct raster_rows *rows, size_t first) {
  const size_t most = WINDOW / (rows->bytes + 1) + 1;
  return first < most ? first : most;
}

static void fill_band(const struct raster_rows *rows, size_t first, size_t end, uint8_t *room,
                      struct band *band) {
  const size_t line = rows->bytes + 1, back = rows_before(rows, first);
  for (size_t r = first - back; r < end; r++) {
    uint8_t *bytes = room + (r - (first - back)) * line;
    bytes[0] = 0; /* no filter */
    rows->fill(rows->user, r, bytes + 1);
  }
  const size_t reach = back * line < WINDOW ? back * line : WINDOW;
  *band = (struct band){room + back * line - reach, reach, (end - first) * line};
}

/* Deflates the first `size` bytes of a band into `out`; 0: memory is out. */
static size_t deflate_band(const struct band *band, size_t size, int level, int strategy, int flush,
                           uint8_t *out, size_t room) {
  z_stream stream = {0};
  if (deflateInit2(&stream, level, Z_DEFLATED, -MAX_WBITS, MAX_MEM_LEVEL, strategy) != Z_OK)
    return 0;
  if (band->before) deflateSetDictionary(&stream, band->start, (uInt)band->before);
  stream.next_in = band->start + band->before;
  stream.avail_in = (uInt)size;
  stream.next_out = out;
  stream.avail_out = (uInt)room;
  deflate(&stream, flush);
  const size_t used = room - stream.avail_out;
  deflateEnd(&stream);
  return used;
}

/* Whether matches are as good as none in the first bytes of a band: runs and Huffman codes alone
   then take a third of the time, and no more room. */
static bool is_noise(const struct band *band, int level, uint8_t *out, size_t room) {
  const size_t size = band->size < PROBE ? band->size : PROBE;
  const size_t matched = deflate_band(band, size, level, Z_DEFAULT_STRATEGY, Z_FINISH, out, room);
  const size_t coded = deflate_band(band, size, level, Z_RLE, Z_FINISH, out, room);
  return coded <= matched + matched / 64;
}

/* Packs one band; its Adler-32 is left in `sum`. */
static bool pack_band(const struct raster_rows *rows, size_t index, uint8_t *room,
                      struct raster_bytes *piece, uLong *sum) {
  const size_t most = band_rows(rows), first = index * most,
               end = rows->rows - first < most ? rows->rows : first + most;
  const bool last = end == rows->rows;
  const size_t head = first ? 0 : HEADER;
  struct band band;
  fill_band(rows, first, end, room, &band);
  const size_t bound = compressBound(band.size) + PROBE + FLUSHED;
  piece->data = malloc(head + bound + TRAILER);
  if (!piece->data) return false;
  uint8_t *out = piece->data + head;
  const int strategy =
      rows->noise && is_noise(&band, rows->level, out, bound) ? Z_RLE : Z_DEFAULT_STRATEGY;
  const size_t used = deflate_band(&band, band.size, rows->level, strategy,
                                   last ? Z_FINISH : Z_SYNC_FLUSH, out, bound);
  if (!used) return false;
  piece->size = head + used;
  uint8_t *fitted = realloc(piece->data, piece->size + TRAILER);
  if (fitted) piece->data = fitted;
  *sum = adler32(1, band.start + band.before, (uInt)band.size);
  return true;
}

/* What stands at the ends of the stream. */
static void complete(const struct raster_rows *rows, struct raster_stream *stream,
                     const uLong *sums) {
  const size_t line = rows->bytes + 1, most = band_rows(rows);
  uLong sum = adler32(0, NULL, 0);
  for (size_t b = 0; b < stream->count; b++) {
    const size_t left = rows->rows - b * most;
    sum = adler32_combine(sum, sums[b], (z_off_t)((left < most ? left : most) * line));
  }
  memcpy(stream->piece[0].data, (const uint8_t[HEADER]){0x78, 0x9c}, HEADER);
  struct raster_bytes *last = &stream->piece[stream->count - 1];
  for (int i = 0; i < TRAILER; i++)
    last->data[last->size++] = (uint8_t)(sum >> (24 - 8 * i));
}

static bool pack_bands(const struct raster_rows *rows, struct raster_stream *stream, uLong *sums,
                       size_t room) {
  bool packed = true;
#pragma omp parallel reduction(&& : packed) if (stream->count > 1)
  {
    uint8_t *bytes = malloc(room);
#pragma omp for schedule(dynamic)
    for (size_t b = 0; b < stream->count; b++)
      packed = packed && bytes && pack_band(rows, b, bytes, &stream->piece[b], &sums[b]);
    free(bytes);
  }
  return packed;
}

int raster_stream_pack(const struct raster_rows *rows, struct raster_stream *stream,
                       struct error *error) {
  const size_t most = band_rows(rows), line = rows->bytes + 1;
  *stream = (struct raster_stream){.count = (rows->rows + most - 1) / most};
  stream->piece =
      memory_array(stream->count, sizeof *stream->piece, "the pieces of the raster", error);
  uLong *sums = memory_array(stream->count, sizeof *sums, "the pieces of the raster", error);
  int status = stream->piece && sums ? OK : ERROR_FAILED;
  if (!status && !pack_bands(rows, stream, sums, (most + WINDOW / line + 1) * line))
    status = error_set(error, ERROR_FAILED, "out of memory: the pixels of the raster");
  if (!status) complete(rows, stream, sums);
  free(sums);
  return status;
}

void raster_stream_release(struct raster_stream *stream) {
  for (size_t i = 0; stream->piece && i < stream->count; i++)
    free(stream->piece[i].data);
  free(stream->piece);
  *stream = (struct raster_stream){0};
}

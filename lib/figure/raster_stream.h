/* Inside of the rasters: rows of pixels as the zlib stream of a PNG's IDAT chunks. */
#ifndef ROPETOOL_FIGURE_RASTER_STREAM_H
#define ROPETOOL_FIGURE_RASTER_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/error.h"

/* Where the rows come from; several are asked for at once, from several threads. */
struct raster_rows {
  size_t rows, bytes; /* of a row */
  void (*fill)(const void *user, size_t row, uint8_t *bytes);
  const void *user;
  int level;  /* of zlib */
  bool noise; /* whether rows may be noise, which is packed without a search for matches */
};

struct raster_bytes {
  uint8_t *data;
  size_t size;
};

/* The stream in pieces, one for each band of rows, in order; each row has no filter (type 0). Bands
   are of a fixed size and packed on all threads; the bytes do not depend on how many there are. */
struct raster_stream {
  size_t count;
  struct raster_bytes *piece;
};

/* ERROR_FAILED: memory is out; the stream is to be released in any case. */
int raster_stream_pack(const struct raster_rows *rows, struct raster_stream *stream,
                       struct error *error);
void raster_stream_release(struct raster_stream *stream);

#endif

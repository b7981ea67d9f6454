/* PNG files: the one user of libpng. */
#ifndef ROPETOOL_FIGURE_RASTER_H
#define ROPETOOL_FIGURE_RASTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "lib/base/error.h"
#include "lib/figure/colour_scale.h"
#include "lib/figure/palette.h"
#include "lib/io/matrix.h"

/* Writes one pixel per cell, row 0 at the top, with pHYs of `dpi`. Cells without a colour, masked
   ones or not above 0 on a logarithmic scale, are transparent (white to those who ignore
   transparency), every other pixel is exactly its palette colour. The PNG is an 8-bit palette; a
   matrix that has such cells and uses all 256 colours does not fit one and becomes RGB with a
   transparent colour. ERROR_INPUT: more than 1,000,000 cells a side, a resolution that is none.
   ERROR_FAILED: memory, or `out` cannot be written. */
int raster_write(const struct matrix *matrix, const struct palette *palette,
                 const struct colour_scale *scale, double dpi, FILE *out, struct error *error);

/* Pixels per metre for a pHYs chunk: 300 dpi is 11811. 0 when `dpi` is not a resolution. */
uint32_t raster_density(double dpi);

/* Whether the bytes begin as every PNG does. */
bool raster_signature(const void *data, size_t size);

/* Checks a whole PNG in memory: signature, IHDR's values, every chunk's length and CRC, IHDR first,
   IDAT chunks there and together, IEND last and nothing behind. ERROR_FAILED says what is wrong and
   where. */
int raster_check(const void *data, size_t size, struct error *error);

/* Walks the chunks of a PNG. `cursor` starts at 0; returns 0 at the end of the file, and before the
   first chunk that does not lie whole in it. Safe on any bytes; CRCs are not looked at. */
struct raster_chunk {
  char type[5];
  const unsigned char *data; /* of the chunk's body */
  size_t size;
  size_t start, end; /* offsets of the whole chunk in the file */
};
int raster_next_chunk(const void *data, size_t size, size_t *cursor, struct raster_chunk *chunk);

/* Appends one chunk with its length and CRC to a stream. `size` is below 2^31. */
void raster_write_chunk(FILE *out, const char type[4], const void *data, size_t size);

/* Width and height in pixels from IHDR; they are what the file says and may be as large as 2^31
 * − 1. */
int raster_size(const void *data, size_t size, unsigned *width, unsigned *height,
                struct error *error);

/* Version of the libpng that is running. */
const char *raster_library_version(void);

#endif

/* PNG files: the one user of libpng. */
#ifndef ROPETOOL_FIGURE_RASTER_H
#define ROPETOOL_FIGURE_RASTER_H

#include <stddef.h>
#include <stdio.h>

#include "lib/base/error.h"
#include "lib/figure/palette.h"
#include "lib/io/matrix.h"

/* Writes one pixel per cell as an 8-bit palette PNG, row by row, with pHYs of `dpi`. The first
   palette entry is transparent: masked cells. */
int raster_write(const struct matrix *matrix, const struct palette *palette,
                 const struct colour_scale *scale, double dpi, FILE *out, struct error *error);

/* Checks a whole PNG in memory: signature, every chunk's length and CRC, IHDR first, IDAT there,
   IEND last and nothing behind. ERROR_FAILED says what is wrong and where. */
int raster_check(const void *data, size_t size, struct error *error);

/* Walks the chunks of a PNG that raster_check accepted. `cursor` starts at 0; returns 0 at the end.
 */
struct raster_chunk {
  char type[5];
  const unsigned char *data; /* of the chunk's body */
  size_t size;
  size_t start, end; /* offsets of the whole chunk in the file */
};
int raster_next_chunk(const void *data, size_t size, size_t *cursor, struct raster_chunk *chunk);

/* Appends one chunk with its length and CRC to a stream. */
void raster_write_chunk(FILE *out, const char type[4], const void *data, size_t size);

/* Width and height in pixels from IHDR. */
int raster_size(const void *data, size_t size, unsigned *width, unsigned *height,
                struct error *error);

#endif

#include "lib/figure/raster.h"

#include <errno.h>
#include <math.h>
#include <png.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/memory.h"
#include "lib/figure/raster_stream.h"

enum {
  LARGEST_SIDE = 1000000, /* libpng reads no larger ones by default */
  PIECE = 1024,           /* cells that are coloured at a time */
};

/* A picture under way. */
struct raster_writer {
  const struct matrix *matrix;
  const struct palette *palette;
  const struct colour_scale *scale;
  uint32_t density;
  FILE *out;
  uint8_t *colours; /* (row, column): palette index of each cell, anything where it has none */
  uint8_t *hidden;  /* (row, column), a bit each: whether it has none */
  bool masked;      /* whether any has none */
  size_t spare;     /* the first palette index that no cell has; PALETTE_SIZE: none */
  uint8_t place[PALETTE_SIZE]; /* entry of each palette colour in the PNG's palette */
  uint8_t hole[3];             /* the transparent colour of an RGB picture */
  struct raster_stream stream; /* the packed pixels */
  png_structp png;
  png_infop info;
};

static void report(png_structp png, png_const_charp message) {
  error_set(png_get_error_ptr(png), ERROR_FAILED, "cannot write the PNG: %s", message);
  png_longjmp(png, 1);
}

/* Nothing that libpng warns of can come from what is written here; it must not print either. */
static void ignore(png_structp png, png_const_charp message) {
  (void)png;
  (void)message;
}

static void write_bytes(png_structp png, png_bytep data, png_size_t size) {
  if (fwrite(data, 1, size, png_get_io_ptr(png)) != size) png_error(png, strerror(errno));
}

static void flush_bytes(png_structp png) {
  (void)png;
}

/* Colours some cells from `first` on, a multiple of 8; notes in `used` which colours they have.
   Returns whether one has none. */
static bool colour_piece(struct raster_writer *writer, const double *cell, size_t first,
                         size_t count, uint8_t *used) {
  int16_t index[PIECE];
  bool masked = false;
  colour_indices(writer->scale, cell, count, index);
  for (size_t i = 0; i < count; i++) {
    const bool hidden = index[i] < 0;
    writer->colours[first + i] = (uint8_t)index[i];
    masked |= hidden;
    if (hidden)
      writer->hidden[(first + i) / 8] |= (uint8_t)(1 << (first + i) % 8);
    else
      used[index[i]] = 1;
  }
  return masked;
}

/* Colours every cell, and notes which colours are used at all. */
static void colour_cells(struct raster_writer *writer) {
  const size_t bands = matrix_bands(writer->matrix);
  uint8_t used[PALETTE_SIZE] = {0};
  bool masked = false;
#pragma omp parallel for reduction(| : used[:PALETTE_SIZE]) reduction(|| : masked) if (bands > 1)
  for (size_t b = 0; b < bands; b++) {
    const struct matrix_band band = matrix_band(writer->matrix, b);
    for (size_t i = 0; i < band.count; i += PIECE) {
      const size_t left = band.count - i, count = left < PIECE ? left : PIECE;
      masked |= colour_piece(writer, band.cell + i, band.first + i, count, used);
    }
    matrix_leave(&band);
  }
  const uint8_t *found = memchr(used, 0, PALETTE_SIZE);
  writer->spare = found ? (size_t)(found - used) : PALETTE_SIZE;
  writer->masked = masked;
}

static bool is_hidden(const struct raster_writer *writer, size_t cell) {
  return writer->hidden[cell / 8] >> cell % 8 & 1;
}

static void fill_palette_row(const void *user, size_t row, uint8_t *bytes) {
  const struct raster_writer *writer = user;
  const size_t columns = writer->matrix->columns, first = row * columns;
  if (!writer->masked)
    memcpy(bytes, writer->colours + first, columns);
  else
    for (size_t c = 0; c < columns; c++)
      bytes[c] = is_hidden(writer, first + c) ? 0 : writer->place[writer->colours[first + c]];
}

static void fill_rgb_row(const void *user, size_t row, uint8_t *bytes) {
  const struct raster_writer *writer = user;
  const size_t columns = writer->matrix->columns, first = row * columns;
  for (size_t c = 0; c < columns; c++) {
    const uint8_t *rgb = writer->palette->rgb[writer->colours[first + c]];
    memcpy(bytes + 3 * c, is_hidden(writer, first + c) ? writer->hole : rgb, 3);
  }
}

/* For 256 colours and transparency: one more colour than an 8-bit palette has. */
static bool is_rgb(const struct raster_writer *writer) {
  return writer->masked && writer->spare == PALETTE_SIZE;
}

static void set_up(struct raster_writer *writer, int colour_type) {
  png_structp png = writer->png;
  png_set_write_fn(png, writer->out, write_bytes, flush_bytes);
  png_set_IHDR(png, writer->info, (png_uint_32)writer->matrix->columns,
               (png_uint_32)writer->matrix->rows, 8, colour_type, PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_set_pHYs(png, writer->info, writer->density, writer->density, PNG_RESOLUTION_METER);
}

/* With masked cells entry 0 of the PNG's palette is transparent, and the colours below the spare
   one, which is not used, move up by one. */
static void choose_places(struct raster_writer *writer) {
  for (size_t i = 0; i < PALETTE_SIZE; i++)
    writer->place[i] = (uint8_t)(writer->masked && i < writer->spare ? i + 1 : i);
}

static void set_palette(struct raster_writer *writer) {
  png_color entries[PALETTE_SIZE] = {0};
  for (size_t i = 0; i < PALETTE_SIZE; i++) {
    const uint8_t *rgb = writer->palette->rgb[i];
    if (!writer->masked || i != writer->spare)
      entries[writer->place[i]] = (png_color){rgb[0], rgb[1], rgb[2]};
  }
  set_up(writer, PNG_COLOR_TYPE_PALETTE);
  if (writer->masked) {
    entries[0] = (png_color){255, 255, 255};
    png_set_tRNS(writer->png, writer->info, &(png_byte){0}, 1, NULL);
  }
  png_set_PLTE(writer->png, writer->info, entries, PALETTE_SIZE);
}

static bool palette_has(const struct palette *palette, const uint8_t rgb[3]) {
  for (size_t i = 0; i < PALETTE_SIZE; i++)
    if (!memcmp(palette->rgb[i], rgb, 3)) return true;
  return false;
}

/* White, or the nearest below it that is no colour of the palette. */
static void choose_transparent(const struct palette *palette, uint8_t rgb[3]) {
  uint32_t colour = 0xffffff;
  do {
    rgb[0] = (uint8_t)(colour >> 16);
    rgb[1] = (uint8_t)(colour >> 8);
    rgb[2] = (uint8_t)colour;
    colour--;
  } while (palette_has(palette, rgb));
}

static void set_rgb(struct raster_writer *writer) {
  const uint8_t *hole = writer->hole;
  const png_color_16 transparent = {.red = hole[0], .green = hole[1], .blue = hole[2]};
  set_up(writer, PNG_COLOR_TYPE_RGB);
  png_set_tRNS(writer->png, writer->info, NULL, 0, &transparent);
}

/* Colour indices and palette colours have no gradients that a row filter could use. In RGB a longer
   search for matches, as level 6 makes, costs three times as much and finds none in noise. */
static int pack_pixels(struct raster_writer *writer, struct error *error) {
  const size_t rows = writer->matrix->rows, columns = writer->matrix->columns;
  const struct raster_rows palette = {rows, columns, fill_palette_row, writer, 6, true},
                           rgb = {rows, 3 * columns, fill_rgb_row, writer, 2, false};
  choose_places(writer);
  choose_transparent(writer->palette, writer->hole);
  return raster_stream_pack(is_rgb(writer) ? &rgb : &palette, &writer->stream, error);
}

/* The pixels are packed already: libpng would do that on one thread. Its errors come back here;
   nothing but `writer`, which is not changed after setjmp, is used then. */
static int write_picture(struct raster_writer *writer) {
  static const png_byte data[] = "IDAT", end[] = "IEND";
  if (setjmp(png_jmpbuf(writer->png))) return ERROR_FAILED;
  if (is_rgb(writer))
    set_rgb(writer);
  else
    set_palette(writer);
  png_write_info(writer->png, writer->info);
  for (size_t i = 0; i < writer->stream.count; i++)
    png_write_chunk(writer->png, data, writer->stream.piece[i].data, writer->stream.piece[i].size);
  png_write_chunk(writer->png, end, NULL, 0);
  return OK;
}

int raster_write(const struct matrix *matrix, const struct palette *palette,
                 const struct colour_scale *scale, double dpi, FILE *out, struct error *error) {
  struct raster_writer writer = {.matrix = matrix,
                                 .palette = palette,
                                 .scale = scale,
                                 .density = raster_density(dpi),
                                 .out = out};
  const size_t longest = matrix->rows > matrix->columns ? matrix->rows : matrix->columns;
  if (!matrix->rows || !matrix->columns || longest > LARGEST_SIDE)
    return error_set(error, ERROR_INPUT,
                     "no raster of %zu x %zu cells: 1 to %d a side are possible", matrix->rows,
                     matrix->columns, LARGEST_SIDE);
  if (!writer.density) return error_set(error, ERROR_INPUT, "'%g' dpi is not a resolution", dpi);

  const size_t cells = matrix->rows * matrix->columns;
  int status = ERROR_FAILED;
  writer.colours = memory_array(cells, 1, "the pixels of the raster", error);
  writer.hidden = memory_array(cells / 8 + 1, 1, "the pixels of the raster", error);
  if (writer.colours && writer.hidden) {
    colour_cells(&writer);
    status = pack_pixels(&writer, error);
  }
  free(writer.colours);
  free(writer.hidden);
  if (!status) {
    writer.png = png_create_write_struct(PNG_LIBPNG_VER_STRING, error, report, ignore);
    writer.info = writer.png ? png_create_info_struct(writer.png) : NULL;
    status = writer.info
                 ? write_picture(&writer)
                 : error_set(error, ERROR_FAILED, "cannot write the PNG: libpng does not start");
    png_destroy_write_struct(&writer.png, &writer.info);
  }
  raster_stream_release(&writer.stream);
  return status;
}

uint32_t raster_density(double dpi) {
  const double density = round(dpi / 0.0254);
  return density >= 1 && density <= INT32_MAX ? (uint32_t)density : 0;
}

const char *raster_library_version(void) {
  return png_get_libpng_ver(NULL);
}

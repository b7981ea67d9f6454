#include "lib/figure/raster.h"

#include <errno.h>
#include <math.h>
#include <png.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "lib/base/memory.h"

enum { LARGEST_SIDE = 1000000 }; /* libpng reads no larger ones by default */

struct raster_writer {
  const struct matrix *matrix;
  const struct palette *palette;
  const struct colour_scale *scale;
  uint32_t density;
  FILE *out;
  uint8_t *colours; /* (row, column): palette index of each cell, anything where it has none */
  uint8_t used[PALETTE_SIZE]; /* by palette index: 1 when a cell has that colour */
  uint8_t masked;             /* 1 when a cell has no colour */
  uint8_t *row;
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

/* Colours every cell, and notes which colours are used at all. */
static void colour_cells(struct raster_writer *writer) {
  const size_t rows = writer->matrix->rows, columns = writer->matrix->columns;
  uint8_t used[PALETTE_SIZE] = {0}, masked = 0;
#pragma omp parallel for reduction(| : used[:PALETTE_SIZE]) reduction(| : masked)
  for (size_t r = 0; r < rows; r++) {
    for (size_t i = r * columns; i < (r + 1) * columns; i++) {
      const int index = colour_index(writer->scale, writer->matrix->cells[i]);
      writer->colours[i] = (uint8_t)index;
      if (index < 0)
        masked = 1;
      else
        used[index] = 1;
    }
  }
  memcpy(writer->used, used, sizeof used);
  writer->masked = masked;
}

/* The first colour that no cell uses: its place in the PNG's palette is free. PALETTE_SIZE: none.
 */
static size_t free_colour(const struct raster_writer *writer) {
  const uint8_t *found = memchr(writer->used, 0, PALETTE_SIZE);
  return found ? (size_t)(found - writer->used) : PALETTE_SIZE;
}

static void set_up(struct raster_writer *writer, int colour_type, int level) {
  png_structp png = writer->png;
  png_set_write_fn(png, writer->out, write_bytes, flush_bytes);
  /* All said aloud, so that the bytes do not hang on a library's defaults. Colour indices and
     palette colours have no gradients that a row filter could use. */
  png_set_filter(png, PNG_FILTER_TYPE_BASE, PNG_FILTER_NONE);
  png_set_compression_level(png, level);
  png_set_compression_strategy(png, Z_DEFAULT_STRATEGY);
  png_set_compression_mem_level(png, 9);
  png_set_compression_window_bits(png, 15);
  png_set_compression_buffer_size(png, 65536);
  png_set_IHDR(png, writer->info, (png_uint_32)writer->matrix->columns,
               (png_uint_32)writer->matrix->rows, 8, colour_type, PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_set_pHYs(png, writer->info, writer->density, writer->density, PNG_RESOLUTION_METER);
}

/* With masked cells entry 0 of the PNG's palette is transparent, and the colours below `spare`, one
   that is not used, move up by one. */
static void write_palette_picture(struct raster_writer *writer, size_t spare) {
  const size_t columns = writer->matrix->columns;
  png_color entries[PALETTE_SIZE];
  uint8_t place[PALETTE_SIZE]; /* entry of each palette colour */
  for (size_t i = 0; i < PALETTE_SIZE; i++) {
    const uint8_t *rgb = writer->palette->rgb[i];
    place[i] = (uint8_t)(writer->masked && i < spare ? i + 1 : i);
    if (!writer->masked || i != spare) entries[place[i]] = (png_color){rgb[0], rgb[1], rgb[2]};
  }
  set_up(writer, PNG_COLOR_TYPE_PALETTE, 6);
  if (writer->masked) {
    entries[0] = (png_color){255, 255, 255};
    png_set_tRNS(writer->png, writer->info, &(png_byte){0}, 1, NULL);
  }
  png_set_PLTE(writer->png, writer->info, entries, PALETTE_SIZE);
  png_write_info(writer->png, writer->info);
  for (size_t r = 0; r < writer->matrix->rows; r++) {
    const double *cells = writer->matrix->cells + r * columns;
    const uint8_t *colours = writer->colours + r * columns;
    for (size_t c = 0; c < columns; c++)
      writer->row[c] = colour_shows(writer->scale, cells[c]) ? place[colours[c]] : 0;
    png_write_row(writer->png, writer->row);
  }
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

/* For 256 colours and transparency: one more colour than an 8-bit palette has. Searching longer for
   matches, as level 6 does, costs three times as much here and finds none in noise. */
static void write_rgb_picture(struct raster_writer *writer) {
  const size_t columns = writer->matrix->columns;
  uint8_t hole[3];
  choose_transparent(writer->palette, hole);
  set_up(writer, PNG_COLOR_TYPE_RGB, 2);
  png_color_16 transparent = {.red = hole[0], .green = hole[1], .blue = hole[2]};
  png_set_tRNS(writer->png, writer->info, NULL, 0, &transparent);
  png_write_info(writer->png, writer->info);
  for (size_t r = 0; r < writer->matrix->rows; r++) {
    const double *cells = writer->matrix->cells + r * columns;
    const uint8_t *colours = writer->colours + r * columns;
    for (size_t c = 0; c < columns; c++)
      memcpy(writer->row + 3 * c,
             colour_shows(writer->scale, cells[c]) ? writer->palette->rgb[colours[c]] : hole, 3);
    png_write_row(writer->png, writer->row);
  }
}

/* libpng's errors come back here. Nothing but `writer`, which is not changed after setjmp, is used
 * then. */
static int write_picture(struct raster_writer *writer) {
  if (setjmp(png_jmpbuf(writer->png))) return ERROR_FAILED;
  const size_t spare = free_colour(writer);
  if (writer->masked && spare == PALETTE_SIZE)
    write_rgb_picture(writer);
  else
    write_palette_picture(writer, spare);
  png_write_end(writer->png, writer->info);
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

  int status = ERROR_FAILED;
  writer.colours =
      memory_array(matrix->rows * matrix->columns, 1, "the pixels of the raster", error);
  writer.row = memory_array(matrix->columns, 3, "a row of pixels", error);
  if (writer.colours && writer.row) {
    writer.png = png_create_write_struct(PNG_LIBPNG_VER_STRING, error, report, ignore);
    writer.info = writer.png ? png_create_info_struct(writer.png) : NULL;
    if (writer.info) {
      colour_cells(&writer);
      status = write_picture(&writer);
    } else {
      error_set(error, ERROR_FAILED, "cannot write the PNG: libpng does not start");
    }
    png_destroy_write_struct(&writer.png, &writer.info);
  }
  free(writer.row);
  free(writer.colours);
  return status;
}

uint32_t raster_density(double dpi) {
  const double density = round(dpi / 0.0254);
  return density >= 1 && density <= INT32_MAX ? (uint32_t)density : 0;
}

const char *raster_library_version(void) {
  return png_get_libpng_ver(NULL);
}

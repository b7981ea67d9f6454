/* Rasters: what is written is read back by libpng's own decoder, pixel by pixel; what is broken is
 * found. */
#include <math.h>
#include <png.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/base/thread.h"
#include "lib/figure/raster.h"

static struct colour_scale scale = {0, 256, 0}; /* colour i for i + 0.5 */

/* 256 different colours, white among them. */
static struct palette make_palette(void) {
  struct palette palette = {.name = "test", .range = MATRIX_SEQUENTIAL};
  for (int i = 0; i < PALETTE_SIZE; i++)
    for (int c = 0; c < 3; c++)
      palette.rgb[i][c] = (uint8_t)(255 - i * (c + 1));
  return palette;
}

/* Cells of colours `first` to 255, over and over; every `gap`-th is masked (0: none). */
static struct matrix *make_matrix(size_t rows, size_t columns, int first, size_t gap) {
  struct matrix *matrix = matrix_create(rows, columns, NULL);
  assert_non_null(matrix);
  for (size_t i = 0; i < rows * columns; i++)
    matrix->cells[i] =
        gap && i % gap == 0 ? NAN : first + (double)(i % (size_t)(256 - first)) + 0.5;
  return matrix;
}

static int write_to_memory(const struct matrix *matrix, const struct palette *palette, double dpi,
                           char **data, size_t *size, struct error *error) {
  FILE *stream = open_memstream(data, size);
  assert_non_null(stream);
  const int status = raster_write(matrix, palette, &scale, dpi, stream, error);
  assert_int_equal(fclose(stream), 0);
  return status;
}

static int find_chunk(const char *data, size_t size, const char *type, struct raster_chunk *chunk) {
  for (size_t cursor = 0; raster_next_chunk(data, size, &cursor, chunk);)
    if (!strcmp(chunk->type, type)) return 1;
  return 0;
}

/* Decodes, and compares every pixel with the colour that its cell should have. */
static void assert_pixels(const struct matrix *matrix, const struct palette *palette,
                          const char *data, size_t size) {
  png_image image = {.version = PNG_IMAGE_VERSION};
  assert_true(png_image_begin_read_from_memory(&image, data, size));
  image.format = PNG_FORMAT_RGBA;
  assert_int_equal(image.width, matrix->columns);
  assert_int_equal(image.height, matrix->rows);
  uint8_t *pixels = malloc(PNG_IMAGE_SIZE(image));
  assert_non_null(pixels);
  assert_true(png_image_finish_read(&image, NULL, pixels, 0, NULL));
  for (size_t i = 0; i < matrix->rows * matrix->columns; i++) {
    const int index = colour_index(&scale, matrix->cells[i]);
    assert_int_equal(pixels[4 * i + 3], index < 0 ? 0 : 255);
    if (index >= 0) assert_memory_equal(pixels + 4 * i, palette->rgb[index], 3);
  }
  free(pixels);
}

static void check_picture(struct matrix *matrix, int colour_type) {
  const struct palette palette = make_palette();
  char *data;
  size_t size;
  struct error error;
  struct raster_chunk header;
  assert_int_equal(write_to_memory(matrix, &palette, 300, &data, &size, &error), OK);
  assert_int_equal(raster_check(data, size, &error), OK);
  assert_true(find_chunk(data, size, "IHDR", &header));
  assert_int_equal(header.data[9], colour_type);
  assert_pixels(matrix, &palette, data, size);
  free(data);
  matrix_destroy(matrix);
}

static void pixels_have_their_colours(void **state) {
  (void)state;
  check_picture(make_matrix(37, 53, 0, 0), PNG_COLOR_TYPE_PALETTE);
  check_picture(make_matrix(1, 1, 255, 0), PNG_COLOR_TYPE_PALETTE);
  check_picture(make_matrix(1, 1000, 7, 0), PNG_COLOR_TYPE_PALETTE);
}

static void masked_pixels_are_transparent(void **state) {
  (void)state;
  check_picture(make_matrix(37, 53, 1, 7), PNG_COLOR_TYPE_PALETTE);
  check_picture(make_matrix(37, 53, 200, 7), PNG_COLOR_TYPE_PALETTE);
  check_picture(make_matrix(3, 5, 0, 1), PNG_COLOR_TYPE_PALETTE); /* nothing but masked cells */
  struct matrix *holes = make_matrix(40, 40, 0, 7);               /* colour 100 is not used */
  for (size_t i = 0; i < 1600; i++)
    if (colour_index(&scale, holes->cells[i]) == 100) holes->cells[i] = 101.5;
  check_picture(holes, PNG_COLOR_TYPE_PALETTE);
}

/* 257 of them do not fit a palette; white is a palette colour here and must not become a hole. */
static void all_colours_and_transparency_fit(void **state) {
  (void)state;
  check_picture(make_matrix(37, 53, 0, 7), PNG_COLOR_TYPE_RGB);
}

/* In the logarithm 0 and negative cells are as masked ones. */
static void what_has_no_logarithm_is_transparent(void **state) {
  (void)state;
  scale = (struct colour_scale){0.5, 255.5, 1};
  for (int first = 0; first < 2; first++) {
    struct matrix *matrix = make_matrix(37, 53, 0, 0);
    for (size_t i = first; i < 37 * 53; i++) /* all colours, or all but the last */
      matrix->cells[i] =
          i % 7 == 0 ? -(double)(i % 3) : colour_value(&scale, (int)(i % (size_t)(256 - first)));
    matrix->cells[0] = -INFINITY;
    check_picture(matrix, first ? PNG_COLOR_TYPE_PALETTE : PNG_COLOR_TYPE_RGB);
  }
  scale = (struct colour_scale){0, 256, 0};
}

static void infinities_take_the_ends(void **state) {
  (void)state;
  struct matrix *matrix = make_matrix(2, 2, 0, 0);
  matrix->cells[0] = INFINITY;
  matrix->cells[3] = -INFINITY;
  check_picture(matrix, PNG_COLOR_TYPE_PALETTE);
}

static void resolution_is_written(void **state) {
  (void)state;
  const struct {
    double dpi;
    uint32_t density; /* pixels per metre */
  } cases[] = {{300, 11811}, {600, 23622}, {72, 2835}, {96, 3780},    {0.01, 0},
               {0, 0},       {-300, 0},    {NAN, 0},   {INFINITY, 0}, {1e9, 0}};
  const struct palette palette = make_palette();
  struct matrix *matrix = make_matrix(2, 2, 0, 0);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char *data;
    size_t size;
    struct error error;
    struct raster_chunk chunk;
    assert_int_equal(raster_density(cases[i].dpi), cases[i].density);
    const int status = write_to_memory(matrix, &palette, cases[i].dpi, &data, &size, &error);
    assert_int_equal(status, cases[i].density ? OK : ERROR_INPUT);
    if (!status) {
      const uint32_t d = cases[i].density;
      const uint8_t body[] = {0,          0, (uint8_t)(d >> 8), (uint8_t)d, 0, 0, (uint8_t)(d >> 8),
                              (uint8_t)d, 1};
      assert_true(find_chunk(data, size, "pHYs", &chunk));
      assert_int_equal(chunk.size, sizeof body);
      assert_memory_equal(chunk.data, body, sizeof body);
    } else {
      assert_non_null(strstr(error.message, "resolution"));
      assert_int_equal(size, 0);
    }
    free(data);
  }
  matrix_destroy(matrix);
}

static void bytes_repeat_with_any_thread_count(void **state) {
  (void)state;
  const struct palette palette = make_palette();
  struct matrix *matrix = make_matrix(301, 97, 0, 5);
  char *first, *again;
  size_t size, size_again;
  thread_use(1);
  assert_int_equal(write_to_memory(matrix, &palette, 300, &first, &size, NULL), OK);
  for (int threads = 1; threads <= 4; threads++) {
    thread_use(threads);
    assert_int_equal(write_to_memory(matrix, &palette, 300, &again, &size_again, NULL), OK);
    assert_int_equal(size_again, size);
    assert_memory_equal(again, first, size);
    free(again);
  }
  free(first);
  matrix_destroy(matrix);
}

/* Pictures that are packed in several bands, of wide and narrow rows, of one colour type and the
   other: noise, what repeats, and both in one picture. */
static void large_pictures_come_back(void **state) {
  (void)state;
  static const size_t sides[][2] = {{700, 3001}, {3, 900001}, {999999, 2}, {2500, 1000}};
  const struct palette palette = make_palette();
  for (size_t i = 0; i < 8; i++) {
    const size_t rows = sides[i / 2][0], columns = sides[i / 2][1];
    struct matrix *matrix = make_matrix(rows, columns, 1, 7);
    uint64_t noise = 1;
    for (size_t c = 0; c < rows * columns / 2; c++) {
      noise = noise * UINT64_C(6364136223846793005) + 1;
      if (c % 7) matrix->cells[c] = (double)(1 - i % 2 + (noise >> 32) % (255 + i % 2)) + 0.5;
    }
    char *again, *data;
    size_t size, size_again;
    thread_use(3);
    assert_int_equal(write_to_memory(matrix, &palette, 300, &again, &size_again, NULL), OK);
    thread_use(1);
    assert_int_equal(write_to_memory(matrix, &palette, 300, &data, &size, NULL), OK);
    assert_int_equal(size_again, size);
    assert_memory_equal(again, data, size);
    assert_int_equal(raster_check(data, size, NULL), OK);
    assert_pixels(matrix, &palette, data, size);
    free(data);
    free(again);
    matrix_destroy(matrix);
  }
}

static void impossible_rasters_are_refused(void **state) {
  (void)state;
  const struct palette palette = make_palette();
  const size_t sides[][2] = {{0, 1}, {1, 0}, {1000001, 1}, {1, 1000001}, {SIZE_MAX, SIZE_MAX}};
  for (size_t i = 0; i < sizeof sides / sizeof *sides; i++) {
    const struct matrix matrix = {.rows = sides[i][0], .columns = sides[i][1]};
    struct error error;
    char *data;
    size_t size;
    assert_int_equal(write_to_memory(&matrix, &palette, 300, &data, &size, &error), ERROR_INPUT);
    assert_non_null(strstr(error.message, "1000000"));
    free(data);
  }
}

static void full_disk_is_noticed(void **state) {
  (void)state;
  const struct palette palette = make_palette();
  struct matrix *matrix = make_matrix(64, 64, 0, 0);
  struct error error;
  FILE *full = fopen("/dev/full", "wb");
  if (!full) skip();
  setvbuf(full, NULL, _IONBF, 0);
  assert_int_equal(raster_write(matrix, &palette, &scale, 300, full, &error), ERROR_FAILED);
  assert_non_null(strstr(error.message, "No space left"));
  fclose(full);
  matrix_destroy(matrix);
}

/* A small PNG of both palette and transparency. */
static void small_png(char **data, size_t *size) {
  const struct palette palette = make_palette();
  struct matrix *matrix = make_matrix(4, 3, 250, 5);
  assert_int_equal(write_to_memory(matrix, &palette, 300, data, size, NULL), OK);
  matrix_destroy(matrix);
}

/* Prefixes are copied so that the address sanitizer sees a read past the end. */
static void cut_pictures_never_pass(void **state) {
  (void)state;
  char *data;
  size_t size;
  small_png(&data, &size);
  for (size_t cut = 0; cut < size; cut++) {
    char *prefix = malloc(cut + !cut);
    struct error error;
    assert_non_null(prefix);
    memcpy(prefix, data, cut);
    assert_int_equal(raster_check(prefix, cut, &error), ERROR_FAILED);
    assert_true(strlen(error.message) > 0);
    free(prefix);
  }
  free(data);
}

static void every_flipped_bit_is_found(void **state) {
  (void)state;
  char *data;
  size_t size;
  small_png(&data, &size);
  for (size_t bit = 0; bit < 8 * size; bit++) {
    data[bit / 8] ^= (char)(1 << bit % 8);
    assert_int_equal(raster_check(data, size, NULL), ERROR_FAILED);
    data[bit / 8] ^= (char)(1 << bit % 8);
  }
  assert_int_equal(raster_check(data, size, NULL), OK);
  free(data);
}

static void chunks_are_written_as_the_specification_says(void **state) {
  (void)state;
  /* IEND with its CRC, as it ends every PNG. */
  static const uint8_t end[] = {0, 0, 0, 0, 'I', 'E', 'N', 'D', 0xae, 0x42, 0x60, 0x82};
  char *data;
  size_t size;
  FILE *stream = open_memstream(&data, &size);
  raster_write_chunk(stream, "IEND", NULL, 0);
  fclose(stream);
  assert_int_equal(size, sizeof end);
  assert_memory_equal(data, end, sizeof end);
  free(data);
}

/* Chunks of PNGs made by hand. */
struct part {
  const char *type;
  const char *body;
  size_t size;
};

#define HEADER_BODY(width, colour) width "\0\0\0\1\10" colour "\0\0\0"
#define HEADER                                                                                     \
  { "IHDR", HEADER_BODY("\0\0\0\1", "\0"), 13 }
#define INDEXED                                                                                    \
  { "IHDR", HEADER_BODY("\0\0\0\1", "\3"), 13 }
#define PIXELS                                                                                     \
  { "IDAT", "x", 1 }
#define PALETTE                                                                                    \
  { "PLTE", "abc", 3 }
#define TEXT                                                                                       \
  { "tEXt", "a\0b", 3 }
#define END                                                                                        \
  { "IEND", "", 0 }

static void order_of_chunks_is_checked(void **state) {
  (void)state;
  const struct {
    struct part parts[6];
    const char *fault; /* NULL: a good one */
  } cases[] = {
      {{HEADER, PIXELS, END}, NULL},
      {{HEADER, TEXT, PIXELS, PIXELS, TEXT, END}, NULL},
      {{INDEXED, PALETTE, PIXELS, END}, NULL},
      {{PIXELS, END}, "does not start with IHDR"},
      {{HEADER, HEADER, PIXELS, END}, "second IHDR"},
      {{HEADER, END}, "no pixels"},
      {{HEADER, PIXELS, TEXT, PIXELS, END}, "scattered"},
      {{HEADER, PIXELS, {"IEND", "x", 1}}, "malformed IEND"},
      {{HEADER, PIXELS}, "cut off"},
      {{HEADER, PIXELS, END, TEXT}, "follow its end"},
      {{INDEXED, PIXELS, END}, "lacks its palette"},
      {{INDEXED, PIXELS, PALETTE, END}, "lacks its palette"},
      {{HEADER, PIXELS, PALETTE, END}, "misplaced palette"},
      {{INDEXED, PALETTE, PALETTE, PIXELS, END}, "misplaced palette"},
      {{INDEXED, {"PLTE", "abcd", 4}, PIXELS, END}, "malformed palette"},
      {{INDEXED, {"PLTE", "", 0}, PIXELS, END}, "malformed palette"},
      {{HEADER, {"ID\1T", "x", 1}, END}, "no chunk type"},
      {{{"IHDR", "\0\0\0\1", 4}, PIXELS, END}, "does not start with IHDR"},
      {{{"IHDR", HEADER_BODY("\0\0\0\0", "\0"), 13}, PIXELS, END}, "impossible size"},
      {{{"IHDR", HEADER_BODY("\x80\0\0\0", "\0"), 13}, PIXELS, END}, "impossible size"},
      {{{"IHDR", HEADER_BODY("\0\0\0\1", "\1"), 13}, PIXELS, END}, "impossible colour type"},
      {{{"IHDR", HEADER_BODY("\0\0\0\1", "\7"), 13}, PIXELS, END}, "impossible colour type"},
      {{{"IHDR", "\0\0\0\1\0\0\0\1\3\0\0\0\0", 13}, PIXELS, END}, "impossible colour type"},
      {{{"IHDR", "\0\0\0\1\0\0\0\1\40\0\0\0\0", 13}, PIXELS, END}, "impossible colour type"},
      {{{"IHDR", "\0\0\0\1\0\0\0\1\10\0\1\0\0", 13}, PIXELS, END}, "unknown method"},
      {{{"IHDR", "\0\0\0\1\0\0\0\1\10\0\0\0\2", 13}, PIXELS, END}, "unknown method"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char *data;
    size_t size;
    struct error error;
    FILE *stream = open_memstream(&data, &size);
    fwrite("\x89PNG\r\n\x1a\n", 1, 8, stream);
    for (const struct part *part = cases[i].parts; part < cases[i].parts + 6 && part->type; part++)
      raster_write_chunk(stream, part->type, part->body, part->size);
    fclose(stream);
    assert_int_equal(raster_check(data, size, &error), cases[i].fault ? ERROR_FAILED : OK);
    if (cases[i].fault) assert_non_null(strstr(error.message, cases[i].fault));
    free(data);
  }
}

static void claimed_lengths_are_not_believed(void **state) {
  (void)state;
  char *data;
  size_t size;
  struct error error;
  struct raster_chunk chunk;
  static const uint8_t largest[] = {0x7f, 0xff, 0xff, 0xff}, larger[] = {0xff, 0xff, 0xff, 0xff};
  small_png(&data, &size);
  assert_true(find_chunk(data, size, "IDAT", &chunk));
  memcpy(data + chunk.start, largest, sizeof largest);
  assert_int_equal(raster_check(data, size, &error), ERROR_FAILED);
  assert_non_null(strstr(error.message, "cut off"));
  assert_false(find_chunk(data, size, "IDAT", &chunk));
  memcpy(data + 33, larger, sizeof larger); /* of the chunk after IHDR */
  assert_int_equal(raster_check(data, size, &error), ERROR_FAILED);
  assert_non_null(strstr(error.message, "2^31"));
  free(data);
}

static void size_is_read_without_being_believed(void **state) {
  (void)state;
  /* A header that claims a million by a million 16-bit RGBA pixels, and nothing behind it. */
  static const char body[] = "\0\x0f\x42\x40\0\x0f\x42\x40\20\6\0\0\0";
  char *data;
  size_t size;
  unsigned width, height;
  struct error error;
  FILE *stream = open_memstream(&data, &size);
  fwrite("\x89PNG\r\n\x1a\n", 1, 8, stream);
  raster_write_chunk(stream, "IHDR", body, 13);
  fclose(stream);
  assert_int_equal(raster_size(data, size, &width, &height, &error), OK);
  assert_int_equal(width, 1000000);
  assert_int_equal(height, 1000000);
  assert_int_equal(raster_check(data, size, &error), ERROR_FAILED);
  for (size_t cut = 0; cut < size; cut++)
    assert_int_equal(raster_size(data, cut, &width, &height, &error), ERROR_INPUT);
  assert_false(raster_signature(data, 7));
  assert_true(raster_signature(data, 8));
  free(data);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pixels_have_their_colours),
      cmocka_unit_test(masked_pixels_are_transparent),
      cmocka_unit_test(all_colours_and_transparency_fit),
      cmocka_unit_test(what_has_no_logarithm_is_transparent),
      cmocka_unit_test(infinities_take_the_ends),
      cmocka_unit_test(resolution_is_written),
      cmocka_unit_test(bytes_repeat_with_any_thread_count),
      cmocka_unit_test(large_pictures_come_back),
      cmocka_unit_test(impossible_rasters_are_refused),
      cmocka_unit_test(full_disk_is_noticed),
      cmocka_unit_test(cut_pictures_never_pass),
      cmocka_unit_test(every_flipped_bit_is_found),
      cmocka_unit_test(chunks_are_written_as_the_specification_says),
      cmocka_unit_test(order_of_chunks_is_checked),
      cmocka_unit_test(claimed_lengths_are_not_believed),
      cmocka_unit_test(size_is_read_without_being_believed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

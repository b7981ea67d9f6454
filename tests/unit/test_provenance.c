/* Provenance: figures as gnuplot draws them and as rasters are written, sealed and read back. */
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "lib/base/file.h"
#include "lib/base/hash.h"
#include "lib/figure/provenance.h"
#include "lib/figure/raster.h"

/* One small figure of each format, drawn once: two PNGs, a PDF, an SVG, and TeX with its PDF. */
enum { GNUPLOT_PNG, RASTER_PNG, PLAIN_PDF, PACKED_PDF, SVG, TEX, DRAWN };
static struct drawn {
  enum figure_format format;
  struct blob picture;
} drawn[DRAWN] = {{.format = FIGURE_PNG}, {.format = FIGURE_PNG}, {.format = FIGURE_PDF},
                  {.format = FIGURE_PDF}, {.format = FIGURE_SVG}, {.format = FIGURE_TEX}};

static int draw(const char *terminal, const char *options, struct blob *picture, struct blob *tex) {
  char script[256];
  struct error error;
  snprintf(script, sizeof script, "set terminal %s %s\nplot [0:1] x\n", terminal, options);
  const struct gnuplot_job job = {
      .script = script, .data = "", .terminal = terminal, .tex_graphic = tex ? "figure" : NULL};
  if (!gnuplot_run(&job, picture, tex, &error)) return 0;
  print_error("%s\n", error.message);
  return -1;
}

/* A PDF of cairo 1.18.4, whose information is packed; the tests' own cairo may be older. */
static int read_file(const char *path, struct blob *blob) {
  return file_read(path, 1 << 20, &blob->data, &blob->size, NULL) ? -1 : 0;
}

static int write_raster(struct blob *picture) {
  struct palette palette = {.name = "grey"};
  struct matrix *matrix = matrix_create(5, 7, NULL);
  const struct colour_scale scale = {0, 35, 0};
  FILE *stream = open_memstream(&picture->data, &picture->size);
  if (!matrix || !stream) return -1;
  for (int i = 0; i < PALETTE_SIZE; i++)
    memset(palette.rgb[i], i, 3);
  for (int i = 0; i < 35; i++)
    matrix->cells[i] = i % 4 ? i : NAN;
  const int status = raster_write(matrix, &palette, &scale, 72, stream, NULL);
  matrix_destroy(matrix);
  return fclose(stream) || status ? -1 : 0;
}

static int draw_all(void **state) {
  (void)state;
  struct blob included = {NULL, 0};
  const int failed =
      draw("pngcairo", "size 120,90", &drawn[GNUPLOT_PNG].picture, NULL) ||
      write_raster(&drawn[RASTER_PNG].picture) ||
      draw("pdfcairo", "size 2in,1.5in", &drawn[PLAIN_PDF].picture, NULL) ||
      read_file("tests/fuzz/corpus/provenance/packed-1.pdf", &drawn[PACKED_PDF].picture) ||
      draw("svg", "size 120,90", &drawn[SVG].picture, NULL) ||
      draw("cairolatex", "pdf input size 2in,1.5in", &included, &drawn[TEX].picture);
  free(included.data);
  return failed;
}

static int release_all(void **state) {
  (void)state;
  for (const struct drawn *d = drawn; d < drawn + DRAWN; d++)
    free(d->picture.data);
  return 0;
}

/* What has gone wrong elsewhere: quotes, brackets, backslashes, markup, percent, other scripts. */
static const char title[] = "a_b^{c} (d) \\) \\input{x} %s ]]> --> </metadata> <svg> & \"q\" 'r' "
                            "\xce\xb1 \xe2\x82\xac \xf0\x9d\x94\xb8 \x7f\n\tend";

static struct meta *make_provenance(void) {
  struct meta *meta = meta_create();
  meta_set_text(meta, "command", "ropetool decay --dim 128");
  meta_set_text(meta, "title", title);
  meta_set_real(meta, "base", 10000.1);
  meta_set_text(meta_append_object(meta, "inputs"), "name", "config.json");
  return meta;
}

static struct blob copy_blob(const struct blob *blob, size_t size) {
  struct blob copy = {malloc(size + !size), size};
  assert_non_null(copy.data);
  memcpy(copy.data, blob->data, size);
  return copy;
}

static struct blob sealed(const struct drawn *figure) {
  struct blob picture = copy_blob(&figure->picture, figure->picture.size);
  struct meta *provenance = make_provenance();
  struct error error;
  if (provenance_seal(figure->format, 300, provenance, &picture, &error))
    fail_msg("%s", error.message);
  meta_destroy(provenance);
  return picture;
}

static void assert_same(const struct blob *a, const struct blob *b) {
  assert_int_equal(a->size, b->size);
  assert_memory_equal(a->data, b->data, a->size);
}

static int is_intact(const struct blob *picture) {
  struct meta *provenance;
  int intact;
  if (provenance_read(picture->data, picture->size, &provenance, &intact, NULL)) return -1;
  meta_destroy(provenance);
  return intact;
}

static void formats_are_told_by_extension(void **state) {
  (void)state;
  assert_int_equal(figure_format_of("a.png"), FIGURE_PNG);
  assert_int_equal(figure_format_of("dir.x/a.PDF"), FIGURE_PDF);
  assert_int_equal(figure_format_of("./-a.Svg"), FIGURE_SVG);
  assert_int_equal(figure_format_of("a.png.tex"), FIGURE_TEX);
  assert_int_equal(figure_format_of("a.csv"), -1);
  assert_int_equal(figure_format_of("png"), -1);
  assert_int_equal(figure_format_of(""), -1);
}

static void provenance_comes_back(void **state) {
  (void)state;
  for (const struct drawn *d = drawn; d < drawn + DRAWN; d++) {
    struct blob picture = sealed(d);
    struct meta *provenance;
    struct error error;
    int intact;
    assert_int_equal(provenance_read(picture.data, picture.size, &provenance, &intact, &error), OK);
    assert_int_equal(intact, 1);
    assert_string_equal(meta_text(provenance, "command"), "ropetool decay --dim 128");
    assert_string_equal(meta_text(provenance, "title"), title);
    assert_true(meta_real(provenance, "base", 0) == 10000.1);
    assert_string_equal(meta_text(meta_item(provenance, "inputs", 0), "name"), "config.json");
    meta_destroy(provenance);
    free(picture.data);
  }
}

/* picture_sha256 is the hash of the same figure sealed without provenance. */
static void hash_is_that_of_the_rest(void **state) {
  (void)state;
  for (const struct drawn *d = drawn; d < drawn + DRAWN; d++) {
    struct blob picture = sealed(d), bare = copy_blob(&d->picture, d->picture.size);
    struct meta *provenance;
    char hash[HASH_TEXT];
    int intact;
    assert_int_equal(provenance_seal(d->format, 300, NULL, &bare, NULL), OK);
    assert_int_equal(is_intact(&bare), -1);
    hash_bytes(bare.data, bare.size, hash);
    assert_int_equal(provenance_read(picture.data, picture.size, &provenance, &intact, NULL), OK);
    assert_string_equal(meta_text(provenance, "picture_sha256"), hash);
    meta_destroy(provenance);
    free(picture.data);
    free(bare.data);
  }
}

static void bytes_repeat(void **state) {
  (void)state;
  for (const struct drawn *d = drawn; d < drawn + DRAWN; d++) {
    struct blob first = sealed(d);
    assert_int_equal(setenv("TZ", "Asia/Kolkata", 1), 0);
    tzset();
    setlocale(LC_ALL, "C.UTF-8");
    struct blob again = sealed(d);
    assert_int_equal(unsetenv("TZ"), 0);
    tzset();
    setlocale(LC_ALL, "C");
    assert_same(&first, &again);

    /* A figure that is sealed already gets the new provenance in place of the old. */
    const struct drawn resealed = {d->format, again};
    struct blob third = sealed(&resealed);
    assert_same(&first, &third);
    free(first.data);
    free(again.data);
    free(third.data);
  }
}

/* Two PDFs of one figure whose dates differ in value and in packed length. */
static void dates_are_gone(void **state) {
  (void)state;
  struct drawn other = {.format = FIGURE_PDF};
  assert_int_equal(read_file("tests/fuzz/corpus/provenance/packed-2.pdf", &other.picture), 0);
  assert_int_not_equal(other.picture.size, drawn[PACKED_PDF].picture.size);
  struct blob first = sealed(&drawn[PACKED_PDF]), second = sealed(&other);
  assert_same(&first, &second);
  free(first.data);
  free(second.data);
  free(other.picture.data);
}

static void source_date_epoch_is_honoured(void **state) {
  (void)state;
  const struct {
    const char *value, *entry; /* NULL: no date */
  } cases[] = {{"0", "/CreationDate (D:19700101000000Z)"},
               {"1700000000", "/CreationDate (D:20231114221320Z)"},
               {"253402300799", "/CreationDate (D:99991231235959Z)"},
               {"253402300800", NULL},
               {"", NULL},
               {"-1", NULL},
               {"12x", NULL},
               {NULL, NULL}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    if (cases[i].value)
      assert_int_equal(setenv("SOURCE_DATE_EPOCH", cases[i].value, 1), 0);
    else
      assert_int_equal(unsetenv("SOURCE_DATE_EPOCH"), 0);
    for (int d = PLAIN_PDF; d <= PACKED_PDF; d++) {
      struct blob picture = sealed(&drawn[d]);
      const char *wanted = cases[i].entry ? cases[i].entry : "/CreationDate";
      const void *found = memmem(picture.data, picture.size, wanted, strlen(wanted));
      assert_int_equal(found != NULL, cases[i].entry != NULL);
      assert_int_equal(is_intact(&picture), 1);
      free(picture.data);
    }
  }
}

static void png_gets_its_resolution(void **state) {
  (void)state;
  static const uint8_t body[] = {0, 0, 0x2e, 0x23, 0, 0, 0x2e, 0x23, 1}; /* 11811 a metre */
  for (int d = GNUPLOT_PNG; d <= RASTER_PNG; d++) {
    struct blob picture = sealed(&drawn[d]);
    struct raster_chunk chunk;
    int densities = 0, pixels_seen = 0;
    assert_int_equal(raster_check(picture.data, picture.size, NULL), OK);
    for (size_t cursor = 0; raster_next_chunk(picture.data, picture.size, &cursor, &chunk);) {
      pixels_seen |= !strcmp(chunk.type, "IDAT");
      if (strcmp(chunk.type, "pHYs")) continue;
      assert_false(pixels_seen);
      assert_int_equal(chunk.size, sizeof body);
      assert_memory_equal(chunk.data, body, sizeof body);
      densities++;
    }
    assert_int_equal(densities, 1);
    free(picture.data);
  }
  struct blob picture = copy_blob(&drawn[GNUPLOT_PNG].picture, drawn[GNUPLOT_PNG].picture.size);
  struct error error;
  assert_int_equal(provenance_seal(FIGURE_PNG, 0, NULL, &picture, &error), ERROR_INPUT);
  assert_non_null(strstr(error.message, "resolution"));
  assert_same(&picture, &drawn[GNUPLOT_PNG].picture);
  free(picture.data);
}

/* Where the last byte of a figure is that belongs to it; line ends may follow. */
static size_t last_byte(const struct blob *picture) {
  size_t size = picture->size;
  while (size && picture->data[size - 1] == '\n')
    size--;
  return size;
}

static void cut_pictures_are_not_sealed(void **state) {
  (void)state;
  struct meta *provenance = make_provenance();
  for (const struct drawn *d = drawn; d < drawn + DRAWN; d++) {
    const size_t whole = last_byte(&d->picture);
    for (size_t cut = 0; cut < whole; cut += cut < 64 || cut + 200 > whole ? 1 : 13) {
      struct blob picture = copy_blob(&d->picture, cut);
      struct error error;
      assert_int_equal(provenance_seal(d->format, 300, provenance, &picture, &error), ERROR_FAILED);
      assert_int_equal(picture.size, cut);
      free(picture.data);
    }
  }
  meta_destroy(provenance);
}

static void cut_figures_are_not_intact(void **state) {
  (void)state;
  for (const struct drawn *d = drawn; d < drawn + DRAWN; d++) {
    struct blob whole = sealed(d);
    for (size_t cut = 0; cut<whole.size; cut += cut + 200> whole.size ? 1 : 7) {
      struct blob prefix = copy_blob(&whole, cut);
      assert_int_not_equal(is_intact(&prefix), 1);
      free(prefix.data);
    }
    free(whole.data);
  }
}

/* Where the text of the provenance starts and ends in a sealed figure. */
static void find_text(const struct blob *picture, enum figure_format format, size_t *start,
                      size_t *end) {
  static const char hash[] = "\"picture_sha256\": \"";
  static const char tex[] = "\n% GNUPLOT";
  const char *first = memmem(picture->data, picture->size, "{\"command\"", 10);
  const char *last = format == FIGURE_TEX
                         ? memmem(picture->data, picture->size, tex, sizeof tex - 1)
                         : memmem(picture->data, picture->size, hash, sizeof hash - 1);
  assert_non_null(first);
  assert_non_null(last);
  *start = (size_t)(first - picture->data);
  *end = (size_t)(last - picture->data) + (format == FIGURE_TEX ? 0 : sizeof hash - 1 + 66);
}

static void changed_figures_are_not_intact(void **state) {
  (void)state;
  for (const struct drawn *d = drawn; d < drawn + DRAWN; d++) {
    struct blob picture = sealed(d);
    size_t start, end;
    find_text(&picture, d->format, &start, &end);
    for (size_t i = 0; i<picture.size; i += i + 1500> picture.size ? 1 : 5) {
      if (i >= start && i < end && d->format != FIGURE_PNG) continue;
      picture.data[i] ^= (char)(1 << i % 8);
      assert_int_not_equal(is_intact(&picture), 1);
      picture.data[i] ^= (char)(1 << i % 8);
    }
    assert_int_equal(is_intact(&picture), 1);
    free(picture.data);
  }
}

/* A later incremental update would change what a PDF shows without a byte of ours being touched. */
static void added_bytes_are_not_intact(void **state) {
  (void)state;
  for (const struct drawn *d = drawn; d < drawn + DRAWN; d++) {
    const struct blob whole = sealed(d);
    struct blob longer = copy_blob(&whole, whole.size);
    longer.data = realloc(longer.data, whole.size + 16);
    assert_non_null(longer.data);
    memcpy(longer.data + whole.size, "\n% more\n%%EOF\n", 14);
    longer.size = whole.size + 14;
    assert_int_equal(is_intact(&longer), 0);
    free(longer.data);
    free(whole.data);
  }
}

/* A format's picture is not another's, and what is wrong is said. */
static void wrong_pictures_are_named(void **state) {
  (void)state;
  static const char *const names[] = {"PNG", "PDF", "SVG", "TeX"};
  for (const struct drawn *d = drawn; d < drawn + DRAWN; d++) {
    for (int format = FIGURE_PNG; format <= FIGURE_TEX; format++) {
      struct blob picture = copy_blob(&d->picture, d->picture.size);
      struct error error;
      const int status = provenance_seal((enum figure_format)format, 300, NULL, &picture, &error);
      assert_int_equal(status, format == (int)d->format ? OK : ERROR_FAILED);
      if (status) assert_non_null(strstr(error.message, names[format]));
      free(picture.data);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(formats_are_told_by_extension),
      cmocka_unit_test(provenance_comes_back),
      cmocka_unit_test(hash_is_that_of_the_rest),
      cmocka_unit_test(bytes_repeat),
      cmocka_unit_test(dates_are_gone),
      cmocka_unit_test(source_date_epoch_is_honoured),
      cmocka_unit_test(png_gets_its_resolution),
      cmocka_unit_test(cut_pictures_are_not_sealed),
      cmocka_unit_test(cut_figures_are_not_intact),
      cmocka_unit_test(changed_figures_are_not_intact),
      cmocka_unit_test(added_bytes_are_not_intact),
      cmocka_unit_test(wrong_pictures_are_named),
  };
  return cmocka_run_group_tests(tests, draw_all, release_all);
}

/* Files that are no figures, or bring provenance that nobody should swallow, and provenance that
   looks like the file it is in. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/base/file.h"
#include "lib/figure/provenance.h"
#include "lib/figure/raster.h"

/* A block of exactly that size, so that the address sanitizer sees a read past its end. */
static struct blob copy_bytes(const char *data, size_t size) {
  struct blob copy = {malloc(size + !size), size};
  assert_non_null(copy.data);
  memcpy(copy.data, data, size);
  return copy;
}

static void other_files_are_refused(void **state) {
  (void)state;
  const struct {
    const char *data;
    size_t size;
    const char *message;
  } cases[] = {
      {"", 0, "not a figure"},
      {"GIF89a", 6, "not a figure"},
      {"\0\0\0\0", 4, "not a figure"},
      {"<html></html>", 13, "not a figure"},
      {"<svgx></svgx>", 13, "not a figure"},
      {"<?xml version='1.0'?><!-- <svg> -->", 35, "not a figure"},
      {"<svg></svg>", 11, "no provenance in this SVG"},
      {"%PDF-1.5\n", 9, "no provenance in this PDF"},
      {"\x89PNG\r\n\x1a\n", 8, "no provenance in this PNG"},
      {"% GNUPLOT: LaTeX picture", 24, "no provenance in this TeX"},
      {"<svg><metadata id=\"ropetool\">{</metadata></svg>", 47, "broken provenance in this SVG"},
      {"<svg><metadata id=\"ropetool\">[1]</metadata></svg>", 49, "broken provenance"},
      {"<svg><metadata id=\"ropetool\">{}", 31, "no provenance in this SVG"},
      {"% ropetool-provenance: \xff", 24, "broken provenance in this TeX"},
      {"%PDF-1.5 /RopetoolProvenance ({\\", 32, "broken provenance in this PDF"},
      {"%PDF-1.5 /RopetoolProvenance <7b7d>", 35, "no provenance in this PDF"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct blob file = copy_bytes(cases[i].data, cases[i].size);
    struct meta *provenance;
    struct error error;
    int intact = 7;
    assert_int_equal(provenance_read(file.data, file.size, &provenance, &intact, &error),
                     ERROR_INPUT);
    assert_non_null(strstr(error.message, cases[i].message));
    assert_null(provenance);
    assert_int_equal(intact, 0);
    free(file.data);
  }
}

/* No compressed text is read, so none can burst; deep nesting and length have their limits. */
static void hostile_texts_are_refused(void **state) {
  (void)state;
  enum { DEEP = 100000, LONG = (16 << 20) + 64 };
  static const char opening[] = "<svg><metadata id=\"ropetool\">", closing[] = "</metadata></svg>";
  static const char *const starts[] = {"{\"a\":", "{\"a\": \""};
  static const char fill[] = {'[', 'x'};
  static const size_t sizes[] = {DEEP, LONG};
  for (int i = 0; i < 2; i++) {
    struct blob file;
    struct meta *provenance;
    struct error error;
    int intact;
    FILE *stream = open_memstream(&file.data, &file.size);
    assert_non_null(stream);
    fprintf(stream, "%s%s", opening, starts[i]);
    for (size_t k = 0; k < sizes[i]; k++)
      fputc(fill[i], stream);
    fprintf(stream, "%s", closing);
    fclose(stream);
    assert_int_equal(provenance_read(file.data, file.size, &provenance, &intact, &error),
                     ERROR_INPUT);
    assert_non_null(strstr(error.message, i ? "too long" : "broken provenance"));
    free(file.data);
  }
}

static void too_much_provenance_is_refused(void **state) {
  (void)state;
  static const char svg[] = "<svg></svg>";
  char *text = malloc((16 << 20) + 1);
  assert_non_null(text);
  memset(text, 'x', 16 << 20);
  text[16 << 20] = '\0';
  struct meta *provenance = meta_create();
  meta_set_text(provenance, "title", text);
  struct blob picture = copy_bytes(svg, sizeof svg - 1);
  struct error error;
  assert_int_equal(provenance_seal(FIGURE_SVG, 300, provenance, &picture, &error), ERROR_FAILED);
  assert_non_null(strstr(error.message, "too long"));
  assert_int_equal(picture.size, sizeof svg - 1);
  assert_memory_equal(picture.data, svg, picture.size);
  free(picture.data);
  free(text);
  meta_destroy(provenance);
}

/* The words by which the formats are made up, alone and as they stand in a file. */
static const char *const words[] = {"endobj",
                                    "obj",
                                    "stream",
                                    "endstream",
                                    "%%EOF",
                                    "trailer",
                                    "startxref",
                                    "xref",
                                    "<<",
                                    ">>",
                                    "(",
                                    ")",
                                    "((",
                                    "))",
                                    "\\",
                                    "\\)",
                                    "<",
                                    ">",
                                    "%",
                                    "/Info 1 0 R",
                                    "/Prev 5",
                                    "/Size 1",
                                    "/W [1 2 1]",
                                    "/CreationDate (D:2000)",
                                    "/RopetoolProvenance",
                                    "/RopetoolProvenance ({})",
                                    "\\) /RopetoolProvenance ({}",
                                    ">>\nendobj\nstartxref\n5\n%%EOF\n",
                                    "<svg>",
                                    "</svg>",
                                    "<metadata id=\"ropetool\">{}</metadata>",
                                    "\n<metadata id=\"ropetool\">",
                                    "</metadata>",
                                    "<!-- -->",
                                    "<![CDATA[",
                                    "]]>",
                                    "<?xml version='1.0'?>",
                                    "&lt;/svg&gt;",
                                    "% ropetool-provenance: {}",
                                    "\n% ropetool-provenance: ",
                                    "% GNUPLOT: LaTeX picture",
                                    "\\end{picture}%\n\\endgroup",
                                    "\\begingroup\n",
                                    "{figure}",
                                    "PNG\r\n\x1a\n",
                                    "IDAT",
                                    "IEND",
                                    "iTXt",
                                    "ropetool",
                                    "\", \"picture_sha256\": \"0\""};

/* A small figure of each format: a raster; a PDF of cairo 1.18.4; texts of the other two. */
static struct blob small_figure(enum figure_format format) {
  static const char svg[] = "<?xml version='1.0'?>\n<svg width='1'>\n<g/></svg>\n";
  static const char tex[] = "% GNUPLOT: LaTeX picture with Postscript\n\\begingroup\n"
                            "\\end{picture}%\n\\endgroup\n";
  struct blob picture = {NULL, 0};
  if (format == FIGURE_SVG) return copy_bytes(svg, sizeof svg - 1);
  if (format == FIGURE_TEX) return copy_bytes(tex, sizeof tex - 1);
  if (format == FIGURE_PDF) {
    assert_int_equal(file_read("tests/fuzz/corpus/provenance/packed-1.pdf", 1 << 20, &picture.data,
                               &picture.size, NULL),
                     OK);
    return picture;
  }
  const struct palette palette = {.name = "grey"};
  const struct colour_scale scale = {0, 35, 0};
  struct matrix *matrix = matrix_create(5, 7, NULL);
  FILE *stream = open_memstream(&picture.data, &picture.size);
  assert_non_null(matrix);
  assert_non_null(stream);
  assert_int_equal(raster_write(matrix, &palette, &scale, 72, stream, NULL), OK);
  fclose(stream);
  matrix_destroy(matrix);
  return picture;
}

/* What the provenance says is text, whatever it looks like. */
static void words_of_the_formats_are_text(void **state) {
  (void)state;
  const size_t count = sizeof words / sizeof *words;
  for (int format = FIGURE_PNG; format <= FIGURE_TEX; format++)
    for (size_t i = 0; i < count; i++) {
      struct blob picture = small_figure((enum figure_format)format);
      struct meta *provenance = meta_create(), *read = NULL;
      struct error error;
      int intact = 0;
      meta_set_text(provenance, words[i], words[count - 1 - i]);
      meta_set_text(provenance, "title", words[i]);
      if (provenance_seal((enum figure_format)format, 300, provenance, &picture, &error) ||
          provenance_read(picture.data, picture.size, &read, &intact, &error))
        fail_msg("'%s': %s", words[i], error.message);
      if (!intact) fail_msg("'%s' in format %d is not intact", words[i], format);
      assert_string_equal(meta_text(read, "title"), words[i]);
      meta_destroy(read);
      meta_destroy(provenance);
      free(picture.data);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(other_files_are_refused),
      cmocka_unit_test(hostile_texts_are_refused),
      cmocka_unit_test(too_much_provenance_is_refused),
      cmocka_unit_test(words_of_the_formats_are_text),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Files that are no figures, or bring provenance that nobody should swallow. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/figure/provenance.h"

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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(other_files_are_refused),
      cmocka_unit_test(hostile_texts_are_refused),
      cmocka_unit_test(too_much_provenance_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Spectra with what they are read against, for the tests of figures. */
#ifndef ROPETOOL_TESTS_BACKDROPS_H
#define ROPETOOL_TESTS_BACKDROPS_H

#include "tests/unit/pictures.h"

/* Wavelengths of `pairs` pairs, a quarter each kept, blended, divided and without a frequency. */
static inline struct table *table_of_pairs(size_t pairs, size_t series) {
  static const char *const names[] = {"series", "pair", "wavelength", "unscaled", "band"};
  static const enum column_kind kinds[] = {COLUMN_TEXT, COLUMN_INTEGER, COLUMN_REAL, COLUMN_REAL,
                                           COLUMN_TEXT};
  static const char *const bands[] = {"kept", "blended", "divided", "zero"};
  struct table *table = table_create(NULL);
  for (int c = 0; c < 5; c++)
    assert_int_equal(table_add_column(table, names[c], kinds[c], NULL), c);
  assert_int_equal(table_add_rows(table, pairs * series, NULL), OK);
  for (size_t r = 0; r < pairs * series; r++) {
    const size_t pair = r % pairs, band = 4 * pair / pairs;
    const double wavelength = 6 * pow(10, 5.0 * (double)pair / (double)pairs);
    char name[32];
    snprintf(name, sizeof name, "model %zu", r / pairs);
    assert_int_equal(table_set_text(table, r, 0, name, NULL), OK);
    table_set_integer(table, r, 1, (int64_t)pair);
    table_set_real(table, r, 2, band == 3 ? INFINITY : wavelength * (band > 1 ? 8 : 1));
    table_set_real(table, r, 3, wavelength);
    assert_int_equal(table_set_text(table, r, 4, bands[band], NULL), OK);
  }
  return table;
}

static const struct curve_plot spectrum = {
    .x = "pair",
    .group = "series",
    .lines = {"wavelength", "unscaled"},
    .line_labels = {"scaled", "unscaled"},
    .xlabel = "pair",
    .ylabel = "wavelength (tokens)",
    .log_y = true,
    .markers = 1,
    .spans = "band",
    .marks = {{8192, "training length 8192"}, {131072, "target length 131072"}}};

#endif

/* Scaling rules as the command line gives them, for tests. */
#ifndef ROPETOOL_TESTS_SCALINGS_H
#define ROPETOOL_TESTS_SCALINGS_H

#include "lib/rope/band.h"
#include "lib/rope/scaling.h"
#include "tests/unit/spectra.h"

static inline void set_list(struct rope_spec *spec, const char *key, const double *value,
                            size_t count) {
  struct error error;
  if (spec_set_list(spec, key, value, count, &error)) fail_msg("%s", error.message);
}

/* Relative. */
static inline void assert_relative(long double actual, long double expected, double tolerance) {
  if (!(fabsl(actual - expected) <= tolerance * fabsl(expected)))
    fail_msg("%.20Lg is not %.20Lg within %g", actual, expected, tolerance);
}

/* The bands in this order and these numbers, zero pairs last. */
static inline void assert_bands(const struct spectrum *spectrum, size_t kept, size_t blended,
                                size_t divided) {
  for (size_t i = 0; i < spectrum->pairs; i++) {
    const enum band expected = i < kept                       ? BAND_KEPT
                               : i < kept + blended           ? BAND_BLENDED
                               : i < kept + blended + divided ? BAND_DIVIDED
                                                              : BAND_ZERO;
    if (spectrum_band(spectrum, i) != expected)
      fail_msg("pair %zu is %s, not %s", i, band_name(spectrum_band(spectrum, i)),
               band_name(expected));
  }
}

/* `spec` is ERROR_INPUT with a message that begins with `message`. */
static inline void assert_spec_refused(const struct rope_spec *spec, const char *message) {
  struct error error = {OK, ""};
  struct spectrum *spectrum;
  assert_int_equal(spectrum_create(spec, &spectrum, &error), ERROR_INPUT);
  assert_null(spectrum);
  if (strncmp(error.message, message, strlen(message)) != 0)
    fail_msg("'%s': \"%s\" is not \"%s\"", spec->scaling.type, error.message, message);
}

static inline void assert_scaling_refused(size_t dim, double base, const char *scaling,
                                          const char *message) {
  const struct rope_spec spec = scaled_spec(dim, base, scaling);
  assert_spec_refused(&spec, message);
}

/* Exactly these warnings; NULL: none. */
static inline void assert_spec_warns(const struct rope_spec *spec, const char *first,
                                     const char *second) {
  struct meta *meta = meta_create();
  scaling_warn(spec, meta);
  for (size_t i = 0; i < meta_count(meta, "warnings"); i++) {
    const char *expected = i == 0 ? first : i == 1 ? second : NULL;
    assert_non_null(expected);
    assert_string_equal(meta_item_text(meta, "warnings", i), expected);
  }
  assert_int_equal(meta_count(meta, "warnings"), !!first + !!second);
  meta_destroy(meta);
}

static inline void assert_warns(const char *scaling, int64_t context, const char *first,
                                const char *second) {
  struct rope_spec spec = scaled_spec(128, 10000, scaling);
  spec.context = context;
  assert_spec_warns(&spec, first, second);
}

#endif

/* Spectra and comparisons for the tests of lib/analysis and lib/encoding. */
#ifndef ROPETOOL_TESTS_SPECTRA_H
#define ROPETOOL_TESTS_SPECTRA_H

#include "lib/rope/spectrum.h"
#include "tests/oracle/harness.h"

/* |value − expected| <= tolerance; NaN never passes. */
#define assert_near(value, expected, tolerance)                                                    \
  assert_near_at((value), (expected), (tolerance), #value, __FILE__, __LINE__)

static inline void assert_near_at(double value, double expected, double tolerance, const char *what,
                                  const char *file, int line) {
  if (fabs(value - expected) <= tolerance) return;
  print_error("%s is %.17g, expected %.17g within %g\n", what, value, expected, tolerance);
  _fail(file, line);
}

#define assert_message(error, part)                                                                \
  do {                                                                                             \
    if (!strstr((error).message, (part))) fail_msg("no '%s' in: %s", (part), (error).message);     \
  } while (0)

static inline struct spectrum *spectrum_of(const struct rope_spec *spec) {
  struct spectrum *spectrum = NULL;
  struct error error;
  if (spectrum_create(spec, &spectrum, &error)) fail_msg("%s", error.message);
  return spectrum;
}

/* A spec of `dim` dimensions, `scaling` as on the command line; model and sequence have no context.
 */
static inline struct rope_spec scaled_spec(size_t dim, double base, const char *scaling) {
  struct rope_spec spec;
  struct error error;
  spec_default(&spec);
  spec.head_dim = spec.rotary_dim = dim;
  spec.base = base;
  if (spec_parse_scaling(scaling, &spec.scaling, &error)) fail_msg("%s", error.message);
  return spec;
}

static inline struct spectrum *scaled_spectrum(size_t dim, double base, const char *scaling) {
  const struct rope_spec spec = scaled_spec(dim, base, scaling);
  return spectrum_of(&spec);
}

static inline struct spectrum *plain_spectrum(size_t dim, double base) {
  return scaled_spectrum(dim, base, "none");
}

/* Σ_i cos(m·θ_i), added up plainly. */
static inline double cosine_sum_of(const struct spectrum *spectrum, int64_t distance) {
  double sum = 0, cosine, sine;
  for (size_t i = 0; i < spectrum->pairs; i++) {
    phase_cos_sin(phase_at(spectrum->step[i], distance), &cosine, &sine);
    sum += cosine;
  }
  return sum;
}

#endif

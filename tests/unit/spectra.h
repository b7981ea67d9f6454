/* Spectra and comparisons for the tests of lib/analysis and lib/encoding. */
#ifndef ROPETOOL_TESTS_SPECTRA_H
#define ROPETOOL_TESTS_SPECTRA_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/backend.h"
#include "lib/base/phase.h"
#include "lib/rope/spectrum.h"

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

static inline struct spectrum *plain_spectrum(size_t dim, double base) {
  struct rope_spec spec;
  spec_default(&spec);
  spec.head_dim = spec.rotary_dim = dim;
  spec.base = base;
  return spectrum_of(&spec);
}

static inline struct backend *cpu_backend(void) {
  struct backend *backend = NULL;
  struct error error;
  if (backend_open("cpu", &backend, &error)) fail_msg("%s", error.message);
  return backend;
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

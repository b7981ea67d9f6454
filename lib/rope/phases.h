/* A spectrum as the backend takes it. */
#ifndef ROPETOOL_ROPE_PHASES_H
#define ROPETOOL_ROPE_PHASES_H

#include "kernels/backend.h"
#include "lib/rope/spectrum.h"

/* One series, rounded as the spec asks. The arrays stay the spectrum's. Without designated
   initialisers, which C++ before C++20 does not have. */
static inline struct phases phases_of(const struct spectrum *spectrum) {
  struct phases phases;
  phases.series = 1;
  phases.pairs = spectrum->pairs;
  phases.step = spectrum->step;
  phases.inv_freq = spectrum->inv_freq_double;
  phases.precision = spectrum->spec.precision;
  return phases;
}

#endif

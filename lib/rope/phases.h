/* A spectrum as the backend takes it. */
#ifndef ROPETOOL_ROPE_PHASES_H
#define ROPETOOL_ROPE_PHASES_H

#include "kernels/backend.h"
#include "lib/rope/spectrum.h"

/* One series, rounded as the spec asks. The arrays stay the spectrum's. */
static inline struct phases phases_of(const struct spectrum *spectrum) {
  return (struct phases){.series = 1,
                         .pairs = spectrum->pairs,
                         .step = spectrum->step,
                         .inv_freq = spectrum->inv_freq_double,
                         .precision = spectrum->spec.precision};
}

#endif

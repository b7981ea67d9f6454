/* cos and sin of all pairs at one position, several at a time. */
#include "kernels/cpu.h"
#include "kernels/phase_table.h"
#include "lib/base/phase.h"

static void rounded_row(const struct phases *phases, int64_t position, double *cosine,
                        double *sine) {
  for (size_t i = 0; i < phases->pairs; i++)
    phase_cos_sin_rounded(phases->precision, phases->step[i], phases->inv_freq[i], position,
                          cosine + i, sine + i);
}

void phase_row(const struct phases *phases, int64_t position, double amplitude, double *cosine,
               double *sine) {
  if (phases->precision == PRECISION_FP64)
    phase_table_pairs(phases->step, phases->pairs, position, cosine, sine);
  else
    rounded_row(phases, position, cosine, sine);
  for (size_t i = 0; amplitude != 1 && i < phases->pairs; i++) {
    cosine[i] *= amplitude;
    sine[i] *= amplitude;
  }
}

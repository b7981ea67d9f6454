#include "kernels/phase_table.h"

#include <string.h>

#include "kernels/cpu.h"

/* cos(πt/2) and sin(πt/2) for |t| <= 1/2 as 1 + t²·C(t²) and t·π/2 + t·(t²·S(t²) + what a double
   lacks of π/2). C and S are Chebyshev interpolants over t² in [0, 1/4], made in 60-digit
   arithmetic. In units of 2^-53 a sine is off by at most 0.4 for the rounding of t, 0.5 for that of
   t·π/2, 0.5 for that of the sum, 0.1 for the series and less for the rest of it; a cosine by 0.3,
   0.5 for the sum, 0.5 for what is added to 1, and 0.2 for the series. */
static const double half_pi = 0x1.921fb54442d18p+0, half_pi_rest = 0x1.1a62633145c07p-54;
static const double sine_series[] = {-0x1.4abbce625be52p-1,  0x1.466bc6775a476p-4,
                                     -0x1.32d2cce500387p-8,  0x1.50783208843ebp-13,
                                     -0x1.e3027dea82bd7p-19, 0x1.e4a9d9166f052p-25};
static const double cosine_series[] = {
    -0x1.3bd3cc9be45dep+0,  0x1.03c1f081b5ac0p-2,  -0x1.55d3c7e3cb241p-6, 0x1.e1f5068688d5bp-11,
    -0x1.a6d1eef479be1p-16, 0x1.f9ce245cada0bp-22, -0x1.b2f3eb054afcdp-28};

static inline double double_of_bits(uint64_t bits) {
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static inline uint64_t bits_of_double(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

/* What is left of a phase when the nearest quarter turn is taken off, in quarter turns: [−1/2,
   1/2). `shifted` is the phase plus an eighth of a turn, so that its two highest bits count the
   quarters. The other 62 become a double by halves, set into the digits of 2^84 and 2^52: only the
   last sum rounds, and no vector unit lacks the instructions. */
static inline double quarter_rest(uint64_t shifted) {
  const uint64_t rest = shifted & ((UINT64_C(1) << 62) - 1);
  const double high = double_of_bits(rest >> 32 | UINT64_C(0x453) << 52) - (0x1p84 + 0x1p61);
  const double low = double_of_bits((rest & UINT32_MAX) | UINT64_C(0x433) << 52) - 0x1p52;
  return (high + low) * 0x1p-62;
}

/* Without a branch, so that a loop over it becomes vectors. */
static inline void cosine_sine(uint64_t phase, double *cosine, double *sine) {
  const uint64_t shifted = phase + (UINT64_C(1) << 61), sign = UINT64_C(1) << 63;
  const double t = quarter_rest(shifted), z = t * t;
  const double *a = sine_series, *b = cosine_series;
  const double s =
      t * half_pi + t * (half_pi_rest +
                         z * (a[0] + z * (a[1] + z * (a[2] + z * (a[3] + z * (a[4] + z * a[5]))))));
  const double c =
      1 + z * (b[0] + z * (b[1] + z * (b[2] + z * (b[3] + z * (b[4] + z * (b[5] + z * b[6]))))));
  /* Quarters 1 and 3 swap the two; sin changes its sign in 2 and 3, cos in 1 and 2. */
  const uint64_t odd = -(shifted >> 62 & 1),
                 different = (bits_of_double(s) ^ bits_of_double(c)) & odd;
  *cosine = double_of_bits((bits_of_double(c) ^ different) ^ ((shifted ^ shifted << 1) & sign));
  *sine = double_of_bits((bits_of_double(s) ^ different) ^ (shifted & sign));
}

VECTOR_CLONES
void phase_table_run(uint64_t first, uint64_t step, size_t count, double *cosine, double *sine) {
#pragma omp simd
  for (size_t n = 0; n < count; n++)
    cosine_sine(first + n * step, cosine + n, sine + n);
}

VECTOR_CLONES
void phase_table_pairs(const uint64_t *step, size_t pairs, int64_t position, double *cosine,
                       double *sine) {
#pragma omp simd
  for (size_t i = 0; i < pairs; i++)
    cosine_sine((uint64_t)position * step[i], cosine + i, sine + i);
}

/* Powers of two for loops that vectorise: the library's exp() does not.

   x = n + r with an integer n and |r| <= 1/2, 2^x = 2^n · (1 + r·q(r)); q is the polynomial of
   least relative error, found by Remez' exchange in 40-digit arithmetic. Both functions are for
   x <= 0: 2^0 is 1 exactly, NaN stays NaN, and below 2^-126 or 2^-1022 the result is 0. */
#ifndef ROPETOOL_KERNELS_EXPONENTIAL_H
#define ROPETOOL_KERNELS_EXPONENTIAL_H

#include <stdint.h>
#include <string.h>

/* Within 2 units in the last place: 1.4 from the arithmetic, 0.05 from the polynomial. */
static inline float exponential_single(float x) {
  const float shifter = 0x1.8p23f; /* to integers: the last bit of a sum is worth 1 */
  const float clipped = x < -126.0f ? -126.0f : x, sum = clipped + shifter,
              r = clipped - (sum - shifter);
  uint32_t bits;
  memcpy(&bits, &sum, sizeof bits);
  bits = (bits + 127) << 23;
  float power;
  memcpy(&power, &bits, sizeof power);
  float q = 0x1.470b48p-13f;
  q = q * r + 0x1.5f7276p-10f;
  q = q * r + 0x1.3b270ep-7f;
  q = q * r + 0x1.c6ae72p-5f;
  q = q * r + 0x1.ebfbe2p-3f;
  q = q * r + 0x1.62e432p-1f;
  const float result = (1 + r * q) * power;
  return x < -126.0f ? 0 : result;
}

/* Within 2 units in the last place: 1.4 from the arithmetic, 0.2 from the polynomial. */
static inline double exponential_double(double x) {
  const double shifter = 0x1.8p52;
  const double clipped = x < -1022.0 ? -1022.0 : x, sum = clipped + shifter,
               r = clipped - (sum - shifter);
  uint64_t bits;
  memcpy(&bits, &sum, sizeof bits);
  bits = (bits + 1023) << 52;
  double power;
  memcpy(&power, &bits, sizeof power);
  double q = 0x1.c063841f3a21dp-32;
  q = q * r + 0x1.e605f964b639dp-28;
  q = q * r + 0x1.b54167a1b0034p-24;
  q = q * r + 0x1.62bfd49ededd3p-20;
  q = q * r + 0x1.ffcbee3b0a61cp-17;
  q = q * r + 0x1.43091309610fcp-13;
  q = q * r + 0x1.5d87fe7bbbe09p-10;
  q = q * r + 0x1.3b2ab6fba1e1cp-7;
  q = q * r + 0x1.c6b08d7048f31p-5;
  q = q * r + 0x1.ebfbdff82c598p-3;
  q = q * r + 0x1.62e42fefa39f3p-1;
  const double result = (1 + r * q) * power;
  return x < -1022.0 ? 0 : result;
}

#endif

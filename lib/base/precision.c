#include "lib/base/precision.h"

#include <math.h>
#include <string.h>

/* IEEE 754-2019 parameters; bf16 has the exponents of fp32, tf32 (NVIDIA) those too and fp16's
 * digits. */
static const struct {
  const char *name;
  int digits;  /* of the significand, with the leading one */
  int lowest;  /* exponent of the smallest normal number, as in 2^lowest */
  int highest; /* exponent of the largest: values < 2^(highest + 1) */
} formats[PRECISION_COUNT] = {
    [PRECISION_FP64] = {"fp64", 53, -1022, 1023}, [PRECISION_FP32] = {"fp32", 24, -126, 127},
    [PRECISION_TF32] = {"tf32", 11, -126, 127},   [PRECISION_BF16] = {"bf16", 8, -126, 127},
    [PRECISION_FP16] = {"fp16", 11, -14, 15},
};

const char *precision_name(enum precision precision) {
  return formats[precision].name;
}

int precision_parse(const char *name, enum precision *precision, struct error *error) {
  for (int i = 0; i < PRECISION_COUNT; i++)
    if (!strcmp(name, formats[i].name)) {
      *precision = (enum precision)i;
      return OK;
    }
  return error_set(error, ERROR_INPUT, "unknown precision '%s': fp64, fp32, tf32, bf16 or fp16",
                   name);
}

double precision_roundoff(enum precision precision) {
  return ldexp(1, -formats[precision].digits);
}

double precision_round(enum precision precision, double value) {
  if (precision == PRECISION_FP64 || value == 0 || !isfinite(value)) return value;
  int exponent;
  frexp(value, &exponent); /* |value| in [2^(exponent-1), 2^exponent) */
  const int lowest = formats[precision].lowest + 1, highest = formats[precision].highest + 1;
  const int unit = (exponent < lowest ? lowest : exponent) - formats[precision].digits;
  const double rounded = ldexp(nearbyint(ldexp(value, -unit)), unit);
  return fabs(rounded) >= ldexp(1, highest) ? copysign(INFINITY, value) : rounded;
}

/* Number formats of implementations: what rounding to them does. */
#ifndef ROPETOOL_BASE_PRECISION_H
#define ROPETOOL_BASE_PRECISION_H

#include "lib/base/error.h"

enum precision { PRECISION_FP64, PRECISION_FP32, PRECISION_TF32, PRECISION_BF16, PRECISION_FP16 };
enum { PRECISION_COUNT = PRECISION_FP16 + 1 };

const char *precision_name(enum precision precision); /* "fp64", ... */

int precision_parse(const char *name, enum precision *precision, struct error *error);

/* Largest relative error of one rounding to nearest: 2^-53, 2^-24, 2^-11, 2^-8 (bf16: 8 bits),
 * 2^-11. */
double precision_roundoff(enum precision precision);

/* `value` rounded once, to nearest even, with the format's subnormals and overflow to infinity. */
double precision_round(enum precision precision, double value);

#endif

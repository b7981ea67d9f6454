/* KERPLE: biases that are conditionally positive definite kernels of the distance. */
#include <math.h>

#include "lib/encoding/list.h"

static const char name[] = "kerple";

static const struct encoding_parameter parameters[] = {
    {.key = "p",
     .learned = true,
     .otherwise = NAN,
     .highest = 1e6,
     .random = {0, 2},
     .meaning = "factor of the logarithm; exponent of the power, at most 2"},
    {.key = "a",
     .learned = true,
     .otherwise = NAN,
     .highest = 1e6,
     .random = {0, 1},
     .meaning = "factor of the distance in the logarithm; factor of the power"},
    {.key = "power",
     .highest = 1,
     .whole = true,
     .meaning = "1: the bias is -a |m - n|^p; 0: -p ln(1 + a |m - n|)"},
    {0},
};

static int make(struct backend *backend, const struct encoding_setting *setting,
                struct scorer *scorer, struct error *error) {
  bool power;
  double p, a;
  struct encoding_query query = encoding_query_of(backend, setting, name, "p");
  if (encoding_switch(setting, name, "power", &power, error)) return error->code;
  if (encoding_number(&query, &p, error)) return error->code;
  query.key = "a";
  if (encoding_number(&query, &a, error)) return error->code;
  if (!(p > 0) || !(a > 0) || (power && p > 2))
    return error_set(
        error, ERROR_INPUT,
        "parameters 'kerple.p' and 'kerple.a' are '%g' and '%g': greater than 0, and p "
        "at most 2 where kerple.power is 1",
        p, a);
  scorer->untrained = query.untrained;
  scorer->bias = encoding_bias(setting, error);
  if (!scorer->bias) return error->code;
  const size_t middle = setting->length - 1;
  for (size_t m = 0; m <= middle; m++) {
    const double distance = (double)m;
    scorer->bias[middle + m] = scorer->bias[middle - m] =
        power ? -a * pow(distance, p) : -p * log1p(a * distance);
  }
  return OK;
}

const struct encoding encoding_kerple = {
    .name = name,
    .title = "KERPLE",
    .formula = "softmax of q^T k / sqrt(d) - p ln(1 + a |m - n|), or - a |m - n|^p",
    .source = "Chi et al., KERPLE, arXiv:2205.09921",
    .beyond = "extrapolated",
    .kind = ENCODING_BIASES,
    .by_head = true,
    .alone = true,
    .parameters = parameters,
    .make = make,
};

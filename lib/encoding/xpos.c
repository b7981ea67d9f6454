/* xPos: RoPE whose queries and keys are scaled so that scores decay with the distance. */
#include <float.h>
#include <math.h>
#include <stdio.h>

#include "lib/base/layout.h"
#include "lib/base/memory.h"
#include "lib/encoding/list.h"
#include "lib/rope/xpos.h"

static const char name[] = "xpos";

static const struct encoding_parameter parameters[] = {
    {.key = "gamma",
     .otherwise = XPOS_GAMMA,
     .lowest = 1e-6,
     .highest = 1e6,
     .meaning = "zeta_i = (2i/d + gamma)/(1 + gamma)"},
    {.key = "scale_base",
     .otherwise = XPOS_SCALE_BASE,
     .lowest = 1e-3,
     .highest = 1e18,
     .meaning = "tokens over which a score falls by the factor zeta_i"},
    {0},
};

static int read_numbers(const struct encoding_setting *setting, double *gamma, double *scale_base,
                        struct error *error) {
  struct encoding_query query = encoding_query_of(NULL, setting, name, "gamma");
  const int status = encoding_number(&query, gamma, error);
  query.key = "scale_base";
  return status ? status : encoding_number(&query, scale_base, error);
}

/* Scores of keys at the far end reach ζ_0^(−length/scale_base). */
static int check_range(size_t length, double zeta, double scale_base, struct error *error) {
  const double most = floor(700 * scale_base / -log(zeta));
  if ((double)length <= most) return OK;
  return error_set(error, ERROR_INPUT,
                   "encoding 'xpos' multiplies by %g^(-%zu/%g) at length '%zu', which is beyond "
                   "double: at most %.0f positions with scale_base %g",
                   zeta, length, scale_base, length, most, scale_base);
}

/* Positions count from the middle, which changes no score: so both factors stay as near to 1 as
   they can. */
static void fill(const struct spectrum *spectrum, const struct scorer *scorer, double gamma,
                 double scale_base) {
  const size_t length = scorer->length, dim = scorer->dim, pairs = spectrum->pairs;
  for (size_t i = 0; i < length * dim; i++)
    scorer->query_scale[i] = scorer->key_scale[i] = 1;
  for (size_t i = 0; i < pairs; i++) {
    const double zeta = xpos_zeta(i, 2 * pairs, gamma);
    const size_t dims[2] = {layout_first(spectrum->spec.layout, i),
                            layout_second(spectrum->spec.layout, i, pairs)};
    for (size_t m = 0; m < length; m++) {
      const int64_t position = (int64_t)m - (int64_t)(length / 2);
      for (size_t side = 0; side < 2; side++) {
        scorer->query_scale[m * dim + dims[side]] = xpos_amplitude(zeta, position, scale_base);
        scorer->key_scale[m * dim + dims[side]] = xpos_amplitude(zeta, -position, scale_base);
      }
    }
  }
}

static int make(struct backend *backend, const struct encoding_setting *setting,
                struct scorer *scorer, struct error *error) {
  (void)backend;
  const size_t length = setting->length, dim = setting->dim;
  double gamma, scale_base;
  char what[80];
  int status = read_numbers(setting, &gamma, &scale_base, error);
  if (status) return status;
  if (check_range(length, xpos_zeta(0, 2 * setting->spectrum->pairs, gamma), scale_base, error))
    return error->code;
  snprintf(what, sizeof what, "the amplitudes of %zu positions and %zu dimensions", length, dim);
  if (memory_require(length, 2 * dim * sizeof(double), what, error)) return error->code;
  scorer->rotation = setting->spectrum;
  scorer->query_scale = memory_array(length * dim, sizeof(double), what, error);
  scorer->key_scale = memory_array(length * dim, sizeof(double), what, error);
  if (!scorer->query_scale || !scorer->key_scale) return error->code;
  fill(setting->spectrum, scorer, gamma, scale_base);
  return OK;
}

static int show(struct backend *backend, const struct encoding_setting *setting,
                const struct encoding_sink *sink, struct error *error) {
  (void)backend;
  const size_t pairs = setting->spectrum->pairs;
  double gamma, scale_base;
  if (read_numbers(setting, &gamma, &scale_base, error)) return error->code;
  for (size_t i = 0; i < pairs; i++)
    if (sink->add(sink->to, "zeta", (int64_t)i, xpos_zeta(i, 2 * pairs, gamma), error))
      return error->code;
  return OK;
}

const struct encoding encoding_xpos = {
    .name = name,
    .title = "xPos",
    .formula = "Re sum_i q_i conj(k_i) zeta_i^((m - n)/scale_base) exp(I (m - n) theta_i); the "
               "lengths of the vectors are not kept",
    .source = "Sun et al., A Length-Extrapolatable Transformer, arXiv:2212.10554",
    .beyond = "extrapolated",
    .kind = ENCODING_ROTATES,
    .frequencies = FREQUENCIES_OF_DIM,
    .parameters = parameters,
    .make = make,
    .show = show,
};

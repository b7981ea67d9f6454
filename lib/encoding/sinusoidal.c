/* The sinusoidal table of the first Transformer, added to query and key. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/memory.h"
#include "lib/encoding/list.h"

static const char name[] = "sinusoidal";

static const struct encoding_parameter parameters[] = {
    {.key = "concatenated",
     .highest = 1,
     .whole = true,
     .meaning = "1: all sines, then all cosines, as tensor2tensor and fairseq write the table; 0: "
                "sine and cosine of a frequency side by side, as in the paper"},
    {.key = "fairseq_exponent",
     .highest = 1,
     .whole = true,
     .meaning = "1: theta_i = base^(-i/(d/2 - 1)), as tensor2tensor and fairseq have it, so that "
                "the slowest is 1/base; 0: base^(-2i/d), as in the paper"},
    {0},
};

/* The spectrum with base^(−i/(d/2 − 1)). */
static int respace(const struct spectrum *given, struct spectrum **spectrum, struct error *error) {
  if (isnan(given->spec.base) || strcmp(given->spec.scaling.type, "none"))
    return error_set(error, ERROR_INPUT,
                     "parameter 'sinusoidal.fairseq_exponent' is of plain frequencies with a base, "
                     "not of the rule '%s'",
                     given->spec.scaling.type);
  if (given->pairs < 2)
    return error_set(
        error, ERROR_INPUT,
        "parameter 'sinusoidal.fairseq_exponent' divides by d/2 - 1, and d is '%zu': 4 "
        "or more",
        2 * given->pairs);
  if (spectrum_create(&given->spec, spectrum, error)) return error->code;
  const long double base = given->spec.base, last = (long double)(given->pairs - 1);
  for (size_t i = 0; i < given->pairs; i++)
    spectrum_set(*spectrum, i, powl(base, -(long double)i / last));
  return OK;
}

/* The frequencies of the setting, or those of the other exponent, which go to *own. */
static int choose(const struct encoding_setting *setting, const struct spectrum **spectrum,
                  struct spectrum **own, struct error *error) {
  bool other;
  *own = NULL;
  *spectrum = setting->spectrum;
  if (encoding_switch(setting, name, "fairseq_exponent", &other, error)) return error->code;
  if (!other) return OK;
  if (respace(setting->spectrum, own, error)) return error->code;
  *spectrum = *own;
  return OK;
}

/* p_{k,2i} = sin(kθ_i), p_{k,2i+1} = cos(kθ_i). */
static int make(struct backend *backend, const struct encoding_setting *setting,
                struct scorer *scorer, struct error *error) {
  const size_t length = setting->length, width = setting->width;
  bool concatenated;
  encoding_split_product(setting, scorer);
  if (encoding_switch(setting, name, "concatenated", &concatenated, error)) return error->code;
  char what[80];
  snprintf(what, sizeof what, "the table of %zu positions and %zu dimensions", length, width);
  /* The whole table, and half of it again while it is made. */
  if (memory_require(length, (width + width / 2 + 1) * sizeof(double), what, error))
    return error->code;
  scorer->table = memory_array(length * width, sizeof(double), what, error);
  if (!scorer->table) return error->code;
  const struct spectrum *spectrum;
  struct spectrum *own;
  int status = choose(setting, &spectrum, &own, error);
  const struct wave_columns columns = {.stride = concatenated ? 1 : 2,
                                       .cosine = concatenated ? width / 2 : 1};
  if (!status) status = encoding_waves(backend, spectrum, length, columns, scorer->table, error);
  spectrum_destroy(own);
  return status;
}

/* Content of the one side meets the table of the other unless there is none, or it is left out. */
static bool stationary(const struct encoding_setting *setting, double value) {
  return setting->terms == TERMS_POSITION_POSITION || (setting->terms == TERMS_ALL && value == 0);
}

/* ⟨p_m, p_n⟩ = Σ_i sin(mθ_i) sin(nθ_i) + cos(mθ_i) cos(nθ_i) = Σ_i cos((m−n)θ_i). */
static int profile(struct backend *backend, const struct encoding_setting *setting, double value,
                   size_t count, double *score, struct error *error) {
  (void)value;
  const struct spectrum *spectrum;
  struct spectrum *own;
  int status = choose(setting, &spectrum, &own, error);
  if (!status) status = encoding_cosine_sums(backend, spectrum, count, score, error);
  spectrum_destroy(own);
  return status;
}

const struct encoding encoding_sinusoidal = {
    .name = name,
    .title = "Sinusoidal",
    .formula = "(q + p_m)^T (k + p_n), p_{k,2i} = sin(k theta_i), p_{k,2i+1} = cos(k theta_i)",
    .source = "Vaswani et al., Attention Is All You Need, arXiv:1706.03762, section 3.5",
    .beyond = "periodic",
    .kind = ENCODING_ADDS,
    .alone = true,
    .frequencies = FREQUENCIES_OF_WIDTH,
    .has_terms = true,
    .parameters = parameters,
    .make = make,
    .stationary = stationary,
    .profile = profile,
};

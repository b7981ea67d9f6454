#include "lib/rope/spectrum.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/base/memory.h"
#include "lib/base/phase.h"
#include "lib/rope/scaling.h"

/* Heads of published models have 32 to 576 dimensions; the limit leaves room for experiments and
   keeps a wrong unit (tokens for dimensions) from becoming a computation of days. */
enum { LARGEST_DIM = 65536 };

static int check_dim(const char *what, size_t dim, struct error *error) {
  if (dim == 0) return error_set(error, ERROR_INPUT, "the %s is 0: it must be at least 2", what);
  if (dim > LARGEST_DIM)
    return error_set(
        error, ERROR_INPUT,
        "the %s %zu is too large: at most %d (heads of published models have 32 to 576)", what, dim,
        LARGEST_DIM);
  return OK;
}

static int check_spec(const struct rope_spec *spec, struct error *error) {
  int failed = check_dim("rotary dimension", spec->rotary_dim, error);
  if (!failed) failed = check_dim("head dimension", spec->head_dim, error);
  if (failed) return failed;
  if (spec->rotary_dim % 2)
    return error_set(error, ERROR_INPUT,
                     "the rotary dimension %zu is odd: dimensions rotate in pairs",
                     spec->rotary_dim);
  if (spec->rotary_dim > spec->head_dim)
    return error_set(error, ERROR_INPUT,
                     "the rotary dimension %zu is larger than the head dimension %zu",
                     spec->rotary_dim, spec->head_dim);
  if (spec->axial && spec->rotary_dim % 4)
    return error_set(error, ERROR_INPUT,
                     "the rotary dimension %zu is no multiple of 4: axial sections share the pairs "
                     "evenly between width and height",
                     spec->rotary_dim);
  const bool given = isnan(spec->base) && spec_list(spec, "inv_freq");
  if (!given && (!(spec->base > 0) || !isfinite(spec->base)))
    return error_set(error, ERROR_INPUT, "the base is %.10g: it must be a number greater than 0",
                     spec->base);
  if (spec->context < 0)
    return error_set(error, ERROR_INPUT, "the context is %lld tokens: it must be positive",
                     (long long)spec->context);
  return OK;
}

static int apply_scaling(struct spectrum *spectrum, struct error *error) {
  const struct rope_spec *spec = &spectrum->spec;
  const struct scaling_rule *rule;
  int failed = scaling_rule_check(&spec->scaling, &rule, error);
  if (failed) return failed;
  if (spec->axial && !rule->alike)
    return error_set(error, ERROR_INPUT,
                     "the scaling type '%s' is of one axis: axial sections go with none or linear",
                     rule->name);
  struct scaling_result result = {.pairs = spectrum->pairs,
                                  .single = spec->precision != PRECISION_FP64,
                                  .inv_freq = spectrum->inv_freq,
                                  .attention_factor = 1,
                                  .softmax_factor = 1,
                                  .effective_base = spec->base,
                                  .full_factor = NAN,
                                  .correction_low = NAN,
                                  .correction_high = NAN};
  if (!isnan(spec->base)) scaling_plain(spec, spec->base, &result);
  for (size_t i = 0; i < spectrum->pairs; i++)
    spectrum->plain[i] = (double)spectrum->inv_freq[i];
  failed = rule->apply(spec, &result, error);
  if (failed) return failed;
  for (size_t i = 0; i < spectrum->pairs && isnan(spec->base); i++)
    spectrum->plain[i] = (double)spectrum->inv_freq[i];
  spectrum->attention_factor = result.attention_factor;
  spectrum->softmax_factor = spec->plain_softmax ? 1 : result.softmax_factor;
  spectrum->effective_base = result.effective_base;
  spectrum->full_factor = result.full_factor;
  spectrum->correction_low = result.correction_low;
  spectrum->correction_high = result.correction_high;
  return OK;
}

void spectrum_set(struct spectrum *spectrum, size_t pair, long double inv_freq) {
  spectrum->inv_freq[pair] = inv_freq;
  spectrum->inv_freq_double[pair] = (double)inv_freq;
  spectrum->step[pair] = phase_step(inv_freq);
  spectrum->factor[pair] = inv_freq > 0 ? spectrum->plain[pair] / (double)inv_freq : INFINITY;
}

/* As an implementation holds them in a format below float, which has rounded every step already. */
static void round_pair(struct spectrum *spectrum, size_t pair) {
  const enum precision precision = spectrum->spec.precision;
  if (precision == PRECISION_FP64 || precision == PRECISION_FP32) return;
  const double factor = spectrum->factor[pair];
  spectrum_set(spectrum, pair, precision_round(precision, spectrum->inv_freq_double[pair]));
  spectrum->plain[pair] = precision_round(precision, spectrum->plain[pair]);
  spectrum->factor[pair] = factor;
}

static int refuse_frequency(const struct spectrum *spectrum, size_t pair, struct error *error) {
  const struct rope_spec *spec = &spectrum->spec;
  const long double inv_freq = spectrum->inv_freq[pair];
  if (isnan(spec->base))
    return error_set(error, ERROR_INPUT,
                     "inverse frequency %zu is %.10Lg radians per token: 0 to %.0f can be computed",
                     pair, inv_freq, PHASE_MAXIMUM);
  return error_set(error, ERROR_INPUT,
                   "the base %.10g with the scaling type '%s' gives pair %zu the inverse frequency "
                   "%.10Lg radians per token: 0 to %.0f can be computed",
                   spec->base, spec->scaling.type, pair, inv_freq, PHASE_MAXIMUM);
}

/* RoFormer eq. 34, in long double: its 64 bits leave the double and the step rounded once. */
static int compute(struct spectrum *spectrum, struct error *error) {
  const int failed = apply_scaling(spectrum, error);
  if (failed) return failed;
  spectrum->roundoff = spectrum->spec.precision == PRECISION_FP64 ? 1e-12 : 1e-6;
  for (size_t i = 0; i < spectrum->pairs; i++) {
    const long double inv_freq = spectrum->inv_freq[i];
    if (!(inv_freq >= 0 && inv_freq <= PHASE_MAXIMUM)) return refuse_frequency(spectrum, i, error);
    spectrum_set(spectrum, i, inv_freq);
    round_pair(spectrum, i);
    if (isinf(spectrum->inv_freq_double[i]))
      return error_set(error, ERROR_INPUT,
                       "the inverse frequency %.10Lg of pair %zu is beyond the format %s", inv_freq,
                       i, precision_name(spectrum->spec.precision));
  }
  return OK;
}

static int allocate(struct spectrum *spectrum, struct error *error) {
  static const char what[] = "the frequencies";
  const size_t pairs = spectrum->pairs;
  spectrum->inv_freq = memory_array(pairs, sizeof *spectrum->inv_freq, what, error);
  if (!spectrum->inv_freq) return ERROR_FAILED;
  spectrum->inv_freq_double = memory_array(pairs, sizeof *spectrum->inv_freq_double, what, error);
  if (!spectrum->inv_freq_double) return ERROR_FAILED;
  spectrum->plain = memory_array(pairs, sizeof *spectrum->plain, what, error);
  if (!spectrum->plain) return ERROR_FAILED;
  spectrum->factor = memory_array(pairs, sizeof *spectrum->factor, what, error);
  if (!spectrum->factor) return ERROR_FAILED;
  spectrum->step = memory_array(pairs, sizeof *spectrum->step, what, error);
  return spectrum->step ? OK : ERROR_FAILED;
}

int spectrum_create(const struct rope_spec *spec, struct spectrum **spectrum, struct error *error) {
  *spectrum = NULL;
  int failed = check_spec(spec, error);
  if (failed) return failed;
  struct spectrum *made = memory_array(1, sizeof *made, "a spectrum", error);
  if (!made) return ERROR_FAILED;
  made->spec = *spec;
  made->pairs = spec->rotary_dim / 2;
  failed = allocate(made, error);
  if (!failed) failed = compute(made, error);
  if (failed)
    spectrum_destroy(made);
  else
    *spectrum = made;
  return failed;
}

void spectrum_destroy(struct spectrum *spectrum) {
  if (!spectrum) return;
  free(spectrum->inv_freq);
  free(spectrum->inv_freq_double);
  free(spectrum->plain);
  free(spectrum->factor);
  free(spectrum->step);
  free(spectrum);
}

void spectrum_warn_length(const struct spectrum *spectrum, int64_t length, const char *option,
                          struct meta *meta) {
  struct rope_spec spec = spectrum->spec;
  struct spectrum *longer;
  struct error error;
  const int64_t context = spec.context;
  if (isnan(spec.base) || length <= context) return;
  spec.context = length;
  if (spectrum_create(&spec, &longer, &error)) return; /* the rule has no such length */
  bool same = true;
  for (size_t i = 0; i < longer->pairs; i++)
    same = same && longer->inv_freq[i] == spectrum->inv_freq[i];
  spectrum_destroy(longer);
  if (same) return;
  char taken[48] = "of no --context";
  if (context) snprintf(taken, sizeof taken, "of a context of %lld tokens", (long long)context);
  spec_warn(&spec, meta,
            "the %s scaling depends on the length of the sequence: it is that %s, while %s needs "
            "%lld; --context sets it",
            spec.scaling.type, taken, option, (long long)length);
}

void spectrum_describe(const struct spectrum *spectrum, struct meta *meta) {
  spec_describe(&spectrum->spec, meta);
  meta_set_real(meta, "effective_base", spectrum->effective_base);
  meta_set_real(meta, "attention_factor", spectrum->attention_factor);
  meta_set_real(meta, "softmax_factor", spectrum->softmax_factor);
  if (!isnan(spectrum->correction_low)) {
    meta_set_real(meta, "correction_low", spectrum->correction_low);
    meta_set_real(meta, "correction_high", spectrum->correction_high);
  }
  const struct rope_spec *spec = &spectrum->spec;
  const struct scaling_rule *rule = scaling_rule_find(spec->scaling.type);
  const struct scaling_key *key =
      rule ? scaling_key_find(rule, "original_max_position_embeddings") : NULL;
  const double original = key && !key->ignored ? scaling_original(spec) : NAN;
  if (!isnan(original)) meta_set_real(meta, "original_context", original);
}

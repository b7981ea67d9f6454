/* YaRN, as its authors' code and Hugging Face have it: slow pairs are interpolated, fast ones kept,
   with a ramp between that is linear in the pair's index (the paper's, eqs. 17-22, is linear in
   turns, so the frequencies on the ramp differ).

   A pair that makes n turns in the original context L has the index
   c(n) = d · ln(L / (2π·n)) / (2 ln b). The ramp runs from low = c(beta_fast) to
   high = c(beta_slow), rounded outwards unless `truncate` is 0, then low >= 0 and high <= d − 1:
   with ramp = (i − low)/(high − low) in [0, 1], θ' = θ/factor · ramp + θ · (1 − ramp). */
#include <math.h>

#include "lib/rope/scaling.h"

/* Hugging Face takes the default for 0 too. */
static double beta(const struct rope_spec *spec, const char *key, double otherwise) {
  const double value = scaling_number(spec, key, 0);
  return value > 0 ? value : otherwise;
}

static double beta_fast(const struct rope_spec *spec) {
  return beta(spec, "beta_fast", 32);
}

static double beta_slow(const struct rope_spec *spec) {
  return beta(spec, "beta_slow", 1);
}

static void find_factors(const struct rope_spec *spec, double factor,
                         struct scaling_result *result) {
  const double mscale = scaling_number(spec, "mscale", 0);
  const double mscale_all_dim = scaling_number(spec, "mscale_all_dim", 0);
  double attention = scaling_mscale(factor, 1);
  if (mscale > 0 && mscale_all_dim > 0)
    attention = scaling_mscale(factor, mscale) / scaling_mscale(factor, mscale_all_dim);
  result->attention_factor = scaling_number(spec, "attention_factor", attention);
  if (mscale_all_dim > 0) {
    const double softmax = scaling_mscale(factor, mscale_all_dim);
    result->softmax_factor = softmax * softmax;
  }
}

static int find_range(const struct rope_spec *spec, struct scaling_result *result,
                      struct error *error) {
  const double two_pi = 6.28318530717958647692528676655900577;
  const double dim = (double)spec->rotary_dim, original = scaling_original(spec);
  if (isnan(original))
    return error_set(error, ERROR_INPUT,
                     "the scaling type 'yarn' needs the parameter "
                     "'original_max_position_embeddings', or a model that has a context");
  if (!(spec->base > 1))
    return error_set(error, ERROR_INPUT,
                     "the scaling type 'yarn' needs a base greater than 1, not %.10g: pairs must "
                     "differ in speed",
                     spec->base);
  const double scale = dim / (2 * log(spec->base));
  double low = scale * log(original / (beta_fast(spec) * two_pi));
  double high = scale * log(original / (beta_slow(spec) * two_pi));
  if (scaling_number(spec, "truncate", 1) != 0) low = floor(low), high = ceil(high);
  low = fmax(low, 0);
  high = fmin(high, dim - 1);
  if (low == high) high += 0.001;
  result->correction_low = low;
  result->correction_high = high;
  return OK;
}

static int apply(const struct rope_spec *spec, struct scaling_result *result, struct error *error) {
  int failed = scaling_factor(spec, &result->full_factor, error);
  if (!failed) failed = find_range(spec, result, error);
  if (failed) return failed;
  find_factors(spec, result->full_factor, result);
  const long double factor = scaling_round(result, result->full_factor);
  const long double low = scaling_round(result, result->correction_low);
  const long double range = scaling_round(result, result->correction_high - result->correction_low);
  for (size_t i = 0; i < result->pairs; i++) {
    const long double power = scaling_power(result, spec->base, i, spec->rotary_dim);
    const long double divided = scaling_round(result, 1 / scaling_round(result, factor * power));
    long double ramp = scaling_round(result, scaling_round(result, (long double)i - low) / range);
    ramp = fminl(fmaxl(ramp, 0), 1);
    const long double kept = scaling_round(result, 1 - ramp);
    const long double share = scaling_round(result, divided * scaling_round(result, 1 - kept));
    result->inv_freq[i] =
        scaling_round(result, share + scaling_round(result, result->inv_freq[i] * kept));
  }
  return OK;
}

static void warn_zero(const struct rope_spec *spec, struct meta *meta, const char *key,
                      double used) {
  if (spec_parameter(spec, key) == 0)
    spec_warn(spec, meta, "%s is 0: the default %.10g is used", key, used);
}

static void warn(const struct rope_spec *spec, struct meta *meta) {
  const double mscale = scaling_number(spec, "mscale", 0);
  warn_zero(spec, meta, "beta_fast", beta_fast(spec));
  warn_zero(spec, meta, "beta_slow", beta_slow(spec));
  if (beta_fast(spec) < beta_slow(spec))
    spec_warn(spec, meta, "beta_fast %.10g is below beta_slow %.10g: they look swapped",
              beta_fast(spec), beta_slow(spec));
  if (mscale > 0 && !(scaling_number(spec, "mscale_all_dim", 0) > 0))
    spec_warn(spec, meta,
              "mscale %.10g without mscale_all_dim is ignored, as by Hugging Face; DeepSeek's code "
              "and vLLM's deepseek_yarn read it",
              mscale);
  scaling_warn_ratio(spec, meta);
  const double factor = spec_parameter(spec, "factor"), original = scaling_original(spec);
  if (isnan(factor) && spec->model_context > 0 && original == (double)spec->model_context)
    spec_warn(spec, meta,
              "the yarn scaling without a factor takes the model's context over the original one, "
              "%lld over %.10g: 1 changes nothing; give factor, or a smaller "
              "original_max_position_embeddings",
              (long long)spec->model_context, original);
}

const struct scaling_rule scaling_yarn = {
    .name = "yarn",
    .summary = "YaRN: slow pairs divided by factor, fast ones kept, a ramp between",
    .source = "Peng et al. 2023, arXiv:2309.00071; Hugging Face transformers, rope_type \"yarn\"",
    .keys = {{.name = "factor", .kind = SCALING_POSITIVE},
             {.name = "original_max_position_embeddings", .kind = SCALING_POSITIVE},
             {.name = "attention_factor", .kind = SCALING_POSITIVE},
             {.name = "beta_fast", .kind = SCALING_NATURAL},
             {.name = "beta_slow", .kind = SCALING_NATURAL},
             {.name = "truncate", .kind = SCALING_FLAG},
             {.name = "mscale", .kind = SCALING_NATURAL},
             {.name = "mscale_all_dim", .kind = SCALING_NATURAL},
             {.name = "attn_factor",
              .kind = SCALING_REAL,
              .ignored = "vLLM and llama.cpp multiply the attention factor by it"},
             {.name = "extrapolation_factor",
              .kind = SCALING_REAL,
              .ignored = "vLLM and llama.cpp multiply the kept share by it"},
             {.name = "finetuned",
              .kind = SCALING_FLAG,
              .ignored = "the YaRN authors' code reads it, for its dynamic variant"},
             {.name = "apply_yarn_scaling",
              .kind = SCALING_FLAG,
              .ignored = "vLLM reads it: where it is false, scores keep their scale"},
             {.name = "llama_4_scaling_beta",
              .kind = SCALING_REAL,
              .ignored = "Ministral 3 scales its queries by it, beside the RoPE"}},
    .apply = apply,
    .warn = warn,
};

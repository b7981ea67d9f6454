/* vLLM: get_rope and the classes beside it (vllm/model_executor/layers/rotary_embedding/). Its
   types default, llama3, dynamic, yarn, longrope and gemma4's proportional compute frequencies as
   Hugging Face in float32, but for what stands here; the other steps are in float32 too, except the
   positions divided by a linear factor. */
#include <math.h>

#include "lib/base/phase.h"
#include "lib/rope/engine_parts.h"
#include "lib/rope/scaling.h"

extern const struct engine engine_vllm;

/* base^(2i/d) in float32, as both have it. */
static float power_single(const struct rope_spec *spec, double base, size_t i) {
  const struct scaling_result single = {.single = true};
  return (float)scaling_power(&single, base, i, spec->rotary_dim);
}

/* Positions are divided, not frequencies: the quotient position/factor is rounded, and θ is not. */
static int linear(struct rope_spec *spec, struct spectrum **spectrum, struct meta *meta,
                  struct error *error) {
  const int failed = spectrum_create(spec, spectrum, error);
  if (failed) return failed;
  const double factor = spec_parameter(spec, "factor");
  for (size_t i = 0; i < (*spectrum)->pairs; i++)
    spectrum_set(*spectrum, i, 1 / power_single(spec, spec->base, i) / (long double)factor);
  engine_note(meta,
              "vLLM @0f17ee06 linear: divides the positions by the factor %.10g, not the "
              "frequencies: the same angles but for rounding",
              factor);
  return OK;
}

/* The short wavelengths are asked for first, so that crossed factors (high < low) keep what Hugging
   Face divides. */
static int llama3(struct rope_spec *spec, struct spectrum **spectrum, struct meta *meta,
                  struct error *error) {
  const int failed = spectrum_create(spec, spectrum, error);
  if (failed) return failed;
  const float original = (float)spec_parameter(spec, "original_max_position_embeddings");
  const double low = spec_parameter(spec, "low_freq_factor");
  const double high = spec_parameter(spec, "high_freq_factor");
  if (high >= low) return OK;
  for (size_t i = 0; i < (*spectrum)->pairs; i++) {
    const float plain = 1 / power_single(spec, spec->base, i);
    if (6.2831855F / plain < original / (float)high) spectrum_set(*spectrum, i, plain);
  }
  engine_note(meta,
              "vLLM @045d7575 llama3: with high_freq_factor %.10g below low_freq_factor %.10g, "
              "pairs to which both limits apply are kept, not divided",
              high, low);
  return OK;
}

/* θ of `base` in place of the scaling rule, and `effective_base` with it. */
static int rebase(struct rope_spec *spec, double base, struct spectrum **spectrum,
                  struct error *error) {
  engine_drop_scaling(spec);
  if (!isfinite(base))
    return error_set(error, ERROR_INPUT, "the base grows without end in vLLM: it must be a number");
  const int failed = spectrum_create(spec, spectrum, error);
  if (failed) return failed;
  (*spectrum)->effective_base = base;
  for (size_t i = 0; i < (*spectrum)->pairs; i++)
    spectrum_set(*spectrum, i, 1 / power_single(spec, base, i));
  return OK;
}

/* base·factor, and what comes of it divided by factor^(2/d). */
static int ntk(struct rope_spec *spec, struct spectrum **spectrum, struct meta *meta,
               struct error *error) {
  const double factor = spec_parameter(spec, "factor");
  const int failed = rebase(spec, spec->base * factor, spectrum, error);
  if (failed) return failed;
  const float by = (float)pow(factor, 2 / (double)spec->rotary_dim);
  for (size_t i = 0; i < (*spectrum)->pairs; i++)
    spectrum_set(*spectrum, i, (float)(*spectrum)->inv_freq[i] / by);
  engine_note(meta,
              "vLLM @03587f55 ntk: the base times the factor %.10g, and every frequency divided "
              "by factor^(2/dim)",
              factor);
  return OK;
}

/* A table made once: the sequence is taken to be factor times the model's context, always. */
static int dynamic(struct rope_spec *spec, struct spectrum **spectrum, struct meta *meta,
                   struct error *error) {
  if (!isnan(spec_parameter(spec, "alpha"))) return spectrum_create(spec, spectrum, error);
  const double factor = spec_parameter(spec, "factor"), dim = (double)spec->rotary_dim;
  if (isnan(factor)) return spectrum_create(spec, spectrum, error);
  const double growth = factor * factor - factor + 1;
  const double base = spec->base * pow(growth, dim / (dim - 2));
  const int failed = rebase(spec, base, spectrum, error);
  if (failed) return failed;
  engine_note(meta,
              "vLLM @50feac95 dynamic: the base %.10g at every length, also up to the model's "
              "context: base*(factor^2 - factor + 1)^(dim/(dim - 2))",
              base);
  return OK;
}

/* YaRN's blend with the weight of the kept frequency multiplied. */
static int blend_again(struct spectrum *spectrum, double factor, double extrapolation,
                       struct error *error) {
  const float low = (float)spectrum->correction_low, high = (float)spectrum->correction_high;
  const float width = high == low ? 0.001F : high - low, by = (float)factor;
  for (size_t i = 0; i < spectrum->pairs; i++) {
    const float power = power_single(&spectrum->spec, spectrum->spec.base, i);
    const float ramp = fminf(fmaxf(((float)i - low) / width, 0), 1);
    const float kept = (1 - ramp) * (float)extrapolation;
    const float inv_freq = 1 / (by * power) * (1 - kept) + 1 / power * kept;
    if (!(inv_freq >= 0 && inv_freq <= PHASE_MAXIMUM))
      return error_set(error, ERROR_INPUT,
                       "'extrapolation_factor' %.10g gives pair %zu the inverse frequency %.10g in "
                       "vLLM: 0 to %.0f can be computed",
                       extrapolation, i, (double)inv_freq, PHASE_MAXIMUM);
    spectrum_set(spectrum, i, inv_freq);
  }
  return OK;
}

/* What both classes multiply, and what Hugging Face does not read. */
static double own_attention(const struct rope_spec *spec) {
  return scaling_number(spec, "attn_factor", 1);
}

/* DeepSeek's class: get_mscale(f, mscale)/get_mscale(f, mscale_all_dim), 1 and 0 where they are not
   given; the range is always rounded. */
static double deepseek_attention(struct rope_spec *spec, double factor, struct meta *meta) {
  const double mscale = scaling_number(spec, "mscale", 1), own = own_attention(spec);
  const double all = scaling_number(spec, "mscale_all_dim", 0);
  const bool both = spec_parameter(spec, "mscale") > 0 && all > 0;
  if (engine_drop(spec, "attention_factor") || !both || own != 1)
    engine_note(meta,
                "vLLM @7bc8d408 deepseek_yarn: the attention factor is get_mscale(factor, mscale "
                "%.10g)/get_mscale(factor, mscale_all_dim %.10g) times attn_factor %.10g, and "
                "'attention_factor' is not read",
                mscale, all, own);
  if (spec_parameter(spec, "truncate") == 0)
    engine_note(meta, "vLLM @7bc8d408 deepseek_yarn: 'truncate' is not read, the range is rounded "
                      "outwards");
  engine_drop(spec, "truncate");
  return scaling_mscale(factor, mscale) / scaling_mscale(factor, all) * own;
}

/* The class for "yarn": attn_factor, times 0.1·ln(f) + 1 unless apply_yarn_scaling is false, which
   M-RoPE's class does not read. */
static double plain_attention(struct rope_spec *spec, double factor, struct meta *meta) {
  const double own = own_attention(spec), mscale = scaling_number(spec, "mscale", 0);
  const bool both = mscale > 0 && spec_parameter(spec, "mscale_all_dim") > 0;
  const bool applied = spec->axes || scaling_number(spec, "apply_yarn_scaling", 1) != 0;
  if (engine_drop(spec, "attention_factor") || both || own != 1 || !applied)
    engine_note(meta,
                "vLLM @ffdc9857 yarn: the attention factor is %sattn_factor %.10g; "
                "'attention_factor', 'mscale' and 'mscale_all_dim' are not read",
                applied ? "0.1*ln(factor) + 1 times " : "with apply_yarn_scaling false ", own);
  engine_drop(spec, "mscale");
  engine_drop(spec, "mscale_all_dim");
  return applied ? scaling_mscale(factor, 1) * own : own;
}

/* M-RoPE's class makes its table, and with it the context that it takes for the original one, four
   times as long before it asks for the range. Read in the source, not run. */
static int widen(struct rope_spec *spec, struct meta *meta, struct error *error) {
  const double original = scaling_original(spec);
  if (!spec->axes || engine_is_deepseek(spec) || isnan(original)) return OK;
  engine_note(meta,
              "vLLM @055e47c2 mrope with yarn: the range is that of an original context of "
              "%.10g, four times the model's (read in the source, not run). The numbers here have "
              "this difference",
              4 * original);
  return spec_set_parameter(spec, "original_max_position_embeddings", 4 * original, error);
}

static int yarn(struct rope_spec *spec, struct spectrum **spectrum, struct meta *meta,
                struct error *error) {
  double factor;
  int failed = scaling_factor(spec, &factor, error);
  if (!failed) failed = spec_set_parameter(spec, "factor", factor, error);
  if (!failed) failed = widen(spec, meta, error);
  if (failed) return failed;
  const bool deepseek = engine_is_deepseek(spec);
  const double attention =
      deepseek ? deepseek_attention(spec, factor, meta) : plain_attention(spec, factor, meta);
  failed = spectrum_create(spec, spectrum, error);
  if (failed) return failed;
  (*spectrum)->attention_factor = attention;
  if (deepseek && spec_parameter(spec, "apply_yarn_scaling") == 0) {
    engine_note(meta, "vLLM @926c71f6 deepseek_llama_scaling: with apply_yarn_scaling false the "
                      "softmax is not scaled");
    (*spectrum)->softmax_factor = 1;
  }
  const double extrapolation = scaling_number(spec, "extrapolation_factor", 1);
  if (extrapolation == 1) return OK;
  engine_note(meta,
              "vLLM @ffdc9857 yarn: the weight of the kept frequency is multiplied by "
              "extrapolation_factor %.10g",
              extrapolation);
  failed = blend_again(*spectrum, factor, extrapolation, error);
  if (!failed) return OK;
  spectrum_destroy(*spectrum);
  *spectrum = NULL;
  return failed;
}

static int longrope(struct rope_spec *spec, struct spectrum **spectrum, struct meta *meta,
                    struct error *error) {
  const int64_t context = scaling_reached(spec);
  const bool is_long = (double)context > scaling_original(spec);
  const double attention =
      scaling_number(spec, is_long ? "long_mscale" : "short_mscale", engine_long_factor(spec));
  spec->context = context;
  const int failed = spectrum_create(spec, spectrum, error);
  if (failed) return failed;
  engine_note(meta,
              "vLLM @63c2b7ab longrope: '%s' at every length, chosen when it starts by its "
              "max_model_len, taken to be %lld",
              is_long ? "long_factor" : "short_factor", (long long)context);
  engine_set_long_factor(*spectrum, attention, "vLLM @17d618b0 longrope", meta);
  return OK;
}

static const struct engine_rule rules[] = {
    {.type = "none"},
    {.type = "linear", .compute = linear},
    {.type = "llama3", .compute = llama3},
    {.type = "ntk", .compute = ntk},
    {.type = "dynamic", .compute = dynamic},
    {.type = "yarn", .compute = yarn},
    {.type = "longrope", .compute = longrope},
    {.type = "proportional"},
    {.type = NULL},
};

static int compute(const struct rope_spec *spec, struct spectrum **spectrum, struct meta *meta,
                   struct error *error) {
  return engine_by_rule(&engine_vllm, rules, spec, spectrum, meta, error);
}

const struct engine engine_vllm = {
    .name = "vllm",
    .title = "vLLM",
    .version = "@926c71f6",
    .spectrum = compute,
};

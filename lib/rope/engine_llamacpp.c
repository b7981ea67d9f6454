/* llama.cpp: a GGUF file made by its converter, and ggml's rope kernel on it (ggml_rope_ext). All
   steps are in float32, in the order of the kernel:

     theta_0 = position, theta_{k+1} = theta_k · base^(−2/d), theta_k / freq_factors[k],
     then freq_scale · theta_k, or YaRN's blend of it with theta_k.

   The rounding of the repeated product depends on the position; here it is that of position 1, and
   of every power of two. */
#include <math.h>
#include <stdlib.h>

#include "lib/base/memory.h"
#include "lib/rope/engine_parts.h"
#include "lib/rope/scaling.h"

extern const struct engine engine_llamacpp;

/* What the kernel is given beside the base. */
struct kernel {
  float freq_scale;     /* 1/factor */
  const double *factor; /* (pair) freq_factors; NULL: none */
  bool blend;           /* ext_factor 1: YaRN between the pairs low and high */
  float low, high;
};

static void run_kernel(struct spectrum *spectrum, const struct kernel *kernel, struct meta *meta) {
  const float dim = (float)spectrum->spec.rotary_dim;
  const float step = powf((float)spectrum->effective_base, -2 / dim);
  const float width = fmaxf(0.001F, kernel->high - kernel->low);
  float theta = 1;
  spectrum->roundoff = ldexp((double)spectrum->pairs, -23);
  for (size_t i = 0; i < spectrum->pairs; i++) {
    const float kept = kernel->factor ? theta / (float)kernel->factor[i] : theta;
    float angle = kernel->freq_scale * kept;
    if (kernel->blend) {
      const float mix = 1 - fminf(1, fmaxf(0, ((float)i - kernel->low) / width));
      angle = angle * (1 - mix) + kept * mix;
    }
    spectrum_set(spectrum, i, angle);
    theta *= step;
  }
  engine_note(meta, "llama.cpp b10256: theta is multiplied by base^(-2/dim) from pair to pair, in "
                    "float32, so that its error grows with the pair (measured: at most 2.7e-6 of "
                    "itself for 128 dimensions)");
}

static int simple(struct rope_spec *spec, struct spectrum **spectrum, struct meta *meta,
                  struct error *error) {
  const int failed = spectrum_create(spec, spectrum, error);
  if (!failed) run_kernel(*spectrum, &(struct kernel){.freq_scale = 1}, meta);
  return failed;
}

static int linear(struct rope_spec *spec, struct spectrum **spectrum, struct meta *meta,
                  struct error *error) {
  const int failed = spectrum_create(spec, spectrum, error);
  if (failed) return failed;
  const float factor = (float)spec_parameter(spec, "factor");
  run_kernel(*spectrum, &(struct kernel){.freq_scale = 1 / factor}, meta);
  return OK;
}

static int ntk(struct rope_spec *spec, struct spectrum **spectrum, struct meta *meta,
               struct error *error) {
  const int failed = simple(spec, spectrum, meta, error);
  if (failed) return failed;
  engine_note(meta,
              "llama.cpp @051139f5: GGUF has no such type, the converter of HunYuan writes the "
              "base %.10g instead",
              (*spectrum)->effective_base);
  return OK;
}

static int factors(struct rope_spec *spec, struct spectrum **spectrum, struct meta *meta,
                   struct error *error) {
  const int failed = spectrum_create(spec, spectrum, error);
  if (failed) return failed;
  const struct kernel kernel = {.freq_scale = 1, .factor = spec_list(spec, "freq_factors")->value};
  run_kernel(*spectrum, &kernel, meta);
  return OK;
}

/* What the converter stores as rope_freqs.weight, (pair), step by step in float32. Where
   low_freq_factor and high_freq_factor cross, it asks for the short wavelengths first. */
static void llama3_factors(const struct spectrum *spectrum, double *divisor) {
  const struct rope_spec *spec = &spectrum->spec;
  const double original = spec_parameter(spec, "original_max_position_embeddings");
  const double low = spec_parameter(spec, "low_freq_factor");
  const double high = spec_parameter(spec, "high_freq_factor");
  const float factor = (float)spec_parameter(spec, "factor"), range = (float)(high - low);
  for (size_t i = 0; i < spectrum->pairs; i++) {
    const float wavelength = 6.2831855F / (float)spectrum->plain[i];
    if (wavelength < (float)(original / high))
      divisor[i] = 1;
    else if (wavelength > (float)(original / low) || range == 0)
      divisor[i] = factor;
    else {
      const float smooth = ((float)original / wavelength - (float)low) / range;
      divisor[i] = 1 / ((1 - smooth) / factor + smooth);
    }
  }
}

static void note_llama3(const struct rope_spec *spec, struct meta *meta) {
  const double original = spec_parameter(spec, "original_max_position_embeddings");
  const double low = spec_parameter(spec, "low_freq_factor");
  const double high = spec_parameter(spec, "high_freq_factor");
  if (high < low)
    engine_note(meta,
                "llama.cpp @0274f0fc llama3: with high_freq_factor %.10g below low_freq_factor "
                "%.10g, pairs to which both limits apply are kept, not divided",
                high, low);
  if (original != 8192)
    engine_note(
        meta,
        "llama.cpp @0274f0fc llama3: the converter takes 8192 for the original context "
        "unless %.10g stands at the top level of config.json (read in the source, not run). The "
        "numbers here do not have this difference: they are those of %.10g",
        original, original);
}

static int llama3(struct rope_spec *spec, struct spectrum **spectrum, struct meta *meta,
                  struct error *error) {
  const int failed = spectrum_create(spec, spectrum, error);
  if (failed) return failed;
  double *divisor = memory_array((*spectrum)->pairs, sizeof *divisor, "the factors", error);
  if (!divisor) {
    spectrum_destroy(*spectrum);
    *spectrum = NULL;
    return ERROR_FAILED;
  }
  llama3_factors(*spectrum, divisor);
  run_kernel(*spectrum, &(struct kernel){.freq_scale = 1, .factor = divisor}, meta);
  free(divisor);
  note_llama3(spec, meta);
  return OK;
}

/* ggml's index of the pair that makes `turns` turns in the original context. */
static float correction(const struct rope_spec *spec, float original, float turns) {
  const float pi = 3.14159274F;
  return (float)spec->rotary_dim * logf(original / (turns * 2 * pi)) /
         (2 * logf((float)spec->base));
}

/* Drops a number that has no way into the kernel, and says so unless it was the default. */
static void leave_out(struct rope_spec *spec, const char *key, double standard, const char *why,
                      struct meta *meta) {
  const double value = spec_parameter(spec, key);
  if (engine_drop(spec, key) && value != standard)
    engine_note(meta, "llama.cpp b10256 yarn: '%s' %.10g %s", key, value, why);
}

/* deepseek2 reads mscale_all_dim, as rope.scaling.yarn_log_multiplier, for both halves of the
   ratio; every other model gets 0.1·ln(factor) + 1. */
static double yarn_attention(struct rope_spec *spec, double factor, struct meta *meta) {
  static const char unread[] = "is read for grok alone, others get the default";
  leave_out(spec, "attention_factor", NAN, unread, meta);
  const double mscale = scaling_number(spec, "mscale", 0);
  const double all = scaling_number(spec, "mscale_all_dim", 0);
  const bool deepseek = engine_is_deepseek(spec) && all > 0;
  if (deepseek && mscale != all)
    engine_note(meta, "llama.cpp b10256 yarn: 'mscale' is not read, 'mscale_all_dim' stands for "
                      "both and the attention factor of deepseek2 is 1");
  if (!deepseek && mscale > 0 && all > 0)
    engine_note(meta, "llama.cpp b10256 yarn: 'mscale' and 'mscale_all_dim' are not read, the "
                      "attention factor is 0.1*ln(factor) + 1");
  return deepseek ? 1 : scaling_mscale(factor, 1);
}

static int yarn(struct rope_spec *spec, struct spectrum **spectrum, struct meta *meta,
                struct error *error) {
  static const char betas[] = "is read for grok and mistral3 alone, others get the default";
  double factor = spec_parameter(spec, "factor");
  if (isnan(factor)) {
    factor = 1;
    engine_note(meta,
                "llama.cpp b10256 yarn: without a 'factor' it is 1, not the ratio of contexts");
  }
  leave_out(spec, "truncate", 1, "is not stored in GGUF, the range is rounded outwards", meta);
  leave_out(spec, "beta_fast", 32, betas, meta);
  leave_out(spec, "beta_slow", 1, betas, meta);
  const double attention = yarn_attention(spec, factor, meta);
  int failed = spec_set_parameter(spec, "factor", factor, error);
  if (!failed) failed = spectrum_create(spec, spectrum, error);
  if (failed) return failed;
  const float original = (float)scaling_original(spec), last = (float)(spec->rotary_dim - 1);
  const struct kernel kernel = {
      .freq_scale = 1 / (float)factor,
      .blend = true,
      .low = fmaxf(0, floorf(correction(spec, original, 32))),
      .high = fminf(last, ceilf(correction(spec, original, 1))),
  };
  run_kernel(*spectrum, &kernel, meta);
  (*spectrum)->attention_factor = attention;
  (*spectrum)->correction_low = kernel.low;
  (*spectrum)->correction_high = kernel.high;
  return OK;
}

static int longrope(struct rope_spec *spec, struct spectrum **spectrum, struct meta *meta,
                    struct error *error) {
  const double attention = engine_long_factor(spec);
  const int64_t context = scaling_reached(spec);
  const bool is_long = (double)context > scaling_original(spec);
  const char *list = is_long ? "long_factor" : "short_factor";
  const int failed = spectrum_create(spec, spectrum, error);
  if (failed) return failed;
  engine_note(meta,
              "llama.cpp b10256 longrope: '%s' at every length, chosen by the context per "
              "sequence that it was started with, taken to be %lld",
              list, (long long)context);
  const struct kernel kernel = {.freq_scale = 1, .factor = spec_list(spec, list)->value};
  run_kernel(*spectrum, &kernel, meta);
  engine_set_long_factor(*spectrum, attention, "llama.cpp @051139f5 longrope", meta);
  return OK;
}

static int proportional(struct rope_spec *spec, struct spectrum **spectrum, struct meta *meta,
                        struct error *error) {
  engine_note(meta,
              "llama.cpp b10256: how it computes the type 'proportional' is not known here, the "
              "frequencies are Hugging Face's");
  return spectrum_create(spec, spectrum, error);
}

static const struct engine_rule rules[] = {
    {.type = "none", .compute = simple},
    {.type = "linear", .compute = linear},
    {.type = "ntk", .compute = ntk},
    {.type = "dynamic",
     .refusal = "GGUF cannot hold it, the frequencies do not change with the sequence"},
    {.type = "llama3", .compute = llama3},
    {.type = "yarn", .compute = yarn},
    {.type = "longrope", .compute = longrope},
    {.type = "factors", .compute = factors},
    {.type = "proportional", .compute = proportional},
    {.type = NULL},
};

static int compute(const struct rope_spec *spec, struct spectrum **spectrum, struct meta *meta,
                   struct error *error) {
  return engine_by_rule(&engine_llamacpp, rules, spec, spectrum, meta, error);
}

const struct engine engine_llamacpp = {
    .name = "llamacpp",
    .title = "llama.cpp",
    .version = "b10256",
    .spectrum = compute,
};

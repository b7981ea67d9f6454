/* mlx-lm (mlx_lm/models/rope_utils.py). Its classes for llama3, yarn and longrope make periods in
   float32 and hand them to the kernel, which takes their reciprocals. Inputs are multiplied by the
   attention factor before they turn, which comes to the same. */
#include <math.h>

#include "lib/rope/engine_parts.h"
#include "lib/rope/scaling.h"

extern const struct engine engine_mlx;

/* Both limits exclude the boundary: a wavelength of L/low_freq_factor to the bit is in no band, and
   kept. */
static int llama3(struct rope_spec *spec, struct spectrum **spectrum, struct meta *meta,
                  struct error *error) {
  const int failed = spectrum_create(spec, spectrum, error);
  if (failed) return failed;
  const double low = spec_parameter(spec, "low_freq_factor");
  const float longest = (float)(spec_parameter(spec, "original_max_position_embeddings") / low);
  const struct scaling_result single = {.single = true};
  for (size_t i = 0; i < (*spectrum)->pairs; i++) {
    const float period = (float)scaling_power(&single, spec->base, i, spec->rotary_dim);
    if (6.2831855F * period != longest) continue;
    spectrum_set(*spectrum, i, 1 / period);
    engine_note(meta,
                "mlx-lm @d78bf58e llama3: pair %zu is kept, for its wavelength is the longest "
                "one that is blended",
                i);
  }
  return OK;
}

static int yarn(struct rope_spec *spec, struct spectrum **spectrum, struct meta *meta,
                struct error *error) {
  double factor;
  int failed = scaling_factor(spec, &factor, error);
  if (failed) return failed;
  const double mscale = scaling_number(spec, "mscale", 1);
  const double all = scaling_number(spec, "mscale_all_dim", 0);
  const bool both = spec_parameter(spec, "mscale") > 0 && all > 0;
  if (spec_parameter(spec, "truncate") == 0)
    engine_note(meta, "mlx-lm @d78bf58e yarn: 'truncate' is not read, the range is rounded "
                      "outwards");
  engine_drop(spec, "truncate");
  if (engine_drop(spec, "attention_factor"))
    engine_note(meta, "mlx-lm @d78bf58e yarn: 'attention_factor' is not read");
  if (!both && (mscale != 1 || all != 0))
    engine_note(meta,
                "mlx-lm @d78bf58e yarn: the attention factor is get_mscale(factor, mscale "
                "%.10g)/get_mscale(factor, mscale_all_dim %.10g), also where only one is given",
                mscale, all);
  failed = spectrum_create(spec, spectrum, error);
  if (failed) return failed;
  (*spectrum)->attention_factor = scaling_mscale(factor, mscale) / scaling_mscale(factor, all);
  return OK;
}

static int longrope(struct rope_spec *spec, struct spectrum **spectrum, struct meta *meta,
                    struct error *error) {
  const double original = scaling_original(spec);
  if ((double)spec->context <= original) spec->context = (int64_t)original + 1;
  const int failed = spectrum_create(spec, spectrum, error);
  if (failed) return failed;
  engine_note(meta, "mlx-lm @d78bf58e longrope: 'long_factor' at every length");
  engine_set_long_factor(*spectrum, engine_long_factor(spec), "mlx-lm @060aa434 longrope", meta);
  return OK;
}

static const struct engine_rule rules[] = {
    {.type = "none"},
    {.type = "linear"},
    {.type = "llama3", .compute = llama3},
    {.type = "yarn", .compute = yarn},
    {.type = "longrope", .compute = longrope},
    {.type = "proportional"},
    {.type = NULL},
};

static int compute(const struct rope_spec *spec, struct spectrum **spectrum, struct meta *meta,
                   struct error *error) {
  return engine_by_rule(&engine_mlx, rules, spec, spectrum, meta, error);
}

const struct engine engine_mlx = {
    .name = "mlx",
    .title = "mlx-lm",
    .version = "@d78bf58e, its types @060aa434",
    .spectrum = compute,
};

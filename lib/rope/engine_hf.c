/* Hugging Face transformers: the reference. Its steps in float32 are those of lib/rope/scaling*.c,
   and a spectrum in fp32 takes them. */
#include "lib/rope/engine_parts.h"
#include "lib/rope/scaling.h"

extern const struct engine engine_hf;

static int compute(const struct rope_spec *spec, struct spectrum **spectrum, struct meta *meta,
                   struct error *error) {
  const int failed = spectrum_create(spec, spectrum, error);
  if (failed) return failed;
  if (scaling_rule_find(spec->scaling.type)->foreign)
    engine_note(meta,
                "transformers 5.19.0: has no rope_type '%s'; the rule as this program has it, "
                "in float32",
                spec->scaling.type);
  return OK;
}

const struct engine engine_hf = {
    .name = "hf",
    .title = "Hugging Face transformers",
    .version = "5.19.0",
    .spectrum = compute,
};

/* Hugging Face transformers: the reference. Its steps in float32 are those of lib/rope/scaling*.c,
   and a spectrum in fp32 takes them. */
#include <string.h>

#include "lib/rope/engine_parts.h"

extern const struct engine engine_hf;

static int compute(const struct rope_spec *spec, struct spectrum **spectrum, struct meta *meta,
                   struct error *error) {
  /* ROPE_INIT_FUNCTIONS, and the classes' own default. Other rules are this program's. */
  static const char *const types[] = {"none",     "linear", "dynamic",     "yarn",
                                      "longrope", "llama3", "proportional"};
  const int failed = spectrum_create(spec, spectrum, error);
  if (failed) return failed;
  bool known = false;
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    known |= !strcmp(types[i], spec->scaling.type);
  if (!known)
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

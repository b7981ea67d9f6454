/* Engines for tests: what one computes for a spec, with its notes. */
#ifndef ROPETOOL_TESTS_ENGINES_H
#define ROPETOOL_TESTS_ENGINES_H

#include "lib/rope/engine.h"
#include "tests/unit/spectra.h"

/* LongRoPE with short factors of 1 and long factors of `divisor`, for heads of 4 dimensions: 4096
   tokens before, 131072 after, a sequence of `context`. */
static inline struct rope_spec longrope_spec(double divisor, int64_t context) {
  struct rope_spec spec = scaled_spec(4, 10000, "longrope:original_max_position_embeddings=4096");
  const double one[] = {1, 1}, longer[] = {divisor, divisor};
  assert_int_equal(spec_set_list(&spec, "short_factor", one, 2, NULL), OK);
  assert_int_equal(spec_set_list(&spec, "long_factor", longer, 2, NULL), OK);
  spec.model_context = 131072;
  spec.context = context;
  return spec;
}

static inline const struct engine *engine_named(const char *name) {
  const struct engine *engine;
  struct error error;
  if (engine_find(name, &engine, &error)) fail_msg("%s", error.message);
  return engine;
}

/* What the engine computes; `meta` may be NULL. */
static inline struct spectrum *computed(const char *name, const struct rope_spec *spec,
                                        struct meta *meta) {
  struct spectrum *spectrum;
  struct error error;
  if (engine_spectrum(engine_named(name), spec, &spectrum, meta, &error))
    fail_msg("%s: %s", name, error.message);
  return spectrum;
}

/* The engine's notes on a spec hold each of up to three parts in a note of its own, and there are
   as many notes as parts. */
static inline void assert_notes(const char *name, const struct rope_spec *spec,
                                const char *const parts[3]) {
  struct meta *meta = meta_create();
  struct spectrum *spectrum = computed(name, spec, meta);
  size_t count = 0;
  for (; count < 3 && parts[count]; count++) {
    const char *note = meta_item_text(meta, "engine_notes", count);
    if (!note || !strstr(note, parts[count]))
      fail_msg("%s, note %zu: no '%s' in '%s'", name, count, parts[count], note ? note : "(none)");
  }
  if (meta_count(meta, "engine_notes") != count)
    fail_msg("%s: another note: '%s'", name, meta_item_text(meta, "engine_notes", count));
  spectrum_destroy(spectrum);
  meta_destroy(meta);
}

static inline void assert_refuses(const char *name, const struct rope_spec *spec,
                                  const char *part) {
  struct spectrum *spectrum = (struct spectrum *)(uintptr_t)1;
  struct error error = {OK, ""};
  assert_int_equal(engine_spectrum(engine_named(name), spec, &spectrum, NULL, &error), ERROR_INPUT);
  assert_null(spectrum);
  assert_message(error, part);
}

static inline void assert_attention(const char *name, const struct rope_spec *spec, double factor,
                                    double tolerance) {
  struct spectrum *spectrum = computed(name, spec, NULL);
  assert_near_at(spectrum->attention_factor, factor, tolerance, name, __FILE__, __LINE__);
  spectrum_destroy(spectrum);
}

#endif

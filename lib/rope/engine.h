/* Inference engines: the spectrum that each computes from the same model.

   An engine is described by the rules in which its source code is known to differ from Hugging
   Face's, and by nothing else: where nothing is known, it gives what Hugging Face gives. All
   compute frequencies in float32, so an engine's spectrum has the precision fp32, whatever the spec
   says. How they pair dimensions is not looked at: weights are permuted where it differs. */
#ifndef ROPETOOL_ROPE_ENGINE_H
#define ROPETOOL_ROPE_ENGINE_H

#include <stddef.h>

#include "lib/base/error.h"
#include "lib/io/meta.h"
#include "lib/rope/spec.h"
#include "lib/rope/spectrum.h"

/* To add an engine: its file with one of these, and its name in the list of engine.c. */
struct engine {
  const char *name;  /* "vllm", as typed */
  const char *title; /* "vLLM", as printed */
  const char
      *version; /* of the source whose rules these are; a note that rests on another says so */
  /* See engine_spectrum, which callers use. */
  int (*spectrum)(const struct rope_spec *spec, struct spectrum **spectrum, struct meta *meta,
                  struct error *error);
};

/* The engines in the order of the list, Hugging Face first; NULL past the end. */
const struct engine *engine_at(size_t index);

/* By its name. ERROR_INPUT: none of that name (the known ones are listed), and *engine is NULL. */
int engine_find(const char *name, const struct engine **engine, struct error *error);

/* What `engine` computes for `spec`; destroy it. Its spec is the one given, in fp32. spec.context
   is the length of the sequence; an engine that chooses by the context that it was started with
   takes the model's, or that of the sequence where it is longer.

   Appends to the texts "engine_notes" of `meta` (may be NULL) a line for each rule in which the
   engine differs from Hugging Face for this spec, with the version of the source: "llama.cpp
   b10256: ..."; or one that says that no difference is known; a line that is there already is not
   said again. Hugging Face itself has a note only where it does not have the scaling type.
   ERROR_INPUT: a spec that spectrum_create refuses, or a scaling that the engine cannot compute at
   all. */
int engine_spectrum(const struct engine *engine, const struct rope_spec *spec,
                    struct spectrum **spectrum, struct meta *meta, struct error *error);

#endif

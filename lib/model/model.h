/* Models: a rope_spec from a name or from a Hugging Face config.json. */
#ifndef ROPETOOL_MODEL_MODEL_H
#define ROPETOOL_MODEL_MODEL_H

#include <stddef.h>

#include "lib/base/error.h"
#include "lib/base/hash.h"
#include "lib/io/meta.h"
#include "lib/rope/spec.h"

/* A built-in model: the RoPE fields of its public config.json. One file lists them all. */
struct builtin_model {
  const char *name;   /* "llama-3-8b", as typed */
  const char *title;  /* "Llama-3-8B", as printed */
  const char *config; /* the fields, as JSON: read by the same code as a file */
  const char *source; /* where the numbers stand */
};

/* The built-in models in the order of the list; NULL past the end. */
const struct builtin_model *builtin_model_at(size_t index);
const struct builtin_model *builtin_model_find(const char *name); /* NULL: none of that name */

/* Where a spec came from, for meta.inputs. */
struct model_source {
  char name[SPEC_LABEL];  /* the file's name without its folder, or the built-in name */
  char sha256[HASH_TEXT]; /* of the file; "" for a built-in model */
};

/* Reads `reference`: an existing file (config.json), a folder that holds one, or a built-in name,
   in that order of trial (a name with '/' or ending in .json is never a built-in name). Legal
   oddities and unknown keys inside the rope dictionaries are appended to "warnings" of `meta` as
   one line each, naming the key. ERROR_INPUT: missing, unreadable, not JSON, duplicate or deeply
   nested keys, wrong types (the key is named), conflicting values, no RoPE in the model, an unknown
   scaling type (named). */
int model_read(const char *reference, struct rope_spec *spec, struct model_source *source,
               struct meta *meta, struct error *error);

#endif

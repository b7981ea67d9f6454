/* Models: their RoPEs from a name, a Hugging Face config.json or a GGUF file. */
#ifndef ROPETOOL_MODEL_MODEL_H
#define ROPETOOL_MODEL_MODEL_H

#include <stddef.h>

#include "lib/base/error.h"
#include "lib/base/hash.h"
#include "lib/io/meta.h"
#include "lib/io/table.h"
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

/* Where a model came from, for meta.inputs. */
struct model_source {
  char name[SPEC_LABEL];  /* the file's name without its folder, or the built-in name */
  char sha256[HASH_TEXT]; /* of the file; "" for a built-in model */
};

/* A model as far as positions go. */
struct model {
  struct rope_spec *ropes; /* one for each layer type, in the order of the file; at least one. Its
                              layer_type is "" where all layers have the same */
  size_t count;
  size_t layers; /* how many there are; 0: not known */
  int *schedule; /* (layer) its RoPE as an index into `ropes`, -1: none; NULL when not known */
  /* Every value and where it came from: columns layer_type, name, value, source; the source is a
     field of the file ("'rope_theta' in 'rope_parameters'") or a default and whose it is. */
  struct table *values;
  struct model_source source;
};

/* Reads `reference`: an existing file (config.json or GGUF), a folder that holds a config.json, or
   a built-in name, in that order of trial (a name with '/' or ending in .json or .gguf is never a
   built-in name). Legal oddities and unknown keys inside the rope dictionaries are appended to
   "warnings" of `meta` as one line each, naming the key. ERROR_INPUT: missing, unreadable, neither
   JSON nor GGUF, duplicate or deeply nested keys, wrong types (the key is named), conflicting
   values, no RoPE in the model, an unknown scaling type (named). */
int model_read(const char *reference, struct model **model, struct meta *meta, struct error *error);
void model_destroy(struct model *model); /* NULL is allowed */

/* For readers of a format. An empty model with room for `count` RoPEs (spec_default each, with
   `label`) and an empty table of values; NULL with the error. */
struct model *model_create(const char *label, size_t count, struct error *error);

/* Adds a row to model->values; `layer_type` may be "". */
int model_explain(struct model *model, const char *layer_type, const char *name, const char *value,
                  const char *source, struct error *error);

/* Rows of what model->schedule comes to, which `source` gave, and a warning of layers without RoPE.
   ERROR_INPUT: no layer has any. */
int model_explain_schedule(struct model *model, const char *source, struct meta *meta,
                           struct error *error);

/* Warns that M-RoPE is read as text sees it, and where pairs are dealt out to the axes in turn and
   there are too few of them: a section then gets fewer than it says. */
void model_warn_turns(const struct rope_spec *spec, struct meta *meta);
void model_warn_sections(const struct rope_spec *spec, struct meta *meta);

/* Whether a warning says that M-RoPE is read as text sees it: untrue where each axis has its own
   position. */
bool model_warning_of_text(const char *warning);

/* A number as such a value: as many digits as it needs. */
const char *model_number(double value, char text[32]);

#endif

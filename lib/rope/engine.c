#include "lib/rope/engine.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lib/rope/engine_parts.h"
#include "lib/rope/scaling.h"

/* The list: one file engine_NAME.c each. */
extern const struct engine engine_hf, engine_vllm, engine_llamacpp, engine_mlx;

static const struct engine *const engines[] = {
    &engine_hf,
    &engine_vllm,
    &engine_llamacpp,
    &engine_mlx,
};

enum { ENGINES = sizeof engines / sizeof *engines };

const struct engine *engine_at(size_t index) {
  return index < ENGINES ? engines[index] : NULL;
}

/* Adds a word to a list of at most `size` bytes: "a, b and c". */
static void list_word(char *list, size_t size, const char *word, bool first, bool last) {
  const size_t used = strlen(list);
  snprintf(list + used, size - used, "%s%s", first ? "" : last ? " and " : ", ", word);
}

int engine_find(const char *name, const struct engine **engine, struct error *error) {
  *engine = NULL;
  char list[256] = "";
  for (size_t i = 0; i < ENGINES; i++) {
    if (!strcmp(engines[i]->name, name)) {
      *engine = engines[i];
      return OK;
    }
    list_word(list, sizeof list, engines[i]->name, i == 0, i + 1 == ENGINES);
  }
  return error_set(error, ERROR_INPUT, "the engine '%s' is unknown: %s are", name, list);
}

static int no_such_type(const struct engine *engine, const struct engine_rule *rules,
                        const char *type, struct error *error) {
  char list[256] = "";
  const char *previous = NULL;
  for (const struct engine_rule *rule = rules; rule->type; rule++) {
    if (rule->refusal) continue;
    if (previous) list_word(list, sizeof list, previous, !*list, false);
    previous = rule->type;
  }
  list_word(list, sizeof list, previous ? previous : "none", !*list, true);
  return error_set(error, ERROR_INPUT,
                   "%s (%s) cannot compute the scaling type '%s': it is known to have %s",
                   engine->title, engine->version, type, list);
}

int engine_by_rule(const struct engine *engine, const struct engine_rule *rules,
                   const struct rope_spec *spec, struct spectrum **spectrum, struct meta *meta,
                   struct error *error) {
  const struct engine_rule *rule = rules;
  while (rule->type && strcmp(rule->type, spec->scaling.type))
    rule++;
  if (!rule->type) return no_such_type(engine, rules, spec->scaling.type, error);
  if (rule->refusal)
    return error_set(error, ERROR_INPUT, "%s (%s) cannot compute the scaling type '%s': %s",
                     engine->title, engine->version, rule->type, rule->refusal);
  struct rope_spec adapted = *spec;
  return rule->compute ? rule->compute(&adapted, spectrum, meta, error)
                       : spectrum_create(&adapted, spectrum, error);
}

/* Appends the notes that `meta` does not have yet, of another series. */
static void add_notes(const struct meta *notes, struct meta *meta) {
  for (size_t i = 0; i < meta_count(notes, "engine_notes"); i++)
    meta_append_text_once(meta, "engine_notes", meta_item_text(notes, "engine_notes", i));
}

int engine_spectrum(const struct engine *engine, const struct rope_spec *spec,
                    struct spectrum **spectrum, struct meta *meta, struct error *error) {
  *spectrum = NULL;
  const struct scaling_rule *rule;
  int failed = scaling_rule_check(&spec->scaling, &rule, error);
  if (failed) return failed;
  struct rope_spec single = *spec;
  single.precision = PRECISION_FP32;
  struct meta *notes = meta_create();
  if (!notes) {
    error_set(error, ERROR_FAILED, "out of memory for an engine's notes");
    return ERROR_FAILED;
  }
  failed = engine->spectrum(&single, spectrum, notes, error);
  if (!failed) {
    (*spectrum)->spec = single;
    if (engine != &engine_hf && meta_count(notes, "engine_notes") == 0)
      engine_note(notes, "%s %s: no difference from Hugging Face is known", engine->title,
                  engine->version);
    add_notes(notes, meta);
  }
  meta_destroy(notes);
  return failed;
}

void engine_note(struct meta *meta, const char *format, ...) {
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  meta_append_text(meta, "engine_notes", text);
}

bool engine_drop(struct rope_spec *spec, const char *key) {
  struct spec_scaling *scaling = &spec->scaling;
  for (size_t i = 0; i < scaling->count; i++) {
    if (strcmp(scaling->parameters[i].key, key)) continue;
    scaling->count--;
    memmove(&scaling->parameters[i], &scaling->parameters[i + 1],
            (scaling->count - i) * sizeof *scaling->parameters);
    return true;
  }
  return false;
}

void engine_drop_scaling(struct rope_spec *spec) {
  spec->scaling = (struct spec_scaling){.type = "none"};
}

double engine_long_factor(const struct rope_spec *spec) {
  const double original = scaling_original(spec);
  if (spec->model_context == 0 || isnan(original)) return NAN;
  return scaling_long_attention((double)spec->model_context / original, original);
}

void engine_set_long_factor(struct spectrum *spectrum, double attention, const char *source,
                            struct meta *meta) {
  if (isnan(attention)) return;
  if (fabs(attention - spectrum->attention_factor) > 1e-9)
    engine_note(meta,
                "%s: the attention factor is %.10g, by the model's and the original context or an "
                "mscale of the list; 'attention_factor' and 'factor' are not read",
                source, attention);
  spectrum->attention_factor = attention;
}

bool engine_is_deepseek(const struct rope_spec *spec) {
  return !spec->plain_softmax &&
         (!isnan(spec_parameter(spec, "mscale")) || !isnan(spec_parameter(spec, "mscale_all_dim")));
}

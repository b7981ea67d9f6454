/* Which RoPE: from the spectrum options to spectra. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/groups.h"
#include "lib/base/memory.h"
#include "lib/base/number.h"
#include "lib/io/tensor.h"
#include "lib/model/model.h"
#include "lib/rope/axis_of_pair.h"
#include "lib/rope/inv_freq.h"
#include "lib/rope/scaling.h"

enum { MOST_SERIES = 256 };

/* One value of each axis of the cross product; NULL or empty where the option was not given. */
struct choice {
  const char *model, *scaling;
  char dim[64], base[64];
};

void series_release(struct series *series) {
  for (size_t i = 0; series->spectra && i < series->count; i++)
    spectrum_destroy(series->spectra[i]);
  free(series->spectra);
  free(series->model);
  meta_destroy(series->meta);
  *series = (struct series){0};
}

void series_shows_axes(struct series *series) {
  struct meta *kept = meta_create();
  meta_add_list(kept, "warnings");
  for (size_t i = 0; i < meta_count(series->meta, "warnings"); i++) {
    const char *warning = meta_item_text(series->meta, "warnings", i);
    if (!model_warning_of_text(warning)) meta_append_text(kept, "warnings", warning);
  }
  meta_prepend(series->meta, kept);
  meta_destroy(kept);
}

void inputs_add(struct meta *meta, const char *name, const char *sha256) {
  for (size_t i = 0; i < meta_count(meta, "inputs"); i++) {
    const char *known = meta_text(meta_item(meta, "inputs", i), "sha256");
    if (known && !strcmp(known, sha256)) return;
  }
  struct meta *input = meta_append_object(meta, "inputs");
  meta_set_text(input, "name", name);
  meta_set_text(input, "sha256", sha256);
}

/* Notes that `name` replaced what the model says, once. */
static void note_override(struct series *series, const struct choice *choice, const char *name) {
  if (choice->model) meta_append_text_once(series->meta, "overrides", name);
}

void inputs_add_file(struct meta *meta, const char *text, const char *sha256) {
  const char *name = tensor_short_name(text);
  char file[256];
  snprintf(file, sizeof file, "%.*s", (int)tensor_path_length(name), name);
  if (*sha256) inputs_add(meta, file, sha256);
}

void inputs_copy(struct meta *meta, const struct meta *from) {
  for (size_t i = 0; i < meta_count(from, "inputs"); i++) {
    const struct meta *input = meta_item(from, "inputs", i);
    inputs_add(meta, meta_text(input, "name"), meta_text(input, "sha256"));
  }
}

/* Another scaling rule; the context that the model was trained for stays, where the model's own
   rule says it and the new one asks for it. */
static int override_scaling(const char *text, struct rope_spec *spec, struct series *series,
                            struct error *error) {
  static const char key[] = "original_max_position_embeddings";
  const double original = spec_parameter(spec, key);
  char replaced[SPEC_KEY];
  memcpy(replaced, spec->scaling.type, sizeof replaced);
  if (spec_parse_scaling(text, &spec->scaling, error)) return error->code;
  const struct scaling_rule *rule = scaling_rule_find(spec->scaling.type);
  if (isnan(original) || !rule || !scaling_key_counts(rule, key)) return OK;
  if (!isnan(spec_parameter(spec, key))) return OK;
  spec_warn(spec, series->meta, "%s %.10g of the model's own scaling, %s, is taken for %s too", key,
            original, replaced, rule->name);
  return spec_set_parameter(spec, key, original, error);
}

static int override_numbers(const struct invocation *invocation, const struct choice *choice,
                            struct rope_spec *spec, struct series *series, struct error *error) {
  if (choice->dim[0]) {
    int64_t dim;
    if (number_integer(choice->dim, "--dim", 1, INT32_MAX, &dim, error)) return error->code;
    spec->rotary_dim = (size_t)dim;
    if (!choice->model || spec->head_dim < spec->rotary_dim) spec->head_dim = spec->rotary_dim;
    note_override(series, choice, "dim");
  }
  if (choice->base[0]) {
    if (number_positive(choice->base, "--base", &spec->base, error)) return error->code;
    note_override(series, choice, "base");
  }
  if (choice->scaling) {
    if (override_scaling(choice->scaling, spec, series, error)) return error->code;
    note_override(series, choice, "scaling");
  }
  if (option_tokens(invocation, "context", 1, INT64_C(1) << 40, &spec->context, error))
    return error->code;
  if (option_given(invocation, "context")) note_override(series, choice, "context");
  return OK;
}

/* Frequencies from a file stand for dimension, base and rule. */
static int override_frequencies(const struct invocation *invocation, const struct choice *choice,
                                struct rope_spec *spec, struct series *series,
                                struct error *error) {
  const char *text = option_text(invocation, "inv-freq", NULL);
  if (!text) return OK;
  static const char *const others[] = {"dim", "base", "scaling"};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (option_given(invocation, others[i]))
      return error_set(error, ERROR_INPUT,
                       "--%s does not go with --inv-freq, which gives the frequencies themselves",
                       others[i]);
  char sha256[HASH_TEXT];
  if (!choice->model) spec->head_dim = 0;
  if (inv_freq_read(text, spec, sha256, error)) return error_prefix(error, "--inv-freq");
  note_override(series, choice, "inv-freq");
  inputs_add_file(series->meta, text, sha256);
  return OK;
}

static int override_kinds(const struct invocation *invocation, const struct choice *choice,
                          struct rope_spec *spec, struct series *series, struct error *error) {
  const char *layout = option_text(invocation, "layout", NULL);
  if (layout) {
    if (layout_parse(layout, &spec->layout, error)) return error->code;
    note_override(series, choice, "layout");
  }
  return precision_parse(option_text(invocation, "precision", "fp64"), &spec->precision, error);
}

/* The axes of pairs, where a command takes them. */
static int override_sections(const struct invocation *invocation, const struct choice *choice,
                             struct rope_spec *spec, struct series *series, struct error *error) {
  const char *text = option_text(invocation, "sections", NULL);
  if (!text) return OK;
  if (spec_parse_sections(text, spec, error)) return error_prefix(error, "--sections");
  if (spec->axial && !choice->base[0] && !choice->model && !isnan(spec->base))
    spec->base = SPEC_AXIAL_BASE;
  model_warn_turns(spec, series->meta);
  note_override(series, choice, "sections");
  return OK;
}

static int add_series(const struct invocation *invocation, const struct choice *choice,
                      const struct rope_spec *of_model, struct series *series,
                      struct error *error) {
  if (series->count == MOST_SERIES)
    return error_set(error, ERROR_INPUT,
                     "more than %d series: give fewer values of --dim, --base, --model, --scaling",
                     MOST_SERIES);
  struct rope_spec spec;
  if (of_model)
    spec = *of_model;
  else
    spec_default(&spec);
  if (override_numbers(invocation, choice, &spec, series, error)) return error->code;
  if (override_frequencies(invocation, choice, &spec, series, error)) return error->code;
  if (override_kinds(invocation, choice, &spec, series, error)) return error->code;
  if (override_sections(invocation, choice, &spec, series, error)) return error->code;
  if (choice->scaling || option_given(invocation, "context")) scaling_warn(&spec, series->meta);
  if (spectrum_create(&spec, &series->spectra[series->count], error)) return error->code;
  series->count++;
  return OK;
}

static int unknown_layer_type(const struct model *model, const char *name, struct error *error) {
  char list[512] = "";
  for (size_t i = 0, used = 0; i < model->count && used < sizeof list; i++)
    used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "",
                             model->ropes[i].layer_type);
  if (model->count == 1 && !*list)
    return error_set(error, ERROR_INPUT, "--layer-type '%s': all layers of '%s' have the same RoPE",
                     name, model->ropes->label);
  return error_set(error, ERROR_INPUT, "unknown layer type '%s' of --layer-type: '%s' has %s", name,
                   model->ropes->label, list);
}

/* Keeps what the model says of all layers. */
static int keep_model(const struct model *model, struct series *series, struct error *error) {
  free(series->model);
  series->model = memory_array(model->count, sizeof *series->model, "the model", error);
  if (!series->model) return ERROR_FAILED;
  memcpy(series->model, model->ropes, model->count * sizeof *series->model);
  series->model_count = model->count;
  return OK;
}

/* One series for each layer type of the model, or for the one that is asked for. */
static int add_model(const struct invocation *invocation, const struct choice *choice,
                     struct series *series, struct error *error) {
  const char *wanted = option_text(invocation, "layer-type", NULL);
  struct model *model;
  if (!choice->model && wanted)
    return error_set(error, ERROR_INPUT, "--layer-type goes with --model");
  if (!choice->model) return add_series(invocation, choice, NULL, series, error);
  int status = model_read(choice->model, &model, series->meta, error);
  if (status) return status;
  if (model->source.sha256[0]) inputs_add(series->meta, model->source.name, model->source.sha256);
  size_t added = 0;
  status = keep_model(model, series, error);
  for (size_t i = 0; !status && i < model->count; i++) {
    if (wanted && strcmp(wanted, model->ropes[i].layer_type)) continue;
    status = add_series(invocation, choice, &model->ropes[i], series, error);
    added++;
  }
  if (!status && !added) status = unknown_layer_type(model, wanted, error);
  model_destroy(model);
  return status;
}

/* Calls itself once for each value of the option of `depth`: model, scaling, dim, base. */
static int cross(const struct invocation *invocation, int depth, struct choice *choice,
                 struct series *series, struct error *error) {
  static const char *const names[] = {"model", "scaling", "dim", "base"};
  if (depth == 4) return add_model(invocation, choice, series, error);
  const char *value = NULL;
  size_t cursor = 0;
  bool any = false;
  while ((value = option_next(invocation, names[depth], &cursor)) || !any) {
    any = true;
    if (depth < 2) {
      *(depth == 0 ? &choice->model : &choice->scaling) = value;
      if (cross(invocation, depth + 1, choice, series, error)) return error->code;
    } else {
      char *item = depth == 2 ? choice->dim : choice->base;
      item[0] = '\0';
      if (!value && cross(invocation, depth + 1, choice, series, error)) return error->code;
      while (value && list_next(&value, item, sizeof choice->dim)) {
        if (!item[0])
          return error_set(error, ERROR_INPUT, "--%s has an empty value in its list", names[depth]);
        if (cross(invocation, depth + 1, choice, series, error)) return error->code;
      }
    }
  }
  return OK;
}

int series_create(const struct invocation *invocation, struct series *series, struct error *error) {
  *series = (struct series){.meta = meta_create()};
  series->spectra = memory_array(MOST_SERIES, sizeof *series->spectra, "the series", error);
  struct choice choice = {0};
  const int status = series->spectra ? cross(invocation, 0, &choice, series, error) : ERROR_FAILED;
  if (status) series_release(series);
  return status;
}

int series_create_one(const struct invocation *invocation, struct series *series,
                      struct error *error) {
  if (series_create(invocation, series, error)) return error->code;
  if (series->count == 1) return OK;
  bool layers = false;
  for (size_t i = 0; i < series->count; i++)
    layers |= *series->spectra[i]->spec.layer_type != 0;
  /* As many as the model has layer types: of one model, and nothing else is given twice. */
  if (series->count == series->model_count && !option_given(invocation, "layer-type"))
    error_set(error, ERROR_INPUT,
              "'%s' has a RoPE for each of %zu layer types, and one is taken: give --layer-type %s "
              "or %s",
              series->model->label, series->count, series->model[0].layer_type,
              series->model[series->model_count - 1].layer_type);
  else
    error_set(error, ERROR_INPUT,
              "%zu RoPEs are asked for where one is taken: give one --model, %s--dim, --base and "
              "--scaling",
              series->count, layers ? "--layer-type, " : "");
  series_release(series);
  return error->code;
}

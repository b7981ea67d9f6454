/* Which layer has which RoPE. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/memory.h"
#include "lib/model/config_parts.h"

enum { MOST_LAYERS = 10000, BARE = -1, UNCLEAR = -2 };

static const char full[] = "full_attention", sliding[] = "sliding_attention";

/* What the layers' RoPEs follow from, while the schedule is made. */
struct plan {
  int *schedule;
  size_t layers;
  char source[CONFIG_PATH];
};

/* The number of layers; 0: it is not given. */
static int read_layers(const struct config *config, size_t *layers, struct config_place *place,
                       struct error *error) {
  static const char *const keys[] = {"num_hidden_layers", "n_layer", "n_layers", "num_layers",
                                     NULL};
  int64_t count = 0;
  *place = config_find(config, keys);
  if (!place->fields) return OK;
  const int failed = fields_count(place->fields, place->key, &count, error);
  if (failed) return failed;
  if (count > MOST_LAYERS)
    return error_set(error, ERROR_INPUT, "'%s' is %lld: at most %d layers are read", place->key,
                     (long long)count, MOST_LAYERS);
  *layers = (size_t)count;
  return OK;
}

/* A list with an entry a layer. A longer one is of layers that are not run here (multi-token
   prediction); *layers is set to its length where it was not known. */
static int check_length(const struct config *config, const struct config_place *place,
                        size_t *layers, struct error *error) {
  size_t length = 0;
  const int failed = fields_length(place->fields, place->key, &length, error);
  if (failed) return failed;
  if (length > MOST_LAYERS)
    return error_set(error, ERROR_INPUT, "the length of '%s' is %zu: at most %d layers are read",
                     place->key, length, MOST_LAYERS);
  if (*layers == 0) *layers = length;
  if (length < *layers)
    return error_set(error, ERROR_INPUT,
                     "the length of '%s' is %zu: an entry for each of the %zu layers is needed",
                     place->key, length, *layers);
  if (length > *layers)
    spec_warn(config->spec, config->meta,
              "the length of '%s' is %zu: what is beyond num_hidden_layers %zu is ignored",
              place->key, length, *layers);
  return OK;
}

/* Layers without softmax attention have no positions to turn. */
static bool is_attention(const char *type) {
  static const char *const others[] = {"linear_attention", "conv", "mamba",    "mamba2",
                                       "recurrent",        "rwkv", "lightning"};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (!strcmp(others[i], type)) return false;
  return true;
}

/* The RoPE of the layers called `type`, as model->schedule has it; UNCLEAR: there is none, and
   nothing says that there should be none. */
static int rope_of(const struct config *config, const char *type) {
  for (size_t i = 0; i < config->bares; i++)
    if (!strcmp(config->bare[i], type)) return BARE;
  for (size_t i = 0; i < config->layers; i++)
    if (!strcmp(config->layer[i].type, type)) return (int)i;
  if (!is_attention(type)) return BARE;
  if (*config->layer->type) return UNCLEAR;
  return config->family.full_is_bare && !strcmp(type, full) ? BARE : 0;
}

static int follow_types(const struct config *config, const struct config_place *place,
                        struct plan *plan, struct error *error) {
  for (size_t i = 0; i < plan->layers; i++) {
    const char *type;
    const int failed = fields_text_at(place->fields, place->key, i, &type, error);
    if (failed) return failed;
    plan->schedule[i] = rope_of(config, type);
    if (plan->schedule[i] == UNCLEAR)
      return error_set(error, ERROR_INPUT, "'%s' holds '%s', for which there is no RoPE in '%s'",
                       place->key, type, config->layer->rope_name);
  }
  config_source(place, plan->source);
  return OK;
}

/* "LLLG": which of a period of layers is global. */
static int follow_letters(const struct config *config, const struct config_place *place,
                          struct plan *plan, struct error *error) {
  const char *letters = "";
  const int failed = fields_text(place->fields, place->key, &letters, error);
  if (failed) return failed;
  const size_t period = strlen(letters);
  if (period == 0 || strspn(letters, "LG") != period)
    return error_set(error, ERROR_INPUT,
                     "'%s' is '%s': a number, or the letters L and G (local, global), are needed",
                     place->key, letters);
  for (size_t i = 0; i < plan->layers; i++)
    plan->schedule[i] = rope_of(config, letters[i % period] == 'G' ? full : sliding);
  config_source(place, plan->source);
  return OK;
}

static void repeat(const struct config *config, size_t period, struct plan *plan) {
  const size_t global = config->family.full_first ? 0 : period - 1;
  for (size_t i = 0; i < plan->layers; i++)
    plan->schedule[i] = rope_of(config, i % period == global ? full : sliding);
}

static const char *const period_keys[] = {"sliding_window_pattern", "_sliding_window_pattern",
                                          "global_attn_every_n_layers", NULL};

static bool knows_period(const struct config *config) {
  return config->family.period > 0 || config_find(config, period_keys).fields;
}

/* One full_attention layer in a period, by a field or by the family's default. */
static int follow_period(const struct config *config, struct plan *plan, struct error *error) {
  const struct config_place place = config_find(config, period_keys);
  int64_t period = (int64_t)config->family.period;
  if (place.fields && fields_kind(place.fields, place.key) == FIELD_TEXT)
    return follow_letters(config, &place, plan, error);
  if (place.fields) {
    const int failed = fields_count(place.fields, place.key, &period, error);
    if (failed) return failed;
    config_source(&place, plan->source);
  } else {
    config_default(config, plan->source);
  }
  repeat(config, (size_t)period, plan);
  return OK;
}

/* 1: this layer has RoPE. */
static int follow_flags(const struct config_place *place, struct plan *plan, struct error *error) {
  for (size_t i = 0; i < plan->layers; i++) {
    int64_t flag = 0;
    const int failed = fields_whole_at(place->fields, place->key, i, &flag, error);
    if (failed) return failed;
    if (flag == 0) plan->schedule[i] = BARE;
  }
  config_source(place, plan->source);
  return OK;
}

/* One in so many layers, the last, differs, by a field or by the family's default; 0: none does.
   `source` is left alone then. */
static int read_interval(const struct config *config, const char *key, size_t usual,
                         int64_t *interval, char source[CONFIG_PATH], struct error *error) {
  const char *const keys[] = {key, NULL};
  const struct config_place place = config_find(config, keys);
  *interval = (int64_t)usual;
  if (place.fields)
    config_source(&place, source);
  else if (*interval > 0)
    config_default(config, source);
  return place.fields ? fields_count(place.fields, key, interval, error) : OK;
}

/* Which layers have no RoPE. */
static int read_bare(const struct config *config, int64_t *interval, char source[CONFIG_PATH],
                     struct error *error) {
  return read_interval(config, "no_rope_layer_interval", config->family.bare_interval, interval,
                       source, error);
}

/* Which layers have softmax attention. */
static int read_attention(const struct config *config, int64_t *interval, char source[CONFIG_PATH],
                          struct error *error) {
  return read_interval(config, "full_attention_interval", config->family.attention_interval,
                       interval, source, error);
}

static int follow_interval(const struct config *config, struct plan *plan, struct error *error) {
  int64_t interval;
  const int failed = read_bare(config, &interval, plan->source, error);
  for (size_t i = 0; !failed && interval > 0 && i < plan->layers; i++)
    if ((i + 1) % (size_t)interval == 0) plan->schedule[i] = BARE;
  return failed;
}

/* Linear attention in all layers but one of so many. */
static void follow_attention(const struct config *config, int64_t interval, struct plan *plan) {
  const int rope = rope_of(config, full);
  for (size_t i = 0; i < plan->layers; i++)
    plan->schedule[i] = (i + 1) % (size_t)interval ? BARE : rope;
  if (rope == UNCLEAR) plan->layers = 0;
}

/* Whether layers other than full_attention have a sliding window. */
static bool has_window(const struct config *config) {
  static const char *const keys[] = {"sliding_window", NULL};
  if (config_find(config, keys).fields) return true;
  return config->family.windowed && !config_is_null(config, keys[0]);
}

/* Whether the RoPE of a layer depends on which it is by a period of layers. */
static bool has_period(const struct config *config) {
  if (*config->layer->type) return true;
  /* Without a window every layer attends to all, and has RoPE. */
  return config->family.full_is_bare && has_window(config);
}

static int fill(const struct config *config, const struct config_place *types,
                const struct config_place *flags, struct plan *plan, struct error *error) {
  int64_t interval = 0;
  int failed = types->fields ? OK : read_attention(config, &interval, plan->source, error);
  if (failed) return failed;
  if (types->fields)
    failed = follow_types(config, types, plan, error);
  else if (interval > 0)
    follow_attention(config, interval, plan);
  else if (!has_period(config))
    failed = OK;
  else if (rope_of(config, full) == UNCLEAR || rope_of(config, sliding) == UNCLEAR ||
           !knows_period(config))
    plan->layers = 0; /* which layer is which is not known */
  else
    failed = follow_period(config, plan, error);
  if (failed) return failed;
  return flags->fields ? follow_flags(flags, plan, error) : follow_interval(config, plan, error);
}

/* Without a number of layers there is no schedule, but there are layers without RoPE. */
static int warn_interval(const struct config *config, struct error *error) {
  char source[CONFIG_PATH];
  int64_t interval;
  int failed = read_bare(config, &interval, source, error);
  if (!failed && interval > 0)
    spec_warn(config->spec, config->meta, "one in %lld layers has no RoPE (%s)",
              (long long)interval, source);
  if (!failed) failed = read_attention(config, &interval, source, error);
  if (!failed && interval > 0)
    spec_warn(config->spec, config->meta, "only one in %lld layers has RoPE (%s)",
              (long long)interval, source);
  return failed;
}

int config_read_schedule(struct config *config, struct error *error) {
  static const char *const type_keys[] = {"layer_types", NULL};
  static const char *const flag_keys[] = {"no_rope_layers", NULL};
  struct model *model = config->model;
  struct config_place place, types = config_find(config, type_keys);
  struct config_place flags = config_find(config, flag_keys);
  struct plan plan = {.layers = 0};
  size_t length = 0;
  int failed = read_layers(config, &model->layers, &place, error);
  if (!failed && flags.fields) failed = fields_length(flags.fields, flags.key, &length, error);
  if (length == 0) flags.fields = NULL; /* Llama 4 writes [] for its default */
  if (!failed && types.fields) failed = check_length(config, &types, &model->layers, error);
  if (!failed && flags.fields) failed = check_length(config, &flags, &model->layers, error);
  if (failed) return failed;
  if (model->layers == 0) return warn_interval(config, error);
  model->schedule = memory_array(model->layers, sizeof *model->schedule, "the layers", error);
  if (!model->schedule) return error->code;
  plan.schedule = model->schedule;
  plan.layers = model->layers;
  config_source(place.fields ? &place : types.fields ? &types : &flags, plan.source);
  failed = config_explain_number(config, "layers", (double)model->layers, plan.source, error);
  if (!failed) failed = fill(config, &types, &flags, &plan, error);
  if (failed) return failed;
  if (plan.layers > 0) return model_explain_schedule(model, plan.source, config->meta, error);
  free(model->schedule);
  model->schedule = NULL;
  return OK;
}

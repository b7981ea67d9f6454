/* Which layer of a GGUF file has which RoPE. */
#include <stdio.h>
#include <stdlib.h>

#include "lib/base/memory.h"
#include "lib/model/gguf_model_parts.h"

enum { MOST_LAYERS = 10000, BARE = -1 };

/* What is said of layers with a sliding window: a period, or a flag for each. */
struct window {
  const struct gguf_value *flags; /* NULL: the period says it */
  size_t period;
  bool full_first;
};

static int read_window(const struct gguf_model *read, size_t layers, struct window *window,
                       struct error *error) {
  const struct gguf_value *value = gguf_model_value(read, "attention.sliding_window_pattern");
  int64_t period = (int64_t)read->arch.period;
  *window = (struct window){.full_first = read->arch.full_first};
  int failed = OK;
  if (value && value->is_array) {
    if (value->count != layers)
      return error_set(error, ERROR_INPUT,
                       "'%.*s' has %zu entries: one for each of the %zu layers "
                       "is needed",
                       GGUF_SHOWN(value->key), value->count, layers);
    window->flags = value;
  } else if (value) {
    failed = gguf_whole(value, 1, MOST_LAYERS, &period, error);
  }
  window->period = (size_t)period;
  return failed;
}

static int is_sliding(const struct window *window, size_t layer, bool *slides,
                      struct error *error) {
  if (!window->flags) {
    *slides = layer % window->period != (window->full_first ? 0 : window->period - 1);
    return OK;
  }
  const struct gguf_value element = gguf_element(window->flags, layer);
  int64_t whole = 0;
  if (element.type == GGUF_FLAG) return gguf_flag(&element, slides, error);
  const int failed = gguf_whole(&element, 0, 1, &whole, error);
  *slides = whole == 1;
  return failed;
}

/* Fills the schedule of layers of two kinds. */
static int follow_window(struct gguf_model *read, const struct window *window,
                         struct error *error) {
  struct model *model = read->model;
  for (size_t i = 0; i < model->layers; i++) {
    bool slides = false;
    const int failed = is_sliding(window, i, &slides, error);
    if (failed) return failed;
    if (model->count > 1)
      model->schedule[i] = slides;
    else
      model->schedule[i] = slides ? 0 : BARE;
  }
  return OK;
}

static int explain_layers(struct gguf_model *read, const struct gguf_value *value,
                          struct error *error) {
  const struct model *model = read->model;
  char text[64];
  size_t bare = 0;
  for (size_t i = 0; model->schedule && i < model->layers; i++)
    bare += model->schedule[i] == BARE;
  int failed = gguf_model_explain_number(read, "layers", (double)model->layers, value, error);
  if (failed || !bare) return failed;
  snprintf(text, sizeof text, "%zu of %zu", bare, model->layers);
  return gguf_model_explain(read, "layers_without_rope", text,
                            gguf_find(read->gguf, "general.architecture"), error);
}

int gguf_model_read_layers(struct gguf_model *read, struct error *error) {
  const struct gguf_value *value;
  struct model *model = read->model;
  struct window window;
  int64_t layers = 0;
  int failed = gguf_model_count(read, "block_count", MOST_LAYERS, &layers, &value, error);
  if (failed || !value) return failed;
  model->layers = (size_t)layers;
  failed = read_window(read, model->layers, &window, error);
  if (failed) return failed;
  const bool bare = read->arch.full_is_bare && gguf_model_value(read, "attention.sliding_window");
  const bool two = model->count > 1 || bare;
  /* Two kinds of layers, and nothing says which is which. */
  if (two && !window.flags && !window.period) return explain_layers(read, value, error);
  model->schedule = memory_array(model->layers, sizeof *model->schedule, "the layers", error);
  if (!model->schedule) return ERROR_FAILED;
  if (two) failed = follow_window(read, &window, error);
  for (size_t i = 0; read->arch.bare_interval && i < model->layers; i++)
    if ((i + 1) % read->arch.bare_interval == 0) model->schedule[i] = BARE;
  return failed ? failed : explain_layers(read, value, error);
}

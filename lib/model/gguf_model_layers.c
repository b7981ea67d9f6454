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

/* Linear attention in all layers but one of so many. */
static int follow_attention(struct gguf_model *read, struct error *error) {
  const struct gguf_value *value;
  struct model *model = read->model;
  int64_t interval = (int64_t)read->arch.attention_interval;
  const int failed =
      gguf_model_count(read, "full_attention_interval", MOST_LAYERS, &interval, &value, error);
  for (size_t i = 0; !failed && interval && i < model->layers; i++)
    if ((i + 1) % (size_t)interval) model->schedule[i] = BARE;
  return failed;
}

/* What said which layer has which RoPE. */
static int explain_schedule(struct gguf_model *read, const struct gguf_value *value,
                            struct error *error) {
  static const char *const keys[] = {"full_attention_interval", "attention.sliding_window_pattern"};
  char source[GGUF_KEY + 16];
  const struct gguf_arch *arch = &read->arch;
  const bool uneven = read->model->count > 1 || arch->full_is_bare || arch->bare_interval ||
                      arch->attention_interval || gguf_model_value(read, keys[0]);
  if (uneven) value = gguf_find(read->gguf, "general.architecture");
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
    if (uneven && gguf_model_value(read, keys[i])) value = gguf_model_value(read, keys[i]);
  snprintf(source, sizeof source, "'%.*s'", GGUF_SHOWN(value->key));
  return model_explain_schedule(read->model, source, read->meta, error);
}

int gguf_model_read_layers(struct gguf_model *read, struct error *error) {
  const struct gguf_value *value;
  struct model *model = read->model;
  struct window window;
  int64_t layers = 0;
  int failed = gguf_model_count(read, "block_count", MOST_LAYERS, &layers, &value, error);
  if (failed || !value) return failed;
  model->layers = (size_t)layers;
  failed = gguf_model_explain_number(read, "layers", (double)layers, value, error);
  if (!failed) failed = read_window(read, model->layers, &window, error);
  if (failed) return failed;
  const bool windowed = read->arch.windowed || gguf_model_value(read, "attention.sliding_window");
  const bool bare = read->arch.full_is_bare && windowed;
  const bool two = model->count > 1 || bare;
  /* Two kinds of layers, and nothing says which is which. */
  if (two && !window.flags && !window.period) return OK;
  model->schedule = memory_array(model->layers, sizeof *model->schedule, "the layers", error);
  if (!model->schedule) return ERROR_FAILED;
  if (two) failed = follow_window(read, &window, error);
  for (size_t i = 0; read->arch.bare_interval && i < model->layers; i++)
    if ((i + 1) % read->arch.bare_interval == 0) model->schedule[i] = BARE;
  if (!failed) failed = follow_attention(read, error);
  return failed ? failed : explain_schedule(read, value, error);
}

/* Any text as a config.json: read, and a spectrum made of what comes out. Whatever was accepted
 * keeps the promises of rope_spec. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/model/config.h"
#include "lib/rope/spectrum.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_error(const struct error *error) {
  const size_t length = strnlen(error->message, sizeof error->message);
  if (length == 0 || length == sizeof error->message || strchr(error->message, '\n')) abort();
}

static void check_spectrum(const struct spectrum *spectrum) {
  if (spectrum->pairs * 2 != spectrum->spec.rotary_dim) abort();
  for (size_t i = 0; i < spectrum->pairs; i++)
    if (!(spectrum->inv_freq[i] >= 0)) abort();
}

static void check_rope(const struct rope_spec *spec, struct meta *meta) {
  struct error error = {OK, ""};
  struct spectrum *spectrum = NULL;
  if (!(spec->base > 0) || !isfinite(spec->base)) abort();
  if (spec->rotary_dim < 2 || spec->rotary_dim > spec->head_dim) abort();
  if (spec->context < 0 || spec->context != spec->model_context) abort();
  size_t pairs = 0;
  for (size_t i = 0; i < spec->axes; i++)
    pairs += spec->section[i];
  if (spec->axes > SPEC_AXES || (spec->axes && pairs * 2 != spec->rotary_dim)) abort();
  if (spectrum_create(spec, &spectrum, &error)) {
    check_error(&error);
    return;
  }
  check_spectrum(spectrum);
  spectrum_describe(spectrum, meta);
  spectrum_destroy(spectrum);
}

/* Every layer's RoPE is one of the model's, layer types have one each, and every row is whole. */
static void check_model(const struct model *model) {
  if (model->count == 0 || !model->values) abort();
  if (model->schedule && model->layers == 0) abort();
  for (size_t i = 0; model->schedule && i < model->layers; i++)
    if (model->schedule[i] < -1 || model->schedule[i] >= (int)model->count) abort();
  for (size_t i = 0; i < model->count; i++)
    for (size_t j = 0; j < i; j++)
      if (!strcmp(model->ropes[i].layer_type, model->ropes[j].layer_type)) abort();
  for (size_t row = 0; row < table_rows(model->values); row++)
    for (size_t column = 1; column < 4; column++)
      if (!*table_text(model->values, row, column)) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct error error = {OK, ""};
  struct model *model;
  struct meta *meta = meta_create();
  if (config_read((const char *)data, size, "", &model, meta, &error)) {
    check_error(&error);
  } else {
    check_model(model);
    for (size_t i = 0; i < model->count; i++)
      check_rope(&model->ropes[i], meta);
    free(meta_to_json(meta, 0));
    model_destroy(model);
  }
  meta_destroy(meta);
  return 0;
}

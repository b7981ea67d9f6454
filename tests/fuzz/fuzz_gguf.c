/* Hostile .gguf files. Whatever the bytes are, reading ends with what lies within them or with an
   error: values, tensors (the only one, and one by its name), and a model that keeps the promises
   of rope_spec. */
#include "tests/fuzz/fuzz_tensor.h"

#include "lib/io/gguf.h"
#include "lib/model/gguf_model.h"
#include "lib/rope/spectrum.h"

static void use_value(const struct gguf_value *value, const uint8_t *data, size_t size) {
  struct error error;
  struct gguf_text text = {"", 0};
  double real;
  int64_t whole;
  if (!gguf_real(value, &real, &error))
    require(real - real == 0);
  else
    check_error(&error);
  if (!gguf_positive(value, &real, &error)) require(real > 0);
  if (!gguf_whole(value, -5, 5000, &whole, &error)) require(whole >= -5 && whole <= 5000);
  if (!gguf_text(value, &text, &error))
    require(text.text >= (const char *)data && text.length <= size &&
            text.text + text.length <= (const char *)data + size);
}

static void use_gguf(const struct gguf *gguf, const uint8_t *data, size_t size) {
  struct error error;
  const struct gguf_value *value;
  const struct gguf_tensor *tensor;
  require(gguf_version(gguf) == 2 || gguf_version(gguf) == 3);
  for (size_t i = 0; (value = gguf_value_at(gguf, i)); i++) {
    require(value->key.length > 0);
    for (size_t k = 0; k < value->count && k < 100; k++) {
      const struct gguf_value element = gguf_element(value, k);
      use_value(&element, data, size);
    }
  }
  for (size_t i = 0; (tensor = gguf_tensor_at(gguf, i)); i++) {
    require(tensor->offset <= size && tensor->size <= size - tensor->offset);
    double *reals = gguf_tensor_reals(gguf, tensor, &error);
    if (!reals) check_error(&error);
    free(reals);
  }
}

enum { LARGEST_HEAD = 4096 }; /* of those whose spectrum is made, which takes its time */

static void check_spec(const struct rope_spec *spec) {
  struct spectrum *spectrum;
  struct error error;
  require(spec->base > 0 && spec->base - spec->base == 0 && spec->context >= 0);
  require(spec->rotary_dim >= 2 && spec->rotary_dim % 2 == 0);
  require(spec->rotary_dim <= spec->head_dim && spec->axes <= SPEC_AXES);
  if (spec->rotary_dim > LARGEST_HEAD) return;
  if (spectrum_create(spec, &spectrum, &error)) {
    check_error(&error);
    return;
  }
  for (size_t i = 0; i < spectrum->pairs; i++)
    require(spectrum->inv_freq[i] >= 0);
  spectrum_destroy(spectrum);
}

static void read_model(const struct gguf *gguf) {
  struct model *model;
  struct error error;
  struct meta *meta = meta_create();
  if (gguf_model_read(gguf, "", &model, meta, &error)) {
    require(!model);
    check_error(&error);
  } else {
    require(model->count == 1 || model->count == 2);
    for (size_t i = 0; i < model->count; i++)
      check_spec(&model->ropes[i]);
    for (size_t i = 0; model->schedule && i < model->layers; i++)
      require(model->schedule[i] >= -1 && model->schedule[i] < (int)model->count);
    model_destroy(model);
  }
  meta_destroy(meta);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct gguf *gguf;
  struct error error;
  memory_set_limit(UINT64_C(1) << 28);
  if (gguf_parse((struct tensor_bytes){data, size}, &gguf, &error)) {
    require(!gguf);
    check_error(&error);
  } else {
    use_gguf(gguf, data, size);
    read_model(gguf);
    gguf_destroy(gguf);
  }
  fuzz_tensor("m.gguf", NULL, data, size);
  fuzz_tensor("m.gguf", "output_norm.weight", data, size);
  return 0;
}

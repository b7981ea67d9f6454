/* Hostile .gguf files. Whatever the bytes are, reading ends with what lies within them or with an
   error; the only tensor, and one by its name. */
#include "tests/fuzz/fuzz_tensor.h"

#include "lib/io/gguf.h"

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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct gguf *gguf;
  struct error error;
  memory_set_limit(UINT64_C(1) << 28);
  if (gguf_parse((struct tensor_bytes){data, size}, &gguf, &error)) {
    require(!gguf);
    check_error(&error);
  } else {
    use_gguf(gguf, data, size);
    gguf_destroy(gguf);
  }
  fuzz_tensor("m.gguf", NULL, data, size);
  fuzz_tensor("m.gguf", "output_norm.weight", data, size);
  return 0;
}

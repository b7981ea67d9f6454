/* Small GGUF files as test cases: a model is read from one, or refused with a message. */
#ifndef ROPETOOL_TESTS_GGUF_MODEL_CASE_H
#define ROPETOOL_TESTS_GGUF_MODEL_CASE_H

#include "tests/unit/gguf_make.h"

#include "lib/model/gguf_model.h"

/* What the last file left. */
static struct model *model;
static struct meta *meta;
static struct error error;

static inline int release(void **state) {
  (void)state;
  model_destroy(model);
  meta_destroy(meta);
  model = NULL;
  meta = NULL;
  return 0;
}

/* A file being made: values first, then tensors, as they are counted here. */
static struct gguf_make values, infos, data;
static uint64_t value_count, tensor_count;

static inline void counted(void) {
  value_count++;
}

static inline void begin(const char *architecture) {
  bytes_free(&values.bytes);
  bytes_free(&infos.bytes);
  bytes_free(&data.bytes);
  value_count = tensor_count = 0;
  if (!architecture) return;
  make_string(&values, "general.architecture", architecture);
  counted();
}

static inline void count(const char *key, uint64_t number) {
  make_whole(&values, key, GGUF_U32, number);
  counted();
}

static inline void real(const char *key, double number) {
  make_real(&values, key, number);
  counted();
}

static inline void text(const char *key, const char *value) {
  make_string(&values, key, value);
  counted();
}

static inline void counts(const char *key, size_t length, const uint64_t *numbers) {
  make_array(&values, key, GGUF_I32, length);
  for (size_t i = 0; i < length; i++)
    make_number(&values, numbers[i], 4);
  counted();
}

static inline void tensor(const char *name, size_t length, float value) {
  make_tensor(&infos, name, 1, (const uint64_t[]){length});
  make_place(&infos, 0, data.bytes.size);
  for (size_t i = 0; i < length; i++)
    make_f32(&data, &value, 1);
  make_padding(&data, 32);
  tensor_count++;
}

/* Heads of 8 dimensions, in 8 layers. */
static inline void usual(const char *architecture) {
  char key[96];
  begin(architecture);
  const struct {
    const char *rest;
    uint64_t number;
  } numbers[] = {{"block_count", 8},
                 {"context_length", 4096},
                 {"embedding_length", 64},
                 {"attention.head_count", 8}};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    snprintf(key, sizeof key, "%s.%s", architecture, numbers[i].rest);
    count(key, numbers[i].number);
  }
  snprintf(key, sizeof key, "%s.rope.freq_base", architecture);
  real(key, 1000);
}

static inline int read_it(void) {
  struct gguf_make make = make_gguf(3, tensor_count, value_count);
  struct gguf *gguf;
  char *block;
  release(NULL);
  meta = meta_create();
  bytes_add(&make.bytes, values.bytes.data, values.bytes.size);
  bytes_add(&make.bytes, infos.bytes.data, infos.bytes.size);
  make_padding(&make, 32);
  bytes_add(&make.bytes, data.bytes.data, data.bytes.size);
  if (parse_exactly(make.bytes, &block, &gguf, &error)) fail_msg("%s", error.message);
  const int status = gguf_model_read(gguf, "", &model, meta, &error);
  /* Without a place for the error it is the same. */
  struct model *again;
  assert_int_equal(gguf_model_read(gguf, "", &again, NULL, NULL), status);
  model_destroy(again);
  gguf_destroy(gguf);
  free(block);
  bytes_free(&make.bytes);
  begin(NULL);
  return status;
}

static inline const struct rope_spec *good(void) {
  if (read_it()) fail_msg("%s", error.message);
  return model->ropes;
}

static inline void bad(const char *part) {
  if (read_it() != ERROR_INPUT) fail_msg("taken, not refused: %s", part);
  assert_null(model);
  assert_message(&error, part);
}

static inline void assert_warned(const char *part) {
  for (size_t i = 0; i < meta_count(meta, "warnings"); i++)
    if (strstr(meta_item_text(meta, "warnings", i), part)) return;
  fail_msg("no warning says '%s'", part);
}

#endif

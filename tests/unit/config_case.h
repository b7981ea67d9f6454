/* Small configs as test cases: one is read, or refused with a message. */
#ifndef ROPETOOL_TESTS_CONFIG_CASE_H
#define ROPETOOL_TESTS_CONFIG_CASE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/model/config.h"
#include "lib/model/fields.h"

/* A head of 128 dimensions of a family without surprises, and `rest`. PHI's heads may rotate in
   part. */
#define QWEN(rest)                                                                                 \
  "{\"model_type\": \"qwen2\", \"hidden_size\": 4096, \"num_attention_heads\": 32" rest "}"
#define PLAIN(rest) QWEN(", \"rope_theta\": 1e6, \"max_position_embeddings\": 32768" rest)
#define PHI(rest)                                                                                  \
  "{\"model_type\": \"phi3\", \"hidden_size\": 4096, \"num_attention_heads\": 32,"                 \
  " \"rope_theta\": 1e6, \"max_position_embeddings\": 32768" rest "}"
#define LLAMA3 "\"factor\": 8.0, \"low_freq_factor\": 1.0, \"high_freq_factor\": 4.0"

/* What the last case left: the model, and a copy of its first RoPE. */
static struct model *model;
static struct rope_spec spec;
static struct error error;
static struct meta *meta;

/* Set-up and tear-down of cmocka: an empty `meta`, none. */
static inline int clear(void **state) {
  (void)state;
  meta_destroy(meta);
  meta = meta_create();
  return meta ? 0 : -1;
}

static inline int release(void **state) {
  (void)state;
  meta_destroy(meta);
  meta = NULL;
  model_destroy(model);
  model = NULL;
  return 0;
}

static inline int try_read(const char *text) {
  clear(NULL);
  error = (struct error){OK, ""};
  memset(&spec, 0, sizeof spec);
  model_destroy(model);
  const int failed = config_read(text, strlen(text), "", &model, meta, &error);
  if (failed && model) fail_msg("a model beside an error: %s", text);
  if (!failed) spec = model->ropes[0];
  return failed;
}

/* Reads `text`; so many warnings are expected. */
static inline void read_well(const char *text, size_t warnings) {
  if (try_read(text)) fail_msg("%s: %s", text, error.message);
  if (meta_count(meta, "warnings") == warnings) return;
  for (size_t i = 0; i < meta_count(meta, "warnings"); i++)
    print_error("warning: %s\n", meta_item_text(meta, "warnings", i));
  fail_msg("%s: not %zu warnings", text, warnings);
}

/* `text` must be ERROR_INPUT with a message that holds `message`. */
static inline void refused(const char *text, const char *message) {
  if (try_read(text) != ERROR_INPUT || error.code != ERROR_INPUT) fail_msg("accepted: %s", text);
  if (!strstr(error.message, message))
    fail_msg("%s: \"%s\" does not hold \"%s\"", text, error.message, message);
}

/* Warning number `index` of the last case holds `message`. */
static inline void warned(size_t index, const char *message) {
  const char *warning = meta_item_text(meta, "warnings", index);
  if (!warning || !strstr(warning, message))
    fail_msg("\"%s\" does not hold \"%s\"", warning ? warning : "(none)", message);
}

/* The last case's row of model->values: `layer_type`, `name`, `value`, `source`. */
static inline void explained(const char *layer_type, const char *name, const char *value,
                             const char *source) {
  const char *const cells[] = {layer_type, name, value, source};
  for (size_t row = 0; row < table_rows(model->values); row++) {
    size_t same = 0;
    while (same < 4 && !strcmp(table_text(model->values, row, same), cells[same]))
      same++;
    if (same == 4) return;
    if (same >= 2)
      print_error("%s %s is \"%s\": %s\n", layer_type, name, table_text(model->values, row, 2),
                  table_text(model->values, row, 3));
  }
  fail_msg("%s %s is not explained as \"%s\": %s", layer_type, name, value, source);
}

#endif

#include "cmd/encoding_options.h"

#include <string.h>

#include "cmd/groups.h"

static int read_parameters(const struct invocation *invocation, struct encoding_options *options,
                           struct error *error) {
  const char *text;
  for (size_t cursor = 0; (text = option_next(invocation, "param", &cursor));) {
    char sha256[HASH_TEXT];
    if (encoding_values_set(options->values, text, sha256, error))
      return error_prefix(error, "--param");
    inputs_add_file(options->inputs, strchr(text, '=') + 1, sha256);
  }
  return OK;
}

int encoding_options_read(const struct invocation *invocation, struct encoding_options *options,
                          struct error *error) {
  int64_t heads = 0, head = 0;
  *options =
      (struct encoding_options){.inputs = meta_create(), .values = encoding_values_create(error)};
  if (!options->values || read_parameters(invocation, options, error)) return error->code;
  if (option_integer(invocation, "heads", 1, INT32_MAX, &heads, error)) return error->code;
  if (option_integer(invocation, "head", 0, INT32_MAX, &head, error)) return error->code;
  options->beyond = option_given(invocation, "beyond");
  options->heads = (size_t)heads;
  options->head = (size_t)head;
  const char *learned = option_text(invocation, "learned", NULL);
  if (learned && position_table_read(learned, &options->learned, error))
    return error_prefix(error, "--learned");
  if (learned) inputs_add_file(options->inputs, learned, options->learned.sha256);
  return OK;
}

void encoding_options_release(struct encoding_options *options) {
  encoding_values_destroy(options->values);
  position_table_release(&options->learned);
  meta_destroy(options->inputs);
  *options = (struct encoding_options){0};
}

void encoding_options_note(const struct encoding_options *options, struct meta *meta) {
  inputs_copy(meta, options->inputs);
}

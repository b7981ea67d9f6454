/* The list of commands, and what running any of them has in common. */
#include <stdlib.h>
#include <string.h>

#include "cmd/command.h"
#include "cmd/drawing.h"
#include "cmd/groups.h"
#include "lib/base/memory.h"
#include "lib/io/digest.h"
#include "lib/io/sketch.h"

extern const struct command command_decay, command_heatmap, command_verify, command_models,
    command_info, command_redraw, command_rotate, command_bench, command_freqs, command_extend,
    command_encodings, command_figures, command_compare, command_base, command_doctor;

static const struct command *const commands[] = {
    &command_decay, &command_heatmap, &command_verify,  &command_rotate,    &command_freqs,
    &command_base,  &command_extend,  &command_compare, &command_encodings, &command_models,
    &command_info,  &command_redraw,  &command_figures, &command_bench,     &command_doctor,
};

const struct command *command_at(size_t index) {
  return index < sizeof commands / sizeof *commands ? commands[index] : NULL;
}

const struct command *command_find(const char *name) {
  const struct command *command = NULL;
  for (size_t i = 0; (command = command_at(i)); i++)
    if (!strcmp(command->name, name)) return command;
  return NULL;
}

void result_release(struct result *result) {
  table_destroy(result->table);
  table_destroy(result->overlay);
  table_destroy(result->drawn);
  for (size_t i = 0; i < result->panels.count; i++) {
    matrix_destroy(result->panel[i]);
    free(result->panel_title[i]);
  }
  free(result->panel);
  free(result->panel_title);
  matrix_destroy(result->matrix);
  tensor_destroy(result->tensor);
  free(result->text);
  meta_destroy(result->text_meta);
  *result = (struct result){0};
}

struct meta *result_meta(const struct result *result) {
  if (result->table) return table_meta(result->table);
  if (result->tensor) return result->tensor->meta;
  return result->matrix ? result->matrix->meta : result->text_meta;
}

int result_hash(const struct result *result, char hex[HASH_TEXT], struct error *error) {
  if (result->tensor) return tensor_hash(result->tensor, hex, error);
  if (result->matrix) return digest_matrix(result->matrix, hex, error);
  return digest_table(result->table, hex, error);
}

int result_sketch(const struct result *result, struct meta *sketch, struct error *error) {
  if (result->matrix) return sketch_matrix(result->matrix, sketch, error);
  return sketch_table(result->table, sketch, error);
}

int result_fingerprint(const struct result *result, char hex[HASH_TEXT], struct meta *sketch,
                       struct error *error) {
  struct error other = {0};
  int hashed, sketched;
#pragma omp parallel sections
  {
#pragma omp section
    hashed = result_hash(result, hex, error);
#pragma omp section
    sketched = result_sketch(result, sketch, &other);
  }
  if (hashed || !sketched) return hashed;
  *error = other;
  return sketched;
}

int command_compute(const struct invocation *invocation, struct result *result,
                    struct error *error) {
  *result = (struct result){0};
  if (invocation->command->compute(invocation, result, error)) {
    result_release(result);
    return error->code;
  }
  struct meta *meta = result_meta(result), *first = meta_create();
  char *command = invocation_canonical(invocation);
  meta_set_text(first, "tool", "ropetool");
  meta_set_text(first, "version", ROPETOOL_VERSION);
  meta_set_text(first, "command", command);
  if (result->checked) meta_set_text(first, "verdict", result->check_status ? "fails" : "holds");
  if (!meta_text(meta, "backend")) meta_set_text(meta, "backend", "cpu");
  /* A list without entries is there all the same. */
  static const char *const lists[] = {"inputs", "overrides", "warnings"};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
    meta_add_list(meta, lists[i]);
  if (meta) meta_prepend(meta, first);
  meta_destroy(first);
  free(command);
  if (!(invocation->command->groups & GROUP_FIGURE)) return OK;
  struct figure_options options;
  if (!figure_options_read(invocation, &options, error) &&
      !drawing_note_colours(result, &options, meta, error))
    return OK;
  result_release(result);
  return error->code;
}

int command_recompute(const char *line, struct result *result, struct error *error) {
  struct invocation invocation = {0};
  *result = (struct result){0};
  int status = invocation_parse_command(&invocation, line, error);
  /* The line comes out of a file: it may not name a command that reads such a file again. */
  if (!status && !(invocation.command->groups & GROUP_FIGURE))
    status = error_set(error, ERROR_INPUT, "'%s' draws no figure", line);
  if (!status) status = command_compute(&invocation, result, error);
  invocation_release(&invocation);
  return status;
}

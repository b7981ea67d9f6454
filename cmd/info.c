/* ropetool info: how a figure was made. */
#include <stdlib.h>
#include <string.h>

#include "cmd/command.h"
#include "cmd/figure_file.h"
#include "lib/base/file.h"
#include "lib/figure/provenance.h"

enum { KEY_COMMAND = 256, KEY_VERIFY, KEY_JSON };

static const struct argp_option options[] = {
    {"command", KEY_COMMAND, NULL, 0, "print the canonical command alone", 0},
    {"verify", KEY_VERIFY, NULL, 0,
     "check the picture's own hash, recompute the data and compare; exit 3 when they differ", 0},
    {"json", KEY_JSON, NULL, 0, "print the whole provenance as JSON", 0},
    {0},
};

enum { FIGURE_LIMIT = 1 << 30 };

int figure_file_read(const char *path, struct meta **provenance, int *intact, struct error *error) {
  char *data;
  size_t size;
  if (file_read(path, FIGURE_LIMIT, &data, &size, error)) return error->code;
  const int status = provenance_read(data, size, provenance, intact, error);
  free(data);
  return status ? error_prefix(error, "'%s'", path) : OK;
}

static const char *text_or(const struct meta *meta, const char *name, const char *otherwise) {
  const char *text = meta_text(meta, name);
  return text ? text : otherwise;
}

static void print_inputs(const struct meta *provenance, FILE *out) {
  for (size_t i = 0; i < meta_count(provenance, "inputs"); i++) {
    const struct meta *input = meta_item(provenance, "inputs", i);
    fprintf(out, "input:    %s  sha256 %s\n", text_or(input, "name", "?"),
            text_or(input, "sha256", "?"));
  }
}

static void print_info(const struct meta *provenance, int intact, FILE *out) {
  fprintf(out, "tool:     %s %s\n", text_or(provenance, "tool", "?"),
          text_or(provenance, "version", "?"));
  fprintf(out, "command:  %s\n", text_or(provenance, "command", "?"));
  fprintf(out, "backend:  %s\n", text_or(provenance, "backend", "?"));
  print_inputs(provenance, out);
  fprintf(out, "data:     sha256 %s\n", text_or(provenance, "data_sha256", "?"));
  fprintf(out, "picture:  sha256 %s, %s\n", text_or(provenance, "picture_sha256", "?"),
          intact ? "intact" : "CHANGED since it was drawn");
}

/* Recomputes the data; *same says whether the hash is the one in the figure. */
static int recompute(const struct meta *provenance, bool *same, struct error *error) {
  *same = false;
  struct result result;
  char hash[65];
  const char *recorded = text_or(provenance, "data_sha256", "");
  if (command_recompute(text_or(provenance, "command", ""), &result, error))
    return error_prefix(error, "cannot recompute the data");
  const int status = result_hash(&result, hash, error);
  *same = !status && !strcmp(hash, recorded);
  result_release(&result);
  return status;
}

static int print(const struct invocation *invocation, const struct meta *provenance, int intact,
                 struct result *result, FILE *out, struct error *error) {
  if (option_given(invocation, "command"))
    fprintf(out, "%s\n", text_or(provenance, "command", ""));
  else if (option_given(invocation, "json")) {
    meta_write(provenance, 2, out);
    fputc('\n', out);
  } else
    print_info(provenance, intact, out);
  if (!option_given(invocation, "verify")) return OK;
  bool same = false;
  const int status = recompute(provenance, &same, error);
  if (status) return status;
  fprintf(out, "verify:   picture %s, data %s\n", intact ? "intact" : "changed",
          same ? "reproduced" : "DIFFERENT");
  result->check_status = intact && same ? 0 : 3;
  return OK;
}

static int compute(const struct invocation *invocation, struct result *result,
                   struct error *error) {
  struct meta *provenance = NULL;
  int intact = 0;
  if (!invocation->argument)
    return error_set(error, ERROR_INPUT, "no figure given: ropetool info FIG");
  int status = figure_file_read(invocation->argument, &provenance, &intact, error);
  if (status) return status;
  size_t size;
  FILE *out = open_memstream(&result->text, &size);
  if (out)
    status = print(invocation, provenance, intact, result, out, error);
  else
    status = error_set(error, ERROR_FAILED, "out of memory: the provenance");
  if (out && fclose(out) && !status)
    status = error_set(error, ERROR_FAILED, "out of memory: the provenance");
  meta_destroy(provenance);
  return status;
}

const struct command command_info = {
    .name = "info",
    .summary = "how a figure was made, and whether it still holds",
    .arguments = "FIG",
    .description = "Reads the provenance that every figure carries: tool, version, command, "
                   "parameters, hashes.",
    .options = options,
    .compute = compute,
};

/* ropetool info: how a figure was made. */
#include <stdlib.h>
#include <string.h>

#include "cmd/command.h"
#include "cmd/figure_file.h"
#include "lib/io/sketch.h"

enum { KEY_COMMAND = 256, KEY_VERIFY, KEY_JSON };

static const struct argp_option options[] = {
    {"command", KEY_COMMAND, NULL, 0, "print the canonical command alone", 0},
    {"verify", KEY_VERIFY, NULL, 0,
     "check the picture's own hash, recompute the data and compare; exit 3 when they differ", 0},
    {"json", KEY_JSON, NULL, 0, "print the whole provenance as JSON", 0},
    {0},
};

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

enum { DATA_UNKNOWN, DATA_DIFFERENT, DATA_CLOSE, DATA_SAME };

/* What a figure claims against what is so. */
struct finding {
  bool picture;
  const char *companion; /* what is wrong with it; NULL: nothing */
  int data;
  char parameter[64]; /* the first one that is another now; "": none */
};

static int compare_data(const struct meta *provenance, const struct result *result, int *data,
                        struct error *error) {
  char hash[HASH_TEXT];
  if (result_hash(result, hash, error)) return error->code;
  *data = DATA_SAME;
  if (!strcmp(hash, text_or(provenance, "data_sha256", ""))) return OK;
  *data = DATA_DIFFERENT;
  if (result->tensor) return OK;
  struct meta *sketch = meta_create();
  const int status = result_sketch(result, sketch, error);
  if (!status && sketch_agree(meta_child(provenance, "data_sketch"), sketch)) *data = DATA_CLOSE;
  meta_destroy(sketch);
  return status;
}

static int recompute(const struct meta *provenance, struct finding *finding, struct error *error) {
  /* What the figure adds, and what may change without a change of the data. */
  static const char *const passed_over[] = {"version", "data_sha256", "data_sketch",
                                            "picture_sha256", NULL};
  struct result result;
  int status = command_recompute(text_or(provenance, "command", ""), &result, error);
  if (status) return error_prefix(error, "cannot recompute the data");
  status = compare_data(provenance, &result, &finding->data, error);
  const double tolerance = finding->data == DATA_CLOSE ? SKETCH_TOLERANCE : 0;
  const char *name =
      meta_difference(provenance, result_meta(&result), passed_over, tolerance, tolerance);
  snprintf(finding->parameter, sizeof finding->parameter, "%s", name ? name : "");
  result_release(&result);
  return status;
}

static bool holds(const struct finding *finding) {
  return finding->picture && !finding->companion && finding->data >= DATA_CLOSE &&
         !finding->parameter[0];
}

static void print_finding(const struct finding *finding, FILE *out) {
  static const char nearly[] = "reproduced within 2e-5 of the largest values, not to the last "
                               "digits, which depend on processor and libraries";
  static const char *const words[] = {
      [DATA_UNKNOWN] = "not compared",
      [DATA_DIFFERENT] = "DIFFERENT",
      [DATA_CLOSE] = nearly,
      [DATA_SAME] = "reproduced",
  };
  fprintf(out, "verify:   picture %s, data %s\n", finding->picture ? "intact" : "changed",
          words[finding->data]);
  if (finding->companion) fprintf(out, "verify:   %s\n", finding->companion);
  if (finding->parameter[0]) fprintf(out, "verify:   '%s' is DIFFERENT now\n", finding->parameter);
}

/* The provenance with the finding, if there is one, behind it. */
static void print_json(const struct meta *provenance, const struct finding *finding,
                       const char *reason, FILE *out) {
  static const char *const words[] = {[DATA_UNKNOWN] = "not compared",
                                      [DATA_DIFFERENT] = "different",
                                      [DATA_CLOSE] = "close",
                                      [DATA_SAME] = "reproduced"};
  struct meta *whole = meta_create();
  meta_prepend(whole, provenance);
  if (finding) {
    struct meta *verdict = meta_object(whole, "verify");
    meta_set_flag(verdict, "holds", holds(finding));
    meta_set_text(verdict, "picture", finding->picture ? "intact" : "changed");
    meta_set_text(verdict, "companion", finding->companion);
    meta_set_text(verdict, "data", words[finding->data]);
    meta_set_text(verdict, "parameter", finding->parameter[0] ? finding->parameter : NULL);
    meta_set_text(verdict, "reason", finding->data == DATA_UNKNOWN ? reason : NULL);
  }
  meta_write(whole, 2, out);
  fputc('\n', out);
  meta_destroy(whole);
}

/* What keeps the data from being compared is left in `error`, and said after what is known. */
static void verify(const char *path, const struct meta *provenance, bool intact,
                   struct finding *finding, struct result *result, struct error *error) {
  *finding = (struct finding){.picture = intact,
                              .companion = figure_file_companion_fault(path, provenance)};
  const int status = recompute(provenance, finding, error);
  if (!status) {
    result->check_status = holds(finding) ? 0 : 3;
    return;
  }
  finding->data = DATA_UNKNOWN;
  result->check_status = status;
}

static void print(const struct invocation *invocation, const struct meta *provenance, int intact,
                  struct result *result, FILE *out, struct error *error) {
  const bool verifies = option_given(invocation, "verify");
  struct finding finding;
  if (verifies) verify(invocation->argument, provenance, intact, &finding, result, error);
  if (option_given(invocation, "command")) {
    fprintf(out, "%s\n", text_or(provenance, "command", ""));
  } else if (option_given(invocation, "json")) {
    print_json(provenance, verifies ? &finding : NULL, error->message, out);
  } else {
    print_info(provenance, intact, out);
    if (verifies) print_finding(&finding, out);
  }
}

static int compute(const struct invocation *invocation, struct result *result,
                   struct error *error) {
  struct meta *provenance = NULL;
  int intact = 0;
  if (!invocation->argument)
    return error_set(error, ERROR_INPUT, "no figure given: ropetool info FIG");
  if (option_given(invocation, "command") &&
      (option_given(invocation, "json") || option_given(invocation, "verify")))
    return error_set(error, ERROR_INPUT, "--command prints the command alone, without --%s",
                     option_given(invocation, "json") ? "json" : "verify");
  int status = figure_file_read(invocation->argument, &provenance, &intact, error);
  if (status) return status;
  size_t size;
  FILE *out = open_memstream(&result->text, &size);
  if (out)
    print(invocation, provenance, intact, result, out, error);
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

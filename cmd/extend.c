/* ropetool extend: methods that make a context longer, side by side. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/command.h"
#include "cmd/groups.h"
#include "lib/analysis/extend.h"
#include "lib/rope/scaling.h"

enum { KEY_TO = 256, KEY_ORIGINAL, KEY_METHODS, KEY_EMIT, KEY_HF4 };

static const char default_methods[] = "none,linear,ntk,dynamic,yarn,llama3,base";

static const struct argp_option options[] = {
    {"to", KEY_TO, "N", 0, "the context wanted, tokens", 0},
    {"original-context", KEY_ORIGINAL, "N", 0,
     "the context trained for (default: the model's, before any scaling)", 0},
    {"methods", KEY_METHODS, "METHOD[,METHOD...]", 0,
     "scaling rules, as in --scaling, and base, the base adjusted to the contexts (default "
     "none,linear,ntk,dynamic,yarn,llama3,base); what a rule needs follows from the contexts",
     0},
    {"emit", KEY_EMIT, "METHOD", 0, "print what config.json needs for this method, instead", 0},
    {"hf4", KEY_HF4, NULL, 0, "with --emit: rope_scaling, for transformers 4", 0},
    {0},
};

static const int64_t most_tokens = INT64_C(1) << 40;

static int check_conflicts(const struct invocation *invocation, struct error *error) {
  static const char *const of_tables[] = {"methods", "output", "format"};
  const bool emit = option_given(invocation, "emit");
  if (!option_given(invocation, "to"))
    return error_set(error, ERROR_INPUT, "--to is missing: the context wanted, in tokens");
  if (!emit && option_given(invocation, "hf4"))
    return error_set(error, ERROR_INPUT, "--hf4 goes with --emit METHOD");
  if (option_given(invocation, "model") && option_given(invocation, "context"))
    return error_set(error, ERROR_INPUT,
                     "--context does not go with --model here: --to is the context wanted, "
                     "--original-context the one trained for");
  for (size_t i = 0; emit && i < sizeof of_tables / sizeof *of_tables; i++)
    if (option_given(invocation, of_tables[i]))
      return error_set(error, ERROR_INPUT,
                       "--%s does not go with --emit, which prints one method's fields on stdout",
                       of_tables[i]);
  return OK;
}

static int read_request(const struct invocation *invocation, const struct rope_spec *spec,
                        struct extend_request *request, struct error *error) {
  *request = (struct extend_request){.spec = spec, .original = extend_original(spec)};
  if (option_tokens(invocation, "to", 1, most_tokens, &request->target, error)) return error->code;
  if (option_tokens(invocation, "original-context", 1, most_tokens, &request->original, error))
    return error->code;
  if (!request->original && !spec->model_context)
    return error_set(error, ERROR_INPUT,
                     "the original context is not known: give --original-context or a --model");
  if (!request->original)
    return error_set(error, ERROR_INPUT,
                     "the original context is not known: give --original-context N (a file with "
                     "the scaling '%s' does not say it: its %lld may be the context before or "
                     "after it)",
                     spec->scaling.type, (long long)spec->model_context);
  return extend_parse_methods(option_text(invocation, "methods", default_methods),
                              &request->methods, error);
}

/* Transformers lets a model's class have the last word on its rules. */
static void warn_class(const struct rope_spec *own, const struct rope_spec *spec,
                       struct meta *meta) {
  if (strcmp(own->scaling.type, "longrope") || !strcmp(spec->scaling.type, "none")) return;
  spec_warn(own, meta,
            "the model's own rule is longrope: if it is of the class Phi3, transformers reads "
            "'yarn' there as longrope and refuses any other rule");
}

static int emit(const struct invocation *invocation, const struct extend_request *request,
                struct series *series, struct result *result, struct error *error) {
  struct rope_spec spec;
  char *json, *text = NULL;
  size_t size;
  int status = extend_method(request, option_text(invocation, "emit", ""), &spec, error);
  const struct extend_fragment fragment = {.spec = &spec,
                                           .model = series->model,
                                           .count = series->model_count,
                                           .hf4 = option_given(invocation, "hf4")};
  if (!status) status = extend_emit(&fragment, &json, error);
  if (status) return status;
  warn_class(request->spec, &spec, series->meta);
  scaling_warn(&spec, series->meta);
  result->text_meta = series->meta;
  series->meta = NULL;
  FILE *out = open_memstream(&text, &size);
  const bool failed = !out || fprintf(out, "%s\n", json) < 0;
  free(json);
  if (out && !fclose(out) && !failed) {
    result->text = text;
    return OK;
  }
  free(text);
  return error_set(error, ERROR_FAILED, "out of memory: the fields of a config.json");
}

/* The table has the declared base. */
static void print_bases(const struct meta *meta, FILE *out) {
  for (size_t i = 0; i < meta_count(meta, "methods"); i++) {
    const struct meta *method = meta_item(meta, "methods", i);
    const double base = meta_real(method, "effective_base", NAN);
    if (base != meta_real(method, "base", NAN))
      fprintf(out, "%s makes the base %.10g\n", meta_text(method, "method"), base);
  }
}

static void summary(const struct result *result, FILE *out) {
  const struct meta *meta = table_meta(result->table);
  const char *replaced = meta_text(meta, "replaced_scaling");
  fprintf(out,
          "From %.0f to %.0f tokens; %.0f pairs complete no turn within the original context\n",
          meta_real(meta, "original_context", NAN), meta_real(meta, "target", NAN),
          meta_real(meta, "never_turning_pairs", NAN));
  if (replaced) fprintf(out, "the model's own scaling, %s, is replaced\n", replaced);
  print_bases(meta, out);
  fputc('\n', out);
  table_write_text(result->table, out);
}

static int compare(const struct invocation *invocation, const struct extend_request *request,
                   struct result *result, struct meta *meta, struct error *error) {
  struct backend *backend = NULL;
  int status = run_options_backend(invocation, &backend, error);
  if (!status) status = extend_run(backend, request, &result->table, error);
  if (!status) {
    meta_set_text(meta, "backend", backend_name(backend));
    meta_prepend(table_meta(result->table), meta);
  }
  backend_close(backend);
  return status;
}

static int compute(const struct invocation *invocation, struct result *result,
                   struct error *error) {
  struct series series = {0};
  struct extend_request request;
  const bool emits = option_given(invocation, "emit");
  result->summary = summary;
  int status = check_conflicts(invocation, error);
  if (!status) status = series_create_one(invocation, &series, error);
  if (!status) status = read_request(invocation, &series.spectra[0]->spec, &request, error);
  if (!status)
    status = emits ? emit(invocation, &request, &series, result, error)
                   : compare(invocation, &request, result, series.meta, error);
  series_release(&series);
  return status;
}

const struct command command_extend = {
    .name = "extend",
    .summary = "context-extension methods side by side",
    .description = "Compares methods that make a model's context longer: what each does to the "
                   "base, the scores' temperature, the cosine sum and the angles beyond those of "
                   "training; or prints what a config.json needs for one of them.",
    .options = options,
    .groups = GROUP_SPECTRUM | GROUP_OUTPUT,
    .compute = compute,
};

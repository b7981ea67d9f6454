/* ropetool extend: methods that make a context longer, side by side. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/command.h"
#include "cmd/groups.h"
#include "cmd/output.h"
#include "lib/analysis/extend.h"
#include "lib/rope/scaling.h"

enum { KEY_TO = 256, KEY_ORIGINAL, KEY_METHODS, KEY_PLOT, KEY_EMIT, KEY_HF4 };

static const struct argp_option options[] = {
    {"to", KEY_TO, "N", 0, "the context wanted, tokens", 0},
    {"original-context", KEY_ORIGINAL, "N", 0,
     "the context trained for (default: the model's, before any scaling)", 0},
    {"methods", KEY_METHODS, "METHOD[,METHOD...]", 0,
     "scaling rules, as in --scaling, and base, the base adjusted to the contexts (default "
     "none,linear,ntk,dynamic,yarn,llama3,base; of --plot temperature none,yarn); what a rule "
     "needs "
     "follows from the contexts",
     0},
    {"plot", KEY_PLOT, "bound|temperature|reach", 0,
     "what a figure shows, and the table then: the bounds of extrapolation and interpolation; by "
     "what methods multiply scores; how far pairs turn, against training",
     0},
    {"emit", KEY_EMIT, "METHOD", 0, "print what config.json needs for this method, instead", 0},
    {"hf4", KEY_HF4, NULL, 0, "with --emit: rope_scaling, for transformers 4", 0},
    {0},
};

static const int64_t most_tokens = INT64_C(1) << 40;

/* --emit prints text: nothing is drawn or written. */
static int check_emit(const struct invocation *invocation, struct error *error) {
  static const char *const of_tables[] = {"methods", "plot", "output", "format"};
  static const char message[] =
      "--%s does not go with --emit, which prints one method's fields on stdout";
  for (size_t i = 0; i < sizeof of_tables / sizeof *of_tables; i++)
    if (option_given(invocation, of_tables[i]))
      return error_set(error, ERROR_INPUT, message, of_tables[i]);
  for (const struct argp_option *option = group_figure; option->name; option++)
    if (option_given(invocation, option->name))
      return error_set(error, ERROR_INPUT, message, option->name);
  return OK;
}

static int check_figure(const struct invocation *invocation, struct error *error) {
  const char *path, *axis;
  bool figure = false;
  for (size_t cursor = 0; (path = option_next(invocation, "output", &cursor));) {
    if (strcmp(path, "-") != 0 && outputs_check(invocation, path, &figure, error))
      return error->code;
    if (figure && !option_given(invocation, "plot"))
      return error_set(error, ERROR_INPUT,
                       "'%s' is a figure: --plot bound, temperature or reach says of what", path);
  }
  for (size_t cursor = 0; (axis = option_next(invocation, "log", &cursor));)
    if (strchr(axis, 'c'))
      return error_set(error, ERROR_INPUT, "--log '%s' goes with maps; curves take x and y", axis);
  return OK;
}

static int check_conflicts(const struct invocation *invocation, struct error *error) {
  const bool emit = option_given(invocation, "emit");
  if (!option_given(invocation, "to"))
    return error_set(error, ERROR_INPUT, "--to is missing: the context wanted, in tokens");
  if (!emit && option_given(invocation, "hf4"))
    return error_set(error, ERROR_INPUT, "--hf4 goes with --emit METHOD");
  if (option_given(invocation, "model") && option_given(invocation, "context"))
    return error_set(error, ERROR_INPUT,
                     "--context does not go with --model here: --to is the context wanted, "
                     "--original-context the one trained for");
  return emit ? check_emit(invocation, error) : check_figure(invocation, error);
}

static int read_methods(const struct invocation *invocation, struct extend_request *request,
                        struct error *error) {
  const char *plot = option_text(invocation, "plot", NULL);
  request->view = extend_view_at(0);
  if (plot && extend_view_find(plot, &request->view, error)) return error->code;
  const char *usual = extend_view_methods(request->view);
  if (usual)
    return extend_parse_methods(option_text(invocation, "methods", usual), &request->methods,
                                error);
  if (!option_given(invocation, "methods")) return OK;
  return error_set(error, ERROR_INPUT,
                   "--methods does not go with --plot %s, which shows the model as it is", plot);
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
  return read_methods(invocation, request, error);
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

static void print_head(const struct meta *meta, FILE *out) {
  const char *replaced = meta_text(meta, "replaced_scaling");
  fprintf(out,
          "From %.0f to %.0f tokens; %.0f pairs complete no turn within the original context\n",
          meta_real(meta, "original_context", NAN), meta_real(meta, "target", NAN),
          meta_real(meta, "never_turning_pairs", NAN));
  if (replaced) fprintf(out, "the model's own scaling, %s, is replaced\n", replaced);
}

static void summary(const struct result *result, FILE *out) {
  const struct meta *meta = table_meta(result->table);
  print_head(meta, out);
  print_bases(meta, out);
  fputc('\n', out);
  table_write_text(result->table, out);
}

/* ---- Figures ------------------------------------------------------------------------------------
 */

/* A number of each method at the target. */
static void print_methods(const struct meta *meta, const char *name, const char *label, FILE *out) {
  for (size_t i = 0; i < meta_count(meta, "methods"); i++) {
    const struct meta *method = meta_item(meta, "methods", i);
    fprintf(out, "  %-16s %s %.10g\n", meta_text(method, "method"), label,
            meta_real(method, name, NAN));
  }
}

static void bound_summary(const struct result *result, FILE *out) {
  const struct meta *meta = table_meta(result->table), *bound = meta_child(meta, "extrapolation");
  const double below = meta_real(bound, "first_below_1", NAN);
  print_head(meta, out);
  fprintf(out,
          "  interpolation: off the straight line by at most d max|h| / %.10g\n"
          "  extrapolation: bounded by 2 max|h| sum |S_j|; up to distance %.0f the sum is least at "
          "%.0f, "
          "%.6g d\n"
          "  that is %.6g times the bound of interpolation\n",
          meta_real(meta, "interpolation_bound_divisor", NAN),
          meta_real(bound, "last_distance", NAN), meta_real(bound, "minimum_distance", NAN),
          meta_real(bound, "minimum", NAN), meta_real(bound, "ratio_minimum", NAN));
  if (!isnan(below)) fprintf(out, "  the sum is first below d at distance %.0f\n", below);
}

static void temperature_summary(const struct result *result, FILE *out) {
  const struct meta *meta = table_meta(result->table);
  print_head(meta, out);
  print_methods(meta, "score_factor", "multiplies scores by", out);
}

static void reach_summary(const struct result *result, FILE *out) {
  const struct meta *meta = table_meta(result->table);
  print_head(meta, out);
  print_methods(meta, "untrained_pairs", "pairs beyond their angles of training:", out);
}

static void mark_original(struct result *result) {
  const double original = meta_real(table_meta(result->table), "original_context", NAN);
  snprintf(result->mark_text[0], sizeof result->mark_text[0], "trained to %.0f", original);
  result->curves.x_mark = (struct curve_mark){original, result->mark_text[0]};
}

static void plan_bound(struct result *result) {
  result->curves = (struct curve_plot){
      .x = "distance",
      .lines = {"extrapolation", "interpolation"},
      .line_labels = {"extrapolation", "interpolation"},
      .xlabel = "relative distance (tokens)",
      .ylabel = "bound / max|h|",
      .log_x = true,
      .log_y = true,
  };
  mark_original(result);
  const double least =
      meta_real(meta_child(table_meta(result->table), "extrapolation"), "floor", NAN);
  result->curves.marks[0] = (struct curve_mark){least, "2d"};
}

static void plan_temperature(struct result *result) {
  result->curves = (struct curve_plot){
      .x = "context",
      .group = "method",
      .lines = {"score_factor"},
      .xlabel = "context (tokens)",
      .ylabel = "factor on the scores",
      .log_x = true,
  };
}

static void plan_reach(struct result *result) {
  const double first = meta_real(table_meta(result->table), "first_never_turning", NAN);
  result->curves = (struct curve_plot){
      .x = "pair",
      .group = "method",
      .lines = {"reach"},
      .xlabel = "pair",
      .ylabel = "angle / largest in training",
      .markers = 1,
  };
  if (isnan(first)) return;
  snprintf(result->mark_text[0], sizeof result->mark_text[0], "no full turn from %.0f", first);
  result->curves.x_mark = (struct curve_mark){first, result->mark_text[0]};
}

static const struct {
  const char *name;
  void (*plan)(struct result *result);
  void (*summary)(const struct result *result, FILE *out);
} figures[] = {{"bound", plan_bound, bound_summary},
               {"temperature", plan_temperature, temperature_summary},
               {"reach", plan_reach, reach_summary}};

static void plan_figure(const struct extend_view *view, struct result *result) {
  for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
    if (!strcmp(figures[i].name, extend_view_name(view))) {
      figures[i].plan(result);
      result->summary = figures[i].summary;
      result->drawing = DRAWING_CURVES;
    }
}

static int compare(const struct invocation *invocation, const struct extend_request *request,
                   struct result *result, struct meta *meta, struct error *error) {
  struct backend *backend = NULL;
  int status = run_options_backend(invocation, &backend, error);
  if (!status) status = extend_run(backend, request, &result->table, error);
  if (!status) {
    meta_set_text(meta, "backend", backend_name(backend));
    meta_prepend(table_meta(result->table), meta);
    plan_figure(request->view, result);
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
    .groups = GROUP_SPECTRUM | GROUP_FIGURE | GROUP_OUTPUT,
    .compute = compute,
};

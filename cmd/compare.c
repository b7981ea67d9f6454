/* ropetool compare: position encodings side by side. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/command.h"
#include "cmd/compare_request.h"
#include "lib/analysis/requirement.h"

enum { KEY = 256 };

static const struct argp_option options[] = {
    {"encodings", KEY, "NAME[,NAME...]", 0,
     "which (see 'ropetool encodings'; default rope,sinusoidal,learned)", 0},
    {"length", KEY + 1, "N", 0, "positions (default: those of the learned table, else 512)", 0},
    {"batch", KEY + 2, "B", 0, "draws of content (default 16)", 0},
    {"content", KEY + 3, "KIND", 0,
     "query and key tokens: ones, zero, gaussian or aligned[:RHO] (default gaussian)", 0},
    {"causal", KEY + 4, NULL, 0, "mask the keys after the query", 0},
    {"seed", KEY + 5, "N", 0, "of random tokens (default 1)", 0},
    {"beyond", KEY + 6, NULL, 0, "let the length pass the learned table's end", 0},
    {"checkpoint", KEY + 7, "FILE[:PREFIX]", 0,
     "queries and keys of a head of this checkpoint, a folder, or minilm", 0},
    {"layer", KEY + 8, "L", 0, "of the checkpoint, from 0 (default 0)", 0},
    {"all-heads", KEY + 9, NULL, 0, "every head, not --head alone", 0},
    {"projections", KEY + 10, "identity|random[:SEED]|checkpoint", 0,
     "from tokens to queries and keys: identity, random[:SEED] or checkpoint (default identity)",
     0},
    {"attention", KEY + 11, "softmax|linear:elu|linear:favor", 0,
     "softmax, linear:elu (linear) or linear:favor", 0},
    {"features", KEY + 12, "N", 0, "of linear:favor, even (default d ln d)", 0},
    {"rotate-first", KEY + 13, NULL, 0,
     "linear attention: rotate before the feature map, not after it in the numerator alone", 0},
    {"terms", KEY + 14, NULL, 0, "also the four terms of content and position", 0},
    {"reference", KEY + 15, "NAME", 0, "panels show differences to this encoding", 0},
    {"require", KEY + 16, "ENC.METRIC OP NUMBER", 0,
     "exit with status 3 where it does not hold; OP is <, <=, > or >= (may be repeated)", 0},
    {"plot", KEY + 17, "panels|maps|metrics|profile|edge", 0,
     "the figure (default panels), and its data: the cells of maps, the curves of profile and "
     "edge, else the metrics",
     0},
    {"what", KEY + 18, "scores|softmax", 0, "what the panels show (default scores)", 0},
    {"cells", KEY + 19, "N", 0, "of a panel, at most so many along an axis (default 512)", 0},
    {"single", KEY + 20, NULL, 0, "scores in float (default beyond 4096 positions)", 0},
    {"double", KEY + 21, NULL, 0, "scores in double (default up to 4096 positions)", 0},
    {0},
};

/* ---- What is read and drawn --------------------------------------------------------------------
 */

/* Lines of encodings against columns of metrics. */
static void print_metrics(const struct table *table, FILE *out) {
  for (size_t row = 0; row < table_rows(table); row++) {
    const double head = table_real(table, row, 1), value = table_real(table, row, 4),
                 error = table_real(table, row, 5);
    const char *detail = table_text(table, row, 6);
    if (row % METRICS == 0) {
      fprintf(out, "%s", table_text(table, row, 0));
      if (!isnan(head)) fprintf(out, ", head %.0f", head);
      fputc('\n', out);
    }
    fprintf(out, "  %-22s ", table_text(table, row, 3));
    if (isnan(value))
      fputc('-', out);
    else
      fprintf(out, "%.6g", value);
    if (error > 0) fprintf(out, " +- %.2g", error);
    if (*detail) fprintf(out, " (%s)", detail);
    fputc('\n', out);
  }
}

static void summary(const struct result *result, FILE *out) {
  const struct meta *meta = table_meta(result->table);
  const bool metrics = table_find_column(result->table, "metric") >= 0;
  fprintf(out, "%.0f positions, content %s, %.0f %s, %s attention%s\n",
          meta_real(meta, "length", NAN), meta_text(meta, "content"), meta_real(meta, "batch", NAN),
          meta_real(meta, "batch", NAN) == 1 ? "draw" : "draws", meta_text(meta, "attention"),
          metrics                             ? ""
          : result->drawing == DRAWING_CURVES ? "; the curves are in the data"
                                              : "; the maps are in the data");
  if (metrics) print_metrics(result->table, out);
}

static void plan_curves(const struct compare_request *request, struct result *result) {
  struct curve_plot *plot = &result->curves;
  result->drawing = DRAWING_CURVES;
  if (request->view == COMPARE_PROFILE)
    *plot = (struct curve_plot){.x = "distance",
                                .group = "series",
                                .lines = {"mean"},
                                .line_labels = {"mean"},
                                .low = {"q05", "q25"},
                                .high = {"q95", "q75"},
                                .band_labels = {"5–95 %", "25–75 %"},
                                .xlabel = "distance, query − key (tokens)",
                                .ylabel = "score"};
  else {
    snprintf(result->mark_text[0], sizeof result->mark_text[0], "table ends at %zu",
             request->learned->positions);
    *plot =
        (struct curve_plot){.x = "position",
                            .group = "series",
                            .lines = {"relative"},
                            .line_labels = {"relative"},
                            .from_zero = true,
                            .x_mark = {(double)request->learned->positions, result->mark_text[0]},
                            .xlabel = "query position",
                            .ylabel = "relative effect of positions"};
  }
}

/* What data files are written of. */
static struct table **data_of(struct compare_result *made) {
  return made->curves ? &made->curves : made->maps ? &made->maps : &made->metrics;
}

/* Hands over what was made. */
static int plan_figure(const struct compare_request *request, struct compare_result *made,
                       struct result *result, struct error *error) {
  const bool curves = made->curves;
  struct table **data = data_of(made);
  result->table = *data;
  *data = NULL;
  if (curves) {
    plan_curves(request, result);
    return OK;
  }
  result->drawing = DRAWING_GRID;
  result->grid = (struct grid_plot){.error = "stderr"};
  result->grid_width = 7.5;
  if (request->view != COMPARE_PANELS) return compare_grid(result->table, &result->drawn, error);
  result->drawing = DRAWING_PANELS;
  result->panel = made->panel;
  result->panel_title = made->title;
  result->panels = (struct panel_set){.matrix = (const struct matrix *const *)made->panel,
                                      .titles = (const char *const *)made->title,
                                      .count = made->panels,
                                      .letters = made->panels > 1};
  made->panel = NULL;
  made->title = NULL;
  made->panels = 0;
  return OK;
}

/* ---- What is required --------------------------------------------------------------------------
 */

/* Notes those that do not hold in "failed" of `meta`. */
static int check_requirements(const struct invocation *invocation, const struct table *metrics,
                              struct meta *meta, struct result *result, struct error *error) {
  const char *text;
  for (size_t cursor = 0; (text = option_next(invocation, "require", &cursor));) {
    struct requirement requirement;
    char line[REQUIREMENT_LINE];
    bool holds;
    if (requirement_parse(text, &requirement, error) ||
        requirement_check(&requirement, metrics, &holds, line, error))
      return error_prefix(error, "--require");
    result->checked = true;
    if (holds) continue;
    meta_append_text(meta, "failed", line);
    result->check_status = 3;
  }
  return OK;
}

/* What is wrong with a requirement, whatever the numbers will be, is said before the work. */
static int parse_requirements(const struct invocation *invocation,
                              const struct compare_request *request, struct error *error) {
  const char *text;
  struct requirement requirement;
  for (size_t cursor = 0; (text = option_next(invocation, "require", &cursor));) {
    if (requirement_parse(text, &requirement, error)) return error_prefix(error, "--require");
    const char *why = NULL;
    if (requirement.metric == METRIC_SYMMETRY && request->causal)
      why = "--causal leaves no symmetry";
    if (requirement.metric == METRIC_NEGATIVE_SHARE && !request->attention)
      why = "weights of a softmax are not negative";
    if (why)
      return error_set(error, ERROR_INPUT, "--require: '%s' has nothing to hold for: %s", text,
                       why);
  }
  return OK;
}

static void describe(const struct compare_question *question, const struct backend *backend,
                     struct result *result) {
  struct meta *meta = table_meta(result->table), *first = question->series.meta;
  meta_set_text(first, "backend", backend_name(backend));
  encoding_options_note(&question->given, first);
  for (size_t i = 0; i < meta_count(meta, "warnings"); i++)
    meta_append_text(first, "warnings", meta_item_text(meta, "warnings", i));
  meta_prepend(meta, first);
}

static int compute(const struct invocation *invocation, struct result *result,
                   struct error *error) {
  struct compare_question question = {0};
  struct compare_result made = {0};
  struct backend *backend = NULL;
  result->summary = summary;
  int status = run_options_backend(invocation, &backend, error);
  if (!status) status = compare_question_read(invocation, backend, &question, error);
  if (!status) status = parse_requirements(invocation, &question.request, error);
  if (!status) status = compare_run(backend, &question.request, &made, error);
  if (!status)
    status =
        check_requirements(invocation, made.metrics, table_meta(*data_of(&made)), result, error);
  if (!status) status = plan_figure(&question.request, &made, result, error);
  if (!status) describe(&question, backend, result);
  compare_result_release(&made);
  compare_question_release(&question);
  backend_close(backend);
  return status;
}

const struct command command_compare = {
    .name = "compare",
    .summary = "position encodings side by side: metrics and maps of their scores",
    .description = "Gives the same tokens positions by each encoding, and measures what is then in "
                   "scores, attention weights and vectors; draws their maps in one colour scale.",
    .options = options,
    .groups = GROUP_SPECTRUM | GROUP_ENCODING | GROUP_FIGURE | GROUP_OUTPUT,
    .compute = compute,
};

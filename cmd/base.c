/* ropetool base: the bases that a context asks for. */
#include "lib/analysis/base.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cmd/command.h"
#include "cmd/groups.h"
#include "cmd/output.h"
#include "cmd/overlay.h"
#include "lib/analysis/base_reach.h"
#include "lib/base/number.h"

enum {
  KEY_CONTEXT = 256,
  KEY_DIM,
  KEY_LINES,
  KEY_OVERLAY,
  KEY_OVERLAY_LABEL,
  KEY_PLOT,
  KEY_POINTS
};

enum { MOST_VALUES = 64, MOST_LINES = 2 };

static const struct argp_option options[] = {
    {"context", KEY_CONTEXT, "N[,N...]", 0, "contexts, tokens", 0},
    {"dim", KEY_DIM, "N[,N...]", 0, "rotated dimensions of a head, even, from 4 (default 128)", 0},
    {"lines", KEY_LINES, "fit|published|aliasing|limit[,...]", 0,
     "also other bases of a context, at most two: the power law fitted to the first base, that "
     "printed "
     "by Men et al., one turn of the slowest pair, the limit of many dimensions",
     0},
    {"overlay", KEY_OVERLAY, "FILE.csv", 0,
     "draw the columns context,value of a file over the curves", 0},
    {"overlay-label", KEY_OVERLAY_LABEL, "TEXT", 0,
     "what the legend calls them (default: the file's name)", 0},
    {"plot", KEY_PLOT, "bases|reach", 0,
     "reach: instead, the longest context that each of --points bases is enough for (default "
     "bases)",
     0},
    {"points", KEY_POINTS, "N", 0, "how many bases --plot reach takes (default 512)", 0},
    {0},
};

/* What the command line asks for, with room for what the request points to. */
struct asked {
  struct base_request request;
  int64_t dim[MOST_VALUES], context[MOST_VALUES];
  enum base_line line[MOST_LINES];
};

static int too_many(const char *name, int most, struct error *error) {
  return error_set(error, ERROR_INPUT, "--%s takes at most %d values", name, most);
}

/* Puts a value before the first larger one, unless it is there. */
static void insert(int64_t value, int64_t *list, size_t *count) {
  size_t at = *count;
  for (size_t i = 0; i < *count; i++)
    if (list[i] == value) return;
  for (; at && list[at - 1] > value; at--)
    list[at] = list[at - 1];
  list[at] = value;
  ++*count;
}

static int read_contexts(const struct invocation *invocation, struct asked *asked,
                         struct error *error) {
  const char *list = option_text(invocation, "context", NULL);
  char item[64];
  int64_t context;
  if (!list)
    return error_set(error, ERROR_INPUT, "--context is missing: one context or more, in tokens");
  while (list_next(&list, item, sizeof item)) {
    if (asked->request.contexts == MOST_VALUES) return too_many("context", MOST_VALUES, error);
    if (number_tokens(item, "--context", 1, BASE_CONTEXT_MOST, &context, error)) return error->code;
    insert(context, asked->context, &asked->request.contexts);
  }
  asked->request.context = asked->context;
  return OK;
}

static int read_dims(const struct invocation *invocation, struct asked *asked,
                     struct error *error) {
  const char *list = option_text(invocation, "dim", "128");
  char item[64];
  int64_t dim;
  while (list_next(&list, item, sizeof item)) {
    if (asked->request.dims == MOST_VALUES) return too_many("dim", MOST_VALUES, error);
    if (number_integer(item, "--dim", 1, BASE_DIM_MOST, &dim, error)) return error->code;
    if (dim == 2)
      return error_set(error, ERROR_INPUT,
                       "--dim '2' has no answer: the angle of its one pair does not depend on the "
                       "base; even numbers from %d on have one",
                       BASE_DIM_LEAST);
    if (dim % 2) return error_set(error, ERROR_INPUT, "--dim '%s' must be even", item);
    for (size_t i = 0; i < asked->request.dims; i++)
      if (asked->dim[i] == dim) return error_set(error, ERROR_INPUT, "--dim has '%s' twice", item);
    asked->dim[asked->request.dims++] = dim;
  }
  asked->request.dim = asked->dim;
  return OK;
}

static int read_lines(const struct invocation *invocation, struct asked *asked,
                      struct error *error) {
  const char *list = option_text(invocation, "lines", NULL);
  char item[64];
  enum base_line line;
  while (list && list_next(&list, item, sizeof item)) {
    if (base_line_parse(item, &line, error)) return error_prefix(error, "--lines");
    for (size_t i = 0; i < asked->request.lines; i++)
      if (asked->line[i] == line)
        return error_set(error, ERROR_INPUT, "--lines has '%s' twice", item);
    if (asked->request.lines == MOST_LINES) return too_many("lines", MOST_LINES, error);
    asked->line[asked->request.lines++] = line;
  }
  asked->request.line = asked->line;
  return OK;
}

/* A law takes two points; after read_plot(), which says where lines go at all. */
static int check_fit(const struct asked *asked, struct error *error) {
  for (size_t i = 0; i < asked->request.lines; i++)
    if (asked->line[i] == BASE_LINE_FIT && asked->request.contexts < 2)
      return error_set(error, ERROR_INPUT, "--lines fit goes with two values of --context or more");
  return OK;
}

static int read_plot(const struct invocation *invocation, struct asked *asked,
                     struct error *error) {
  const char *plot = option_text(invocation, "plot", "bases");
  const bool reach = !strcmp(plot, "reach");
  int64_t points = 512;
  if (!reach && strcmp(plot, "bases"))
    return error_set(error, ERROR_INPUT, "unknown --plot '%s': bases or reach", plot);
  const struct option_need needs[] = {{"points", reach, "--plot reach"},
                                      {"lines", !reach, "--plot bases"},
                                      {"overlay", !reach, "--plot bases"},
                                      {0}};
  if (option_check_needs(invocation, needs, error) ||
      option_integer(invocation, "points", 2, 1000000, &points, error))
    return error->code;
  if (reach) asked->request.points = (size_t)points;
  return OK;
}

/* A point is no curve: better said before the work than after. */
static int check_figures(const struct invocation *invocation, const struct base_request *request,
                         struct error *error) {
  const char *path;
  bool figure = false;
  for (size_t cursor = 0; (path = option_next(invocation, "output", &cursor));) {
    if (!strcmp(path, "-")) continue;
    if (outputs_check(invocation, path, &figure, error)) return error->code;
    if (figure && request->contexts < 2 && !request->points)
      return error_set(
          error, ERROR_INPUT,
          "nothing to draw in '%s': a figure of bases takes two values of --context or "
          "more, --plot reach takes one",
          path);
  }
  return OK;
}

static int read_request(const struct invocation *invocation, struct asked *asked,
                        struct error *error) {
  if (read_contexts(invocation, asked, error) || read_dims(invocation, asked, error) ||
      read_lines(invocation, asked, error) || read_plot(invocation, asked, error) ||
      check_fit(asked, error) || check_figures(invocation, &asked->request, error))
    return error->code;
  return figure_options_check_curves(invocation, error);
}

static void plan_figure(const struct asked *asked, struct result *result) {
  static const char *const labels[BASE_LINES] = {
      [BASE_LINE_FIT] = "power law, fitted",
      [BASE_LINE_PUBLISHED] = "0.0424 x¹·⁶²⁸",
      [BASE_LINE_ALIASING] = "one turn of the slowest pair",
      [BASE_LINE_LIMIT] = "limit of many dimensions",
  };
  static const enum curve_look looks[BASE_LINES] = {
      [BASE_LINE_FIT] = CURVE_PLAIN,
      [BASE_LINE_PUBLISHED] = CURVE_COMMON,
      [BASE_LINE_ALIASING] = CURVE_PLAIN,
      [BASE_LINE_LIMIT] = CURVE_COMMON,
  };
  struct curve_plot *plot = &result->curves;
  *plot = (struct curve_plot){
      .x = "context",
      .group = "dim",
      .group_label = "d=",
      .lines = {"first_base", "safe_base"},
      .line_labels = {"first base", "safe base"},
      .xlabel = "context (tokens)",
      .ylabel = "base",
      .log_x = true,
      .log_y = true,
      .markers = 2,
  };
  for (size_t i = 0; i < asked->request.lines; i++) {
    plot->lines[2 + i] = base_line_column(asked->line[i]);
    plot->line_labels[2 + i] = labels[asked->line[i]];
    plot->look[2 + i] = looks[asked->line[i]];
  }
  overlay_plan("context", result);
  if (asked->request.contexts > 1) result->drawing = DRAWING_CURVES; /* points make no curve */
}

/* A line where the search ends, if curves reach it: they are level there. */
static void mark_limit(struct result *result) {
  struct curve_plot *plot = &result->curves;
  const double limit = meta_real(table_meta(result->table), "reach_limit", NAN);
  const int column = table_find_column(result->table, "reach");
  size_t row = 0, mark = 0;
  while (row < table_rows(result->table) && table_real(result->table, row, (size_t)column) < limit)
    row++;
  while (plot->marks[mark].label)
    mark++;
  if (row == table_rows(result->table)) return;
  snprintf(result->mark_text[mark], sizeof result->mark_text[mark], "searched to %.0f", limit);
  plot->marks[mark] = (struct curve_mark){limit, result->mark_text[mark]};
}

/* What a base is enough for, with a line at each context, and at the end of the search. */
static void plan_reach(const struct asked *asked, struct result *result) {
  struct curve_plot *plot = &result->curves;
  *plot = (struct curve_plot){
      .x = "base",
      .group = "dim",
      .group_label = "d=",
      .lines = {"reach"},
      .line_labels = {"reach"},
      .xlabel = "base",
      .ylabel = "longest context (tokens)",
      .log_x = true,
      .log_y = true,
  };
  for (size_t c = 0; c < asked->request.contexts && c < 2; c++) {
    snprintf(result->mark_text[c], sizeof result->mark_text[c], "%lld",
             (long long)asked->context[c]);
    plot->marks[c] = (struct curve_mark){(double)asked->context[c], result->mark_text[c]};
  }
  mark_limit(result);
  result->drawing = DRAWING_CURVES;
}

static double cell(const struct table *table, size_t row, const char *column) {
  return table_real(table, row, (size_t)table_find_column(table, column));
}

static void print_row(const struct table *table, size_t row, FILE *out) {
  const struct meta *answer = meta_item(table_meta(table), "answers", row);
  const double negative = meta_real(answer, "rounded_first_negative", NAN);
  const char *why = meta_text(answer, "why");
  fprintf(out, "d=%.0f, %.0f tokens: ", cell(table, row, "dim"), cell(table, row, "context"));
  if (isnan(cell(table, row, "safe_witness")))
    fputs("no base has a negative sum\n", out);
  else
    fprintf(out, "first base %.12g (distance %.0f), safe base %.12g (distance %.0f)\n",
            cell(table, row, "first_base"), cell(table, row, "first_witness"),
            cell(table, row, "safe_base"), cell(table, row, "safe_witness"));
  if (why) fprintf(out, "  not certified: %s\n", why);
  if (!isnan(negative))
    fprintf(out, "  the first base rounded to %g fails: negative at distance %.0f\n",
            meta_real(answer, "rounded_base", NAN), negative);
}

static void summary(const struct result *result, FILE *out) {
  const struct table *table = result->table;
  const struct meta *meta = table_meta(table), *series;
  bool apart = false;
  fputs("Bases whose cosine sum is never negative within the context (Men et al., "
        "arXiv:2405.14591)\n",
        out);
  for (size_t row = 0; row < table_rows(table); row++) {
    print_row(table, row, out);
    apart |= cell(table, row, "first_base") < cell(table, row, "safe_base");
  }
  for (size_t i = 0; (series = meta_item(meta, "series", i)); i++)
    fprintf(out, "d=%.0f: the first base is about %.4g * context^%.4g\n",
            meta_real(series, "dim", NAN), meta_real(series, "fit_factor", NAN),
            meta_real(series, "fit_exponent", NAN));
  fputs("Every base below the first one fails, none above the safe one does.\n", out);
  if (apart)
    fputs("Between the two are bases of both kinds: rounded up or down, the first one may fail.\n",
          out);
}

static void summarise_reach(const struct result *result, FILE *out) {
  const struct meta *meta = table_meta(result->table), *answer;
  fputs("Longest contexts in which the cosine sum of a base is never negative (Men et al., "
        "arXiv:2405.14591)\n",
        out);
  for (size_t i = 0; (answer = meta_item(meta, "answers", i)); i++)
    fprintf(out,
            "d=%.0f, %.0f tokens: enough are %.0f of the %.0f bases listed between the first base, "
            "%.12g, and the safe base, %.12g\n",
            meta_real(answer, "dim", NAN), meta_real(answer, "context", NAN),
            meta_real(answer, "enough", NAN), meta_real(answer, "between", NAN),
            meta_real(answer, "first_base", NAN), meta_real(answer, "safe_base", NAN));
}

static int compute(const struct invocation *invocation, struct result *result,
                   struct error *error) {
  struct asked asked = {0};
  struct backend *backend = NULL;
  struct meta *meta = meta_create();
  result->summary = summary;
  int status = read_request(invocation, &asked, error);
  if (!status) status = overlay_read(invocation, "context", result, meta, error);
  if (!status) status = run_options_backend(invocation, &backend, error);
  const bool reach = asked.request.points > 0;
  if (reach) result->summary = summarise_reach;
  if (!status)
    status = (reach ? base_reach_run : base_run)(backend, &asked.request, &result->table, error);
  if (!status) {
    meta_set_text(meta, "backend", backend_name(backend));
    meta_prepend(table_meta(result->table), meta);
    (reach ? plan_reach : plan_figure)(&asked, result);
  }
  backend_close(backend);
  meta_destroy(meta);
  return status;
}

const struct command command_base = {
    .name = "base",
    .summary = "the bases that a context asks for, certified",
    .description =
        "Finds the first base with which no cosine sum is negative at a distance below the "
        "context, and the base above which none ever is, for one or more contexts and "
        "dimensions. Both are proved.",
    .options = options,
    .groups = GROUP_FIGURE | GROUP_OUTPUT,
    .compute = compute,
};

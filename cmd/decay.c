/* ropetool decay: the relative upper bound over distance. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/command.h"
#include "cmd/groups.h"
#include "cmd/overlay.h"
#include "lib/analysis/decay.h"
#include "lib/base/number.h"

enum {
  KEY_DISTANCE = 256,
  KEY_SPACING,
  KEY_POINTS,
  KEY_SINGLE,
  KEY_NORMALISE,
  KEY_ENVELOPE,
  KEY_LIMIT,
  KEY_SAMPLES,
  KEY_CONTENT,
  KEY_ATTAIN,
  KEY_OVERLAY,
  KEY_OVERLAY_LABEL,
  KEY_SEED,
  KEY_PLOT
};

static const struct argp_option options[] = {
    {"distance", KEY_DISTANCE, "A:B[:STEP]", 0,
     "distances in tokens, both ends included (default 0:256)", 0},
    {"spacing", KEY_SPACING, "linear|log", 0,
     "log: --points distinct distances, evenly spaced in the logarithm", 0},
    {"points", KEY_POINTS, "N", 0, "how many distances --spacing log takes (default 512)", 0},
    {"single", KEY_SINGLE, NULL, 0, "compute in float: about 2.5 times as fast, within 2e-6", 0},
    {"normalise", KEY_NORMALISE, "mean|sum|unit", 0,
     "divide the bound by the number of pairs, by nothing, or by its value at 0 (default mean); "
     "--plot cosine draws the sum unless mean or unit is given",
     0},
    {"envelope", KEY_ENVELOPE, NULL, 0, "also the largest bound at a distance or any later one", 0},
    {"limit", KEY_LIMIT, NULL, 0, "also the limit of the mean cosine as the dimension grows", 0},
    {"samples", KEY_SAMPLES, "N", 0,
     "also quantiles of the scores of N random query and key pairs, divided by dim", 0},
    {"content", KEY_CONTENT, "gaussian|aligned[:RHO]|ones", 0, "of the samples (default gaussian)",
     0},
    {"attain", KEY_ATTAIN, "M", 0, "also a query and a key that attain the bound at distance M", 0},
    {"overlay", KEY_OVERLAY, "FILE.csv", 0,
     "draw the columns distance,value of a file over the curves", 0},
    {"overlay-label", KEY_OVERLAY_LABEL, "TEXT", 0,
     "what the legend calls them (default: the file's name)", 0},
    {"seed", KEY_SEED, "N", 0, "of the random vectors (default 1)", 0},
    {"plot", KEY_PLOT, "bound|cosine", 0,
     "what the figure shows (default bound); cosine: the cosine sum, and where it is first "
     "negative",
     0},
    {0},
};

static const int64_t most_tokens = INT64_C(1) << 40;

/* Reads "A:B[:STEP]". */
static int read_range(const char *text, int64_t range[3], struct error *error) {
  char copy[128];
  snprintf(copy, sizeof copy, "%s", text);
  int parts = 0;
  for (char *save, *word = strtok_r(copy, ":", &save); word && parts < 3;
       word = strtok_r(NULL, ":", &save))
    if (number_tokens(word, "--distance", 0, most_tokens, &range[parts++], error))
      return error->code;
  size_t colons = 0;
  for (const char *c = text; *c; c++)
    colons += *c == ':';
  if (parts < 2 || (size_t)parts != colons + 1 || strlen(text) >= sizeof copy)
    return error_set(error, ERROR_INPUT, "--distance '%s' is not a range A:B or A:B:STEP", text);
  return OK;
}

static int read_distances(const struct invocation *invocation, struct decay_request *request,
                          int64_t **distance, struct error *error) {
  int64_t range[3] = {0, 256, 1}, points = 512;
  const char *text = option_text(invocation, "distance", NULL);
  const char *spacing = option_text(invocation, "spacing", "linear");
  if (text && read_range(text, range, error)) return error->code;
  if (option_integer(invocation, "points", 1, most_tokens, &points, error)) return error->code;
  if (!strcmp(spacing, "log") && text && strchr(text, ':') != strrchr(text, ':'))
    return error_set(error, ERROR_INPUT,
                     "--distance '%s' has a step, which --spacing log does not take", text);
  request->spacing = spacing;
  if (!strcmp(spacing, "log"))
    return decay_log_distances(range[0], range[1], (size_t)points, distance, &request->count,
                               error);
  if (strcmp(spacing, "linear"))
    return error_set(error, ERROR_INPUT, "unknown spacing '%s' of --spacing: linear or log",
                     spacing);
  if (option_given(invocation, "points"))
    return error_set(error, ERROR_INPUT,
                     "--points goes with --spacing log; use --distance A:B:STEP");
  request->step = range[2];
  return decay_linear_distances(range[0], range[1], range[2], distance, &request->count, error);
}

/* The cosine sum is drawn as it is; beside a limit or scores, which are 1 at distance 0 where it
   has a pair's worth for each pair, and where a normalisation is asked for, as its mean. */
static int read_plot(const struct invocation *invocation, struct decay_request *request,
                     bool *cosine, struct error *error) {
  const char *plot = option_text(invocation, "plot", "bound");
  const bool beside = request->limit || request->samples;
  *cosine = !strcmp(plot, "cosine");
  if (!*cosine && strcmp(plot, "bound"))
    return error_set(error, ERROR_INPUT, "unknown --plot '%s': bound or cosine", plot);
  if (!*cosine) return OK;
  if (request->envelope)
    return error_set(error, ERROR_INPUT,
                     "--envelope does not go with --plot cosine: it is that of the bound");
  if (request->samples && request->content.kind == CONTENT_ONES)
    return error_set(error, ERROR_INPUT,
                     "--content ones does not go with --plot cosine: scores of ones, divided by "
                     "dim, are the mean cosine itself");
  if (beside && option_given(invocation, "normalise") && request->normalisation == NORMALISE_SUM)
    return error_set(error, ERROR_INPUT,
                     "--normalise sum does not go with --plot cosine and --%s, which stands beside "
                     "the mean cosine",
                     request->limit ? "limit" : "samples");
  request->cosine_mean =
      beside || (option_given(invocation, "normalise") && request->normalisation != NORMALISE_SUM);
  return OK;
}

static int read_request(const struct invocation *invocation, struct decay_request *request,
                        int64_t **distance, bool *cosine, struct error *error) {
  int64_t samples = 0, seed = 1;
  *request = (struct decay_request){
      .single = option_given(invocation, "single"),
      .envelope = option_given(invocation, "envelope"),
      .limit = option_given(invocation, "limit"),
      .attain = -1,
  };
  if (normalisation_parse(option_text(invocation, "normalise", "mean"), &request->normalisation,
                          error))
    return error->code;
  if (option_integer(invocation, "samples", 1, INT32_MAX, &samples, error)) return error->code;
  if (option_integer(invocation, "seed", 0, INT64_MAX, &seed, error)) return error->code;
  if (option_tokens(invocation, "attain", 0, most_tokens, &request->attain, error))
    return error->code;
  if ((option_given(invocation, "content") || option_given(invocation, "seed")) && !samples)
    return error_set(error, ERROR_INPUT, "--%s goes with --samples N",
                     option_given(invocation, "content") ? "content" : "seed");
  if (content_parse(option_text(invocation, "content", "gaussian"), &request->content, error))
    return error->code;
  request->samples = (size_t)samples;
  request->seed = (uint64_t)seed;
  if (read_plot(invocation, request, cosine, error)) return error->code;
  if (read_distances(invocation, request, distance, error)) return error->code;
  request->distance = *distance;
  return figure_options_check_curves(invocation, error);
}

/* Columns drawn beside the first, and the quantiles as bands. */
static void plan_extras(const struct decay_request *request, struct curve_plot *plot) {
  size_t lines = 1;
  if (request->envelope) {
    plot->line_labels[lines] = "envelope";
    plot->lines[lines++] = "envelope";
  }
  if (request->limit) {
    plot->line_labels[lines] = "cosine limit";
    plot->look[lines] = CURVE_OVER;
    plot->lines[lines++] = "cosine_limit";
  }
  if (request->samples) {
    plot->line_labels[lines] = request->samples > 1 ? "median score / dim" : "score / dim";
    plot->lines[lines] = "q50";
    plot->low[0] = "q05", plot->high[0] = "q95";
    plot->low[1] = "q25", plot->high[1] = "q75";
  }
}

static void plan_bound(const struct decay_request *request, struct curve_plot *plot) {
  static const char *const labels[2][3] = {
      {[NORMALISE_MEAN] = "relative upper bound",
       [NORMALISE_SUM] = "upper bound, sum over pairs",
       [NORMALISE_UNIT] = "upper bound, 1 at distance 0"},
      {[NORMALISE_MEAN] = "relative bound; score / dim",
       [NORMALISE_SUM] = "bound, sum over pairs; score / dim",
       [NORMALISE_UNIT] = "bound, 1 at distance 0; score / dim"},
  };
  plot->lines[0] = "bound";
  plot->line_labels[0] = "bound";
  plot->ylabel = labels[request->samples > 0][request->normalisation];
  plot->from_zero = true;
}

static int64_t distance_at(const struct table *table, size_t row) {
  return table_integer(table, row, (size_t)table_find_column(table, "distance"));
}

/* What matters of a cosine sum is where it falls below 0: a line is there, and one at the distance,
   which is the first of all where none is left out. */
static void plan_cosine(const struct decay_request *request, struct result *result) {
  struct curve_plot *plot = &result->curves;
  const struct meta *meta = table_meta(result->table);
  plot->lines[0] = request->cosine_mean ? "cosine_mean" : "cosine_sum";
  plot->line_labels[0] = request->cosine_mean ? "mean cosine" : "cosine sum";
  plot->ylabel = request->samples       ? "mean cosine; score / dim"
                 : request->cosine_mean ? "mean cosine, B(m) / (d/2)"
                                        : "cosine sum, B(m)";
  plot->marks[0] = (struct curve_mark){0, ""};
  if (meta_count(meta, "series") != 1) return;
  const double first = meta_real(meta_item(meta, "series", 0), "first_negative", NAN);
  const bool all = request->step == 1 && distance_at(result->table, 0) <= 1;
  snprintf(result->mark_text[0], sizeof result->mark_text[0], "first negative%s: %.0f",
           all ? "" : " listed", first);
  plot->x_mark = (struct curve_mark){first, result->mark_text[0]};
}

static void plan_figure(const struct decay_request *request, bool cosine, struct result *result) {
  struct curve_plot *plot = &result->curves;
  *plot = (struct curve_plot){
      .x = "distance",
      .group = "series",
      .band_labels = {"scores / dim, 5–95 %", "scores / dim, 25–75 %"},
      .xlabel = "relative distance (tokens)",
  };
  if (cosine)
    plan_cosine(request, result);
  else
    plan_bound(request, plot);
  plan_extras(request, plot);
  overlay_plan("distance", result);
  result->drawing = DRAWING_CURVES;
}

static void print_series(const struct table *table, size_t index, size_t steps, FILE *out) {
  const struct meta *series = meta_item(table_meta(table), "series", index);
  const size_t row = index * (steps + 1);
  const double rises = meta_real(series, "rises", 0),
               negative = meta_real(series, "negative_count", 0);
  fprintf(out, "%s\n", meta_text(series, "series"));
  fprintf(out, "  bound: %.12g at distance %.0f; smallest %.12g at distance %.0f\n",
          table_real(table, row, (size_t)table_find_column(table, "bound")),
          table_real(table, row, (size_t)table_find_column(table, "distance")),
          meta_real(series, "minimum", NAN), meta_real(series, "minimum_distance", NAN));
  if (rises > 0)
    fprintf(out, "  not monotone: it rises at %.0f of the %zu steps, first at distance %.0f\n",
            rises, steps, meta_real(series, "first_rise", NAN));
  else
    fprintf(out, "  it falls or stays at each of the %zu steps\n", steps);
  if (negative > 0)
    fprintf(out, "  cosine sum: negative at %.0f of the distances, first at %.0f\n", negative,
            meta_real(series, "first_negative", NAN));
  else
    fputs("  cosine sum: nowhere negative\n", out);
  const struct meta *attain = meta_child(series, "attain");
  if (attain)
    fprintf(out, "  attained at distance %.0f: score %.12g, bound %.12g (vectors: --format json)\n",
            meta_real(attain, "distance", NAN), meta_real(attain, "score", NAN),
            meta_real(attain, "bound", NAN));
}

static void summary(const struct result *result, FILE *out) {
  const struct meta *meta = table_meta(result->table);
  const size_t series = meta_count(meta, "series");
  const size_t distances = series ? table_rows(result->table) / series : 0;
  fprintf(out,
          "Relative upper bound over %zu distances (RoFormer, section 3.4.3), normalised: %s\n",
          distances, meta_text(meta, "normalise"));
  for (size_t i = 0; i < series; i++)
    print_series(result->table, i, distances ? distances - 1 : 0, out);
}

static int compute(const struct invocation *invocation, struct result *result,
                   struct error *error) {
  struct decay_request request;
  bool cosine = false;
  int64_t *distance = NULL;
  struct series series = {0};
  struct backend *backend = NULL;
  result->summary = summary;
  int status = read_request(invocation, &request, &distance, &cosine, error);
  if (!status) status = series_create(invocation, &series, error);
  if (!status) status = overlay_read(invocation, "distance", result, series.meta, error);
  if (!status) status = run_options_backend(invocation, &backend, error);
  if (!status)
    status = decay_run(backend, &request, series.spectra, series.count, &result->table, error);
  if (!status) {
    const int64_t last = distance_at(result->table, table_rows(result->table) - 1);
    meta_set_text(series.meta, "backend", backend_name(backend));
    for (size_t i = 0; i < series.count && !option_given(invocation, "context"); i++)
      spectrum_warn_length(series.spectra[i], last + 1, "--distance", series.meta);
    meta_prepend(table_meta(result->table), series.meta);
    plan_figure(&request, cosine, result);
  }
  backend_close(backend);
  series_release(&series);
  free(distance);
  return status;
}

const struct command command_decay = {
    .name = "decay",
    .summary = "the relative upper bound over distance",
    .description = "Computes RoFormer's relative upper bound on attention scores over relative "
                   "distance, (1/(d/2)) "
                   "times the sum of |S_j|, and the cosine sum beside it, for one or more RoPEs.",
    .options = options,
    .groups = GROUP_SPECTRUM | GROUP_FIGURE | GROUP_OUTPUT,
    .compute = compute,
};

/* ropetool freqs: the inverse frequencies, pair by pair. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/command.h"
#include "cmd/groups.h"
#include "lib/analysis/engine_diff.h"
#include "lib/analysis/freqs.h"
#include "lib/base/number.h"
#include "lib/rope/band.h"
#include "lib/rope/engine.h"

enum {
  KEY_ENGINE = 256,
  KEY_DIFF,
  KEY_PLOT,
  KEY_POSITIONS,
  KEY_UNSCALED,
  KEY_XPOS,
  KEY_AXIS,
  KEY_SECTIONS
};

enum { MOST_ENGINES = 8, MOST_DIALS = 12 };

static const struct argp_option options[] = {
    {"engine", KEY_ENGINE, "hf|vllm|llamacpp|mlx", 0,
     "what this engine computes from the same model, where it is known to differ", 0},
    {"diff", KEY_DIFF, "ENGINE,ENGINE[,...]", 0,
     "compare engines with the first of the list, pair by pair, and in angle at the end of the "
     "context",
     0},
    {"plot", KEY_PLOT, "wavelength|factor|clock", 0,
     "what the figure shows (default wavelength); clock: the pairs as hands at --positions", 0},
    {"positions", KEY_POSITIONS, "M[,M...]", 0,
     "of --plot clock, at most 12 (default 0,1,8,64,512,4096)", 0},
    {"unscaled", KEY_UNSCALED, NULL, 0, "also the wavelength without the scaling rule", 0},
    {"xpos", KEY_XPOS, NULL, 0, "also the base of xPos' amplitude of each pair", 0},
    {"axis", KEY_AXIS, NULL, 0,
     "also the axis that each pair takes its position from: time, height or width; in the figure a "
     "curve each",
     0},
    {"sections", KEY_SECTIONS, "T,H,W|axial", 0,
     "of --axis: how many pairs take their position from time, height and width, in blocks or, "
     "with :interleaved behind, in turn; axial: half from width, half from height (default: the "
     "model's)",
     0},
    {0},
};

/* What is asked for. */
enum question { ASK_WAVELENGTH, ASK_FACTOR, ASK_CLOCK, ASK_DIFF };

/* Engines have a precision of their own. */
static int check_precision(const struct invocation *invocation, struct error *error) {
  static const char *const names[] = {"engine", "diff"};
  const char *precision = option_text(invocation, "precision", "fp32");
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (option_given(invocation, names[i]) && strcmp(precision, "fp32"))
      return error_set(error, ERROR_INPUT,
                       "--precision %s does not go with --%s: engines compute frequencies in fp32",
                       precision, names[i]);
  return OK;
}

static int check_conflicts(const struct invocation *invocation, enum question question,
                           struct error *error) {
  static const struct {
    const char *option;
    unsigned questions;
  } allowed[] = {
      {"engine", 1 << ASK_WAVELENGTH | 1 << ASK_FACTOR | 1 << ASK_CLOCK},
      {"plot", 1 << ASK_WAVELENGTH | 1 << ASK_FACTOR | 1 << ASK_CLOCK},
      {"positions", 1 << ASK_CLOCK},
      {"unscaled", 1 << ASK_WAVELENGTH | 1 << ASK_FACTOR},
      {"xpos", 1 << ASK_WAVELENGTH | 1 << ASK_FACTOR},
      {"axis", 1 << ASK_WAVELENGTH | 1 << ASK_FACTOR},
  };
  for (size_t i = 0; i < sizeof allowed / sizeof *allowed; i++)
    if (option_given(invocation, allowed[i].option) && !(allowed[i].questions >> question & 1))
      return error_set(error, ERROR_INPUT, "--%s does not go with %s", allowed[i].option,
                       question == ASK_DIFF    ? "--diff"
                       : question == ASK_CLOCK ? "--plot clock"
                                               : "--plot wavelength or factor");
  const bool curves = question != ASK_CLOCK;
  const struct option_need needs[] = {{"sections", option_given(invocation, "axis"), "--axis"},
                                      {"xlabel", curves, "curves, not --plot clock"},
                                      {"ylabel", curves, "curves, not --plot clock"},
                                      {"legend", curves, "curves, not --plot clock"},
                                      {0}};
  if (option_check_needs(invocation, needs, error)) return error->code;
  if (check_precision(invocation, error)) return error->code;
  const char *axis;
  for (size_t cursor = 0; (axis = option_next(invocation, "log", &cursor));)
    if (strchr(axis, 'c') || question == ASK_CLOCK)
      return error_set(error, ERROR_INPUT,
                       "--log '%s' does not go with this figure: curves take x and y", axis);
  return OK;
}

static int read_question(const struct invocation *invocation, enum question *question,
                         struct error *error) {
  static const char *const names[] = {"wavelength", "factor", "clock"};
  const char *name = option_text(invocation, "plot", names[0]);
  size_t found = 0;
  while (found < 3 && strcmp(name, names[found]))
    found++;
  if (found == 3)
    return error_set(error, ERROR_INPUT, "unknown --plot '%s': wavelength, factor or clock", name);
  *question = option_given(invocation, "diff") ? ASK_DIFF : (enum question)found;
  return check_conflicts(invocation, *question, error);
}

/* ---- Engines ------------------------------------------------------------------------------------
 */

/* Puts what the engine computes in the place of each spectrum. */
static int replace_by_engine(const char *name, struct series *series, struct error *error) {
  const struct engine *engine;
  int status = engine_find(name, &engine, error);
  for (size_t i = 0; !status && i < series->count; i++) {
    struct spectrum *own;
    status = engine_spectrum(engine, &series->spectra[i]->spec, &own, series->meta, error);
    if (status) break;
    spectrum_destroy(series->spectra[i]);
    series->spectra[i] = own;
  }
  if (status) return status;
  struct meta *described = meta_object(series->meta, "engine");
  meta_set_text(described, "name", engine->name);
  meta_set_text(described, "title", engine->title);
  meta_set_text(described, "version", engine->version);
  return OK;
}

static int compare_engines(const struct invocation *invocation, const struct series *series,
                           struct result *result, struct error *error) {
  const struct engine *engines[MOST_ENGINES];
  size_t count = 0;
  char name[32];
  for (const char *list = option_text(invocation, "diff", ""); list_next(&list, name, sizeof name);
       count++) {
    if (count == MOST_ENGINES)
      return error_set(error, ERROR_INPUT, "--diff compares at most %d engines", MOST_ENGINES);
    if (engine_find(name, &engines[count], error)) return error->code;
  }
  if (engine_diff(engines, count, series->spectra, series->count, &result->table, error))
    return error->code;
  result->curves = (struct curve_plot){.x = "pair",
                                       .group = series->count > 1 ? "series" : "engine",
                                       .lines = {"angle_difference"},
                                       .line_labels = {"angle difference"},
                                       .xlabel = "pair",
                                       .ylabel = "angle difference at the context's end (radians)"};
  if (series->count == 1 || count == 2) result->drawing = DRAWING_CURVES;
  return OK;
}

/* One line for each series and engine, the largest differences. */
static void summarise_diff(const struct result *result, FILE *out) {
  const struct meta *meta = table_meta(result->table), *one;
  for (size_t i = 0; (one = meta_item(meta, "series", i)); i++) {
    fprintf(out, "%s: %s against %s\n", meta_text(one, "series"), meta_text(one, "engine"),
            meta_text(one, "reference"));
    const double pair = meta_real(one, "relative_difference_pair", NAN);
    if (isnan(pair))
      fputs("  frequencies: equal\n", out);
    else
      fprintf(out, "  frequencies: off by up to %.6g of themselves, at pair %.0f\n",
              meta_real(one, "relative_difference", NAN), pair);
    const double angle = meta_real(one, "angle_difference", NAN);
    if (!isnan(pair) && !isnan(angle))
      fprintf(out, "  angle at position %.0f: off by up to %.6g radians, at pair %.0f\n",
              meta_real(one, "context", NAN) - 1, angle,
              meta_real(one, "angle_difference_pair", NAN));
    fprintf(out, "  attention factor: %.12g, reference %.12g\n",
            meta_real(one, "attention_factor", NAN),
            meta_real(one, "attention_factor_reference", NAN));
    const char *note;
    for (size_t j = 0; (note = meta_item_text(one, "engine_notes", j)); j++)
      fprintf(out, "  %s\n", note);
  }
}

/* ---- Frequencies --------------------------------------------------------------------------------
 */

/* Lines at the context trained for and at the one wanted, where all series have the same. */
static void mark_contexts(const struct meta *meta, struct result *result) {
  static const char *const names[] = {"original_context", "context"}, *const labels[] = {
                                                                          "original context",
                                                                          "context"};
  struct curve_mark *marks = result->curves.marks;
  size_t count = 0;
  for (size_t i = 0; i < 2; i++) {
    const struct meta *one = meta_item(meta, "series", 0);
    const double value = meta_real(one, names[i], NAN);
    bool same = value > 0 && !(count && value == marks[0].value);
    for (size_t j = 1; same && (one = meta_item(meta, "series", j)); j++)
      same = meta_real(one, names[i], NAN) == value;
    if (!same) continue;
    snprintf(result->mark_text[count], sizeof result->mark_text[count], "%s %.0f", labels[i],
             value);
    marks[count] = (struct curve_mark){value, result->mark_text[count]};
    count++;
  }
}

static void plan_figure(enum question question, struct result *result) {
  struct curve_plot *plot = &result->curves;
  *plot = (struct curve_plot){
      .x = "pair", .group = "series", .xlabel = "pair", .log_y = true, .markers = 1};
  const struct meta *meta = table_meta(result->table);
  if (question == ASK_FACTOR) {
    plot->lines[0] = "factor";
    plot->line_labels[0] = "factor";
    plot->ylabel = "frequency divided by";
  } else {
    plot->lines[0] = "wavelength";
    plot->line_labels[0] = "wavelength";
    plot->ylabel = "wavelength (tokens)";
    mark_contexts(meta, result);
  }
  if (meta_count(meta, "series") == 1) {
    plot->spans = "band";
    plot->span_names = band_names();
    if (table_find_column(result->table, "axis") >= 0) plot->group = "axis";
  }
  if (question == ASK_WAVELENGTH && table_find_column(result->table, "wavelength_plain") >= 0) {
    plot->lines[1] = "wavelength_plain";
    plot->line_labels[1] = "without scaling";
  }
  result->drawing = DRAWING_CURVES;
}

static void print_known(const struct meta *series, const char *name, const char *label, FILE *out) {
  const double value = meta_real(series, name, NAN);
  if (!isnan(value)) fprintf(out, "  %s %.12g\n", label, value);
}

/* The few rows that fit under a summary. */
static void print_rows(const struct table *table, FILE *out) {
  struct table *digest = NULL;
  struct error error;
  fputc('\n', out);
  if (freqs_digest(table, &digest, &error)) return;
  table_write_text(digest, out);
  if (table_rows(digest) < table_rows(table))
    fprintf(out, "%zu of %zu pairs; --format csv lists all\n", table_rows(digest),
            table_rows(table));
  table_destroy(digest);
}

static void summarise(const struct result *result, FILE *out) {
  const struct meta *meta = table_meta(result->table), *series;
  for (size_t i = 0; (series = meta_item(meta, "series", i)); i++) {
    const struct meta *scaling = meta_child(series, "scaling");
    fprintf(out, "%s: %.0f pairs of %.0f dimensions, %s, scaling %s\n", meta_text(series, "series"),
            meta_real(series, "rotary_dim", 0) / 2, meta_real(series, "head_dim", 0),
            meta_text(series, "layout"), meta_text(scaling, "type"));
    print_known(series, "base", "base", out);
    if (meta_real(series, "effective_base", NAN) != meta_real(series, "base", NAN))
      print_known(series, "effective_base", "effective base", out);
    fprintf(out, "  pairs kept %.0f, blended %.0f, divided %.0f, zero %.0f\n",
            meta_real(series, "kept_pairs", 0), meta_real(series, "blended_pairs", 0),
            meta_real(series, "divided_pairs", 0), meta_real(series, "zero_pairs", 0));
    print_known(series, "attention_factor", "attention factor", out);
    print_known(series, "softmax_factor", "softmax factor", out);
    print_known(series, "original_context", "original context", out);
    print_known(series, "context", "context", out);
    print_known(series, "critical_dim", "critical dimension", out);
    if (meta_text(series, "pair_axes"))
      fprintf(out, "  axes of the pairs: %s\n", meta_text(series, "pair_axes"));
    if (!isnan(meta_real(series, "correction_low", NAN)))
      fprintf(out, "  blend from pair %.12g to %.12g\n", meta_real(series, "correction_low", NAN),
              meta_real(series, "correction_high", NAN));
  }
  print_rows(result->table, out);
}

static int list_frequencies(const struct invocation *invocation, enum question question,
                            const struct series *series, struct result *result,
                            struct error *error) {
  const struct freqs_request request = {.wavelength_plain = option_given(invocation, "unscaled"),
                                        .xpos = option_given(invocation, "xpos"),
                                        .axis = option_given(invocation, "axis")};
  const int status = freqs_run(&request, series->spectra, series->count, &result->table, error);
  if (!status) plan_figure(question, result);
  return status;
}

/* ---- The clock ----------------------------------------------------------------------------------
 */

static int show_clock(const struct invocation *invocation, const struct series *series,
                      struct result *result, struct error *error) {
  int64_t position[MOST_DIALS];
  size_t count = 0;
  char item[64];
  for (const char *list = option_text(invocation, "positions", "0,1,8,64,512,4096");
       list_next(&list, item, sizeof item); count++) {
    if (count == MOST_DIALS)
      return error_set(error, ERROR_INPUT, "--positions takes at most %d positions", MOST_DIALS);
    if (number_tokens(item, "--positions", -(INT64_C(1) << 40), INT64_C(1) << 40, &position[count],
                      error))
      return error->code;
  }
  if (series->count > 1)
    return error_set(
        error, ERROR_INPUT,
        "%zu RoPEs are asked for, and a clock shows one: give one --model, --layer-type, "
        "--dim, --base and --scaling",
        series->count);
  if (freqs_clock(series->spectra[0], position, count, &result->table, error)) return error->code;
  result->drawing = DRAWING_CLOCK;
  return OK;
}

static int compute(const struct invocation *invocation, struct result *result,
                   struct error *error) {
  enum question question = ASK_WAVELENGTH;
  struct series series = {0};
  const char *engine = option_text(invocation, "engine", NULL);
  int status = read_question(invocation, &question, error);
  if (!status) status = series_create(invocation, &series, error);
  if (!status && engine) status = replace_by_engine(engine, &series, error);
  if (!status && question == ASK_DIFF) {
    result->summary = summarise_diff;
    status = compare_engines(invocation, &series, result, error);
  } else if (!status && question == ASK_CLOCK) {
    status = show_clock(invocation, &series, result, error);
  } else if (!status) {
    result->summary = summarise;
    status = list_frequencies(invocation, question, &series, result, error);
    if (option_given(invocation, "axis")) series_shows_axes(&series);
  }
  if (!status) meta_prepend(table_meta(result->table), series.meta);
  series_release(&series);
  return status;
}

const struct command command_freqs = {
    .name = "freqs",
    .summary = "inverse frequencies by pair, and what other engines make of them",
    .description =
        "Lists each pair's inverse frequency, wavelength and what the scaling rule did to "
        "it, for one or more RoPEs; compares inference engines; draws wavelengths, "
        "factors or the pairs as hands of a clock.",
    .options = options,
    .groups = GROUP_SPECTRUM | GROUP_FIGURE | GROUP_OUTPUT,
    .compute = compute,
};

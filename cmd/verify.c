/* ropetool verify: a numerical certificate. */
#include <math.h>
#include <string.h>

#include "cmd/command.h"
#include "cmd/groups.h"
#include "lib/analysis/certificate.h"

enum { KEY_MAX_POSITION = 256, KEY_STRICT, KEY_SEED, KEY_SAMPLES, KEY_PLOT };

static const struct argp_option options[] = {
    {"max-position", KEY_MAX_POSITION, "N", 0,
     "largest position sampled (default: the model's context, else 4096)", 0},
    {"samples", KEY_SAMPLES, "N", 0,
     "so many more positions, evenly spaced in the logarithm (2 to 1000; default none)", 0},
    {"plot", KEY_PLOT, "CHECK", 0,
     "the check that the figure shows over position (default relative_property)", 0},
    {"strict", KEY_STRICT, NULL, 0, "exit 3 also when a check proves nothing (vacuous)", 0},
    {"seed", KEY_SEED, "N", 0, "of the vectors and the sampled positions (default 1)", 0},
    {0},
};

static size_t column(const struct table *table, const char *name) {
  return (size_t)table_find_column(table, name);
}

/* The rows of one check in one precision, as a line for people: the worst is the row that comes
   closest to its tolerance. */
struct digest {
  const char *check;
  char precision[8]; /* what `detail` starts with */
  size_t rows, failed, vacuous, notes, worst;
  double nearest;
};

static double closeness(const struct table *table, size_t row, size_t value, size_t tolerance) {
  const double v = table_real(table, row, value), t = table_real(table, row, tolerance);
  return v == 0 ? 0 : v / t;
}

static struct digest digest_from(const struct table *table, size_t first, size_t *next) {
  const size_t check = column(table, "check"), value = column(table, "value");
  const size_t tolerance = column(table, "tolerance"), status = column(table, "status");
  const size_t detail = column(table, "detail");
  struct digest digest = {.check = table_text(table, first, check), .worst = first, .nearest = -1};
  const char *text = table_text(table, first, detail);
  const size_t length = strcspn(text, ":");
  memcpy(digest.precision, text, length < sizeof digest.precision ? length : 0);
  size_t row = first;
  for (; row < table_rows(table) && !strcmp(table_text(table, row, check), digest.check) &&
         !strncmp(table_text(table, row, detail), text, length + 1);
       row++) {
    const char *word = table_text(table, row, status);
    const bool failed = !strcmp(word, "fail");
    digest.rows++;
    digest.failed += failed;
    digest.vacuous += !strcmp(word, "vacuous");
    digest.notes += !strcmp(word, "note");
    const double near = failed ? INFINITY : closeness(table, row, value, tolerance);
    if (strcmp(word, "vacuous") && near > digest.nearest) digest.nearest = near, digest.worst = row;
  }
  *next = row;
  return digest;
}

/* An empty cell stays empty. */
static void print_number(double value, FILE *out) {
  if (isnan(value))
    fprintf(out, "  %11s", "");
  else
    fprintf(out, "  %11.3g", value);
}

static void print_digest(const struct table *table, const struct digest *digest, FILE *out) {
  const char *status = digest->failed                    ? "FAIL"
                       : digest->vacuous == digest->rows ? "vacuous"
                       : digest->notes == digest->rows   ? "note"
                                                         : "pass";
  char share[40] = "", position[24] = "";
  if (digest->vacuous && digest->vacuous < digest->rows)
    snprintf(share, sizeof share, "  (%zu vacuous)", digest->vacuous);
  const double where = table_real(table, digest->worst, column(table, "position"));
  if (!isnan(where)) snprintf(position, sizeof position, "%.0f", where);
  fprintf(out, "%-23s %-5s %9zu", digest->check, digest->precision, digest->rows);
  print_number(table_real(table, digest->worst, column(table, "value")), out);
  print_number(table_real(table, digest->worst, column(table, "tolerance")), out);
  fprintf(out, "  %10s  %s%s\n", position, status, share);
}

static void summary(const struct result *result, FILE *out) {
  const struct table *table = result->table;
  const struct meta *meta = table_meta(table);
  fprintf(out, "%-23s %-5s %9s  %11s  %11s  %10s  %s\n", "check", "in", "positions", "worst value",
          "tolerance", "at position", "status");
  for (size_t row = 0; row < table_rows(table);) {
    const struct digest digest = digest_from(table, row, &row);
    print_digest(table, &digest, out);
  }
  fprintf(out, "\n%.0f passed, %.0f failed, %.0f vacuous (every row: --format csv)\n",
          meta_real(meta, "passed", 0), meta_real(meta, "failed", 0),
          meta_real(meta, "vacuous", 0));
}

/* The formats of the certificate: the one of --precision, else the ones models are run in. */
static size_t read_precisions(const struct invocation *invocation, const struct spectrum *spectrum,
                              enum precision precisions[PRECISION_COUNT]) {
  static const enum precision usual[] = {PRECISION_FP64, PRECISION_FP32, PRECISION_BF16,
                                         PRECISION_FP16};
  if (option_given(invocation, "precision")) {
    precisions[0] = spectrum->spec.precision;
    return 1;
  }
  memcpy(precisions, usual, sizeof usual);
  return sizeof usual / sizeof *usual;
}

/* The table stays the whole certificate. Markers show where few positions lie. */
static int plan_figure(size_t check, bool samples, struct result *result, struct error *error) {
  if (certificate_curves(result->table, check, &result->drawn, &result->overlay, error))
    return error->code;
  result->curves = (struct curve_plot){
      .x = "position",
      .group = "precision",
      .lines = {"value", "tolerance", "unproved"},
      .line_labels = {"value", "tolerance", "vacuous"},
      .overlay = result->overlay,
      .overlay_x = "position",
      .overlay_y = "value",
      .overlay_label = "fails",
      .xlabel = "position (tokens)",
      .ylabel = certificate_quantity(check),
      .log_x = true,
      .log_y = true,
      .one_colour = true,
      .markers = !samples,
  };
  result->drawing = DRAWING_CURVES;
  return OK;
}

/* What stands behind the options, whatever the certificate will be. */
static int read_check(const struct invocation *invocation, size_t *check, struct error *error) {
  const char *name = option_text(invocation, "plot", "relative_property");
  if (certificate_find_curves(name, check, error)) return error_prefix(error, "--plot");
  return figure_options_check_curves(invocation, error);
}

static int run(const struct invocation *invocation, const struct series *series,
               struct backend *backend, struct result *result, struct error *error) {
  enum precision precisions[PRECISION_COUNT];
  const struct spectrum *spectrum = series->spectra[0];
  int64_t most = spectrum->spec.context > 0 ? spectrum->spec.context : 4096, seed = 1, samples = 0;
  size_t check;
  if (read_check(invocation, &check, error)) return error->code;
  if (option_integer(invocation, "samples", 2, CERTIFICATE_SAMPLES_MAXIMUM, &samples, error))
    return error->code;
  if (option_tokens(invocation, "max-position", 0, INT64_C(1) << 31, &most, error))
    return error->code;
  if (option_integer(invocation, "seed", 0, INT64_MAX, &seed, error)) return error->code;
  const struct certificate_request request = {
      .spectrum = spectrum,
      .max_position = most,
      .samples = (size_t)samples,
      .precisions = precisions,
      .precision_count = read_precisions(invocation, spectrum, precisions),
      .seed = (uint64_t)seed,
  };
  if (certificate_run(backend, &request, &result->table, error)) return error->code;
  if (plan_figure(check, samples > 0, result, error)) return error->code;
  struct meta *meta = table_meta(result->table);
  meta_set_text(series->meta, "backend", backend_name(backend));
  meta_prepend(meta, series->meta);
  const bool bad = meta_real(meta, "failed", 0) > 0 ||
                   (option_given(invocation, "strict") && meta_real(meta, "vacuous", 0) > 0);
  result->checked = true;
  result->check_status = bad ? 3 : 0;
  return OK;
}

static int compute(const struct invocation *invocation, struct result *result,
                   struct error *error) {
  struct series series = {0};
  struct backend *backend = NULL;
  result->summary = summary;
  int status = series_create_one(invocation, &series, error);
  if (!status) status = run_options_backend(invocation, &backend, error);
  if (!status) status = run(invocation, &series, backend, result, error);
  backend_close(backend);
  series_release(&series);
  return status;
}

const struct command command_verify = {
    .name = "verify",
    .summary = "prove the rotation orthogonal, with a certificate",
    .description = "Checks real rotation matrices at positions up to the model's context: "
                   "orthogonality, determinant, "
                   "singular values, eigenvalues, group law, inverse, norms, the relative "
                   "property, layouts. Every "
                   "tolerance follows from roundoff, dimension and position, and is printed. Exit "
                   "status 3 when a "
                   "check fails.",
    .options = options,
    .groups = GROUP_SPECTRUM | GROUP_FIGURE | GROUP_OUTPUT,
    .compute = compute,
};

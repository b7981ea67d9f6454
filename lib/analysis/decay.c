#include "lib/analysis/decay.h"

#include <stdlib.h>
#include <string.h>

#include "lib/analysis/decay_parts.h"
#include "lib/analysis/series_name.h"
#include "lib/base/memory.h"
#include "lib/base/progress.h"
#include "lib/rope/phases.h"

static const char *const normalisation_names[] = {
    [NORMALISE_MEAN] = "mean",
    [NORMALISE_SUM] = "sum",
    [NORMALISE_UNIT] = "unit",
};

const char *normalisation_name(enum normalisation normalisation) {
  return normalisation_names[normalisation];
}

int normalisation_parse(const char *name, enum normalisation *normalisation, struct error *error) {
  for (size_t i = 0; i < sizeof normalisation_names / sizeof *normalisation_names; i++)
    if (!strcmp(name, normalisation_names[i])) {
      *normalisation = (enum normalisation)i;
      return OK;
    }
  return error_set(error, ERROR_INPUT, "unknown normalisation '%s': mean, sum or unit", name);
}

/* The columns that every table has, in this order, and the values that follow them where asked for.
 */
enum { SERIES, DIM, BASE, SCALING, DISTANCE, FIXED_COLUMNS };
static const struct {
  const char *name;
  enum column_kind kind;
} fixed_columns[FIXED_COLUMNS] = {
    {"series", COLUMN_TEXT},  {"dim", COLUMN_INTEGER},      {"base", COLUMN_REAL},
    {"scaling", COLUMN_TEXT}, {"distance", COLUMN_INTEGER},
};

enum {
  BOUND,
  COSINE_SUM,
  ENVELOPE,
  LIMIT,
  QUANTILES,
  COSINE_MEAN = QUANTILES + DECAY_LEVELS,
  VALUES
};
static const char *const value_names[VALUES] = {"bound", "cosine_sum", "envelope", "cosine_limit",
                                                "q05",   "q25",        "q50",      "q75",
                                                "q95",   "cosine_mean"};

static bool is_wanted(const struct decay_request *request, int value) {
  return value == ENVELOPE      ? request->envelope
         : value == LIMIT       ? request->limit
         : value == COSINE_MEAN ? request->cosine_mean
         : value >= QUANTILES   ? request->samples > 0
                                : true;
}

/* A table being made, with work space for one series. */
struct decay_work {
  const struct decay_request *request;
  struct backend *backend;
  struct table *table;
  double *values; /* (value, distance) */
};

static double *values_of(const struct decay_work *work, int value) {
  return work->values + (size_t)value * work->request->count;
}

static int add_columns(const struct decay_work *work, struct error *error) {
  for (size_t i = 0; i < FIXED_COLUMNS; i++)
    if (table_add_column(work->table, fixed_columns[i].name, fixed_columns[i].kind, error) < 0)
      return ERROR_FAILED;
  for (int v = 0; v < VALUES; v++)
    if (is_wanted(work->request, v) &&
        table_add_column(work->table, value_names[v], COLUMN_REAL, error) < 0)
      return ERROR_FAILED;
  return OK;
}

/* What the sum over the pairs is divided by. At distance 0 every |S_j| is j, in every format. */
static double divisor(enum normalisation normalisation, size_t pairs) {
  const double count = (double)pairs;
  return normalisation == NORMALISE_MEAN   ? count
         : normalisation == NORMALISE_UNIT ? count * (count + 1) / 2
                                           : 1;
}

static int compute(const struct decay_work *work, const struct spectrum *spectrum,
                   struct error *error) {
  const struct decay_request *request = work->request;
  double *bound = values_of(work, BOUND), *envelope = values_of(work, ENVELOPE);
  const struct decay_batch batch = {.phases = phases_of(spectrum),
                                    .count = request->count,
                                    .distance = request->distance,
                                    .single = request->single,
                                    .bound = bound,
                                    .cosine_sum = values_of(work, COSINE_SUM)};
  int status = backend_decay_bound(work->backend, &batch, error);
  if (status) return status;
  for (size_t i = 0; request->cosine_mean && i < request->count; i++)
    values_of(work, COSINE_MEAN)[i] = values_of(work, COSINE_SUM)[i] / (double)spectrum->pairs;
  const double by = divisor(request->normalisation, spectrum->pairs);
  for (size_t i = 0; i < request->count; i++)
    bound[i] /= by;
  for (size_t i = request->count; request->envelope && i-- > 0;)
    envelope[i] = i + 1 < request->count && envelope[i + 1] > bound[i] ? envelope[i + 1] : bound[i];
  if (request->limit)
    status =
        decay_limit(spectrum, request->distance, request->count, values_of(work, LIMIT), error);
  if (!status && request->samples)
    status = decay_samples(work->backend, spectrum, request, values_of(work, QUANTILES), error);
  return status;
}

static int fill_rows(const struct decay_work *work, const struct spectrum *spectrum,
                     const char *name, size_t first_row, struct error *error) {
  struct table *table = work->table;
  for (size_t i = 0; i < work->request->count; i++) {
    const size_t row = first_row + i;
    if (table_set_text(table, row, SERIES, name, error) ||
        table_set_text(table, row, SCALING, spectrum->spec.scaling.type, error))
      return ERROR_FAILED;
    table_set_integer(table, row, DIM, (int64_t)(2 * spectrum->pairs));
    table_set_real(table, row, BASE, spectrum->spec.base);
    table_set_integer(table, row, DISTANCE, work->request->distance[i]);
    size_t column = FIXED_COLUMNS;
    for (int v = 0; v < VALUES; v++)
      if (is_wanted(work->request, v)) table_set_real(table, row, column++, values_of(work, v)[i]);
  }
  return OK;
}

static int run_series(const struct decay_work *work, struct spectrum *const *series, size_t count,
                      size_t index, struct error *error) {
  const struct decay_request *request = work->request;
  const struct spectrum *spectrum = series[index];
  char name[SERIES_NAME];
  series_name(series, count, index, name);
  int status = compute(work, spectrum, error);
  if (!status) status = fill_rows(work, spectrum, name, index * request->count, error);
  if (status) return status;
  struct meta *meta = meta_append_object(table_meta(work->table), "series");
  meta_set_text(meta, "series", name);
  spectrum_describe(spectrum, meta);
  decay_summarise(request, values_of(work, BOUND), values_of(work, COSINE_SUM), meta);
  return request->attain < 0 ? OK
                             : decay_attain(work->backend, spectrum, request->attain, meta, error);
}

static void describe_request(const struct decay_request *request, struct meta *meta) {
  struct meta *distances = meta_object(meta, "distances");
  meta_set_integer(distances, "first", request->distance[0]);
  meta_set_integer(distances, "last", request->distance[request->count - 1]);
  if (request->spacing) meta_set_text(distances, "spacing", request->spacing);
  if (request->spacing && !strcmp(request->spacing, "linear"))
    meta_set_integer(distances, "step", request->step);
  meta_set_integer(distances, "count", (int64_t)request->count);
  meta_set_text(meta, "arithmetic",
                precision_name(request->single ? PRECISION_FP32 : PRECISION_FP64));
  static const char *const formulas[] = {
      [NORMALISE_MEAN] = "1/(dim/2) sum_{j=1..dim/2} |sum_{i<j} exp(i m theta_i)|",
      [NORMALISE_SUM] = "sum_{j=1..dim/2} |sum_{i<j} exp(i m theta_i)|",
      [NORMALISE_UNIT] = "sum_{j=1..dim/2} |sum_{i<j} exp(i m theta_i)| / (its value at m = 0)",
  };
  meta_set_text(meta, "formula", formulas[request->normalisation]);
  meta_set_text(meta, "normalise", normalisation_name(request->normalisation));
  meta_set_flag(meta, "envelope", request->envelope);
  meta_set_flag(meta, "limit", request->limit);
  meta_set_integer(meta, "samples", (int64_t)request->samples);
  if (!request->samples) return;
  char content[64];
  content_describe(&request->content, content, sizeof content);
  meta_set_text(meta, "content", content);
  meta_set_integer(meta, "seed", (int64_t)request->seed);
}

static int check_request(const struct decay_request *request, struct spectrum *const *series,
                         size_t series_count, struct error *error) {
  if (!request->count) return error_set(error, ERROR_INPUT, "no distances: at least one is needed");
  if (!series_count) return error_set(error, ERROR_INPUT, "no series: at least one is needed");
  for (size_t i = 0; i < request->count; i++)
    if (request->distance[i] < (i ? request->distance[i - 1] : 0))
      return error_set(error, ERROR_INPUT, "distances must be 0 or more, and ascend");
  for (size_t i = 0; request->single && i < series_count; i++)
    if (series[i]->spec.precision != PRECISION_FP64)
      return error_set(error, ERROR_INPUT,
                       "single arithmetic and precision '%s' do not go together: only fp64 is "
                       "computed in float",
                       precision_name(series[i]->spec.precision));
  if (request->samples && request->content.kind == CONTENT_ZERO)
    return error_set(error, ERROR_INPUT,
                     "content 'zero' has no scores to sample: ones, gaussian or aligned[:RHO]");
  return OK;
}

int decay_run(struct backend *backend, const struct decay_request *request,
              struct spectrum *const *series, size_t series_count, struct table **table,
              struct error *error) {
  *table = NULL;
  int status = check_request(request, series, series_count, error);
  size_t rows;
  if (__builtin_mul_overflow(series_count, request->count, &rows)) rows = SIZE_MAX;
  const size_t values = request->samples || request->cosine_mean ? VALUES : QUANTILES;
  if (!status)
    status =
        memory_require(request->count, values * sizeof(double), "the values of a curve", error);
  if (status) return status;
  struct decay_work work = {.request = request, .backend = backend};
  work.table = table_create(error);
  work.values =
      memory_array(values * request->count, sizeof(double), "the values of a curve", error);
  if (!work.table || !work.values) status = ERROR_FAILED;
  if (!status) status = add_columns(&work, error);
  if (!status) status = table_add_rows(work.table, rows, error);
  if (!status) describe_request(request, table_meta(work.table));
  for (size_t i = 0; !status && i < series_count; i++) {
    progress_part(i, series_count);
    status = run_series(&work, series, series_count, i, error);
  }
  progress_part(series_count, series_count);
  free(work.values);
  if (status)
    table_destroy(work.table);
  else
    *table = work.table;
  return status;
}

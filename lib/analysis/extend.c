#include "lib/analysis/extend.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/analysis/decay.h"
#include "lib/base/memory.h"
#include "lib/base/progress.h"
#include "lib/rope/phases.h"
#include "lib/rope/scaling.h"

enum { METHOD, FACTOR, BASE, ATTENTION_FACTOR, FIRST_NEGATIVE, UNTRAINED, GAP, COLUMNS };
static const struct {
  const char *name;
  enum column_kind kind;
} columns[COLUMNS] = {
    {"method", COLUMN_TEXT},
    {"factor", COLUMN_REAL},
    {"base", COLUMN_REAL},
    {"attention_factor", COLUMN_REAL},
    {"first_negative_distance", COLUMN_REAL}, /* may be empty */
    {"untrained_pairs", COLUMN_INTEGER},
    {"max_angle_gap", COLUMN_REAL},
};

/* The bound of extrapolation is looked at up to here: 64 pairs take a tenth of a second. */
enum { LAST_BOUND = 131072 };

/* What the methods are compared with, and the table being made. */
struct work {
  struct backend *backend;
  const struct extend_request *request;
  struct spectrum *trained; /* the model without any method */
  struct table *table;
};

/* Whether the pair completes a turn within the original context. */
static bool turns(const struct work *work, size_t pair) {
  return (double)work->request->original * work->trained->inv_freq_double[pair] >= 2 * M_PI;
}

/* Angles beyond those of training. A method that ends exactly where training did is off by what the
   factor and the steps of its rule are rounded by: a few units of double or float, of which 16 are
   let pass, and below float by what both frequencies are rounded to. */
static size_t count_untrained(const struct work *work, const struct spectrum *spectrum,
                              double *gap) {
  const enum precision precision = spectrum->spec.precision;
  const double slack = precision == PRECISION_FP64   ? 16 * DBL_EPSILON
                       : precision == PRECISION_FP32 ? 16 * FLT_EPSILON
                                                     : 3 * precision_roundoff(precision);
  size_t count = 0;
  *gap = 0;
  for (size_t i = 0; i < spectrum->pairs; i++) {
    if (turns(work, i)) continue;
    const double known = (double)work->request->original * work->trained->inv_freq_double[i];
    const double reached = (double)work->request->target * spectrum->inv_freq_double[i];
    if (reached - known <= slack * known) continue;
    count++;
    *gap = fmax(*gap, reached - known);
  }
  return count;
}

static int find_negative(const struct work *work, const struct spectrum *spectrum,
                         double *first_negative, struct error *error) {
  int64_t first;
  const struct cosine_sum_batch batch = {.phases = phases_of(spectrum),
                                         .step = 1,
                                         .count = (size_t)work->request->target + 1,
                                         .stop_at_negative = true,
                                         .first_negative = &first};
  const int status = backend_cosine_sum(work->backend, &batch, error);
  if (!status) *first_negative = first < 0 ? NAN : (double)first;
  return status;
}

/* The factor by which a method was asked to stretch, NaN where it has none. */
static double factor_of(const struct work *work, const char *method, const struct rope_spec *spec) {
  if (!strcmp(method, "base"))
    return (double)work->request->target / (double)work->request->original;
  return spec_parameter(spec, "factor");
}

static int fill_row(const struct work *work, size_t row, const struct spectrum *spectrum,
                    struct error *error) {
  const char *method = work->request->methods.name[row];
  double gap, first_negative = NAN;
  const size_t untrained = count_untrained(work, spectrum, &gap);
  int status = find_negative(work, spectrum, &first_negative, error);
  if (!status) status = table_set_text(work->table, row, METHOD, method, error);
  if (status) return status;
  table_set_real(work->table, row, FACTOR, factor_of(work, method, &spectrum->spec));
  table_set_real(work->table, row, BASE, spectrum->spec.base);
  table_set_real(work->table, row, ATTENTION_FACTOR, spectrum->attention_factor);
  table_set_real(work->table, row, FIRST_NEGATIVE, first_negative);
  table_set_integer(work->table, row, UNTRAINED, (int64_t)untrained);
  table_set_real(work->table, row, GAP, gap);
  return OK;
}

static int run_method(const struct work *work, size_t row, struct error *error) {
  const char *method = work->request->methods.name[row];
  struct meta *meta = table_meta(work->table);
  struct rope_spec spec;
  struct spectrum *spectrum;
  int status = extend_method(work->request, method, &spec, error);
  if (status) return status;
  scaling_warn(&spec, meta);
  if (spectrum_create(&spec, &spectrum, error)) return error_prefix(error, "method '%s'", method);
  status = fill_row(work, row, spectrum, error);
  struct meta *own = meta_append_object(meta, "methods");
  meta_set_text(own, "method", method);
  spectrum_describe(spectrum, own);
  spectrum_destroy(spectrum);
  return status;
}

/* Σ_j |S_j| / d of the model as it is. */
static int describe_bound(const struct work *work, struct meta *meta, struct error *error) {
  const int64_t target = work->request->target, last = target < LAST_BOUND ? target : LAST_BOUND;
  int64_t *distance = NULL;
  size_t count, lowest = 0;
  int status = decay_linear_distances(0, last, 1, &distance, &count, error);
  if (status) return status;
  double *bound = memory_array(count, sizeof *bound, "the bound of extrapolation", error);
  struct decay_batch batch = {
      .phases = phases_of(work->trained), .count = count, .distance = distance, .bound = bound};
  batch.phases.precision = PRECISION_FP64; /* its frequencies are rounded: enough for a bound */
  status = bound ? backend_decay_bound(work->backend, &batch, error) : ERROR_FAILED;
  const double dim = 2 * (double)work->trained->pairs;
  double below = NAN;
  for (size_t i = 0; !status && i < count; i++) {
    if (bound[i] < bound[lowest]) lowest = i;
    if (isnan(below) && bound[i] < dim) below = (double)distance[i];
  }
  if (!status) {
    meta_set_real(meta, "minimum", bound[lowest] / dim);
    meta_set_integer(meta, "minimum_distance", distance[lowest]);
    if (isnan(below))
      meta_set_text(meta, "first_below_1", NULL);
    else
      meta_set_integer(meta, "first_below_1", (int64_t)below);
    meta_set_integer(meta, "last_distance", last);
  }
  free(bound);
  free(distance);
  return status;
}

static int describe(const struct work *work, struct error *error) {
  const struct extend_request *request = work->request;
  const struct spec_scaling *own = &request->spec->scaling;
  struct meta *meta = table_meta(work->table);
  size_t never = 0;
  for (size_t i = 0; i < work->trained->pairs; i++)
    never += !turns(work, i);
  meta_set_integer(meta, "original_context", request->original);
  meta_set_integer(meta, "target", request->target);
  meta_set_text(meta, "replaced_scaling", strcmp(own->type, "none") ? own->type : NULL);
  meta_set_integer(meta, "never_turning_pairs", (int64_t)never);
  meta_set_real(meta, "interpolation_bound_divisor",
                request->spec->base > 1 ? 32 * log(request->spec->base) : NAN);
  return describe_bound(work, meta_object(meta, "extrapolation"), error);
}

static int fill_table(const struct work *work, struct error *error) {
  const size_t count = work->request->methods.count;
  for (size_t i = 0; i < COLUMNS; i++)
    if (table_add_column(work->table, columns[i].name, columns[i].kind, error) < 0)
      return ERROR_FAILED;
  int status = table_add_rows(work->table, count, error);
  if (!status) status = describe(work, error);
  for (size_t i = 0; !status && i < count; i++) {
    progress_part(i, count);
    status = run_method(work, i, error);
  }
  progress_part(count, count);
  return status;
}

int extend_run(struct backend *backend, const struct extend_request *request, struct table **table,
               struct error *error) {
  struct work work = {.backend = backend, .request = request};
  struct rope_spec spec;
  *table = NULL;
  if (!request->methods.count)
    return error_set(error, ERROR_INPUT, "no methods: at least one is needed");
  /* Contexts that make no sense, and a RoPE without a base, are found here. */
  int status = extend_method(request, "none", &spec, error);
  if (!status) status = spectrum_create(&spec, &work.trained, error);
  if (status) return status;
  work.table = table_create(error);
  status = work.table ? fill_table(&work, error) : ERROR_FAILED;
  spectrum_destroy(work.trained);
  if (status)
    table_destroy(work.table);
  else
    *table = work.table;
  return status;
}

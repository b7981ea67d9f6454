#include "lib/analysis/engine_diff.h"

#include <math.h>

#include "lib/analysis/series_name.h"

enum {
  SERIES,
  LAYER_TYPE,
  PAIR,
  REFERENCE,
  ENGINE,
  INV_FREQ_REFERENCE,
  INV_FREQ,
  RELATIVE,
  ANGLE,
  COLUMNS
};

static const struct {
  const char *name;
  enum column_kind kind;
} columns[COLUMNS] = {
    {"series", COLUMN_TEXT},           {"layer_type", COLUMN_TEXT},
    {"pair", COLUMN_INTEGER},          {"reference", COLUMN_TEXT},
    {"engine", COLUMN_TEXT},           {"inv_freq_reference", COLUMN_REAL},
    {"inv_freq", COLUMN_REAL},         {"relative_difference", COLUMN_REAL},
    {"angle_difference", COLUMN_REAL},
};

/* One engine's answer for one series. */
struct answer {
  const struct engine *engine;
  struct spectrum *spectrum;
  struct meta *notes; /* holds "engine_notes" */
};

static int ask(const struct engine *engine, const struct rope_spec *spec, struct answer *answer,
               struct error *error) {
  *answer = (struct answer){.engine = engine, .notes = meta_create()};
  if (!answer->notes) {
    error_set(error, ERROR_FAILED, "out of memory for an engine's notes");
    return ERROR_FAILED;
  }
  return engine_spectrum(engine, spec, &answer->spectrum, answer->notes, error);
}

static void release(struct answer *answer) {
  spectrum_destroy(answer->spectrum);
  meta_destroy(answer->notes);
}

static double relative_difference(long double reference, long double value) {
  if (reference == 0) return value == 0 ? 0 : INFINITY;
  return (double)((value - reference) / reference);
}

static double angle_difference(long double reference, long double value, int64_t context) {
  return context > 0 ? (double)((value - reference) * (long double)(context - 1)) : NAN;
}

/* The value that is largest in size, and where it stands; 0 and no pair where all are 0. */
struct largest {
  double value;
  int64_t pair;
};

static void look_at(struct largest *largest, double value, size_t pair) {
  if (!(fabs(value) > fabs(largest->value))) return;
  largest->value = value;
  largest->pair = (int64_t)pair;
}

static void describe_largest(const char *name, const char *pair_name, struct largest largest,
                             struct meta *meta) {
  meta_set_real(meta, name, largest.value);
  if (largest.pair >= 0)
    meta_set_integer(meta, pair_name, largest.pair);
  else
    meta_set_text(meta, pair_name, NULL);
}

static void copy_notes(const struct answer *answer, const char *name, struct meta *meta) {
  meta_add_list(meta, name);
  for (size_t i = 0; i < meta_count(answer->notes, "engine_notes"); i++)
    meta_append_text(meta, name, meta_item_text(answer->notes, "engine_notes", i));
}

static void describe(const struct answer *reference, const struct answer *other, const char *name,
                     struct largest relative, struct largest angle, struct meta *meta) {
  const struct rope_spec *spec = &other->spectrum->spec;
  meta_set_text(meta, "series", name);
  if (*spec->layer_type) meta_set_text(meta, "layer_type", spec->layer_type);
  meta_set_text(meta, "reference", reference->engine->name);
  meta_set_text(meta, "engine", other->engine->name);
  meta_set_text(meta, "reference_version", reference->engine->version);
  meta_set_text(meta, "engine_version", other->engine->version);
  if (spec->context > 0)
    meta_set_integer(meta, "context", spec->context);
  else
    meta_set_text(meta, "context", NULL);
  meta_set_real(meta, "attention_factor_reference", reference->spectrum->attention_factor);
  meta_set_real(meta, "attention_factor", other->spectrum->attention_factor);
  meta_set_real(meta, "softmax_factor_reference", reference->spectrum->softmax_factor);
  meta_set_real(meta, "softmax_factor", other->spectrum->softmax_factor);
  describe_largest("relative_difference", "relative_difference_pair", relative, meta);
  if (spec->context == 0) angle.value = NAN;
  describe_largest("angle_difference", "angle_difference_pair", angle, meta);
  copy_notes(reference, "reference_notes", meta);
  copy_notes(other, "engine_notes", meta);
}

static int fill_row(struct table *table, size_t row, const struct answer *reference,
                    const struct answer *other, const char *name, struct error *error) {
  const int failed =
      table_set_text(table, row, SERIES, name, error) ||
      table_set_text(table, row, LAYER_TYPE, other->spectrum->spec.layer_type, error) ||
      table_set_text(table, row, REFERENCE, reference->engine->name, error) ||
      table_set_text(table, row, ENGINE, other->engine->name, error);
  return failed ? ERROR_FAILED : OK;
}

static int compare(struct table *table, const struct answer *reference, const struct answer *other,
                   const char *name, struct error *error) {
  const int64_t context = other->spectrum->spec.context;
  struct largest relative = {0, -1}, angle = {0, -1};
  size_t row = table_rows(table);
  int failed = table_add_rows(table, other->spectrum->pairs, error);
  for (size_t i = 0; !failed && i < other->spectrum->pairs; i++, row++) {
    const long double a = reference->spectrum->inv_freq[i], b = other->spectrum->inv_freq[i];
    const double by = relative_difference(a, b), turned = angle_difference(a, b, context);
    look_at(&relative, by, i);
    look_at(&angle, turned, i);
    failed = fill_row(table, row, reference, other, name, error);
    table_set_integer(table, row, PAIR, (int64_t)i);
    table_set_real(table, row, INV_FREQ_REFERENCE, (double)a);
    table_set_real(table, row, INV_FREQ, (double)b);
    table_set_real(table, row, RELATIVE, by);
    table_set_real(table, row, ANGLE, turned);
  }
  if (!failed)
    describe(reference, other, name, relative, angle,
             meta_append_object(table_meta(table), "series"));
  return failed;
}

static int run_series(const struct engine *const *engines, size_t count,
                      const struct rope_spec *spec, const char *name, struct table *table,
                      struct error *error) {
  struct answer reference, other;
  int failed = ask(engines[0], spec, &reference, error);
  for (size_t e = 1; !failed && e < count; e++) {
    failed = ask(engines[e], spec, &other, error);
    if (!failed) failed = compare(table, &reference, &other, name, error);
    release(&other);
  }
  release(&reference);
  return failed;
}

static int check(const struct engine *const *engines, size_t count, size_t series_count,
                 struct error *error) {
  if (count < 2)
    return error_set(error, ERROR_INPUT, "%zu engine%s to compare: two or more are needed", count,
                     count == 1 ? "" : "s");
  for (size_t i = 0; i < count; i++)
    for (size_t j = 0; j < i; j++)
      if (engines[i] == engines[j])
        return error_set(error, ERROR_INPUT, "the engine '%s' is named twice", engines[i]->name);
  if (!series_count) return error_set(error, ERROR_INPUT, "no series: at least one is needed");
  return OK;
}

static void describe_engines(const struct engine *const *engines, size_t count, struct meta *meta) {
  meta_set_text(meta, "reference", engines[0]->name);
  for (size_t i = 0; i < count; i++) {
    struct meta *engine = meta_append_object(meta, "engines");
    meta_set_text(engine, "name", engines[i]->name);
    meta_set_text(engine, "title", engines[i]->title);
    meta_set_text(engine, "version", engines[i]->version);
  }
}

int engine_diff(const struct engine *const *engines, size_t count, struct spectrum *const *series,
                size_t series_count, struct table **table, struct error *error) {
  *table = NULL;
  int failed = check(engines, count, series_count, error);
  if (failed) return failed;
  struct table *made = table_create(error);
  if (!made) return ERROR_FAILED;
  for (size_t i = 0; !failed && i < COLUMNS; i++)
    if (table_add_column(made, columns[i].name, columns[i].kind, error) < 0) failed = ERROR_FAILED;
  if (!failed) describe_engines(engines, count, table_meta(made));
  for (size_t i = 0; !failed && i < series_count; i++) {
    char name[SERIES_NAME];
    series_name(series, series_count, i, name);
    failed = run_series(engines, count, &series[i]->spec, name, made, error);
  }
  if (failed)
    table_destroy(made);
  else
    *table = made;
  return failed;
}

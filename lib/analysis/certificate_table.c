/* From outcomes to rows. */
#include <math.h>
#include <stdio.h>

#include "lib/analysis/certificate_bound.h"
#include "lib/analysis/certificate_check.h"

static const char reading[] =
    "A row passes when value <= tolerance. Each tolerance bounds what rounding can do, so right "
    "code never fails and a larger value is a fault. Letters: d head dimension, e = 2^-53, t "
    "largest "
    "error of a cosine or sine (u/2 + e with the format's unit roundoff u; e in fp64), r error of "
    "the angle from rounding position and product, f from rounding the frequency. vacuous: the "
    "fault named would pass as well, so the row proves nothing; at large positions this is where "
    "the angles of bf16 and fp16 end.";

static const char *status_of(const struct certificate_outcome *outcome) {
  if (outcome->state == CERTIFICATE_BEYOND) return "vacuous";
  const struct certificate_result *result = &outcome->result;
  if (!(result->value <= result->tolerance)) return "fail";
  return result->tolerance < result->blind ? "pass" : "vacuous";
}

static void describe(const struct certificate_outcome *outcome,
                     const struct certificate_check *check, enum precision precision, char *text,
                     size_t size) {
  const char *name = precision_name(precision);
  const struct certificate_result *result = &outcome->result;
  if (outcome->state == CERTIFICATE_BEYOND) {
    snprintf(text, size,
             "%s: proves nothing: the position or an angle there is beyond the largest %s", name,
             name);
    return;
  }
  size_t used = (size_t)snprintf(text, size, "%s: %s; t = %.3g", name, check->tolerance,
                                 bound_entry(precision));
  if (*result->remark && used < size)
    used += (size_t)snprintf(text + used, size - used, "; %s", result->remark);
  if (status_of(outcome)[0] == 'v' && used < size)
    snprintf(text + used, size - used, "; proves nothing: %s would have %.3g", check->blind,
             result->blind);
}

enum {
  COLUMN_CHECK,
  COLUMN_POSITION,
  COLUMN_VALUE,
  COLUMN_TOLERANCE,
  COLUMN_UNIT,
  COLUMN_STATUS,
  COLUMN_DETAIL
};

static int add_columns(struct table *table, struct error *error) {
  static const struct {
    const char *name;
    enum column_kind kind;
  } columns[] = {{"check", COLUMN_TEXT},     {"position", COLUMN_REAL}, {"value", COLUMN_REAL},
                 {"tolerance", COLUMN_REAL}, {"unit", COLUMN_TEXT},     {"status", COLUMN_TEXT},
                 {"detail", COLUMN_TEXT}};
  for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
    if (table_add_column(table, columns[i].name, columns[i].kind, error) < 0) return ERROR_FAILED;
  return OK;
}

struct row {
  const char *check;
  double position, value, tolerance;
  const char *unit, *status, *detail;
};

static int add_row(struct table *table, const struct row *row, struct error *error) {
  const size_t at = table_rows(table);
  int code = table_add_rows(table, 1, error);
  if (code) return code;
  table_set_real(table, at, COLUMN_POSITION, row->position);
  table_set_real(table, at, COLUMN_VALUE, row->value);
  table_set_real(table, at, COLUMN_TOLERANCE, row->tolerance);
  code = table_set_text(table, at, COLUMN_CHECK, row->check, error);
  if (!code) code = table_set_text(table, at, COLUMN_UNIT, row->unit, error);
  if (!code) code = table_set_text(table, at, COLUMN_STATUS, row->status, error);
  return code ? code : table_set_text(table, at, COLUMN_DETAIL, row->detail, error);
}

struct counts {
  int64_t passed, failed, vacuous, notes;
};

static int add_outcome(struct table *table, const struct certificate *work, size_t index,
                       size_t check, struct counts *counts, struct error *error) {
  const struct certificate_outcome *outcome = &work->outcomes[index * CERTIFICATE_CHECKS + check];
  if (outcome->state == CERTIFICATE_SKIPPED) return OK;
  const bool done = outcome->state == CERTIFICATE_DONE;
  char detail[512];
  describe(outcome, certificate_checks[check],
           work->request->precisions[index / work->position_count], detail, sizeof detail);
  const char *status = status_of(outcome);
  counts->passed += *status == 'p';
  counts->failed += *status == 'f';
  counts->vacuous += *status == 'v';
  return add_row(table,
                 &(struct row){.check = certificate_checks[check]->name,
                               .position = (double)work->positions[index % work->position_count],
                               .value = done ? outcome->result.value : NAN,
                               .tolerance = done ? outcome->result.tolerance : NAN,
                               .unit = certificate_checks[check]->unit,
                               .status = status,
                               .detail = detail},
                 error);
}

/* Cos and sin times an attention factor are no rotation: what was proved is the rotation inside. */
static int add_notes(struct table *table, const struct certificate *work, struct counts *counts,
                     struct error *error) {
  const double factor = work->request->spectrum->attention_factor;
  if (factor == 1) return OK;
  char detail[256];
  snprintf(detail, sizeof detail,
           "the model multiplies cos and sin by %.10g, so norms by it and scores by %.10g; the "
           "rotation was checked without it",
           factor, factor * factor);
  counts->notes++;
  return add_row(table,
                 &(struct row){.check = "attention_factor",
                               .position = NAN,
                               .value = factor,
                               .tolerance = NAN,
                               .unit = "1",
                               .status = "note",
                               .detail = detail},
                 error);
}

static void set_positions(struct meta *meta, const struct certificate *work) {
  double all[CERTIFICATE_POSITIONS], dense[CERTIFICATE_POSITIONS];
  size_t dense_count = 0;
  for (size_t i = 0; i < work->position_count; i++) {
    all[i] = (double)work->positions[i];
    if (work->dense[i]) dense[dense_count++] = all[i];
  }
  meta_set_reals(meta, "positions", all, work->position_count);
  meta_set_reals(meta, "dense_positions", dense, dense_count);
}

static void set_meta(struct meta *meta, const struct certificate *work,
                     const struct counts *counts) {
  const struct certificate_request *request = work->request;
  spectrum_describe(request->spectrum, meta);
  /* The checks have formats of their own. */
  meta_set_text(meta, "precision",
                request->precision_count == 1 ? precision_name(request->precisions[0]) : NULL);
  meta_set_integer(meta, "max_position", request->max_position);
  meta_set_integer(meta, "samples", (int64_t)request->samples);
  set_positions(meta, work);
  for (size_t p = 0; p < request->precision_count; p++)
    meta_append_text(meta, "precisions", precision_name(request->precisions[p]));
  meta_set_integer(meta, "vectors", CERTIFICATE_VECTORS);
  meta_set_integer(meta, "seed", (int64_t)request->seed);
  meta_set_integer(meta, "passed", counts->passed);
  meta_set_integer(meta, "failed", counts->failed);
  meta_set_integer(meta, "vacuous", counts->vacuous);
  meta_set_integer(meta, "notes", counts->notes);
  meta_set_text(meta, "reading", reading);
}

int certificate_table(const struct certificate *work, struct table **result, struct error *error) {
  const size_t cases = work->request->precision_count * work->position_count;
  struct counts counts = {0};
  struct table *table = table_create(error);
  if (!table) return ERROR_FAILED;
  int code = add_columns(table, error);
  for (size_t c = 0; c < CERTIFICATE_CHECKS; c++)
    for (size_t index = 0; !code && index < cases; index++)
      code = add_outcome(table, work, index, c, &counts, error);
  if (!code) code = add_notes(table, work, &counts, error);
  if (code) {
    table_destroy(table);
    return code;
  }
  set_meta(table_meta(table), work, &counts);
  *result = table;
  return OK;
}

/* What a figure shows of a certificate. */
#include <math.h>
#include <string.h>

#include "lib/analysis/certificate_check.h"

const char *certificate_check_name(size_t index) {
  return index < CERTIFICATE_CHECKS ? certificate_checks[index]->name : NULL;
}

int certificate_find_curves(const char *name, size_t *check, struct error *error) {
  char names[CERTIFICATE_CHECKS * 32] = "";
  for (size_t i = 0; i < CERTIFICATE_CHECKS; i++) {
    const struct certificate_check *candidate = certificate_checks[i];
    if (!strcmp(name, candidate->name)) {
      *check = i;
      if (candidate->quantity) return OK;
      return error_set(error, ERROR_INPUT,
                       "check '%s' has no curves: its value must be 0, and a logarithmic axis has "
                       "no 0",
                       name);
    }
    if (!candidate->quantity) continue;
    if (i) strcat(names, i + 1 < CERTIFICATE_CHECKS ? ", " : " or ");
    strcat(names, candidate->name);
  }
  return error_set(error, ERROR_INPUT, "unknown check '%s': %s", name, names);
}

const char *certificate_quantity(size_t check) {
  return certificate_checks[check]->quantity;
}

/* Columns of the certificate, and what they become. */
enum { CHECK, POSITION, VALUE, TOLERANCE, STATUS, DETAIL, COLUMNS };
enum { OUT_PRECISION, OUT_POSITION, OUT_VALUE, OUT_UNPROVED, OUT_TOLERANCE };

struct source {
  const struct table *table;
  size_t column[COLUMNS];
};

/* `detail` begins with the precision. */
static size_t precision_length(const struct source *from, size_t row) {
  return strcspn(table_text(from->table, row, from->column[DETAIL]), ":");
}

static bool has_status(const struct source *from, size_t row, const char *status) {
  return !strcmp(table_text(from->table, row, from->column[STATUS]), status);
}

/* Whether `row` is of the check and the precision of row `of`, and proves nothing. */
static bool is_unproved_beside(const struct source *from, size_t row, size_t of) {
  const size_t check = from->column[CHECK], detail = from->column[DETAIL];
  return row < table_rows(from->table) && has_status(from, row, "vacuous") &&
         !strcmp(table_text(from->table, row, check), table_text(from->table, of, check)) &&
         !strncmp(table_text(from->table, row, detail), table_text(from->table, of, detail),
                  precision_length(from, of) + 1);
}

/* A piece of the curve is that of what proves nothing when one of its ends is: the other, where it
   has a place on a logarithmic axis, belongs to both kinds. */
static int add_point(const struct source *from, size_t row, struct table *curves,
                     struct error *error) {
  const size_t at = table_rows(curves);
  const double value = table_real(from->table, row, from->column[VALUE]);
  const bool vacuous = has_status(from, row, "vacuous");
  const bool beside =
      is_unproved_beside(from, row + 1, row) || (row && is_unproved_beside(from, row - 1, row));
  char precision[16];
  const int length = (int)precision_length(from, row);
  snprintf(precision, sizeof precision, "%.*s", length,
           table_text(from->table, row, from->column[DETAIL]));
  if (table_add_rows(curves, 1, error)) return ERROR_FAILED;
  table_set_real(curves, at, OUT_POSITION, table_real(from->table, row, from->column[POSITION]));
  table_set_real(curves, at, OUT_VALUE, vacuous ? NAN : value);
  table_set_real(curves, at, OUT_UNPROVED, vacuous || (beside && value > 0) ? value : NAN);
  table_set_real(curves, at, OUT_TOLERANCE, table_real(from->table, row, from->column[TOLERANCE]));
  return table_set_text(curves, at, OUT_PRECISION, precision, error);
}

static int add_failed(const struct source *from, size_t row, struct table *failed,
                      struct error *error) {
  const size_t at = table_rows(failed);
  if (table_add_rows(failed, 1, error)) return ERROR_FAILED;
  table_set_real(failed, at, 0, table_real(from->table, row, from->column[POSITION]));
  table_set_real(failed, at, 1, table_real(from->table, row, from->column[VALUE]));
  return OK;
}

static struct table *create(const char *const names[], struct error *error) {
  struct table *table = table_create(error);
  for (size_t i = 0; table && names[i]; i++)
    if (table_add_column(table, names[i], strcmp(names[i], "precision") ? COLUMN_REAL : COLUMN_TEXT,
                         error) < 0) {
      table_destroy(table);
      return NULL;
    }
  return table;
}

int certificate_curves(const struct table *certificate, size_t check, struct table **curves,
                       struct table **failed, struct error *error) {
  static const char *const columns[COLUMNS] = {"check",     "position", "value",
                                               "tolerance", "status",   "detail"};
  struct source from = {.table = certificate};
  for (size_t i = 0; i < COLUMNS; i++)
    from.column[i] = (size_t)table_find_column(certificate, columns[i]);
  *curves =
      create((const char *const[]){"precision", "position", "value", "unproved", "tolerance", NULL},
             error);
  *failed = create((const char *const[]){"position", "value", NULL}, error);
  int code = *curves && *failed ? OK : ERROR_FAILED;
  for (size_t row = 0; !code && row < table_rows(certificate); row++) {
    if (strcmp(table_text(certificate, row, from.column[CHECK]), certificate_check_name(check)))
      continue;
    code = add_point(&from, row, *curves, error);
    if (!code && has_status(&from, row, "fail")) code = add_failed(&from, row, *failed, error);
  }
  if (code || !table_rows(*failed)) {
    table_destroy(*failed);
    *failed = NULL;
  }
  if (!code) return OK;
  table_destroy(*curves);
  *curves = NULL;
  return code;
}

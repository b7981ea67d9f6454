/* lib/analysis/certificate.h: what a figure shows of a certificate. */
#include "tests/unit/spectra.h"

#include "lib/analysis/certificate.h"

enum { CHECK, POSITION, VALUE, TOLERANCE, UNIT, STATUS, DETAIL };

/* A row of a certificate, and what becomes of its value: NAN is an empty cell. */
struct row {
  const char *check;
  double position, value;
  const char *status, *detail;
  double proved, unproved;
};

static struct table *certificate_of(const struct row *rows, size_t count) {
  static const char *const names[] = {"check", "position", "value", "tolerance",
                                      "unit",  "status",   "detail"};
  struct table *table = table_create(NULL);
  for (size_t c = 0; c <= DETAIL; c++)
    assert_true(table_add_column(table, names[c],
                                 c >= POSITION && c <= TOLERANCE ? COLUMN_REAL : COLUMN_TEXT,
                                 NULL) >= 0);
  assert_int_equal(table_add_rows(table, count, NULL), OK);
  for (size_t r = 0; r < count; r++) {
    table_set_text(table, r, CHECK, rows[r].check, NULL);
    table_set_real(table, r, POSITION, rows[r].position);
    table_set_real(table, r, VALUE, rows[r].value);
    table_set_real(table, r, TOLERANCE, 10 + (double)r);
    table_set_text(table, r, UNIT, "1", NULL);
    table_set_text(table, r, STATUS, rows[r].status, NULL);
    table_set_text(table, r, DETAIL, rows[r].detail, NULL);
  }
  return table;
}

static double cell(const struct table *table, size_t row, const char *column) {
  const int index = table_find_column(table, column);
  assert_true(index >= 0);
  return table_real(table, row, (size_t)index);
}

static void assert_cell(const struct table *table, size_t row, const char *column,
                        double expected) {
  const double value = cell(table, row, column);
  if (isnan(expected) != isnan(value)) fail_msg("row %zu, %s: %g", row, column, value);
  if (!isnan(expected)) assert_near(value, expected, 0);
}

static size_t find(const char *name) {
  size_t check = SIZE_MAX;
  assert_int_equal(certificate_find_curves(name, &check, NULL), OK);
  assert_string_equal(certificate_check_name(check), name);
  return check;
}

/* Solid where both ends of a piece prove something, else of the other kind; a 0 has no place, and
   neither another check nor another precision is a neighbour. */
static void values_are_of_two_kinds(void **state) {
  (void)state;
  static const struct row rows[] = {
      {"inverse", 1, 7, "vacuous", "fp32: a", 0, 0},
      {"norm", 1, 1, "pass", "fp32: b", 1, NAN},
      {"norm", 2, 2, "pass", "fp32: b", 2, 2},
      {"norm", 4, 3, "vacuous", "fp32: b", NAN, 3},
      {"norm", 8, 0, "pass", "fp32: b", 0, NAN},
      {"norm", 16, NAN, "vacuous", "fp32: b", NAN, NAN},
      {"norm", 32, 4, "fail", "fp32: b", 4, 4},
      {"norm", 1, 5, "pass", "fp16: b", 5, NAN},
      {"norm", 2, 6, "fail", "fp16: b", 6, NAN},
      {"relative_property", 1, 7, "vacuous", "fp16: c", 0, 0},
  };
  struct table *certificate = certificate_of(rows, sizeof rows / sizeof *rows), *curves, *failed;
  assert_int_equal(certificate_curves(certificate, find("norm"), &curves, &failed, NULL), OK);
  assert_int_equal(table_rows(curves), 8);
  for (size_t r = 0; r < 8; r++) {
    const char *precision = table_text(curves, r, 0);
    assert_string_equal(precision, r < 6 ? "fp32" : "fp16");
    assert_cell(curves, r, "position", rows[r + 1].position);
    assert_cell(curves, r, "value", rows[r + 1].proved);
    assert_cell(curves, r, "unproved", rows[r + 1].unproved);
    assert_cell(curves, r, "tolerance", 11 + (double)r);
  }
  assert_int_equal(table_rows(failed), 2);
  assert_cell(failed, 0, "position", 32);
  assert_cell(failed, 0, "value", 4);
  assert_cell(failed, 1, "position", 2);
  assert_cell(failed, 1, "value", 6);
  table_destroy(curves);
  table_destroy(failed);
  assert_int_equal(certificate_curves(certificate, find("inverse"), &curves, &failed, NULL), OK);
  assert_int_equal(table_rows(curves), 1);
  assert_null(failed);
  table_destroy(curves);
  table_destroy(certificate);
}

/* Of a real one: in bf16 the shift error proves nothing beyond a few hundred tokens. */
static void shift_errors(void **state) {
  static const enum precision formats[] = {PRECISION_FP64, PRECISION_BF16};
  struct spectrum *spectrum = plain_spectrum(64, 10000);
  const struct certificate_request request = {.spectrum = spectrum,
                                              .max_position = 4096,
                                              .samples = 20,
                                              .precisions = formats,
                                              .precision_count = 2,
                                              .seed = 1};
  struct table *certificate = NULL, *curves = NULL, *failed = NULL;
  struct error error;
  if (certificate_run(*state, &request, &certificate, &error)) fail_msg("%s", error.message);
  assert_int_equal(
      certificate_curves(certificate, find("relative_property"), &curves, &failed, NULL), OK);
  assert_null(failed);
  assert_near(meta_real(table_meta(certificate), "samples", NAN), 20, 0);
  const size_t rows = table_rows(curves), positions = rows / 2;
  assert_true(positions > 20 && rows == 2 * positions);
  assert_int_equal(table_rows(certificate), 11 * rows);
  for (size_t r = 0; r < rows; r++) {
    const bool bf16 = r >= positions;
    assert_string_equal(table_text(curves, r, 0), bf16 ? "bf16" : "fp64");
    if (!bf16) assert_true(cell(curves, r, "value") < 1e-15);
    if (!bf16) assert_cell(curves, r, "unproved", NAN);
    if (bf16 && cell(curves, r, "position") > 1000) assert_cell(curves, r, "value", NAN);
  }
  assert_true(cell(curves, rows - 1, "unproved") > 0.1);
  table_destroy(curves);
  table_destroy(certificate);
  spectrum_destroy(spectrum);
}

static void checks_have_names(void **state) {
  (void)state;
  struct error error;
  size_t check, count = 0;
  for (const char *name; (name = certificate_check_name(count)); count++) {
    if (!strcmp(name, "layout_equivalence")) continue;
    assert_int_equal(find(name), count);
    assert_true(*certificate_quantity(count));
    assert_null(strchr(certificate_quantity(count), '_')); /* no mark-up: it would be drawn */
  }
  assert_int_equal(certificate_find_curves("layout_equivalence", &check, &error), ERROR_INPUT);
  assert_message(error, "'layout_equivalence' has no curves: its value must be 0");
  assert_int_equal(count, 11);
  assert_int_equal(certificate_find_curves("Norm", &check, &error), ERROR_INPUT);
  assert_message(error, "unknown check 'Norm': orthogonality_max, orthogonality_spectral,");
  assert_message(error, " relative_property or kernel_agreement");
}

static int open_backend(void **state) {
  *state = open_cpu();
  return 0;
}

static int close_backend(void **state) {
  backend_close(*state);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(values_are_of_two_kinds),
      cmocka_unit_test(shift_errors),
      cmocka_unit_test(checks_have_names),
  };
  return cmocka_run_group_tests(tests, open_backend, close_backend);
}

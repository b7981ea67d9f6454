/* lib/analysis/certificate.h: faults planted into the matrix, and which checks see them. */
#include "tests/unit/spectra.h"

#include "lib/analysis/certificate.h"
#include "lib/rope/rotation.h"

enum { LAST = 100 };

#define ISOMETRY "orthogonality_max orthogonality_spectral determinant singular_values "

static double *cell(const struct spectrum *spectrum, double *matrix, size_t row, size_t column) {
  return &matrix[row * spectrum->spec.head_dim + column];
}

/* Writes the block of a pair anew, rotated by `angle` and scaled. */
static void set_pair(const struct spectrum *spectrum, enum layout layout, size_t pair,
                     long double angle, double scale, double *matrix) {
  const size_t a = layout_first(layout, pair), b = layout_second(layout, pair, spectrum->pairs);
  const double cosine = (double)(scale * cosl(angle)), sine = (double)(scale * sinl(angle));
  *cell(spectrum, matrix, a, a) = *cell(spectrum, matrix, b, b) = cosine;
  *cell(spectrum, matrix, a, b) = -sine;
  *cell(spectrum, matrix, b, a) = sine;
}

static long double angle_of(const struct spectrum *spectrum, size_t pair, int64_t position) {
  return (long double)position * spectrum->inv_freq[pair];
}

static void one_sign(const struct spectrum *spectrum, enum layout layout, enum precision precision,
                     int64_t position, double *matrix) {
  rotation_matrix(spectrum, layout, precision, position, matrix);
  const size_t a = layout_first(layout, 2), b = layout_second(layout, 2, spectrum->pairs);
  *cell(spectrum, matrix, a, b) *= -1;
}

static void transposed(const struct spectrum *spectrum, enum layout layout,
                       enum precision precision, int64_t position, double *matrix) {
  rotation_matrix(spectrum, layout, precision, -position, matrix);
}

static void exponent(const struct spectrum *spectrum, enum layout layout, enum precision precision,
                     int64_t position, double *matrix) {
  rotation_matrix(spectrum, layout, precision, position, matrix);
  for (size_t i = 0; i < spectrum->pairs; i++)
    set_pair(spectrum, layout, i, (long double)position * sqrtl(spectrum->inv_freq[i]), 1, matrix);
}

static void scaled_pair(const struct spectrum *spectrum, enum layout layout,
                        enum precision precision, int64_t position, double *matrix) {
  rotation_matrix(spectrum, layout, precision, position, matrix);
  set_pair(spectrum, layout, 1, angle_of(spectrum, 1, position), 1 + 1e-10, matrix);
}

static void one_angle(const struct spectrum *spectrum, enum layout layout, enum precision precision,
                      int64_t position, double *matrix) {
  rotation_matrix(spectrum, layout, precision, position, matrix);
  set_pair(spectrum, layout, 1, angle_of(spectrum, 1, position) + 1e-10L, 1, matrix);
}

static void one_angle_at_the_end(const struct spectrum *spectrum, enum layout layout,
                                 enum precision precision, int64_t position, double *matrix) {
  rotation_matrix(spectrum, layout, precision, position, matrix);
  if (position == LAST)
    set_pair(spectrum, layout, 1, angle_of(spectrum, 1, position) + 1e-10L, 1, matrix);
}

static void swapped_pairs(const struct spectrum *spectrum, enum layout layout,
                          enum precision precision, int64_t position, double *matrix) {
  rotation_matrix(spectrum, layout, precision, position, matrix);
  set_pair(spectrum, layout, 1, angle_of(spectrum, 2, position), 1, matrix);
  set_pair(spectrum, layout, 2, angle_of(spectrum, 1, position), 1, matrix);
}

static void not_rotated(const struct spectrum *spectrum, enum layout layout,
                        enum precision precision, int64_t position, double *matrix) {
  (void)position;
  rotation_matrix(spectrum, layout, precision, 0, matrix);
}

static void off_by_one(const struct spectrum *spectrum, enum layout layout,
                       enum precision precision, int64_t position, double *matrix) {
  rotation_matrix(spectrum, layout, precision, position + 1, matrix);
}

static void sign_of_position_lost(const struct spectrum *spectrum, enum layout layout,
                                  enum precision precision, int64_t position, double *matrix) {
  rotation_matrix(spectrum, layout, precision, position < 0 ? -position : position, matrix);
}

static void absolute(const struct spectrum *spectrum, enum layout layout, enum precision precision,
                     int64_t position, double *matrix) {
  rotation_matrix(spectrum, layout, precision, position * position, matrix);
}

static void one_layout(const struct spectrum *spectrum, enum layout layout,
                       enum precision precision, int64_t position, double *matrix) {
  (void)layout;
  rotation_matrix(spectrum, spectrum->spec.layout, precision, position, matrix);
}

/* cos and sin repeated for neighbours, halves rotated: raiyanyahya/how-to-train-your-gpt#6. */
static void mixed_layouts(const struct spectrum *spectrum, enum layout layout,
                          enum precision precision, int64_t position, double *matrix) {
  rotation_matrix(spectrum, layout, precision, position, matrix);
  const size_t pairs = spectrum->pairs;
  for (size_t row = 0; row < 2 * pairs; row++) {
    const long double angle = angle_of(spectrum, row / 2, position);
    const bool first = row < pairs;
    *cell(spectrum, matrix, row, row) = (double)cosl(angle);
    *cell(spectrum, matrix, row, first ? row + pairs : row - pairs) =
        (double)(first ? -sinl(angle) : sinl(angle));
  }
}

static void not_a_number(const struct spectrum *spectrum, enum layout layout,
                         enum precision precision, int64_t position, double *matrix) {
  rotation_matrix(spectrum, layout, precision, position, matrix);
  *cell(spectrum, matrix, 0, 1) = NAN;
}

static void far_too_large(const struct spectrum *spectrum, enum layout layout,
                          enum precision precision, int64_t position, double *matrix) {
  rotation_matrix(spectrum, layout, precision, position, matrix);
  *cell(spectrum, matrix, 0, 0) = 1e300;
}

static void nothing(const struct spectrum *spectrum, enum layout layout, enum precision precision,
                    int64_t position, double *matrix) {
  (void)layout, (void)precision, (void)position;
  memset(matrix, 0, spectrum->spec.head_dim * spectrum->spec.head_dim * sizeof *matrix);
}

/* Angles rounded to fp16, whatever was asked: EleutherAI/gpt-neox#1003. */
static void half_precision(const struct spectrum *spectrum, enum layout layout,
                           enum precision precision, int64_t position, double *matrix) {
  (void)precision;
  rotation_matrix(spectrum, layout, PRECISION_FP16, position, matrix);
}

/* Tables rounded to fp16 only: no angle is wrong. */
static void half_tables(const struct spectrum *spectrum, enum layout layout,
                        enum precision precision, int64_t position, double *matrix) {
  rotation_matrix(spectrum, layout, precision, position, matrix);
  for (size_t i = 0; i < spectrum->spec.head_dim * spectrum->spec.head_dim; i++)
    matrix[i] = precision_round(PRECISION_FP16, matrix[i]);
}

/* Something in a dimension that does not rotate. */
static void touched_rest(const struct spectrum *spectrum, enum layout layout,
                         enum precision precision, int64_t position, double *matrix) {
  rotation_matrix(spectrum, layout, precision, position, matrix);
  const size_t last = spectrum->spec.head_dim - 1;
  *cell(spectrum, matrix, last, last) = 1 - 1e-10;
}

/* The checks with a failed row, in order, each followed by a blank. */
static void failed_checks(struct backend *backend, const struct spectrum *spectrum,
                          certificate_matrix *matrix, enum precision precision, int64_t last,
                          char names[512]) {
  const struct certificate_request request = {.spectrum = spectrum,
                                              .max_position = last,
                                              .precisions = &precision,
                                              .precision_count = 1,
                                              .seed = 7,
                                              .matrix = matrix};
  struct table *table = NULL;
  struct error error;
  if (certificate_run(backend, &request, &table, &error)) fail_msg("%s", error.message);
  const size_t check = (size_t)table_find_column(table, "check");
  const size_t status = (size_t)table_find_column(table, "status");
  size_t failed = 0;
  names[0] = '\0';
  for (size_t row = 0; row < table_rows(table); row++) {
    if (strcmp(table_text(table, row, status), "fail")) continue;
    failed++;
    if (strstr(names, table_text(table, row, check))) continue;
    strcat(names, table_text(table, row, check));
    strcat(names, " ");
  }
  assert_near(meta_real(table_meta(table), "failed", NAN), (double)failed, 0);
  table_destroy(table);
}

/* A head of 12 dimensions, 8 of them rotated, base 100. */
static struct spectrum *small_spectrum(enum layout layout) {
  struct rope_spec spec;
  spec_default(&spec);
  spec.head_dim = 12;
  spec.rotary_dim = 8;
  spec.base = 100;
  spec.layout = layout;
  return spectrum_of(&spec);
}

static const struct {
  const char *fault;
  certificate_matrix *matrix;
  const char *seen_by;
} faults[] = {
    {"one sign", one_sign,
     ISOMETRY "eigenvalues group_law inverse norm relative_property kernel_agreement "},
    {"transposed", transposed, "kernel_agreement "},
    {"exponent", exponent, "eigenvalues kernel_agreement "},
    {"scaled pair", scaled_pair, ISOMETRY "eigenvalues group_law norm kernel_agreement "},
    {"one angle", one_angle, "eigenvalues group_law inverse kernel_agreement "},
    {"one angle at the end", one_angle_at_the_end,
     "eigenvalues group_law inverse relative_property kernel_agreement "},
    {"swapped pairs", swapped_pairs, "kernel_agreement "},
    {"not rotated", not_rotated, "eigenvalues kernel_agreement "},
    {"off by one", off_by_one, "eigenvalues group_law inverse kernel_agreement "},
    {"sign of position lost", sign_of_position_lost, "group_law inverse "},
    {"absolute", absolute, "eigenvalues group_law inverse relative_property kernel_agreement "},
    {"one layout", one_layout, "layout_equivalence "},
    {"not a number", not_a_number,
     ISOMETRY "eigenvalues group_law inverse norm relative_property layout_equivalence "
              "kernel_agreement "},
    {"far too large", far_too_large, ISOMETRY "eigenvalues group_law norm kernel_agreement "},
    {"nothing", nothing, ISOMETRY "eigenvalues norm kernel_agreement "},
    {"touched rest", touched_rest, ISOMETRY "eigenvalues group_law norm kernel_agreement "},
    {"half precision", half_precision,
     ISOMETRY "eigenvalues group_law norm relative_property kernel_agreement "},
    {"half tables", half_tables,
     ISOMETRY "eigenvalues group_law norm relative_property kernel_agreement "},
    {"none", rotation_matrix, ""},
    {"none, by default", NULL, ""},
};

/* In fp64 each fault is seen, down to 1e-10, by the checks that can see it and by no other. */
static void faults_are_seen(void **state) {
  const enum layout layouts[] = {LAYOUT_INTERLEAVED, LAYOUT_HALVES};
  for (size_t layout = 0; layout < 2; layout++) {
    struct spectrum *spectrum = small_spectrum(layouts[layout]);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
      char names[512];
      failed_checks(*state, spectrum, faults[i].matrix, PRECISION_FP64, LAST, names);
      if (strcmp(names, faults[i].seen_by))
        fail_msg("%s, layout %s: seen by %sinstead of %s", faults[i].fault,
                 layout_name(layouts[layout]), names, faults[i].seen_by);
    }
    spectrum_destroy(spectrum);
  }
}

/* d = 4, position 2, x = (1, 0, 1, 0): the squared norm is 2.796792 instead of 2. */
static void mixed_layouts_are_seen(void **state) {
  struct rope_spec spec;
  spec_default(&spec);
  spec.head_dim = spec.rotary_dim = 4;
  spec.layout = LAYOUT_HALVES;
  struct spectrum *spectrum = spectrum_of(&spec);
  double matrix[16], square = 0;
  const double expected[] = {-1.325444, 0, 1.019799, 0};
  mixed_layouts(spectrum, LAYOUT_HALVES, PRECISION_FP64, 2, matrix);
  for (size_t row = 0; row < 4; row++) {
    const double value = matrix[row * 4] + matrix[row * 4 + 2];
    assert_near(value, expected[row], 5e-7);
    square += value * value;
  }
  assert_near(square, 2.796792, 5e-7);
  char names[512];
  const enum precision precisions[] = {PRECISION_FP64, PRECISION_FP32, PRECISION_BF16};
  for (size_t i = 0; i < 3; i++) {
    failed_checks(*state, spectrum, mixed_layouts, precisions[i], LAST, names);
    assert_non_null(strstr(names, ISOMETRY));
    assert_non_null(strstr(names, "norm "));
  }
  spectrum_destroy(spectrum);
}

/* Coarser formats see what is coarse: a sign, an exponent, fp16 angles taken for fp32. */
static void coarse_formats_see_coarse_faults(void **state) {
  struct spectrum *spectrum = small_spectrum(LAYOUT_HALVES);
  char names[512];
  const enum precision precisions[] = {PRECISION_FP32, PRECISION_BF16, PRECISION_FP16};
  for (size_t i = 0; i < 3; i++) {
    failed_checks(*state, spectrum, one_sign, precisions[i], LAST, names);
    assert_non_null(strstr(names, "orthogonality_max "));
    failed_checks(*state, spectrum, exponent, precisions[i], LAST, names);
    assert_non_null(strstr(names, "kernel_agreement "));
    failed_checks(*state, spectrum, transposed, precisions[i], LAST, names);
    assert_string_equal(names, "kernel_agreement ");
  }
  failed_checks(*state, spectrum, half_precision, PRECISION_FP32, LAST, names);
  assert_non_null(strstr(names, "eigenvalues "));
  assert_non_null(strstr(names, "relative_property "));
  failed_checks(*state, spectrum, half_precision, PRECISION_FP16, LAST, names);
  assert_string_equal(names, "");
  spectrum_destroy(spectrum);
}

/* A position that proves nothing when all is well still shows a fault. */
static void faults_are_seen_at_the_start(void **state) {
  struct spectrum *spectrum = small_spectrum(LAYOUT_INTERLEAVED);
  char names[512];
  failed_checks(*state, spectrum, scaled_pair, PRECISION_FP64, 0, names);
  assert_non_null(strstr(names, ISOMETRY));
  failed_checks(*state, spectrum, off_by_one, PRECISION_FP64, 0, names);
  assert_non_null(strstr(names, "eigenvalues "));
  spectrum_destroy(spectrum);
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
      cmocka_unit_test(faults_are_seen),
      cmocka_unit_test(mixed_layouts_are_seen),
      cmocka_unit_test(coarse_formats_see_coarse_faults),
      cmocka_unit_test(faults_are_seen_at_the_start),
  };
  return cmocka_run_group_tests(tests, open_backend, close_backend);
}

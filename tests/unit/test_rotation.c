/* lib/rope/rotation.h */
#include "tests/unit/spectra.h"

#include "lib/rope/rotation.h"

/* R_m of a plain spectrum, to be released with free(). */
static double *matrix_of(size_t dim, double base, enum layout layout, enum precision precision,
                         int64_t position) {
  struct spectrum *spectrum = plain_spectrum(dim, base);
  double *matrix = malloc(dim * dim * sizeof *matrix);
  assert_non_null(matrix);
  memset(matrix, 0xff, dim * dim * sizeof *matrix); /* NaN: what is not written shows */
  rotation_matrix(spectrum, layout, precision, position, matrix);
  spectrum_destroy(spectrum);
  return matrix;
}

static void check_product(size_t dim, enum layout layout, int64_t position, const double *vector,
                          const double *expected, double tolerance) {
  double *matrix = matrix_of(dim, 10000, layout, PRECISION_FP64, position);
  for (size_t i = 0; i < dim; i++) {
    double sum = 0;
    for (size_t j = 0; j < dim; j++)
      sum += matrix[i * dim + j] * vector[j];
    assert_near(sum, expected[i], tolerance);
  }
  free(matrix);
}

/* Both conventions on one vector: huggingface/transformers#25199, computed in double precision. */
static void both_layouts(void **state) {
  (void)state;
  const double vector[] = {1, 0, 0, 1};
  check_product(4, LAYOUT_HALVES, 2, vector,
                (const double[]){-0.416147, -0.019999, 0.909297, 0.9998}, 5e-7);
  check_product(4, LAYOUT_INTERLEAVED, 2, vector,
                (const double[]){-0.416147, 0.909297, -0.019999, 0.9998}, 5e-7);
}

/* The direction of rotation: trymirai/lalamo#268, the reference beside the flipped sign. */
static void direction(void **state) {
  (void)state;
  const double ones[] = {1, 1, 1, 1, 1, 1, 1, 1};
  const double expected[] = {1.242586,  0.398157, 0.948771, 0.994988,
                             -0.675262, 1.357008, 1.048729, 1.004987};
  check_product(8, LAYOUT_HALVES, 5, ones, expected, 5e-7);
}

/* trace R_7 = 2·B_7 and ‖R_7 − I‖²_F for 128 dimensions, base 10000; 50-digit arithmetic. */
static void trace_and_norm(void **state) {
  (void)state;
  for (int layout = LAYOUT_INTERLEAVED; layout <= LAYOUT_HALVES; layout++) {
    double *matrix = matrix_of(128, 10000, (enum layout)layout, PRECISION_FP64, 7);
    double trace = 0, square = 0;
    for (size_t i = 0; i < 128; i++) {
      trace += matrix[i * 128 + i];
      for (size_t j = 0; j < 128; j++) {
        const double cell = matrix[i * 128 + j] - (i == j);
        square += cell * cell;
      }
    }
    assert_near(trace, 93.643661348056, 1e-12);
    assert_near(square, 68.712677303888, 1e-12);
    free(matrix);
  }
}

static void start_is_the_identity(void **state) {
  (void)state;
  for (int precision = 0; precision < PRECISION_COUNT; precision++) {
    double *matrix = matrix_of(64, 500000, LAYOUT_HALVES, (enum precision)precision, 0);
    for (size_t i = 0; i < 64; i++)
      for (size_t j = 0; j < 64; j++)
        assert_near(matrix[i * 64 + j], i == j, 0);
    free(matrix);
  }
}

/* Phi-2 rotates 32 of 80 dimensions; the exponent counts the rotated ones. */
static void partial_rotation(void **state) {
  (void)state;
  struct rope_spec spec;
  spec_default(&spec);
  spec.head_dim = 80;
  spec.rotary_dim = 32;
  struct spectrum *spectrum = spectrum_of(&spec);
  double *matrix = malloc(80 * 80 * sizeof *matrix);
  assert_non_null(matrix);
  rotation_matrix(spectrum, LAYOUT_HALVES, PRECISION_FP64, 3, matrix);
  assert_near(matrix[1 * 80 + 1], cos(3 * 0.56234132519034908), 1e-15);
  assert_near(matrix[17 * 80 + 1], sin(3 * 0.56234132519034908), 1e-15);
  for (size_t i = 0; i < 80; i++)
    for (size_t j = 0; j < 80; j++)
      if (i >= 32 || j >= 32) assert_near(matrix[i * 80 + j], i == j, 0);
  free(matrix);
  spectrum_destroy(spectrum);
}

/* A table all in fp16, EleutherAI/gpt-neox#1003: 32 dimensions, 2048 positions; the largest error
   of a cosine is 0.7819, of pair 1 at position 2008. Computed in double precision. */
static void half_precision_table(void **state) {
  (void)state;
  struct spectrum *spectrum = plain_spectrum(32, 10000);
  double exact[32 * 32], rounded[32 * 32], worst = 0;
  size_t worst_pair = 0, worst_position = 0;
  for (size_t m = 0; m < 2048; m++) {
    rotation_matrix(spectrum, LAYOUT_INTERLEAVED, PRECISION_FP64, (int64_t)m, exact);
    rotation_matrix(spectrum, LAYOUT_INTERLEAVED, PRECISION_FP16, (int64_t)m, rounded);
    for (size_t i = 0; i < 16; i++) {
      const double error = fabs(exact[2 * i * 33] - rounded[2 * i * 33]);
      if (error <= worst) continue;
      worst = error;
      worst_pair = i;
      worst_position = m;
    }
  }
  assert_near(worst, 0.7819, 5e-5);
  assert_int_equal(worst_pair, 1);
  assert_int_equal(worst_position, 2008);
  spectrum_destroy(spectrum);
}

/* The end of a long context, where a float product is off: 50-digit arithmetic. */
static void far_positions(void **state) {
  (void)state;
  static const struct {
    int64_t position;
    double cosine, sine;
  } known[] = {{131071, -0.81798349938794908071, -0.57524168375478937114},
               {-4093, -0.8798605567721861614, -0.47523194404052698611}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    double *matrix = matrix_of(2, 10000, LAYOUT_HALVES, PRECISION_FP64, known[i].position);
    assert_near(matrix[0], known[i].cosine, 1e-13);
    assert_near(matrix[2], known[i].sine, 1e-13);
    assert_near(matrix[1], -matrix[2], 0);
    assert_near(matrix[3], matrix[0], 0);
    free(matrix);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(both_layouts),     cmocka_unit_test(direction),
      cmocka_unit_test(trace_and_norm),   cmocka_unit_test(start_is_the_identity),
      cmocka_unit_test(partial_rotation), cmocka_unit_test(half_precision_table),
      cmocka_unit_test(far_positions),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* lib/analysis/map.h */
#include "tests/unit/maps.h"

#include "lib/base/memory.h"
#include "lib/base/thread.h"

#define TWO_PI 6.28318530717958647693

static void lists_kinds_and_reductions(void **state) {
  (void)state;
  static const char *const names[] = {"scores",   "softmax", "angles", "cosines",
                                      "rotation", "table",   "norms",  "axes"};
  for (size_t i = 0; i < 8; i++) {
    assert_string_equal(map_kind_name(map_kind_at(i)), names[i]);
    assert_ptr_equal(kind_of(names[i]), map_kind_at(i));
    assert_int_equal(map_kind_is_attention(map_kind_at(i)), i < 2);
  }
  assert_null(map_kind_at(8));
  assert_string_equal(map_kind_name(map_kind_of_matrix()), "matrix");
  for (int r = REDUCE_MEAN; r <= REDUCE_ABSMAX; r++) {
    int reduction;
    assert_int_equal(map_reduction_parse(map_reduction_name((enum reduction)r), &reduction, NULL),
                     OK);
    assert_int_equal(reduction, r);
  }
  const struct map_kind *kind;
  int reduction;
  struct error error;
  assert_int_equal(map_kind_find("score", &kind, &error), ERROR_INPUT);
  assert_message(error, "'score'");
  assert_message(error, "scores, softmax, angles, cosines, rotation, table, norms, axes");
  assert_int_equal(map_reduction_parse("min", &reduction, &error), ERROR_INPUT);
  assert_message(error, "'min': mean, max or absmax");
}

static void angles_and_cosines(void **state) {
  enum { LENGTH = 200 };
  struct spectrum *spectrum = plain_spectrum(32, 10000);
  struct map_request request = request_of("angles", "rope", spectrum, LENGTH);
  struct matrix *angles = run(*state, &request);
  request.kind = kind_of("cosines");
  struct matrix *cosines = run(*state, &request);
  assert_int_equal(angles->rows, LENGTH);
  assert_int_equal(angles->columns, 16);
  assert_int_equal(angles->range, MATRIX_CYCLIC);
  assert_int_equal(cosines->range, MATRIX_DIVERGING);
  assert_string_equal(angles->row_axis.column, "position");
  assert_string_equal(angles->column_axis.column, "pair");
  for (size_t m = 0; m < LENGTH; m++)
    for (size_t i = 0; i < 16; i++) {
      const double angle = cell(angles, m, i);
      assert_true(angle >= 0 && angle < TWO_PI);
      const long double exact = (long double)m * spectrum->inv_freq[i];
      assert_near(remainder(angle - (double)fmodl(exact, 6.283185307179586476925L), TWO_PI), 0,
                  1e-13);
      assert_near(cell(cosines, m, i), (double)cosl(exact), 1e-14);
    }
  /* Mean cosines of 32 dimensions at 0 .. 5: 40-digit arithmetic. */
  static const double mean[] = {1,           0.9571030744, 0.8581335761,
                                0.767024891, 0.7288438612, 0.7360864299};
  for (size_t m = 0; m < 6; m++) {
    double sum = 0;
    for (size_t i = 0; i < 16; i++)
      sum += cell(cosines, m, i);
    assert_near(sum / 16, mean[m], 5e-11);
  }
  assert_null(meta_text(angles->meta, "reduced"));
  assert_string_equal(meta_text(angles->meta, "statistic"), "angle (radians)");
  matrix_destroy(angles);
  matrix_destroy(cosines);
  spectrum_destroy(spectrum);
}

/* Cells of 7 positions at most, and of the pairs only when they are more than the cells. */
static void reduces_positions_and_pairs(void **state) {
  enum { LENGTH = 61, PAIRS = 16 };
  struct spectrum *spectrum = plain_spectrum(2 * PAIRS, 10000);
  static const size_t cells[] = {20, 9};
  for (size_t variant = 0; variant < 2 * 2 * 3; variant++) {
    const bool angles = variant & 1;
    const size_t size = cells[variant >> 1 & 1];
    struct map_request request =
        request_of(angles ? "angles" : "cosines", "rope", spectrum, LENGTH);
    struct matrix *whole = run(*state, &request);
    request.cells = size;
    request.reduction = (int)(variant >> 2);
    struct matrix *matrix = run(*state, &request);
    const size_t columns = size < PAIRS ? size : PAIRS;
    assert_int_equal(matrix->rows, size);
    assert_int_equal(matrix->columns, columns);
    for (size_t r = 0; r < size; r++)
      for (size_t c = 0; c < columns; c++) {
        double sum = 0, cosine = 0, sine = 0, max = -INFINITY, absmax = 0;
        size_t count = 0;
        for (size_t m = r * LENGTH / size; m < (r + 1) * LENGTH / size; m++)
          for (size_t i = c * PAIRS / columns; i < (c + 1) * PAIRS / columns; i++) {
            const double value = cell(whole, m, i);
            sum += value;
            cosine += cos(value);
            sine += sin(value);
            max = fmax(max, value);
            if (fabs(value) > fabs(absmax)) absmax = value;
            count++;
          }
        const double value = cell(matrix, r, c);
        if (request.reduction == REDUCE_MAX)
          assert_near(value, max, 0);
        else if (request.reduction == REDUCE_ABSMAX)
          assert_near(value, absmax, 0);
        else if (!angles)
          assert_near(value, sum / (double)count, 1e-14);
        else
          assert_near(remainder(value - atan2(sine, cosine), TWO_PI), 0, 1e-12);
        if (angles) assert_true(value >= 0 && value < TWO_PI);
      }
    matrix_destroy(whole);
    matrix_destroy(matrix);
  }
  spectrum_destroy(spectrum);
}

static void says_how_it_reduced(void **state) {
  struct spectrum *spectrum = plain_spectrum(32, 10000);
  struct map_request request = request_of("softmax", "rope", spectrum, 100);
  request.cells = 25;
  struct matrix *matrix = run(*state, &request);
  assert_string_equal(meta_text(matrix->meta, "reduced"), "100 -> 25 by max");
  assert_string_equal(meta_text(matrix->meta, "reduce"), "max");
  assert_string_equal(meta_text(matrix->meta, "what"), "softmax");
  assert_string_equal(meta_text(matrix->meta, "encoding"), "rope");
  assert_string_equal(meta_text(matrix->meta, "content"), "ones");
  assert_near(meta_real(matrix->meta, "length", NAN), 100, 0);
  assert_near(meta_real(matrix->meta, "cells", NAN), 25, 0);
  assert_near(meta_real(matrix->meta, "base", NAN), 10000, 0);
  assert_int_equal(matrix->row_axis.length, 100);
  matrix_destroy(matrix);
  request.kind = kind_of("angles");
  matrix = run(*state, &request);
  assert_string_equal(meta_text(matrix->meta, "reduced"), "100 -> 25 by circular mean");
  assert_string_equal(meta_text(matrix->meta, "statistic"),
                      "angle (radians), circular mean of each cell");
  assert_null(meta_text(matrix->meta, "encoding"));
  matrix_destroy(matrix);
  request.cells = 10;
  request.reduction = REDUCE_ABSMAX;
  matrix = run(*state, &request);
  assert_string_equal(meta_text(matrix->meta, "reduced"), "100 x 16 -> 10 x 10 by absmax");
  matrix_destroy(matrix);
  spectrum_destroy(spectrum);
}

/* d = 128, base 10000, position 7: trace R = 2·B_7 and ‖R − I‖_F² = 2d − 4·B_7 (40-digit
 * arithmetic). */
static void rotation_matrix(void **state) {
  enum { DIM = 128 };
  for (int layout = LAYOUT_INTERLEAVED; layout <= LAYOUT_HALVES; layout++) {
    struct rope_spec spec;
    spec_default(&spec);
    spec.layout = (enum layout)layout;
    struct spectrum *spectrum = spectrum_of(&spec);
    spectrum->attention_factor = 2; /* scales scores, not the rotation */
    struct map_request request = request_of("rotation", "rope", spectrum, 0);
    request.position = 7;
    struct matrix *matrix = run(*state, &request);
    double trace = 0, distance = 0;
    for (size_t r = 0; r < DIM; r++)
      for (size_t c = 0; c < DIM; c++) {
        const double value = cell(matrix, r, c);
        if (r == c) trace += value;
        distance += (value - (r == c)) * (value - (r == c));
      }
    assert_int_equal(matrix->rows, DIM);
    assert_near(trace, 93.643661348056192047, 1e-12);
    assert_near(distance, 68.712677303887615905, 1e-12);
    /* Pair 0 turns by 7 radians: row and column dimensions, and the sign of the sine. */
    const size_t a = layout_first(spec.layout, 0), b = layout_second(spec.layout, 0, DIM / 2);
    assert_near(cell(matrix, a, a), cos(7), 1e-15);
    assert_near(cell(matrix, a, b), -sin(7), 1e-15);
    assert_near(cell(matrix, b, a), sin(7), 1e-15);
    assert_string_equal(matrix->row_axis.column, "row");
    assert_string_equal(matrix->column_axis.column, "column");
    assert_near(meta_real(matrix->meta, "position", NAN), 7, 0);
    matrix_destroy(matrix);
    spectrum_destroy(spectrum);
  }
}

static void sinusoidal_table(void **state) {
  struct spectrum *spectrum = plain_spectrum(24, 10000);
  struct map_request request = request_of("table", "sinusoidal", spectrum, 30);
  struct matrix *matrix = run(*state, &request);
  assert_int_equal(matrix->rows, 30);
  assert_int_equal(matrix->columns, 24);
  assert_string_equal(matrix->column_axis.column, "dim");
  assert_int_equal(matrix->range, MATRIX_DIVERGING);
  for (size_t m = 0; m < 30; m++)
    for (size_t i = 0; i < 12; i++) {
      const long double angle = (long double)m * spectrum->inv_freq[i];
      assert_near(cell(matrix, m, 2 * i), (double)sinl(angle), 1e-14);
      assert_near(cell(matrix, m, 2 * i + 1), (double)cosl(angle), 1e-14);
    }
  matrix_destroy(matrix);
  struct error error;
  request.encoding = encoding_of("rope");
  assert_int_equal(map_run(*state, &request, &matrix, &error), ERROR_INPUT);
  assert_message(error, "'rope' has no table");
  assert_null(matrix);
  spectrum_destroy(spectrum);
}

static void refuse(struct backend *backend, const struct map_request *request, int status,
                   const char *part) {
  struct matrix *matrix = NULL;
  struct error error;
  assert_int_equal(map_run(backend, request, &matrix, &error), status);
  assert_message(error, part);
  assert_null(matrix);
}

static void refuses_senseless_requests(void **state) {
  struct spectrum *spectrum = plain_spectrum(32, 10000);
  struct map_request request = request_of("scores", "rope", spectrum, 100);
  request.content.kind = CONTENT_ZERO;
  refuse(*state, &request, ERROR_INPUT, "content 'zero'");
  request.content.kind = CONTENT_ONES;
  request.length = 0;
  refuse(*state, &request, ERROR_INPUT, "the length of a map is '0'");
  request.length = 100;
  request.cells = 0;
  refuse(*state, &request, ERROR_INPUT, "the number of cells of a map is '0'");
  request.cells = 10;
  request.batch = 0;
  refuse(*state, &request, ERROR_INPUT, "the batch of a map is '0'");
  spectrum_destroy(spectrum);
}

static void refuses_what_memory_cannot_hold(void **state) {
  struct spectrum *spectrum = plain_spectrum(128, 10000);
  static const char *const kinds[] = {"scores", "softmax", "angles", "cosines", "table"};
  static const size_t lengths[] = {1000000000000, SIZE_MAX / 2, SIZE_MAX};
  for (size_t k = 0; k < 5; k++)
    for (size_t l = 0; l < 3; l++)
      for (size_t c = 0; c < 4; c++) {
        struct map_request request = request_of(kinds[k], "sinusoidal", spectrum, lengths[l]);
        request.content = contents[c];
        refuse(*state, &request, ERROR_FAILED, "GiB");
        request.encoding = encoding_of("rope");
        if (k != 4 && c != 1) refuse(*state, &request, ERROR_FAILED, "GiB");
      }
  struct map_request request = request_of("scores", "rope", spectrum, 512);
  request.content.kind = CONTENT_GAUSSIAN;
  request.batch = SIZE_MAX;
  refuse(*state, &request, ERROR_FAILED, "GiB");
  request.batch = 1;
  request.length = 1000000;
  request.cells = 1000000;
  refuse(*state, &request, ERROR_FAILED, "GiB");
  spectrum_destroy(spectrum);
  spectrum = plain_spectrum(65536, 10000);
  request = request_of("rotation", "rope", spectrum, 0);
  refuse(*state, &request, ERROR_FAILED, "32 GiB");
  spectrum_destroy(spectrum);
}

static void threads_do_not_matter(void **state) {
  struct spectrum *spectrum = plain_spectrum(64, 10000);
  /* Norms and axes are of tensors and of models with several axes. */
  for (size_t k = 0; map_kind_at(k) != kind_of("norms"); k++)
    for (size_t c = 0; c < 4; c++) {
      struct map_request request =
          request_of(map_kind_name(map_kind_at(k)), "sinusoidal", spectrum, 333);
      request.content = contents[c];
      request.batch = 2;
      request.cells = 50;
      thread_use(1);
      struct matrix *one = run(*state, &request);
      thread_use(2);
      struct matrix *two = run(*state, &request);
      assert_memory_equal(one->cells, two->cells, one->rows * one->columns * sizeof(double));
      matrix_destroy(one);
      matrix_destroy(two);
    }
  spectrum_destroy(spectrum);
}

static int open_maps(void **state) {
  *state = open_cpu();
  memory_set_limit((uint64_t)1 << 32);
  return 0;
}

static int close_maps(void **state) {
  backend_close(*state);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lists_kinds_and_reductions),
      cmocka_unit_test(angles_and_cosines),
      cmocka_unit_test(reduces_positions_and_pairs),
      cmocka_unit_test(says_how_it_reduced),
      cmocka_unit_test(rotation_matrix),
      cmocka_unit_test(sinusoidal_table),
      cmocka_unit_test(refuses_senseless_requests),
      cmocka_unit_test(refuses_what_memory_cannot_hold),
      cmocka_unit_test(threads_do_not_matter),
  };
  return cmocka_run_group_tests(tests, open_maps, close_maps);
}

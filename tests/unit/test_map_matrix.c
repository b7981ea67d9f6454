/* Maps of one's own: lib/analysis/map.h. */
#include "tests/unit/maps.h"

#include "lib/base/memory.h"

enum { LAYERS = 2, HEADS = 3, ROWS = 5, COLUMNS = 7 };

static double number_at(size_t layer, size_t head, size_t row, size_t column) {
  return (double)((((layer * HEADS + head) * ROWS + row) * COLUMNS + column) * 37 % 101);
}

static struct tensor *make(size_t rank, enum storage storage) {
  static const size_t shape[] = {LAYERS, HEADS, ROWS, COLUMNS};
  struct tensor *tensor = tensor_create(storage, rank, shape + 4 - rank, "a tensor", NULL);
  assert_non_null(tensor);
  for (size_t i = 0; i < tensor->count; i++) {
    const double value = (double)(i * 37 % 101);
    if (storage == STORAGE_I16)
      ((int16_t *)tensor->data)[i] = (int16_t)value;
    else
      storage_store(storage, &value, 1, (char *)tensor->data + i * storage_size(storage));
  }
  return tensor;
}

static struct map_request request_for(const struct tensor *tensor) {
  return (struct map_request){
      .kind = map_kind_of_matrix(), .slice = {.tensor = tensor}, .cells = 1024, .reduction = -1};
}

static void takes_a_map_of_two_axes(void **state) {
  static const enum storage storages[] = {STORAGE_F64, STORAGE_F32, STORAGE_BF16, STORAGE_F16,
                                          STORAGE_I16};
  for (size_t s = 0; s < sizeof storages / sizeof *storages; s++) {
    struct tensor *tensor = make(2, storages[s]);
    const struct map_request request = request_for(tensor);
    struct matrix *matrix = run(*state, &request);
    assert_int_equal(matrix->rows, ROWS);
    assert_int_equal(matrix->columns, COLUMNS);
    assert_int_equal(matrix->range, MATRIX_SEQUENTIAL);
    assert_string_equal(meta_text(matrix->meta, "what"), "matrix");
    assert_string_equal(meta_text(matrix->meta, "shape"), "(5, 7)");
    assert_null(meta_text(matrix->meta, "index"));
    assert_null(meta_text(matrix->meta, "layout"));
    for (size_t r = 0; r < ROWS; r++)
      for (size_t c = 0; c < COLUMNS; c++)
        assert_near(cell(matrix, r, c), number_at(0, 0, r, c), 0);
    matrix_destroy(matrix);
    tensor_destroy(tensor);
  }
}

/* An index or the mean along each of the axes in front. */
static void takes_one_map_of_many_or_their_mean(void **state) {
  struct tensor *tensor = make(4, STORAGE_F32);
  struct map_request request = request_for(tensor);
  for (int64_t i = -1; i < LAYERS; i++)
    for (int64_t j = -1; j < HEADS; j++) {
      request.slice.index[0] = i;
      request.slice.index[1] = j;
      struct matrix *matrix = run(*state, &request);
      for (size_t r = 0; r < ROWS; r++)
        for (size_t c = 0; c < COLUMNS; c++) {
          double sum = 0;
          size_t count = 0;
          for (size_t a = 0; a < LAYERS; a++)
            for (size_t b = 0; b < HEADS; b++) {
              if ((i >= 0 && a != (size_t)i) || (j >= 0 && b != (size_t)j)) continue;
              sum += number_at(a, b, r, c);
              count++;
            }
          assert_near(cell(matrix, r, c), sum / (double)count, 1e-13);
        }
      if (i == 1 && j < 0) assert_string_equal(meta_text(matrix->meta, "index"), "1,mean");
      matrix_destroy(matrix);
    }
  tensor_destroy(tensor);
}

/* 5 x 7 in 3 x 3 cells, of a map behind others, and of their mean. */
static void reduces_what_it_reads(void **state) {
  struct tensor *tensor = make(3, STORAGE_F64);
  struct map_request request = request_for(tensor);
  request.cells = 3;
  for (int variant = 0; variant < 2 * 3; variant++) {
    request.slice.index[0] = variant & 1 ? 2 : MAP_SLICE_MEAN;
    request.reduction = variant >> 1;
    struct matrix *matrix = run(*state, &request);
    for (size_t r = 0; r < 3; r++)
      for (size_t c = 0; c < 3; c++) {
        double sum = 0, max = -INFINITY;
        size_t count = 0;
        for (size_t m = r * ROWS / 3; m < (r + 1) * ROWS / 3; m++)
          for (size_t n = c * COLUMNS / 3; n < (c + 1) * COLUMNS / 3; n++) {
            const double value =
                variant & 1
                    ? number_at(0, 2, m, n)
                    : (number_at(0, 0, m, n) + number_at(0, 1, m, n) + number_at(0, 2, m, n)) / 3;
            sum += value;
            max = fmax(max, value);
            count++;
          }
        const bool mean = request.reduction == REDUCE_MEAN;
        assert_near(cell(matrix, r, c), mean ? sum / (double)count : max, 1e-13);
      }
    assert_string_equal(meta_text(matrix->meta, "reduced"),
                        request.reduction == REDUCE_MEAN  ? "5 x 7 -> 3 x 3 by mean"
                        : request.reduction == REDUCE_MAX ? "5 x 7 -> 3 x 3 by max"
                                                          : "5 x 7 -> 3 x 3 by absmax");
    matrix_destroy(matrix);
  }
  tensor_destroy(tensor);
}

/* What is not finite counts nowhere, in the mean over maps and in cells. */
static void not_a_number_stays_empty(void **state) {
  struct tensor *tensor = tensor_create(STORAGE_F64, 3, (size_t[]){2, 2, 2}, "a tensor", NULL);
  memcpy(tensor->data, (const double[]){1, NAN, -INFINITY, 4, 3, INFINITY, 5, -8},
         8 * sizeof(double));
  struct map_request request = request_for(tensor);
  request.slice.index[0] = MAP_SLICE_MEAN;
  struct matrix *matrix = run(*state, &request);
  assert_near(cell(matrix, 0, 0), 2, 0);
  assert_true(isnan(cell(matrix, 0, 1)));
  assert_near(cell(matrix, 1, 0), 5, 0);
  assert_near(cell(matrix, 1, 1), -2, 0);
  assert_near(meta_real(matrix->meta, "empty_values", NAN), 1, 0);
  assert_int_equal(matrix->range, MATRIX_DIVERGING);
  matrix_destroy(matrix);
  request.cells = 1;
  static const double reduced[] = {[REDUCE_MEAN] = 5 / 3.0, [REDUCE_MAX] = 5, [REDUCE_ABSMAX] = 5};
  for (request.reduction = REDUCE_MEAN; request.reduction <= REDUCE_ABSMAX; request.reduction++) {
    matrix = run(*state, &request);
    assert_near(cell(matrix, 0, 0), reduced[request.reduction], 1e-15);
    matrix_destroy(matrix);
  }
  tensor_destroy(tensor);
}

static void masks_above_the_diagonal(void **state) {
  struct tensor *tensor = tensor_create(STORAGE_F64, 2, (size_t[]){4, 4}, "a tensor", NULL);
  for (size_t i = 0; i < 16; i++)
    ((double *)tensor->data)[i] = (double)i;
  struct map_request request = request_for(tensor);
  request.causal = true;
  struct matrix *matrix = run(*state, &request);
  for (size_t r = 0; r < 4; r++)
    for (size_t c = 0; c < 4; c++)
      if (c > r)
        assert_true(isnan(cell(matrix, r, c)));
      else
        assert_near(cell(matrix, r, c), (double)(4 * r + c), 0);
  matrix_destroy(matrix);
  request.cells = 2;
  matrix = run(*state, &request);
  assert_near(cell(matrix, 0, 0), (0 + 4 + 5) / 3.0, 1e-15);
  assert_near(cell(matrix, 1, 0), (8 + 9 + 12 + 13) / 4.0, 1e-15);
  assert_true(isnan(cell(matrix, 0, 1)));
  assert_near(cell(matrix, 1, 1), (10 + 14 + 15) / 3.0, 1e-15);
  assert_string_equal(meta_text(matrix->meta, "reduced"), "4 -> 2 by mean");
  matrix_destroy(matrix);
  tensor_destroy(tensor);
}

static void refuse(struct backend *backend, const struct map_request *request, enum error_code code,
                   const char *part) {
  struct matrix *matrix = NULL;
  struct error error;
  assert_int_equal(map_run(backend, request, &matrix, &error), code);
  assert_null(matrix);
  assert_message(error, part);
}

static void refuses_other_shapes(void **state) {
  struct map_request request = request_for(NULL);
  refuse(*state, &request, ERROR_INPUT, "is missing");
  struct tensor *tensor = make(4, STORAGE_F32);
  request = request_for(tensor);
  request.slice.index[0] = LAYERS;
  refuse(*state, &request, ERROR_INPUT, "no index '2' along axis 0 of 'the tensor', (2, 3, 5, 7)");
  request.slice.index[0] = 0;
  request.slice.index[1] = HEADS;
  refuse(*state, &request, ERROR_INPUT, "no index '3' along axis 1");
  request.slice.index[1] = 0;
  request.causal = true;
  refuse(*state, &request, ERROR_INPUT, "is '5 x 7'");
  request.causal = false;
  request.cells = 0;
  refuse(*state, &request, ERROR_INPUT, "number of cells");
  tensor_destroy(tensor);
  static const size_t shape[] = {1, 1, 1, 1, 1};
  for (size_t rank = 1; rank <= 5; rank += 4) {
    tensor = tensor_create(STORAGE_F32, rank, shape, "a tensor", NULL);
    request = request_for(tensor);
    refuse(*state, &request, ERROR_INPUT, rank == 1 ? "has 1 axes, (1,)" : "has 5 axes");
    tensor_destroy(tensor);
  }
  tensor = tensor_create(STORAGE_F32, 2, (size_t[]){0, 3}, "a tensor", NULL);
  request = request_for(tensor);
  refuse(*state, &request, ERROR_INPUT, "is empty, (0, 3)");
  tensor_destroy(tensor);
}

static void refuses_what_memory_cannot_hold(void **state) {
  struct tensor *tensor = tensor_create(STORAGE_I8, 2, (size_t[]){2048, 2048}, "a tensor", NULL);
  struct map_request request = request_for(tensor);
  request.cells = 1; /* all of it is read for one cell */
  const uint64_t before = memory_limit();
  memory_set_limit(1 << 25);
  refuse(*state, &request, ERROR_FAILED, "not enough memory");
  memory_set_limit(before);
  tensor_destroy(tensor);
}

static int open_maps(void **state) {
  *state = open_cpu();
  return 0;
}

static int close_maps(void **state) {
  backend_close(*state);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(takes_a_map_of_two_axes),
      cmocka_unit_test(takes_one_map_of_many_or_their_mean),
      cmocka_unit_test(reduces_what_it_reads),
      cmocka_unit_test(not_a_number_stays_empty),
      cmocka_unit_test(masks_above_the_diagonal),
      cmocka_unit_test(refuses_other_shapes),
      cmocka_unit_test(refuses_what_memory_cannot_hold),
  };
  return cmocka_run_group_tests(tests, open_maps, close_maps);
}

/* Norms of pairs by head and by layer: lib/analysis/map_norms.c; scores of a layer. */
#include "tests/unit/maps.h"

enum { LAYERS = 3, HEADS = 2, LENGTH = 2, DIM = 4 };

/* Vectors (layer, head, position, dim). Pair i of the layout that is interleaved is 3·s, 4·s, so
   its norm is 5·s with s = 1 + i + 2·head + 10·layer, and 2 more at position 1. */
static double scale_of(size_t layer, size_t head, size_t position, size_t pair) {
  return (double)(1 + pair + 2 * head + 10 * layer + 2 * position);
}

static struct tensor *make(void) {
  struct tensor *tensor =
      tensor_create(STORAGE_F64, 4, (size_t[]){LAYERS, HEADS, LENGTH, DIM}, "vectors", NULL);
  assert_non_null(tensor);
  double *at = tensor->data;
  for (size_t l = 0; l < LAYERS; l++)
    for (size_t h = 0; h < HEADS; h++)
      for (size_t m = 0; m < LENGTH; m++)
        for (size_t i = 0; i < DIM; i++)
          *at++ = (i % 2 ? 4 : -3) * scale_of(l, h, m, i / 2);
  return tensor;
}

static struct map_vectors vectors_of(const struct tensor *tensor, const char *list) {
  struct map_vectors vectors;
  struct error error;
  if (map_vectors_of(tensor, list, &vectors, &error)) fail_msg("%s", error.message);
  return vectors;
}

static const char all[] = "layer,head,position,dim";

static void check_rows(const struct matrix *matrix, const char *name, size_t rows) {
  assert_int_equal(matrix->rows, rows);
  assert_int_equal(matrix->columns, DIM / 2);
  assert_string_equal(matrix->row_axis.label, name);
  assert_string_equal(matrix->row_axis.column, name);
}

/* By hand: the mean over positions is 5·(s + 1), and over two heads one more pair's step. */
static void rows_are_what_is_asked_for(void **state) {
  struct tensor *tensor = make();
  const struct map_vectors vectors = vectors_of(tensor, all);
  struct spectrum *spectrum = plain_spectrum(DIM, 100);
  struct map_request request = request_of("norms", "rope", spectrum, 0);
  request.query = &vectors;
  request.rows = MAP_ROWS_LAYERS;
  struct matrix *matrix = run(*state, &request);
  check_rows(matrix, "layer", LAYERS);
  static const double layers[LAYERS][2] = {{15, 20}, {65, 70}, {115, 120}};
  for (size_t l = 0; l < LAYERS; l++)
    for (size_t i = 0; i < 2; i++)
      assert_near(cell(matrix, l, i), layers[l][i], 1e-13);
  assert_near(meta_real(matrix->meta, "vectors", 0), HEADS * LENGTH, 0);
  assert_near(meta_real(matrix->meta, "layers", 0), LAYERS, 0);
  matrix_destroy(matrix);

  request.rows = MAP_ROWS_LAYERS_OF_HEAD;
  request.head = 1;
  matrix = run(*state, &request);
  check_rows(matrix, "layer", LAYERS);
  static const double second[LAYERS][2] = {{20, 25}, {70, 75}, {120, 125}};
  for (size_t l = 0; l < LAYERS; l++)
    for (size_t i = 0; i < 2; i++)
      assert_near(cell(matrix, l, i), second[l][i], 1e-13);
  assert_near(meta_real(matrix->meta, "head", 0), 1, 0);
  assert_near(meta_real(matrix->meta, "vectors", 0), LENGTH, 0);
  matrix_destroy(matrix);

  request.rows = MAP_ROWS_HEADS;
  request.layer = 2;
  matrix = run(*state, &request);
  check_rows(matrix, "head", HEADS);
  static const double heads[HEADS][2] = {{110, 115}, {120, 125}};
  for (size_t h = 0; h < HEADS; h++)
    for (size_t i = 0; i < 2; i++)
      assert_near(cell(matrix, h, i), heads[h][i], 1e-13);
  assert_near(meta_real(matrix->meta, "layer", 0), 2, 0);
  matrix_destroy(matrix);
  spectrum_destroy(spectrum);
  tensor_destroy(tensor);
}

/* Halves pair dimensions (0, 2) and (1, 3): −3·s with −3·(s + 1), 4·s with 4·(s + 1). */
static void layouts_pair_other_dimensions(void **state) {
  struct tensor *tensor = make();
  const struct map_vectors vectors = vectors_of(tensor, all);
  struct spectrum *spectrum = plain_spectrum(DIM, 100);
  spectrum->spec.layout = LAYOUT_HALVES;
  struct map_request request = request_of("norms", "rope", spectrum, 0);
  request.key = &vectors;
  request.rows = MAP_ROWS_LAYERS_OF_HEAD;
  struct matrix *matrix = run(*state, &request);
  for (size_t l = 0; l < LAYERS; l++) {
    const double s = (double)(1 + 10 * l), mean = (hypot(s, s + 1) + hypot(s + 2, s + 3)) / 2;
    assert_near(cell(matrix, l, 0), 3 * mean, 1e-13);
    assert_near(cell(matrix, l, 1), 4 * mean, 1e-13);
  }
  assert_string_equal(meta_text(matrix->meta, "of"), "keys");
  matrix_destroy(matrix);
  spectrum_destroy(spectrum);
  tensor_destroy(tensor);
}

/* The order of the axes changes nothing. */
static void axes_in_another_order(void **state) {
  struct tensor *tensor = make(), *turned;
  assert_int_equal(tensor_permute(tensor, (size_t[]){3, 1, 0, 2}, &turned, NULL), OK);
  const struct map_vectors plain = vectors_of(tensor, all),
                           other = vectors_of(turned, "dim,head,layer,position");
  struct spectrum *spectrum = plain_spectrum(DIM, 100);
  for (int rows = MAP_ROWS_HEADS; rows <= MAP_ROWS_LAYERS_OF_HEAD; rows++) {
    struct map_request request = request_of("norms", "rope", spectrum, 0);
    request.rows = (enum map_rows)rows;
    request.layer = request.head = 1;
    request.query = &plain;
    struct matrix *one = run(*state, &request);
    request.query = &other;
    struct matrix *two = run(*state, &request);
    assert_int_equal(one->rows, two->rows);
    assert_memory_equal(one->cells, two->cells, one->rows * one->columns * sizeof(double));
    matrix_destroy(one);
    matrix_destroy(two);
  }
  spectrum_destroy(spectrum);
  tensor_destroy(turned);
  tensor_destroy(tensor);
}

/* Files, one a layer, in one: what each of them has alone. */
static void layers_from_several_tensors(void **state) {
  struct tensor *tensor = make(), *part[LAYERS], *stack;
  const size_t size = tensor->count / LAYERS;
  for (size_t l = 0; l < LAYERS; l++) {
    part[l] =
        tensor_create(STORAGE_F64, 3, (size_t[]){HEADS, LENGTH, DIM}, "vectors of a layer", NULL);
    part[l]->name = strdup(l ? "dumps/last.npy" : "dumps/first.npy");
    memcpy(part[l]->data, (double *)tensor->data + l * size, size * sizeof(double));
  }
  assert_int_equal(tensor_stack(part, LAYERS, &stack, NULL), OK);
  assert_string_equal(stack->name, "first.npy ... last.npy");
  assert_string_equal(tensor_shape(stack).text, tensor_shape(tensor).text);
  assert_memory_equal(stack->data, tensor->data, tensor->count * sizeof(double));

  const struct map_vectors whole = vectors_of(stack, all);
  struct spectrum *spectrum = plain_spectrum(DIM, 100);
  for (size_t l = 0; l < LAYERS; l++) {
    const struct map_vectors alone = vectors_of(part[l], NULL);
    for (size_t kind = 0; kind < 2; kind++) {
      struct map_request request = request_of(kind ? "norms" : "scores", "rope", spectrum, LENGTH);
      request.query = &alone;
      request.key = kind ? NULL : &alone;
      struct matrix *one = run(*state, &request);
      request.query = &whole;
      request.key = kind ? NULL : &whole;
      request.layer = l;
      struct matrix *two = run(*state, &request);
      assert_memory_equal(one->cells, two->cells, one->rows * one->columns * sizeof(double));
      assert_near(meta_real(two->meta, "layer", NAN), (double)l, 0);
      matrix_destroy(one);
      matrix_destroy(two);
    }
  }
  spectrum_destroy(spectrum);
  tensor_destroy(stack);
  tensor_destroy(tensor);
  for (size_t l = 0; l < LAYERS; l++)
    tensor_destroy(part[l]);
}

static void stacks_what_is_alike(void **state) {
  (void)state;
  struct error error;
  struct tensor *stack = NULL, *tensor[2] = {0};
  static const struct {
    enum storage storage;
    size_t rank, shape[TENSOR_RANK];
    const char *part;
  } other[] = {{STORAGE_F32, 2, {2, 3}, "'a.npy' is f64 (2, 3), and 'b.npy' is f32 (2, 3)"},
               {STORAGE_F64, 2, {2, 4}, "and 'b.npy' is f64 (2, 4): the same is needed"},
               {STORAGE_F64, 3, {2, 3, 1}, "and 'b.npy' is f64 (2, 3, 1)"}};
  tensor[0] = tensor_create(STORAGE_F64, 2, (size_t[]){2, 3}, "a tensor", NULL);
  tensor[0]->name = strdup("a.npy");
  for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
    tensor[1] = tensor_create(other[i].storage, other[i].rank, other[i].shape, "a tensor", NULL);
    tensor[1]->name = strdup("b.npy");
    assert_int_equal(tensor_stack(tensor, 2, &stack, &error), ERROR_INPUT);
    assert_null(stack);
    assert_message(error, other[i].part);
    tensor_destroy(tensor[1]);
  }
  tensor_destroy(tensor[0]);
  tensor[0] = tensor_create(STORAGE_U8, TENSOR_RANK, (size_t[]){1, 1, 1, 1, 1, 1, 1, 1}, "a", NULL);
  tensor[0]->name = strdup("deep.npy");
  tensor[1] = tensor[0];
  assert_int_equal(tensor_stack(tensor, 2, &stack, &error), ERROR_INPUT);
  assert_message(error, "'deep.npy' has 8 axes");
  tensor_destroy(tensor[0]);
}

/* A NaN is in the means it takes part in, also beside an infinity, and in no other. */
static void not_a_number_stays(void **state) {
  struct tensor *tensor = make();
  double *value = tensor->data;
  const size_t head = LENGTH * DIM, layer = HEADS * head;
  value[layer + head] = NAN; /* layer 1, head 1, position 0, pair 0 */
  value[layer + head + 1] = INFINITY;
  value[2 * layer + 3] = -INFINITY; /* layer 2, head 0, pair 1 */
  const struct map_vectors vectors = vectors_of(tensor, all);
  struct spectrum *spectrum = plain_spectrum(DIM, 100);
  struct map_request request = request_of("norms", "rope", spectrum, 0);
  request.query = &vectors;
  request.rows = MAP_ROWS_LAYERS;
  struct matrix *matrix = run(*state, &request);
  assert_true(isnan(cell(matrix, 1, 0)));
  assert_true(isinf(cell(matrix, 2, 1)));
  assert_near(cell(matrix, 0, 0), 15, 1e-13);
  assert_near(cell(matrix, 1, 1), 70, 1e-13);
  assert_near(cell(matrix, 2, 0), 115, 1e-13);
  matrix_destroy(matrix);
  request.rows = MAP_ROWS_LAYERS_OF_HEAD;
  matrix = run(*state, &request);
  assert_near(cell(matrix, 1, 0), 60, 1e-13);
  matrix_destroy(matrix);
  spectrum_destroy(spectrum);
  tensor_destroy(tensor);
}

static void refuse(struct backend *backend, const struct map_request *request, const char *part) {
  struct matrix *matrix = NULL;
  struct error error;
  assert_int_equal(map_run(backend, request, &matrix, &error), ERROR_INPUT);
  assert_null(matrix);
  assert_message(error, part);
}

static void refuses_what_is_not_there(void **state) {
  struct tensor *tensor = make();
  const struct map_vectors vectors = vectors_of(tensor, all),
                           batch = vectors_of(tensor, "batch,head,position,dim");
  struct spectrum *spectrum = plain_spectrum(DIM, 100);
  struct map_request request = request_of("norms", "rope", spectrum, LENGTH);
  request.query = &vectors;
  request.layer = LAYERS;
  refuse(*state, &request, "no layer '3' in (3, 2, 2, 4), axes layer,head,position,dim: 0 to 2");
  request.rows = MAP_ROWS_LAYERS_OF_HEAD;
  request.head = HEADS;
  refuse(*state, &request, "no head '2' in (3, 2, 2, 4), axes layer,head,position,dim: 0 to 1");
  request = request_of("scores", "rope", spectrum, LENGTH);
  request.query = &vectors;
  request.key = &batch;
  refuse(*state, &request, "differ in the axis 'batch': '1' and '3'");
  request.query = &batch;
  request.key = &batch;
  request.layer = 1;
  refuse(*state, &request, "no layer '1' in (3, 2, 2, 4), axes batch,head,position,dim: none is");
  request.query = request.key = &vectors;
  request.layer = LAYERS;
  refuse(*state, &request, "there is no layer '3'");
  spectrum_destroy(spectrum);
  tensor_destroy(tensor);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_are_what_is_asked_for), cmocka_unit_test(layouts_pair_other_dimensions),
      cmocka_unit_test(axes_in_another_order),      cmocka_unit_test(layers_from_several_tensors),
      cmocka_unit_test(stacks_what_is_alike),       cmocka_unit_test(not_a_number_stays),
      cmocka_unit_test(refuses_what_is_not_there),
  };
  return cmocka_run_group_tests(tests, open_backend, close_backend);
}

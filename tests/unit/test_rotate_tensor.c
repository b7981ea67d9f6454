/* lib/rope/rotate_tensor.h: axes in any order, positions of batches, element types, tables. */
#include "tests/oracle/oracle.h"
#include "tests/unit/spectra.h"

#include "lib/base/memory.h"
#include "lib/rope/rotate_tensor.h"

static struct backend *backend;
static struct error error;

enum { DIM = 10, PAIRS = 4 };
static const size_t extent[AXES] = {
    [AXIS_LAYER] = 2, [AXIS_BATCH] = 2, [AXIS_POSITION] = 5, [AXIS_HEAD] = 3, [AXIS_DIM] = DIM};

/* 8 of 10 dimensions rotate, with an attention factor as YaRN has. */
static struct spectrum *partial_spectrum(enum layout layout) {
  struct rope_spec spec;
  spec_default(&spec);
  spec.head_dim = DIM;
  spec.rotary_dim = 2 * PAIRS;
  spec.layout = layout;
  struct spectrum *spectrum = spectrum_of(&spec);
  spectrum->attention_factor = 1.25;
  return spectrum;
}

static double element_at(const size_t index[AXES]) {
  const size_t number =
      (((index[AXIS_LAYER] * 2 + index[AXIS_BATCH]) * 5 + index[AXIS_POSITION]) * 3 +
       index[AXIS_HEAD]) *
          DIM +
      index[AXIS_DIM];
  return (double)(number * 37 % 256) / 64 - 2; /* exact in every type */
}

/* A tensor with these axes, whose elements element_at() gives. */
static struct tensor *tensor_with(const struct axes *axes, enum storage storage) {
  size_t shape[AXES], index[AXES] = {0};
  for (size_t i = 0; i < axes->rank; i++)
    shape[i] = extent[axes->axis[i]];
  struct tensor *tensor = tensor_create(storage, axes->rank, shape, "a test", &error);
  assert_non_null(tensor);
  for (size_t e = 0; e < tensor->count; e++) {
    size_t rest = e;
    for (size_t i = axes->rank; i-- > 0; rest /= shape[i])
      index[axes->axis[i]] = rest % shape[i];
    storage_store(storage, &(double){element_at(index)}, 1,
                  (char *)tensor->data + e * storage_size(storage));
  }
  return tensor;
}

static void check_rotated(const struct rotate_request *request, const struct tensor *output,
                          double tolerance) {
  const struct axes *axes = &request->axes;
  const struct spectrum *spectrum = request->spectrum;
  double *value = tensor_reals(output, &error);
  size_t index[AXES] = {0};
  assert_int_equal(output->storage, request->storage);
  for (size_t e = 0; e < output->count; e++) {
    size_t rest = e;
    for (size_t i = axes->rank; i-- > 0; rest /= output->shape[i])
      index[axes->axis[i]] = rest % output->shape[i];
    const struct positions *positions = request->positions;
    const int64_t position =
        positions->position[index[AXIS_BATCH] % positions->batch * positions->length +
                            index[AXIS_POSITION]];
    long double vector[DIM] = {0};
    for (size_t i = 0; i < DIM; i++)
      vector[i] = element_at((const size_t[AXES]){index[AXIS_LAYER], index[AXIS_BATCH],
                                                  index[AXIS_POSITION], index[AXIS_HEAD], i});
    const double factor = spectrum->attention_factor;
    oracle_rotate(spectrum->step, PAIRS, spectrum->spec.layout,
                  request->inverse ? 1 / factor : factor, request->inverse ? -position : position,
                  vector);
    const double expected = (double)vector[index[AXIS_DIM]];
    assert_near(value[e], expected, tolerance * fmax(1, fabs(expected)));
  }
  free(value);
}

static const int64_t some_positions[10] = {7, 0, INT64_C(3000000000), -4, 131071, 1, 1, 0, 0, 900};

/* All orders of 2 to 4 axes with position and dim, shared positions and those of each batch. */
static void axes_in_any_order(void **state) {
  (void)state;
  size_t orders = 0;
  const size_t lists = 5 * 5 * 5 * 5 * 5;
  for (size_t code = 0; code < AXES * lists; code++) {
    struct axes axes = {.rank = code / lists + 1};
    unsigned seen = 0;
    size_t rest = code % lists;
    for (size_t i = 0; i < axes.rank; i++, rest /= AXES) {
      axes.axis[i] = (enum axis)(rest % AXES);
      seen |= 1u << axes.axis[i];
    }
    const unsigned needed = 1u << AXIS_POSITION | 1u << AXIS_DIM;
    if (rest || (seen & needed) != needed || (size_t)__builtin_popcount(seen) != axes.rank)
      continue;
    orders++;
    for (size_t batch = 1; batch <= 1 + (seen >> AXIS_BATCH & 1u); batch++) {
      struct spectrum *spectrum = partial_spectrum(orders % 2 ? LAYOUT_HALVES : LAYOUT_INTERLEAVED);
      struct tensor *input = tensor_with(&axes, STORAGE_F64), *output;
      const struct positions positions = {.batch = batch,
                                          .length = 5,
                                          .rank = batch,
                                          .position = (int64_t *)(uintptr_t)some_positions};
      struct rotate_request request = {.spectrum = spectrum,
                                       .input = input,
                                       .axes = axes,
                                       .positions = &positions,
                                       .inverse = orders % 3 == 0,
                                       .storage = STORAGE_F64};
      if (rotate_tensor(backend, &request, &output, &error)) fail_msg("%s", error.message);
      assert_memory_equal(output->shape, input->shape, sizeof input->shape);
      check_rotated(&request, output, 4e-15);
      tensor_destroy(output);
      tensor_destroy(input);
      spectrum_destroy(spectrum);
    }
  }
  /* position and dim, and none to all of the other three */
  assert_int_equal(orders, 2 + 3 * 6 + 3 * 24 + 120);
}

static const struct positions five = {
    .batch = 1, .length = 5, .rank = 1, .position = (int64_t *)(uintptr_t)some_positions};

/* From every type to every other, rounded once; and back again. */
static void element_types(void **state) {
  (void)state;
  static const double roundoff[STORAGE_REALS] = {0x1p-53, 0x1p-24, 0x1p-8, 0x1p-11};
  struct spectrum *spectrum = partial_spectrum(LAYOUT_HALVES);
  const struct axes axes = {.rank = 2, .axis = {AXIS_POSITION, AXIS_DIM}};
  for (int from = 0; from < STORAGE_REALS; from++)
    for (int to = 0; to < STORAGE_REALS; to++) {
      struct tensor *input = tensor_with(&axes, (enum storage)from), *output, *back;
      struct rotate_request request = {.spectrum = spectrum,
                                       .input = input,
                                       .axes = axes,
                                       .positions = &five,
                                       .storage = (enum storage)to};
      assert_int_equal(rotate_tensor(backend, &request, &output, &error), OK);
      check_rotated(&request, output, roundoff[to] * 1.001 + 4e-15);
      request.input = output;
      request.inverse = true;
      request.storage = STORAGE_F64;
      assert_int_equal(rotate_tensor(backend, &request, &back, &error), OK);
      const double *undone = back->data;
      double *given = tensor_reals(input, &error);
      for (size_t e = 0; e < back->count; e++)
        assert_near(undone[e], given[e], 4 * roundoff[to] + 4e-15);
      free(given);
      tensor_destroy(back);
      tensor_destroy(output);
      tensor_destroy(input);
    }
  spectrum_destroy(spectrum);
}

static void refused(const struct rotate_request *request, enum error_code code, const char *part) {
  struct tensor *output;
  assert_int_equal(rotate_tensor(backend, request, &output, &error), code);
  assert_null(output);
  assert_message(error, part);
}

static void what_does_not_fit(void **state) {
  (void)state;
  struct spectrum *spectrum = partial_spectrum(LAYOUT_HALVES), *wide = plain_spectrum(12, 10000);
  const struct axes axes = {.rank = 4, .axis = {AXIS_BATCH, AXIS_HEAD, AXIS_POSITION, AXIS_DIM}};
  struct tensor *input = tensor_with(&axes, STORAGE_F32);
  const struct rotate_request good = {.spectrum = spectrum,
                                      .input = input,
                                      .axes = axes,
                                      .positions = &five,
                                      .storage = STORAGE_F32};
  struct rotate_request request = good;
  struct positions positions = five;
  request.spectrum = wide;
  refused(&request, ERROR_INPUT, "have 10 dimensions, 12 would rotate");
  request = good;
  request.positions = &positions;
  positions.length = 4;
  refused(&request, ERROR_INPUT,
          "4 positions do not fit 'the tensor': its position axis has 5 (axes "
          "batch,head,position,dim, shape (2, 3, 5, 10))");
  positions.length = 5;
  positions.batch = 3;
  refused(&request, ERROR_INPUT,
          "3 sets of positions do not fit 'the tensor': its batch axis has 2");
  request = good;
  input->storage = STORAGE_I32;
  refused(&request, ERROR_INPUT, "its elements are i32, not f64");
  input->storage = STORAGE_F32;
  const uint64_t limit = memory_limit();
  memory_set_limit(1000);
  refused(&good, ERROR_FAILED, "not enough memory");
  memory_set_limit(limit);
  tensor_destroy(input);
  spectrum_destroy(wide);
  spectrum_destroy(spectrum);
}

static void tables(void **state) {
  (void)state;
  struct spectrum *spectrum = partial_spectrum(LAYOUT_HALVES);
  for (size_t rank = 1; rank <= 2; rank++)
    for (int storage = 0; storage < STORAGE_F16; storage++) {
      const struct positions positions = {.batch = rank,
                                          .length = 5,
                                          .rank = rank,
                                          .position = (int64_t *)(uintptr_t)some_positions};
      struct tensor *table;
      assert_int_equal(
          rotate_tables(backend, spectrum, &positions, (enum storage)storage, &table, &error), OK);
      assert_int_equal(table->storage, storage);
      assert_int_equal(table->rank, rank + 2);
      assert_int_equal(table->shape[0], 2);
      assert_int_equal(table->shape[rank], 5);
      assert_int_equal(table->shape[rank + 1], PAIRS);
      double *value = tensor_reals(table, &error);
      for (size_t e = 0; e < table->count / 2; e++) {
        const long double angle =
            oracle_angle(spectrum->step[e % PAIRS], some_positions[e / PAIRS]);
        const double tolerance = storage == STORAGE_F64   ? 4e-16
                                 : storage == STORAGE_F32 ? 1e-7
                                                          : 5e-3;
        assert_near(value[e], 1.25 * (double)cosl(angle), tolerance);
        assert_near(value[table->count / 2 + e], 1.25 * (double)sinl(angle), tolerance);
      }
      free(value);
      tensor_destroy(table);
    }
  spectrum_destroy(spectrum);
}

/* A float times a float attention factor, rounded to float; narrower formats round that again.
   YaRN's 0.1 ln 3 + 1 is no float. */
static void tables_are_multiplied_in_their_precision(void **state) {
  (void)state;
  static const enum precision narrow[] = {PRECISION_FP32, PRECISION_BF16};
  static const double factor = 1.1098612288668110;
  struct rope_spec spec;
  spec_default(&spec);
  assert_int_equal(spec_parse_scaling("yarn:factor=3,original_max_position_embeddings=4096",
                                      &spec.scaling, &error),
                   OK);
  int64_t position[] = {0, 1, 77, 12287};
  const struct positions positions = {.batch = 1, .length = 4, .rank = 1, .position = position};
  for (size_t p = 0; p < 2; p++) {
    spec.precision = narrow[p];
    struct spectrum *spectrum = spectrum_of(&spec);
    assert_near(spectrum->attention_factor, factor, 1e-15);
    struct tensor *table;
    assert_int_equal(rotate_tables(backend, spectrum, &positions, STORAGE_F64, &table, &error), OK);
    const double *value = table->data;
    for (size_t e = 0; e < table->count / 2; e++) {
      const size_t pair = e % spectrum->pairs;
      double cosine, sine;
      phase_cos_sin_rounded(narrow[p], spectrum->step[pair], spectrum->inv_freq_double[pair],
                            position[e / spectrum->pairs], &cosine, &sine);
      const float of_cosine = (float)cosine * (float)factor, of_sine = (float)sine * (float)factor;
      assert_true(value[e] == precision_round(narrow[p], of_cosine));
      assert_true(value[table->count / 2 + e] == precision_round(narrow[p], of_sine));
    }
    tensor_destroy(table);
    spectrum_destroy(spectrum);
  }
}

static void no_vectors(void **state) {
  (void)state;
  struct spectrum *spectrum = partial_spectrum(LAYOUT_HALVES);
  struct tensor *input = tensor_create(STORAGE_F32, 2, (const size_t[]){0, DIM}, "a test", &error),
                *output;
  const struct positions none = {.batch = 1, .rank = 1, .position = (int64_t[]){0}};
  const struct rotate_request request = {.spectrum = spectrum,
                                         .input = input,
                                         .axes = {.rank = 2, .axis = {AXIS_POSITION, AXIS_DIM}},
                                         .positions = &none,
                                         .storage = STORAGE_BF16};
  assert_int_equal(rotate_tensor(backend, &request, &output, &error), OK);
  assert_int_equal(output->count, 0);
  assert_int_equal(output->storage, STORAGE_BF16);
  tensor_destroy(output);
  tensor_destroy(input);
  spectrum_destroy(spectrum);
}

static int open_backend(void **state) {
  (void)state;
  backend = open_cpu();
  return 0;
}

static int close_backend(void **state) {
  (void)state;
  backend_close(backend);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(axes_in_any_order),
      cmocka_unit_test(element_types),
      cmocka_unit_test(what_does_not_fit),
      cmocka_unit_test(tables),
      cmocka_unit_test(tables_are_multiplied_in_their_precision),
      cmocka_unit_test(no_vectors),
  };
  return cmocka_run_group_tests(tests, open_backend, close_backend);
}

/* Rotation of tensors: layouts, element types, partly rotated vectors, in place, off alignment. */
#include "tests/twins/twins.h"

#include "lib/base/storage.h"
#include "tests/oracle/oracle.h"

struct shape {
  size_t batch, length, heads, dim, pairs;
};

/* Pairs that are multiples of what a thread takes, and others; vectors rotated in part. */
static const struct shape shapes[] = {{1, 1, 1, 2, 1},    {0, 3, 2, 4, 2},    {2, 0, 1, 4, 2},
                                      {2, 3, 1, 5, 2},    {1, 7, 3, 16, 8},   {3, 5, 2, 24, 8},
                                      {2, 33, 1, 33, 16}, {1, 31, 4, 64, 32}, {2, 9, 2, 40, 12}};

enum { BATCHES = 3, LENGTH = 64 };

static void positions_fill(int64_t *position) {
  static const int64_t large[] = {0, 2147483647, -2147483648, 1, 1000003};
  for (size_t row = 0; row < BATCHES * LENGTH; row++)
    position[row] = row < COUNT_OF(large) ? large[row] : (int64_t)row * 37 - 900;
}

/* Elements between guards of their own: `count` of them, `offset` elements off alignment. */
enum { GUARD_BYTES = 64 };
struct elements {
  unsigned char *memory, *start;
  size_t bytes;
};

static struct elements elements_new(enum storage storage, size_t count, size_t offset) {
  const size_t size = storage_size(storage), bytes = count * size;
  struct elements elements = {.memory = malloc(bytes + 2 * GUARD_BYTES + offset * size),
                              .bytes = bytes};
  assert_non_null(elements.memory);
  elements.start = elements.memory + GUARD_BYTES + offset * size;
  memset(elements.memory, 0xa5, bytes + 2 * GUARD_BYTES + offset * size);
  return elements;
}

static void elements_finish(struct elements *elements) {
  for (const unsigned char *byte = elements->memory; byte < elements->start; byte++)
    assert_int_equal(*byte, 0xa5);
  for (size_t i = 0; i < GUARD_BYTES; i++)
    assert_int_equal(elements->start[elements->bytes + i], 0xa5);
  free(elements->memory);
}

/* What kernels/backend.h promises: half a unit of the type in the last place, and `e` times
   amplitude times the length of the pair. */
struct promise {
  double relative, least, e; /* half a unit: relative to the value, and of the smallest values */
};

static struct promise promise_of(enum storage storage, size_t which) {
  switch (storage) {
  case STORAGE_F64:
    return (struct promise){0x1p-53, 0, 6 * 0x1p-53};
  case STORAGE_F32:
    return (struct promise){0x1p-24, 0x1p-150, which ? 4 * 0x1p-24 : 6 * 0x1p-53};
  case STORAGE_BF16:
    return (struct promise){0x1p-8, 0x1p-134, 4 * 0x1p-24};
  default:
    return (struct promise){0x1p-11, 0x1p-25, 4 * 0x1p-24};
  }
}

static void check_vector(size_t which, const struct rotate_batch *batch, const double *input,
                         const double *output, int64_t position) {
  static const char *const labels[] = {"rotate f64", "rotate f32", "rotate bf16", "rotate f16"};
  const struct promise promise = promise_of(batch->storage, which);
  long double vector[64] = {0};
  for (size_t i = 0; i < batch->dim; i++)
    vector[i] = input[i];
  oracle_rotate(batch->phases.step, batch->phases.pairs, batch->layout, batch->amplitude,
                batch->inverse ? -position : position, vector);
  for (size_t i = 0; i < batch->phases.pairs; i++) {
    size_t at[2];
    oracle_pair(batch->layout, i, batch->phases.pairs, &at[0], &at[1]);
    const double length = batch->amplitude * hypot(input[at[0]], input[at[1]]);
    for (size_t e = 0; e < 2; e++) {
      const double expected = (double)vector[at[e]];
      twins_compare(labels[batch->storage], which, output[at[e]], expected,
                    promise.relative * fabs(expected) + promise.least +
                        promise.e * (1 + promise.relative) * length);
    }
  }
}

struct variant {
  enum storage storage;
  enum layout layout;
  bool inverse, position_per_batch, in_place;
};

static void compare(const struct shape *shape, struct variant variant) {
  const size_t count = shape->batch * shape->length * shape->heads * shape->dim,
               size = storage_size(variant.storage), width = shape->heads * shape->dim;
  struct phases phases = phases_of(shape->pairs, 10000, PRECISION_FP64);
  int64_t position[BATCHES * LENGTH];
  positions_fill(position);
  double *value = random_array(count, 3), *input = random_array(count, 4),
         *output = random_array(count, 5);
  for (size_t t = 0; t < TWINS; t++) {
    struct elements from = elements_new(variant.storage, count, 1),
                    to = elements_new(variant.storage, count, 3);
    storage_store(variant.storage, value, count, from.start);
    storage_load(variant.storage, from.start, count, input);
    if (variant.in_place) memcpy(to.start, from.start, count * size);
    const struct rotate_batch batch = {.phases = phases,
                                       .layout = variant.layout,
                                       .amplitude = 1.25,
                                       .inverse = variant.inverse,
                                       .storage = variant.storage,
                                       .batch = shape->batch,
                                       .length = shape->length,
                                       .heads = shape->heads,
                                       .dim = shape->dim,
                                       .position = position,
                                       .position_per_batch = variant.position_per_batch,
                                       .input = variant.in_place ? to.start : from.start,
                                       .output = to.start};
    assert_done(backend_rotate(twin[t], &batch, &error));
    storage_load(variant.storage, to.start, count, output);
    for (size_t v = 0; v * shape->dim < count; v++) {
      const size_t row = v * shape->dim / width,
                   at = variant.position_per_batch ? row : row % shape->length;
      check_vector(t, &batch, input + v * shape->dim, output + v * shape->dim, position[at]);
      const size_t rest = v * shape->dim + 2 * shape->pairs;
      assert_memory_equal(to.start + rest * size, from.start + rest * size,
                          (shape->dim - 2 * shape->pairs) * size);
    }
    elements_finish(&from);
    elements_finish(&to);
  }
  free(value);
  free(input);
  free(output);
  phases_free(&phases);
}

static void compare_all(void) {
  for (size_t s = 0; s < COUNT_OF(shapes); s++)
    for (int storage = 0; storage < STORAGE_REALS; storage++)
      for (int bits = 0; bits < 16; bits++)
        compare(&shapes[s], (struct variant){(enum storage)storage,
                                             bits & 1 ? LAYOUT_HALVES : LAYOUT_INTERLEAVED,
                                             bits & 2, bits & 4, bits & 8});
}

static void twins_of_the_oracle(void **state) {
  (void)state;
  compare_all();
}

static void small_devices(void **state) {
  (void)state;
  twins_limit(6000, 1);
  compare_all();
  twins_limit(0, 0);
}

/* Infinities, the largest numbers and the smallest: what overflows a type is infinite, what is too
   small is rounded to a subnormal. By position 0 nothing but the type changes. */
static void ends_of_the_types(void **state) {
  (void)state;
  static const double some[] = {0,       -0.0,     1,        65504,   -65520,   1e-7,
                                3e38,    -3.4e38,  0x1p-133, 0x1p-24, INFINITY, -INFINITY,
                                0x1p-14, 0x1p-126, 2.5,      -7};
  enum { COUNT = COUNT_OF(some) };
  struct phases phases = phases_of(COUNT / 2, 10000, PRECISION_FP64);
  const int64_t position = 0;
  for (int storage = STORAGE_F64; storage < STORAGE_REALS; storage++) {
    uint64_t input[COUNT], output[TWINS][COUNT];
    double value[TWINS][COUNT];
    storage_store((enum storage)storage, some, COUNT, input);
    for (size_t t = 0; t < TWINS; t++) {
      const struct rotate_batch batch = {.phases = phases,
                                         .amplitude = 1,
                                         .storage = (enum storage)storage,
                                         .batch = 1,
                                         .length = 1,
                                         .heads = 1,
                                         .dim = COUNT,
                                         .position = &position,
                                         .input = input,
                                         .output = output[t]};
      assert_done(backend_rotate(twin[t], &batch, &error));
      storage_load((enum storage)storage, output[t], COUNT, value[t]);
    }
    for (size_t i = 0; i < COUNT; i++)
      twins_compare("rotate ends of types", 1, value[1][i], value[0][i], 0);
  }
  phases_free(&phases);
}

static void not_a_number_stays_where_it_is(void **state) {
  (void)state;
  enum { DIM = 12, ROWS = 3 };
  struct phases phases = phases_of(4, 10000, PRECISION_FP64);
  const int64_t position[ROWS] = {0, 3, 9};
  for (int storage = 0; storage < STORAGE_REALS; storage++)
    for (int layout = 0; layout < 2; layout++)
      for (size_t at = 0; at < DIM; at++) {
        double *vector = random_array(ROWS * DIM, 6), back[ROWS * DIM];
        uint64_t elements[ROWS * DIM];
        vector[DIM + at] = NAN;
        storage_store((enum storage)storage, vector, ROWS * DIM, elements);
        const struct rotate_batch batch = {.phases = phases,
                                           .layout = (enum layout)layout,
                                           .amplitude = 1,
                                           .storage = (enum storage)storage,
                                           .batch = 1,
                                           .length = ROWS,
                                           .heads = 1,
                                           .dim = DIM,
                                           .position = position,
                                           .input = elements,
                                           .output = elements};
        assert_done(backend_rotate(twin[1], &batch, &error));
        storage_load((enum storage)storage, elements, ROWS * DIM, back);
        size_t a = at, b = at;
        for (size_t i = 0; i < 4; i++) {
          size_t first, second;
          oracle_pair((enum layout)layout, i, 4, &first, &second);
          if (at == first || at == second) a = first, b = second;
        }
        for (size_t i = 0; i < ROWS * DIM; i++)
          assert_int_equal(isnan(back[i]) != 0, i == DIM + a || i == DIM + b);
        free(vector);
      }
  phases_free(&phases);
}

static int operation(void) {
  struct phases phases = phases_of(2, 10000, PRECISION_FP64);
  const int64_t position[3] = {0, 1, 2};
  float tensor[2 * 3 * 2 * 5] = {0};
  const struct rotate_batch batch = {.phases = phases,
                                     .amplitude = 1,
                                     .storage = STORAGE_F32,
                                     .batch = 2,
                                     .length = 3,
                                     .heads = 2,
                                     .dim = 5,
                                     .position = position,
                                     .input = tensor,
                                     .output = tensor};
  const int status = backend_rotate(twin[1], &batch, &error);
  phases_free(&phases);
  return status;
}

static void too_small_a_device(void **state) {
  (void)state;
  twins_limit(50, 0);
  assert_refused(operation(), ERROR_FAILED, "cannot rotate on the GPU: not enough device memory");
  twins_limit(0, 0);
}

static void failing_calls(void **state) {
  (void)state;
  twins_inject(operation);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(twins_of_the_oracle), cmocka_unit_test(small_devices),
      cmocka_unit_test(ends_of_the_types),   cmocka_unit_test(not_a_number_stays_where_it_is),
      cmocka_unit_test(too_small_a_device),  cmocka_unit_test(failing_calls),
  };
  return twins_main(tests);
}

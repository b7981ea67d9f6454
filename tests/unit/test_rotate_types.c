/* Rotation of tensors of every element type, against the oracle. */
#include "kernels/cpu.h"
#include "tests/oracle/cpu_backend.h"
#include "tests/oracle/oracle.h"

static struct error error;

/* Positions that repeat in runs, also where blocks of rows meet, go down, and are large. */
static int64_t position_at(size_t row) {
  return row / 7 % 2 ? 1000000 - (int64_t)(row / 7) : (int64_t)row - 40;
}

/* Half a unit in the last place of a result of such a size. */
static double half_unit(enum storage storage, double value) {
  static const struct {
    int digits, lowest;
  } formats[STORAGE_REALS] = {[STORAGE_F64] = {53, -1022},
                              [STORAGE_F32] = {24, -126},
                              [STORAGE_BF16] = {8, -126},
                              [STORAGE_F16] = {11, -14}};
  int exponent;
  frexp(value, &exponent);
  if (exponent - 1 < formats[storage].lowest) exponent = formats[storage].lowest + 1;
  return ldexp(1, exponent - formats[storage].digits - 1);
}

/* A tensor of random elements of some type, and what it holds as doubles. */
struct elements {
  enum storage storage;
  size_t count;
  char *raw; /* one element further than its block begins: aligned to elements alone */
  double *value;
};

static struct elements random_elements(enum storage storage, size_t count, uint64_t seed) {
  struct elements elements = {storage, count, malloc((count + 1) * storage_size(storage)),
                              random_array(count, seed)};
  assert_non_null(elements.raw);
  elements.raw += storage_size(storage);
  storage_store(storage, elements.value, count, elements.raw);
  storage_load(storage, elements.raw, count, elements.value);
  return elements;
}

static void elements_free(struct elements *elements) {
  free(elements->raw - storage_size(elements->storage));
  free(elements->value);
}

/* Every vector against the oracle, within the bound that kernels/backend.h states for a device that
   computes types below f64 in float; also f32 on the CPU, which computes it in double. */
static void check_tensor(const struct rotate_batch *batch, const double *input,
                         const double *output) {
  const double e =
      batch->storage == STORAGE_F64 || batch->storage == STORAGE_F32 ? 6 * 0x1p-53 : 4 * 0x1p-24;
  long double vector[512] = {0};
  for (size_t v = 0; v < batch->batch * batch->length * batch->heads; v++) {
    const size_t row = v / batch->heads;
    const int64_t position = batch->position[batch->position_per_batch ? row : row % batch->length];
    const double *in = input + v * batch->dim, *out = output + v * batch->dim;
    for (size_t i = 0; i < batch->dim; i++)
      vector[i] = in[i];
    oracle_rotate(batch->phases.step, batch->phases.pairs, batch->layout, batch->amplitude,
                  batch->inverse ? -position : position, vector);
    for (size_t i = 0; i < batch->phases.pairs; i++) {
      size_t pair[2];
      oracle_pair(batch->layout, i, batch->phases.pairs, &pair[0], &pair[1]);
      const double length = fabs(batch->amplitude) * hypot(in[pair[0]], in[pair[1]]);
      for (int k = 0; k < 2; k++)
        assert_close(out[pair[k]], (double)vector[pair[k]],
                     half_unit(batch->storage, (double)vector[pair[k]]) * (1 + 0x1p-20) +
                         e * length);
    }
    for (size_t i = 2 * batch->phases.pairs; i < batch->dim; i++)
      assert_true(out[i] == in[i]);
  }
}

static const size_t tensor_shapes[][5] = {/* batch, length, heads, dim, pairs */
                                          {1, 1, 1, 2, 1},    {2, 3, 5, 7, 3},
                                          {3, 1, 4, 64, 32},  {1, 130, 2, 33, 9},
                                          {4, 17, 3, 80, 16}, {2, 40, 8, 128, 64},
                                          {1, 2, 3, 301, 150}};

static struct rotate_batch tensor_batch(const struct phases *phases, const size_t *shape,
                                        const int64_t *position, enum storage storage) {
  return (struct rotate_batch){.phases = *phases,
                               .amplitude = 1.25,
                               .storage = storage,
                               .batch = shape[0],
                               .length = shape[1],
                               .heads = shape[2],
                               .dim = shape[3],
                               .position = position};
}

static void tensors_of_every_type(void **state) {
  (void)state;
  thread_use(2);
  int64_t position[520];
  for (size_t row = 0; row < COUNT_OF(position); row++)
    position[row] = row % 5 == 3 ? INT64_C(1) << 40 : position_at(row);
  for (size_t s = 0; s < COUNT_OF(tensor_shapes); s++)
    for (int variant = 0; variant < 8 * STORAGE_REALS; variant++) {
      const size_t *shape = tensor_shapes[s], count = shape[0] * shape[1] * shape[2] * shape[3];
      struct phases phases = phases_of(shape[4], 10000, PRECISION_FP64);
      struct rotate_batch batch =
          tensor_batch(&phases, shape, position, (enum storage)(variant / 8));
      batch.layout = variant % 2 ? LAYOUT_HALVES : LAYOUT_INTERLEAVED;
      batch.inverse = variant / 2 % 2;
      batch.position_per_batch = variant / 4 % 2;
      struct elements input = random_elements(batch.storage, count, 5 + s),
                      output = random_elements(batch.storage, count, 1);
      batch.input = input.raw;
      batch.output = output.raw;
      assert_done(backend_rotate(backend, &batch, &error));
      storage_load(batch.storage, output.raw, count, output.value);
      check_tensor(&batch, input.value, output.value);
      batch.output = input.raw; /* in place */
      assert_done(backend_rotate(backend, &batch, &error));
      assert_memory_equal(input.raw, output.raw, count * storage_size(batch.storage));
      elements_free(&input);
      elements_free(&output);
      phases_free(&phases);
    }
}

/* Neither does it change bits whether a tensor is rotated by two threads, or row by row. */
static void tensors_by_parts(void **state) {
  (void)state;
  const size_t shape[5] = {3, 50, 4, 96, 40}, count = 3 * 50 * 4 * 96;
  int64_t position[150];
  for (size_t row = 0; row < COUNT_OF(position); row++)
    position[row] = position_at(row);
  struct phases phases = phases_of(shape[4], 500000, PRECISION_FP64);
  for (int storage = 0; storage < STORAGE_REALS; storage++) {
    struct rotate_batch batch = tensor_batch(&phases, shape, position, (enum storage)storage);
    batch.position_per_batch = true;
    const size_t size = storage_size(batch.storage);
    struct elements input = random_elements(batch.storage, count, 3), output[3];
    batch.input = input.raw;
    for (int way = 0; way < 3; way++) {
      output[way] = random_elements(batch.storage, count, 1);
      batch.output = output[way].raw;
      thread_use(way < 2 ? way + 1 : 1);
      if (way < 2) assert_done(backend_rotate(backend, &batch, &error));
      for (size_t row = 0; way == 2 && row < 150; row++) {
        struct rotate_batch part = batch;
        part.batch = part.length = 1;
        part.position += row;
        part.input = input.raw + row * 4 * 96 * size;
        part.output = output[2].raw + row * 4 * 96 * size;
        assert_done(backend_rotate(backend, &part, &error));
      }
      assert_memory_equal(output[way].raw, output[0].raw, count * size);
    }
    for (int way = 0; way < 3; way++)
      elements_free(&output[way]);
    elements_free(&input);
  }
  phases_free(&phases);
}

static void nothing_to_rotate(void **state) {
  (void)state;
  struct phases phases = phases_of(2, 10000, PRECISION_FP64);
  for (int empty = 0; empty < 3; empty++) {
    const struct rotate_batch batch = {.phases = phases,
                                       .amplitude = 1,
                                       .batch = empty != 0,
                                       .length = empty != 1,
                                       .heads = empty != 2,
                                       .dim = 4};
    assert_done(backend_rotate(backend, &batch, &error));
  }
  phases_free(&phases);
}

/* cos and sin of a row are within 2 units of 2^-53 of the truth, wherever on the circle. */
static void rows_of_phases(void **state) {
  (void)state;
  enum { COUNT = 20000 };
  uint64_t *step = malloc(COUNT * sizeof *step), seed = 11;
  double *cosine = guarded_array(COUNT), *sine = guarded_array(COUNT);
  assert_non_null(step);
  for (size_t i = 0; i < COUNT; i++)
    step[i] =
        i % 3 ? random_word(&seed) : (uint64_t)(i % 8) << 61 | (random_word(&seed) >> (i % 64));
  const struct phases phases = {.series = 1, .pairs = COUNT, .step = step};
  phase_row(&phases, -3, 1, cosine, sine);
  for (size_t i = 0; i < COUNT; i++) {
    const long double angle = oracle_angle(step[i], -3);
    assert_true(fabsl((long double)cosine[i] - cosl(angle)) <= 2 * 0x1p-53L);
    assert_true(fabsl((long double)sine[i] - sinl(angle)) <= 2 * 0x1p-53L);
  }
  guarded_finish(cosine, COUNT);
  guarded_finish(sine, COUNT);
  free(step);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tensors_of_every_type),
      cmocka_unit_test(tensors_by_parts),
      cmocka_unit_test(nothing_to_rotate),
      cmocka_unit_test(rows_of_phases),
  };
  return cmocka_run_group_tests(tests, open_backend, close_backend);
}

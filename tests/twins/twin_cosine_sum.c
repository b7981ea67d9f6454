/* Weighted sums of cosines at equally spaced distances, their minimum and first negative one. */
#include "tests/twins/twins.h"

#include <dlfcn.h>

#include "tests/oracle/oracle.h"

/* Opens the CUDA backend anew, with that cuBLAS: a value of ROPETOOL_CUBLAS; NULL: unset. */
static void use_cublas(const char *library) {
  if (library)
    assert_int_equal(setenv("ROPETOOL_CUBLAS", library, 1), 0);
  else
    assert_int_equal(unsetenv("ROPETOOL_CUBLAS"), 0);
  backend_close(twin[1]);
  assert_done(backend_open(twin_name[1], &twin[1], &error));
}

static char *cublas_before; /* what ROPETOOL_CUBLAS was */

static int cublas_as_before(void **state) {
  (void)state;
  use_cublas(cublas_before);
  return 0;
}

struct shape {
  size_t series, pairs, count;
  int64_t first, step;
};

/* Fewer and more distances than a tile of the device, than a row, than a block; pairs that are no
   multiple of what it takes at a time. */
static const struct shape shapes[] = {{1, 1, 0, 0, 1},
                                      {1, 1, 1, 7, 1},
                                      {2, 3, 5, 0, 1},
                                      {3, 5, 127, 1, 2},
                                      {1, 4, 129, 0, 1},
                                      {2, 64, 300, 0, 1},
                                      {1, 33, 2049, 2147483000, 1},
                                      {1, 2, 20001, 0, 3}};

struct variant {
  bool weighted, single, stop, stored;
};

static struct phases series_of(const struct shape *shape, enum precision precision) {
  uint64_t *step = malloc(shape->series * shape->pairs * sizeof *step);
  double *inv_freq = malloc(shape->series * shape->pairs * sizeof *inv_freq);
  for (size_t s = 0; s < shape->series; s++) {
    struct phases one = phases_of(shape->pairs, 10000 * pow(30, (double)s), precision);
    memcpy(step + s * shape->pairs, one.step, shape->pairs * sizeof *step);
    memcpy(inv_freq + s * shape->pairs, one.inv_freq, shape->pairs * sizeof *inv_freq);
    phases_free(&one);
  }
  return (struct phases){shape->series, shape->pairs, step, inv_freq, precision};
}

/* What a backend returns for a batch. */
struct result {
  double *sum, *minimum;
  int64_t minimum_distance[4], first_negative[4];
};

static struct result run(size_t which, const struct shape *shape, const struct phases *phases,
                         const double *weight, struct variant variant) {
  struct result result = {.minimum = guarded_array(shape->series)};
  if (variant.stored) result.sum = guarded_array(shape->series * shape->count);
  const struct cosine_sum_batch batch = {.phases = *phases,
                                         .weight = weight,
                                         .first = shape->first,
                                         .step = shape->step,
                                         .count = shape->count,
                                         .single = variant.single,
                                         .stop_at_negative = variant.stop,
                                         .sum = result.sum,
                                         .minimum = result.minimum,
                                         .minimum_distance = result.minimum_distance,
                                         .first_negative = result.first_negative};
  assert_done(backend_cosine_sum(twin[which], &batch, &error));
  return result;
}

static void result_free(const struct shape *shape, struct result *result) {
  guarded_finish(result->minimum, shape->series);
  if (result->sum) guarded_finish(result->sum, shape->series * shape->count);
}

/* The index of a distance of the batch. */
static size_t index_of(const struct shape *shape, int64_t distance) {
  const int64_t index = (distance - shape->first) / shape->step;
  assert_true(index >= 0 && (size_t)index < shape->count);
  assert_int_equal(shape->first + index * shape->step, distance);
  return (size_t)index;
}

/* A series of a result against the oracle's sums. Where two sums are as low as the bound can tell,
   any of them may be the minimum, and likewise for the first negative one. */
static void check_series(size_t which, const struct shape *shape, const struct result *result,
                         size_t s, const double *expected, struct variant variant, double bound) {
  const char *label = variant.single ? "cosine_sum single" : "cosine_sum";
  size_t last = shape->count; /* one past what counts */
  const int64_t negative = result->first_negative[s];
  if (negative >= 0) {
    const size_t at = index_of(shape, negative);
    assert_true(expected[at] < bound);
    if (variant.stop) last = at + 1;
  }
  const size_t before = negative >= 0 ? index_of(shape, negative) : shape->count;
  for (size_t n = 0; n < before; n++)
    assert_true(expected[n] > -bound);
  for (size_t n = 0; result->sum && n < shape->count; n++)
    twins_compare(label, which, result->sum[s * shape->count + n], n < last ? expected[n] : NAN,
                  bound);
  double lowest = NAN;
  for (size_t n = 0; n < last; n++)
    if (!(lowest <= expected[n])) lowest = expected[n];
  twins_compare(label, which, result->minimum[s], lowest, bound);
  if (!shape->count) {
    assert_int_equal(result->minimum_distance[s], -1);
    return;
  }
  const size_t at = index_of(shape, result->minimum_distance[s]);
  assert_true(at < last);
  twins_compare(label, which, result->minimum[s], expected[at], bound);
}

static void compare(const struct shape *shape, struct variant variant) {
  struct phases phases = series_of(shape, PRECISION_FP64);
  double *weight = random_array(shape->pairs, 9), scale = 0;
  for (size_t i = 0; i < shape->pairs; i++) {
    weight[i] = i % 5 == 3 ? 1e-3 * weight[i] : weight[i] + 0.2;
    scale += variant.weighted ? fabs(weight[i]) : 1;
  }
  double *expected = calloc(shape->count + 1, sizeof *expected);
  struct result results[TWINS];
  for (size_t t = 0; t < TWINS; t++)
    results[t] = run(t, shape, &phases, variant.weighted ? weight : NULL, variant);
  for (size_t s = 0; s < shape->series; s++) {
    for (size_t n = 0; n < shape->count; n++) {
      long double sum = 0;
      for (size_t i = 0; i < shape->pairs; i++)
        sum += (variant.weighted ? (long double)weight[i] : 1) *
               cosl(oracle_angle(phases.step[s * shape->pairs + i],
                                 shape->first + shape->step * (int64_t)n));
      expected[n] = (double)sum;
    }
    for (size_t t = 0; t < TWINS; t++) /* what kernels/backend.h promises */
      check_series(t, shape, &results[t], s, expected, variant,
                   (variant.single ? 2e-6 : 1e-14) * scale);
  }
  for (size_t t = 0; t < TWINS; t++)
    result_free(shape, &results[t]);
  free(expected);
  free(weight);
  phases_free(&phases);
}

static void compare_all(size_t most) {
  for (size_t s = 0; s < COUNT_OF(shapes); s++)
    for (int bits = 0; bits < 8 && shapes[s].count <= most; bits++)
      compare(&shapes[s], (struct variant){bits & 1, bits & 2, bits & 4, bits != 5});
}

static void twins_of_the_oracle(void **state) {
  (void)state;
  compare_all(SIZE_MAX);
}

static void small_devices(void **state) {
  (void)state;
  twins_limit(1400000, 3);
  compare_all(1000);
  twins_limit(0, 0);
}

/* However it is cut, the device makes the same bits; cuBLAS is left out where memory is short. */
static void cuts_do_not_matter(void **state) {
  (void)state;
  use_cublas("no");
  const struct shape shape = {2, 3, 20001, 5, 1};
  struct phases phases = series_of(&shape, PRECISION_FP64);
  for (int single = 0; single < 2; single++) {
    const struct variant variant = {false, single, false, true};
    struct result whole = run(1, &shape, &phases, NULL, variant);
    twins_limit(800000, 5);
    struct result cut = run(1, &shape, &phases, NULL, variant);
    twins_limit(0, 0);
    assert_memory_equal(whole.sum, cut.sum, 2 * 20001 * sizeof(double));
    assert_memory_equal(whole.minimum, cut.minimum, 2 * sizeof(double));
    assert_memory_equal(whole.minimum_distance, cut.minimum_distance, 2 * sizeof(int64_t));
    assert_memory_equal(whole.first_negative, cut.first_negative, 2 * sizeof(int64_t));
    result_free(&shape, &whole);
    result_free(&shape, &cut);
  }
  phases_free(&phases);
}

/* Weights far from 1, where float would overflow or lose them. */
static void weights_of_any_size(void **state) {
  (void)state;
  static const double scales[] = {1e-60, 1e60};
  const struct shape shape = {1, 6, 300, 0, 1};
  struct phases phases = series_of(&shape, PRECISION_FP64);
  for (size_t c = 0; c < COUNT_OF(scales); c++) {
    double *weight = random_array(6, 2), total = 0;
    for (size_t i = 0; i < 6; i++) {
      weight[i] *= scales[c];
      total += fabs(weight[i]);
    }
    for (size_t t = 0; t < TWINS; t++) {
      struct result result =
          run(t, &shape, &phases, weight, (struct variant){true, true, false, true});
      for (size_t n = 0; n < 300; n++) {
        long double sum = 0;
        for (size_t i = 0; i < 6; i++)
          sum += weight[i] * cosl(oracle_angle(phases.step[i], (int64_t)n));
        twins_compare("cosine_sum scaled", t, result.sum[n] / total, (double)(sum / total), 2e-6);
      }
      result_free(&shape, &result);
    }
    free(weight);
  }
  phases_free(&phases);
}

static void not_a_number_is_never_lost(void **state) {
  (void)state;
  const struct shape shape = {2, 5, 700, 0, 1};
  struct phases phases = series_of(&shape, PRECISION_FP64);
  const double weight[5] = {1, 1, NAN, 1, 1};
  for (size_t t = 0; t < TWINS; t++)
    for (int bits = 0; bits < 4; bits++) {
      struct result result =
          run(t, &shape, &phases, weight, (struct variant){true, bits & 1, bits & 2, true});
      for (size_t n = 0; n < 1400; n++)
        assert_true(isnan(result.sum[n]));
      for (size_t s = 0; s < 2; s++) {
        assert_true(isnan(result.minimum[s]));
        assert_int_equal(result.minimum_distance[s], 0);
        assert_int_equal(result.first_negative[s], -1);
      }
      result_free(&shape, &result);
    }
  phases_free(&phases);
}

/* Below fp64 the same rounded cosines are summed, but where the device rounds a tie the other way.
 */
static void rounded_formats(void **state) {
  (void)state;
  const struct shape shape = {2, 16, 500, 3, 2};
  for (int precision = PRECISION_FP32; precision < PRECISION_COUNT; precision++) {
    struct phases phases = series_of(&shape, (enum precision)precision);
    struct result results[TWINS];
    for (size_t t = 0; t < TWINS; t++)
      results[t] = run(t, &shape, &phases, NULL, (struct variant){.stored = true, .single = true});
    for (size_t n = 0; n < 1000; n++)
      twins_compare("cosine_sum rounded", 1, results[1].sum[n], results[0].sum[n],
                    2 * precision_roundoff((enum precision)precision) + 1e-14);
    for (size_t t = 0; t < TWINS; t++)
      result_free(&shape, &results[t]);
    phases_free(&phases);
  }
}

static void too_small_a_device(void **state) {
  (void)state;
  const struct shape shape = {1, 5, 300, 0, 1};
  struct phases phases = series_of(&shape, PRECISION_FP64);
  double sum[300];
  const struct cosine_sum_batch batch = {.phases = phases, .step = 1, .count = 300, .sum = sum};
  twins_limit(20000, 0);
  assert_refused(backend_cosine_sum(twin[1], &batch, &error), ERROR_FAILED,
                 "cannot sum cosines on the GPU: not enough device memory");
  twins_limit(0, 0);
  phases_free(&phases);
}

static int operation(void) {
  const struct shape shape = {2, 3, 500, 0, 1};
  struct phases phases = series_of(&shape, PRECISION_FP64);
  const double weight[3] = {1, 2, 3};
  double sum[1000];
  const struct cosine_sum_batch batch = {.phases = phases,
                                         .weight = weight,
                                         .step = 1,
                                         .count = 500,
                                         .stop_at_negative = true,
                                         .sum = sum};
  const int status = backend_cosine_sum(twin[1], &batch, &error);
  phases_free(&phases);
  return status;
}

static void failing_calls(void **state) {
  (void)state;
  twins_inject(operation);
}

/* ---- With a cuBLAS: tests/plugins/fake_cublas.c, where TWINS_CUBLAS names it ---- */

static struct {
  unsigned long *handles, *products; /* (2): in double, in single */
  int *create_status, *product_status;
} fake;

static void use_fake(void) {
  const char *path = getenv("TWINS_CUBLAS");
  if (!path) skip();
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  assert_non_null(library);
  fake.handles = dlsym(library, "fake_cublas_handles");
  fake.products = dlsym(library, "fake_cublas_products");
  fake.create_status = dlsym(library, "fake_cublas_create_status");
  fake.product_status = dlsym(library, "fake_cublas_product_status");
  assert_true(fake.handles && fake.products && fake.create_status && fake.product_status);
  *fake.create_status = *fake.product_status = 0;
  fake.products[0] = fake.products[1] = 0;
  use_cublas(path);
}

static int no_fake(void **state) {
  if (fake.product_status) *fake.create_status = *fake.product_status = 0;
  cublas_as_before(state);
  return fake.handles && *fake.handles ? 1 : 0; /* handles are given back */
}

static void products_by_cublas(void **state) {
  (void)state;
  use_fake();
  for (size_t s = 0; s < COUNT_OF(shapes); s++)
    for (int bits = 0; bits < 4; bits++) {
      const unsigned long before = fake.products[bits >> 1];
      compare(&shapes[s], (struct variant){bits & 1, bits & 2, false, true});
      assert_int_equal(fake.products[bits >> 1] - before, shapes[s].count ? shapes[s].series : 0);
    }
  assert_int_equal(*fake.handles, 1);
}

/* More rows than a product takes: as many products as pieces. */
static void pieces_by_cublas(void **state) {
  (void)state;
  if (twins_brief()) skip();
  use_fake();
  const struct shape shape = {1, 2, 4096 * 512 + 1000, 5, 1};
  struct phases phases = series_of(&shape, PRECISION_FP64);
  const struct variant variant = {.stored = true, .single = true};
  struct result cpu = run(0, &shape, &phases, NULL, variant);
  struct result cuda = run(1, &shape, &phases, NULL, variant);
  assert_int_equal(fake.products[1], 2);
  for (size_t n = 0; n < shape.count; n++)
    twins_compare("cosine_sum cuBLAS", 1, cuda.sum[n], cpu.sum[n], 2 * 2e-6 * 2);
  twins_compare("cosine_sum cuBLAS", 1, cuda.minimum[0], cpu.minimum[0], 2 * 2e-6 * 2);
  result_free(&shape, &cpu);
  result_free(&shape, &cuda);
  phases_free(&phases);
}

/* Where it has nothing to give, or cannot work, the plug-in's own products are made. */
static void without_cublas(void **state) {
  (void)state;
  use_fake();
  const struct shape shape = {2, 5, 700, 0, 1};
  compare(&shape, (struct variant){.stored = false});              /* nothing is stored */
  compare(&shape, (struct variant){.stored = true, .stop = true}); /* little is made */
  twins_limit(180000, 0);                                          /* not all rows fit */
  compare(&shape, (struct variant){.stored = true, .single = true});
  twins_limit(0, 0);
  use_cublas("no");
  compare(&shape, (struct variant){.stored = true});
  use_cublas("/nowhere/libcublas.so");
  compare(&shape, (struct variant){.stored = true});
  use_cublas(getenv("ROPETOOL_CUDA_PLUGIN")); /* a library of something else */
  compare(&shape, (struct variant){.stored = true});
  *fake.create_status = 3;
  use_cublas(getenv("TWINS_CUBLAS"));
  compare(&shape, (struct variant){.stored = true});
  assert_int_equal(fake.products[0] + fake.products[1], 0);
  *fake.create_status = 0;
  compare(&shape, (struct variant){.stored = true}); /* it is asked once */
  assert_int_equal(fake.products[0], 0);
  use_cublas(getenv("TWINS_CUBLAS"));
  compare(&shape, (struct variant){.stored = true});
  assert_int_equal(fake.products[0], 2);
}

static int stored_operation(bool single) {
  const struct shape shape = {1, 3, 500, 0, 1};
  struct phases phases = series_of(&shape, PRECISION_FP64);
  double sum[500];
  const struct cosine_sum_batch batch = {
      .phases = phases, .step = 1, .count = 500, .single = single, .sum = sum};
  const int status = backend_cosine_sum(twin[1], &batch, &error);
  phases_free(&phases);
  return status;
}

static int single_operation(void) {
  return stored_operation(true);
}

static void failing_products(void **state) {
  (void)state;
  use_fake();
  *fake.product_status = 13;
  assert_refused(stored_operation(false), ERROR_FAILED,
                 "cannot sum cosines on the GPU: cublasDgemm failed (cuBLAS status 13)");
  assert_refused(stored_operation(true), ERROR_FAILED,
                 "cannot sum cosines on the GPU: cublasSgemm failed (cuBLAS status 13)");
  *fake.product_status = 0;
  twins_inject(single_operation);
}

#define with_cublas(test) cmocka_unit_test_teardown(test, no_fake)

int main(void) {
  const char *before = getenv("ROPETOOL_CUBLAS");
  cublas_before = before ? strdup(before) : NULL;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(twins_of_the_oracle),
      cmocka_unit_test(small_devices),
      cmocka_unit_test_teardown(cuts_do_not_matter, cublas_as_before),
      cmocka_unit_test(weights_of_any_size),
      cmocka_unit_test(not_a_number_is_never_lost),
      cmocka_unit_test(rounded_formats),
      cmocka_unit_test(too_small_a_device),
      cmocka_unit_test(failing_calls),
      with_cublas(products_by_cublas),
      with_cublas(pieces_by_cublas),
      with_cublas(without_cublas),
      with_cublas(failing_products),
  };
  const int status = twins_main(tests);
  free(cublas_before);
  return status;
}

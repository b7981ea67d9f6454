/* Limits: that both devices do what they are timed for, whatever the count and the shape. */
#include "tests/twins/twins.h"

#include <dlfcn.h>

static double measure(size_t which, enum limit limit, bool single, size_t count) {
  double result = NAN;
  const struct limit_batch batch = {
      .limit = limit, .single = single, .count = count, .result = &result};
  assert_done(backend_limit(twin[which], &batch, &error));
  return result;
}

/* A block of every size of device: none, a part of one, a few, more than a device has at a time. */
static const size_t counts[] = {0, 1, 1000, 2049, 150000, 1200000, 3000001};

static void multiply_adds(void **state) {
  (void)state;
  assert_true(backend_has_limits(twin[1]));
  for (size_t c = 0; c < COUNT_OF(counts); c++)
    for (int single = 0; single <= 1; single++)
      for (size_t t = 0; t < TWINS; t++) {
        if (twins_brief() && counts[c] > 200000) continue;
        const double result = measure(t, LIMIT_MULTIPLY_ADD, single, counts[c]);
        if (counts[c] >= 150000)
          twins_compare("multiply-adds", t, result, 2, 0);
        else
          assert_true(counts[c] ? result >= 1 && result <= 2 : result == 0);
      }
}

/* One step is one multiply-add of 0, two make 1.5, and so on: none is left out, and none is made
   twice. The device does 2048 a step. */
static void steps_are_counted(void **state) {
  (void)state;
  enum { STEP = 2048 };
  twins_limit(0, 1);
  for (size_t steps = 1; steps < 20; steps++)
    for (int single = 0; single <= 1; single++) {
      const double expected = 2 - ldexp(2, -(int)steps);
      assert_true(measure(1, LIMIT_MULTIPLY_ADD, single, STEP * steps) == expected);
      assert_true(measure(1, LIMIT_MULTIPLY_ADD, single, STEP * steps - 1) == expected);
    }
  twins_limit(0, 0);
}

/* A float's sum is of at most 256 roots, each step off by half a unit, 2^-24, and a root by 3 units
   of 2^-23 at most; in double everything is smaller by 2^29, but that 3e6 roots are summed. */
static void roots(void **state) {
  (void)state;
  double expected = 0;
  for (size_t i = 0; i < 1024; i++)
    expected += sqrt((double)i + 1.5) / 1024;
  for (size_t c = 0; c < COUNT_OF(counts); c++)
    for (int single = 0; single <= 1; single++)
      for (size_t t = 0; t < TWINS; t++) {
        if (twins_brief() && counts[c] > 200000) continue;
        const double bound = (single ? (256 + 6) * 0x1p-24 : 3000 * 0x1p-53) * expected;
        twins_compare(single ? "roots, float" : "roots", t,
                      measure(t, LIMIT_ROOT, single, counts[c]), counts[c] ? expected : 0, bound);
      }
}

static void copies_of(size_t most) {
  char *input = malloc(most), *output = malloc(most + 2);
  assert_true(input && output);
  for (size_t i = 0; i < most; i++)
    input[i] = (char)(i * 37 + 1);
  for (size_t count = 0; count <= most; count = 3 * count + 1)
    for (size_t t = 0; t < TWINS; t++) {
      const struct limit_batch batch = {
          .limit = LIMIT_COPY, .count = count, .left = input, .output = output + 1};
      memset(output, 99, most + 2);
      assert_done(backend_limit(twin[t], &batch, &error));
      assert_memory_equal(input, output + 1, count);
      assert_true(output[0] == 99 && output[count + 1] == 99);
    }
  free(input);
  free(output);
}

static void copies(void **state) {
  (void)state;
  copies_of(100000);
  twins_limit(2000, 0);
  copies_of(10000);
  twins_limit(0, 0);
}

/* ---- Products ---- */

static double uniform(uint64_t *state) {
  *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (double)(*state >> 11) * 0x1p-52 - 1;
}

struct product {
  struct limit_batch batch;
  double *left, *right; /* what float or double hold, in double */
  void *left_real, *right_real;
};

static void *reals(const double *values, size_t count, bool single) {
  const size_t size = single ? sizeof(float) : sizeof(double);
  void *copy = malloc(count * size);
  assert_non_null(copy);
  for (size_t i = 0; single && i < count; i++)
    ((float *)copy)[i] = (float)values[i];
  if (!single) memcpy(copy, values, count * size);
  return copy;
}

static double *numbers(size_t count, bool single, uint64_t seed) {
  double *values = malloc(count * sizeof *values);
  assert_non_null(values);
  for (size_t i = 0; i < count; i++) {
    values[i] = uniform(&seed);
    if (single) values[i] = (double)(float)values[i];
  }
  return values;
}

static struct product product_of(const struct limit_batch *extents) {
  const bool single = extents->single;
  const size_t lefts = extents->count * extents->rows * extents->inner,
               rights = extents->count * extents->columns * extents->inner;
  struct product product = {
      .batch = *extents, .left = numbers(lefts, single, 1), .right = numbers(rights, single, 2)};
  product.batch.limit = LIMIT_PRODUCT;
  product.batch.left = product.left_real = reals(product.left, lefts, single);
  product.batch.right = product.right_real = reals(product.right, rights, single);
  return product;
}

static void product_free(struct product *product) {
  free(product->left);
  free(product->right);
  free(product->left_real);
  free(product->right_real);
}

/* Element (r, c) of the last product, and the sum of its terms' magnitudes. */
static double element(const struct product *product, size_t r, size_t c, double *magnitude) {
  const struct limit_batch *batch = &product->batch;
  const size_t last = batch->count - 1;
  const double *left = product->left + (last * batch->rows + r) * batch->inner;
  const double *right = product->right + (last * batch->columns + c) * batch->inner;
  long double sum = 0;
  *magnitude = 0;
  for (size_t i = 0; i < batch->inner; i++) {
    sum += (long double)left[i] * right[i];
    *magnitude += fabs(left[i] * right[i]);
  }
  return (double)sum;
}

/* In any order, a sum of n products is off by at most n units, in each term. */
static void compare_product(size_t which, struct product *product, const char *label) {
  struct limit_batch *batch = &product->batch;
  const size_t count = batch->rows * batch->columns;
  const double unit = batch->single ? 0x1p-24 : 0x1p-53;
  double *output = guarded_array(count);
  batch->output = output;
  assert_done(backend_limit(twin[which], batch, &error));
  for (size_t i = 0; i < count; i++) {
    double magnitude;
    const double expected = element(product, i / batch->columns, i % batch->columns, &magnitude);
    const double value = batch->single ? (double)((float *)output)[i] : output[i];
    twins_compare(label, which, value, expected, (double)batch->inner * unit * magnitude);
  }
  if (batch->single) memset(output, 0, count * sizeof *output);
  guarded_finish(output, count);
}

static const struct {
  size_t count, rows, columns, inner;
} shapes[] = {{1, 1, 1, 1},    {3, 5, 4, 7},    {1, 64, 64, 8},   {1, 130, 65, 9},
              {2, 129, 1, 20}, {2, 3, 257, 33}, {1, 200, 300, 70}};

static void compare_products(const char *label, const char *label_single) {
  for (size_t s = 0; s < COUNT_OF(shapes); s++)
    for (int single = 0; single <= 1; single++) {
      if (twins_brief() && shapes[s].rows > 150) continue;
      const struct limit_batch extents = {.single = single,
                                          .count = shapes[s].count,
                                          .rows = shapes[s].rows,
                                          .columns = shapes[s].columns,
                                          .inner = shapes[s].inner};
      struct product product = product_of(&extents);
      for (size_t t = 0; t < TWINS; t++)
        compare_product(t, &product, single ? label_single : label);
      product_free(&product);
    }
}

static void products(void **state) {
  (void)state;
  compare_products("product", "product, float");
}

/* Few blocks go round. */
static void small_devices(void **state) {
  (void)state;
  twins_limit(0, 1);
  compare_products("product", "product, float");
  twins_limit(0, 0);
}

/* A GPU says how long it took itself, and that nothing takes no time; the CPU says nothing. */
static void seconds(void **state) {
  (void)state;
  double left[6] = {1}, right[6] = {1}, output[4], result, time;
  for (int limit = LIMIT_MULTIPLY_ADD; limit <= LIMIT_PRODUCT; limit++)
    for (size_t count = 0; count < 2; count++)
      for (size_t t = 0; t < TWINS; t++) {
        const struct limit_batch batch = {.limit = (enum limit)limit,
                                          .count = count,
                                          .rows = 2,
                                          .columns = 2,
                                          .inner = 3,
                                          .left = left,
                                          .right = right,
                                          .output = output,
                                          .result = &result,
                                          .seconds = &time};
        time = -1;
        assert_done(backend_limit(twin[t], &batch, &error));
        assert_true(t == 0 ? time == -1 : count ? time > 0 && time < 10 : time == 0);
      }
}

/* No product is no work: the output stays. */
static void nothing(void **state) {
  (void)state;
  double number = 42;
  const struct limit_batch batch = {.limit = LIMIT_PRODUCT,
                                    .rows = 1,
                                    .columns = 1,
                                    .inner = 1,
                                    .left = &number,
                                    .right = &number,
                                    .output = &number};
  for (size_t t = 0; t < TWINS; t++)
    assert_done(backend_limit(twin[t], &batch, &error));
  assert_true(number == 42);
}

static void too_small_a_device(void **state) {
  (void)state;
  double left[4] = {1}, right[4] = {1}, output[4] = {0};
  struct limit_batch batch = {.limit = LIMIT_PRODUCT,
                              .count = 1,
                              .rows = 2,
                              .columns = 2,
                              .inner = 2,
                              .left = left,
                              .right = right,
                              .output = output};
  twins_limit(100, 0);
  assert_refused(backend_limit(twin[1], &batch, &error), ERROR_FAILED,
                 "cannot measure a limit on the GPU: not enough device memory: the matrices of a "
                 "product need");
  twins_limit(1, 0);
  batch.limit = LIMIT_COPY;
  assert_refused(backend_limit(twin[1], &batch, &error), ERROR_FAILED,
                 "not enough device memory: two bytes need");
  twins_limit(0, 0);
}

static int arithmetic_operation(void) {
  double result, time;
  const struct limit_batch batch = {
      .limit = LIMIT_ROOT, .count = 3000, .result = &result, .seconds = &time};
  return backend_limit(twin[1], &batch, &error);
}

static int copy_operation(void) {
  char output[3];
  const struct limit_batch batch = {
      .limit = LIMIT_COPY, .count = 3, .left = "abc", .output = output};
  return backend_limit(twin[1], &batch, &error);
}

static int product_operation(bool single) {
  const struct limit_batch extents = {
      .single = single, .count = 2, .rows = 3, .columns = 2, .inner = 5};
  struct product product = product_of(&extents);
  double output[6];
  product.batch.output = output;
  const int status = backend_limit(twin[1], &product.batch, &error);
  product_free(&product);
  return status;
}

static int double_operation(void) {
  return product_operation(false);
}

static void failing_calls(void **state) {
  (void)state;
  twins_inject(arithmetic_operation);
  twins_inject(copy_operation);
  twins_inject(double_operation);
}

/* ---- With a cuBLAS: tests/plugins/fake_cublas.c, where TWINS_CUBLAS names it ---- */

static int *fake_status;

/* Opens the CUDA backend anew; NULL: as it was. */
static void use_cublas(const char *library) {
  static char *before;
  const char *now = getenv("ROPETOOL_CUBLAS");
  if (library && !before && now) before = strdup(now);
  if (!library) library = before;
  assert_int_equal(library ? setenv("ROPETOOL_CUBLAS", library, 1) : unsetenv("ROPETOOL_CUBLAS"),
                   0);
  if (!library || library == before) free(before), before = NULL;
  backend_close(twin[1]);
  assert_done(backend_open(twin_name[1], &twin[1], &error));
}

static int no_fake(void **state) {
  (void)state;
  if (fake_status) *fake_status = 0;
  use_cublas(NULL);
  return 0;
}

static unsigned long *use_fake(void) {
  const char *path = getenv("TWINS_CUBLAS");
  if (!path) skip();
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  assert_non_null(library);
  fake_status = dlsym(library, "fake_cublas_product_status");
  unsigned long *made = dlsym(library, "fake_cublas_products");
  assert_true(fake_status && made);
  made[0] = made[1] = 0;
  use_cublas(path);
  return made;
}

static void products_by_cublas(void **state) {
  (void)state;
  const unsigned long *made = use_fake();
  compare_products("product by cuBLAS", "product by cuBLAS, float");
  assert_true(made[0] && made[0] == made[1]);
}

static void failing_products(void **state) {
  (void)state;
  use_fake();
  *fake_status = 13;
  assert_refused(product_operation(false), ERROR_FAILED,
                 "cannot measure a limit on the GPU: cublasDgemm failed (cuBLAS status 13)");
  assert_refused(product_operation(true), ERROR_FAILED,
                 "cannot measure a limit on the GPU: cublasSgemm failed (cuBLAS status 13)");
  *fake_status = 0;
  twins_inject(double_operation);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(multiply_adds),
      cmocka_unit_test(steps_are_counted),
      cmocka_unit_test(roots),
      cmocka_unit_test(copies),
      cmocka_unit_test(products),
      cmocka_unit_test(small_devices),
      cmocka_unit_test(seconds),
      cmocka_unit_test(nothing),
      cmocka_unit_test(too_small_a_device),
      cmocka_unit_test(failing_calls),
      cmocka_unit_test_teardown(products_by_cublas, no_fake),
      cmocka_unit_test_teardown(failing_products, no_fake),
  };
  return twins_main(tests);
}
